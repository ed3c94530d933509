// SPDX-License-Identifier: MIT
// A step that has done its like before asks for no memory.
#include <doctest/doctest.h>

#include <new>

#include "physics/physics.h"
#include "samples/scenes/scenes.h"
#include "tests/allocation/heap_counter.h"

using namespace proxima;
using namespace proxima::physics;

namespace {

/// Allocations in `counted` steps of a scene after `warm` steps.
long allocations_of(const char* name, int warm, int counted, uint32_t threads) {
    auto scene = samples::make_scene(name);
    REQUIRE_MESSAGE(scene.ok(), scene.error());
    PhysicsWorld world(engine::make_threaded_jobs(threads));
    REQUIRE(instantiate(scene.value(), world).ok());
    bool ok = true;
    for (int i = 0; i < warm; ++i) ok = world.step(1.0f / 60.0f).ok() && ok;
    const long before = test::heap_allocations();
    for (int i = 0; i < counted; ++i) ok = world.step(1.0f / 60.0f).ok() && ok;
    const long after = test::heap_allocations();
    REQUIRE(ok);
    return after - before;
}

}  // namespace

TEST_CASE("the counter counts") {
    if (!test::kCountsHeap) {
        MESSAGE("skipped: allocations are counted with glibc and without sanitizers only");
        return;
    }
    const long before = test::heap_allocations();
    const long bytes = test::heap_bytes();
    void* memory = ::operator new(100);  // called by name: a new-expression may be optimised away
    CHECK(test::heap_allocations() > before);
    CHECK(test::heap_bytes() >= bytes + 100);
    ::operator delete(memory);
    CHECK(test::heap_bytes() == bytes);
}

TEST_CASE("a warm step allocates nothing: a standing wall") { CHECK(allocations_of("pyramid20", 60, 60, 1) == 0); }

TEST_CASE("a warm step allocates nothing: an arch of hulls") { CHECK(allocations_of("arch25", 60, 60, 1) == 0); }

TEST_CASE("a warm step allocates nothing: balls still rolling in a box") {
    CHECK(allocations_of("marble_box", 360, 60, 1) == 0);
}

TEST_CASE("a warm step allocates nothing: rolling, torsional and grainy friction") {
    CHECK(allocations_of("felt", 150, 60, 1) == 0);
    CHECK(allocations_of("sledges", 30, 60, 1) == 0);
}

TEST_CASE("a warm step allocates nothing: conveyor belts") {
    // Lists grow three times before, between the steps 90 and 120, while the loads come to places where nothing was yet.
    CHECK(allocations_of("conveyor", 120, 60, 1) == 0);
}

TEST_CASE("a warm step allocates nothing: one-way platforms and a lift, and sensors") {
    CHECK(allocations_of("one_way", 200, 60, 1) == 0);
    CHECK(allocations_of("sensors", 300, 300, 1) == 0);
}

TEST_CASE("a warm step allocates nothing: rules of contacts on everything in a box of marbles") {
    PhysicsWorld world;
    REQUIRE(instantiate(samples::make_scene("marble_box").value(), world).ok());
    std::vector<Entity> bodies(world.bodies().begin(), world.bodies().end());
    for (size_t i = 0; i < bodies.size(); ++i) {
        ContactRules rules;
        rules.hit_speed = 0.01f;
        rules.force_threshold = 0.1f;
        rules.break_impulse = 1e9f;
        rules.modifiable = uint8_t(i % 2);
        REQUIRE(world.set_contact_rules(bodies[i], rules).ok());
        if (i % 5 == 4) REQUIRE(world.ignore_pair(bodies[i], bodies[i - 1]).ok());
    }
    size_t changed = 0, told = 0;
    world.set_contact_modifier([&](std::span<ModifiableContact> contacts) {
        for (ModifiableContact& c : contacts) c.friction = 0.3f;
        changed += contacts.size();
    });
    bool ok = true;
    for (int i = 0; i < 360; ++i) ok = world.step(1.0f / 60.0f).ok() && ok;
    const long before = test::heap_allocations();
    for (int i = 0; i < 60; ++i) {
        ok = world.step(1.0f / 60.0f).ok() && ok;
        told += world.events().force.size();
    }
    CHECK(test::heap_allocations() == before);
    CHECK(ok);
    CHECK(changed > 1000);
    CHECK(told > 1000);
}

TEST_CASE("a warm step allocates nothing on two threads") { CHECK(allocations_of("pyramid20", 120, 60, 2) == 0); }

TEST_CASE("saving the physics again and again allocates nothing, in full and as a difference") {
    auto scene = samples::make_scene("marble_box");
    REQUIRE_MESSAGE(scene.ok(), scene.error());
    PhysicsWorld world;
    REQUIRE(instantiate(scene.value(), world).ok());
    PhysicsSnapshot base, full, difference;
    bool ok = true;
    const auto save_each_step = [&] {
        for (int i = 0; i < 60; ++i) {
            ok = world.step(1.0f / 60.0f).ok() && ok;
            world.save_state(full);
            ok = world.save_state_since(base, difference).ok() && ok;
        }
    };
    for (int i = 0; i < 360; ++i) ok = world.step(1.0f / 60.0f).ok() && ok;
    world.save_state(base);
    for (int i = 0; i < 2; ++i) {
        save_each_step();
        ok = world.restore_state(base).ok() && ok;
    }
    long during_saves = 0;
    for (int i = 0; i < 60; ++i) {
        ok = world.step(1.0f / 60.0f).ok() && ok;
        const long before = test::heap_allocations();
        world.save_state(full);
        ok = world.save_state_since(base, difference).ok() && ok;
        during_saves += test::heap_allocations() - before;
    }
    CHECK(during_saves == 0);
    REQUIRE(ok);
}
