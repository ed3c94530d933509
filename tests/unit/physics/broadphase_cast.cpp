// SPDX-License-Identifier: MIT
// Rays and moved boxes through the broadphase against every box one by one.
#include <map>

#include "tests/unit/physics/broadphase_scene.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::broadphase_tests;

namespace {

/// Where the cast enters the box, by clipping in long double; a negative number when it does not.
long double entry_by_hand(const BoxCast& cast, const Aabb& box) {
    long double begin = 0.0L, end = cast.max_fraction;
    for (int axis = 0; axis < 3; ++axis) {
        const long double low = (long double)(box.lower[axis]) - cast.upper[axis] - cast.origin[axis];
        const long double high = (long double)(box.upper[axis]) - cast.lower[axis] - cast.origin[axis];
        const long double along = cast.displacement[axis];
        if (along == 0.0L) {
            if (low > 0.0L || high < 0.0L) return -1.0L;
            continue;
        }
        begin = std::max(begin, std::min(low / along, high / along));
        end = std::min(end, std::max(low / along, high / along));
    }
    return begin <= end ? begin : -1.0L;
}

void check_cast(const Scene& scene, const BoxCast& cast) {
    std::vector<CastHit> hits;
    scene.broadphase.cast(cast, hits);
    std::map<uint32_t, float> found;
    for (const CastHit& hit : hits) found[scene.broadphase.order(hit.id)] = hit.fraction;
    CHECK(found.size() == hits.size());  // each once
    size_t expected = 0;
    for (const Entry& entry : scene.entries) {
        if (!is_somewhere(entry.box)) continue;
        const long double fraction = entry_by_hand(cast, entry.box);
        if (fraction < 0.0L) continue;
        ++expected;
        CAPTURE(entry.order);
        REQUIRE(found.contains(entry.order));
        CHECK(found[entry.order] == doctest::Approx(double(fraction)).epsilon(1e-6));
    }
    CHECK(found.size() == expected);
    for (size_t i = 1; i < hits.size(); ++i) {
        const bool sorted = hits[i - 1].fraction < hits[i].fraction ||
                            (hits[i - 1].fraction == hits[i].fraction &&
                             scene.broadphase.order(hits[i - 1].id) < scene.broadphase.order(hits[i].id));
        CHECK(sorted);
    }
}

Scene make_scene(RandomBoxes& boxes) {
    Scene scene;
    for (int i = 0; i < 500; ++i) {
        ProxyFilter filter;
        filter.moves = i % 3 != 0;
        scene.add(boxes.box(20.0f, 0.05f, i % 10 == 0 ? 30.0f : 2.0f), filter);
    }
    scene.add({Vec3(-kInfinity), Vec3(kInfinity, -15.0f, kInfinity)});
    scene.add({Vec3(kNan), Vec3(1.0f)});
    scene.update();
    return scene;
}

}  // namespace

TEST_CASE("a ray meets the boxes that clipping says, nearest first") {
    RandomBoxes boxes(51);
    Scene scene = make_scene(boxes);
    for (int i = 0; i < 300; ++i) {
        BoxCast cast{boxes.vector(-25.0f, 25.0f), boxes.vector(-60.0f, 60.0f)};
        cast.max_fraction = boxes.uniform(0.0f, 1.5f);
        check_cast(scene, cast);
    }
}

TEST_CASE("a ray along an axis or without length meets the boxes that clipping says") {
    RandomBoxes boxes(52);
    Scene scene = make_scene(boxes);
    for (int i = 0; i < 120; ++i) {
        BoxCast cast{boxes.vector(-20.0f, 20.0f), Vec3(0.0f)};
        if (i % 4 != 3) cast.displacement[i % 4] = boxes.uniform(-50.0f, 50.0f);
        check_cast(scene, cast);
    }
}

TEST_CASE("a box moved along a ray meets the boxes that clipping says") {
    RandomBoxes boxes(53);
    Scene scene = make_scene(boxes);
    for (int i = 0; i < 200; ++i) {
        BoxCast cast{boxes.vector(-25.0f, 25.0f), boxes.vector(-40.0f, 40.0f)};
        cast.lower = -boxes.vector(0.0f, 2.0f);
        cast.upper = boxes.vector(0.0f, 2.0f);
        if (i % 5 == 0) cast.displacement = Vec3(0.0f);
        check_cast(scene, cast);
    }
}

TEST_CASE("casts follow boxes that move, come and go") {
    RandomBoxes boxes(54);
    Scene scene = make_scene(boxes);
    for (int step = 0; step < 60; ++step) {
        CAPTURE(step);
        for (int i = 0; i < 5; ++i) {
            Entry& entry = scene.entries[boxes.index(500)];
            entry.box = boxes.box(20.0f, 0.05f, 5.0f);
            scene.broadphase.set_box(entry.id, entry.box);
        }
        scene.broadphase.remove(scene.entries.back().id);
        scene.entries.pop_back();
        scene.add(boxes.box(20.0f, 0.5f, 5.0f), {}, uint32_t(1000 + step));
        scene.update();
        check_cast(scene, {boxes.vector(-25.0f, 25.0f), boxes.vector(-60.0f, 60.0f)});
    }
}

TEST_CASE("a ray that runs exactly in faces, along edges and through corners meets all that it touches") {
    Scene scene;
    for (int x = 0; x < 4; ++x)
        for (int y = 0; y < 4; ++y)
            for (int z = 0; z < 4; ++z) {
                const Vec3 lower{float(x), float(y), float(z)};
                scene.add({lower, lower + Vec3(1.0f)});
            }
    scene.update();
    std::vector<CastHit> hits;
    scene.broadphase.cast({Vec3(-1.0f, 1.0f, 1.0f), Vec3(10.0f, 0.0f, 0.0f)}, hits);  // along edges
    CHECK(hits.size() == 16);
    hits.clear();
    scene.broadphase.cast({Vec3(-1.0f, 1.0f, 0.5f), Vec3(10.0f, 0.0f, 0.0f)}, hits);  // in faces
    CHECK(hits.size() == 8);
    hits.clear();
    scene.broadphase.cast({Vec3(-1.0f), Vec3(10.0f)},
                          hits);  // through corners: 4 cubes and 6 about each corner
    CHECK(hits.size() == 4 + 3 * 6);
    hits.clear();
    scene.broadphase.cast({Vec3(5.0f, 0.5f, 0.5f), Vec3(-1.0f, 0.0f, 0.0f)}, hits);  // ends in a face
    CHECK(hits.size() == 1);
}

TEST_CASE("a visitor that has found something near is spared what is far") {
    Scene scene;
    for (int i = 0; i < 1000; ++i) {
        const float x = 2.0f * float(i);
        scene.add({Vec3(x, 0.0f, 0.0f), Vec3(x + 1.0f, 1.0f, 1.0f)});
    }
    scene.update();
    for (const bool backwards : {false, true}) {
        BoxCast cast{Vec3(-1.0f, 0.5f, 0.5f), Vec3(3000.0f, 0.0f, 0.0f)};
        if (backwards) cast = {Vec3(2100.0f, 0.5f, 0.5f), Vec3(-3000.0f, 0.0f, 0.0f)};
        float nearest = 1.0f;
        uint32_t order = 0, visited = 0;
        scene.broadphase.for_cast(cast, [&](ProxyId id, float fraction) {
            ++visited;
            if (fraction < nearest) {
                nearest = fraction;
                order = scene.broadphase.order(id);
            }
            return nearest;
        });
        CHECK(order == (backwards ? 999u : 0u));
        CHECK(visited == 1);
    }
}

TEST_CASE("a cast that is no cast meets nothing") {
    Scene scene;
    scene.add({Vec3(-1.0f), Vec3(1.0f)});
    scene.update();
    std::vector<CastHit> hits;
    scene.broadphase.cast({Vec3(kNan, 0.0f, 0.0f), Vec3(1.0f)}, hits);
    scene.broadphase.cast({Vec3(0.0f), Vec3(kInfinity, 0.0f, 0.0f)}, hits);
    scene.broadphase.cast({Vec3(0.0f), Vec3(1.0f), kNan}, hits);
    scene.broadphase.cast({Vec3(0.0f), Vec3(1.0f), -1.0f}, hits);
    scene.broadphase.cast({Vec3(0.0f), Vec3(1.0f), 1.0f, Vec3(1.0f), Vec3(-1.0f)}, hits);
    CHECK(hits.empty());
}
