// SPDX-License-Identifier: MIT
#include "physics/shapes/box/box.h"

#include <algorithm>

#include "physics/shapes/shape_checks.h"

namespace proxima::physics {

namespace {

/// Corner i has +x, +y, +z where bits 0, 1, 2 of i are set.
Vec3 corner(const Vec3& h, int i) { return {(i & 1) ? h.x : -h.x, (i & 2) ? h.y : -h.y, (i & 4) ? h.z : -h.z}; }

std::string check_box(const Vec3& h) {
    const char* names[3] = {"The half extent along x of the box", "The half extent along y of the box",
                            "The half extent along z of the box"};
    for (int i = 0; i < 3; ++i) {
        std::string problem = detail::check_size(names[i], h[i]);
        if (!problem.empty()) return problem;
    }
    return detail::check_ratio("box", std::min({h.x, h.y, h.z}), std::max({h.x, h.y, h.z}));
}

}  // namespace

Polytope box_polytope(const Vec3& h) {
    Polytope box;
    box.vertices.reserve(8);
    for (int i = 0; i < 8; ++i) box.vertices.push_back(corner(h, i));
    static constexpr uint16_t kLoops[6][4] = {{1, 3, 7, 5}, {0, 4, 6, 2}, {2, 6, 7, 3},
                                              {0, 1, 5, 4}, {4, 5, 7, 6}, {0, 2, 3, 1}};
    for (int f = 0; f < 6; ++f) {
        Polytope::Face face;
        face.normal = Vec3(0.0f);
        face.normal[f / 2] = (f % 2) ? -1.0f : 1.0f;
        face.offset = h[f / 2];
        face.first = uint16_t(4 * f);
        face.count = 4;
        box.faces.push_back(face);
        box.face_vertices.insert(box.face_vertices.end(), kLoops[f], kLoops[f] + 4);
    }
    box.inner_radius = std::min({h.x, h.y, h.z});
    const bool linked = link_edges(box);
    PX_ASSERT(linked, "the faces of a box are closed");
    (void)linked;
    make_search_data(box);
    return box;
}

namespace detail {

Result<Shape> cook_box(const ShapeDesc& desc) {
    const std::string problem = check_box(desc.half_extents);
    if (!problem.empty()) return Error{problem};
    Shape shape;
    shape.half_extents = desc.half_extents;
    shape.bounding_radius = glm::length(desc.half_extents);
    shape.polytope = box_polytope(desc.half_extents);
    return shape;
}

void scale_box(ShapeDesc& desc, const Vec3& factors) { desc.half_extents *= factors; }

Aabb box_bounds(const Shape& shape, const Transform& pose) {
    // The support of a box along a world axis: sum over its own axes of h_i |axis_i . e|.
    const Mat3 r = glm::mat3_cast(pose.rotation);
    const Vec3 e = glm::abs(r[0]) * shape.half_extents.x + glm::abs(r[1]) * shape.half_extents.y +
                   glm::abs(r[2]) * shape.half_extents.z;
    return {pose.position - e, pose.position + e};
}

MassProperties box_mass(const Shape& shape) {
    const double x = shape.half_extents.x, y = shape.half_extents.y, z = shape.half_extents.z;
    const double volume = 8.0 * x * y * z, third = volume / 3.0;
    return {float(volume), Vec3(0.0f),
            Sym3{float(third * (y * y + z * z)), float(third * (x * x + z * z)), float(third * (x * x + y * y)), 0.0f,
                 0.0f, 0.0f}};
}

std::optional<LocalRayHit> ray_box(const Shape& shape, const LocalRay& ray) {
    RaySpan span;
    for (int i = 0; i < 3; ++i)
        for (const double side : {1.0, -1.0}) {
            glm::dvec3 n(0.0);
            n[i] = side;
            span.cut(n, double(shape.half_extents[i]), ray.origin, ray.direction);
        }
    return first_hit(span, ray);
}

ConvexCore box_core(const ShapeDesc& desc) {
    ConvexCore core;
    for (int i = 0; i < 8; ++i) core.points.push_back(corner(desc.half_extents, i));
    return core;
}

Vec3 box_draw_size(const Shape& shape) { return shape.half_extents; }

ShapeDesc example_box() { return {.type = ShapeType::box, .half_extents = {0.5f, 0.5f, 0.5f}}; }

}  // namespace detail

}  // namespace proxima::physics
