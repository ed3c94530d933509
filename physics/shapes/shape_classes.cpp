// SPDX-License-Identifier: MIT
#include "physics/shapes/shape_classes.h"

#include <string>

#include "physics/shapes/box/box.h"
#include "physics/shapes/capsule/capsule.h"
#include "physics/shapes/compound/compound.h"
#include "physics/shapes/half_space/half_space.h"
#include "physics/shapes/hull/hull.h"
#include "physics/shapes/sphere/sphere.h"

namespace proxima::physics {

using namespace detail;

constexpr std::array<ShapeClass, kShapeTypeCount> kShapeClasses = {{
    {.type = ShapeType::sphere,
     .name = "sphere",
     .label = "sphere",
     .category = ShapeCategory::convex,
     .round = true,
     .symmetry = ShapeSymmetry::point,
     .scaling = ShapeScaling::uniform,
     .cook = cook_sphere,
     .scale = scale_sphere,
     .bounds = sphere_bounds,
     .mass = sphere_mass,
     .ray = ray_sphere,
     .core = sphere_core,
     .fields = kSphereFields,
     .draw = {DrawPrimitive::sphere, sphere_draw_size},
     .example = example_sphere},

    {.type = ShapeType::box,
     .name = "box",
     .label = "box",
     .category = ShapeCategory::convex,
     .cook = cook_box,
     .scale = scale_box,
     .bounds = box_bounds,
     .mass = box_mass,
     .ray = ray_box,
     .core = box_core,
     .fields = kBoxFields,
     .draw = {DrawPrimitive::box, box_draw_size},
     .example = example_box},

    {.type = ShapeType::capsule,
     .name = "capsule",
     .label = "capsule",
     .category = ShapeCategory::convex,
     .round = true,
     .symmetry = ShapeSymmetry::axis,
     .scaling = ShapeScaling::uniform,
     .cook = cook_capsule,
     .scale = scale_capsule,
     .bounds = capsule_bounds,
     .mass = capsule_mass,
     .ray = ray_capsule,
     .core = capsule_core,
     .fields = kCapsuleFields,
     .draw = {DrawPrimitive::capsule, capsule_draw_size},
     .example = example_capsule},

    {.type = ShapeType::hull,
     .name = "hull",
     .label = "hull",
     .category = ShapeCategory::convex,
     .cook = cook_hull_shape,
     .scale = scale_hull,
     .bounds = hull_bounds,
     .mass = hull_mass,
     .ray = ray_hull,
     .core = hull_core,
     .fields = kHullFields,
     .draw = {DrawPrimitive::polytope},
     .example = example_hull},

    {.type = ShapeType::half_space,
     .name = "half_space",
     .label = "half-space",
     .category = ShapeCategory::convex,
     .unbounded = true,
     .may_move = false,
     .scaling = ShapeScaling::ignored,
     .cook = cook_half_space,
     .bounds = half_space_bounds,
     .ray = ray_half_space,
     .draw = {DrawPrimitive::plane},
     .example = example_half_space},

    {.type = ShapeType::compound,
     .name = "compound",
     .label = "compound",
     .category = ShapeCategory::composite,
     .scaling = ShapeScaling::uniform,
     .cook = cook_compound,
     .scale = scale_compound,
     .bounds = compound_bounds,
     .mass = compound_mass,
     .ray = ray_compound,
     .walk = walk_compound,
     .fields = kCompoundFields,
     .draw = {DrawPrimitive::parts},
     .example = example_compound},
}};

namespace {

constexpr bool rows_are_in_order() {
    for (size_t i = 0; i < kShapeClasses.size(); ++i)
        if (size_t(kShapeClasses[i].type) != i) return false;
    return true;
}
static_assert(rows_are_in_order(), "shape_class() finds a row by the number of its type");

}  // namespace

Result<void> check_on_body(const Shape& shape, bool body_moves) {
    const ShapeClass& row = shape_class(shape);
    if (!row.may_move && body_moves)
        return Error{std::string("A ") + row.label + (row.unbounded ? " has no end and no mass: it" : "") +
                     " goes on a fixed body only."};
    // Until the step takes several manifolds of a pair.
    if (row.category != ShapeCategory::convex)
        return Error{std::string("A ") + row.label +
                     " cannot be a collider yet: steps know one convex shape per collider. Add its children as "
                     "colliders of their own."};
    return {};
}

}  // namespace proxima::physics
