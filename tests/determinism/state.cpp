// SPDX-License-Identifier: MIT
// The same bits: for any number of threads, after a snapshot, and in a replay.
#include <cstdio>

#include "engine/play/play_session.h"
#include "samples/scenes/scenes.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// Balls, boxes, capsules and a hull tumbling into a heap: every pair type, islands that merge, sleepers, bounces.
void build_heap(TestWorld& t, int count) {
    t.floor(0.6f, 0.3f);
    ShapeDesc wedge;
    wedge.type = ShapeType::hull;
    wedge.points = {
        {-0.3f, -0.2f, -0.3f}, {0.3f, -0.2f, -0.3f}, {0.3f, -0.2f, 0.3f}, {-0.3f, -0.2f, 0.3f}, {0.0f, 0.4f, 0.0f}};
    const ShapeDesc shapes[] = {TestWorld::box({0.3f, 0.25f, 0.2f}), TestWorld::sphere(0.25f),
                                TestWorld::capsule(0.2f, 0.3f), wedge};
    for (int i = 0; i < count; ++i) {
        const float x = 0.31f * float(i % 5) - 0.6f, z = 0.29f * float((i / 5) % 5) - 0.6f,
                    y = 1.0f + 0.5f * float(i / 5);
        t.body(shapes[i % 4], {.position = {x, y, z},
                               .rotation = turn({1.0f, float(i % 3), 0.5f}, float(37 * i % 360)),
                               .restitution = i % 2 ? 0.4f : 0.0f});
    }
}

}  // namespace

TEST_CASE("one, two and four threads give the same state") {
    uint64_t first = 0;
    for (const uint32_t threads : {1u, 2u, 4u}) {
        TestWorld t(threads);
        build_heap(t, 150);
        t.run(3.0f);
        if (threads == 1) first = t.world.state_hash();
        CHECK(t.world.state_hash() == first);
    }
}

TEST_CASE(
    "a restored snapshot has the same future, bit for bit, also in another world and after other "
    "adventures") {
    TestWorld t;
    build_heap(t, 80);
    t.run(1.0f);
    engine::Snapshot snapshot;
    t.world.save(snapshot);
    t.run(2.0f);
    const uint64_t future = t.world.state_hash();

    // Adventures: bodies removed and added, everything pushed.
    t.world.destroy_body(t.world.bodies()[5]);
    t.body(TestWorld::sphere(0.4f), {.position = {0.0f, 5.0f, 0.0f}});
    for (auto [e, v] : t.world.registry().view<Velocity>().each()) v.linear.x += 1.0f;
    t.run(0.5f);
    CHECK(t.world.state_hash() != future);

    REQUIRE(t.world.restore(snapshot).ok());
    engine::Snapshot again;
    t.world.save(again);
    CHECK(again.bytes == snapshot.bytes);
    t.run(2.0f);
    CHECK(t.world.state_hash() == future);

    TestWorld other(2);
    build_heap(other, 80);
    REQUIRE(other.world.restore(snapshot).ok());
    other.run(2.0f);
    CHECK(other.world.state_hash() == future);
}

TEST_CASE("a restored snapshot of one large island has the same future, also while no contact changes") {
    // A raft on a turntable. It is cut into slabs by where bodies were when a contact last came or went;
    // while it turns as a whole none does, and bodies move across the planes.
    const auto build = [](TestWorld& t) {
        const Entity table = t.body(TestWorld::box({40.0f, 0.5f, 40.0f}),
                                    {.type = BodyType::kinematic, .position = {0.0f, -0.5f, 0.0f}});
        t.world.registry().patch<Velocity>(table, [](Velocity& v) { v.angular.y = 0.006f; });
        for (int layer = 0; layer < 2; ++layer)
            for (int x = 0; x < 30; ++x)
                for (int z = 0; z < 30; ++z)
                    t.body(TestWorld::box({0.5f, 0.5f, 0.5f}),
                           {.position = {1.001f * (float(x) - 14.5f) + float((7 * z + 11 * layer) % 30) / 30.0f,
                                         0.5f + float(layer), 1.001f * (float(z) - 14.5f + 0.4f * float(layer))}});
    };
    TestWorld t(2);
    build(t);
    for (int round = 0; round < 5; ++round) {
        t.run(0.3f);
        engine::Snapshot snapshot;
        t.world.save(snapshot);
        TestWorld other;
        build(other);
        REQUIRE(other.world.restore(snapshot).ok());
        t.run(0.25f);
        other.run(0.25f);
        CHECK(t.world.state_hash() == other.world.state_hash());
    }
}

TEST_CASE("sleeping bodies come back asleep") {
    TestWorld t;
    t.floor();
    const Entity box = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    t.run(3.0f);
    REQUIRE(t.world.registry().get<SleepState>(box).asleep == 1);
    engine::Snapshot snapshot;
    t.world.save(snapshot);
    t.velocity(box).linear.x = 2.0f;
    t.run(0.3f);
    REQUIRE(t.world.restore(snapshot).ok());
    t.run(1.0f);
    CHECK(t.world.registry().get<SleepState>(box).asleep == 1);
    engine::Snapshot later;
    t.world.save(later);
    CHECK(later.bytes.size() == snapshot.bytes.size());
}

TEST_CASE("a damaged snapshot is refused and the world goes on as if nothing had been asked") {
    TestWorld t;
    build_heap(t, 20);
    t.run(0.5f);
    engine::Snapshot snapshot;
    t.world.save(snapshot);
    const uint64_t hash = t.world.state_hash();
    for (const size_t keep : {size_t(0), size_t(3), snapshot.bytes.size() / 2, snapshot.bytes.size() - 1}) {
        engine::Snapshot cut;
        cut.bytes.assign(snapshot.bytes.begin(), snapshot.bytes.begin() + long(keep));
        CHECK_FALSE(t.world.restore(cut).ok());
        CHECK(t.world.state_hash() == hash);
    }
    engine::Snapshot now;
    t.world.save(now);
    CHECK(now.bytes == snapshot.bytes);
}

TEST_CASE("stopping a play session restores the physics world byte for byte, and stepping back is exact") {
    TestWorld t;
    build_heap(t, 40);
    t.run(0.5f);
    engine::Snapshot edit;
    t.world.save(edit);
    engine::PlaySession session(t.world.world(),
                                [&](engine::World&, uint64_t, double seconds) { return t.world.step(float(seconds)); });
    REQUIRE(session.play().ok());
    REQUIRE(session.pause().ok());
    std::vector<uint64_t> hashes{t.world.state_hash()};
    for (int i = 0; i < 20; ++i) {
        REQUIRE(session.step().ok());
        hashes.push_back(t.world.state_hash());
    }
    for (int i = 19; i >= 10; --i) {
        REQUIRE(session.step_back().ok());
        CHECK(t.world.state_hash() == hashes[size_t(i)]);
    }
    REQUIRE(session.stop().ok());
    engine::Snapshot after;
    t.world.save(after);
    CHECK(after.bytes == edit.bytes);
}

TEST_CASE("a recording replays without difference, and a changed one names the first step and body") {
    const TemporaryFolder folder;
    const std::string file = folder.file("dominoes.rec");
    auto scene = samples::make_scene("dominoes");
    REQUIRE_MESSAGE(scene.ok(), scene.error());
    PhysicsWorld world;
    REQUIRE(instantiate(scene.value(), world).ok());
    Recording recording;
    recording.begin(scene.value(), 1.0f / 60.0f);
    for (int i = 0; i < 60; ++i) {
        REQUIRE(world.step(1.0f / 60.0f).ok());
        recording.add_step(world);
    }
    REQUIRE(save_recording(recording, file).ok());
    const auto same = replay_recording(file, engine::make_threaded_jobs(2));
    REQUIRE_MESSAGE(same.ok(), same.error());
    CHECK(same->equal);
    CHECK(same->steps == 60);

    recording.step_hashes[40] ^= 1;
    recording.body_hashes[40 * recording.body_count + 3] ^= 1;
    REQUIRE(save_recording(recording, file).ok());
    const auto differs = replay_recording(file, engine::make_serial_jobs());
    REQUIRE(differs.ok());
    CHECK_FALSE(differs->equal);
    CHECK(differs->first_step == 41);
    CHECK_FALSE(differs->first_body.empty());
    std::remove(file.c_str());
    CHECK_FALSE(replay_recording(file, engine::make_serial_jobs()).ok());
}
