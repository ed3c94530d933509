// SPDX-License-Identifier: MIT
// Building blocks of the scenes that do not start at rest: a scene and what must come of it, made together.
#pragma once

#include <string>
#include <utility>

#include "samples/scenes/builder.h"
#include "samples/scenes/goal.h"

namespace proxima::samples {

struct SceneWithGoal {
    physics::SceneDesc scene;
    Goal goal;
};

class DisturbedBuilder : public SceneBuilder {
  public:
    /// With a ground, and without sleep: nothing may lie still because it was frozen.
    DisturbedBuilder(const std::string& name, const char* description, double friction = 0.6)
        : SceneBuilder(name, description, friction) {
        scene().settings.sleeping = false;
        ground();
    }

    /// The last body that was added must end at `target`.
    void ends_at(const Vec3d& target) { goal.targets.push_back({uint32_t(scene().bodies.size() - 1), target}); }
    /// Bounds of a structure that comes to rest where it should: as tight as a user would want them, not as
    /// loose as some solver would like.
    void settles(double position_error, double drift = 0.002) {
        goal.position_error = position_error;
        goal.drift = drift;
        goal.lift = 0.001;
    }
    /// Bounds of a heap whose positions cannot be known.
    void comes_to_rest(double speed, double drift, double penetration) {
        goal.speed = speed;
        goal.drift = drift;
        goal.penetration = penetration;
        goal.lift = 0.001;
    }
    SceneWithGoal finish() { return {take(), std::move(goal)}; }

    Goal goal;
};

/// The family's function as the table of scenes wants it.
template <SceneWithGoal (*make)(const std::string&, double)>
physics::SceneDesc scene_of(const std::string& name, double number) {
    return make(name, number).scene;
}

// disturbed_stacks.cpp: boxes that are dropped, hit, pushed into each other or lean
SceneWithGoal drop_tower(const std::string& name, double number);
SceneWithGoal drop_heavy(const std::string& name, double number);
SceneWithGoal drop_cards(const std::string& name, double number);
SceneWithGoal drop_arch(const std::string& name, double number);
SceneWithGoal hit_pyramid(const std::string& name, double number);
SceneWithGoal hit_tower(const std::string& name, double number);
SceneWithGoal hit_arch(const std::string& name, double number);
SceneWithGoal overlap_tower(const std::string& name, double number);
SceneWithGoal overlap_pyramid(const std::string& name, double number);
SceneWithGoal lean_tower(const std::string& name, double number);
SceneWithGoal lean_plank(const std::string& name, double degrees);
SceneWithGoal slope_stack(const std::string& name, double degrees);

// disturbed_shapes.cpp: round shapes, hulls, mixed masses, restitution, heaps
SceneWithGoal cannonballs(const std::string& name, double number);
SceneWithGoal logs(const std::string& name, double number);
SceneWithGoal pocket(const std::string& name, double number);
SceneWithGoal bounce(const std::string& name, double number);
SceneWithGoal hull_stack(const std::string& name, double number);
SceneWithGoal mixed_masses(const std::string& name, double number);
SceneWithGoal mixed_pit(const std::string& name, double number);

// friction_scenes.cpp: rolling friction, torsional friction, surfaces with a grain, conveyor belts
SceneWithGoal felt(const std::string& name, double number);
SceneWithGoal roll_slope(const std::string& name, double degrees);
SceneWithGoal sledges(const std::string& name, double number);
SceneWithGoal conveyor(const std::string& name, double number);

// rule_scenes.cpp: one-way platforms, sensors, glass
SceneWithGoal one_way(const std::string& name, double number);
SceneWithGoal sensors(const std::string& name, double number);
SceneWithGoal glass_wall(const std::string& name, double number);
// joint_scenes.cpp: chains, bridges, nets, ragdolls, machines
SceneWithGoal chain(const std::string& name, double links);
SceneWithGoal wrecking_ball(const std::string& name, double number);
SceneWithGoal bridge(const std::string& name, double planks);
SceneWithGoal net(const std::string& name, double side);
SceneWithGoal ragdolls(const std::string& name, double number);
SceneWithGoal crane(const std::string& name, double number);
SceneWithGoal door_row(const std::string& name, double number);
SceneWithGoal gears_and_pulleys(const std::string& name, double number);
SceneWithGoal four_bar(const std::string& name, double number);

}  // namespace proxima::samples
