// SPDX-License-Identifier: MIT
// The game changes contacts between narrowphase and solve: as an array, once a step, and only where it asked for it.
#include <cmath>
#include <thread>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

Entity modifiable_floor(TestWorld& t, float friction = 0.6f, float restitution = 0.0f) {
    const Entity floor = t.floor(friction, restitution);
    REQUIRE(t.world.set_contact_rules(floor, {.modifiable = 1}).ok());
    return floor;
}

}  // namespace

TEST_CASE("a modifier sees the contacts that asked for it, once a step, as they are") {
    TestWorld t(3);
    const Entity floor = modifiable_floor(t);
    const Entity box = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}, .friction = 0.6f});
    const Entity upper = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 1.5f, 0.0f}});
    const std::thread::id stepping = std::this_thread::get_id();
    int calls = 0;
    t.world.set_contact_modifier([&](std::span<ModifiableContact> contacts) {
        ++calls;
        CHECK(std::this_thread::get_id() == stepping);
        REQUIRE(contacts.size() == 1);  // the one between the boxes did not ask
        const ModifiableContact& c = contacts[0];
        CHECK(c.body_a == floor);
        CHECK(c.body_b == box);
        CHECK(c.collider_a == t.world.colliders(floor)[0]);
        CHECK(c.collider_b == t.world.colliders(box)[0]);
        CHECK(c.normal.y == doctest::Approx(1.0f));
        CHECK(c.friction == doctest::Approx(0.6f));
        CHECK(c.restitution == 0.0f);
        CHECK(c.surface_velocity == Vec3(0.0f));
        CHECK(c.enabled == 1);
        REQUIRE(c.count == 4);
        for (uint32_t i = 0; i < 4; ++i) {
            CHECK(std::abs(c.points[i].y) < 0.01f);
            CHECK(std::abs(c.points[i].x) == doctest::Approx(0.5f).epsilon(0.01));
            CHECK(std::abs(c.separation[i]) < 0.02f);
        }
    });
    for (int i = 0; i < 10; ++i) t.step();
    CHECK(calls == 10);
    t.run(3.0f);
    CHECK(t.world.is_asleep(upper));
    const int before = calls;
    t.run(0.5f);
    CHECK(calls == before);  // nothing is solved
    t.world.set_contact_modifier({});
    REQUIRE(t.world.wake(box).ok());
    t.step();
    CHECK(calls == before);
}

TEST_CASE("friction, bounce and surface velocity of a modifier are those of a material with the same numbers") {
    for (const int what : {0, 1, 2})
        for (const float value : {0.0f, 0.1f, 0.35f, 0.9f}) {
            CAPTURE(what);
            CAPTURE(value);
            TestWorld modified, made;
            Entity bodies[2];
            for (TestWorld* t : {&modified, &made}) {
                const bool by_material = t == &made;
                const Entity floor = modifiable_floor(*t, 0.5f, 0.0f);
                Collider& collider = t->world.registry().get<Collider>(t->world.colliders(floor)[0]);
                if (by_material && what == 0) collider.material.friction = value;
                if (by_material && what == 1) collider.material.restitution = value;
                if (by_material && what == 2) collider.material.surface_velocity = {value, 0.0f, 2.0f * value};
                const ShapeDesc shape = what == 1 ? TestWorld::sphere(0.5f) : TestWorld::box(Vec3(0.5f));
                bodies[by_material] =
                    t->body(shape, {.position = {0.0f, what == 1 ? 3.0f : 0.5f, 0.0f},
                                    .velocity = {.linear = {what == 0 ? 4.0f : 0.0f, 0.0f, 0.0f}, .angular = {}},
                                    .friction = by_material && what == 0 ? value : 0.5f});
                if (!by_material)
                    t->world.set_contact_modifier([&, floor](std::span<ModifiableContact> contacts) {
                        for (ModifiableContact& c : contacts) {
                            if (what == 0) c.friction = value;
                            if (what == 1) c.restitution = value;
                            // Of b against a; the floor is a.
                            CHECK(c.body_a == floor);
                            if (what == 2) c.surface_velocity = {-value, 0.0f, -2.0f * value};
                        }
                    });
                t->run(1.2f);
            }
            const Vec3 difference = modified.pose(bodies[0]).position - made.pose(bodies[1]).position;
            CHECK(glm::length(difference) < 2e-3f);
            if (what == 2 && value > 0.0f) {
                modified.run(3.0f);
                CHECK_FALSE(modified.world.is_asleep(bodies[0]));
                CHECK(modified.velocity(bodies[0]).linear.z == doctest::Approx(2.0f * value).epsilon(0.01));
            }
        }
}

TEST_CASE("a contact that a modifier switches off is none, and is there again when it does not") {
    TestWorld t;
    const Entity floor = modifiable_floor(t);
    const Entity sinks = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}});
    const Entity stays = t.body(TestWorld::box(Vec3(0.5f)), {.position = {3.0f, 0.5f, 0.0f}});
    bool off = false;
    t.world.set_contact_modifier([&](std::span<ModifiableContact> contacts) {
        for (ModifiableContact& c : contacts)
            if (off && c.body_b == sinks) c.enabled = 0;
    });
    t.run(0.2f);
    off = true;
    t.step();
    REQUIRE(t.world.events().end.size() == 1);
    CHECK(t.world.events().end[0].body_b == sinks);
    CHECK(t.world.events().end[0].body_a == floor);
    t.run(0.3f);
    CHECK(t.pose(sinks).position.y == doctest::Approx(0.5f - 0.5f * kG * 0.317f * 0.317f).epsilon(0.1));
    CHECK(t.pose(stays).position.y == doctest::Approx(0.5f).epsilon(0.01));
    off = false;
    t.run(3.0f);
    CHECK(t.pose(sinks).position.y == doctest::Approx(0.5f).epsilon(0.05));
}

TEST_CASE("what a modifier says that makes no sense is told, and the contact is as its materials say") {
    for (const int what : {0, 1, 2, 3}) {
        TestWorld t;
        modifiable_floor(t);
        const Entity box =
            t.body(TestWorld::box(Vec3(0.5f)),
                   {.position = {0.0f, 0.5f, 0.0f}, .velocity = {.linear = {1.0f, 0.0f, 0.0f}, .angular = {}}});
        t.world.set_contact_modifier([&](std::span<ModifiableContact> contacts) {
            for (ModifiableContact& c : contacts) {
                if (what == 0) c.friction = std::nanf("");
                if (what == 1) c.restitution = 1.5f;
                if (what == 2) c.surface_velocity.x = std::numeric_limits<float>::infinity();
                if (what == 3) c.friction = -1.0f;
            }
        });
        t.step();
        CHECK(t.world.report().warnings.size() == 1);
        t.run(1.0f);
        CHECK(t.pose(box).position.x == doctest::Approx(0.5f / (0.6f * kG)).epsilon(0.05));
    }
}

TEST_CASE("with a modifier the same bits for any number of threads") {
    uint64_t first = 0;
    for (const uint32_t threads : {1u, 2u, 4u, 8u}) {
        TestWorld t(threads);
        modifiable_floor(t, 0.6f, 0.2f);
        for (int i = 0; i < 80; ++i)
            t.body(i % 2 ? TestWorld::sphere(0.25f) : TestWorld::box({0.3f, 0.2f, 0.25f}),
                   {.position = {0.4f * float(i % 6), 0.6f + 0.5f * float(i / 6), 0.1f * float(i % 3)}});
        t.world.set_contact_modifier([](std::span<ModifiableContact> contacts) {
            for (size_t k = 0; k < contacts.size(); ++k) {
                contacts[k].friction = 0.1f + 0.05f * float(k % 7);
                contacts[k].surface_velocity = {0.3f * float(k % 3), 0.0f, 0.0f};
                contacts[k].enabled = contacts[k].points[0].x > -1.0f;
            }
        });
        t.run(2.5f);
        if (threads == 1) first = t.world.state_hash();
        CHECK(t.world.state_hash() == first);
    }
}
