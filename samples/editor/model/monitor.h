// SPDX-License-Identifier: MIT
// What a play looks like in numbers: a sample a step, kept for a while, and an audit of what ought to be conserved.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "physics/world.h"

namespace proxima::editor {

/// Energy and momentum of the dynamic bodies of a world, in double precision.
struct Mechanics {
    double kinetic = 0.0;    // J
    double potential = 0.0;  // J, in the scene's gravity, zero at the origin
    double total() const { return kinetic + potential; }
    glm::dvec3 linear{0.0, 0.0, 0.0};   // N s
    glm::dvec3 angular{0.0, 0.0, 0.0};  // N m s, about the origin of the world
};
/// `masses` by index in `bodies`; those of mass 0 do not count.
Mechanics mechanics_of(const physics::PhysicsWorld& world, std::span<const physics::Entity> bodies,
                       std::span<const physics::Mass> masses);

/// What forces from outside did since the play began.
struct OutsideWork {
    double energy = 0.0;                // J, by drags
    glm::dvec3 impulse{0.0, 0.0, 0.0};  // N s, by drags and gravity
};

inline constexpr size_t kStageCount = 16;

struct MonitorSample {
    uint64_t step = 0;
    double residual_mean = 0.0, residual_max = 0.0;         // m/s
    float sag_mean = 0.0f, sag_max = 0.0f;                  // m
    float penetration_mean = 0.0f, penetration_max = 0.0f;  // m
    Mechanics mechanics;
    OutsideWork outside;
    uint32_t bodies = 0, sleeping = 0, contacts = 0, pairs = 0, islands = 0;
    float step_ms = 0.0f;
    std::array<float, kStageCount> stage_ms{};  // in the order of PhysicsWorld::times()
};

/// Samples of the last steps. Asked by the number of the step, because a time line is: going back does not
/// remove what comes after, only another future does.
class Monitor {
  public:
    static constexpr size_t kDefaultLength = 1200;
    explicit Monitor(size_t length = kDefaultLength) : ring_(length) {}

    void clear();
    /// Replaces a sample of the same step; steps that follow each other are the usual case.
    void add(const MonitorSample& sample);
    void truncate_after(uint64_t step);

    bool empty() const { return count_ == 0; }
    uint64_t oldest() const { return newest_ + 1 - count_; }
    uint64_t newest() const { return newest_; }
    /// nullptr when it is not kept.
    const MonitorSample* at(uint64_t step) const;
    /// The first sample since the play began, however long ago.
    const MonitorSample& start() const { return start_; }

    /// The values of the kept steps from `from` to `to`, for a plot; `value` picks one of a sample.
    template <class Pick>
    void series(uint64_t from, uint64_t to, Pick&& value, std::vector<float>& out) const {
        out.clear();
        for (uint64_t step = from; step <= to; ++step)
            if (const MonitorSample* sample = at(step)) out.push_back(float(value(*sample)));
    }

  private:
    std::vector<MonitorSample> ring_;  // step s at s % size
    size_t count_ = 0;
    uint64_t newest_ = 0;
    MonitorSample start_;
};

/// How far the books are off since the play began, without what drags and gravity did. In a scene where
/// nothing touches fixed or kinematic bodies and nothing is damped, all of it is the error of the method;
/// energy falls by friction and impacts, and must not rise.
struct Audit {
    double energy_drift = 0.0;                // J: total - total at the start - work of drags
    double energy_relative = 0.0;             // of the largest energy there was
    glm::dvec3 linear_drift{0.0, 0.0, 0.0};   // N s: momentum - that of the start - impulses of drags and gravity
    glm::dvec3 angular_drift{0.0, 0.0, 0.0};  // N m s: plain difference
};
Audit audit(const MonitorSample& start, const MonitorSample& now);

/// What a step of a world was, without outside work.
MonitorSample sample_of(const physics::PhysicsWorld& world, uint64_t step, std::span<const physics::Entity> bodies,
                        std::span<const physics::Mass> masses);

}  // namespace proxima::editor
