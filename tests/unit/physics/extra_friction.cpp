// SPDX-License-Identifier: MIT
// Surfaces with a grain, torsional and rolling friction in worlds, against exercises with known answers.
#include <cmath>
#include <string>

#include "physics/contact/capture.h"
#include "physics/contact/material.h"
#include "physics/scene/scene.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// A world without sleep, and a body with a material of its own.
struct FrictionWorld : TestWorld {
    explicit FrictionWorld(uint32_t threads = 1) : TestWorld(threads) {
        StepSettings s = settings();
        s.sleeping = false;
        set(s);
    }
    Entity body_of(const ShapeDesc& desc, const Material& material, Options o) {
        const Entity entity = body(desc, o);
        for (const auto [collider, c] : world.registry().view<Collider>().each())
            if (c.body == entity)
                world.registry().patch<Collider>(collider, [&](Collider& x) { x.material = material; });
        return entity;
    }
    /// A plane through the origin, falling towards +x.
    Entity slope(float degrees, const Material& material) {
        return body_of(box({50.0f, 1.0f, 50.0f}), material,
                       {.type = BodyType::fixed,
                        .position = turn({0, 0, 1}, -degrees) * Vec3(0.0f, -1.0f, 0.0f),
                        .rotation = turn({0, 0, 1}, -degrees)});
    }
    Vec3 on_slope(float degrees, float height) { return turn({0, 0, 1}, -degrees) * Vec3(0.0f, height, 0.0f); }
    double energy(Entity e) {
        return double(kinetic_energy(e)) + double(mass(e).mass) * double(kG) * double(pose(e).position.y);
    }
};

Material surface(float friction, float torsional = 0.0f, float rolling = 0.0f) {
    Material m;
    m.friction = friction;
    m.torsional_friction = torsional;
    m.rolling_friction = rolling;
    return m;
}
Material grainy(float along, float across, Vec3 direction) {
    Material m;
    m.friction = along;
    m.friction_across = across;
    m.friction_direction = direction;
    return m;
}

constexpr float kBall = 0.25f;  // m

}  // namespace

TEST_CASE("a rolling ball with rolling friction slows down at the known rate and stops") {
    // (I + m R^2) dw/dt = -r N, so dv/dt = -r g / (1.4 R)
    const float r = 0.02f, v0 = 1.0f, rate = r * kG / (1.4f * kBall);
    FrictionWorld t;
    t.floor(0.8f);
    const Entity ball =
        t.body_of(TestWorld::sphere(kBall), surface(0.8f, 0.0f, r),
                  {.position = {0.0f, kBall, 0.0f}, .velocity = {{v0, 0.0f, 0.0f}, {0.0f, 0.0f, -v0 / kBall}}});
    t.run(1.0f);
    CHECK(t.velocity(ball).linear.x == doctest::Approx(v0 - rate).epsilon(0.01).scale(0.0));
    t.run(v0 / rate - 1.0f + 0.1f);
    CHECK(std::abs(t.velocity(ball).linear.x) < 1e-3f);
    const float stopped = t.pose(ball).position.x;
    CHECK(stopped == doctest::Approx(v0 * v0 / (2.0f * rate)).epsilon(0.01).scale(0.0));
    t.run(2.0f);
    CHECK(std::abs(t.pose(ball).position.x - stopped) < 1e-3f);
    CHECK(glm::length(t.velocity(ball).angular) < 1e-3f);
}

TEST_CASE("a ball stays on a slope below the angle that rolling friction holds, and rolls above it") {
    const float r = 0.05f;  // tan(angle) = r / R = 0.2: 11.31 degrees
    for (const float degrees : {10.5f, 14.0f}) {
        CAPTURE(degrees);
        FrictionWorld t;
        t.slope(degrees, surface(0.8f));
        const Entity ball =
            t.body_of(TestWorld::sphere(kBall), surface(0.8f, 0.0f, r), {.position = t.on_slope(degrees, kBall)});
        t.run(1.0f);
        const float speed = glm::length(t.velocity(ball).linear), angle = glm::radians(degrees);
        if (degrees < 11.0f) {
            CHECK(speed < 2e-3f);
        } else {
            const float rate = kG * (std::sin(angle) - r / kBall * std::cos(angle)) / 1.4f;
            CHECK(speed == doctest::Approx(rate).epsilon(0.015).scale(0.0));
        }
    }
}

TEST_CASE("a spinning ball with torsional friction stops after the known time") {
    // I dw/dt = -e mu m g
    const float e = 0.02f, mu = 0.5f, w0 = 10.0f;
    const float rate = e * mu * kG / (0.4f * kBall * kBall);  // 3.92 rad/s2
    FrictionWorld t;
    t.floor(mu);
    const Entity ball = t.body_of(TestWorld::sphere(kBall), surface(mu, e),
                                  {.position = {0.0f, kBall, 0.0f}, .velocity = {{}, {0.0f, w0, 0.0f}}});
    t.run(1.0f);
    CHECK(t.velocity(ball).angular.y == doctest::Approx(w0 - rate).epsilon(0.005).scale(0.0));
    t.run(w0 / rate - 1.0f + 0.1f);
    CHECK(std::abs(t.velocity(ball).angular.y) < 1e-3f);
    t.run(1.0f);
    CHECK(std::abs(t.velocity(ball).angular.y) < 1e-3f);
    CHECK(glm::length(t.pose(ball).position - Vec3(0.0f, kBall, 0.0f)) < 2e-3f);
}

TEST_CASE("without torsional friction a ball spins on") {
    FrictionWorld t;
    t.floor(0.5f);
    const Entity ball =
        t.body(TestWorld::sphere(kBall),
               {.position = {0.0f, kBall, 0.0f}, .velocity = {{}, {0.0f, 10.0f, 0.0f}}, .friction = 0.5f});
    t.run(2.0f);
    CHECK(t.velocity(ball).angular.y == doctest::Approx(10.0).epsilon(1e-3).scale(0.0));
}

TEST_CASE("spin lets a body slide farther, as the ellipsoid of Coulomb and Contensou says") {
    // With inertia m e^2 about the normal, (v, e w) keeps its direction and loses mu g of its length per second.
    const float e = 0.1f, mu = 0.3f;
    for (const float spin : {0.0f, 20.0f, 60.0f}) {
        CAPTURE(spin);
        FrictionWorld t;
        t.floor(mu);
        const Entity ball =
            t.body_of(TestWorld::sphere(kBall), surface(mu, e),
                      {.position = {0.0f, kBall, 0.0f}, .velocity = {{2.0f, 0.0f, 0.0f}, {0.0f, spin, 0.0f}}});
        t.world.registry().patch<Mass>(ball, [&](Mass& m) {
            m.source = MassSource::given;
            m.mass = 2.0f;
            m.inertia = {1e5f, 2.0f * e * e, 1e5f, 0.0f, 0.0f, 0.0f};  // too heavy to be rolled
        });
        const float s0 = std::sqrt(4.0f + e * e * spin * spin);
        t.run(0.5f);
        const float share = 1.0f - mu * kG * 0.5f / s0;
        CHECK(t.velocity(ball).linear.x == doctest::Approx(2.0f * share).epsilon(0.015).scale(0.0));
        CHECK(std::abs(t.velocity(ball).angular.y - spin * share) <= 0.01f * spin);
        t.run(s0 / (mu * kG) - 0.5f + 0.1f);
        CHECK(std::abs(t.velocity(ball).linear.x) < 2e-3f);
        CHECK(std::abs(t.velocity(ball).angular.y) < 2e-2f);
        // x = v0 s0 / (2 mu g), farther by s0 / v0 than without spin
        CHECK(t.pose(ball).position.x == doctest::Approx(2.0f * s0 / (2.0f * mu * kG)).epsilon(0.01).scale(0.0));
    }
}

namespace {

/// Where a block goes that starts from rest under a pull p (m/s2) in the plane against an ellipse of coefficients:
/// the unit direction d with p - g_n (a^2 d1, b^2 d2) / |(a d1, b d2)| parallel to it, found by bisection.
double sliding_angle(double p1, double p2, double g_n, double a, double b) {
    const auto turning = [&](double angle) {
        const double c = std::cos(angle), s = std::sin(angle), n = std::hypot(a * c, b * s);
        return c * (p2 - g_n * b * b * s / n) - s * (p1 - g_n * a * a * c / n);
    };
    double low = 0.0, high = 1.5707963;
    for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (turning(middle) > 0.0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

}  // namespace

TEST_CASE("a block on a slope with a grain slides to the side, in the known direction") {
    const float degrees = 40.0f, along = 0.2f, across = 0.6f;
    FrictionWorld t;
    // Grain of the slope at 45 degrees to its fall, in the plane of its top.
    Material slope = grainy(along, across, {1.0f, 0.0f, 1.0f}), block = surface(1.0f);
    slope.friction_combine = block.friction_combine = Combine::minimum;
    t.slope(degrees, slope);
    const Entity sliding = t.body_of(TestWorld::box({0.5f, 0.1f, 0.5f}), block,
                                     {.position = t.on_slope(degrees, 0.1f), .rotation = turn({0, 0, 1}, -degrees)});
    t.run(0.2f);
    const Vec3 from = t.pose(sliding).position;
    t.run(1.0f);
    const Vec3 moved = glm::conjugate(turn({0, 0, 1}, -degrees)) * (t.pose(sliding).position - from);
    const double angle = glm::radians(double(degrees)), pull = 9.81 * std::sin(angle);
    // Along the grain (1, 1)/sqrt(2) and across it, both pulls are equal; from the grain back to the slope's axes.
    const double to_grain =
        sliding_angle(pull * std::sqrt(0.5), pull * std::sqrt(0.5), 9.81 * std::cos(angle), along, across);
    const double expected = glm::degrees(0.7853981634 - to_grain), seen = glm::degrees(std::atan2(moved.z, moved.x));
    CAPTURE(expected);
    CHECK(expected > 10.0);
    CHECK(seen == doctest::Approx(expected).epsilon(0.02).scale(0.0));
    CHECK(std::abs(moved.y) < 5e-3f);
}

TEST_CASE("the grain turns with its body: a runner glides along and holds across") {
    for (const float heading : {0.0f, 90.0f, 180.0f}) {
        CAPTURE(heading);
        FrictionWorld t;
        Material runner = grainy(0.05f, 0.9f, {1.0f, 0.0f, 0.0f});
        Material snow = surface(1.0f);
        runner.friction_combine = snow.friction_combine = Combine::minimum;
        t.slope(20.0f, snow);
        const Entity sledge = t.body_of(
            TestWorld::box({0.5f, 0.1f, 0.2f}), runner,
            {.position = t.on_slope(20.0f, 0.1f), .rotation = turn({0, 0, 1}, -20.0f) * turn({0, 1, 0}, heading)});
        t.run(1.0f);
        const float speed = glm::length(t.velocity(sledge).linear), angle = glm::radians(20.0f);
        if (heading == 90.0f)
            CHECK(speed < 2e-3f);
        else
            CHECK(speed == doctest::Approx(kG * (std::sin(angle) - 0.05f * std::cos(angle))).epsilon(0.01).scale(0.0));
    }
}

TEST_CASE("friction of every kind only takes energy") {
    FrictionWorld t;
    Material floor = grainy(0.6f, 0.1f, {1.0f, 0.0f, 0.3f});
    t.slope(0.0f, floor);
    Material rough = surface(0.7f, 0.03f, 0.02f);
    const Entity bodies[] = {
        t.body_of(TestWorld::sphere(kBall), rough,
                  {.position = {0.0f, kBall, 0.0f}, .velocity = {{3.0f, 0.0f, 1.0f}, {5.0f, 30.0f, -4.0f}}}),
        t.body_of(TestWorld::box({0.3f, 0.2f, 0.4f}), rough,
                  {.position = {20.0f, 0.2f, 0.0f}, .velocity = {{-2.0f, 0.0f, 1.0f}, {0.0f, 8.0f, 0.0f}}}),
        t.body_of(TestWorld::capsule(0.2f, 0.4f), rough,
                  {.position = {-20.0f, 0.2f, 0.0f},
                   .rotation = turn({0, 0, 1}, 90.0f),
                   .velocity = {{0.0f, 0.0f, 2.0f}, {6.0f, 3.0f, 0.0f}}})};
    double before[3];
    t.step();  // masses are known after the first step
    for (int k = 0; k < 3; ++k) before[k] = t.energy(bodies[k]);
    for (int step = 0; step < 480; ++step) {
        t.step();
        for (int k = 0; k < 3; ++k) {
            const double now = t.energy(bodies[k]);
            CHECK(now <= before[k] + 2e-3 * double(t.mass(bodies[k]).mass));  // soft contacts lift by micrometres
            before[k] = std::min(now, before[k]);
        }
    }
    for (const Entity body : bodies) CHECK(t.kinetic_energy(body) < 1e-2f * t.mass(body).mass);
}

TEST_CASE("equal coefficients along and across leave a world as it is without a grain, bit for bit") {
    const auto run = [](bool with_grain) {
        FrictionWorld t;
        t.floor();
        Material m = with_grain ? grainy(0.6f, 0.6f, {1.0f, 2.0f, 3.0f}) : surface(0.6f);
        for (int k = 0; k < 5; ++k)
            t.body_of(TestWorld::box({0.5f, 0.5f, 0.5f}), m,
                      {.position = {0.3f * float(k), 0.6f + 1.05f * float(k), 0.0f},
                       .velocity = {{1.0f, 0.0f, 0.5f}, {0.0f, 1.0f, 0.0f}}});
        t.run(1.0f);
        return t.world.state_hash();
    };
    CHECK(run(true) == run(false));
}

TEST_CASE("torsion and rolling impulses are part of snapshots, and of no thread's business") {
    const auto fill = [](FrictionWorld& t) {
        t.floor(0.6f);
        for (int k = 0; k < 12; ++k)
            t.body_of(TestWorld::sphere(kBall), k % 3 ? surface(0.6f, 0.02f, 0.03f) : surface(0.6f),
                      {.position = {0.55f * float(k % 4), kBall + 0.5f * float(k / 4), 0.1f * float(k % 2)},
                       .velocity = {{0.5f, 0.0f, 0.3f}, {1.0f, 4.0f, 2.0f}}});
    };
    FrictionWorld one(1), four(4), copy(1);
    fill(one);
    fill(four);
    fill(copy);
    one.run(0.5f);
    four.run(0.5f);
    CHECK(one.world.state_hash() == four.world.state_hash());
    engine::Snapshot snapshot;
    one.world.save(snapshot);
    REQUIRE(copy.world.restore(snapshot).ok());
    one.run(0.5f);
    copy.run(0.5f);
    CHECK(one.world.state_hash() == copy.world.state_hash());
    bool any = false;
    for (const ContactView& view : one.world.contacts())
        any = any || (view.extended && glm::length(view.extended->moment[0]) > 0.0f);
    CHECK(any);
}

TEST_CASE("surfaces may get and lose their friction while the world runs") {
    FrictionWorld t;
    t.floor(0.8f);
    const Entity ball =
        t.body_of(TestWorld::sphere(kBall), surface(0.8f),
                  {.position = {0.0f, kBall, 0.0f}, .velocity = {{2.0f, 0.0f, 0.0f}, {0.0f, 0.0f, -2.0f / kBall}}});
    const auto set_rolling = [&](float r) {
        for (const auto [entity, c] : t.world.registry().view<Collider>().each())
            if (c.body == ball)
                t.world.registry().patch<Collider>(entity, [&](Collider& x) { x.material.rolling_friction = r; });
    };
    t.run(0.5f);
    CHECK(t.velocity(ball).linear.x == doctest::Approx(2.0).epsilon(0.005).scale(0.0));
    set_rolling(0.02f);
    t.run(0.5f);
    const float slowed = t.velocity(ball).linear.x;
    CHECK(slowed == doctest::Approx(2.0f - 0.5f * 0.02f * kG / (1.4f * kBall)).epsilon(0.01).scale(0.0));
    set_rolling(0.0f);
    t.run(0.5f);
    CHECK(t.velocity(ball).linear.x == doctest::Approx(slowed).epsilon(0.005).scale(0.0));
}

TEST_CASE("every stepping, stabilisation and solver that knows extra friction gives the same deceleration") {
    for (const char* solver : {"prox_gs", "prox_jacobi"})
        for (const Stabilisation stabilisation : {Stabilisation::soft, Stabilisation::projection})
            for (const Stepping stepping : {Stepping::semi_implicit, Stepping::moreau_midpoint}) {
                CAPTURE(solver);
                FrictionWorld t;
                StepSettings s = t.settings();
                s.solver = solver;
                s.stabilisation = stabilisation;
                s.stepping = stepping;
                s.iterations = 4;
                t.set(s);
                t.floor(0.8f);
                const Entity ball = t.body_of(
                    TestWorld::sphere(kBall), surface(0.8f, 0.01f, 0.02f),
                    {.position = {0.0f, kBall, 0.0f}, .velocity = {{1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, -1.0f / kBall}}});
                t.run(1.0f);
                CHECK(t.velocity(ball).linear.x ==
                      doctest::Approx(1.0f - 0.02f * kG / (1.4f * kBall)).epsilon(0.02).scale(0.0));
                CHECK(t.world.report().residual_max < 0.02);
            }
}

TEST_CASE("two surfaces with a grain: the stronger one gives the axes, the other its coefficients along them") {
    const Vec3 up(0.0f, 1.0f, 0.0f);
    Material strong = grainy(0.2f, 0.8f, {1.0f, 0.0f, 0.0f}), weak = grainy(0.4f, 0.5f, {1.0f, 0.0f, 0.0f});
    strong.friction_combine = weak.friction_combine = Combine::average;
    Vec3 t1(0.0f, 0.0f, 1.0f);
    CombinedFriction c = combine_all_friction({strong, {1, 0, 0}}, {weak, {0, 0, 1}}, up, t1);
    CHECK(std::abs(t1.x) == doctest::Approx(1.0));
    CHECK(c.along == doctest::Approx(0.5 * (0.2 + 0.5)));
    CHECK(c.across == doctest::Approx(0.5 * (0.8 + 0.4)));
    // At 45 degrees the weak ellipse has the radius 1 / sqrt(1/2 (1/0.16 + 1/0.25)) = 0.44173.
    c = combine_all_friction({weak, {1, 0, 1}}, {strong, {1, 0, 0}}, up, t1);
    CHECK(c.along == doctest::Approx(0.5 * (0.2 + 0.441726)));
    CHECK(c.across == doctest::Approx(0.5 * (0.8 + 0.441726)));
    // A grain that stands upright on the plane shows its other coefficient in all directions.
    c = combine_all_friction({strong, up}, {surface(0.8f), Vec3(0.0f)}, up, t1);
    CHECK(c.along == doctest::Approx(0.8));
    CHECK(c.is_plain());
    // Radii: the larger by default, the product's root when asked for.
    Material ball = surface(0.5f, 0.02f, 0.04f), felt = surface(0.5f, 0.0f, 0.01f);
    c = combine_all_friction({ball, Vec3(0.0f)}, {felt, Vec3(0.0f)}, up, t1);
    CHECK(c.torsion_radius == 0.02f);
    CHECK(c.rolling_radius == 0.04f);
    felt.moment_combine = Combine::geometric_mean;
    c = combine_all_friction({ball, Vec3(0.0f)}, {felt, Vec3(0.0f)}, up, t1);
    CHECK(c.torsion_radius == 0.0f);
    CHECK(c.rolling_radius == doctest::Approx(0.02));
    // A coefficient of zero along the grain is zero in every direction but across it.
    Material ice = grainy(0.0f, 0.5f, {1.0f, 0.0f, 0.0f});
    c = combine_all_friction({ice, {1, 0, 0}}, {surface(0.5f), Vec3(0.0f)}, up, t1);
    CHECK(c.along == 0.0f);
    CHECK(c.across == 0.5f);
}

TEST_CASE("numbers that make no sense are refused with a sentence") {
    FrictionWorld t;
    const Entity body = t.floor();
    Collider c;
    c.shape = ShapeId(0);
    const auto error_of = [&](const Material& m) {
        c.material = m;
        const auto added = t.world.add_collider(body, c);
        return added ? std::string() : added.error();
    };
    const float nan = std::nanf("");
    CHECK(error_of(surface(0.5f, -1.0f)) == "Torsional friction must be a finite radius in m, 0 or greater.");
    CHECK(error_of(surface(0.5f, 0.0f, nan)) == "Rolling friction must be a finite radius in m, 0 or greater.");
    CHECK(error_of(grainy(0.5f, -0.1f, {1, 0, 0})) ==
          "Friction across the grain must be a finite number, 0 or greater.");
    CHECK(error_of(grainy(0.5f, 0.1f, {nan, 0, 0})) ==
          "The direction of a surface's grain must be three finite numbers; zero for none.");
    CHECK(error_of(grainy(0.5f, 0.1f, {1, 0, 0})).empty());
}

TEST_CASE("a solver without extra friction and a surface with it do not go together") {
    FrictionWorld t;
    const Entity floor = t.floor();
    StepSettings pgs = t.settings();
    pgs.solver = "pgs";
    t.set(pgs);
    Collider c;
    c.shape = ShapeId(0);
    c.material = surface(0.5f, 0.1f);
    const auto refused = t.world.add_collider(floor, c);
    REQUIRE(!refused.ok());
    CHECK(refused.error().find("'pgs' knows one coefficient") != std::string::npos);
    StepSettings prox = pgs;
    prox.solver = "prox_jacobi";
    t.set(prox);
    const auto added = t.world.add_collider(floor, c);
    REQUIRE(added.ok());
    const auto back = t.world.set_settings(pgs);
    REQUIRE(!back.ok());
    CHECK(back.error().find("need prox_gs or prox_jacobi") != std::string::npos);
    CHECK(t.world.settings().solver == "prox_jacobi");
    // Written past all checks: the step says what it leaves out, and goes on.
    t.world.registry().destroy(added.value());
    t.set(pgs);
    const Entity ball = t.body_of(TestWorld::sphere(kBall), surface(0.5f, 0.1f, 0.1f), {.position = {0, kBall, 0}});
    t.step();
    REQUIRE(t.world.report().warnings.size() == 1);
    CHECK(t.world.report().warnings[0].message.find("are left out") != std::string::npos);
    t.run(0.5f);
    CHECK(t.pose(ball).position.y == doctest::Approx(kBall).epsilon(0.01).scale(0.0));
    // A contact problem in a file has one coefficient a contact.
    t.set(prox);
    t.step();
    const auto captured = t.world.capture(kDt);
    REQUIRE(!captured.ok());
    CHECK(captured.error().find("one coefficient of friction a contact") != std::string::npos);
}

TEST_CASE("scene files hold every number of a surface, and name the one that is wrong") {
    SceneDesc scene;
    scene.shapes.push_back(TestWorld::box({1, 1, 1}));
    scene.bodies.resize(1);
    scene.bodies[0].colliders.resize(1);
    Material& m = scene.bodies[0].colliders[0].material;
    m = grainy(0.3f, 0.7f, {0.0f, 0.0f, 2.0f});
    m.torsional_friction = 0.01f;
    m.rolling_friction = 0.02f;
    m.moment_combine = Combine::average;
    const auto read = parse_scene(write_scene(scene), "test");
    REQUIRE_MESSAGE(read.ok(), read.error());
    const Material& back = read.value().bodies[0].colliders[0].material;
    CHECK(back.friction_across == 0.7f);
    CHECK(back.friction_direction == Vec3(0.0f, 0.0f, 2.0f));
    CHECK(back.torsional_friction == 0.01f);
    CHECK(back.rolling_friction == 0.02f);
    CHECK(back.moment_combine == Combine::average);
    const auto error_of = [&] {
        const auto checked = check(scene);
        return checked ? std::string() : checked.error();
    };
    m.rolling_friction = -1.0f;
    CHECK(error_of() ==
          "bodies[0].colliders[0].material.rolling_friction is -1; it must be zero or positive, and "
          "finite, in m.");
    m.rolling_friction = 0.0f;
    m.friction_across = std::nanf("");
    CHECK(error_of().find("material.friction_across is nan") != std::string::npos);
    m.friction_across = 0.7f;
    scene.settings.solver = "nscd";
    CHECK(error_of().find("which the solver 'nscd' does not know") != std::string::npos);
    m = Material{};
    CHECK(error_of().empty());
    CHECK(write_scene(scene).find("friction") == std::string::npos);
}
