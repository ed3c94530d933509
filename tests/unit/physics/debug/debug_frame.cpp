// SPDX-License-Identifier: MIT
#include "physics/debug/debug_frame.h"

#include <algorithm>
#include <set>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// A box of 1 m on a floor, at rest, and still awake.
struct BoxOnFloor : TestWorld {
    Entity ground, box_body;
    BoxOnFloor() {
        StepSettings s = settings();
        s.sleeping = false;
        set(s);
        ground = floor();
        box_body = body(box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
        run(1.0f);
    }
};

float worst_residual(const DebugFrame& frame) {
    float worst = 0.0f;
    for (const DebugContact& contact : frame.contacts) worst = std::max(worst, contact.residual);
    return worst;
}

}  // namespace

TEST_CASE("a box on a plane has four contacts whose impulses carry its weight") {
    BoxOnFloor w;
    DebugFrame frame;
    collect_debug(w.world, kDebugResiduals, frame);
    REQUIRE(frame.contacts.size() == 4);
    const float weight = w.mass(w.box_body).mass * kG * kDt;
    Vec3 sum(0.0f);
    for (const DebugContact& contact : frame.contacts) {
        CHECK(contact.body_a == w.ground);
        CHECK(contact.body_b == w.box_body);
        CHECK(contact.normal.y == doctest::Approx(1.0f));
        CHECK(std::abs(contact.point.y) < 0.01f);
        CHECK(std::abs(contact.point.x) == doctest::Approx(0.5f).epsilon(0.01));
        CHECK(std::abs(contact.point.z) == doctest::Approx(0.5f).epsilon(0.01));
        CHECK(contact.friction_reach.x == doctest::Approx(0.6f * contact.impulse.x));
        CHECK(contact.friction_reach.y == contact.friction_reach.x);
        CHECK(contact.residual >= 0.0f);
        CHECK(contact.residual < 1e-3f);
        CHECK_FALSE(contact.asleep);
        sum += contact.force(frame.dt) * kDt;
    }
    CHECK(sum.y == doctest::Approx(weight).epsilon(1e-3));
    CHECK(std::abs(sum.x) < 1e-3f * weight);
    CHECK(std::abs(sum.z) < 1e-3f * weight);
}

TEST_CASE("residuals of contacts are those that the step reports of its end, whoever solved it") {
    for (const bool simd : {false, true}) {
        CAPTURE(simd);
        TestWorld w;
        StepSettings s = w.settings();
        s.sleeping = false;
        s.simd_kernels = simd;
        w.set(s);
        w.floor();
        for (int i = 0; i < 12; ++i)
            w.body(TestWorld::box({0.5f, 0.2f, 0.3f}),
                   {.position = {0.1f * float(i % 3), 0.25f + 0.42f * float(i), 0.0f},
                    .velocity = {{1.0f, 0.0f, 0.3f}, {}}});
        for (int i = 0; i < 20; ++i) w.step();
        DebugFrame frame;
        collect_debug(w.world, kDebugResiduals, frame);
        REQUIRE(frame.contacts.size() == w.world.report().contacts);
        double sum = 0.0;
        for (const DebugContact& contact : frame.contacts) sum += double(contact.residual);
        CHECK(w.world.report().end_residual_max > 0.0);
        CHECK(double(worst_residual(frame)) == doctest::Approx(w.world.report().end_residual_max).epsilon(0.02));
        CHECK(sum / double(frame.contacts.size()) == doctest::Approx(w.world.report().end_residual_mean).epsilon(0.02));
    }
}

TEST_CASE("a sliding box has its friction force on the edge of the friction set") {
    TestWorld w;
    w.floor(0.3f);
    w.body(TestWorld::box({0.5f, 0.5f, 0.5f}),
           {.position = {0.0f, 0.5f, 0.0f}, .velocity = {{4.0f, 0.0f, 0.0f}, {}}, .friction = 0.3f});
    for (int i = 0; i < 20; ++i) w.step();
    DebugFrame frame;
    collect_debug(w.world, kDebugResiduals, frame);
    float tangent = 0.0f, reach = 0.0f;
    for (const DebugContact& contact : frame.contacts) {
        CHECK(contact.tangent_impulse() <= contact.friction_reach.x * 1.001f + 1e-4f);
        CHECK(contact.slip > 1.0f);
        tangent += contact.tangent_impulse();
        reach += contact.friction_reach.x;
    }
    REQUIRE(reach > 0.0f);
    CHECK(tangent / reach == doctest::Approx(1.0f).epsilon(0.02));
}

TEST_CASE("a surface with a grain has an ellipse as its friction set") {
    TestWorld w;
    w.floor(0.6f);
    const Entity body = w.world.create_body({.pose = {{0.0f, 0.5f, 0.0f}, Quat(1.0f, 0.0f, 0.0f, 0.0f)}}).value();
    Collider collider;
    collider.shape = w.shape(TestWorld::box({0.5f, 0.5f, 0.5f}));
    collider.material.friction = 0.6f;
    collider.material.friction_direction = {1.0f, 0.0f, 0.0f};
    collider.material.friction_across = 0.2f;
    REQUIRE(w.world.add_collider(body, collider).ok());
    for (int i = 0; i < 20; ++i) w.step();
    DebugFrame frame;
    collect_debug(w.world, kDebugResiduals, frame);
    REQUIRE(frame.contacts.size() == 4);
    for (const DebugContact& contact : frame.contacts) {
        CHECK(contact.friction_reach.y < 0.9f * contact.friction_reach.x);
        CHECK(contact.residual < 1e-2f);
    }
}

TEST_CASE("collecting does not change the world or its future") {
    const auto run = [](bool watched) {
        TestWorld w;
        w.floor();
        for (int i = 0; i < 8; ++i)
            w.body(TestWorld::box({0.4f, 0.2f, 0.4f}),
                   {.position = {0.15f * float(i % 2), 0.3f + 0.45f * float(i), 0.0f}});
        DebugFrame frame;
        for (int i = 0; i < 90; ++i) {
            w.step();
            if (!watched) continue;
            const uint64_t before = w.world.state_hash();
            collect_debug(w.world, kDebugAll, frame);
            REQUIRE(w.world.state_hash() == before);
        }
        engine::Snapshot snapshot;
        w.world.save(snapshot);
        return std::pair(w.world.state_hash(), snapshot);
    };
    const auto plain = run(false), watched = run(true);
    CHECK(plain.first == watched.first);
    CHECK(plain.second.bytes == watched.second.bytes);
}

TEST_CASE("only what the flags ask for is collected") {
    BoxOnFloor w;
    DebugFrame frame;
    collect_debug(w.world, 0, frame);
    CHECK(frame.contacts.empty());
    CHECK(frame.bodies.empty());
    CHECK(frame.islands.empty());
    CHECK(frame.boxes.empty());
    CHECK(frame.step == w.world.report().step);
    collect_debug(w.world, kDebugContacts, frame);
    REQUIRE(frame.contacts.size() == 4);
    CHECK(frame.contacts[0].residual == -1.0f);
    CHECK(frame.bodies.empty());
    collect_debug(w.world, kDebugBoxes, frame);
    CHECK(frame.contacts.empty());
    CHECK(frame.boxes.size() == 2);
}

TEST_CASE("bodies, islands and boxes are those of the step") {
    TestWorld w;
    const Entity ground = w.floor();
    std::vector<Entity> bodies;
    for (int i = 0; i < 3; ++i)
        bodies.push_back(w.body(TestWorld::sphere(0.5f), {.position = {3.0f * float(i), 0.5f, 0.0f}}));
    w.step();
    DebugFrame frame;
    collect_debug(w.world, kDebugBodies | kDebugIslands | kDebugBoxes, frame);
    REQUIRE(frame.bodies.size() == 4);
    CHECK(frame.bodies[0].entity == ground);
    CHECK(frame.bodies[0].island == kNoDebugIsland);
    CHECK(frame.bodies[0].solver == DebugSolver::none);
    std::set<uint32_t> islands;
    for (size_t i = 1; i < 4; ++i) {
        REQUIRE(frame.bodies[i].island < frame.islands.size());
        islands.insert(frame.bodies[i].island);
        CHECK(frame.bodies[i].solver != DebugSolver::none);
        CHECK(frame.bodies[i].center.y == doctest::Approx(0.5f).epsilon(0.01));
        const DebugIsland& island = frame.islands[frame.bodies[i].island];
        CHECK(island.bodies == 1);
        CHECK(island.constraints == 1);
        CHECK_FALSE(island.solver.empty());
        CHECK(island.bounds.lower.x == doctest::Approx(frame.bodies[i].center.x));
    }
    CHECK(islands.size() == 3);
    CHECK(frame.boxes.size() == 4);
    for (const DebugBox& box : frame.boxes)
        if (box.body != ground) {
            const Vec3 center = w.pose(box.body).position;
            CHECK(box.awake);
            CHECK(box.box.lower.x <= center.x - 0.5f);
            CHECK(box.box.upper.x >= center.x + 0.5f);
        }
}

TEST_CASE("a world that sleeps, was restored, or lost a body is collected without surprises") {
    TestWorld w;
    w.floor();
    const Entity low = w.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    const Entity high = w.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 1.5f, 0.0f}});
    w.step();
    engine::Snapshot snapshot;
    w.world.save(snapshot);
    DebugFrame frame;

    w.world.destroy_body(high);
    collect_debug(w.world, kDebugAll, frame);
    CHECK(frame.bodies.size() == 2);
    CHECK(frame.boxes.size() == 2);
    for (const DebugContact& contact : frame.contacts) CHECK((contact.body_a != high && contact.body_b != high));

    REQUIRE(w.world.restore(snapshot).ok());
    collect_debug(w.world, kDebugAll, frame);
    CHECK(frame.bodies.size() == 3);
    CHECK(frame.islands.empty());
    CHECK(frame.contacts.size() == 8);
    for (const DebugContact& contact : frame.contacts) CHECK(contact.residual < 0.0f);

    w.run(10.0f);
    collect_debug(w.world, kDebugAll, frame);
    REQUIRE(w.world.registry().get<SleepState>(low).asleep == 1);
    CHECK(frame.contacts.size() == 8);
    for (const DebugContact& contact : frame.contacts) {
        CHECK(contact.asleep);
        CHECK(contact.residual < 0.0f);
    }
    for (const DebugBody& body : frame.bodies) {
        CHECK(body.solver == DebugSolver::none);
        CHECK(body.asleep == (body.type == BodyType::dynamic));
    }
}

TEST_CASE("joints are collected where they hold their bodies, with the force of the step") {
    TestWorld w;
    const Entity top = w.world.create_body({.type = BodyType::fixed, .pose = {.position = {1.0f, 4.0f, 0.0f}}}).value();
    const Entity bob = w.body(TestWorld::sphere(0.1f), {.position = {1.0f, 3.0f, 0.0f}});
    BallJoint joint{.body_a = top, .body_b = bob, .anchor_b = {0.0f, 1.0f, 0.0f}};
    const Entity made = w.world.create_joint(joint).value();
    DebugFrame frame;
    collect_debug(w.world, kDebugJoints, frame);
    REQUIRE(frame.joints.size() == 1);  // also before the first step
    CHECK(frame.joints[0].anchor_b == Vec3(1.0f, 4.0f, 0.0f));
    w.run(0.5f);
    collect_debug(w.world, kDebugJoints, frame);
    REQUIRE(frame.joints.size() == 1);
    const DebugJoint& seen = frame.joints[0];
    CHECK(seen.joint == made);
    CHECK(seen.type == "ball");
    CHECK(glm::distance(seen.anchor_a, Vec3(1.0f, 4.0f, 0.0f)) < 1e-6f);
    CHECK(seen.impulse.y == doctest::Approx(w.mass(bob).mass * 9.81f / 60.0f).epsilon(1e-3));
    collect_debug(w.world, kDebugContacts, frame);
    CHECK(frame.joints.empty());
}

TEST_CASE("layers are found by name and keep their place") {
    DebugFrame frame;
    DebugLayer& joints = frame.layer("joints");
    joints.lines.push_back({{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}});
    frame.layer("cloth").points.push_back({{0.0f, 1.0f, 0.0f}});
    CHECK(&frame.layer("joints") == &joints);
    CHECK(frame.layers.size() == 2);
    frame.clear();
    CHECK(frame.layers.size() == 2);
    CHECK(joints.lines.empty());
}
