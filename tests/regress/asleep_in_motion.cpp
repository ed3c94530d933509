// SPDX-License-Identifier: MIT
// A body that falls asleep at the end of a step has moved in that step; its collider stayed one step behind,
// and a restored world, in which it did not, had another future.
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

TEST_CASE("a body that fell asleep while it still moved is where its pose says, before and after a restore") {
    TestWorld t;
    t.floor(0.0f);
    const Entity box =
        t.body(TestWorld::box({0.5f, 0.5f, 0.5f}),
               {.position = {0.0f, 0.5f, 0.0f}, .velocity = {.linear = {0.03f, 0.0f, 0.0f}}, .friction = 0.0f});
    t.body(TestWorld::sphere(0.2f), {.position = {0.565f, 5.4f, 0.0f}, .friction = 0.0f});
    int steps = 0;
    for (; steps < 600 && !t.world.registry().get<SleepState>(box).asleep; ++steps) t.step();
    REQUIRE(steps < 600);
    t.step();
    t.step();
    engine::Snapshot snapshot;
    t.world.save(snapshot);
    std::vector<uint64_t> future;
    for (int k = 0; k < 120; ++k) {
        t.step();
        future.push_back(t.world.state_hash());
    }
    REQUIRE(t.world.restore(snapshot).ok());
    for (int k = 0; k < 120; ++k) {
        t.step();
        CAPTURE(k);
        REQUIRE(t.world.state_hash() == future[size_t(k)]);
    }
}
