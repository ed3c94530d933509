// SPDX-License-Identifier: MIT
// Shapes that meet: many kinds, many placements, and how far they are apart along a direction.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "physics/scale.h"
#include "tests/gpu/contact_rig.h"
#include "tests/unit/physics/shape_poses.h"

namespace proxima::test {

using physics::Shape;
using physics::ShapeDesc;
using physics::ShapeId;
using physics::ShapeType;
using physics::test::turn;
using Dice = physics::test::Random;

inline constexpr float kMargin = 0.02f;  // of bodies of a metre
/// Of two shapes at rest.
inline float margin_of(const Shape& a, const Shape& b) {
    return kMargin * physics::length_scale(std::min(a.bounding_radius, b.bounding_radius));
}

inline ShapeDesc round_desc(ShapeType type, float radius, float half_height = 0.0f) {
    ShapeDesc d;
    d.type = type;
    d.radius = radius;
    d.half_height = half_height;
    return d;
}
inline ShapeDesc box_desc(const Vec3& half_extents) {
    ShapeDesc d;
    d.half_extents = half_extents;
    return d;
}
inline ShapeDesc hull_desc(std::vector<Vec3> points) {
    ShapeDesc d;
    d.type = ShapeType::hull;
    d.points = std::move(points);
    return d;
}
inline ShapeDesc cloud_desc(Dice& dice, int count, float size) {
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i) points.push_back(dice.direction() * dice.uniform(0.6f * size, size));
    return hull_desc(points);
}
inline ShapeDesc prism_desc(int sides, float radius, float half_height) {
    std::vector<Vec3> points;
    for (int i = 0; i < sides; ++i)
        for (float y : {-half_height, half_height})
            points.emplace_back(radius * std::cos(2.0f * kPi * float(i) / float(sides)), y,
                                radius * std::sin(2.0f * kPi * float(i) / float(sides)));
    return hull_desc(points);
}

/// Farthest place of a shape along a direction of the world.
inline float support(const Shape& s, const Transform& pose, const Vec3& n) {
    const Vec3 local = glm::conjugate(pose.rotation) * n;
    float most = s.polytope.vertices.empty() ? std::abs(local.y) * s.half_height + s.radius : -1e30f;
    if (s.type == ShapeType::half_space) most = glm::length(local - Vec3(0, 1, 0)) < 1e-3f ? 0.0f : 1e30f;
    for (const Vec3& v : s.polytope.vertices) most = std::max(most, glm::dot(local, v));
    return most + glm::dot(pose.position, n);
}
/// The gap from a to b along a unit direction.
inline float gap_along(const Shape& a, const Transform& pa, const Shape& b, const Transform& pb, const Vec3& n) {
    return -support(b, pb, -n) - support(a, pa, n);
}
/// How far a point is outside a shape, negative inside; for polytopes by their planes, hence at most.
inline float height_above(const Shape& s, const Transform& pose, const Vec3& x) {
    const Vec3 local = to_local(pose, x);
    if (s.type == ShapeType::half_space) return local.y;
    if (s.polytope.vertices.empty())
        return glm::length(local - Vec3(0.0f, std::clamp(local.y, -s.half_height, s.half_height), 0.0f)) - s.radius;
    float most = -1e30f;
    for (const physics::Polytope::Face& f : s.polytope.faces)
        most = std::max(most, glm::dot(f.normal, local) - f.offset);
    return most;
}

/// Twice the area that points of a plane span, in any order.
template <class Point>
inline float spanned(int count, const Vec3& n, const Point& p) {
    if (count < 3) return 0.0f;
    if (count == 3) return std::abs(glm::dot(glm::cross(p(1) - p(0), p(2) - p(0)), n));
    return std::max({std::abs(glm::dot(glm::cross(p(1) - p(0), p(3) - p(2)), n)),
                     std::abs(glm::dot(glm::cross(p(2) - p(0), p(3) - p(1)), n)),
                     std::abs(glm::dot(glm::cross(p(3) - p(0), p(2) - p(1)), n))});
}

struct Meeting {
    ShapeId a{}, b{};
    Transform pose_a, pose_b;
};

/// Two shapes near each other: turned at random, or nearly along the axes so that faces meet faces.
inline Meeting near_pair(Dice& dice, const ContactRig& rig, ShapeId a, ShapeId b) {
    const Shape &sa = rig.shape(a), &sb = rig.shape(b);
    const auto rotation = [&](bool aligned) {
        if (!aligned) return dice.rotation();
        Quat q(1.0f, 0.0f, 0.0f, 0.0f);
        for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0)})
            q = turn(90.0f * std::floor(dice.uniform(0.0f, 4.0f)), axis) * q;
        return glm::normalize(
            turn(dice.uniform(0.0f, 1.0f) < 0.5f ? dice.uniform(-45.0f, 45.0f) : 0.0f, Vec3(0, 1, 0)) *
            turn(dice.uniform(-0.2f, 0.2f), dice.direction()) * q);
    };
    const bool aligned = dice.uniform(0.0f, 1.0f) < 0.5f;
    Meeting p;
    p.a = a;
    p.b = b;
    p.pose_a.rotation = rotation(aligned);
    p.pose_b.rotation = rotation(aligned);
    Vec3 n = aligned ? Vec3(0, 1, 0) : dice.direction();
    if (sa.type == ShapeType::half_space) n = p.pose_a.rotation * Vec3(0, 1, 0);
    if (sb.type == ShapeType::half_space) n = p.pose_b.rotation * Vec3(0, -1, 0);
    const float small = std::min(std::min(sa.bounding_radius, sb.bounding_radius), 1.0f);
    p.pose_a.position = dice.vector(5.0f);
    p.pose_b.position = p.pose_a.position +
                        (aligned ? Vec3(dice.uniform(-1, 1), 0.0f, dice.uniform(-1, 1)) : dice.vector(0.6f)) * small;
    const float kind = dice.uniform(0.0f, 4.0f);
    const float gap = kind < 1.0f   ? dice.uniform(0.0f, 1.2f * kMargin)
                      : kind < 2.0f ? dice.uniform(-2e-3f, 2e-3f)
                      : kind < 3.0f ? dice.uniform(-0.02f, 0.0f)
                                    : dice.uniform(-0.5f * small, 0.0f);
    p.pose_b.position += n * (gap - gap_along(sa, p.pose_a, sb, p.pose_b, n));
    return p;
}

/// So many meetings of every shape with every other; two half-spaces never meet.
inline std::vector<Meeting> near_pairs(Dice& dice, const ContactRig& rig, const std::vector<ShapeId>& shapes,
                                       int count) {
    std::vector<Meeting> meetings;
    for (const ShapeId a : shapes)
        for (const ShapeId b : shapes) {
            if (rig.shape(a).type == ShapeType::half_space && rig.shape(b).type == ShapeType::half_space) continue;
            for (int k = 0; k < count; ++k) meetings.push_back(near_pair(dice, rig, a, b));
        }
    return meetings;
}

inline std::vector<ShapeId> add_shapes(ContactRig& rig, Dice& dice) {
    return {rig.add(round_desc(ShapeType::sphere, 0.3f)),
            rig.add(round_desc(ShapeType::capsule, 0.2f, 0.5f)),
            rig.add(box_desc({0.5f, 0.7f, 0.4f})),
            rig.add(cloud_desc(dice, 16, 0.7f)),
            rig.add(round_desc(ShapeType::half_space, 0.0f)),
            rig.add(round_desc(ShapeType::sphere, 0.8f)),
            rig.add(round_desc(ShapeType::capsule, 0.4f, 0.1f)),
            rig.add(box_desc({1.5f, 0.05f, 1.0f})),
            rig.add(cloud_desc(dice, 8, 0.5f)),
            rig.add(box_desc({0.25f, 0.25f, 0.25f})),
            rig.add(cloud_desc(dice, 40, 0.9f)),
            rig.add(prism_desc(9, 0.5f, 0.3f))};
}

/// Colliders 2 k and 2 k + 1 are those of meeting k.
inline std::vector<PlacedShape> shapes_of(const std::vector<Meeting>& meetings, Dice& dice) {
    std::vector<PlacedShape> placed;
    for (const Meeting& m : meetings) {
        placed.push_back({m.a, m.pose_a, dice.vector(0.3f)});
        placed.push_back({m.b, m.pose_b, dice.vector(0.3f)});
    }
    return placed;
}
inline std::vector<PairOf> pairs_of(const std::vector<Meeting>& meetings) {
    std::vector<PairOf> pairs;
    for (uint32_t k = 0; k < meetings.size(); ++k) pairs.push_back({2 * k, 2 * k + 1});
    return pairs;
}

inline Transform at(const Vec3& position, const Quat& rotation = Quat(1.0f, 0.0f, 0.0f, 0.0f)) {
    return {position, rotation};
}

}  // namespace proxima::test
