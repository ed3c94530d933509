// SPDX-License-Identifier: MIT
// Islands whose factor costs more than a step may: it is made in pieces, and belongs to the state.
#include <cmath>
#include <vector>

#include "engine/simd/simd_level.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

constexpr int kRows = 20, kColumns = 70;  // 1210 cubes

/// Cubes of side 1 in a wall that becomes shorter towards its top, each on two others. One of them is nudged: what is
/// made at rest may have its first factor at once.
std::vector<Entity> build_wall(TestWorld& t) {
    StepSettings s = t.settings();
    s.sleeping = false;
    s.large_island_substeps = s.substeps;  // sweeps that come to rest soon
    t.set(s);
    t.floor();
    std::vector<Entity> cubes;
    for (int row = 0; row < kRows; ++row)
        for (int k = 0; k < kColumns - row; ++k)
            cubes.push_back(
                t.body(TestWorld::box({0.5f, 0.5f, 0.5f}),
                       {.position = {1.1f * (float(k - kColumns / 2) + 0.5f * float(row)), 0.5f + float(row), 0.0f}}));
    t.velocity(cubes.back()).linear.x = 0.04f;
    return cubes;
}

bool is_solved_directly(TestWorld& t, Entity cube) {
    const auto island = t.world.island(cube);
    return island && island->solver == "direct" && island->stop == StopReason::tolerance;
}
bool waits_for_factor(TestWorld& t, Entity cube) {
    const auto island = t.world.island(cube);
    return island && island->solver == "direct" && island->stop == StopReason::iterations;
}
/// Steps until the wall has come to rest in sweeps, and its factor is begun.
void run_until_waiting(TestWorld& t, Entity cube) {
    for (int i = 0; i < 200 && !waits_for_factor(t, cube); ++i) t.step();
    REQUIRE(waits_for_factor(t, cube));
}

}  // namespace

TEST_CASE("a large wall is swept while its factor is made, then solved directly, and its sag goes away") {
    TestWorld t;
    const std::vector<Entity> cubes = build_wall(t);
    run_until_waiting(t, cubes[0]);
    const float sagged = std::abs(t.pose(cubes.back()).position.y - (float(kRows) - 0.5f));
    int solved = 0;
    for (int i = 0; i < 150; ++i) {
        t.step();
        CHECK(t.world.report().direct_failures == 0);
        solved += is_solved_directly(t, cubes[0]);
    }
    CHECK(solved > 120);
    CHECK(std::abs(t.pose(cubes.back()).position.y - (float(kRows) - 0.5f)) < 0.5f * sagged);
}

TEST_CASE("a snapshot from the middle of a factor that is made in pieces has the same future, bit for bit") {
    TestWorld t;
    const std::vector<Entity> cubes = build_wall(t);
    run_until_waiting(t, cubes[0]);
    std::vector<engine::Snapshot> snapshots;
    std::vector<bool> directly;
    for (int i = 0; i < 8; ++i) {
        snapshots.emplace_back();
        t.world.save(snapshots.back());
        t.step();
        directly.push_back(is_solved_directly(t, cubes[0]));
    }
    CHECK(directly.back());
    for (int i = 0; i < 5; ++i) t.step();
    const uint64_t future = t.world.state_hash();
    for (size_t k = 0; k < snapshots.size(); ++k) {
        CAPTURE(k);
        REQUIRE(t.world.restore(snapshots[k]).ok());
        engine::Snapshot again;
        t.world.save(again);
        REQUIRE(t.world.restore(again).ok());
        for (size_t i = k; i < 8; ++i) {
            t.step();
            CHECK(is_solved_directly(t, cubes[0]) == directly[i]);
        }
        for (int i = 0; i < 5; ++i) t.step();
        CHECK(t.world.state_hash() == future);
    }
}

TEST_CASE("a large wall is the same at every vector width and for any number of threads") {
    uint64_t first = 0;
    const engine::SimdLevel before = engine::simd_level();
    for (const engine::SimdLevel level : {engine::SimdLevel::one, engine::SimdLevel::four, engine::SimdLevel::eight}) {
        engine::set_simd_level(level);
        TestWorld t(level == engine::SimdLevel::four ? 3 : 1);
        const std::vector<Entity> cubes = build_wall(t);
        run_until_waiting(t, cubes[0]);
        for (int i = 0; i < 15; ++i) t.step();
        CHECK(is_solved_directly(t, cubes[0]));
        if (first == 0) first = t.world.state_hash();
        CHECK(t.world.state_hash() == first);
    }
    engine::set_simd_level(before);
}
