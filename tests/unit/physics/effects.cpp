// SPDX-License-Identifier: MIT
// Blasts, attraction, wind and water against what textbooks say of them.
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();

Vec3 any_direction(Random& random) {
    for (;;) {
        const Vec3 v{random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f)};
        const float length = glm::length(v);
        if (length > 0.1f && length < 1.0f) return v / length;
    }
}
Quat any_rotation(Random& random) { return turn(any_direction(random), random.between(0.0f, 360.0f)); }

ShapeDesc some_shape(int k) {
    if (k % 4 == 0) return TestWorld::box({0.4f, 0.2f, 0.7f});
    if (k % 4 == 1) return TestWorld::sphere(0.6f);
    if (k % 4 == 2) return TestWorld::capsule(0.3f, 0.5f);
    ShapeDesc hull;
    hull.type = ShapeType::hull;
    hull.points = {
        {0.5f, 0.0f, 0.0f}, {-0.4f, 0.1f, 0.0f}, {0.0f, 0.6f, 0.1f}, {0.1f, -0.2f, 0.5f}, {0.0f, 0.1f, -0.5f}};
    return hull;
}

/// Whether a point is inside a shape at the origin.
bool is_inside(const ShapeDesc& desc, const Shape& shape, const Vec3& p) {
    if (desc.type == ShapeType::sphere) return glm::length(p) <= desc.radius;
    if (desc.type == ShapeType::capsule)
        return glm::length(p - Vec3(0.0f, std::clamp(p.y, -desc.half_height, desc.half_height), 0.0f)) <= desc.radius;
    for (const Polytope::Face& face : shape.polytope.faces)
        if (glm::dot(face.normal, p) > face.offset) return false;
    return true;
}

}  // namespace

TEST_CASE("an explosion gives each body in reach the impulse of its distance, along the line to its centre") {
    Random random;
    for (const Falloff falloff : {Falloff::none, Falloff::linear, Falloff::quadratic}) {
        TestWorld t;
        std::vector<Entity> bodies;
        std::vector<float> masses;
        for (int i = 0; i < 40; ++i) {
            masses.push_back(random.between(0.1f, 50.0f));
            bodies.push_back(
                t.body(TestWorld::sphere(0.2f),
                       {.position = 8.0f * any_direction(random) * random.between(0.1f, 1.0f), .mass = masses.back()}));
        }
        const RadialPush push{.center = {0.5f, -0.3f, 0.2f}, .radius = 5.0f, .strength = 30.0f, .falloff = falloff};
        const auto pushed = explode(t.world, push);
        REQUIRE(pushed.ok());
        uint32_t in_reach = 0;
        for (size_t k = 0; k < bodies.size(); ++k) {
            const Vec3 arm = t.pose(bodies[k]).position - push.center;
            const float x = glm::length(arm) / push.radius;
            float part = x >= 1.0f ? 0.0f : 1.0f;
            if (falloff == Falloff::linear) part *= 1.0f - x;
            if (falloff == Falloff::quadratic) part *= (1.0f - x) * (1.0f - x);
            in_reach += x < 1.0f;
            const Vec3 expected = part * push.strength / masses[k] * glm::normalize(arm);
            CHECK(glm::length(t.velocity(bodies[k]).linear - expected) < 1e-5f * (1.0f + glm::length(expected)));
        }
        CHECK(pushed.value() == in_reach);
        CHECK(in_reach > 5);
        CHECK(in_reach < 40);
    }
}

TEST_CASE("a radial force pulls for one step with what it says, and only those on its layers") {
    TestWorld t;
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f);
    t.set(s);
    const Entity near = t.body(TestWorld::sphere(0.2f), {.position = {2.0f, 0.0f, 0.0f}, .mass = 4.0f});
    const Entity other = t.body(TestWorld::sphere(0.2f), {.position = {0.0f, 2.0f, 0.0f}, .mass = 4.0f});
    const Entity fixed = t.body(TestWorld::sphere(0.2f), {.type = BodyType::fixed, .position = {0.0f, 0.0f, 2.0f}});
    REQUIRE(t.world.set_filter(other, 2, 0xFFFFFFFFu).ok());
    const RadialPush pull{.radius = 8.0f, .strength = -40.0f, .mask = 1};
    REQUIRE(apply_radial_force(t.world, pull).value() == 1);
    t.step();
    t.step();
    CHECK(t.velocity(near).linear.x == doctest::Approx(-40.0f * 0.75f / 4.0f * kDt));
    CHECK(t.velocity(other).linear == Vec3(0.0f));
    CHECK(t.world.report().warnings.empty());
    CHECK(t.pose(fixed).position.z == 2.0f);
    CHECK_FALSE(explode(t.world, {.radius = -1.0f}).ok());
    CHECK_FALSE(explode(t.world, {.center = {kNan, 0.0f, 0.0f}}).ok());
    CHECK_FALSE(explode(t.world, {.strength = kNan}).ok());
    CHECK_FALSE(explode(t.world, {.falloff = Falloff(9)}).ok());
}

TEST_CASE("what of a shape is below a plane agrees with counting points, and all of it with its volume and centre") {
    Random random;
    ShapeLibrary shapes;
    for (int k = 0; k < 24; ++k) {
        CAPTURE(k);
        const ShapeDesc desc = some_shape(k);
        const Shape& shape = shapes.get(shapes.add(desc).value());
        const Quat rotation = k < 8 ? Quat(1.0f, 0.0f, 0.0f, 0.0f) : any_rotation(random);
        const Transform pose{{random.between(-3.0f, 3.0f), random.between(-3.0f, 3.0f), 1.0f}, rotation};
        const Vec3 up = k < 4 ? Vec3(0.0f, 1.0f, 0.0f) : any_direction(random);
        const Vec3 point = pose.position + random.between(-0.4f, 0.4f) * up;
        const Submerged part = submerged_part(shape, pose, point, up);
        constexpr int kPoints = 200000;
        const float half = shape.bounding_radius;
        double count = 0.0;
        Vec3 sum(0.0f);
        for (int i = 0; i < kPoints; ++i) {
            const Vec3 p{random.between(-half, half), random.between(-half, half), random.between(-half, half)};
            if (!is_inside(desc, shape, p)) continue;
            const Vec3 at = to_world(pose, p);
            if (glm::dot(at - point, up) > 0.0f) continue;
            count += 1.0;
            sum += at - pose.position;
        }
        const double box = std::pow(2.0 * half, 3.0), volume = box * count / kPoints;
        // Four standard deviations of the count.
        const double noise = 4.0 * box * std::sqrt(std::max(count, 1.0)) / kPoints;
        CHECK(std::abs(double(part.volume) - volume) < noise + 1e-4);
        if (count > 1000.0)
            CHECK(glm::length(part.center - pose.position - sum / float(count)) <
                  4.0f * half / float(std::sqrt(count)) + 1e-3f);

        const Submerged all = submerged_part(shape, pose, pose.position + 10.0f * up, up);
        CHECK(all.volume == doctest::Approx(shape.mass.volume).epsilon(1e-4));
        CHECK(glm::length(all.center - to_world(pose, shape.mass.center)) < 1e-3f);
        CHECK(submerged_part(shape, pose, pose.position - 10.0f * up, up).volume == 0.0f);
        // What is above and what is below are the whole.
        const Submerged rest = submerged_part(shape, pose, point, -up);
        CHECK(part.volume + rest.volume == doctest::Approx(shape.mass.volume).epsilon(2e-4));
    }
}

TEST_CASE("the area that a shape shows is that of its shadow") {
    Random random;
    ShapeLibrary shapes;
    const Shape& box = shapes.get(shapes.add(TestWorld::box({0.5f, 1.0f, 1.5f})).value());
    CHECK(shown_area(box, {}, {1.0f, 0.0f, 0.0f}) == doctest::Approx(6.0f));
    CHECK(shown_area(box, {}, {0.0f, -1.0f, 0.0f}) == doctest::Approx(3.0f));
    const Shape& capsule = shapes.get(shapes.add(TestWorld::capsule(0.3f, 0.5f)).value());
    CHECK(shown_area(capsule, {}, {0.0f, 1.0f, 0.0f}) == doctest::Approx(kPi * 0.09f));
    CHECK(shown_area(capsule, {}, {0.0f, 0.0f, 1.0f}) == doctest::Approx(kPi * 0.09f + 0.6f));
    const Shape& sphere = shapes.get(shapes.add(TestWorld::sphere(0.4f)).value());
    for (int k = 0; k < 10; ++k) {
        const Vec3 d = any_direction(random);
        const Transform pose{{}, any_rotation(random)};
        CHECK(shown_area(sphere, pose, d) == doctest::Approx(kPi * 0.16f));
        const Vec3 local = glm::conjugate(pose.rotation) * d;
        CHECK(shown_area(box, pose, d) ==
              doctest::Approx(6.0f * std::abs(local.x) + 3.0f * std::abs(local.y) + 2.0f * std::abs(local.z)));
    }
}

TEST_CASE("what falls through air reaches the speed at which drag carries its weight") {
    Random random;
    for (int k = 0; k < 12; ++k) {
        CAPTURE(k);
        TestWorld t;
        const float size = random.between(0.1f, 0.5f), density = random.between(20.0f, 300.0f);
        const bool round = k % 2 == 0;
        const Entity body = t.body(round ? TestWorld::sphere(size) : TestWorld::box(Vec3(size)),
                                   {.position = {0.0f, 0.0f, 0.0f}, .density = density});
        const Wind air{.velocity = {k % 3 == 0 ? 4.0f : 0.0f, 0.0f, 0.0f},
                       .density = random.between(0.5f, 5.0f),
                       .drag_coefficient = random.between(0.3f, 1.5f)};
        const float area = round ? kPi * size * size : 4.0f * size * size;
        const float terminal = std::sqrt(2.0f * t.mass(body).mass * kG / (air.density * air.drag_coefficient * area));
        const int steps = int(8.0f * terminal / kG / kDt) + 60;
        if (!round) REQUIRE(t.world.set_locked_axes(body, kLockRotation).ok());
        for (int i = 0; i < steps; ++i) {
            REQUIRE(apply_wind(t.world, body, air, kDt).ok());
            t.step();
        }
        if (air.velocity.x == 0.0f || round)
            CHECK(-t.velocity(body).linear.y == doctest::Approx(terminal).epsilon(2e-3));
        CHECK(t.velocity(body).linear.x == doctest::Approx(air.velocity.x).epsilon(0.02));
    }
}

TEST_CASE("a storm carries the lightest things along, and no faster than it blows") {
    for (const float mass : {1e-6f, 1e-3f, 0.1f}) {
        TestWorld t;
        StepSettings s = t.settings();
        s.gravity = Vec3(0.0f);
        t.set(s);
        const Entity leaf = t.body(TestWorld::box({0.2f, 0.01f, 0.2f}), {.mass = mass});
        for (int i = 0; i < 600; ++i) {
            REQUIRE(apply_wind(t.world, leaf, {.velocity = {40.0f, 0.0f, 0.0f}}, kDt).ok());
            t.step();
            REQUIRE(t.velocity(leaf).linear.x <= 40.01f);
        }
        CHECK(t.velocity(leaf).linear.x > 20.0f);
    }
}

TEST_CASE("a box floats as deep as its density says, a ball to where its cap weighs as much") {
    Random random;
    for (int k = 0; k < 10; ++k) {
        const float ratio = random.between(0.1f, 0.9f), size = random.between(0.1f, 1.0f);
        CAPTURE(ratio);
        CAPTURE(size);
        TestWorld t;
        const Water water{.surface = {0.0f, 2.0f, 0.0f}, .density = 1025.0f, .linear_drag = 3.0f, .angular_drag = 3.0f};
        // Flat, so that it does not turn over.
        const Entity raft = t.body(TestWorld::box({3.0f * size, 0.5f * size, 3.0f * size}),
                                   {.position = {0.0f, 2.3f, 0.0f}, .density = ratio * water.density});
        const Entity ball =
            t.body(TestWorld::sphere(size), {.position = {20.0f, 2.0f, 0.0f}, .density = ratio * water.density});
        for (int i = 0; i < 1500; ++i) {
            for (const Entity body : {raft, ball}) REQUIRE(apply_water(t.world, body, water, kDt).ok());
            t.step();
        }
        const float depth = 2.0f - (t.pose(raft).position.y - 0.5f * size);
        CHECK(depth / size == doctest::Approx(ratio).epsilon(0.005));
        const float cap = std::clamp(2.0f - (t.pose(ball).position.y - size), 0.0f, 2.0f * size);
        const float volume = kPi * cap * cap * (3.0f * size - cap) / 3.0f;
        CHECK(volume == doctest::Approx(ratio * 4.0f / 3.0f * kPi * size * size * size).epsilon(0.005));
    }
}

TEST_CASE("a plank on its edge lies down on the water, and a stone sinks at the speed of its drag") {
    TestWorld t;
    const Water water{.linear_drag = 2.0f, .angular_drag = 3.0f};
    const Entity plank =
        t.body(TestWorld::box({1.0f, 0.1f, 0.5f}),
               {.position = {0.0f, 0.0f, 0.0f}, .rotation = turn({0.0f, 0.0f, 1.0f}, 80.0f), .density = 500.0f});
    const Entity stone = t.body(TestWorld::sphere(0.2f), {.position = {20.0f, -1.0f, 0.0f}, .density = 2500.0f});
    for (int i = 0; i < 2400; ++i) {
        for (const Entity body : {plank, stone}) REQUIRE(apply_water(t.world, body, water, kDt).ok());
        t.step();
    }
    CHECK(std::abs((t.pose(plank).rotation * Vec3(0.0f, 1.0f, 0.0f)).y) > 0.999f);
    // (density - water) g = drag . water . v, with drag a rate of the water displaced.
    CHECK(-t.velocity(stone).linear.y == doctest::Approx((2500.0f - 1000.0f) * kG / (2.0f * 1000.0f)).epsilon(0.01));
}

TEST_CASE("a stream takes along what floats in it, to its own velocity") {
    for (const float speed : {0.3f, 2.0f}) {
        TestWorld t;
        const Water river{.velocity = {speed, 0.0f, 0.0f}, .linear_drag = 2.0f, .angular_drag = 4.0f};
        const Entity raft = t.body(TestWorld::box({1.0f, 0.2f, 1.0f}), {.density = 400.0f});
        for (int i = 0; i < 900; ++i) {
            REQUIRE(apply_water(t.world, raft, river, kDt).ok());
            t.step();
        }
        CHECK(t.velocity(raft).linear.x == doctest::Approx(speed).epsilon(0.01));
    }
}

TEST_CASE("wind and water refuse what makes no sense, and leave fixed bodies and planes alone") {
    TestWorld t;
    const Entity floor = t.body(TestWorld::half_space(), {.type = BodyType::fixed});
    const Entity box = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 3.0f, 0.0f}});
    CHECK(apply_wind(t.world, floor, {.velocity = {5.0f, 0.0f, 0.0f}}, kDt).ok());
    CHECK(apply_water(t.world, floor, {}, kDt).ok());
    CHECK_FALSE(apply_wind(t.world, kNoEntity, {}, kDt).ok());
    CHECK_FALSE(apply_wind(t.world, box, {.velocity = {kNan, 0.0f, 0.0f}}, kDt).ok());
    CHECK_FALSE(apply_wind(t.world, box, {.density = -1.0f}, kDt).ok());
    CHECK_FALSE(apply_wind(t.world, box, {.drag_coefficient = kNan}, kDt).ok());
    CHECK_FALSE(apply_wind(t.world, box, {}, 0.0f).ok());
    CHECK_FALSE(apply_water(t.world, box, {.normal = {0.0f, 2.0f, 0.0f}}, kDt).ok());
    CHECK_FALSE(apply_water(t.world, box, {.surface = {kNan, 0.0f, 0.0f}}, kDt).ok());
    CHECK_FALSE(apply_water(t.world, box, {.linear_drag = -1.0f}, kDt).ok());
    t.step();
    CHECK(t.world.report().warnings.empty());
}
