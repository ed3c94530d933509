// SPDX-License-Identifier: MIT
#include "tests/unit/physics/shape_poses.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

RawPoint point(float x, float z, float separation, uint32_t feature) {
    RawPoint p;
    p.point = p.core_a = p.core_b = Vec3(x, 0.0f, z);
    p.separation = p.base_gap = separation;
    p.feature = feature;
    return p;
}

std::vector<uint32_t> reduce(std::vector<RawPoint> points) {
    const int count = reduce_manifold(points.data(), int(points.size()), Vec3(0, 1, 0));
    std::vector<uint32_t> features;
    for (int i = 0; i < count; ++i) features.push_back(points[size_t(i)].feature);
    return features;
}

using Ids = std::vector<uint32_t>;

}  // namespace

TEST_CASE("four points or fewer stay as they are") {
    CHECK(reduce({}) == Ids{});
    CHECK(reduce({point(0, 0, 0, 7)}) == Ids{7});
    CHECK(reduce({point(0, 0, 0, 3), point(1, 0, 0, 2), point(0, 1, 0, 1), point(1, 1, 0, 0)}) == Ids{3, 2, 1, 0});
}

TEST_CASE("the corners of a square win over the middles of its sides") {
    std::vector<RawPoint> points;
    const float xs[8] = {-1, 0, 1, 1, 1, 0, -1, -1}, zs[8] = {-1, -1, -1, 0, 1, 1, 1, 0};
    for (uint32_t i = 0; i < 8; ++i) points.push_back(point(xs[i], zs[i], -0.01f, i));
    CHECK(reduce(points) == Ids{0, 2, 4, 6});
    // Whatever the order they come in, the same set stays.
    for (int rotation = 1; rotation < 8; ++rotation) {
        std::rotate(points.begin(), points.begin() + 1, points.end());
        Ids ids = reduce(points);
        std::sort(ids.begin(), ids.end());
        CHECK(ids == Ids{0, 2, 4, 6});
    }
}

TEST_CASE("rounding noise in place and depth does not change the choice") {
    Random random(51);
    for (int trial = 0; trial < 2000; ++trial) {
        std::vector<RawPoint> points;
        // A rectangle whose corners are cut by a centimetre: eight points, in pairs.
        const float xs[8] = {-1, 1, 1.01f, 1.01f, 1, -1, -1.01f, -1.01f};
        const float zs[8] = {-0.51f, -0.51f, -0.5f, 0.5f, 0.51f, 0.51f, 0.5f, -0.5f};
        for (uint32_t i = 0; i < 8; ++i)
            points.push_back(point(xs[i] + random.uniform(-1e-5f, 1e-5f), zs[i] + random.uniform(-1e-5f, 1e-5f),
                                   -0.001f + random.uniform(-1e-5f, 1e-5f), i));
        CHECK(reduce(points) == reduce({point(xs[0], zs[0], 0, 0), point(xs[1], zs[1], 0, 1), point(xs[2], zs[2], 0, 2),
                                        point(xs[3], zs[3], 0, 3), point(xs[4], zs[4], 0, 4), point(xs[5], zs[5], 0, 5),
                                        point(xs[6], zs[6], 0, 6), point(xs[7], zs[7], 0, 7)}));
    }
}

TEST_CASE("a clearly deeper point is kept, even in the middle") {
    std::vector<RawPoint> points;
    const float xs[5] = {-1, 1, 1, -1, 0.1f}, zs[5] = {-1, -1, 1, 1, 0};
    for (uint32_t i = 0; i < 5; ++i) points.push_back(point(xs[i], zs[i], i == 4 ? -0.1f : -0.01f, i));
    const Ids kept = reduce(points);
    CHECK(kept.size() == 4);
    CHECK(std::find(kept.begin(), kept.end(), 4u) != kept.end());
    points[4].separation = -0.0101f;  // a tenth of a millimetre is no reason to lose a corner of two metres
    CHECK(reduce(points) == Ids{0, 1, 2, 3});
}

TEST_CASE("points on a line keep its ends") {
    std::vector<RawPoint> points;
    for (uint32_t i = 0; i < 9; ++i) points.push_back(point(float(i), 0, -0.01f, i));
    CHECK(reduce(points) == Ids{0, 8});
    points[4].separation = -1.0f;
    CHECK(reduce(points) == Ids{0, 4, 8});
    for (RawPoint& p : points) p.point = Vec3(1.0f);  // all in one place
    CHECK(reduce(points).size() >= 1);
}

TEST_CASE("the kept quadrilateral has most of the area of a random polygon") {
    Random random(52);
    for (int trial = 0; trial < 500; ++trial) {
        std::vector<RawPoint> points;
        std::vector<float> angles;
        const int count = 5 + trial % 12;
        for (int i = 0; i < count; ++i) angles.push_back(random.uniform(0.0f, 2.0f * kPi));
        std::sort(angles.begin(), angles.end());
        for (int i = 0; i < count; ++i)
            points.push_back(
                point(2.0f * std::cos(angles[size_t(i)]), std::sin(angles[size_t(i)]), -0.01f, uint32_t(i)));
        const auto area = [&](const Ids& ids) {
            float sum = 0.0f;
            for (size_t i = 0; i < ids.size(); ++i) {
                const Vec3 p = points[ids[i]].point, q = points[ids[(i + 1) % ids.size()]].point;
                sum += 0.5f * (p.x * q.z - q.x * p.z);
            }
            return sum;
        };
        Ids all;
        for (uint32_t i = 0; i < uint32_t(count); ++i) all.push_back(i);
        float best = 0.0f;
        for (uint32_t i = 0; i < all.size(); ++i)
            for (uint32_t j = i + 1; j < all.size(); ++j)
                for (uint32_t k = j + 1; k < all.size(); ++k)
                    for (uint32_t l = k + 1; l < all.size(); ++l) best = std::max(best, area({i, j, k, l}));
        const Ids kept = reduce(points);
        CHECK(area(kept) > 0.65f * best);
    }
}

TEST_CASE("the corner that a body tilts to is kept, whichever it is") {
    const Shape drum = prism(12, 0.5f, 1.0f), floor = half_space(), slab = box({2.0f, 0.1f, 2.0f});
    for (const bool on_slab : {false, true})
        for (int k = 0; k < 12; ++k) {
            CAPTURE(on_slab);
            CAPTURE(k);
            const float angle = 2.0f * kPi * float(k) / 12.0f;
            const Vec3 corner(0.5f * std::cos(angle), 0.0f, 0.5f * std::sin(angle));
            RawManifold m;
            // The support comes up against the drum below the corner, as it does when the drum tilts to it.
            m.motion = {.linear = Vec3(0.0f),
                        .angular = 0.01f * glm::cross(glm::normalize(corner), Vec3(0, 1, 0)),
                        .about = Vec3(0.0f, 0.0f, 0.0f)};
            REQUIRE(
                collide(drum, at(0, 1, 0), on_slab ? slab : floor, on_slab ? at(0, -0.1f, 0) : at(0, 0, 0), 0.02f, m));
            REQUIRE(m.count == 4);
            float nearest = 1e30f;
            for (int i = 0; i < 4; ++i) nearest = std::min(nearest, glm::length(m.points[i].point - corner));
            CHECK(nearest < 1e-3f);
        }
}
