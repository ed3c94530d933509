// SPDX-License-Identifier: MIT
// Bodies whose colliders do not lie about their origin: what flies, spins, pushes and rests is the centre of mass.
#include <cmath>
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

const Vec3 kOffset(0.7f, -0.4f, 0.25f);
const Vec3 kHalf(0.3f, 0.2f, 0.5f);

Entity add_offset_box(TestWorld& t, const Pose& pose, const Velocity& velocity, BodyType type = BodyType::dynamic,
                      const Vec3& offset = kOffset, const Vec3& half = kHalf) {
    const Entity body = t.world.create_body({.type = type, .pose = pose, .velocity = velocity}).value();
    Collider c;
    c.shape = t.shape(TestWorld::box(half));
    c.local.position = offset;
    REQUIRE(t.world.add_collider(body, c).ok());
    return body;
}

/// The same box with its collider at the origin, where the other's collider is.
Entity add_centred_box(TestWorld& t, const Pose& pose, const Velocity& velocity, const Vec3& offset = kOffset,
                       const Vec3& half = kHalf) {
    const Entity body =
        t.world.create_body({.pose = {pose.position + pose.rotation * offset, pose.rotation}, .velocity = velocity})
            .value();
    REQUIRE(t.world.add_collider(body, {.shape = t.shape(TestWorld::box(half))}).ok());
    return body;
}

Vec3 centre(TestWorld& t, Entity body) { return t.pose(body).position + t.pose(body).rotation * t.mass(body).center; }

TestWorld& prepare(TestWorld& t, const Vec3& gravity) {
    StepSettings s = t.settings();
    s.gravity = gravity;
    s.sleeping = false;
    t.set(s);
    return t;
}

}  // namespace

TEST_CASE("mass, centre and inertia of an offset collider are about its own centre") {
    TestWorld t;
    const Entity body = add_offset_box(t, {}, {});
    t.step();
    const Mass& m = t.mass(body);
    const float mass = 1000.0f * 8.0f * kHalf.x * kHalf.y * kHalf.z;
    CHECK(m.mass == doctest::Approx(mass).epsilon(1e-6));
    CHECK(glm::length(m.center - kOffset) < 1e-6f);
    CHECK(m.inertia.xx == doctest::Approx(mass / 3.0f * (kHalf.y * kHalf.y + kHalf.z * kHalf.z)).epsilon(1e-5));
    CHECK(m.inertia.yy == doctest::Approx(mass / 3.0f * (kHalf.x * kHalf.x + kHalf.z * kHalf.z)).epsilon(1e-5));
    CHECK(m.inertia.zz == doctest::Approx(mass / 3.0f * (kHalf.x * kHalf.x + kHalf.y * kHalf.y)).epsilon(1e-5));
    for (const float product : {m.inertia.xy, m.inertia.xz, m.inertia.yz}) CHECK(std::abs(product) < 1e-5f * mass);
}

TEST_CASE("the centre of mass of an offset body flies along a parabola however it spins") {
    TestWorld t;
    prepare(t, {0.0f, -kG, 0.0f});
    const Pose start{{1.0f, 2.0f, 3.0f}, turn({1.0f, 2.0f, 0.5f}, 50.0f)};
    const Velocity velocity{.linear = {2.0f, 5.0f, -1.0f}, .angular = {3.0f, -2.0f, 1.0f}};
    const Entity body = add_offset_box(t, start, velocity);
    const Vec3 from = start.position + start.rotation * kOffset;
    const Vec3 spin = [&] {
        t.step();
        return t.spin_momentum(body);
    }();
    for (int i = 1; i <= 60; ++i) {
        const float time = float(i) * kDt;
        const Vec3 want = from + velocity.linear * time + Vec3(0.0f, -0.5f * kG * time * time, 0.0f);
        REQUIRE(glm::length(centre(t, body) - want) < 2e-5f);  // rounding of 60 x 16 additions near 5 m
        REQUIRE(glm::length(t.velocity(body).linear - velocity.linear - Vec3(0.0f, -kG * time, 0.0f)) < 1e-4f);
        t.step();
    }
    // No torque: the angular momentum stays; its integration is of first order, 1 % in a second of 3.7 rad/s.
    CHECK(glm::length(t.spin_momentum(body) - spin) < 0.01f * glm::length(spin));
    // The origin of the body goes round the centre of mass at its distance.
    CHECK(glm::length(t.pose(body).position - centre(t, body)) == doctest::Approx(glm::length(kOffset)).epsilon(1e-5));
}

TEST_CASE("an offset body and a centred one that lie in the same place have the same future") {
    // The frame of a body is a name, not a fact. Flat boxes that fall, land, slide and turn, one onto the
    // other: a smooth scene, in which rounding stays rounding.
    TestWorld offset, centred;
    for (TestWorld* t : {&offset, &centred}) {
        prepare(*t, {0.0f, -kG, 0.0f});
        t->floor();
        for (int i = 0; i < 2; ++i) {
            const Pose pose{{0.05f * float(i), 0.63f + 0.45f * float(i), 0.0f},
                            turn({0.0f, 1.0f, 0.0f}, 20.0f * float(i))};
            const Velocity velocity{.linear = {1.0f - 0.4f * float(i), 0.0f, 0.3f}, .angular = {0.0f, 1.0f, 0.0f}};
            if (t == &offset)
                add_offset_box(*t, pose, velocity);
            else
                add_centred_box(*t, pose, velocity);
        }
    }
    float max_difference = 0.0f;
    uint32_t contacts = 0;
    for (int i = 0; i < 60; ++i) {
        offset.step();
        centred.step();
        contacts += offset.world.report().contacts;
        for (size_t k = 1; k < 3; ++k) {
            const Entity a = offset.world.bodies()[k], b = centred.world.bodies()[k];
            max_difference = std::max(max_difference, glm::length(centre(offset, a) - centre(centred, b)));
        }
    }
    CHECK(contacts > 200);
    // Rounding decides whether a corner that lands is open or closed for one sub-step, 2 ms; at 20 mm/s that
    // is 40 um.
    CHECK(max_difference < 1e-4f);
}

TEST_CASE("an offset body rests where its collider meets the floor, and the floor carries its weight") {
    TestWorld t;
    prepare(t, {0.0f, -kG, 0.0f});
    const Entity floor = t.floor();
    const Entity body = add_offset_box(t, {{0.0f, kHalf.y - kOffset.y + 0.001f, 0.0f}, Quat(1, 0, 0, 0)}, {});
    t.run(3.0f);
    CHECK(std::abs(t.pose(body).position.y - (kHalf.y - kOffset.y)) < 0.001f);  // sag of a soft contact
    CHECK(std::abs(t.pose(body).rotation.w) > 1.0f - 1e-5f);                    // it does not tip over
    float impulse = 0.0f;
    for (const ContactView& pair : t.world.contacts()) {
        const Manifold& m = *pair.manifold;
        CHECK(pair.body_a == floor);
        for (uint32_t i = 0; i < m.count; ++i) {
            impulse += m.points[i].impulse.x;
            // Arms are about the centre of mass: corners of the lower face.
            const Vec3 arm = m.points[i].anchor_b;
            CHECK(std::abs(std::abs(arm.x) - kHalf.x) < 0.002f);
            CHECK(std::abs(arm.y + kHalf.y) < 0.002f);
            CHECK(std::abs(std::abs(arm.z) - kHalf.z) < 0.002f);
        }
    }
    CHECK(impulse == doctest::Approx(t.mass(body).mass * kG * kDt).epsilon(1e-3));
}

TEST_CASE("a force acts at the centre of mass and a torque about it") {
    TestWorld t;
    prepare(t, Vec3(0.0f));
    const Entity body = add_offset_box(t, {}, {});
    t.step();
    t.world.registry().get<Force>(body).linear = {0.0f, 600.0f, 0.0f};
    t.step();
    CHECK(glm::length(t.velocity(body).angular) < 1e-6f);
    CHECK(t.velocity(body).linear.y == doctest::Approx(600.0f * kDt / t.mass(body).mass).epsilon(1e-5));
    const Vec3 at = centre(t, body);
    t.velocity(body) = {};
    t.world.registry().get<Force>(body).angular = {0.0f, 0.0f, 50.0f};
    t.step();
    CHECK(t.velocity(body).angular.z == doctest::Approx(50.0f * kDt / t.mass(body).inertia.zz).epsilon(1e-4));
    CHECK(glm::length(t.velocity(body).linear) < 1e-6f);
    t.run(0.5f);
    CHECK(glm::length(centre(t, body) - at) < 1e-4f);
}

TEST_CASE("a force or an impulse at a point turns a body by its lever about the centre of mass, not about the origin") {
    for (const bool impulse : {false, true}) {
        CAPTURE(impulse);
        TestWorld t;
        prepare(t, Vec3(0.0f));
        const Entity body = add_offset_box(t, {.position = {2.0f, 1.0f, -3.0f}}, {});
        t.step();
        const auto push = [&](const Vec3& point) {
            t.velocity(body) = {};
            const Vec3 p(0.0f, 10.0f, 0.0f);  // N s
            REQUIRE((impulse ? t.world.apply_impulse_at(body, p, point)
                             : t.world.apply_force_at(body, p * (1.0f / kDt), point))
                        .ok());
            t.step();
            return t.velocity(body);
        };
        const Velocity straight = push(centre(t, body));
        CHECK(straight.linear.y == doctest::Approx(10.0f / t.mass(body).mass).epsilon(1e-5));
        CHECK(glm::length(straight.angular) < 1e-6f);
        // 0.2 m beside it: L = 0.2 m x 10 N s about z, an axis of inertia.
        const Velocity turning = push(centre(t, body) + Vec3(0.2f, 0.0f, 0.0f));
        CHECK(turning.angular.z == doctest::Approx(2.0f / t.mass(body).inertia.zz).epsilon(1e-4));
        CHECK(turning.linear.y == doctest::Approx(10.0f / t.mass(body).mass).epsilon(1e-5));
    }
}

TEST_CASE("a kinematic body with an offset collider turns about its origin") {
    TestWorld t;
    prepare(t, Vec3(0.0f));
    const Entity body =
        add_offset_box(t, {{1.0f, 2.0f, 3.0f}, Quat(1, 0, 0, 0)}, {.angular = {0.0f, 1.0f, 0.0f}}, BodyType::kinematic);
    t.run(1.0f);
    CHECK(glm::length(t.pose(body).position - Vec3(1.0f, 2.0f, 3.0f)) < 1e-6f);
    const Vec3 expected_axis = glm::angleAxis(1.0f, Vec3(0.0f, 1.0f, 0.0f)) * Vec3(1.0f, 0.0f, 0.0f);
    CHECK(glm::length(t.pose(body).rotation * Vec3(1.0f, 0.0f, 0.0f) - expected_axis) < 1e-3f);
}

TEST_CASE("a body hit off its centre of mass turns the way the lever says") {
    // A rod whose origin lies at one end. A ball meets it 0.4 m above its centre: momentum and angular
    // momentum about the origin of the world stay what they were, whatever the restitution.
    TestWorld t;
    prepare(t, Vec3(0.0f));
    const Entity rod = add_offset_box(t, {}, {}, BodyType::dynamic, {0.0f, 1.0f, 0.0f}, {0.1f, 1.0f, 0.1f});
    const Entity ball =
        t.body(TestWorld::sphere(0.2f),
               {.position = {-1.0f, 1.4f, 0.0f}, .velocity = {.linear = {3.0f, 0.0f, 0.0f}}, .friction = 0.0f});
    t.step();
    const auto angular = [&] {
        Vec3 sum(0.0f);
        for (const Entity e : {rod, ball})
            sum += glm::cross(centre(t, e), t.mass(e).mass * t.velocity(e).linear) + t.spin_momentum(e);
        return sum;
    };
    const auto linear = [&] {
        return t.mass(rod).mass * t.velocity(rod).linear + t.mass(ball).mass * t.velocity(ball).linear;
    };
    const Vec3 p = linear(), l = angular();
    t.run(0.4f);
    CHECK(t.velocity(rod).linear.x > 0.1f);
    CHECK(t.velocity(rod).angular.z < -0.1f);
    CHECK(glm::length(linear() - p) < 1e-5f * glm::length(p));
    // The lever of the impulse is that of the start of a step: 3 m/s in a sub-step are 6 mm of 1.4 m.
    CHECK(glm::length(angular() - l) < 5e-3f * glm::length(l));
}
