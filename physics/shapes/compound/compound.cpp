// SPDX-License-Identifier: MIT
#include "physics/shapes/compound/compound.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "physics/bodies/mass.h"
#include "physics/shapes/shape_checks.h"

namespace proxima::physics::detail {

namespace {

std::string path_of(size_t child) { return "children[" + std::to_string(child) + "]"; }

/// Empty when a child may be a part, else the sentence that says why not. Its sizes are judged by its own class.
std::string check_child(const ChildDesc& child, size_t i) {
    const size_t type = size_t(child.shape.type);
    const bool known = type < kShapeClasses.size();
    if (!known || !is_part_class(kShapeClasses[type])) {
        std::string names;
        for (const ShapeClass& row : kShapeClasses)
            if (is_part_class(row)) names += (names.empty() ? "" : ", ") + std::string(row.name);
        return path_of(i) + " of the compound is of type " + to_string(child.shape.type) +
               "; children must be convex and bounded, one of " + names + ".";
    }
    const Vec3& p = child.position;
    if (!is_finite(p) || std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) > kMaxShapeSize)
        return path_of(i) + ".position of the compound is (" + number(p.x) + ", " + number(p.y) + ", " + number(p.z) +
               "); it must be finite and within 1e6 m of the origin.";
    const Quat& q = child.rotation;
    if (!is_finite(q) || std::abs(glm::dot(q, q) - 1.0f) >= 2e-3f)
        return path_of(i) + ".rotation of the compound must be a unit quaternion, such as [0, 0, 0, 1].";
    return {};
}

float farthest_point(const ConvexCore& core, const Transform& local) {
    float farthest = 0.0f;
    for (const Vec3& p : core.points) farthest = std::max(farthest, glm::length(to_world(local, p)));
    return farthest + core.radius;
}

/// The largest of the gaps between two boxes along the axes: not more than their distance.
float gap_between(const Aabb& a, const Aabb& b) {
    float gap = -std::numeric_limits<float>::infinity();
    for (int i = 0; i < 3; ++i)  // numbers that are none lose every comparison
        gap = std::max({gap, a.lower[i] - b.upper[i], b.lower[i] - a.upper[i]});
    return gap;
}

}  // namespace

Result<Shape> cook_compound(const ShapeDesc& desc) {
    if (desc.children.empty()) return Error{"The compound has no children; it must have at least one."};
    if (desc.children.size() > kMaxChildren)
        return Error{"The compound has " + std::to_string(desc.children.size()) + " children; it may have at most " +
                     std::to_string(kMaxChildren) + ". Put more on several colliders."};
    Shape shape;
    shape.parts.reserve(desc.children.size());
    constexpr float kInf = std::numeric_limits<float>::infinity();
    Aabb whole{Vec3(kInf), Vec3(-kInf)};
    for (size_t i = 0; i < desc.children.size(); ++i) {
        const ChildDesc& child = desc.children[i];
        const std::string problem = check_child(child, i);
        if (!problem.empty()) return Error{problem};
        Result<Shape> cooked = cook(child.shape);
        if (!cooked) return Error{path_of(i) + " of the compound: " + cooked.error()};
        ShapePart& part = shape.parts.emplace_back();
        part.shape = std::move(*cooked);
        part.local = {child.position, glm::normalize(child.rotation)};
        part.box = bounding_box(part.shape, part.local);
        whole = {glm::min(whole.lower, part.box.lower), glm::max(whole.upper, part.box.upper)};
        shape.bounding_radius =
            std::max(shape.bounding_radius, farthest_point(shape_class(part.shape).core(child.shape), part.local));
    }
    shape.half_extents = 0.5f * (whole.upper - whole.lower);
    return shape;
}

void scale_compound(ShapeDesc& desc, const Vec3& factors) {
    for (ChildDesc& child : desc.children) {
        child.position *= factors.x;
        const size_t type = size_t(child.shape.type);
        // What cannot be a part is scaled by nobody, and refused when it is cooked.
        if (type < kShapeClasses.size() && is_part_class(kShapeClasses[type]))
            kShapeClasses[type].scale(child.shape, Vec3(factors.x));
    }
}

Aabb compound_bounds(const Shape& shape, const Transform& pose) {
    Aabb whole = bounding_box(shape.parts[0].shape, compose(pose, shape.parts[0].local));
    for (size_t i = 1; i < shape.parts.size(); ++i) {
        const Aabb box = bounding_box(shape.parts[i].shape, compose(pose, shape.parts[i].local));
        whole = {glm::min(whole.lower, box.lower), glm::max(whole.upper, box.upper)};
    }
    return whole;
}

MassProperties compound_mass(const Shape& shape) {
    MassAccumulator sum;
    for (const ShapePart& part : shape.parts) sum.add(part.shape.mass, part.local, 1.0f);
    const Mass mass = sum.result();
    return {mass.mass, mass.center, mass.inertia};
}

std::optional<LocalRayHit> ray_compound(const Shape& shape, const LocalRay& ray) {
    std::optional<LocalRayHit> best;
    LocalRay rest = ray;  // as far as it is of interest
    for (uint32_t i = 0; i < shape.parts.size(); ++i) {
        const ShapePart& part = shape.parts[i];
        if (misses_ball(rest, glm::dvec3(part.local.position), double(part.shape.bounding_radius))) continue;
        const Quat& q = part.local.rotation;
        const glm::dquat from_part{q.w, q.x, q.y, q.z}, to_part = glm::conjugate(from_part);
        const LocalRay turned{to_part * (rest.origin - glm::dvec3(part.local.position)),
                              glm::normalize(to_part * rest.direction), rest.limit, rest.start};
        std::optional<LocalRayHit> hit = shape_class(part.shape).ray(part.shape, turned);
        if (!hit || (best && hit->distance >= best->distance)) continue;
        hit->normal = hit->starts_inside ? -ray.direction : glm::normalize(from_part * hit->normal);
        hit->part = i;
        best = hit;
        rest.limit = hit->distance;
    }
    return best;
}

float walk_compound(const Shape& shape, const Aabb& box, float margin, PartVisitor& visitor) {
    float nearest = std::numeric_limits<float>::infinity();
    for (uint32_t i = 0; i < shape.parts.size(); ++i) {
        const float gap = gap_between(shape.parts[i].box, box);
        if (gap > margin)
            nearest = std::min(nearest, gap);
        else
            visitor.visit(i, shape.parts[i].shape, shape.parts[i].local);
    }
    return nearest;
}

/// A table.
ShapeDesc example_compound() {
    ShapeDesc desc;
    desc.type = ShapeType::compound;
    const auto add = [&](const Vec3& half_extents, const Vec3& position) {
        ChildDesc& child = desc.children.emplace_back();
        child.shape.half_extents = half_extents;
        child.position = position;
    };
    add({0.6f, 0.04f, 0.4f}, {0.0f, 0.36f, 0.0f});
    for (const float x : {-0.5f, 0.5f})
        for (const float z : {-0.3f, 0.3f}) add({0.04f, 0.36f, 0.04f}, {x, -0.04f, z});
    return desc;
}

}  // namespace proxima::physics::detail
