// SPDX-License-Identifier: MIT
// Bodies and colliders that change are brought up to date in their slots: the same world as from lists made anew, the
// same again after a snapshot, and nothing else is made anew.
#include <cstring>
#include <functional>
#include <vector>

#include "physics/simulation.h"
#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// A heap on a floor, and a post that bodies may touch.
struct Heap {
    TestWorld t;
    std::vector<ShapeId> shapes;

    explicit Heap(uint32_t threads) : t(threads) {
        Random random;
        t.floor();
        t.body(TestWorld::box({0.2f, 1.0f, 0.2f}), {.type = BodyType::fixed, .position = {0.0f, 1.0f, 0.0f}});
        for (int i = 0; i < 24; ++i) {
            const TestWorld::Options o{
                .position = {random.between(-1.2f, 1.2f), random.between(0.5f, 3.0f), random.between(-1.2f, 1.2f)}};
            if (random.below(2))
                t.body(TestWorld::box({0.2f, 0.15f, 0.25f}), o);
            else
                t.body(TestWorld::capsule(0.15f, 0.2f), o);
        }
        shapes = {t.shape(TestWorld::box(Vec3(0.2f))), t.shape(TestWorld::sphere(0.25f)),
                  t.shape(TestWorld::capsule(0.1f, 0.3f))};
    }
    Entity any_body(Random& random) {
        return t.world.bodies()[1 + random.below(uint32_t(t.world.bodies().size()) - 1)];
    }
    /// One change of one body, told or written silently.
    void change(Random& random) {
        entt::registry& r = t.world.registry();
        const Entity body = any_body(random), collider = t.world.colliders(body)[0];
        const bool tell = random.below(2) != 0;
        const auto write = [&]<class Component>(Entity entity, auto&& by, Component*) {
            if (tell)
                r.patch<Component>(entity, by);
            else
                by(r.get<Component>(entity));
        };
        const auto to_collider = [&](auto&& by) { write(collider, by, (Collider*)nullptr); };
        const auto to_body = [&](auto&& by) { write(body, by, (RigidBody*)nullptr); };
        const float x = random.between(0.0f, 1.0f);
        switch (random.below(14)) {
            case 0:
                return to_collider([&](Collider& c) { c.material.friction = x; });
            case 1:
                return to_collider([&](Collider& c) { c.mask = x < 0.5f ? 0u : 0xFFFFFFFFu; });
            case 2:
                return to_collider([&](Collider& c) { c.shape = shapes[size_t(2.99f * x)]; });
            case 3:
                return to_collider([&](Collider& c) { c.density = 100.0f + 2000.0f * x; });
            case 4:
                return to_collider([&](Collider& c) { c.local.position.x = 0.2f * x; });
            case 5:
                return to_body([&](RigidBody& b) { b.type = BodyType(int(2.99f * x)); });
            case 6:
                return to_body([&](RigidBody& b) { b.gravity_scale = x; });
            case 7:
                return to_body([&](RigidBody& b) { b.locked_axes = x < 0.5f ? 0 : kLockRotationX | kLockRotationZ; });
            case 8:
                return write(
                    body,
                    [&](Mass& m) {
                        m.source = MassSource::total;
                        m.mass = 1.0f + 50.0f * x;
                    },
                    (Mass*)nullptr);
            case 9:
                return to_collider([&](Collider& c) { c.material.surface_velocity.x = x < 0.5f ? 0.0f : x; });
            case 10:
                return to_collider([&](Collider& c) { c.material.rolling_friction = x < 0.5f ? 0.0f : 0.05f * x; });
            case 11:
                if (t.world.colliders(body).size() < 3)
                    REQUIRE(t.world.add_collider(body, {.shape = shapes[1], .local = {{x, 0.1f, 0.0f}}}).ok());
                return;
            case 12:
                if (t.world.colliders(body).size() < 2) return;
                if (tell)
                    REQUIRE(t.world.remove_collider(collider).ok());
                else
                    r.destroy(collider);
                return;
            default:
                if (r.all_of<Quarantined>(body))
                    r.remove<Quarantined>(body);
                else
                    r.emplace<Quarantined>(body);
        }
    }
};

}  // namespace

TEST_CASE("bodies changed in place step like those of lists made anew, alone and while others come and go") {
    for (uint32_t seed = 1; seed <= 4; ++seed) {
        CAPTURE(seed);
        Heap kept(1), anew(1);
        Random dice{seed};
        for (int i = 0; i < 150; ++i) {
            const uint32_t now = dice.below(100000);
            const bool comes = seed > 2 && dice.below(3) == 0;
            for (Heap* h : {&kept, &anew}) {
                Random random{now};
                h->change(random);
                if (random.below(3) == 0) h->change(random);
                if (comes) h->t.body(TestWorld::sphere(0.2f), {.position = {0.5f, 4.0f, 0.3f}});
                if (comes && random.below(2)) h->t.world.destroy_body(h->t.world.bodies().back());
            }
            // A stable id that goes and comes back: all lists are made anew.
            entt::registry& r = anew.t.world.registry();
            const Entity floor = anew.t.world.colliders(anew.t.world.bodies()[0])[0];
            const uint32_t id = r.get<StableId>(floor).value;
            r.remove<StableId>(floor);
            r.emplace<StableId>(floor, StableId{id});
            kept.t.step();
            anew.t.step();
            REQUIRE(kept.t.world.state_hash() == anew.t.world.state_hash());
            REQUIRE(kept.t.world.report().pairs == anew.t.world.report().pairs);
        }
    }
}

TEST_CASE("a world with changes that wait for their step has the same future after a snapshot, over any threads") {
    for (uint32_t seed = 1; seed <= 3; ++seed) {
        CAPTURE(seed);
        Heap one(1), two(2);
        Random dice{seed};
        for (int i = 0; i < 120; ++i) {
            const uint32_t now = dice.below(100000);
            for (Heap* h : {&one, &two}) {
                Random random{now};
                h->change(random);
            }
            if (dice.below(4) == 0) {  // one of them forgets what it has looked at
                engine::Snapshot snapshot;
                two.t.world.save(snapshot);
                REQUIRE(two.t.world.restore(snapshot).ok());
            }
            one.t.step();
            two.t.step();
            engine::Snapshot a, b;
            one.t.world.save(a);
            two.t.world.save(b);
            REQUIRE(a.bytes == b.bytes);
        }
    }
}

TEST_CASE("a change of one body makes no list anew, whether it is told or not") {
    Heap h(1);
    h.t.run(1.0f);
    const Simulation& s = h.t.world.simulation();
    const Entity body = h.t.world.bodies()[5], collider = h.t.world.colliders(body)[0];
    entt::registry& r = h.t.world.registry();
    const auto makes_nothing_anew = [&](const std::function<void()>& change) {
        h.t.run(3 * kDt);
        const uint64_t colliders = s.colliders.version, bodies = s.bodies.version;
        change();
        h.t.step();
        return s.colliders.version == colliders && s.bodies.version == bodies;
    };
    CHECK(makes_nothing_anew([&] { REQUIRE(h.t.world.set_filter(collider, 2, 3).ok()); }));
    CHECK(makes_nothing_anew([&] { REQUIRE(h.t.world.set_material(collider, Material{}).ok()); }));
    CHECK(makes_nothing_anew([&] { REQUIRE(h.t.world.set_shape(collider, h.shapes[0]).ok()); }));
    CHECK(makes_nothing_anew([&] { REQUIRE(h.t.world.set_gravity_scale(body, 0.5f).ok()); }));
    CHECK(makes_nothing_anew([&] { r.get<Collider>(collider).density = 500.0f; }));
    CHECK(makes_nothing_anew([&] { r.get<RigidBody>(body).gravity_scale = 0.7f; }));
    CHECK(makes_nothing_anew([&] { r.get<Mass>(body).source = MassSource::given; }));
    // Another type is another graph, but no other lists.
    const uint64_t colliders = s.colliders.version;
    REQUIRE(h.t.world.set_type(body, BodyType::fixed).ok());
    h.t.step();
    CHECK(s.colliders.version == colliders);
}

TEST_CASE("what is put elsewhere is found there, also in a step in which another body is written silently") {
    TestWorld t;
    const Entity slab =
        t.body(TestWorld::box({1.0f, 0.1f, 1.0f}), {.type = BodyType::fixed, .position = {0.0f, 0.0f, 0.0f}});
    const Entity ball = t.body(TestWorld::sphere(0.3f), {.position = {6.0f, 3.0f, 0.0f}});
    t.step();
    t.pose(slab).position.x = 6.0f;
    t.world.registry().get<RigidBody>(ball).gravity_scale = 0.9f;
    t.run(2.0f);
    CHECK(t.pose(ball).position.y == doctest::Approx(0.4f).epsilon(0.01));
}

TEST_CASE("a new collider that is given to a body of before, before its first step, is one of its own") {
    for (const bool tells : {false, true}) {
        TestWorld t;
        const Entity old = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 5.0f, 0.0f}});
        t.step();
        const Entity fresh = t.body(TestWorld::box(Vec3(0.5f)), {.position = {5.0f, 5.0f, 0.0f}});
        const auto other =
            t.world.add_collider(fresh, {.shape = t.shape(TestWorld::sphere(0.5f)), .local = {{1.0f, 0.0f, 0.0f}}});
        REQUIRE(other.ok());
        const auto give = [&](Collider& c) { c.body = old; };
        if (tells)
            t.world.registry().patch<Collider>(other.value(), give);
        else
            give(t.world.registry().get<Collider>(other.value()));
        t.step();
        const float ball = 1000.0f * 4.0f / 3.0f * kPi * 0.125f;
        CHECK(t.mass(old).mass == doctest::Approx(1000.0f + ball));
        CHECK(t.mass(old).center.x == doctest::Approx(ball / (1000.0f + ball)));
        CHECK(t.mass(fresh).mass == doctest::Approx(1000.0f));
        CHECK(t.world.colliders(old).size() == 2);
    }
}
