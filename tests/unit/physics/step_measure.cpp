// SPDX-License-Identifier: MIT
// What a step says of its distance from Coulomb's law: of the velocities that moved the bodies, in all sub-steps, and of
// the gaps that loads are carried across.
#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

struct Look {
    bool all = true, simd = true, direct = false;
};

void measure(TestWorld& t, const Look& look) {
    StepSettings s = t.settings();
    s.sleeping = false;
    s.measure_all_substeps = look.all;
    s.simd_kernels = look.simd;
    s.direct_islands = look.direct;
    t.set(s);
}

Entity cube(TestWorld& t, const Vec3& position, const Velocity& velocity = {}) {
    return t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = position, .velocity = velocity});
}

/// Boxes that fall onto each other, some with restitution, beside a kinematic one that pushes.
void build_heap(TestWorld& t) {
    t.floor();
    for (int i = 0; i < 24; ++i)
        t.body(TestWorld::box({0.5f, 0.2f, 0.3f}), {.position = {0.3f * float(i % 3), 0.3f + 0.45f * float(i), 0.0f},
                                                    .rotation = turn({0.0f, 1.0f, 0.2f}, 15.0f * float(i)),
                                                    .restitution = i % 4 == 0 ? 0.3f : 0.0f});
    t.body(TestWorld::box({0.3f, 0.3f, 0.3f}), {.type = BodyType::kinematic,
                                                .position = {-1.5f, 0.3f, 0.0f},
                                                .velocity = {{1.0f, 0.0f, 0.0f}, {0.0f, 2.0f, 0.0f}}});
}

/// A wall of bricks, wide enough to be cut into slabs.
void build_wall(TestWorld& t) {
    t.floor();
    for (int row = 0; row < 20; ++row)
        for (int i = 0; i < 40; ++i)
            t.body(TestWorld::box({0.5f, 0.25f, 0.25f}),
                   {.position = {float(i) - 20.0f + 0.5f * float(row % 2), 0.25f + 0.5f * float(row), 0.0f}});
}

uint64_t future_of(const std::function<void(TestWorld&)>& build, const Look& look, int steps) {
    TestWorld t;
    measure(t, look);
    build(t);
    for (int i = 0; i < steps; ++i) t.step();
    return t.world.state_hash();
}

/// Means over loaded points, from the contacts as a game sees them.
struct Sag {
    double mean = 0.0;
    float max = 0.0f;
    uint32_t points = 0;
};
Sag sag_of(const TestWorld& t) {
    Sag sag;
    for (const ContactView& contact : t.world.contacts())
        for (uint32_t i = 0; i < contact.manifold->count; ++i) {
            const ManifoldPoint& p = contact.manifold->points[i];
            if (!(p.lambda.x > 0.0f)) continue;
            ++sag.points;
            sag.mean += std::abs(double(p.separation));
            sag.max = std::max(sag.max, std::abs(p.separation));
        }
    sag.mean /= std::max(1u, sag.points);
    return sag;
}

}  // namespace

TEST_CASE("measuring all sub-steps changes no bit of a world") {
    CHECK(future_of(build_heap, {.all = true}, 90) == future_of(build_heap, {.all = false}, 90));
    CHECK(future_of(build_wall, {.all = true}, 12) == future_of(build_wall, {.all = false}, 12));
    const Look all{.all = true, .simd = false}, one{.all = false, .simd = false};
    CHECK(future_of(build_heap, all, 60) == future_of(build_heap, one, 60));
    const Look all_direct{.all = true, .direct = true}, one_direct{.all = false, .direct = true};
    CHECK(future_of(build_heap, all_direct, 120) == future_of(build_heap, one_direct, 120));
}

TEST_CASE("by default one sub-step of a step is measured, in turn, and none is worse than the worst of all") {
    TestWorld all, one;
    measure(all, {.all = true});
    measure(one, {.all = false});
    build_heap(all);
    build_heap(one);
    double sum_all = 0.0, sum_one = 0.0;
    int equal = 0;
    for (int i = 0; i < 160; ++i) {
        all.step();
        one.step();
        REQUIRE(one.world.report().measured_points == all.world.report().measured_points);
        CHECK(one.world.report().residual_max <= all.world.report().residual_max);
        CHECK(one.world.report().end_residual_max == all.world.report().end_residual_max);
        sum_all += all.world.report().residual_mean;
        sum_one += one.world.report().residual_mean;
        equal += one.world.report().residual_max == all.world.report().residual_max;
    }
    CHECK(sum_all > 0.0);
    // Ten rounds through the sub-steps, in which blows come and go.
    CHECK(sum_one == doctest::Approx(sum_all).epsilon(0.3));
    CHECK(equal < 80);
}

TEST_CASE("what overlaps and carries nothing is moved apart without a velocity, and so without a residual") {
    for (const bool simd : {true, false}) {
        CAPTURE(simd);
        TestWorld t;
        measure(t, {.simd = simd});
        StepSettings s = t.settings();
        s.gravity = Vec3(0.0f);
        t.set(s);
        t.floor();
        const Entity body = cube(t, {0.0f, 0.49f, 0.0f});
        t.step();
        const StepReport& report = t.world.report();
        const double lifted = double(t.pose(body).position.y - 0.49f) / double(kDt);
        CHECK(lifted > 0.05);
        CHECK(report.residual_max < 1e-6);
        CHECK(report.end_residual_max < 1e-6);
        CHECK(glm::length(t.velocity(body).linear) == 0.0f);
    }
}

TEST_CASE("what keeps the law has no residual: free flight, an open gap, rest, steady sliding") {
    for (const bool simd : {true, false}) {
        CAPTURE(simd);
        TestWorld t;
        measure(t, {.simd = simd});
        t.floor(0.3f);
        cube(t, {0.0f, 0.515f, 0.0f}, {{0.0f, -0.2f, 0.0f}, {}});  // 15 mm above the floor
        t.step();
        CHECK(t.world.report().measured_points == 4);
        CHECK(t.world.report().residual_max == 0.0);

        TestWorld u;
        measure(u, {.simd = simd});
        u.floor(0.3f);
        u.body(TestWorld::box({0.5f, 0.1f, 0.5f}),
               {.position = {0.0f, 0.1f, 0.0f}, .velocity = {{6.0f, 0.0f, 0.0f}, {}}, .friction = 0.3f});
        for (int i = 0; i < 60; ++i) u.step();
        REQUIRE(u.world.report().measured_points == 4);
        CHECK(u.world.report().residual_max < 2e-3);  // the box still sinks in a little, and slides at 3 m/s
        u.run(4.0f);
        CHECK(u.world.report().residual_max < 1e-5);
    }
}

TEST_CASE("sag is how far loaded points are from touching, whoever solved the island") {
    for (const Look& look : {Look{.simd = true}, Look{.simd = false}, Look{.simd = true, .direct = true}}) {
        CAPTURE(look.simd);
        CAPTURE(look.direct);
        TestWorld t;
        measure(t, look);
        t.floor();
        for (int i = 0; i < 6; ++i) cube(t, {0.0f, 0.5f + float(i), 0.0f});
        cube(t, {3.0f, 0.51f, 0.0f});  // near the floor, and not on it yet
        t.step();
        const auto check = [&] {
            const Sag sag = sag_of(t);
            CHECK(t.world.report().loaded_points == sag.points);
            CHECK(double(t.world.report().sag_mean) == doctest::Approx(sag.mean).epsilon(1e-5));
            CHECK(t.world.report().sag_max == sag.max);
        };
        check();
        t.run(2.0f);
        check();
        CHECK(t.world.report().loaded_points == 28);
        CHECK((t.world.report().direct_islands > 0) == look.direct);
        // The lowest contact of a column of six sags by 0.3 mm when it is swept; a direct solve parts what is deeper than
        // 0.12 mm.
        if (look.direct)
            CHECK(t.world.report().sag_max < 0.00015f);
        else
            CHECK(t.world.report().sag_max > 0.00025f);
        CHECK(t.world.report().sag_max < 0.005f);
    }
}

TEST_CASE("a direct solve says what it accepted, and its residual is in the report as that of sweeps is") {
    TestWorld t;
    measure(t, {.direct = true});
    t.floor();
    for (int i = 0; i < 12; ++i) cube(t, {0.02f * float(i % 2), 0.5f + float(i), 0.0f});
    for (int i = 0; i < 60; ++i) {
        t.step();
        const StepReport& report = t.world.report();
        if (report.direct_islands == 0 || report.direct_failures > 0) continue;
        CHECK(report.direct_tolerance > 1e-3);
        CHECK(report.direct_tolerance < 1e-2);
        CHECK(report.direct_residual_max <= report.direct_tolerance);
        CHECK(report.residual_max <= report.direct_residual_max + 1e-5);
    }
    CHECK(t.world.report().direct_islands == 1);
    CHECK(t.world.report().direct_tolerance > 0.0);
}

TEST_CASE("a world that sleeps has measured nothing") {
    TestWorld t;
    t.floor();
    cube(t, {0.0f, 0.5f, 0.0f});
    t.step();
    CHECK(t.world.report().measured_points == 4);
    t.run(3.0f);
    REQUIRE(t.world.report().sleeping == 1);
    CHECK(t.world.report().measured_points == 0);
    CHECK(t.world.report().loaded_points == 0);
    CHECK(t.world.report().residual_max == 0.0);
    CHECK(t.world.report().sag_max == 0.0f);
}

TEST_CASE("what is measured does not depend on the number of threads") {
    TestWorld one(1), three(3);
    for (TestWorld* t : {&one, &three}) {
        measure(*t, {});
        build_wall(*t);
        t->run(0.1f);
    }
    CHECK(one.world.report().residual_mean == three.world.report().residual_mean);
    CHECK(one.world.report().residual_max == three.world.report().residual_max);
    CHECK(one.world.report().sag_mean == three.world.report().sag_mean);
}
