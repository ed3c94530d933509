// SPDX-License-Identifier: MIT
#include "physics/shapes/capsule/capsule.h"

#include <algorithm>

#include "physics/shapes/shape_checks.h"

namespace proxima::physics::detail {

namespace {

std::string check_capsule(const ShapeDesc& desc) {
    std::string problem = check_size("The radius of the capsule", desc.radius);
    if (!problem.empty()) return problem;
    if (desc.half_height == 0.0f) return {};  // a capsule without a core is a sphere, and harmless
    problem = check_size("The half height of the capsule", desc.half_height);
    if (!problem.empty()) return problem;
    return check_ratio("capsule", std::min(desc.radius, desc.half_height), std::max(desc.radius, desc.half_height));
}

/// A capsule is the union of a cylinder and two balls, and convex: it is entered at the first entry into any
/// of them and left at the last exit.
RaySpan capsule_span(const glm::dvec3& o, const glm::dvec3& d, double radius, double half_height) {
    RaySpan whole = RaySpan::none();
    const auto add = [&](const RaySpan& part) {
        if (part.empty()) return;
        if (whole.empty()) {
            whole = part;
            return;
        }
        if (part.enter < whole.enter) {
            whole.enter = part.enter;
            whole.normal = part.normal;
        }
        whole.leave = std::max(whole.leave, part.leave);
    };
    add(ball_span(o, d, {0.0, half_height, 0.0}, radius));
    add(ball_span(o, d, {0.0, -half_height, 0.0}, radius));

    // The round side, cut off at both ends. Its flat ends lie inside the balls, so an entry through one of
    // them is never the first.
    const double dd = d.x * d.x + d.z * d.z;
    RaySpan side;
    if (dd > 0.0) {
        const double along = -(o.x * d.x + o.z * d.z) / dd;
        const double x = o.x + along * d.x, z = o.z + along * d.z, rest = radius * radius - x * x - z * z;
        if (rest < 0.0) return whole;
        const double half = std::sqrt(rest / dd);
        side.enter = along - half;
        side.leave = along + half;
        side.normal = glm::dvec3(o.x + side.enter * d.x, 0.0, o.z + side.enter * d.z) / radius;
    } else if (o.x * o.x + o.z * o.z > radius * radius) {
        return whole;
    }
    side.cut({0.0, 1.0, 0.0}, half_height, o, d);
    side.cut({0.0, -1.0, 0.0}, half_height, o, d);
    add(side);
    return whole;
}

}  // namespace

Result<Shape> cook_capsule(const ShapeDesc& desc) {
    const std::string problem = check_capsule(desc);
    if (!problem.empty()) return Error{problem};
    Shape shape;
    shape.radius = desc.radius;
    shape.half_height = desc.half_height;
    shape.bounding_radius = desc.radius + desc.half_height;
    return shape;
}

void scale_capsule(ShapeDesc& desc, const Vec3& factors) {
    desc.radius *= factors.x;
    desc.half_height *= factors.x;
}

Aabb capsule_bounds(const Shape& shape, const Transform& pose) {
    const Vec3 e = glm::abs(pose.rotation * Vec3(0.0f, shape.half_height, 0.0f)) + Vec3(shape.radius);
    return {pose.position - e, pose.position + e};
}

/// A cylinder of length 2h and two half balls, whose own centres lie 3r/8 beyond the ends of the segment.
MassProperties capsule_mass(const Shape& shape) {
    const double r = shape.radius, h = shape.half_height, pi = 3.14159265358979323846;
    const double cylinder = pi * r * r * 2.0 * h, ball = 4.0 / 3.0 * pi * r * r * r;
    const double axial = cylinder * 0.5 * r * r + ball * 0.4 * r * r;
    // Half balls about the capsule's centre: 2/5 r^2 about the ball's centre, moved by h; the cross term is 2 h
    // (3r/8).
    const double across = cylinder * (0.25 * r * r + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
    return {float(cylinder + ball), Vec3(0.0f), Sym3{float(across), float(axial), float(across), 0.0f, 0.0f, 0.0f}};
}

std::optional<LocalRayHit> ray_capsule(const Shape& shape, const LocalRay& ray) {
    return first_hit(capsule_span(ray.origin, ray.direction, double(shape.radius), double(shape.half_height)), ray);
}

ConvexCore capsule_core(const ShapeDesc& desc) {
    return {{{0.0f, -desc.half_height, 0.0f}, {0.0f, desc.half_height, 0.0f}}, desc.radius};
}

Vec3 capsule_draw_size(const Shape& shape) { return {shape.radius, shape.half_height, shape.radius}; }

ShapeDesc example_capsule() { return {.type = ShapeType::capsule, .radius = 0.5f, .half_height = 0.5f}; }

}  // namespace proxima::physics::detail
