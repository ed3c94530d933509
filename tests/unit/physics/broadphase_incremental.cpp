// SPDX-License-Identifier: MIT
// A broadphase that is updated again and again, with few changes or many, says what one made from scratch says.
#include "engine/simd/simd_level.h"
#include "tests/unit/physics/broadphase_scene.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::broadphase_tests;

namespace {

OrderPairs from_scratch(const Scene& scene) {
    Scene fresh;
    for (const Entry& entry : scene.entries) fresh.add(entry.box, entry.filter, entry.order);
    fresh.update();
    return fresh.found();
}

OrderPairs orders_of(std::span<const PairChange> changes) {
    OrderPairs result;
    for (const PairChange& change : changes) result.emplace_back(change.order_a, change.order_b);
    return result;
}

/// Follows one broadphase: pairs against brute force, and the changes against the pairs before.
struct Follower {
    OrderPairs before;

    void check(Scene& scene) {
        scene.update();
        const OrderPairs now = brute_force(scene.entries);
        CHECK(scene.found() == now);
        OrderPairs begun = orders_of(scene.broadphase.begun()), ended = orders_of(scene.broadphase.ended());
        OrderPairs result;
        // before - ended + begun = now, all of them sorted and none of them twice
        CHECK(std::is_sorted(begun.begin(), begun.end()));
        CHECK(std::is_sorted(ended.begin(), ended.end()));
        OrderPairs kept;
        std::set_difference(before.begin(), before.end(), ended.begin(), ended.end(), std::back_inserter(kept));
        CHECK(kept.size() + ended.size() == before.size());
        std::merge(kept.begin(), kept.end(), begun.begin(), begun.end(), std::back_inserter(result));
        CHECK(result == now);
        before = now;
    }
};

void move(Scene& scene, Entry& entry, const Aabb& box) {
    entry.box = box;
    scene.broadphase.set_box(entry.id, box);
}

}  // namespace

TEST_CASE("thousands of small updates give the pairs of brute force after each") {
    RandomBoxes boxes(41);
    Scene scene;
    Follower follower;
    uint32_t next_order = 0;
    const auto any_box = [&] { return boxes.box(8.0f, 0.05f, boxes.index(10) == 0 ? 20.0f : 2.0f); };
    for (int i = 0; i < 120; ++i) {
        ProxyFilter filter;
        filter.moves = i % 4 != 0;
        scene.add(any_box(), filter, next_order++);
    }
    for (int step = 0; step < 2500; ++step) {
        CAPTURE(step);
        const uint32_t movers = boxes.index(6);
        for (uint32_t i = 0; i < movers; ++i) {
            Entry& entry = scene.entries[boxes.index(scene.entries.size())];
            const Vec3 shift = boxes.vector(-0.3f, 0.3f);
            move(scene, entry, {entry.box.lower + shift, entry.box.upper + shift});
            if (boxes.index(30) == 0) move(scene, entry, any_box());
        }
        if (boxes.index(8) == 0) {
            const uint32_t victim = boxes.index(scene.entries.size());
            scene.broadphase.remove(scene.entries[victim].id);
            scene.entries.erase(scene.entries.begin() + victim);
        }
        if (boxes.index(8) == 0) {
            ProxyFilter filter;
            filter.moves = boxes.index(3) != 0;
            scene.add(any_box(), filter, (next_order++ * 7919u) % 100003u + 1000u);
        }
        if (boxes.index(20) == 0) {
            Entry& entry = scene.entries[boxes.index(scene.entries.size())];
            entry.filter.moves = !entry.filter.moves;
            entry.filter.mask = boxes.index(2) == 0 ? 0u : 1u;
            scene.broadphase.set_filter(entry.id, entry.filter);
        }
        follower.check(scene);
        if (step % 100 == 0) CHECK(scene.found() == from_scratch(scene));
    }
}

TEST_CASE("few and many changes in turn give the pairs of brute force") {
    RandomBoxes boxes(42);
    for (const uint32_t threads : {1u, 3u}) {
        Scene scene;
        scene.jobs = engine::make_threaded_jobs(threads);
        Follower follower;
        for (int i = 0; i < 500; ++i) scene.add(boxes.box(6.0f, 0.2f, 2.0f));
        for (int step = 0; step < 60; ++step) {
            CAPTURE(step);
            const uint32_t movers = step % 7 == 0 ? 500 : step % 5 == 0 ? 100 : boxes.index(10);
            for (uint32_t i = 0; i < movers; ++i)
                move(scene, scene.entries[boxes.index(500)], boxes.box(6.0f, 0.2f, 2.0f));
            follower.check(scene);
        }
    }
}

TEST_CASE("queries see few changes as they see many") {
    RandomBoxes boxes(43);
    Scene scene;
    for (int i = 0; i < 300; ++i) scene.add(boxes.box(6.0f, 0.2f, 3.0f));
    scene.add({Vec3(-kInfinity), Vec3(kInfinity, 0.0f, kInfinity)});
    scene.update();
    for (int step = 0; step < 200; ++step) {
        CAPTURE(step);
        for (uint32_t i = 0; i < 3; ++i) move(scene, scene.entries[boxes.index(300)], boxes.box(6.0f, 0.2f, 3.0f));
        scene.update();
        const Aabb area = boxes.box(6.0f, 0.5f, 6.0f);
        CHECK(found_query(scene.broadphase, area) == brute_force_query(scene.entries, area));
    }
}

TEST_CASE("boxes that lose and find their bounds or their place are followed") {
    RandomBoxes boxes(44);
    Scene scene;
    Follower follower;
    for (int i = 0; i < 150; ++i) scene.add(boxes.box(4.0f, 0.5f, 2.0f));
    follower.check(scene);
    for (int step = 0; step < 200; ++step) {
        CAPTURE(step);
        Entry& entry = scene.entries[boxes.index(150)];
        const uint32_t kind = boxes.index(4);
        if (kind == 0) move(scene, entry, {Vec3(-kInfinity), Vec3(kInfinity, boxes.uniform(-4, 4), kInfinity)});
        if (kind == 1) move(scene, entry, {Vec3(kNan), Vec3(1.0f)});
        if (kind == 2) move(scene, entry, {Vec3(1.0f), Vec3(-1.0f)});
        if (kind == 3) move(scene, entry, boxes.box(4.0f, 0.5f, 200.0f));
        follower.check(scene);
    }
}

TEST_CASE("a world at rest with few movers, and a static box now and then, is followed") {
    RandomBoxes boxes(45);
    Scene scene;
    Follower follower;
    ProxyFilter fixed;
    fixed.moves = false;
    for (int i = 0; i < 400; ++i) scene.add(boxes.box(10.0f, 0.5f, 4.0f), fixed);
    for (int i = 0; i < 10; ++i) scene.add(boxes.box(10.0f, 0.5f, 2.0f));
    uint32_t next_order = 1000;
    for (int step = 0; step < 150; ++step) {
        CAPTURE(step);
        for (int i = 400; i < 410; ++i) move(scene, scene.entries[size_t(i)], boxes.box(10.0f, 0.5f, 2.0f));
        if (step % 3 == 0) scene.add(boxes.box(10.0f, 0.5f, 4.0f), fixed, next_order++);
        if (step % 10 == 0) move(scene, scene.entries[boxes.index(400)], boxes.box(10.0f, 0.5f, 4.0f));
        follower.check(scene);
    }
}

TEST_CASE("the crowd may turn: other axes become the better ones, and pairs stay right") {
    Scene scene;
    Follower follower;
    RandomBoxes boxes(46);
    ProxyFilter fixed;
    fixed.moves = false;
    for (int i = 0; i < 300; ++i) scene.add(boxes.box(20.0f, 0.5f, 2.0f), i % 3 == 0 ? fixed : ProxyFilter{});
    for (int flat = 0; flat < 6; ++flat) {
        CAPTURE(flat);
        for (Entry& entry : scene.entries) {
            if (!entry.filter.moves) continue;
            Vec3 centre = boxes.vector(-20.0f, 20.0f);
            centre[flat % 3] *= 0.02f;
            centre[(flat + 1) % 3] *= 0.3f;
            move(scene, entry, {centre - Vec3(0.6f), centre + Vec3(0.6f)});
        }
        follower.check(scene);
        move(scene, scene.entries[1], boxes.box(20.0f, 0.5f, 2.0f));
        follower.check(scene);
    }
}

TEST_CASE("setting boxes in parallel is the same as setting them one by one") {
    RandomBoxes boxes(47);
    Scene one, many;
    many.jobs = engine::make_threaded_jobs(3);
    std::vector<ProxyId> ids;
    std::vector<Aabb> moved;
    for (int i = 0; i < 5000; ++i) {
        const Aabb box = boxes.box(20.0f, 0.2f, 2.0f);
        one.add(box);
        many.add(box);
        ids.push_back(many.entries.back().id);
        moved.push_back(box);
    }
    one.update();
    many.update();
    for (const uint32_t movers : {5000u, 0u, 3u, 5000u}) {
        for (uint32_t i = 0; i < movers; ++i) {
            const uint32_t which = boxes.index(5000);
            moved[which] = boxes.box(20.0f, 0.2f, 2.0f);
            one.broadphase.set_box(one.entries[which].id, moved[which]);
        }
        many.broadphase.set_boxes(ids, moved, *many.jobs);
        one.update();
        many.update();
        CHECK(one.found() == many.found());
        CHECK(orders_of(one.broadphase.begun()) == orders_of(many.broadphase.begun()));
        CHECK(orders_of(one.broadphase.ended()) == orders_of(many.broadphase.ended()));
        CHECK(one.broadphase.begun().empty() == (movers == 0));
    }
}

TEST_CASE("every vector width finds the same pairs") {
    const engine::SimdLevel before = engine::simd_level();
    OrderPairs expected;
    for (const engine::SimdLevel level : {engine::SimdLevel::one, engine::SimdLevel::four, engine::SimdLevel::eight}) {
        engine::set_simd_level(level);
        RandomBoxes boxes(48);
        Scene scene;
        for (int i = 0; i < 1500; ++i) {
            ProxyFilter filter;
            filter.moves = i % 5 != 0;
            scene.add(boxes.box(8.0f, 0.1f, 6.0f), filter);
        }
        scene.add({Vec3(-kInfinity), Vec3(kInfinity, 0.0f, kInfinity)});
        scene.update();
        for (int i = 0; i < 20; ++i) move(scene, scene.entries[boxes.index(1500)], boxes.box(8.0f, 0.1f, 6.0f));
        scene.update();
        if (level == engine::SimdLevel::one) expected = scene.found();
        CHECK(expected.size() > 1000);
        CHECK(scene.found() == expected);
        const Aabb area = boxes.box(4.0f, 2.0f, 6.0f);
        CHECK(found_query(scene.broadphase, area) == brute_force_query(scene.entries, area));
    }
    engine::set_simd_level(before);
}
