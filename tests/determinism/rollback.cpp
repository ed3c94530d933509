// SPDX-License-Identifier: MIT
// Rollback: physics goes back to a saved moment, bit for bit, and the rest of the registry does not notice.
#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "engine/core/hash.h"
#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// What a game keeps on its entities, bodies or not.
struct Score {
    int points = 0;
};

struct Counter {
    int constructed = 0, destroyed = 0;
    void on_construct(entt::registry&, Entity) { ++constructed; }
    void on_destroy(entt::registry&, Entity) { ++destroyed; }
    template <class T>
    void watch(entt::registry& registry) {
        registry.on_construct<T>().template connect<&Counter::on_construct>(*this);
        registry.on_destroy<T>().template connect<&Counter::on_destroy>(*this);
    }
};

ShapeDesc wedge() {
    ShapeDesc d;
    d.type = ShapeType::hull;
    d.points = {
        {-0.3f, -0.2f, -0.3f}, {0.3f, -0.2f, -0.3f}, {0.3f, -0.2f, 0.3f}, {-0.3f, -0.2f, 0.3f}, {0.0f, 0.4f, 0.0f}};
    return d;
}

/// Bodies of every shape thrown into a heap, joints, rules, sensors, a stack that sleeps and one that is solved
/// directly, a kinematic paddle, a body that will be quarantined.
void build(TestWorld& t, uint64_t seed) {
    Random random{uint32_t(seed)};
    StepSettings settings = t.settings();
    settings.sleep_time = 0.2f;
    t.set(settings);
    t.floor(0.6f, 0.2f);
    const ShapeId shapes[] = {t.shape(TestWorld::sphere(0.25f)), t.shape(TestWorld::box({0.3f, 0.2f, 0.25f})),
                              t.shape(TestWorld::capsule(0.15f, 0.25f)), t.shape(wedge())};
    for (int i = 0; i < 5; ++i)
        t.body(TestWorld::box({0.4f, 0.25f, 0.4f}), {.position = {8.0f, 0.25f + 0.5f * float(i), 0.0f}});
    for (int i = 0; i < 3; ++i)
        t.body(TestWorld::box({0.3f, 0.3f, 0.3f}), {.position = {-8.0f, 0.3f, 2.0f * float(i)}});
    t.body(TestWorld::box({1.5f, 0.3f, 0.2f}),
           {.type = BodyType::kinematic, .position = {0.0f, 0.4f, 0.0f}, .velocity = {.angular = {0.0f, 1.0f, 0.0f}}});
    std::vector<Entity> thrown;
    for (int i = 0; i < 50; ++i) {
        BodyDesc b;
        b.pose = {{random.between(-2.0f, 2.0f), random.between(0.8f, 5.0f), random.between(-2.0f, 2.0f)},
                  turn({random.between(-1.0f, 1.0f), 1.0f, 0.2f}, random.between(0.0f, 360.0f))};
        b.velocity.linear = {random.between(-1.0f, 1.0f), random.between(-2.0f, 2.0f), random.between(-1.0f, 1.0f)};
        b.colliders = {{.shape = shapes[i % 4]}};
        if (i % 5 == 0) b.colliders[0].material.rolling_friction = 0.01f;
        if (i % 6 == 0) b.colliders.push_back({.shape = shapes[0], .local = {{0.0f, 0.4f, 0.0f}}, .is_sensor = 1});
        if (i % 9 == 0) b.contact_rules = {{.hit_speed = 0.5f, .force_threshold = 300.0f}};
        if (i % 9 == 4) b.contact_rules = {{.break_impulse = 60.0f}};
        const auto body = t.world.create_body(b);
        REQUIRE(body.ok());
        thrown.push_back(body.value());
    }
    for (int i = 0; i + 1 < 12; i += 2) {
        const Entity a = thrown[size_t(i)], b = thrown[size_t(i + 1)];
        if (i % 4 == 0)
            REQUIRE(t.world.create_joint(BallJoint{.body_a = a, .body_b = b, .anchor_a = {0.4f, 0.0f, 0.0f}}).ok());
        else
            REQUIRE(t.world.create_joint(DistanceJoint{.body_a = a, .body_b = b}).ok());
    }
    REQUIRE(t.world.set_solver(thrown[40], "nncg", 1e-4f).ok());
    REQUIRE(t.world.set_solver(t.world.bodies()[7], "nncg", 1e-4f).ok());
    REQUIRE(t.world.ignore_pair(thrown[20], thrown[21]).ok());
    for (size_t i = 0; i < thrown.size(); i += 3) t.world.registry().emplace<Score>(thrown[i], int(i));
}

/// What a game does before some steps, from the number of the step alone.
void play(TestWorld& t, uint64_t step) {
    const auto bodies = t.world.bodies();
    const auto pick = [&](uint64_t k) { return bodies[size_t(10 + k % (bodies.size() - 10))]; };
    if (step % 13 == 4) {
        BodyDesc b;
        b.pose.position = {0.3f * float(step % 5), 4.0f, 0.2f * float(step % 3)};
        b.colliders = {{.shape = ShapeId{uint32_t(1 + step % 3)}}};
        REQUIRE(t.world.create_body(b).ok());
    }
    if (step % 17 == 7) t.world.destroy_body(pick(step));
    if (step % 19 == 3) (void)t.world.apply_impulse(pick(step * 3), {30.0f, 60.0f, 0.0f});
    if (step % 29 == 11) {
        const Entity a = pick(step), b = pick(step + 5);
        if (a != b)
            (void)t.world.create_joint(
                BallJoint{.body_a = a, .body_b = b, .anchor_b = {0.0f, 1.0f, 0.0f}, .hertz = 3.0f});
    }
    if (step == 31) t.world.registry().get<Velocity>(pick(7)).linear.x = std::numeric_limits<float>::quiet_NaN();
}

/// What does not name an entity by its identifier, which a game that makes and destroys others may change.
uint64_t tell(const PhysicsWorld& world) {
    StateHash hash;
    const auto& registry = world.registry();
    const auto id = [&](Entity e) {
        hash.add(registry.valid(e) && registry.all_of<StableId>(e) ? registry.get<StableId>(e).value : 0);
    };
    const ContactEvents events = world.events();
    for (const auto& e : events.begin) id(e.collider_a), id(e.collider_b), id(e.body_a);
    for (const auto& e : events.end) id(e.collider_a), id(e.collider_b), id(e.body_b);
    for (const auto& e : events.hit)
        id(e.collider_a), hash.add(e.point), hash.add(e.normal_impulse), hash.add(e.tangent_impulse);
    for (const auto& e : events.force) id(e.collider_b), hash.add(e.force), hash.add(e.point);
    for (const auto& e : events.broken)
        id(e.collider), id(e.other_collider), hash.add(e.impulse), hash.add(e.unbroken_impulse);
    for (const auto& e : events.sensor_begin) id(e.sensor), id(e.other);
    for (const auto& e : events.sensor_end) id(e.sensor), id(e.other);
    for (const ContactView& c : world.contacts()) {
        id(c.collider_a), id(c.collider_b), hash.add(uint32_t(c.touching)), hash.add(c.manifold->count);
        hash.add(c.manifold->normal), hash.add(c.manifold->tangent1), hash.add(c.manifold->tangent2);
        for (uint32_t k = 0; k < c.manifold->count; ++k) {
            const ManifoldPoint& p = c.manifold->points[k];
            hash.add(p.lambda), hash.add(p.impulse), hash.add(p.point), hash.add(p.separation),
                hash.add(p.approach_speed);
        }
    }
    for (const Entity body : world.bodies()) {
        id(body);
        hash.add(uint32_t(world.is_asleep(body)));
    }
    hash.add(uint32_t(world.step_number()));
    hash.add(uint32_t(events.step));
    return hash.value() ^ world.state_hash();
}

constexpr uint64_t kSteps = 90;

/// What every step of the game told, from the first one on.
std::vector<uint64_t> play_through(uint64_t seed, std::vector<PhysicsSnapshot>* snapshots) {
    TestWorld t;
    build(t, seed);
    std::vector<uint64_t> told;
    while (t.world.step_number() < kSteps) {
        if (snapshots) t.world.save_state(snapshots->emplace_back());
        play(t, t.world.step_number());
        t.step();
        told.push_back(tell(t.world));
    }
    return told;
}

}  // namespace

TEST_CASE("after a restore of the physics everything happens again, bit for bit, on one to eight threads") {
    std::vector<PhysicsSnapshot> snapshots;
    for (const uint64_t seed : {1u, 2u}) {
        snapshots.clear();
        const std::vector<uint64_t> told = play_through(seed, &snapshots);
        for (const uint32_t threads : {1u, 3u, 8u}) {
            CAPTURE(threads);
            TestWorld t(threads);
            build(t, seed);
            Random random{uint32_t(100 + threads)};
            for (int round = 0; round < 12; ++round) {
                const uint64_t from = random.below(uint32_t(kSteps));
                CAPTURE(from);
                const Result<void> restored = t.world.restore_state(snapshots[from]);
                REQUIRE_MESSAGE(restored.ok(), restored.error());
                REQUIRE(t.world.step_number() == from);
                CHECK(t.world.events().begin.empty());
                for (uint64_t step = from; step < std::min(from + 1 + random.below(30), kSteps); ++step) {
                    play(t, step);
                    t.step();
                    REQUIRE(tell(t.world) == told[step]);
                }
            }
        }
    }
}

TEST_CASE("a late input gives what it would have given in time") {
    const auto push = [](TestWorld& t) {
        REQUIRE(t.world.apply_impulse(t.world.bodies()[30], {0.0f, 200.0f, 50.0f}).ok());
    };
    TestWorld in_time, late;
    for (TestWorld* t : {&in_time, &late}) build(*t, 5);
    std::vector<PhysicsSnapshot> ring(8);
    for (uint64_t step = 0; step < 40; ++step) {
        if (step == 33) push(in_time);
        play(in_time, step);
        in_time.step();
        late.world.save_state(ring[step % ring.size()]);
        play(late, step);
        late.step();
    }
    CHECK(late.world.state_hash() != in_time.world.state_hash());
    REQUIRE(late.world.restore_state(ring[33 % ring.size()]).ok());
    push(late);
    for (uint64_t step = 33; step < 40; ++step) {
        play(late, step);
        late.step();
    }
    CHECK(tell(late.world) == tell(in_time.world));
}

TEST_CASE("a restore of the physics leaves the game's components and entities, and what stays hears nothing") {
    TestWorld t;
    build(t, 3);
    t.run(0.5f);
    entt::registry& registry = t.world.registry();
    const Entity camera = registry.create();
    registry.emplace<Score>(camera, 77);
    registry.emplace<Pose>(camera, Pose{{1.0f, 2.0f, 3.0f}});  // of no body
    PhysicsSnapshot snapshot;
    t.world.save_state(snapshot);
    const uint64_t hash = t.world.state_hash();
    std::map<Entity, int> points;
    for (const auto [entity, score] : registry.view<Score>().each()) points[entity] = score.points;
    const size_t bodies = t.world.bodies().size(), colliders = registry.view<Collider>().size();

    // Two bodies go, one comes; the game makes entities and scores.
    const Entity lost = t.world.bodies()[20], other = t.world.bodies()[25];
    const Entity kept_collider = t.world.colliders(t.world.bodies()[15])[0];
    const Entity loose = t.world.colliders(t.world.bodies()[16])[0];
    t.world.destroy_body(lost);
    REQUIRE(t.world.remove_collider(loose).ok());
    registry.get<Pose>(camera).position.x = 9.0f;
    const Entity later = t.body(TestWorld::sphere(0.3f), {.position = {0.0f, 6.0f, 0.0f}});
    registry.emplace_or_replace<Score>(other, 5);
    points[other] = 5;
    if (registry.all_of<Score>(t.world.bodies()[30])) registry.get<Score>(t.world.bodies()[30]).points = 4;
    if (registry.all_of<Score>(t.world.bodies()[30])) points[t.world.bodies()[30]] = 4;
    points.erase(lost);
    t.run(0.3f);

    Counter of_bodies, of_colliders, of_poses, of_scores;
    of_bodies.watch<RigidBody>(registry);
    of_colliders.watch<Collider>(registry);
    of_poses.watch<Pose>(registry);
    of_scores.watch<Score>(registry);
    const Pose* kept = &registry.get<Pose>(t.world.bodies()[15]);
    REQUIRE(t.world.restore_state(snapshot).ok());
    CHECK(t.world.state_hash() == hash);
    CHECK(t.world.renamed_entities().empty());
    CHECK(of_bodies.constructed == 1);
    CHECK(of_bodies.destroyed == 1);
    CHECK(of_poses.constructed == 1);
    CHECK(of_poses.destroyed == 1);
    CHECK(of_colliders.constructed >= 2);  // that of the lost body, and the loose one
    CHECK(of_colliders.constructed <= 3);
    CHECK(of_colliders.destroyed == 1);
    CHECK(of_scores.constructed == 0);
    CHECK(of_scores.destroyed == 0);
    CHECK(kept == &registry.get<Pose>(t.world.bodies()[15]));
    CHECK(registry.valid(lost));
    CHECK(registry.all_of<RigidBody>(lost));
    CHECK_FALSE(registry.valid(later));
    CHECK(registry.valid(loose));
    CHECK(t.world.colliders(t.world.bodies()[15])[0] == kept_collider);
    CHECK(t.world.bodies().size() == bodies);
    CHECK(registry.view<Collider>().size() == colliders);
    CHECK(registry.get<Pose>(camera).position.x == 9.0f);
    std::map<Entity, int> after;
    for (const auto [entity, score] : registry.view<Score>().each()) after[entity] = score.points;
    CHECK(after == points);
}

TEST_CASE("a body whose identifier the game has given away comes back under another one, and all goes on as before") {
    TestWorld plain, t;
    for (TestWorld* w : {&plain, &t}) {
        build(*w, 4);
        w->run(0.4f);
    }
    entt::registry& registry = t.world.registry();
    PhysicsSnapshot snapshot;
    t.world.save_state(snapshot);
    // A chain of joints hangs on the first ones thrown: bodies, colliders and joints go, and their indices are used.
    for (const size_t k : {size_t(10), size_t(11), size_t(14)}) t.world.destroy_body(t.world.bodies()[k]);
    std::vector<Entity> squatters;
    for (int i = 0; i < 40; ++i) squatters.push_back(registry.create());
    for (const Entity e : squatters) registry.emplace<Score>(e, 1);
    for (int round = 0; round < 3; ++round) {
        REQUIRE(t.world.restore_state(snapshot).ok());
        for (const Entity e : squatters) {
            REQUIRE(registry.valid(e));
            CHECK_FALSE(registry.any_of<StableId, RigidBody, Collider, ContactPair>(e));
        }
        CHECK(t.world.renamed_entities().size() >= 3);
        for (const RenamedEntity& one : t.world.renamed_entities()) CHECK(registry.valid(one.now));
        PhysicsWorld& w = plain.world;
        PhysicsSnapshot start;
        w.save_state(start);
        for (int i = 0; i < 30; ++i) {
            t.step();
            plain.step();
            REQUIRE(tell(t.world) == tell(w));
        }
        REQUIRE(w.restore_state(start).ok());
    }
}

TEST_CASE("a difference to an earlier snapshot restores the same as a full one, and what sleeps costs nothing in it") {
    TestWorld t;
    build(t, 6);
    t.run(0.3f);
    PhysicsSnapshot base, full, difference;
    t.world.save_state(base);
    for (int k = 0; k < 6; ++k) {
        CAPTURE(k);
        for (int i = 0; i < 4; ++i) {
            play(t, t.world.step_number());
            t.step();
        }
        t.world.save_state(full);
        REQUIRE(t.world.save_state_since(base, difference).ok());
        CHECK(difference.bytes.size() < full.bytes.size());
        const uint64_t now = tell(t.world);
        t.run(0.1f);
        const uint64_t then = tell(t.world);
        REQUIRE(t.world.restore_state(base, difference).ok());
        PhysicsSnapshot again;
        t.world.save_state(again);
        CHECK(again.bytes == full.bytes);
        t.run(0.1f);
        CHECK(tell(t.world) == then);
        REQUIRE(t.world.restore_state(base, difference).ok());
        (void)now;
    }
    SUBCASE("neither is taken for the other") {
        CHECK_FALSE(t.world.restore_state(difference).ok());
        CHECK_FALSE(t.world.restore_state(base, full).ok());
        CHECK_FALSE(t.world.restore_state(full, difference).ok());
        CHECK_FALSE(t.world.save_state_since(difference, full).ok());
    }
    SUBCASE("asleep") {
        TestWorld still;
        still.floor();
        for (int i = 0; i < 400; ++i)
            still.body(TestWorld::box({0.5f, 0.5f, 0.5f}),
                       {.position = {2.0f * float(i % 20), 0.5f, 2.0f * float(i / 20)}});
        still.run(2.0f);
        REQUIRE(still.world.is_asleep(still.world.bodies().back()));
        still.world.save_state(base);
        still.run(0.5f);
        REQUIRE(still.world.save_state_since(base, difference).ok());
        CHECK(difference.bytes.size() < 700);  // settings and counters, whatever the number of bodies
    }
}

TEST_CASE("a world with the same shapes in another order takes a snapshot; a missing one is named") {
    const ShapeDesc descs[] = {TestWorld::sphere(0.3f), TestWorld::box({0.3f, 0.2f, 0.4f}), wedge()};
    const auto fill = [&](TestWorld& t, std::initializer_list<int> order) {
        for (const int k : order) t.shape(descs[k]);
    };
    TestWorld t, other, poor;
    fill(t, {0, 1, 2});
    fill(other, {2, 0, 1});
    fill(poor, {0, 1});
    t.floor();
    other.shape(TestWorld::box({50.0f, 1.0f, 50.0f}));
    poor.shape(TestWorld::box({50.0f, 1.0f, 50.0f}));
    for (int i = 0; i < 12; ++i) t.body(descs[i % 3], {.position = {0.1f * float(i), 0.5f + 0.8f * float(i), 0.0f}});
    t.run(0.5f);
    PhysicsSnapshot snapshot;
    t.world.save_state(snapshot);
    const Result<void> taken = other.world.restore_state(snapshot);
    REQUIRE_MESSAGE(taken.ok(), taken.error());
    const Result<void> refused = poor.world.restore_state(snapshot);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().find("shape") != std::string::npos);
    CHECK(poor.world.bodies().empty());
    t.run(1.0f);
    other.run(1.0f);
    CHECK(t.world.state_hash() == other.world.state_hash());
}

TEST_CASE("a damaged, cut or foreign snapshot of the physics is refused and nothing has changed") {
    TestWorld t;
    build(t, 7);
    t.run(0.3f);
    PhysicsSnapshot snapshot;
    t.world.save_state(snapshot);
    t.run(0.1f);
    const uint64_t told = tell(t.world);
    const auto refuse = [&](const PhysicsSnapshot& bytes) {
        const Result<void> restored = t.world.restore_state(bytes);
        REQUIRE_FALSE(restored.ok());
        CHECK(restored.error().back() == '.');
        CHECK(tell(t.world) == told);
    };
    for (const size_t keep : {size_t(0), size_t(7), size_t(20), snapshot.bytes.size() / 2, snapshot.bytes.size() - 1}) {
        PhysicsSnapshot cut = snapshot;
        cut.bytes.resize(keep);
        refuse(cut);
        update_checksum(cut);
        refuse(cut);
    }
    for (size_t at = 0; at < snapshot.bytes.size(); at += 1 + snapshot.bytes.size() / 50) {
        PhysicsSnapshot flipped = snapshot;
        flipped.bytes[at] ^= std::byte(16);
        refuse(flipped);
    }
    engine::Snapshot whole;
    t.world.save(whole);
    refuse({whole.bytes});
    PhysicsSnapshot longer = snapshot;
    longer.bytes.push_back(std::byte(0));
    update_checksum(longer);
    refuse(longer);
}

TEST_CASE("a full snapshot of the physics of a pile takes less than a quarter of that of a whole world") {
    TestWorld t;
    t.floor();
    const ShapeDesc descs[] = {TestWorld::box({0.25f, 0.25f, 0.25f}), TestWorld::sphere(0.3f),
                               TestWorld::capsule(0.2f, 0.25f)};
    for (const ShapeDesc& d : descs) t.shape(d);
    for (int i = 0; i < 400; ++i) {
        BodyDesc b;
        b.pose = {{0.55f * float(i % 5), 0.5f + 0.6f * float(i / 25), 0.55f * float(i / 5 % 5)},
                  turn({1.0f, float(i % 3), 0.5f}, float(37 * i % 360))};
        b.colliders = {{.shape = ShapeId{uint32_t(1 + i % 3)}}};
        REQUIRE(t.world.create_body(b).ok());
    }
    engine::Snapshot whole;
    PhysicsSnapshot full;
    for (int k = 0; k < 3; ++k) {
        t.run(0.7f);
        t.world.save(whole);
        t.world.save_state(full);
        CHECK(4 * full.bytes.size() < whole.bytes.size());
    }
}

TEST_CASE("a world that made its bodies under other identifiers takes a snapshot, and keeps its own") {
    TestWorld t, other;
    build(t, 8);
    std::vector<Entity> cameras;
    for (int i = 0; i < 7; ++i) cameras.push_back(other.world.registry().create());
    for (const Entity camera : cameras) other.world.registry().emplace<Score>(camera, 3);
    build(other, 8);
    const Entity first = other.world.bodies()[0], last = other.world.bodies().back();
    t.run(0.8f);
    for (int i = 0; i < 400; ++i)  // where the contact pairs are in the other world
        other.world.registry().emplace<Score>(cameras.emplace_back(other.world.registry().create()), 3);
    PhysicsSnapshot snapshot;
    t.world.save_state(snapshot);
    const Result<void> restored = other.world.restore_state(snapshot);
    REQUIRE_MESSAGE(restored.ok(), restored.error());
    CHECK(other.world.bodies()[0] == first);
    CHECK(other.world.bodies().back() == last);
    for (const Entity camera : cameras) {
        REQUIRE(other.world.registry().valid(camera));
        CHECK_FALSE(other.world.registry().any_of<StableId, RigidBody, Collider, ContactPair>(camera));
        CHECK(other.world.registry().all_of<Score>(camera));
    }
    for (int i = 0; i < 40; ++i) {
        t.step();
        other.step();
        REQUIRE(tell(other.world) == tell(t.world));
    }
}
