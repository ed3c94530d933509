// SPDX-License-Identifier: MIT
#include "physics/shapes/sphere/sphere.h"

#include "physics/shapes/shape_checks.h"

namespace proxima::physics::detail {

Result<Shape> cook_sphere(const ShapeDesc& desc) {
    const std::string problem = check_size("The radius of the sphere", desc.radius);
    if (!problem.empty()) return Error{problem};
    Shape shape;
    shape.radius = shape.bounding_radius = desc.radius;
    return shape;
}

void scale_sphere(ShapeDesc& desc, const Vec3& factors) { desc.radius *= factors.x; }

Aabb sphere_bounds(const Shape& shape, const Transform& pose) {
    return {pose.position - Vec3(shape.radius), pose.position + Vec3(shape.radius)};
}

MassProperties sphere_mass(const Shape& shape) {
    const double r = shape.radius;
    const double volume = 4.0 / 3.0 * 3.14159265358979323846 * r * r * r;
    const float i = float(0.4 * volume * r * r);
    return {float(volume), Vec3(0.0f), Sym3{i, i, i, 0.0f, 0.0f, 0.0f}};
}

std::optional<LocalRayHit> ray_sphere(const Shape& shape, const LocalRay& ray) {
    return first_hit(ball_span(ray.origin, ray.direction, glm::dvec3(0.0), double(shape.radius)), ray);
}

ConvexCore sphere_core(const ShapeDesc& desc) { return {{Vec3(0.0f)}, desc.radius}; }

Vec3 sphere_draw_size(const Shape& shape) { return Vec3(shape.radius); }

ShapeDesc example_sphere() { return {.type = ShapeType::sphere, .radius = 0.5f}; }

}  // namespace proxima::physics::detail
