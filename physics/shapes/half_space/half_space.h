// SPDX-License-Identifier: MIT
// Everything below y = 0.
#pragma once

#include "physics/shapes/shape_classes.h"

namespace proxima::physics::detail {

Result<Shape> cook_half_space(const ShapeDesc& desc);
Aabb half_space_bounds(const Shape& shape, const Transform& pose);
std::optional<LocalRayHit> ray_half_space(const Shape& shape, const LocalRay& ray);
ShapeDesc example_half_space();

}  // namespace proxima::physics::detail
