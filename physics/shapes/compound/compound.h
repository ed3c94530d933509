// SPDX-License-Identifier: MIT
// Convex shapes joined rigidly into one: part i is child i of the description. Parts may overlap; what two of
// them share counts twice in the mass, as it does for two colliders of a body.
#pragma once

#include "physics/shapes/shape_classes.h"

namespace proxima::physics::detail {

Result<Shape> cook_compound(const ShapeDesc& desc);
void scale_compound(ShapeDesc& desc, const Vec3& factors);
Aabb compound_bounds(const Shape& shape, const Transform& pose);
MassProperties compound_mass(const Shape& shape);
std::optional<LocalRayHit> ray_compound(const Shape& shape, const LocalRay& ray);
float walk_compound(const Shape& shape, const Aabb& box, float margin, PartVisitor& visitor);
ShapeDesc example_compound();

inline constexpr ShapeField kCompoundFields[] = {
    {"children", "", "The convex shapes it is made of, each at a place of its own.", &ShapeDesc::children}};

}  // namespace proxima::physics::detail
