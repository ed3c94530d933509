// SPDX-License-Identifier: MIT
// What the cache of the last axis and the width of the kernels may change: the work, never the contacts.
#include "engine/simd/simd_level.h"
#include "tests/unit/physics/shape_poses.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

std::vector<Shape> polytopes(Random& random) {
    return {box({0.5f, 0.7f, 0.4f}), box({1.5f, 0.05f, 1.0f}), random.cloud(16, 0.7f), prism(9, 0.5f, 0.3f),
            hull({{0, 0.5f, 0}, {0.5f, -0.5f, 0.5f}, {-0.5f, -0.5f, 0.5f}, {0, -0.5f, -0.5f}})};
}

/// Puts the level back, whatever happens in between.
struct LevelGuard {
    engine::SimdLevel before = engine::simd_level();
    ~LevelGuard() { engine::set_simd_level(before); }
};

}  // namespace

TEST_CASE("a cache that follows two slowly moving shapes never changes or loses a contact") {
    Random random(91);
    const std::vector<Shape> shapes = polytopes(random);
    int touching = 0, separated = 0, changes = 0;
    for (const Shape& a : shapes)
        for (const Shape& b : shapes)
            for (int path = 0; path < 4; ++path) {
                // From apart through an overlap and apart again, some millimetres and half a degree a step.
                const Vec3 from = random.direction() * 1.6f, to = -from + random.vector(1.2f);
                const Vec3 axis = random.direction();
                const Quat start = random.rotation();
                SatCache cache;
                bool had = false;
                for (int i = 0; i < 160; ++i) {
                    const float t = float(i) / 159.0f;
                    const Transform pose{from * (1.0f - t) + to * t, glm::angleAxis(1.5f * t, axis) * start};
                    RawManifold cold, warm;
                    const bool first = collide(a, at(0, 0, 0), b, pose, 0.02f, cold);
                    const bool second = collide(a, at(0, 0, 0), b, pose, 0.02f, warm, &cache);
                    REQUIRE(first == second);
                    REQUIRE(same_contacts(cold, warm));
                    if (first != had) ++changes;
                    had = first;
                    first ? ++touching : ++separated;
                }
            }
    CHECK(touching > 2000);
    CHECK(separated > 2000);
    CHECK(changes > 100);
}

TEST_CASE("whatever a cache holds, the contacts are the same") {
    Random random(92);
    const std::vector<Shape> shapes = polytopes(random);
    int touching = 0;
    for (const Shape& a : shapes)
        for (const Shape& b : shapes)
            for (int i = 0; i < 60; ++i) {
                const Transform pose{random.direction() * random.uniform(0.2f, 1.2f), random.rotation()};
                RawManifold cold, warm;
                const bool first = collide(a, at(0, 0, 0), b, pose, 0.02f, cold);
                SatCache cache;
                cache.kind = SatCache::Kind(random.engine() % 4);
                cache.index_a = uint16_t(random.engine() % 40);
                cache.index_b = uint16_t(random.engine() % 40);
                cache.hint_a = uint8_t(random.engine() % 40);
                cache.hint_b = uint16_t(random.engine() % 40);
                if (i % 10 == 0) cache.hint_a = 255, cache.hint_b = 65535;
                if (i % 10 == 5) cache.index_a = cache.index_b = 65535;
                REQUIRE(first == collide(a, at(0, 0, 0), b, pose, 0.02f, warm, &cache));
                REQUIRE(same_contacts(cold, warm));
                touching += first;
            }
    CHECK(touching > 500);
}

TEST_CASE("every width of the kernels gives the same bits") {
    const LevelGuard guard;
    Random random(93);
    std::vector<Shape> shapes = polytopes(random);
    shapes.push_back(random.cloud(90, 0.8f));
    shapes.push_back(prism(100, 0.6f, 0.4f));
    shapes.push_back(capsule(0.3f, 0.5f));
    shapes.push_back(sphere(0.5f));
    shapes.push_back(half_space());
    int touching = 0, differing = 0;
    for (const Shape& a : shapes)
        for (const Shape& b : shapes)
            for (int i = 0; i < 30; ++i) {
                const Transform pa{random.vector(0.3f), random.rotation()};
                // Every third pair aligned, where ties are at home.
                const Transform pb{pa.position + random.direction() * random.uniform(0.1f, 1.3f),
                                   i % 3 ? random.rotation() : pa.rotation};
                SatCache cache, narrow_cache;
                RawManifold wide, narrow;
                engine::set_simd_level(engine::widest_simd_level());
                const bool first = collide(a, pa, b, pb, 0.02f, wide, &cache);
                const Aabb wide_box = bounding_box(a, pa);
                for (const engine::SimdLevel level : {engine::SimdLevel::one, engine::SimdLevel::four}) {
                    engine::set_simd_level(level);
                    narrow_cache = SatCache{};
                    const bool second = collide(a, pa, b, pb, 0.02f, narrow, &narrow_cache);
                    const Aabb box = bounding_box(a, pa);
                    const bool same = first == second && same_contacts(wide, narrow) &&
                                      same_bits(wide.distance, narrow.distance) && cache.kind == narrow_cache.kind &&
                                      cache.index_a == narrow_cache.index_a && cache.index_b == narrow_cache.index_b &&
                                      cache.hint_a == narrow_cache.hint_a && cache.hint_b == narrow_cache.hint_b &&
                                      same_bits(box.lower, wide_box.lower) && same_bits(box.upper, wide_box.upper);
                    if (!same) ++differing;
                }
                touching += first;
            }
    CHECK(differing == 0);
    CHECK(touching > 500);
}

TEST_CASE("the box around a placed hull is the tightest") {
    Random random(94);
    for (int count : {4, 8, 9, 16, 17, 60}) {
        const Shape stone = random.cloud(count + 2, 0.8f);
        for (int i = 0; i < 50; ++i) {
            const Transform pose{random.vector(5.0f), random.rotation()};
            const Aabb box = bounding_box(stone, pose);
            Vec3 lower(1e30f), upper(-1e30f);
            for (const Vec3& v : stone.polytope.vertices) {
                lower = glm::min(lower, to_world(pose, v));
                upper = glm::max(upper, to_world(pose, v));
            }
            CHECK(near(box.lower, lower, 5e-6f));
            CHECK(near(box.upper, upper, 5e-6f));
        }
    }
}
