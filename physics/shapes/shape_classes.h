// SPDX-License-Identifier: MIT
// The table of shape types: what each is, how it is cooked, bounded, weighed, hit by rays, written to files
// and drawn, and what the step asks about it. A new shape is one folder and one row; docs/shapes.md.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "physics/shapes/shape.h"
#include "physics/shapes/shape_ray.h"

namespace proxima::physics {

/// Contacts are dispatched by category.
enum class ShapeCategory : uint8_t {
    convex,     // at most one manifold with another convex shape, by the table of narrowphase/collide.cpp
    composite,  // parts that are convex, each with contacts of its own: walk() finds those that are near
};

/// Which rotations of a shape about its origin cannot be seen.
enum class ShapeSymmetry : uint8_t {
    none,
    axis,  // those about its y axis
    point,
};

/// What a scale may do to a shape.
enum class ShapeScaling : uint8_t {
    free,     // a factor of its own along each axis
    uniform,  // one factor
    ignored,  // a scaled one is itself
};

/// A field of ShapeDesc that belongs to a type: scene files hold it under its key, and panels show it.
struct ShapeField {
    using Member = std::variant<float ShapeDesc::*, Vec3 ShapeDesc::*, std::vector<Vec3> ShapeDesc::*,
                                std::vector<ChildDesc> ShapeDesc::*>;
    std::string_view key;
    std::string_view unit;
    std::string_view meaning;  // one sentence for people
    Member member;
};

/// What stands for a shape in a picture.
enum class DrawPrimitive : uint8_t {
    sphere,    // of radius 1
    box,       // of half extents 1
    capsule,   // along y; size.x is its radius, size.y half the length of its core
    polytope,  // Shape::polytope as it is
    plane,     // y = 0, without end
    parts,     // every one of Shape::parts, by its own row
};
struct ShapeDraw {
    DrawPrimitive primitive = DrawPrimitive::polytope;
    Vec3 (*size)(const Shape& shape) = nullptr;  // null: as it is
};

/// A bounded convex solid in the frame of its shape: all points within `radius` of the hull of `points`.
struct ConvexCore {
    std::vector<Vec3> points;
    float radius = 0.0f;
};

/// What a walk over the parts of a composite shape calls.
class PartVisitor {
  public:
    virtual void visit(uint32_t part, const Shape& shape, const Transform& local) = 0;

  protected:
    ~PartVisitor() = default;
};

struct ShapeClass {
    ShapeType type = ShapeType::box;
    const char* name = "";   // in scene files and sentences
    const char* label = "";  // for people
    ShapeCategory category = ShapeCategory::convex;

    // ---- what the step and the editor ask
    bool round = false;      // closed forms make its contacts, and their normals turn quickly
    bool unbounded = false;  // no bounding radius, and no mass
    bool may_move = true;    // false: on fixed bodies only
    ShapeSymmetry symmetry = ShapeSymmetry::none;
    ShapeScaling scaling = ShapeScaling::free;

    // ---- what is done with it
    /// A sentence for a description that makes no sense. Mass and axis_slop are filled in by cook().
    Result<Shape> (*cook)(const ShapeDesc& desc) = nullptr;
    /// Multiplies the sizes of a description, as far as `scaling` allows; null where that is `ignored`.
    void (*scale)(ShapeDesc& desc, const Vec3& factors) = nullptr;
    Aabb (*bounds)(const Shape& shape, const Transform& pose) = nullptr;
    MassProperties (*mass)(const Shape& shape) = nullptr;  // null: it has none
    std::optional<LocalRayHit> (*ray)(const Shape& shape, const LocalRay& ray) = nullptr;
    /// Of bounded convex shapes: what a description means, for code that does not want it cooked.
    ConvexCore (*core)(const ShapeDesc& desc) = nullptr;
    /// Of composite shapes: visits, in ascending order, all parts that may be nearer than `margin` to a box
    /// in the shape's frame, and returns a lower bound of the distance between the box and those not visited.
    float (*walk)(const Shape& shape, const Aabb& box, float margin, PartVisitor& visitor) = nullptr;

    std::span<const ShapeField> fields;
    ShapeDraw draw;
    /// One to begin with, about a metre large.
    ShapeDesc (*example)() = nullptr;
};

/// In the order of ShapeType.
extern const std::array<ShapeClass, kShapeTypeCount> kShapeClasses;

inline const ShapeClass& shape_class(ShapeType type) { return kShapeClasses[size_t(type)]; }
inline const ShapeClass& shape_class(const Shape& shape) { return shape_class(shape.type); }

/// Whether shapes of a class can be parts of a compound.
inline bool is_part_class(const ShapeClass& row) { return row.category == ShapeCategory::convex && !row.unbounded; }

/// A sentence for a shape that a body cannot carry.
Result<void> check_on_body(const Shape& shape, bool body_moves);

/// Whether descriptions of a type have a field, such as &ShapeDesc::radius.
template <class T>
bool has_field(ShapeType type, T ShapeDesc::*member) {
    for (const ShapeField& field : shape_class(type).fields) {
        const auto* const known = std::get_if<T ShapeDesc::*>(&field.member);
        if (known && *known == member) return true;
    }
    return false;
}

}  // namespace proxima::physics
