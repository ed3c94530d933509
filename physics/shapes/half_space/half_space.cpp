// SPDX-License-Identifier: MIT
#include "physics/shapes/half_space/half_space.h"

#include <algorithm>
#include <limits>

namespace proxima::physics::detail {

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

}  // namespace

Result<Shape> cook_half_space(const ShapeDesc&) {
    Shape shape;
    shape.bounding_radius = kInf;
    return shape;
}

Aabb half_space_bounds(const Shape&, const Transform& pose) {
    Aabb box{Vec3(-kInf), Vec3(kInf)};
    const Vec3 n = pose.rotation * Vec3(0.0f, 1.0f, 0.0f);
    for (int i = 0; i < 3; ++i) {
        const float off_axis = std::max(std::abs(n[(i + 1) % 3]), std::abs(n[(i + 2) % 3]));
        if (off_axis > 1e-6f) continue;  // tilted: somewhere, far away, it passes every height
        if (n[i] > 0.0f)
            box.upper[i] = pose.position[i];
        else
            box.lower[i] = pose.position[i];
    }
    return box;
}

std::optional<LocalRayHit> ray_half_space(const Shape&, const LocalRay& ray) {
    RaySpan span;
    span.cut({0.0, 1.0, 0.0}, 0.0, ray.origin, ray.direction);
    return first_hit(span, ray);
}

ShapeDesc example_half_space() { return {.type = ShapeType::half_space}; }

}  // namespace proxima::physics::detail
