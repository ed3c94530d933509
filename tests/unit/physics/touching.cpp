// SPDX-License-Identifier: MIT
// When a pair touches: it begins with contact, and ends only when the gap can be seen. In between nothing flickers.
#include <cmath>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

struct Count {
    int begins = 0, ends = 0;
    void add(const PhysicsWorld& world) {
        begins += int(world.events().begin.size());
        ends += int(world.events().end.size());
    }
};

void weightless(TestWorld& t, bool wide) {
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f);
    s.sleeping = false;
    s.wide_kernels = wide;
    t.set(s);
}

/// A cube of side 1 above a floor, without gravity; it is moved by hand.
struct HeldCube {
    TestWorld t;
    Entity cube = kNoEntity;
    Count count;

    HeldCube(bool wide, float gap) {
        weightless(t, wide);
        t.floor();
        cube = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f + gap, 0.0f}});
    }
    void hold_at(float gap, int steps = 1) {
        for (int i = 0; i < steps; ++i) {
            t.pose(cube).position = Vec3(0.0f, 0.5f + gap, 0.0f);
            t.pose(cube).rotation = Quat(1.0f, 0.0f, 0.0f, 0.0f);
            t.velocity(cube) = {};
            t.step();
            count.add(t.world);
        }
    }
    bool touches() {
        bool any = false;
        for (const auto [entity, pair] : t.world.registry().view<ContactPair>().each()) any |= pair.touching != 0;
        return any;
    }
};

}  // namespace

TEST_CASE("a contact that opens by less than a millimetre still touches, one that opens further does not") {
    for (const bool wide : {true, false}) {
        CAPTURE(wide);
        HeldCube c(wide, -0.0001f);
        c.hold_at(-0.0001f);
        CHECK(c.count.begins == 1);
        CHECK(c.touches());
        // To and fro about zero, as the last bits of a contact at rest go.
        for (int i = 0; i < 10; ++i) {
            c.hold_at(0.0004f, 2);
            CHECK(c.touches());
            c.hold_at(-0.0001f);
            CHECK(c.touches());
        }
        CHECK(c.count.begins == 1);
        CHECK(c.count.ends == 0);
        c.hold_at(0.015f);  // within the distance at which contact points are kept
        CHECK_FALSE(c.touches());
        CHECK(c.count.begins == 1);
        CHECK(c.count.ends == 1);
    }
}

TEST_CASE("a contact that has not closed yet does not touch, however near it is") {
    for (const bool wide : {true, false}) {
        CAPTURE(wide);
        HeldCube c(wide, 0.01f);
        for (const float gap : {0.01f, 0.001f, 0.0004f, 0.0001f}) {
            c.hold_at(gap, 2);
            CHECK_FALSE(c.touches());
        }
        CHECK(c.count.begins == 0);
        c.hold_at(-0.0001f);
        CHECK(c.count.begins == 1);
        // And the other way round again after it has ended.
        c.hold_at(0.01f);
        CHECK(c.count.ends == 1);
        c.hold_at(0.0004f, 3);
        CHECK_FALSE(c.touches());
        CHECK(c.count.begins == 1);
    }
}

TEST_CASE("a cube that lies, rocks or slides begins to touch once and does not end") {
    struct Case {
        const char* name;
        Velocity velocity;
        Quat rotation;
    };
    const Case cases[] = {
        {"lies", {}, Quat(1.0f, 0.0f, 0.0f, 0.0f)},
        {"slides", {.linear = {2.0f, 0.0f, 0.0f}}, Quat(1.0f, 0.0f, 0.0f, 0.0f)},
        {"spins", {.angular = {0.0f, 4.0f, 0.0f}}, Quat(1.0f, 0.0f, 0.0f, 0.0f)},
    };
    for (const bool wide : {true, false}) {
        for (const Case& c : cases) {
            CAPTURE(wide);
            CAPTURE(c.name);
            TestWorld t;
            StepSettings s = t.settings();
            s.sleeping = false;
            s.wide_kernels = wide;
            t.set(s);
            t.floor();
            t.body(TestWorld::box(Vec3(0.5f)),
                   {.position = {0.0f, 0.5f, 0.0f}, .rotation = c.rotation, .velocity = c.velocity});
            Count count;
            for (int i = 0; i < 180; ++i) {
                t.step();
                count.add(t.world);
            }
            CHECK(count.begins == 1);
            CHECK(count.ends == 0);
        }
    }
}
