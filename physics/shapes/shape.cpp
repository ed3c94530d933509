// SPDX-License-Identifier: MIT
#include "physics/shapes/shape.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/core/capacity.h"
#include "engine/core/hash.h"
#include "physics/shapes/shape_checks.h"
#include "physics/shapes/shape_classes.h"

namespace proxima::physics {

namespace {

using detail::number;

float axis_slop(const Vec3& half_extents) {
    return std::min(1e-3f * glm::length(half_extents),
                    0.1f * std::min({half_extents.x, half_extents.y, half_extents.z}));
}

/// Memory that a shape holds beside itself.
size_t bytes_beside(const Shape& shape) {
    const Polytope& p = shape.polytope;
    size_t sum =
        capacity_bytes(p.vertices, p.faces, p.face_vertices, p.face_edges, p.edges, p.sides, p.vertex_first,
                       p.vertex_faces, p.vertex_blocks, p.face_blocks, p.edge_blocks, p.edge_records, shape.parts);
    for (const ShapePart& part : shape.parts) sum += bytes_beside(part.shape);
    return sum;
}

/// Never 0. Of what a shape was cooked from, as far as the cooked one has it: the rest follows.
uint64_t fingerprint_of(const Shape& shape) {
    StateHash hash;
    hash.add(shape.type);
    hash.add(shape.half_extents);
    hash.add(shape.radius);
    hash.add(shape.half_height);
    hash.add(uint64_t(shape.polytope.vertices.size()));
    for (const Vec3& vertex : shape.polytope.vertices) hash.add(vertex);
    for (const ShapePart& part : shape.parts) {
        hash.add(part.shape.fingerprint);
        hash.add(part.local.position);
        hash.add(part.local.rotation);
    }
    return std::max(hash.value(), uint64_t(1));
}

/// What cooks to this shape.
ShapeDesc desc_of(const Shape& shape) {
    ShapeDesc desc{.type = shape.type,
                   .half_extents = shape.half_extents,
                   .radius = shape.radius,
                   .half_height = shape.half_height,
                   .points = shape.polytope.vertices,
                   .children = {}};
    for (const ShapePart& part : shape.parts)
        desc.children.push_back({part.local.position, part.local.rotation, desc_of(part.shape)});
    return desc;
}

Error unknown_type() {
    std::string names;
    for (const ShapeClass& row : kShapeClasses)
        names += (names.empty() ? "" : &row == &kShapeClasses.back() ? " or " : ", ") + std::string(row.name);
    return Error{"The type of the shape is unknown; it must be " + names + "."};
}

}  // namespace

const char* to_string(ShapeType type) {
    return size_t(type) < kShapeClasses.size() ? shape_class(type).name : "unknown";
}

Aabb bounding_box(const Shape& shape, const Transform& pose) { return shape_class(shape).bounds(shape, pose); }

Result<Shape> cook(const ShapeDesc& desc) {
    if (size_t(desc.type) >= kShapeClasses.size()) return unknown_type();
    const ShapeClass& row = shape_class(desc.type);
    Result<Shape> shape = row.cook(desc);
    if (!shape) return shape;
    shape->type = desc.type;
    if (row.mass) shape->mass = row.mass(*shape);
    shape->axis_slop = axis_slop(shape->half_extents);
    shape->fingerprint = fingerprint_of(*shape);
    return shape;
}

Result<ShapeId> ShapeLibrary::add(const ShapeDesc& desc) {
    Result<Shape> shape = cook(desc);
    if (!shape) return Error{shape.error()};
    const auto id = ShapeId(uint32_t(shapes_.size()));
    shape->origin = id;
    shapes_.push_back(std::make_shared<const Shape>(std::move(*shape)));
    return id;
}

size_t ShapeLibrary::bytes() const {
    size_t sum = shapes_.size() * sizeof(std::shared_ptr<const Shape>);
    for (const auto& shape : shapes_)
        if (shape) sum += sizeof(Shape) + bytes_beside(*shape);
    return sum;
}

Result<ShapeId> ShapeLibrary::scaled(ShapeId id, float scale) {
    if (!contains(id)) return Error{"The shape to be scaled is not in this library."};
    if (!(is_finite(scale) && scale > 0.0f))
        return Error{"The scale of a shape is " + number(scale) + "; it must be a finite number greater than zero."};
    const ShapeId origin = get(id).origin;
    for (uint32_t k = 0; k < shapes_.size(); ++k)
        if (shapes_[k] && shapes_[k]->origin == origin && shapes_[k]->scale == scale) return ShapeId(k);
    // From the original, if it is still there: a shape scaled to and fro does not wear.
    const bool has_origin = contains(origin);
    const Shape& from = get(has_origin ? origin : id);
    const Result<ShapeId> made = add_scaled(desc_of(from), Vec3(has_origin ? scale : scale / from.scale));
    if (!made) return made;
    Shape named = get(made.value());
    named.origin = origin;
    named.scale = scale;
    shapes_.back() = std::make_shared<const Shape>(std::move(named));
    return made;
}

Result<ShapeId> ShapeLibrary::add_scaled(const ShapeDesc& desc, const Vec3& scale) {
    for (int i = 0; i < 3; ++i) {
        if (is_finite(scale[i]) && scale[i] > 0.0f) continue;
        const char axis[3] = {'x', 'y', 'z'};
        return Error{std::string("The scale along ") + axis[i] + " is " + number(scale[i]) +
                     "; it must be a finite number greater than zero."};
    }
    if (size_t(desc.type) >= kShapeClasses.size()) return unknown_type();
    const ShapeClass& row = shape_class(desc.type);
    const float least = std::min({scale.x, scale.y, scale.z}), most = std::max({scale.x, scale.y, scale.z});
    if (row.scaling == ShapeScaling::uniform && most - least > 1e-5f * most)
        return Error{std::string("The scale (") + number(scale.x) + ", " + number(scale.y) + ", " + number(scale.z) +
                     ") of the " + row.name +
                     " is not uniform; round shapes and compounds take the same factor along x, y and z."};
    ShapeDesc scaled = desc;
    if (row.scaling != ShapeScaling::ignored) row.scale(scaled, scale);
    return add(scaled);
}

}  // namespace proxima::physics
