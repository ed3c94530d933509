// SPDX-License-Identifier: MIT
// Judges a result from poses alone, in double precision and without the engine's own collision code:
// penetration, displacement, drift, whether everything stands. The same for every engine that can say where
// its bodies are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "physics/components.h"
#include "physics/scene/scene.h"

namespace proxima::samples {

/// Pairs of colliders nearer than this count as touching, with an overlap of zero.
inline constexpr double kTouchingDistance = 0.001;

struct PenetrationResult {
    double max = 0.0;   // m
    double mean = 0.0;  // m, over touching pairs
    uint64_t touching_pairs = 0;
};

struct MotionResult {
    double max = 0.0;  // m, over dynamic bodies that are not lost
    double mean = 0.0;
};

/// Holds the shapes of a scene in double precision. Poses are those of the scene's bodies, in its order.
class Evaluator {
  public:
    explicit Evaluator(const physics::SceneDesc& scene);
    ~Evaluator();
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    PenetrationResult penetration(std::span<const physics::Pose> poses) const;

    /// How far dynamic bodies are from where they were. Displacement is from the start, drift from the settled step.
    MotionResult motion(std::span<const physics::Pose> from, std::span<const physics::Pose> to) const;

    /// Dynamic bodies that are no longer where anything could use them: not finite, farther than 10 km from
    /// the origin, or more than 0.5 m below the ground (the top of the first fixed body, where that is an
    /// upright box or half-space).
    uint32_t lost(std::span<const physics::Pose> poses) const;

    /// Whether all moved at most the scene's tolerance and none is lost; nothing when the scene has no such test.
    std::optional<bool> stands(std::span<const physics::Pose> start, std::span<const physics::Pose> end) const;

  private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace proxima::samples
