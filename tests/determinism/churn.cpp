// SPDX-License-Identifier: MIT
// The same bits while bodies come and go.
#include <vector>

#include "samples/scenes/churn.h"
#include "samples/scenes/scenes.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

struct ChurningWorld {
    explicit ChurningWorld(uint32_t threads) : world(engine::make_threaded_jobs(threads)) {
        REQUIRE(instantiate(samples::make_scene("churn").value(), world).ok());
    }
    void step() {
        REQUIRE(churn.before_step(world, double(kDt)).ok());
        REQUIRE(world.step(kDt).ok());
    }
    PhysicsWorld world;
    samples::Churn churn{{.per_second = 200.0, .max_alive = 500}};
};

}  // namespace

TEST_CASE("a world that bodies come to and go from is the same on one, two and four threads") {
    std::vector<uint64_t> first;
    for (const uint32_t threads : {1u, 2u, 4u}) {
        ChurningWorld w(threads);
        for (size_t i = 0; i < 300; ++i) {
            w.step();
            if (threads == 1) first.push_back(w.world.state_hash());
            REQUIRE(w.world.state_hash() == first[i]);
        }
    }
}

TEST_CASE("a snapshot of a world that bodies come to and go from has the same future") {
    ChurningWorld w(1);
    for (int i = 0; i < 250; ++i) w.step();
    REQUIRE(w.churn.before_step(w.world, double(kDt)).ok());  // with changes that no step has seen
    engine::Snapshot snapshot;
    w.world.save(snapshot);
    const samples::Churn churn = w.churn;
    REQUIRE(w.world.step(kDt).ok());
    std::vector<uint64_t> future;
    for (int i = 0; i < 120; ++i) {
        w.step();
        future.push_back(w.world.state_hash());
    }
    ChurningWorld other(2);
    for (int i = 0; i < 33; ++i) other.step();
    for (ChurningWorld* again : {&w, &other}) {
        REQUIRE(again->world.restore(snapshot).ok());
        again->churn = churn;
        REQUIRE(again->world.step(kDt).ok());
        for (const uint64_t hash : future) {
            again->step();
            REQUIRE(again->world.state_hash() == hash);
        }
    }
}
