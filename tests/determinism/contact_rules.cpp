// SPDX-License-Identifier: MIT
// Every rule of contacts at once: the same bits and the same events for any number of threads, and after a snapshot
// anywhere on the way.
#include <algorithm>
#include <vector>

#include "engine/core/hash.h"
#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

constexpr int kSteps = 200;

void build(TestWorld& t) {
    Random random{77};
    t.floor(0.5f, 0.2f);
    const ShapeId shapes[] = {t.shape(TestWorld::sphere(0.25f)), t.shape(TestWorld::box({0.3f, 0.2f, 0.25f})),
                              t.shape(TestWorld::capsule(0.15f, 0.25f))};
    const ShapeId slab = t.shape(TestWorld::box({1.0f, 0.1f, 1.0f}));
    for (int i = 0; i < 9; ++i) {
        BodyDesc b;
        b.type = i % 3 == 2 ? BodyType::kinematic : BodyType::fixed;
        b.pose = {{2.1f * float(i % 3) - 2.1f, 1.5f + float(i / 3), 1.3f * float(i / 3) - 1.3f},
                  turn({1.0f, 0.0f, 0.4f}, 5.0f * float(i))};
        if (i % 3 == 2) b.velocity = {.linear = {0.0f, 0.2f, 0.0f}, .angular = {0.0f, 0.5f, 0.0f}};
        b.colliders = {{.shape = slab, .is_sensor = uint8_t(i % 4 == 3)}};
        ContactRules rules;
        if (i % 4 == 0) rules.one_way = {0.0f, 1.0f, 0.0f};
        if (i % 4 == 1) rules.break_impulse = 40.0f + 10.0f * float(i);
        if (i % 4 == 2) rules.force_threshold = 500.0f;
        b.contact_rules = {rules};
        REQUIRE(t.world.create_body(b).ok());
    }
    for (int i = 0; i < 70; ++i) {
        BodyDesc b;
        b.pose = {{random.between(-3.0f, 3.0f), random.between(0.5f, 7.0f), random.between(-2.5f, 2.5f)},
                  turn({random.between(-1.0f, 1.0f), 1.0f, 0.2f}, random.between(0.0f, 360.0f))};
        b.velocity.linear = {random.between(-2.0f, 2.0f), random.between(-3.0f, 6.0f), random.between(-2.0f, 2.0f)};
        b.colliders = {{.shape = shapes[i % 3],
                        .group = int16_t(i % 7 == 0    ? -1
                                         : i % 11 == 0 ? 2
                                                       : 0),
                        .events = uint8_t(random.below(4))}};
        if (i % 6 == 0) b.colliders.push_back({.shape = shapes[0], .local = {{0.0f, 0.4f, 0.0f}}, .is_sensor = 1});
        if (i % 9 == 0) b.contact_rules = {{.hit_speed = 0.5f, .modifiable = 1}};
        REQUIRE(t.world.create_body(b).ok());
    }
    const auto bodies = t.world.bodies();
    for (int i = 0; i < 20; ++i) REQUIRE(t.world.ignore_pair(bodies[size_t(20 + i)], bodies[size_t(50 + i)]).ok());
    t.world.set_contact_modifier([](std::span<ModifiableContact> contacts) {
        for (ModifiableContact& c : contacts) {
            c.friction *= 0.25f;
            c.surface_velocity = {0.5f, 0.0f, 0.0f};
            c.enabled = c.points[0].x < 2.0f;
        }
    });
}

/// What a game does in some steps, from the number of the step alone.
void interfere(TestWorld& t, int step) {
    const auto bodies = t.world.bodies();
    if (step % 23 == 5) (void)t.world.ignore_pair(bodies[size_t(step % 60) + 10], bodies[size_t(step % 31) + 40]);
    if (step % 23 == 15)
        (void)t.world.stop_ignoring_pair(bodies[size_t((step - 10) % 60) + 10], bodies[size_t((step - 10) % 31) + 40]);
    if (step % 37 == 11) {
        const Entity collider = t.world.colliders(bodies[size_t(step % 50) + 10])[0];
        Collider& c = t.world.registry().get<Collider>(collider);
        c.is_sensor = !c.is_sensor;
    }
    if (step % 41 == 20) REQUIRE(t.world.set_contact_rules(bodies[1], {.one_way = {0.0f, 0.0f, 1.0f}}).ok());
    if (step % 41 == 30) REQUIRE(t.world.set_contact_rules(bodies[6], {.break_impulse = 20.0f}).ok());
}

struct Counts {
    size_t begin = 0, hit = 0, force = 0, broken = 0, sensor_begin = 0, sensor_end = 0;
};

uint64_t events_hash(const ContactEvents& events, Counts& counts) {
    StateHash hash;
    const auto add = [&](const auto& list) {
        for (const auto& e : list)
            for (size_t k = 0; k < sizeof(e); k += 4) {
                uint32_t word = 0;
                std::memcpy(&word, reinterpret_cast<const char*>(&e) + k, 4);
                hash.add(word);
            }
    };
    add(events.begin), add(events.end), add(events.hit), add(events.force), add(events.broken),
        add(events.sensor_begin), add(events.sensor_end);
    counts.begin += events.begin.size();
    counts.hit += events.hit.size();
    counts.force += events.force.size();
    counts.broken += events.broken.size();
    counts.sensor_begin += events.sensor_begin.size();
    counts.sensor_end += events.sensor_end.size();
    return hash.value();
}

}  // namespace

TEST_CASE("all rules of contacts at once: the same bits and events on one to eight threads, and from a snapshot on") {
    std::vector<std::pair<uint64_t, uint64_t>> first;
    std::vector<engine::Snapshot> snapshots;
    Counts counts;
    for (uint32_t threads = 1; threads <= 8; ++threads) {
        CAPTURE(threads);
        TestWorld t(threads);
        build(t);
        for (int i = 0; i < kSteps; ++i) {
            if (threads == 1 && i % 10 == 3) t.world.save(snapshots.emplace_back());
            interfere(t, i);
            t.step();
            Counts own;
            const std::pair<uint64_t, uint64_t> now{t.world.state_hash(),
                                                    events_hash(t.world.events(), threads == 1 ? counts : own)};
            if (threads == 1)
                first.push_back(now);
            else
                REQUIRE(first[size_t(i)] == now);
        }
    }
    CHECK(counts.begin > 50);
    CHECK(counts.hit > 20);
    CHECK(counts.force > 20);
    CHECK(counts.broken > 2);
    CHECK(counts.sensor_begin > 50);
    CHECK(counts.sensor_end > 30);
    for (size_t k = 0; k < snapshots.size(); ++k) {
        CAPTURE(k);
        TestWorld t(1 + uint32_t(k % 3));
        build(t);
        REQUIRE(t.world.restore(snapshots[k]).ok());
        for (int i = int(k) * 10 + 3; i < std::min(int(k) * 10 + 33, kSteps); ++i) {
            interfere(t, i);
            t.step();
            Counts own;
            REQUIRE(t.world.state_hash() == first[size_t(i)].first);
            REQUIRE(events_hash(t.world.events(), own) == first[size_t(i)].second);
        }
    }
}
