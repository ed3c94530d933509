// SPDX-License-Identifier: MIT
// What must come of a scene that does not start at rest: where bodies end, how still they lie, and that
// nothing gains energy on the way. Judged while the scene runs, from poses and velocities alone.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "physics/scene/scene.h"
#include "physics/world.h"
#include "samples/scenes/convex.h"
#include "samples/scenes/evaluate.h"

namespace proxima::samples {

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Where the centre of a body must be in the end.
struct TargetPosition {
    uint32_t body = 0;  // of the scene
    Vec3d position;
};

/// Where the free coordinate of a joint must be in the end: angle, way or length (JointState::position).
struct JointTarget {
    uint32_t joint = 0;  // of the scene
    double position = 0.0, tolerance = 0.0;
};

struct Goal {
    std::vector<TargetPosition> targets;
    double position_error = kNoLimit;  // m, farthest from its target at the end, over `targets`
    double drift = kNoLimit;           // m, from the settled step to the end, over `targets`, or all without any
    double overshoot = kNoLimit;       // m, how far above its target a body may be at any time
    double penetration = kNoLimit;     // m, at the end
    double speed = kNoLimit;           // m/s, of the fastest body in the last second
    double lift = kNoLimit;            // m: energy won after the settled step, as the height it would lift everything
    double min_travel = 0;             // m from the start: what cannot hold has to give way
    // ---- of joints, in any step after the first
    double joint_error = kNoLimit;  // m: largest distance of the anchors of a rigid one
    double joint_turn = kNoLimit;   // rad: the same of turns, beyond limits too
    uint32_t joints_broken = 0;     // at the end, exactly
    std::vector<JointTarget> joint_targets;
    // Events of the whole run, as many exactly; below zero: any number.
    int sensor_begins = -1, sensor_ends = -1, breaks = -1;
};

struct GoalResult {
    double position_error = 0.0, drift = 0.0, overshoot = 0.0, penetration = 0.0, speed = 0.0, lift = 0.0, moved = 0.0;
    double joint_error = 0.0, joint_turn = 0.0;
    uint32_t joints_broken = 0;
    uint32_t lost = 0;
    int sensor_begins = 0, sensor_ends = 0, breaks = 0;
    std::vector<std::string> broken;  // a sentence for every bound that did not hold
    bool held() const { return broken.empty(); }
};

/// The goal of a built-in scene; nothing for scenes that have none.
std::optional<Goal> goal_of(std::string_view scene_name);

/// Watches a run. Times and settled step are those of the scene's own run.
class GoalJudge {
  public:
    GoalJudge(const physics::SceneDesc& scene, Goal goal);

    /// Once before the first step and after every step.
    void watch(const physics::PhysicsWorld& world, std::span<const physics::Entity> bodies);
    /// After the last step.
    GoalResult result() const;

  private:
    double energy(const physics::PhysicsWorld& world, std::span<const physics::Entity> bodies) const;

    Goal goal_;
    physics::SceneRun run_;
    Vec3d gravity_;
    Evaluator evaluator_;
    std::vector<bool> dynamic_;
    std::vector<physics::Pose> start_, settled_, now_;
    uint32_t seen_ = 0;  // steps, plus one for the start
    double weight_ = 0.0, settled_energy_ = 0.0;
    int sensor_begins_ = 0, sensor_ends_ = 0, breaks_ = 0;
    double overshoot_ = 0.0, speed_ = 0.0, lift_ = 0.0;
    double joint_error_ = 0.0, joint_turn_ = 0.0;
    std::vector<physics::JointState> joints_;  // in the order of their entities' stable ids: that of the scene
};

}  // namespace proxima::samples
