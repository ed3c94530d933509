// SPDX-License-Identifier: MIT
// All points within a radius of a segment along y, about the origin.
#pragma once

#include "physics/shapes/shape_classes.h"

namespace proxima::physics::detail {

Result<Shape> cook_capsule(const ShapeDesc& desc);
void scale_capsule(ShapeDesc& desc, const Vec3& factors);
Aabb capsule_bounds(const Shape& shape, const Transform& pose);
MassProperties capsule_mass(const Shape& shape);
std::optional<LocalRayHit> ray_capsule(const Shape& shape, const LocalRay& ray);
ConvexCore capsule_core(const ShapeDesc& desc);
Vec3 capsule_draw_size(const Shape& shape);
ShapeDesc example_capsule();

inline constexpr ShapeField kCapsuleFields[] = {
    {"radius", "m", "Radius of the round surface.", &ShapeDesc::radius},
    {"half_height", "m", "Half the length of the capsule's straight part, along its y axis.", &ShapeDesc::half_height}};

}  // namespace proxima::physics::detail
