// SPDX-License-Identifier: MIT
// The convex hull of points.
#pragma once

#include "physics/shapes/shape_classes.h"

namespace proxima::physics::detail {

Result<Shape> cook_hull_shape(const ShapeDesc& desc);
void scale_hull(ShapeDesc& desc, const Vec3& factors);
Aabb hull_bounds(const Shape& shape, const Transform& pose);
MassProperties hull_mass(const Shape& shape);
std::optional<LocalRayHit> ray_hull(const Shape& shape, const LocalRay& ray);
ConvexCore hull_core(const ShapeDesc& desc);
ShapeDesc example_hull();

inline constexpr ShapeField kHullFields[] = {{"points", "m", "The shape is their convex hull.", &ShapeDesc::points}};

}  // namespace proxima::physics::detail
