// SPDX-License-Identifier: MIT
// Islands whose factor costs more than a step may: it is made in pieces, and belongs to the state.
#include <cmath>
#include <vector>

#include "engine/simd/simd_level.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

constexpr int kRows = 44;  // 990 cubes

/// Cubes of side 1 in a wall that is a triangle, each on two others.
std::vector<Entity> build_pyramid(TestWorld& t, int rows = kRows) {
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
    t.floor();
    std::vector<Entity> cubes;
    for (int row = 0; row < rows; ++row)
        for (int k = 0; k < rows - row; ++k)
            cubes.push_back(t.body(TestWorld::box({0.5f, 0.5f, 0.5f}),
                                   {.position = {1.1f * (float(k) + 0.5f * float(row)), 0.5f + float(row), 0.0f}}));
    return cubes;
}

bool is_solved_directly(TestWorld& t, Entity cube) {
    const auto island = t.world.island(cube);
    return island && island->solver == "direct" && island->stop == StopReason::tolerance;
}

}  // namespace

TEST_CASE("a large pyramid is swept while its factor is made, then solved directly, and does not sag") {
    TestWorld t;
    const std::vector<Entity> cubes = build_pyramid(t);
    int waited = 0;
    for (; waited < 60; ++waited) {
        t.step();
        CHECK(t.world.report().direct_failures == 0);
        if (is_solved_directly(t, cubes[0])) break;
    }
    CHECK(waited > 1);   // the factor does not fit into one step
    CHECK(waited < 20);
    int direct = 0;
    for (int i = 0; i < 200; ++i) {
        t.step();
        direct += is_solved_directly(t, cubes[0]);
    }
    CHECK(direct >= 190);
    CHECK(std::abs(t.pose(cubes.back()).position.y - (float(kRows) - 0.5f)) < 0.005f);
}

TEST_CASE("a snapshot from the middle of a factor that is made in pieces has the same future, bit for bit") {
    TestWorld t;
    const std::vector<Entity> cubes = build_pyramid(t);
    std::vector<engine::Snapshot> snapshots;
    std::vector<bool> directly;
    for (int i = 0; i < 12; ++i) {
        t.step();
        directly.push_back(is_solved_directly(t, cubes[0]));
        snapshots.emplace_back();
        t.world.save(snapshots.back());
    }
    CHECK_FALSE(directly.front());
    CHECK(directly.back());
    for (int i = 0; i < 10; ++i) t.step();
    const uint64_t future = t.world.state_hash();
    for (size_t k = 0; k < snapshots.size(); ++k) {
        CAPTURE(k);
        REQUIRE(t.world.restore(snapshots[k]).ok());
        engine::Snapshot again;
        t.world.save(again);
        REQUIRE(t.world.restore(again).ok());
        for (size_t i = k; i < 11; ++i) {
            t.step();
            CHECK(is_solved_directly(t, cubes[0]) == directly[i + 1]);
        }
        for (int i = 0; i < 10; ++i) t.step();
        CHECK(t.world.state_hash() == future);
    }
}

TEST_CASE("a large pyramid is the same at every vector width and for any number of threads") {
    uint64_t first = 0;
    const engine::SimdLevel before = engine::simd_level();
    for (const engine::SimdLevel level : {engine::SimdLevel::one, engine::SimdLevel::four, engine::SimdLevel::eight}) {
        engine::set_simd_level(level);
        TestWorld t(level == engine::SimdLevel::four ? 3 : 1);
        const std::vector<Entity> cubes = build_pyramid(t);
        for (int i = 0; i < 25; ++i) t.step();
        CHECK(is_solved_directly(t, cubes[0]));
        if (first == 0) first = t.world.state_hash();
        CHECK(t.world.state_hash() == first);
    }
    engine::set_simd_level(before);
}
