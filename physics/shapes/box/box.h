// SPDX-License-Identifier: MIT
// A box along the axes of its frame, about the origin.
#pragma once

#include "physics/shapes/shape_classes.h"

namespace proxima::physics::detail {

Result<Shape> cook_box(const ShapeDesc& desc);
void scale_box(ShapeDesc& desc, const Vec3& factors);
Aabb box_bounds(const Shape& shape, const Transform& pose);
MassProperties box_mass(const Shape& shape);
std::optional<LocalRayHit> ray_box(const Shape& shape, const LocalRay& ray);
ConvexCore box_core(const ShapeDesc& desc);
Vec3 box_draw_size(const Shape& shape);
ShapeDesc example_box();

inline constexpr ShapeField kBoxFields[] = {
    {"half_extents", "m", "Half the lengths of the box along its own axes.", &ShapeDesc::half_extents}};

}  // namespace proxima::physics::detail
