// SPDX-License-Identifier: MIT
// Few boxes that move all the time among many at rest: the broadphase follows them without searching, and
// must still say what brute force says after every update, whatever they do.
#include <set>

#include "physics/broadphase/near_pairs.h"
#include "tests/unit/physics/broadphase_scene.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::broadphase_tests;

namespace {

constexpr size_t kResting = 320, kMoving = 32;

/// Boxes at rest, then those that move, and how they do.
struct World {
    Scene scene;
    std::vector<Vec3> velocity;
    std::set<std::pair<uint32_t, uint32_t>> before;
    size_t begun = 0, ended = 0;

    explicit World(RandomBoxes& boxes, float speed = 0.02f) {
        ProxyFilter fixed;
        fixed.moves = false;
        for (size_t i = 0; i < kResting; ++i) scene.add(boxes.box(4.0f, 1.0f, 3.0f), fixed);
        for (size_t i = 0; i < kMoving; ++i) {
            scene.add(boxes.box(4.0f, 1.0f, 3.0f));
            velocity.push_back(boxes.vector(-speed, speed));
        }
    }

    Entry& mover(size_t i) { return scene.entries[kResting + i]; }
    void set(Entry& entry, const Aabb& box) {
        entry.box = box;
        scene.broadphase.set_box(entry.id, box);
    }
    void step() {
        for (size_t i = 0; i < kMoving; ++i)
            set(mover(i), {mover(i).box.lower + velocity[i], mover(i).box.upper + velocity[i]});
    }
    /// Pairs, what began and ended, and a few queries.
    void check(RandomBoxes& boxes) {
        scene.update();
        const OrderPairs expected = brute_force(scene.entries);
        CHECK(scene.found() == expected);
        const std::set<std::pair<uint32_t, uint32_t>> now(expected.begin(), expected.end());
        OrderPairs come, gone;
        for (const auto& pair : now)
            if (!before.contains(pair)) come.push_back(pair);
        for (const auto& pair : before)
            if (!now.contains(pair)) gone.push_back(pair);
        CHECK(listed(scene.broadphase.begun()) == come);
        CHECK(listed(scene.broadphase.ended()) == gone);
        begun += come.size();
        ended += gone.size();
        before = now;
        for (int i = 0; i < 3; ++i) {
            const Aabb box = boxes.box(4.0f, 0.1f, 3.0f);
            CHECK(found_query(scene.broadphase, box) == brute_force_query(scene.entries, box));
        }
    }
    static OrderPairs listed(std::span<const PairChange> changes) {
        OrderPairs result;
        for (const PairChange& change : changes) result.emplace_back(change.order_a, change.order_b);
        return result;
    }
};

}  // namespace

TEST_CASE("boxes that go on as they went pair as brute force says in every update") {
    RandomBoxes boxes(61);
    World world(boxes);
    for (int step = 0; step < 150; ++step) {
        CAPTURE(step);
        world.step();
        world.check(boxes);
    }
    CHECK(world.begun > 150);
    CHECK(world.ended > 100);
}

TEST_CASE("boxes that turn round, stop, jump, grow and shrink pair as brute force says") {
    RandomBoxes boxes(62);
    World world(boxes);
    for (int step = 0; step < 200; ++step) {
        CAPTURE(step);
        world.step();
        const size_t i = boxes.index(kMoving);
        Entry& mover = world.mover(i);
        if (step % 7 == 0) world.velocity[i] = -world.velocity[i];
        if (step % 11 == 0) world.velocity[i] = Vec3(0.0f);
        if (step % 13 == 0) world.velocity[i] = boxes.vector(-0.05f, 0.05f);
        if (step % 17 == 0) world.set(mover, boxes.box(4.0f, 1.0f, 3.0f));
        if (step % 19 == 0) world.set(mover, {mover.box.lower - Vec3(0.01f), mover.box.upper + Vec3(0.02f)});
        if (step % 23 == 0) world.set(mover, {mover.box.lower + Vec3(0.05f), mover.box.upper - Vec3(0.05f)});
        world.check(boxes);
    }
}

TEST_CASE("following ends and begins again when the world changes, and nothing is lost") {
    RandomBoxes boxes(63);
    World world(boxes);
    uint32_t next_order = 5000;
    for (int step = 0; step < 160; ++step) {
        CAPTURE(step);
        world.step();
        Entry& mover = world.mover(boxes.index(kMoving));
        switch (step % 16) {
            case 5:  // a box at rest is moved
                world.set(world.scene.entries[boxes.index(kResting)], boxes.box(4.0f, 1.0f, 3.0f));
                break;
            case 8:  // somebody takes another layer
                mover.filter.layer = mover.filter.layer == 1 ? 2 : 1;
                mover.filter.mask = 2;
                world.scene.broadphase.set_filter(mover.id, mover.filter);
                break;
            case 11:  // somebody goes, somebody comes
                world.scene.broadphase.remove(mover.id);
                mover.box = boxes.box(4.0f, 1.0f, 3.0f);
                mover.order = next_order++;
                mover.id = world.scene.broadphase.insert(mover.box, mover.filter, mover.order);
                break;
            case 14:  // between two updates everything is as it was
                CHECK(world.scene.broadphase.pairs().size() == world.before.size());
                break;
            default:
                break;
        }
        world.check(boxes);
    }
}

TEST_CASE("followed boxes may become infinite, inverted or no numbers, and come back") {
    RandomBoxes boxes(64);
    World world(boxes);
    for (int step = 0; step < 120; ++step) {
        CAPTURE(step);
        world.step();
        Entry& mover = world.mover(boxes.index(kMoving));
        const Aabb box = mover.box;
        switch (step % 12) {
            case 3:
                world.set(mover, {Vec3(-kInfinity, box.lower.y, box.lower.z), box.upper});
                break;
            case 5:
                world.set(mover, {box.upper, box.lower});
                break;
            case 7:
                world.set(mover, {Vec3(kNan), box.upper});
                break;
            case 9:  // inverted inside of its fat box
                world.set(mover, {0.5f * (box.lower + box.upper), 0.5f * (box.lower + box.upper) - Vec3(1e-3f)});
                break;
            default:
                if (!is_somewhere(box) || !std::isfinite(box.lower.x)) world.set(mover, boxes.box(4.0f, 1.0f, 3.0f));
                break;
        }
        world.check(boxes);
        for (size_t i = 0; i < kMoving; ++i)  // all back before they go on
            if (!is_somewhere(world.mover(i).box) || !std::isfinite(world.mover(i).box.lower.x))
                world.set(world.mover(i), boxes.box(4.0f, 1.0f, 3.0f));
    }
}

TEST_CASE("a query between two updates sees followed boxes where the last update saw them") {
    RandomBoxes boxes(65);
    World world(boxes);
    for (int step = 0; step < 40; ++step) {
        world.step();
        world.scene.update();
        const std::vector<Entry> seen = world.scene.entries;
        world.step();  // set, but not updated
        const Aabb box = boxes.box(4.0f, 0.5f, 3.0f);
        CHECK(found_query(world.scene.broadphase, box) == brute_force_query(seen, box));
        std::vector<CastHit> hits;
        BoxCast ray;
        ray.origin = boxes.vector(-6.0f, 6.0f);
        ray.displacement = boxes.vector(-16.0f, 16.0f);
        world.scene.broadphase.cast(ray, hits);
        for (const CastHit& hit : hits) {
            // The point where the ray enters lies on the box that the last update saw.
            const Entry* entry = nullptr;
            for (const Entry& e : seen)
                if (e.id == hit.id) entry = &e;
            REQUIRE(entry);
            const Vec3 at = ray.origin + hit.fraction * ray.displacement;
            CHECK(glm::all(glm::greaterThanEqual(at, entry->box.lower - Vec3(1e-4f))));
            CHECK(glm::all(glm::lessThanEqual(at, entry->box.upper + Vec3(1e-4f))));
        }
    }
}

TEST_CASE("following does not depend on the number of threads, nor on what was followed before") {
    RandomBoxes one(66), two(66);
    World a(one), b(two);
    b.scene.jobs = engine::make_threaded_jobs(3);
    for (int step = 0; step < 60; ++step) {
        a.step();
        b.step();
        a.scene.update();
        b.scene.update();
        CHECK(a.scene.found() == b.scene.found());
    }
    // The same boxes in a broadphase that has never followed anything.
    Scene fresh;
    for (const Entry& entry : a.scene.entries) fresh.add(entry.box, entry.filter, entry.order);
    fresh.update();
    CHECK(fresh.found() == a.scene.found());
}

TEST_CASE("a box keeps its fat box as long as it goes on, and a box that is none gets none") {
    const Aabb before{Vec3(0.0f), Vec3(1.0f)}, now{Vec3(0.01f, 0.0f, 0.0f), Vec3(1.01f, 1.0f, 1.0f)};
    const Aabb fat_box = fat_box_around(before, now);
    CHECK(is_within(now, fat_box));
    Aabb box = now;
    int updates = 0;
    while (is_within(box, fat_box) && updates < 1000) {
        box.lower.x += 0.01f;
        box.upper.x += 0.01f;
        ++updates;
    }
    CHECK(updates >= 16);
    CHECK(updates < 100);
    CHECK(!is_within({Vec3(0.5f), Vec3(0.4f)}, fat_box));
    const Aabb wide{Vec3(-kInfinity), Vec3(kInfinity)};
    CHECK(fat_box_around(wide, wide).lower == wide.lower);
    CHECK(fat_box_around(before, wide).upper == wide.upper);
    CHECK(distance_between(before, now) == doctest::Approx(0.01f));
    CHECK(distance_between(wide, wide) == 0.0f);
    CHECK(distance_between(before, wide) == kInfinity);
}
