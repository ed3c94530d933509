// SPDX-License-Identifier: MIT
#include "tests/unit/physics/shape_poses.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

/// The features of a manifold as a sorted list: the identity of its set of points.
std::vector<uint32_t> features(const RawManifold& m) {
    std::vector<uint32_t> ids;
    for (int i = 0; i < m.count; ++i) ids.push_back(m.points[i].feature);
    std::sort(ids.begin(), ids.end());
    return ids;
}

/// The distance from each point of one manifold to the nearest of the other.
float spread(const RawManifold& m, const RawManifold& other) {
    float worst = 0.0f;
    for (int i = 0; i < m.count; ++i) {
        float best = 1e30f;
        for (int k = 0; k < other.count; ++k)
            best = std::min(best, glm::length(m.points[i].point - other.points[k].point));
        worst = std::max(worst, best);
    }
    return worst;
}

}  // namespace

TEST_CASE("two unit cubes 0.9 apart touch in the four corners of their face") {
    const Shape cube = box(Vec3(0.5f)), cooked = box_hull(Vec3(0.5f));
    for (const Shape* a : {&cube, &cooked})
        for (const Shape* b : {&cube, &cooked}) {
            RawManifold m;
            REQUIRE(collide(*a, at(0, 0, 0), *b, at(0, 0.9f, 0), 0.0f, m));
            CHECK(m.count == 4);
            CHECK(sound(m, 0.0f));
            CHECK(near(m.normal, {0, 1, 0}));
            for (int i = 0; i < m.count; ++i) {
                CHECK(m.points[i].separation == doctest::Approx(-0.1));
                CHECK(m.points[i].point.y == doctest::Approx(0.45));
                CHECK(std::abs(m.points[i].point.x) == doctest::Approx(0.5));
                CHECK(std::abs(m.points[i].point.z) == doctest::Approx(0.5));
                CHECK(m.points[i].core_a == m.points[i].point);
                CHECK(m.points[i].base_gap == m.points[i].separation);
            }
        }
}

TEST_CASE("a cube turned by 45 degrees on another keeps four corners of the octagon") {
    const Shape cube = box(Vec3(0.5f)), cooked = box_hull(Vec3(0.5f));
    for (const Shape* a : {&cube, &cooked}) {
        RawManifold m;
        REQUIRE(collide(*a, at(0, 0, 0), cube, {{0, 0.9f, 0}, turn(45, {0, 1, 0})}, 0.0f, m));
        CHECK(m.count == 4);
        CHECK(near(m.normal, {0, 1, 0}));
        for (int i = 0; i < m.count; ++i) {
            const float x = std::abs(m.points[i].point.x), z = std::abs(m.points[i].point.z);
            CHECK(std::max(x, z) == doctest::Approx(0.5).epsilon(5e-3));  // the sides give way by one slop
            CHECK(std::min(x, z) == doctest::Approx(0.2071068).epsilon(1e-2));
            CHECK(m.points[i].separation == doctest::Approx(-0.1));
        }
        Vec3 sum(0.0f);
        for (int i = 0; i < m.count; ++i) sum += m.points[i].point - Vec3(0, 0.45f, 0);
        CHECK(glm::length(sum) < 1e-2f);  // and they surround the middle
    }
}

TEST_CASE("two crossed edges touch in one point") {
    const Shape cube = box(Vec3(0.5f)), cooked = box_hull(Vec3(0.5f));
    const float root2 = std::sqrt(2.0f);
    for (const Shape* a : {&cube, &cooked})
        for (const Shape* b : {&cube, &cooked}) {
            RawManifold m;
            REQUIRE(collide(*a, {Vec3(0.0f), turn(45, {1, 0, 0})}, *b, {{0, root2 - 0.05f, 0}, turn(45, {0, 0, 1})},
                            0.0f, m));
            CHECK(m.count == 1);
            CHECK(near(m.normal, {0, 1, 0}));
            CHECK(m.points[0].separation == doctest::Approx(-0.05).epsilon(1e-4));
            CHECK(near(m.points[0].point, {0, root2 / 2.0f - 0.025f, 0}));
        }
}

TEST_CASE("aligned boxes in every relation give finite manifolds") {
    const Shape cube = box(Vec3(0.5f)), plate = box({2.0f, 0.01f, 2.0f}), needle = box({0.01f, 3.0f, 0.01f});
    RawManifold m;
    int touching = 0;
    for (const Shape* a : {&cube, &plate, &needle})
        for (const Shape* b : {&cube, &plate, &needle})
            for (float x : {-1.0f, -0.5f, 0.0f, 0.25f, 1.0f})
                for (float y : {-1.0f, 0.0f, 0.51f})
                    for (int quarter = 0; quarter < 4; ++quarter) {
                        const Transform pose{{x, y, 0.0f}, turn(90.0f * float(quarter), {0, 0, 1})};
                        if (!collide(*a, at(0, 0, 0), *b, pose, 0.01f, m)) continue;
                        ++touching;
                        CHECK(sound(m, 0.01f));
                    }
    CHECK(touching > 100);
    REQUIRE(collide(cube, at(1, 1, 1), cube, at(1, 1, 1), 0.0f, m));  // one in the other
    CHECK(sound(m, 0.0f));
    CHECK(deepest(m) == doctest::Approx(-1.0));
}

TEST_CASE("the axis and depth of two boxes do not depend on their order") {
    Random random(41);
    const Shape a = box({0.5f, 0.7f, 0.4f}), b = box({0.3f, 0.9f, 0.6f});
    int touching = 0;
    for (int i = 0; i < 3000; ++i) {
        const Transform pa{random.vector(0.5f), random.rotation()}, pb{random.vector(0.5f), random.rotation()};
        RawManifold ab, ba;
        const bool first = collide(a, pa, b, pb, 0.02f, ab), second = collide(b, pb, a, pa, 0.02f, ba);
        CHECK(first == second);
        if (!first || !second) continue;
        ++touching;
        // Where two axes tie within the slop the order may decide; the depth is then the same within the slop.
        CHECK(std::abs(deepest(ab) - deepest(ba)) < 3e-3f);
        if (glm::dot(ab.normal, ba.normal) > -0.999f) continue;
        CHECK(near(ab.normal, -ba.normal, 1e-4f));
    }
    CHECK(touching > 2000);
}

TEST_CASE("a common rigid motion moves the manifold and nothing else") {
    Random random(42);
    const Shape cube = box({0.5f, 0.7f, 0.4f});
    const Shape shapes[] = {cube, box_hull({0.5f, 0.6f, 0.4f}), random.cloud(16, 0.8f), capsule(0.3f, 0.5f),
                            sphere(0.6f)};
    int compared = 0, differing = 0;
    for (int i = 0; i < 4000; ++i) {
        const Shape& a = shapes[i % 5];
        const Shape& b = shapes[i / 5 % 5];
        const Transform pa{random.vector(0.5f), random.rotation()}, pb{random.vector(0.5f), random.rotation()};
        const Transform motion{random.vector(3.0f), random.rotation()};
        RawManifold still, moved;
        const bool first = collide(a, pa, b, pb, 0.02f, still);
        const bool second = collide(a, compose(motion, pa), b, compose(motion, pb), 0.02f, moved);
        if (first != second) ++differing;  // only by rounding, at the very margin
        if (!first || !second) continue;
        ++compared;
        if (still.count != moved.count || features(still) != features(moved)) {
            ++differing;
            continue;
        }
        CHECK(near(motion.rotation * still.normal, moved.normal, 1e-3f));
        CHECK(std::abs(deepest(still) - deepest(moved)) < 1e-4f);
        for (int k = 0; k < still.count; ++k)
            CHECK(near(to_world(motion, still.points[k].point), moved.points[k].point, 2e-3f));
    }
    CHECK(compared > 2500);
    CHECK(differing < compared / 100);
}

TEST_CASE("a jittering stack keeps its four points and their features for thousands of frames") {
    const Shape cube = box(Vec3(0.5f)), cooked = box_hull(Vec3(0.5f));
    for (const Shape* a : {&cube, &cooked})
        for (const Vec2 base : {Vec2(0, 0), Vec2(0.2f, 0.1f), Vec2(0.5f, 0), Vec2(0.03f, -0.3f)}) {
            Random random(43);
            std::vector<uint32_t> expected;
            int changes = 0, other_counts = 0;
            for (int frame = 0; frame < 3000; ++frame) {
                // A stack at rest: hundredths of a millimetre, hundredths of a degree.
                const Vec3 shake = random.vector(2e-5f);
                const Transform pose{Vec3(base.x, 0.999f, base.y) + shake,
                                     turn(random.uniform(-0.005f, 0.005f), random.direction())};
                RawManifold m;
                REQUIRE(collide(*a, at(0, 0, 0), cube, pose, 0.02f, m));
                if (m.count != 4) ++other_counts;
                if (frame == 0) expected = features(m);
                if (features(m) != expected) ++changes;
            }
            CHECK(other_counts == 0);
            CHECK(changes == 0);
        }
}

TEST_CASE("a slowly turning cube on a cube always has four spanning points") {
    const Shape cube = box(Vec3(0.5f));
    RawManifold before;
    for (int i = 0; i <= 3600; ++i) {
        const Transform pose{{0, 0.999f, 0}, turn(0.025f * float(i), {0, 1, 0})};
        RawManifold m;
        REQUIRE(collide(cube, at(0, 0, 0), cube, pose, 0.02f, m));
        REQUIRE(m.count == 4);
        CHECK(near(m.normal, {0, 1, 0}, 1e-4f));
        // Twice the area of the patch, from its diagonals in any order; the smallest octagon's best quad has 0.8.
        float area = 0.0f;
        const Vec3 p[4] = {m.points[0].point, m.points[1].point, m.points[2].point, m.points[3].point};
        for (int k = 1; k < 4; ++k)
            area = std::max(area, std::abs(glm::cross(p[k] - p[0], p[k % 3 + 1] - p[(k + 1) % 3 + 1]).y));
        CHECK(area > 1.0f);
    }
}

TEST_CASE("depth is continuous along smooth motions of two boxes") {
    Random random(44);
    const Shape a = box({0.5f, 0.7f, 0.4f}), b = box({0.3f, 0.9f, 0.6f});
    int steps = 0;
    for (int path = 0; path < 60; ++path) {
        const Quat start = random.rotation();
        const Vec3 from = random.direction() * 1.2f, axis = random.direction();
        float before = 0.0f;
        bool had = false;
        for (int i = 0; i < 200; ++i) {
            const float t = float(i) / 199.0f;
            const Transform pose{from * (1.0f - t) + 0.2f * axis, glm::angleAxis(0.7f * t, axis) * start};
            RawManifold m;
            const bool touching = collide(a, at(0, 0, 0), b, pose, 0.05f, m);
            if (touching && had) {
                // 6 mm and 0.2 degrees a step, plus the slop of the axis choice.
                CHECK(std::abs(deepest(m) - before) < 0.02f);
                ++steps;
            }
            had = touching;
            if (touching) before = deepest(m);
        }
    }
    CHECK(steps > 3000);
}

TEST_CASE("the cache of the last axis changes no result") {
    Random random(45);
    const Shape a = box({0.5f, 0.7f, 0.4f}), b = box({0.3f, 0.9f, 0.6f}), c = random.cloud(20, 0.7f);
    const Shape* pairs[][2] = {{&a, &b}, {&a, &c}, {&c, &c}, {&c, &b}};
    for (const auto& pair : pairs) {
        SatCache cache;
        int separated = 0;
        Transform pose{Vec3(0.0f), random.rotation()};
        for (int i = 0; i < 2000; ++i) {
            pose.position = random.direction() * random.uniform(0.5f, 1.8f);
            if (i % 7 == 0) pose.rotation = random.rotation();
            RawManifold plain, cached;
            const bool first = collide(*pair[0], at(0, 0, 0), *pair[1], pose, 0.02f, plain);
            const bool second = collide(*pair[0], at(0, 0, 0), *pair[1], pose, 0.02f, cached, &cache);
            CHECK(first == second);
            if (!first) ++separated;
            REQUIRE(plain.count == cached.count);
            for (int k = 0; k < plain.count; ++k) {
                CHECK(plain.points[k].point == cached.points[k].point);
                CHECK(plain.points[k].feature == cached.points[k].feature);
            }
        }
        CHECK(separated > 200);
        SatCache nonsense;  // a cache of another pair must do no harm
        nonsense.kind = SatCache::edges;
        nonsense.index_a = nonsense.index_b = 60000;
        RawManifold m;
        collide(*pair[0], at(0, 0, 0), *pair[1], pose, 0.02f, m, &nonsense);
        nonsense.kind = SatCache::face_b;
        nonsense.index_b = 60000;
        collide(*pair[0], at(0, 0, 0), *pair[1], pose, 0.02f, m, &nonsense);
    }
}

TEST_CASE("corners that pass each other meet along their true distance") {
    const Shape cube = box(Vec3(0.5f)), cooked = box_hull(Vec3(0.5f));
    for (const Shape* a : {&cube, &cooked}) {
        RawManifold m;
        // Parallel edges 3 mm and 4 mm apart in x and y; the centres are shifted along z.
        REQUIRE(collide(*a, at(0, 0, 0), cube, at(1.03f, 1.04f, 0.2f), 0.06f, m));
        CHECK(m.points[0].separation == doctest::Approx(0.05).epsilon(1e-3));
        CHECK(near(m.normal, {0.6f, 0.8f, 0}, 1e-3f));
        CHECK_FALSE(collide(*a, at(0, 0, 0), cube, at(1.03f, 1.04f, 0.2f), 0.045f, m));
    }
}

TEST_CASE("a box on a box far from the origin keeps its manifold") {
    const Shape cube = box(Vec3(0.5f));
    const Vec3 far(4000.0f, 1000.0f, -8000.0f);
    RawManifold m;
    REQUIRE(collide(cube, {far, turn(30, {0, 1, 0})}, cube, {far + Vec3(0, 0.99f, 0), turn(30, {0, 1, 0})}, 0.02f, m));
    CHECK(m.count == 4);
    for (int i = 0; i < 4; ++i) CHECK(m.points[i].separation == doctest::Approx(-0.01).epsilon(0.02));
    RawManifold home;
    REQUIRE(
        collide(cube, {Vec3(0.0f), turn(30, {0, 1, 0})}, cube, {Vec3(0, 0.99f, 0), turn(30, {0, 1, 0})}, 0.02f, home));
    for (int i = 0; i < home.count; ++i) home.points[i].point += far;
    CHECK(spread(m, home) < 2e-3f);
}
