// SPDX-License-Identifier: MIT
// The broadphase against brute force: every pair and every query, on boxes that are easy, crowded, huge, tiny or
// broken.
#include "physics/broadphase/broadphase.h"

#include "tests/unit/physics/broadphase_scene.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::broadphase_tests;

TEST_CASE("an empty broadphase has no pairs and answers queries with nothing") {
    Scene scene;
    scene.update();
    CHECK(scene.broadphase.pairs().empty());
    CHECK(scene.broadphase.size() == 0);
    CHECK(found_query(scene.broadphase, {Vec3(-1.0f), Vec3(1.0f)}).empty());
}

TEST_CASE("two overlapping boxes make one pair, in the caller's order, and none once they part") {
    Scene scene;
    scene.add({Vec3(0.0f), Vec3(1.0f)}, {}, 7);
    scene.add({Vec3(0.5f), Vec3(1.5f)}, {}, 3);
    scene.update();
    REQUIRE(scene.broadphase.pairs().size() == 1);
    CHECK(scene.broadphase.pairs()[0].a == scene.entries[1].id);
    CHECK(scene.broadphase.pairs()[0].b == scene.entries[0].id);
    scene.broadphase.set_box(scene.entries[1].id, {Vec3(2.0f), Vec3(3.0f)});
    CHECK(scene.broadphase.pairs().size() == 1);  // until the next update
    scene.update();
    CHECK(scene.broadphase.pairs().empty());
}

TEST_CASE("boxes that touch in a face, an edge or a corner make a pair") {
    for (const float size : {1.0f, 0.1f, 3.0e-20f, 7.0e10f}) {
        CAPTURE(size);
        Scene scene;
        for (int x = -2; x <= 2; ++x)
            for (int y = -2; y <= 2; ++y)
                for (int z = -2; z <= 2; ++z) {
                    const Vec3 lower = size * Vec3(float(x), float(y), float(z));
                    scene.add({lower, size * Vec3(float(x + 1), float(y + 1), float(z + 1))});
                }
        check_against_brute_force(scene);
        CHECK(scene.broadphase.pairs().size() == (13 * 13 * 13 - 125) / 2);  // (3 * 5 - 2)^3 ordered pairs and selves
    }
}

TEST_CASE("a box just below a cell border that reaches the next but one cell is found") {
    // Its size rounds to one cell, but it touches three of them.
    Scene scene;
    scene.add({Vec3(-1.0e-10f), Vec3(1.0f)});
    scene.add({Vec3(1.0f), Vec3(2.0f)});
    scene.add({Vec3(-1.0f), Vec3(-1.0e-10f)});
    check_against_brute_force(scene);
    CHECK(scene.broadphase.pairs().size() == 2);
}

TEST_CASE("random boxes from a millimetre to a thousand kilometres pair as brute force says") {
    RandomBoxes boxes(11);
    for (const float space : {1.0f, 100.0f, 1.0e5f}) {
        CAPTURE(space);
        Scene scene;
        for (int i = 0; i < 700; ++i) {
            ProxyFilter filter;
            filter.moves = i % 3 != 0;
            scene.add(boxes.box(space, 1.0e-3f, 1.0e6f), filter);
        }
        check_against_brute_force(scene);
    }
}

TEST_CASE("random boxes of similar size pair as brute force says, sparse and dense") {
    RandomBoxes boxes(12);
    for (const float space : {0.5f, 4.0f, 40.0f}) {
        CAPTURE(space);
        Scene scene;
        for (int i = 0; i < 800; ++i) scene.add(boxes.box(space, 0.5f, 2.0f));
        check_against_brute_force(scene);
    }
}

TEST_CASE("clusters far apart pair as brute force says") {
    RandomBoxes boxes(13);
    Scene scene;
    for (int cluster = 0; cluster < 6; ++cluster) {
        const Vec3 centre = boxes.vector(-1.0e6f, 1.0e6f);
        for (int i = 0; i < 120; ++i) {
            const Aabb box = boxes.box(2.0f, 0.01f, 1.0f);
            scene.add({box.lower + centre, box.upper + centre});
        }
    }
    check_against_brute_force(scene);
}

TEST_CASE("a thousand identical boxes make every pair once") {
    Scene scene;
    for (int i = 0; i < 1000; ++i) scene.add({Vec3(3.0f), Vec3(4.0f)});
    scene.update();
    const auto pairs = scene.found();
    REQUIRE(pairs.size() == 1000 * 999 / 2);
    size_t next = 0;
    bool in_order = true;
    for (uint32_t a = 0; a < 1000; ++a)
        for (uint32_t b = a + 1; b < 1000; ++b) in_order = in_order && pairs[next++] == std::pair(a, b);
    CHECK(in_order);
}

TEST_CASE("points, flat boxes and needles pair as brute force says") {
    RandomBoxes boxes(14);
    for (int kind = 0; kind < 4; ++kind) {
        CAPTURE(kind);
        Scene scene;
        for (int i = 0; i < 500; ++i) {
            // Whole numbers, so that flat things do meet.
            const Vec3 corner = glm::round(boxes.vector(-6.0f, 6.0f));
            Vec3 size = glm::round(boxes.vector(0.0f, 3.0f));
            if (kind == 0) size = Vec3(0.0f);
            if (kind == 1) size.y = 0.0f;
            if (kind == 2) size = Vec3(size.x * 4.0f, 0.0f, 0.0f);
            if (kind == 3) size = Vec3(0.0f, 0.0f, size.z * 4.0f);
            scene.add({corner, corner + size});
        }
        check_against_brute_force(scene);
    }
}

TEST_CASE("boxes in one plane or on one line pair as brute force says") {
    RandomBoxes boxes(15);
    for (int axis = 0; axis < 3; ++axis) {
        for (const bool line : {false, true}) {
            Scene scene;
            for (int i = 0; i < 400; ++i) {
                Vec3 centre = boxes.vector(-30.0f, 30.0f);
                if (line) centre = centre[axis] * Vec3(axis == 0, axis == 1, axis == 2);
                if (!line) centre[axis] = 0.0f;
                scene.add({centre - Vec3(0.5f), centre + Vec3(0.5f)});
            }
            check_against_brute_force(scene);
        }
    }
}

TEST_CASE("positions and sizes at the ends of the float range pair as brute force says") {
    constexpr float kLargest = std::numeric_limits<float>::max();
    constexpr float kTiniest = std::numeric_limits<float>::denorm_min();
    RandomBoxes boxes(16);
    Scene scene;
    for (const float scale : {1.0e30f, 1.0e-30f, 1.0e-44f, 1.0f, 1.0e37f})
        for (int i = 0; i < 60; ++i) {
            const Aabb box = boxes.box(5.0f, 0.1f, 4.0f);
            scene.add({box.lower * scale, box.upper * scale});
        }
    for (int i = 0; i < 40; ++i) {
        const Vec3 centre = 1.0e30f * boxes.vector(0.9999f, 1.0f);
        scene.add({centre, centre * 1.00001f});
        scene.add({centre, centre});  // a point where floats are 1e23 apart
    }
    scene.add({Vec3(-kLargest), Vec3(kLargest)});
    scene.add({Vec3(-kLargest), Vec3(-kLargest)});
    scene.add({Vec3(kLargest), Vec3(kLargest)});
    scene.add({Vec3(-kTiniest), Vec3(kTiniest)});
    scene.add({Vec3(0.0f), Vec3(0.0f)});
    scene.add({Vec3(-0.0f), Vec3(-0.0f)});
    check_against_brute_force(scene);
}

TEST_CASE("boxes spread over the whole float range in every direction still pair") {
    // So many cells in every direction that the sort key has no room for all of x.
    RandomBoxes boxes(17);
    Scene scene;
    for (int i = 0; i < 300; ++i) {
        const float size = boxes.magnitude(1.0e-30f, 1.0e30f);
        const Vec3 centre = 1.0e5f * size * boxes.vector(-1.0f, 1.0f);
        scene.add({centre - Vec3(size), centre + Vec3(size)});
        scene.add({centre, centre + Vec3(size)});
    }
    for (int i = 0; i < 200; ++i) {
        const Vec3 corner(0.7f * float(i), 0.0f, 0.0f);
        scene.add({corner, corner + Vec3(1.0f)});
    }
    check_against_brute_force(scene);
}

TEST_CASE("half-spaces and boxes with infinite bounds meet what they overlap") {
    RandomBoxes boxes(18);
    Scene scene;
    ProxyFilter fixed;
    fixed.moves = false;
    scene.add({Vec3(-kInfinity), Vec3(kInfinity, 0.0f, kInfinity)}, fixed);                    // ground
    scene.add({Vec3(-kInfinity), Vec3(kInfinity)});                                            // everything
    scene.add({Vec3(-kInfinity, -1.0f, -1.0f), Vec3(kInfinity, 1.0f, 1.0f)});                  // a beam along x
    scene.add({Vec3(2.0f, -kInfinity, 2.0f), Vec3(3.0f, kInfinity, 3.0f)}, fixed);             // a beam along y
    scene.add({Vec3(0.0f, 0.0f, 5.0f), Vec3(1.0f, 1.0f, kInfinity)});                          // a ray of boxes
    scene.add({Vec3(kInfinity), Vec3(kInfinity)});                                             // a point at infinity
    scene.add({Vec3(-kInfinity, -kInfinity, 4.0f), Vec3(kInfinity, kInfinity, 4.0f)}, fixed);  // a plane
    for (int i = 0; i < 400; ++i) {
        ProxyFilter filter;
        filter.moves = i % 2 == 0;
        scene.add(boxes.box(8.0f, 0.1f, 3.0f), filter);
    }
    check_against_brute_force(scene);
}

TEST_CASE("a box with a NaN bound, or inverted, pairs with nothing and answers no query") {
    RandomBoxes boxes(19);
    Scene scene;
    for (int i = 0; i < 60; ++i) scene.add(boxes.box(1.0f, 0.5f, 2.0f));
    for (int axis = 0; axis < 3; ++axis) {
        Aabb box{Vec3(-1.0f), Vec3(1.0f)};
        box.lower[axis] = kNan;
        scene.add(box);
        box = {Vec3(-1.0f), Vec3(1.0f)};
        box.upper[axis] = kNan;
        scene.add(box);
        box = {Vec3(-1.0f), Vec3(1.0f)};
        std::swap(box.lower[axis], box.upper[axis]);
        scene.add(box);
        box = {Vec3(-1.0f), Vec3(1.0f)};
        box.lower[axis] = kInfinity;
        box.upper[axis] = -kInfinity;
        scene.add(box);
    }
    scene.add({Vec3(kNan), Vec3(kNan)});
    check_against_brute_force(scene);
    for (const auto& [a, b] : scene.found()) CHECK((a < 60 && b < 60));
    const Aabb everything{Vec3(-kInfinity), Vec3(kInfinity)};
    CHECK(found_query(scene.broadphase, everything).size() == 60);
    CHECK(found_query(scene.broadphase, {Vec3(kNan), Vec3(1.0f)}).empty());
    CHECK(found_query(scene.broadphase, {Vec3(1.0f), Vec3(-1.0f)}).empty());

    // A broken box that is mended takes part again.
    scene.entries.back().box = {Vec3(-1.0f), Vec3(1.0f)};
    scene.broadphase.set_box(scene.entries.back().id, scene.entries.back().box);
    check_against_brute_force(scene);
}

TEST_CASE(
    "layers and masks must agree both ways, a group does not meet itself, the resting do not meet the "
    "resting") {
    RandomBoxes boxes(20);
    Scene scene;
    for (int i = 0; i < 500; ++i) {
        ProxyFilter filter;
        filter.layer = 1u << boxes.index(4);
        filter.mask = boxes.index(16);
        filter.group = boxes.index(6);
        filter.moves = boxes.index(2) == 0;
        scene.add(boxes.box(3.0f, 0.2f, 4.0f), filter);
    }
    check_against_brute_force(scene);
    // The same boxes with other filters: nothing may remain of the old ones.
    for (Entry& entry : scene.entries) {
        entry.filter.mask = boxes.index(16);
        entry.filter.moves = !entry.filter.moves;
        scene.broadphase.set_filter(entry.id, entry.filter);
        CHECK(scene.broadphase.filter(entry.id).mask == entry.filter.mask);
    }
    check_against_brute_force(scene);
}

TEST_CASE("one wide ground meets the bodies that stand on it and no others") {
    Scene scene;
    ProxyFilter fixed;
    fixed.moves = false;
    scene.add({Vec3(-100.0f, -2.0f, -100.0f), Vec3(100.0f, 0.0f, 100.0f)}, fixed);
    for (int x = 0; x < 10; ++x)
        for (int y = 0; y < 5; ++y)
            for (int z = 0; z < 10; ++z) {
                const Vec3 corner = 2.0f * Vec3(float(x), float(y), float(z));
                scene.add({corner, corner + Vec3(1.0f)});
            }
    check_against_brute_force(scene);
    CHECK(scene.broadphase.pairs().size() == 100);
}

TEST_CASE("boxes that move, come and go pair as brute force says after every update") {
    RandomBoxes boxes(21);
    Scene scene;
    uint32_t next_order = 0;
    for (int i = 0; i < 150; ++i) scene.add(boxes.box(6.0f, 0.05f, 5.0f), {}, next_order++);
    for (int step = 0; step < 60; ++step) {
        CAPTURE(step);
        for (Entry& entry : scene.entries) {
            if (boxes.index(2) == 0) continue;
            const Vec3 shift = boxes.vector(-0.5f, 0.5f);
            entry.box = {entry.box.lower + shift, entry.box.upper + shift};
            if (boxes.index(20) == 0) entry.box = boxes.box(6.0f, 0.05f, 50.0f);  // another size, another level
            scene.broadphase.set_box(entry.id, entry.box);
        }
        for (int i = 0; i < 10; ++i) {
            const uint32_t victim = boxes.index(scene.entries.size());
            scene.broadphase.remove(scene.entries[victim].id);
            scene.entries.erase(scene.entries.begin() + victim);
        }
        const int added = step < 30 ? 12 : 8;
        for (int i = 0; i < added; ++i) {
            // Orders that fall between and before those of older proxies, too.
            scene.add(boxes.box(6.0f, 0.05f, 5.0f), {}, (next_order++ * 7919u) % 100003u + 1000u);
        }
        CHECK(scene.broadphase.size() == scene.entries.size());
        check_against_brute_force(scene);
    }
}

TEST_CASE("the id of a removed proxy may be given again, and nothing of the old proxy remains") {
    Scene scene;
    scene.add({Vec3(0.0f), Vec3(1.0f)});
    scene.add({Vec3(0.5f), Vec3(1.5f)});
    scene.update();
    const ProxyId removed = scene.entries[1].id;
    scene.broadphase.remove(removed);
    CHECK(found_query(scene.broadphase, {Vec3(0.6f), Vec3(0.7f)}) == std::vector<uint32_t>{0});
    const ProxyId again = scene.broadphase.insert({Vec3(8.0f), Vec3(9.0f)}, {}, 5);
    CHECK(again == removed);
    CHECK(scene.broadphase.order(again) == 5);
    CHECK(found_query(scene.broadphase, {Vec3(0.6f), Vec3(0.7f)}) == std::vector<uint32_t>{0});
    scene.broadphase.remove(again);
    CHECK(scene.broadphase.insert({Vec3(0.9f), Vec3(9.0f)}, {}, 6) == removed);  // twice before one update
    scene.update();
    CHECK(scene.found() == OrderPairs{{0, 6}});
    CHECK(found_query(scene.broadphase, {Vec3(8.0f), Vec3(9.0f)}) == std::vector<uint32_t>{6});
}

TEST_CASE("a query finds what brute force finds, in order, and appends") {
    RandomBoxes boxes(22);
    Scene scene;
    for (int i = 0; i < 600; ++i) {
        ProxyFilter filter;
        filter.moves = i % 2 == 0;
        scene.add(boxes.box(20.0f, 0.01f, 30.0f), filter, uint32_t(i * 7919) % 100003u);
    }
    scene.add({Vec3(-kInfinity), Vec3(kInfinity, -5.0f, kInfinity)}, {}, 200000u);
    scene.update();
    for (int i = 0; i < 200; ++i) {
        const Aabb box = boxes.box(25.0f, 0.001f, 100.0f);
        CHECK(found_query(scene.broadphase, box) == brute_force_query(scene.entries, box));
    }
    const Aabb upper_half{Vec3(-kInfinity, 0.0f, -kInfinity), Vec3(kInfinity)};
    CHECK(found_query(scene.broadphase, upper_half) == brute_force_query(scene.entries, upper_half));
    const Aabb everything{Vec3(-kInfinity), Vec3(kInfinity)};
    CHECK(found_query(scene.broadphase, everything).size() == 601);

    std::vector<ProxyId> ids{scene.entries[3].id};
    scene.broadphase.query(everything, ids);
    CHECK(ids.size() == 602);
    CHECK(ids[0] == scene.entries[3].id);
}

TEST_CASE("a query sees the boxes of the last update") {
    Scene scene;
    scene.add({Vec3(0.0f), Vec3(1.0f)});
    scene.add({Vec3(0.0f), Vec3(kInfinity)});
    scene.update();
    for (const Entry& entry : scene.entries) scene.broadphase.set_box(entry.id, {Vec3(-9.0f), Vec3(-8.0f)});
    scene.add({Vec3(0.0f), Vec3(1.0f)});
    const Aabb here{Vec3(0.25f), Vec3(0.5f)};
    CHECK(found_query(scene.broadphase, here) == std::vector<uint32_t>{0, 1});
    scene.update();
    CHECK(found_query(scene.broadphase, here) == std::vector<uint32_t>{2});
}

TEST_CASE("several boxes set at once give what setting them one by one gives") {
    RandomBoxes boxes(23);
    Scene scene;
    for (int i = 0; i < 200; ++i) scene.add(boxes.box(4.0f, 0.2f, 2.0f));
    scene.update();
    std::vector<ProxyId> ids;
    std::vector<Aabb> moved;
    for (Entry& entry : scene.entries) {
        entry.box = boxes.box(4.0f, 0.2f, 2.0f);
        ids.push_back(entry.id);
        moved.push_back(entry.box);
    }
    scene.broadphase.set_boxes(ids, moved);
    check_against_brute_force(scene);
}

TEST_CASE("the pairs do not depend on how many threads look for them") {
    RandomBoxes boxes(24);
    Scene serial, two, four;
    two.jobs = engine::make_threaded_jobs(2);
    four.jobs = engine::make_threaded_jobs(4);
    for (Scene* scene : {&serial, &two, &four}) {
        boxes.random.seed(24);
        for (int i = 0; i < 5000; ++i) {
            ProxyFilter filter;
            filter.moves = i % 5 != 0;
            scene->add(boxes.box(15.0f, 0.1f, 6.0f), filter);
        }
        for (int i = 0; i < 3; ++i) scene->add({Vec3(-kInfinity), Vec3(kInfinity, float(-i), kInfinity)});
    }
    for (int step = 0; step < 3; ++step) {
        for (Scene* scene : {&serial, &two, &four}) {
            for (Entry& entry : scene->entries) {
                entry.box.lower += Vec3(0.1f, 0.0f, -0.2f);
                entry.box.upper += Vec3(0.1f, 0.0f, -0.2f);
                scene->broadphase.set_box(entry.id, entry.box);
            }
            scene->update();
        }
        CHECK(serial.broadphase.pairs().size() > 10000);
        CHECK(two.found() == serial.found());
        CHECK(four.found() == serial.found());
    }
}

TEST_CASE("the pairs do not depend on the order of insertion or on what was there before") {
    RandomBoxes boxes(25);
    Scene forward;
    for (int i = 0; i < 400; ++i) forward.add(boxes.box(5.0f, 0.05f, 4.0f));
    forward.add({Vec3(-kInfinity), Vec3(kInfinity, 0.0f, kInfinity)});
    forward.update();

    Scene shuffled;
    std::vector<ProxyId> others;
    for (int i = 0; i < 300; ++i)
        others.push_back(shuffled.broadphase.insert(boxes.box(5.0f, 1.0f, 90.0f), {}, 5000u + i));
    shuffled.update();
    std::vector<Entry> entries = forward.entries;
    std::shuffle(entries.begin(), entries.end(), boxes.random);
    for (size_t i = 0; i < entries.size(); ++i) {
        if (i < others.size()) shuffled.broadphase.remove(others[i]);
        if (i % 50 == 0) shuffled.update();
        shuffled.add(boxes.box(5.0f, 0.05f, 4.0f), entries[i].filter, entries[i].order);
    }
    shuffled.update();
    for (size_t i = 0; i < entries.size(); ++i) shuffled.broadphase.set_box(shuffled.entries[i].id, entries[i].box);
    shuffled.update();
    CHECK(!forward.found().empty());
    CHECK(shuffled.found() == forward.found());
    const Aabb area{Vec3(-1.0f), Vec3(2.0f)};
    CHECK(found_query(shuffled.broadphase, area) == found_query(forward.broadphase, area));
}
