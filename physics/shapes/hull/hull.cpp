// SPDX-License-Identifier: MIT
#include "physics/shapes/hull/hull.h"

#include <algorithm>
#include <utility>

#include "physics/shapes/polytope_kernels.h"

namespace proxima::physics::detail {

namespace {

float farthest_vertex(const Polytope& polytope) {
    float r2 = 0.0f;
    for (const Vec3& v : polytope.vertices) r2 = std::max(r2, glm::dot(v, v));
    return std::sqrt(r2);
}

}  // namespace

Result<Shape> cook_hull_shape(const ShapeDesc& desc) {
    Result<Polytope> hull = cook_hull(desc.points);
    if (!hull) return Error{hull.error()};
    Shape shape;
    shape.polytope = std::move(*hull);
    shape.bounding_radius = farthest_vertex(shape.polytope);
    Vec3 lower = shape.polytope.vertices[0], upper = lower;
    for (const Vec3& v : shape.polytope.vertices) {
        lower = glm::min(lower, v);
        upper = glm::max(upper, v);
    }
    shape.half_extents = 0.5f * (upper - lower);
    return shape;
}

void scale_hull(ShapeDesc& desc, const Vec3& factors) {
    for (Vec3& p : desc.points) p *= factors;
}

Aabb hull_bounds(const Shape& shape, const Transform& pose) {
    const Polytope& hull = shape.polytope;
    const Mat3 r = glm::mat3_cast(pose.rotation);
    const Vec3 center = r * hull.center + pose.position;
    Aabb box;
    polytope_kernels().extent(hull.vertex_blocks.data(), hull.vertex_block_count(), &r[0].x, box);
    return {center + box.lower, center + box.upper};
}

MassProperties hull_mass(const Shape& shape) { return polytope_mass(shape.polytope); }

std::optional<LocalRayHit> ray_hull(const Shape& shape, const LocalRay& ray) {
    RaySpan span;
    for (const Polytope::Face& face : shape.polytope.faces) {
        span.cut(glm::dvec3(face.normal), double(face.offset), ray.origin, ray.direction);
        if (span.empty()) return std::nullopt;
    }
    return first_hit(span, ray);
}

ConvexCore hull_core(const ShapeDesc& desc) { return {desc.points, 0.0f}; }

/// A stump with a square foot: something that does not roll.
ShapeDesc example_hull() {
    ShapeDesc desc;
    desc.type = ShapeType::hull;
    desc.points = {{0.5f, -0.3f, 0.0f}, {-0.5f, -0.3f, 0.0f}, {0.0f, -0.3f, 0.5f}, {0.0f, -0.3f, -0.5f},
                   {0.3f, 0.4f, 0.0f},  {-0.3f, 0.4f, 0.0f},  {0.0f, 0.4f, 0.3f},  {0.0f, 0.4f, -0.3f}};
    return desc;
}

}  // namespace proxima::physics::detail
