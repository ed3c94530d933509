// SPDX-License-Identifier: MIT
// Islands and colours are kept from step to step and changed where contacts come and go. Here they are
// compared with what a plain search finds in the registry.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "physics/graph/colours.h"
#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

bool is_dynamic(TestWorld& t, Entity body) { return t.world.registry().get<RigidBody>(body).type == BodyType::dynamic; }

/// Sets of dynamic bodies that contact points join, counting those with somebody awake.
uint32_t search_islands(TestWorld& t) {
    std::map<Entity, Entity> parent;
    const auto root = [&](Entity e) {
        while (parent[e] != e) e = parent[e];
        return e;
    };
    for (const Entity body : t.world.bodies())
        if (is_dynamic(t, body)) parent[body] = body;
    for (const ContactView& pair : t.world.contacts()) {
        if (!is_dynamic(t, pair.body_a) || !is_dynamic(t, pair.body_b)) continue;
        parent[root(pair.body_a)] = root(pair.body_b);
    }
    std::set<Entity> roots;
    for (const auto& [body, up] : parent)
        if (!t.world.registry().get<SleepState>(body).asleep) roots.insert(root(body));
    return uint32_t(roots.size());
}

/// No two manifolds of one colour share a body that can move, unless the colour is the one for what found
/// none. Returns how many found none.
uint32_t check_colours(TestWorld& t) {
    std::set<std::pair<Entity, uint32_t>> taken;
    uint32_t overflowing = 0;
    for (const ContactView& pair : t.world.contacts()) {
        const Manifold& manifold = *pair.manifold;
        const bool a = is_dynamic(t, pair.body_a), b = is_dynamic(t, pair.body_b);
        REQUIRE(manifold.colour < physics::kColourCount);
        REQUIRE(physics::is_immovable(manifold.colour) == !(a && b));
        if (physics::is_overflow(manifold.colour)) {
            ++overflowing;
            continue;
        }
        if (a) REQUIRE(taken.insert({pair.body_a, manifold.colour}).second);
        if (b) REQUIRE(taken.insert({pair.body_b, manifold.colour}).second);
    }
    return overflowing;
}

void without_sleep(TestWorld& t) {
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
}

}  // namespace

TEST_CASE("islands are what a plain search finds, while bodies fall, meet, part, come and go") {
    TestWorld t;
    t.floor();
    without_sleep(t);
    Random random;
    const ShapeDesc shapes[] = {TestWorld::box({0.3f, 0.25f, 0.2f}), TestWorld::sphere(0.25f),
                                TestWorld::capsule(0.2f, 0.3f)};
    std::vector<Entity> bodies;
    uint32_t least = 1000, most = 0;
    for (int step = 0; step < 400; ++step) {
        if (step % 4 == 0 && bodies.size() < 90)
            bodies.push_back(t.body(
                shapes[random.below(3)],
                {.position = {random.between(-2.0f, 2.0f), random.between(1.0f, 3.0f), random.between(-2.0f, 2.0f)}}));
        if (step % 11 == 10) {
            const uint32_t k = random.below(uint32_t(bodies.size()));
            t.world.destroy_body(bodies[k]);
            bodies.erase(bodies.begin() + k);
        }
        if (step % 7 == 3) t.velocity(bodies[random.below(uint32_t(bodies.size()))]).linear.y += 3.0f;
        t.step();
        const uint32_t found = search_islands(t);
        REQUIRE(t.world.report().islands == found);
        check_colours(t);
        if (step > 100) {
            least = std::min(least, found);
            most = std::max(most, found);
        }
    }
    CHECK(least < most);  // they did meet and part
}

TEST_CASE("a body that holds two groups together and leaves makes two islands of one") {
    TestWorld t;
    without_sleep(t);
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f);
    t.set(s);
    std::vector<Entity> row;
    for (int i = 0; i < 7; ++i)
        row.push_back(t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {1.0f * float(i), 0.0f, 0.0f}}));
    t.run(0.1f);
    CHECK(t.world.report().islands == 1);
    t.pose(row[3]).position.y = 10.0f;
    t.run(0.1f);
    CHECK(t.world.report().islands == 3);
    t.pose(row[3]).position.y = 0.0f;
    t.run(0.1f);
    CHECK(t.world.report().islands == 1);
}

TEST_CASE("a body with more neighbours than there are colours keeps all of them apart but the last colour's") {
    TestWorld t;
    without_sleep(t);
    // A plate that is a body with a hundred small ones on it, standing on the floor.
    t.floor();
    t.body(TestWorld::box({6.0f, 0.25f, 6.0f}), {.position = {0.0f, 0.25f, 0.0f}});
    std::vector<Entity> small;
    for (int x = 0; x < 10; ++x)
        for (int z = 0; z < 10; ++z)
            small.push_back(t.body(TestWorld::box({0.25f, 0.25f, 0.25f}),
                                   {.position = {1.1f * (float(x) - 4.5f), 0.75f, 1.1f * (float(z) - 4.5f)}}));
    t.run(0.2f);
    CHECK(check_colours(t) == 100 - (physics::kColoursPerKind - 1));
    // Where some leave, those that found no colour get theirs.
    for (int i = 0; i < 40; ++i) t.pose(small[size_t(i)]).position.y += 5.0f;
    t.step();
    t.step();
    CHECK(check_colours(t) == 0);
    t.run(1.5f);  // back on the plate
    CHECK(check_colours(t) == 100 - (physics::kColoursPerKind - 1));
    for (const Entity e : small) CHECK(std::abs(t.pose(e).position.y - 0.75f) < 0.02f);
}

TEST_CASE("sleeping islands do not count, and one touched by a falling body counts again") {
    TestWorld t;
    t.floor();
    for (int i = 0; i < 4; ++i) t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {3.0f * float(i), 0.5f, 0.0f}});
    t.run(4.0f);
    CHECK(t.world.report().islands == 0);
    CHECK(t.world.report().sleeping == 4);
    t.body(TestWorld::sphere(0.3f), {.position = {3.0f, 2.5f, 0.0f}});
    bool met = false;
    for (int step = 0; step < 50; ++step) {  // nobody falls asleep in them: the ball lands after thirty
        t.step();
        REQUIRE(t.world.report().islands == search_islands(t));
        met |= t.world.report().sleeping == 3;
    }
    CHECK(met);
}

TEST_CASE("what is changed of a sleeping body wakes it, and counts") {
    TestWorld t;
    t.floor();
    const Entity box = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    t.run(4.0f);
    REQUIRE(t.world.report().sleeping == 1);
    t.run(0.5f);
    // Without gravity, and pushed up by a force: it leaves the floor and flies on evenly.
    t.world.registry().get<RigidBody>(box).gravity_scale = 0.0f;
    t.run(0.2f);
    CHECK(t.world.report().sleeping == 0);
    CHECK(glm::length(t.velocity(box).linear) < 5e-3f);  // only the contact, which was pressed in by its weight
    t.world.registry().get<Force>(box).linear.y = 60.0f * t.mass(box).mass;
    t.step();
    const float speed = t.velocity(box).linear.y;
    CHECK(speed == doctest::Approx(1.0f).epsilon(0.01));
    t.run(1.0f);
    CHECK(t.velocity(box).linear.y == doctest::Approx(speed).epsilon(1e-4));
}

TEST_CASE("a sleeping body that is put elsewhere wakes there, each time") {
    TestWorld t;
    t.floor();
    const Entity box = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    for (int round = 0; round < 3; ++round) {
        t.run(4.0f);
        REQUIRE(t.world.report().sleeping == 1);
        t.pose(box).position.y = 1.5f;
        t.step();
        CHECK(t.world.report().sleeping == 0);
        t.run(0.3f);
        CHECK(t.pose(box).position.y < 1.3f);
    }
}
