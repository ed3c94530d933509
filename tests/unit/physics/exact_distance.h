// SPDX-License-Identifier: MIT
// The distance between two placed convex shapes in double precision, by code that the narrowphase shares nothing
// with.
#pragma once

#include <algorithm>
#include <vector>

#include "physics/shapes/shape.h"
#include "samples/scenes/distance.h"

namespace proxima::physics::test {

inline std::vector<samples::Vec3d> core_points(const Shape& s, const Transform& pose) {
    const glm::dquat q = glm::normalize(glm::dquat(pose.rotation));
    std::vector<samples::Vec3d> points;
    const auto add = [&](const Vec3& v) {
        const glm::dvec3 x = q * glm::dvec3(v) + glm::dvec3(pose.position);
        points.push_back({x.x, x.y, x.z});
    };
    if (s.type == ShapeType::sphere) add(Vec3(0.0f));
    if (s.type == ShapeType::capsule) add({0.0f, -s.half_height, 0.0f}), add({0.0f, s.half_height, 0.0f});
    for (const Vec3& v : s.polytope.vertices) add(v);
    return points;
}

/// Only b may be a half-space.
inline double exact_distance(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b) {
    if (b.type == ShapeType::half_space) {
        const glm::dvec3 n = glm::normalize(glm::dquat(pose_b.rotation)) * glm::dvec3(0.0, 1.0, 0.0);
        double least = 1e300;
        for (const samples::Vec3d& p : core_points(a, pose_a))
            least = std::min(least, glm::dot(n, glm::dvec3(p.x, p.y, p.z) - glm::dvec3(pose_b.position)));
        return least - double(a.radius);
    }
    const auto pa = core_points(a, pose_a), pb = core_points(b, pose_b);
    return samples::core_distance(pa, pb) - double(a.radius) - double(b.radius);
}

}  // namespace proxima::physics::test
