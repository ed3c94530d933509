// SPDX-License-Identifier: MIT
// Making bodies: one call makes a body with its colliders, or nothing and a sentence.
#include <limits>
#include <string>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();

bool says(const std::string& error, const char* words) { return error.find(words) != std::string::npos; }

/// What a world has of everything, to see that nothing came.
struct Census {
    size_t bodies, colliders, ids, poses;
    bool operator==(const Census&) const = default;
};
Census count(PhysicsWorld& world) {
    entt::registry& r = world.registry();
    return {world.bodies().size(), r.view<Collider>().size(), r.view<StableId>().size(), r.view<Pose>().size()};
}

}  // namespace

TEST_CASE("one call makes a body with all its colliders, in their order") {
    TestWorld t;
    const ShapeId box = t.shape(TestWorld::box(Vec3(0.5f))), ball = t.shape(TestWorld::sphere(0.2f));
    const Entity body = t.world
                            .create_body({.type = BodyType::dynamic,
                                          .pose = {.position = {1.0f, 2.0f, 3.0f}},
                                          .velocity = {.linear = {4.0f, 0.0f, 0.0f}},
                                          .gravity_scale = 0.5f,
                                          .linear_damping = 0.1f,
                                          .angular_damping = 0.2f,
                                          .allow_sleep = false,
                                          .colliders = {{.shape = box, .density = 500.0f},
                                                        {.shape = ball, .local = {.position = {0.0f, 1.0f, 0.0f}}}}})
                            .value();
    const std::vector<Entity> colliders = t.world.colliders(body);
    REQUIRE(colliders.size() == 2);
    const Collider& first = t.world.registry().get<Collider>(colliders[0]);
    CHECK(first.body == body);
    CHECK(first.shape == box);
    CHECK(first.density == 500.0f);
    CHECK(t.world.registry().get<Collider>(colliders[1]).shape == ball);
    const RigidBody& settings = t.world.registry().get<RigidBody>(body);
    CHECK(settings.type == BodyType::dynamic);
    CHECK(settings.gravity_scale == 0.5f);
    CHECK(settings.linear_damping == 0.1f);
    CHECK(settings.angular_damping == 0.2f);
    CHECK(settings.allow_sleep == 0);
    CHECK(t.world.pose(body).position == Vec3(1.0f, 2.0f, 3.0f));
    CHECK(t.world.velocity(body).linear == Vec3(4.0f, 0.0f, 0.0f));
}

TEST_CASE("a body has its mass from its colliders before its first step, and the step finds the same") {
    TestWorld t;
    const ShapeId box = t.shape(TestWorld::box({0.5f, 0.25f, 1.0f}));
    for (const float total : {0.0f, 7.0f}) {
        const Entity body = t.world
                                .create_body({.mass = total,
                                              .colliders = {{.shape = box, .local = {.position = {0.3f, 0.0f, 0.0f}}},
                                                            {.shape = box, .density = 200.0f}}})
                                .value();
        const auto check_same = [&] {
            const Mass before = t.world.mass(body), stored = t.mass(body);
            CHECK(stored.mass == before.mass);
            t.step();
            const Mass& after = t.mass(body);
            CHECK(before.mass == after.mass);
            CHECK(before.center == after.center);
            CHECK(std::memcmp(&before.inertia, &after.inertia, sizeof(Sym3)) == 0);
        };
        check_same();
        CHECK(t.mass(body).mass == doctest::Approx(total > 0.0f ? total : 1200.0f));
        const Entity more =
            t.world.add_collider(body, {.shape = box, .local = {.position = {0.0f, 2.0f, 0.0f}}}).value();
        check_same();
        REQUIRE(t.world.remove_collider(more).ok());
        check_same();
        CHECK(t.mass(body).mass == doctest::Approx(total > 0.0f ? total : 1200.0f));
    }
}

TEST_CASE("a body whose parts make no sense is refused whole, with the field and the collider's index") {
    TestWorld t;
    const ShapeId box = t.shape(TestWorld::box(Vec3(0.5f))), plane = t.shape(TestWorld::half_space());
    t.floor();
    t.step();
    const auto refused = [&](const BodyDesc& desc, const char* words) {
        const Census before = count(t.world);
        const Result<Entity> made = t.world.create_body(desc);
        CAPTURE(words);
        CHECK_FALSE(made.ok());
        CHECK_MESSAGE(says(made.error(), words), made.error());
        CHECK(count(t.world) == before);
    };
    refused({.type = BodyType(9)}, "type");
    refused({.pose = {.position = {kNan, 0.0f, 0.0f}}}, "position of a body");
    refused({.pose = {.rotation = {0.5f, 0.0f, 0.0f, 0.0f}}}, "rotation of a body");
    refused({.velocity = {.linear = {0.0f, kNan, 0.0f}}}, "velocity");
    refused({.mass = -1.0f}, "mass");
    refused({.gravity_scale = kNan}, "gravity scale");
    refused({.linear_damping = -1.0f}, "linear damping");
    refused({.angular_damping = kNan}, "angular damping");
    refused({.colliders = {{.shape = box}, {.shape = kNoShape}}}, "colliders[1]: The shape");
    refused({.colliders = {{.shape = box, .local = {.position = {kNan, 0.0f, 0.0f}}}}},
            "colliders[0]: The position of a collider");
    refused({.colliders = {{.shape = box}, {.shape = box}, {.shape = box, .material = {.friction = -1.0f}}}},
            "colliders[2]: Friction");
    refused({.colliders = {{.shape = box, .material = {.restitution = 2.0f}}}}, "colliders[0]: Restitution");
    refused({.colliders = {{.shape = box}, {.shape = box, .density = 0.0f}}}, "colliders[1]: The density");
    refused({.colliders = {{.shape = box}, {.shape = plane}}}, "colliders[1]: A half-space");
    // Each collider is sensible, the sum is not.
    refused({.colliders = {{.shape = box, .density = 7e23f}, {.shape = box, .density = 7e23f}}}, "1e24 kg");
    refused({.colliders = {{.shape = box, .local = {.position = {1e15f, 0.0f, 0.0f}}}}},
            "colliders[0]: The position of a collider must lie within");
    t.step();
    CHECK(t.world.report().warnings.empty());
}

TEST_CASE("a collider that is removed is gone from its body, and what rested on it falls") {
    TestWorld t;
    t.floor();
    const Entity shelf = t.world.create_body({.type = BodyType::fixed}).value();
    const Entity board = t.world
                             .add_collider(shelf, {.shape = t.shape(TestWorld::box({1.0f, 0.1f, 1.0f})),
                                                   .local = {.position = {0.0f, 1.0f, 0.0f}}})
                             .value();
    const Entity ball = t.body(TestWorld::box(Vec3(0.2f)), {.position = {0.0f, 1.3f, 0.0f}});
    t.run(3.0f);
    REQUIRE(t.world.is_asleep(ball));
    REQUIRE(t.world.remove_collider(board).ok());
    CHECK(t.world.colliders(shelf).empty());
    CHECK_FALSE(t.world.registry().valid(board));
    t.run(2.0f);
    CHECK(t.world.pose(ball).position.y == doctest::Approx(0.2f).epsilon(0.01));
    CHECK_FALSE(t.world.remove_collider(board).ok());
    CHECK_FALSE(t.world.remove_collider(ball).ok());
    CHECK_FALSE(t.world.remove_collider(kNoEntity).ok());
}

TEST_CASE("what has no colliders lists none, and a world lists those of each body alone") {
    TestWorld t;
    const Entity empty = t.world.create_body({}).value();
    const Entity box = t.body(TestWorld::box(Vec3(0.5f)), {});
    CHECK(t.world.colliders(empty).empty());
    CHECK(t.world.colliders(kNoEntity).empty());
    REQUIRE(t.world.colliders(box).size() == 1);
    CHECK(t.world.colliders(t.world.colliders(box)[0]).empty());  // a collider is no body
}

TEST_CASE("contacts of what was destroyed since the last step are not listed") {
    const auto make = [](TestWorld& t, Entity& lower, Entity& upper) {
        t.floor();
        lower = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}});
        upper = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 1.5f, 0.0f}});
        t.run(0.1f);
        REQUIRE(t.world.contacts().size() == 2);
        REQUIRE(t.world.contacts(lower).size() == 2);
    };
    Entity lower{}, upper{};
    SUBCASE("a body") {
        TestWorld t;
        make(t, lower, upper);
        t.world.destroy_body(upper);
        CHECK(t.world.contacts(upper).empty());
        REQUIRE(t.world.contacts().size() == 1);
        CHECK(t.world.contacts(lower).size() == 1);
        CHECK(t.world.contacts()[0].body_a != upper);
        CHECK(t.world.contacts()[0].body_b != upper);
        t.world.destroy_body(lower);
        CHECK(t.world.contacts().empty());
    }
    SUBCASE("a collider") {
        TestWorld t;
        make(t, lower, upper);
        REQUIRE(t.world.remove_collider(t.world.colliders(lower)[0]).ok());
        CHECK(t.world.contacts().empty());
        CHECK(t.world.contacts(upper).empty());
    }
    SUBCASE("an entity, by the registry") {
        TestWorld t;
        make(t, lower, upper);
        t.world.registry().destroy(lower);
        CHECK(t.world.contacts().empty());
        t.world.registry().remove<RigidBody>(upper);
        CHECK(t.world.contacts().empty());
    }
    SUBCASE("after a restore") {
        TestWorld t;
        make(t, lower, upper);
        t.world.destroy_body(upper);
        engine::Snapshot now;
        t.world.save(now);
        REQUIRE(t.world.restore(now).ok());
        CHECK(t.world.contacts(upper).empty());
        CHECK(t.world.contacts().size() == 1);
    }
}
