// SPDX-License-Identifier: MIT
// Structures that are dropped, hit, pushed into each other or lean, at default settings and full length.
#include <cmath>
#include <string>
#include <vector>

#include "samples/scenes/goal.h"
#include "samples/scenes/scenes.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::physics;

namespace {

struct Run {
    SceneDesc scene;
    PhysicsWorld world;
    std::vector<Entity> bodies;

    explicit Run(SceneDesc desc) : scene(std::move(desc)) {
        // Nothing may lie still because it was frozen; but sensors are to see what sleeps.
        CHECK(scene.settings.sleeping == (scene.name == "sensors" || scene.name.starts_with("ragdolls")));
        auto made = instantiate(scene, world);
        REQUIRE_MESSAGE(made.ok(), made.error());
        bodies = made.value();
    }
};

samples::GoalResult judge(const char* name) {
    auto scene = samples::make_scene(name);
    REQUIRE_MESSAGE(scene.ok(), scene.error());
    const auto goal = samples::goal_of(name);
    REQUIRE(goal.has_value());
    Run run(scene.value());
    samples::GoalJudge watching(run.scene, *goal);
    watching.watch(run.world, run.bodies);
    for (uint32_t i = 0; i < run.scene.run.steps; ++i) {
        REQUIRE(run.world.step(run.scene.run.dt).ok());
        watching.watch(run.world, run.bodies);
    }
    const samples::GoalResult r = watching.result();
    MESSAGE(std::string(name) << ": " << 1e3 * r.position_error << " mm from its place, drift " << 1e3 * r.drift
                              << " mm, penetration " << 1e3 * r.penetration << " mm, " << r.speed << " m/s");
    return r;
}

void check_held(const char* name) {
    const samples::GoalResult r = judge(name);
    for (const std::string& what : r.broken) CHECK_MESSAGE(false, std::string(name) << ": " << what);
}

}  // namespace

TEST_CASE("a tower stands after a ball has hit it") { check_held("hittower10"); }

TEST_CASE("an arch stands after a block fell on its keystone, and when its stones start apart") {
    check_held("hitarch17");
    check_held("droparch15");
}

TEST_CASE("tilted towers fall back on their feet") {
    check_held("leantower4");
    check_held("leantower6");
}

TEST_CASE("a leaning plank and slabs on a slope hold just inside their friction and give way just outside") {
    for (const char* name : {"leanplank34.5", "leanplank37", "slopestack25.5", "slopestack28"}) check_held(name);
}

TEST_CASE("rolling friction, the grain of runners and belts hold, give way and carry as their laws say") {
    for (const char* name : {"felt", "rollslope10", "rollslope13", "sledges", "conveyor"}) check_held(name);
}

TEST_CASE("one-way platforms let through and hold, sensors count, glass takes its impulse and no more") {
    for (const char* name : {"one_way", "sensors", "glass_wall"}) check_held(name);
}

TEST_CASE("a chain let go level holds a load of a thousand of its links, and a wrecking ball swings into a wall") {
    for (const char* name : {"chain100", "wrecking_ball"}) check_held(name);
}

TEST_CASE("a hanging bridge carries crates, a net catches some") {
    for (const char* name : {"bridge20", "net12"}) check_held(name);
}

TEST_CASE("cranes, doors, gears, racks, pulleys and linkages do what they are made for") {
    for (const char* name : {"crane", "door_row", "gears_and_pulleys", "four_bar"}) check_held(name);
}

TEST_CASE("ragdolls fall on a heap, keep their limbs and come to rest") { check_held("ragdolls8"); }

TEST_CASE("balls in a frame, logs between posts and a ball on a tray on balls come to rest in place") {
    for (const char* name : {"cannonballs4", "logs5", "pocket"}) check_held(name);
}

TEST_CASE("what is left of a wall that was hit, and a pit of all shapes, come to rest") {
    check_held("hitpyramid10");
    check_held("mixedpit");
}

TEST_CASE("a tower and a stack of prisms stand after being dropped") {
    check_held("drop10");
    check_held("hullstack");
}

TEST_CASE("ten tons fall on cubes that are hundreds of times lighter, and rest on them") {
    check_held("dropheavy100");
    check_held("dropheavy500");
}

TEST_CASE("cubes that start inside each other part and lie on each other") {
    check_held("overlap5");
    check_held("overlappyramid8");
}

TEST_CASE("a ball rebounds from a tower at rest as its restitution says, and the tower stays") {
    check_held("bounce");
    Run run(samples::make_scene("bounce").value());
    // It falls 1 m and meets a cube of 1 t with 34 kg; the tower below stands on the ground, so that between
    // nothing and everything of its mass takes part: e^2 h = 0.49 m from a wall, less from a free cube.
    const Entity ball = run.bodies.back();
    float lowest = 10.0f, rebound = 0.0f;
    for (int i = 0; i < 70; ++i) {
        REQUIRE(run.world.step(1.0f / 60.0f).ok());
        const float y = run.world.registry().get<Pose>(ball).position.y;
        if (y > lowest) rebound = std::max(rebound, y);
        lowest = std::min(lowest, y);
    }
    CHECK(rebound - 5.2f > 0.40f);
    CHECK(rebound - 5.2f < 0.50f);
}

TEST_CASE("scenes that do not start at rest have a goal, others have none") {
    for (const samples::SceneInfo& info : samples::built_in_scenes())
        for (const std::string_view name : info.examples) {
            CAPTURE(name);
            CHECK(samples::goal_of(name).has_value() == (info.group == "disturbed" || info.group == "joints"));
        }
    CHECK_FALSE(samples::goal_of("drop0").has_value());
    CHECK_FALSE(samples::goal_of("pocket7").has_value());
    CHECK_FALSE(samples::goal_of("no_such_scene").has_value());
}

TEST_CASE("a goal is missed with a sentence for every bound that is broken") {
    // A cube in free fall: away from its place, drifting, fast. It wins no energy and overlaps nothing.
    SceneDesc scene = samples::make_scene("drop1").value();
    scene.bodies[1].position.y = 50.0f;
    scene.run.steps = 60;
    scene.run.settled_from = 30;
    samples::Goal goal;
    goal.targets.push_back({1, {0.0, 50.0, 0.0}});
    goal.position_error = goal.drift = goal.overshoot = goal.penetration = goal.speed = goal.lift = 0.1;
    goal.min_travel = 100.0;
    Run run(scene);
    samples::GoalJudge watching(run.scene, goal);
    watching.watch(run.world, run.bodies);
    for (int i = 0; i < 60; ++i) {
        REQUIRE(run.world.step(1.0f / 60.0f).ok());
        watching.watch(run.world, run.bodies);
    }
    const samples::GoalResult r = watching.result();
    CHECK_FALSE(r.held());
    REQUIRE(r.broken.size() == 4);
    CHECK(r.broken[0].find("place") != std::string::npos);
    CHECK(r.broken[1].find("drift") != std::string::npos);
    CHECK(r.broken[2].find("speed") != std::string::npos);
    CHECK(r.broken[3].find("nothing moved") != std::string::npos);
    CHECK(r.position_error == doctest::Approx(4.9).epsilon(0.03));  // g t^2 / 2
    CHECK(r.speed == doctest::Approx(9.81).epsilon(0.01));
    CHECK(std::abs(r.lift) < 1e-3);
}

TEST_CASE("energy that is won is told as the height it would lift everything") {
    SceneDesc scene = samples::make_scene("drop1").value();
    scene.settings.gravity = {0.0f, -10.0f, 0.0f};
    scene.bodies[1].position.y = 50.0f;
    scene.run.steps = 10;
    scene.run.settled_from = 5;
    Run run(scene);
    samples::GoalJudge watching(run.scene, {});
    watching.watch(run.world, run.bodies);
    for (int i = 0; i < 10; ++i) {
        if (i == 7) run.world.registry().get<Pose>(run.bodies[1]).position.y += 2.0f;
        REQUIRE(run.world.step(1.0f / 60.0f).ok());
        watching.watch(run.world, run.bodies);
    }
    CHECK(watching.result().lift == doctest::Approx(2.0).epsilon(0.01));
    CHECK(watching.result().held());
}
