// SPDX-License-Identifier: MIT
// Shapes, poses and checks that the tests of contact generation share.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "physics/narrowphase/collide.h"

namespace proxima::physics::test {

inline Shape make_shape(const ShapeDesc& desc) {
    ShapeLibrary library;
    const Result<ShapeId> id = library.add(desc);
    REQUIRE_MESSAGE(id.ok(), id.error());
    return library.get(*id);
}
inline Shape sphere(float r) {
    ShapeDesc d;
    d.type = ShapeType::sphere;
    d.radius = r;
    return make_shape(d);
}
inline Shape box(const Vec3& h) {
    ShapeDesc d;
    d.type = ShapeType::box;
    d.half_extents = h;
    return make_shape(d);
}
inline Shape capsule(float r, float h) {
    ShapeDesc d;
    d.type = ShapeType::capsule;
    d.radius = r;
    d.half_height = h;
    return make_shape(d);
}
inline Shape hull(std::vector<Vec3> points) {
    ShapeDesc d;
    d.type = ShapeType::hull;
    d.points = std::move(points);
    return make_shape(d);
}
inline Shape half_space() {
    ShapeDesc d;
    d.type = ShapeType::half_space;
    return make_shape(d);
}
/// A box as a hull, to set the general code against the special one.
inline Shape box_hull(const Vec3& h) { return hull(box_polytope(h).vertices); }

inline Shape prism(int sides, float radius, float half_height) {
    std::vector<Vec3> points;
    for (int i = 0; i < sides; ++i)
        for (float y : {-half_height, half_height})
            points.emplace_back(radius * std::cos(2.0f * kPi * float(i) / float(sides)), y,
                                radius * std::sin(2.0f * kPi * float(i) / float(sides)));
    return hull(points);
}

struct Random {
    std::mt19937 engine;
    explicit Random(uint32_t seed) : engine(seed) {}
    /// Written out, because the distributions of the standard library differ between its implementations.
    float uniform(float low, float high) { return low + (high - low) * float(engine() >> 8) * (1.0f / 16777216.0f); }
    Vec3 vector(float size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
    Vec3 direction() {
        for (;;) {
            const Vec3 v = vector(1.0f);
            const float l = glm::length(v);
            if (l > 0.1f && l < 1.0f) return v / l;
        }
    }
    Quat rotation() {
        for (;;) {
            const Quat q(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
            const float l = glm::length(q);
            if (l > 0.1f && l < 1.0f) return q * (1.0f / l);
        }
    }
    Shape cloud(int count, float size) {
        std::vector<Vec3> points;
        for (int i = 0; i < count; ++i) points.push_back(direction() * uniform(0.6f * size, size));
        return hull(points);
    }
};

inline Transform at(float x, float y, float z) { return {{x, y, z}, Quat(1.0f, 0.0f, 0.0f, 0.0f)}; }
inline Quat turn(float degrees, const Vec3& axis) {
    return glm::angleAxis(degrees * (kPi / 180.0f), glm::normalize(axis));
}

inline bool near(const Vec3& a, const Vec3& b, float tolerance = 1e-5f) { return glm::length(a - b) <= tolerance; }

inline float deepest(const RawManifold& m) {
    float least = m.points[0].separation;
    for (int i = 1; i < m.count; ++i) least = std::min(least, m.points[i].separation);
    return least;
}

/// What holds for every manifold: finite, unit normal, 1 to 4 points within the margin, the identity of the
/// cores, distinct features.
inline bool sound(const RawManifold& m, float margin) {
    if (m.count < 1 || m.count > kMaxManifoldPoints) return false;
    if (!is_finite(m.normal) || std::abs(glm::length(m.normal) - 1.0f) > 1e-4f) return false;
    for (int i = 0; i < m.count; ++i) {
        const RawPoint& p = m.points[i];
        if (!is_finite(p.point) || !is_finite(p.core_a) || !is_finite(p.core_b)) return false;
        if (!(p.separation <= margin)) return false;
        const float gap = p.base_gap + glm::dot(m.normal, p.core_b - p.core_a);
        if (!(std::abs(gap - p.separation) <= 1e-6f + 1e-6f * std::abs(p.base_gap))) return false;
        for (int k = 0; k < i; ++k)
            if (m.points[k].feature == p.feature) return false;
    }
    return true;
}

inline bool same_bits(const Vec3& a, const Vec3& b) { return std::memcmp(&a, &b, sizeof a) == 0; }
inline bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// Whether two manifolds have the same points to the last bit.
inline bool same_contacts(const RawManifold& a, const RawManifold& b) {
    if (a.count != b.count) return false;
    if (a.count > 0 && !same_bits(a.normal, b.normal)) return false;
    for (int i = 0; i < a.count; ++i) {
        const RawPoint &p = a.points[i], &q = b.points[i];
        if (!same_bits(p.point, q.point) || !same_bits(p.core_a, q.core_a) || !same_bits(p.core_b, q.core_b))
            return false;
        if (!same_bits(p.separation, q.separation) || !same_bits(p.base_gap, q.base_gap)) return false;
        if (p.feature != q.feature) return false;
    }
    return true;
}

/// How far a point is outside a placed shape; zero or less inside.
inline float outside(const Shape& s, const Transform& pose, const Vec3& point) {
    const Vec3 x = to_local(pose, point);
    switch (s.type) {
        case ShapeType::sphere:
            return glm::length(x) - s.radius;
        case ShapeType::capsule:
            return glm::length(x - Vec3(0.0f, std::clamp(x.y, -s.half_height, s.half_height), 0.0f)) - s.radius;
        case ShapeType::half_space:
            return x.y;
        default:
            break;
    }
    float most = -1e30f;
    for (const Polytope::Face& f : s.polytope.faces) most = std::max(most, glm::dot(f.normal, x) - f.offset);
    return most;
}

}  // namespace proxima::physics::test
