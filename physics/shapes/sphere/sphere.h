// SPDX-License-Identifier: MIT
// A ball about the origin.
#pragma once

#include "physics/shapes/shape_classes.h"

namespace proxima::physics::detail {

Result<Shape> cook_sphere(const ShapeDesc& desc);
void scale_sphere(ShapeDesc& desc, const Vec3& factors);
Aabb sphere_bounds(const Shape& shape, const Transform& pose);
MassProperties sphere_mass(const Shape& shape);
std::optional<LocalRayHit> ray_sphere(const Shape& shape, const LocalRay& ray);
ConvexCore sphere_core(const ShapeDesc& desc);
Vec3 sphere_draw_size(const Shape& shape);
ShapeDesc example_sphere();

inline constexpr ShapeField kSphereFields[] = {{"radius", "m", "Radius of the round surface.", &ShapeDesc::radius}};

}  // namespace proxima::physics::detail
