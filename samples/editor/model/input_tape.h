// SPDX-License-Identifier: MIT
// What a person did during a play, by the number of the step: steps are repeated to go back in time, and must
// find the same input again. Bodies are named by their place in the scene, so that worlds made of the same
// scene share one tape.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/math.h"
#include "physics/settings.h"

namespace proxima::editor {

/// A body held at a point by a spring to another.
struct Grab {
    uint32_t body = 0;              // place in the scene
    Vec3 local{0.0f, 0.0f, 0.0f};   // the point that is held, in the body's frame
    Vec3 target{0.0f, 0.0f, 0.0f};  // world
};

inline constexpr uint32_t kAllLanes = 0xFFFFFFFFu;

/// A change of how a world is solved, from a step on.
struct SolverChange {
    enum class Kind : uint8_t {
        settings,        // of the whole world
        island,          // a solver for the island of a body
        island_default,  // back to the world's
    };
    uint64_t step = 0;  // the first step that feels it
    uint32_t lane = kAllLanes;
    Kind kind = Kind::settings;
    std::shared_ptr<const physics::StepSettings> settings;
    uint32_t body = 0;
    std::string solver;
    float tolerance = 0.0f;
    uint32_t iterations = 0;
};

class InputTape {
  public:
    void clear();
    /// Forgets what was noted for steps after this one.
    void truncate_after(uint64_t step);

    /// From this step on the body is held, or held elsewhere. Steps come in ascending order.
    void hold(uint64_t step, const Grab& grab);
    void release(uint64_t step);
    void add(SolverChange change);

    /// What holds in a step.
    std::optional<Grab> grab_at(uint64_t step) const;
    /// What changes before a step.
    std::span<const SolverChange> changes_at(uint64_t step) const;
    /// The last step for which something was noted; 0 for none.
    uint64_t last_step() const;

  private:
    struct GrabNote {
        uint64_t step = 0;
        bool held = false;
        Grab grab;
    };
    void note(const GrabNote& note);

    std::vector<GrabNote> grabs_;        // ascending steps, one a step
    std::vector<SolverChange> changes_;  // ascending steps
};

}  // namespace proxima::editor
