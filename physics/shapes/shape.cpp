// SPDX-License-Identifier: MIT
#include "physics/shapes/shape.h"

#include <algorithm>
#include <limits>
#include <string>

#include "engine/core/capacity.h"
#include "physics/shapes/polytope_kernels.h"

namespace proxima::physics {

namespace {

// The sizes of one shape may differ by this factor at most: beyond it a float cannot hold both in one inertia tensor.
constexpr float kMaxSizeRatio = 1e6f;

std::string number(float x) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", double(x));
    return text;
}

/// Empty when `x` is a usable length, else the sentence that says why not.
std::string check_size(const char* what, float x) {
    if (std::isnan(x)) return std::string(what) + " is not a number; it must be a positive length in metres.";
    if (std::isinf(x)) return std::string(what) + " is infinite; it must be a positive length in metres.";
    if (x <= 0.0f) return std::string(what) + " is " + number(x) + " m; it must be greater than zero.";
    if (x < kMinShapeSize || x > kMaxShapeSize)
        return std::string(what) + " is " + number(x) + " m; it must lie between 1e-6 m and 1e6 m.";
    return {};
}

std::string check_ratio(const char* what, float least, float greatest) {
    if (greatest <= kMaxSizeRatio * least) return {};
    return std::string("The largest and smallest sizes of the ") + what + ", " + number(greatest) + " m and " +
           number(least) + " m, differ by more than a million to one; make it thicker or shorter.";
}

std::string check_box(const Vec3& h) {
    const char* names[3] = {"The half extent along x of the box", "The half extent along y of the box",
                            "The half extent along z of the box"};
    for (int i = 0; i < 3; ++i) {
        std::string problem = check_size(names[i], h[i]);
        if (!problem.empty()) return problem;
    }
    return check_ratio("box", std::min({h.x, h.y, h.z}), std::max({h.x, h.y, h.z}));
}

std::string check_capsule(const ShapeDesc& desc) {
    std::string problem = check_size("The radius of the capsule", desc.radius);
    if (!problem.empty()) return problem;
    if (desc.half_height == 0.0f) return {};  // a capsule without a core is a sphere, and harmless
    problem = check_size("The half height of the capsule", desc.half_height);
    if (!problem.empty()) return problem;
    return check_ratio("capsule", std::min(desc.radius, desc.half_height), std::max(desc.radius, desc.half_height));
}

MassProperties sphere_mass(double r) {
    const double volume = 4.0 / 3.0 * 3.14159265358979323846 * r * r * r;
    const float i = float(0.4 * volume * r * r);
    return {float(volume), Vec3(0.0f), Sym3{i, i, i, 0.0f, 0.0f, 0.0f}};
}

MassProperties box_mass(const Vec3& half) {
    const double x = half.x, y = half.y, z = half.z;
    const double volume = 8.0 * x * y * z, third = volume / 3.0;
    return {float(volume), Vec3(0.0f),
            Sym3{float(third * (y * y + z * z)), float(third * (x * x + z * z)), float(third * (x * x + y * y)), 0.0f,
                 0.0f, 0.0f}};
}

/// A cylinder of length 2h and two half balls, whose own centres lie 3r/8 beyond the ends of the segment.
MassProperties capsule_mass(double r, double h) {
    const double pi = 3.14159265358979323846;
    const double cylinder = pi * r * r * 2.0 * h, ball = 4.0 / 3.0 * pi * r * r * r;
    const double axial = cylinder * 0.5 * r * r + ball * 0.4 * r * r;
    // Half balls about the capsule's centre: 2/5 r^2 about the ball's centre, moved by h; the cross term is 2 h
    // (3r/8).
    const double across = cylinder * (0.25 * r * r + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
    return {float(cylinder + ball), Vec3(0.0f), Sym3{float(across), float(axial), float(across), 0.0f, 0.0f, 0.0f}};
}

float axis_slop(const Vec3& half_extents) {
    return std::min(1e-3f * glm::length(half_extents),
                    0.1f * std::min({half_extents.x, half_extents.y, half_extents.z}));
}

float farthest_vertex(const Polytope& polytope) {
    float r2 = 0.0f;
    for (const Vec3& v : polytope.vertices) r2 = std::max(r2, glm::dot(v, v));
    return std::sqrt(r2);
}

}  // namespace

const char* to_string(ShapeType type) {
    switch (type) {
        case ShapeType::sphere:
            return "sphere";
        case ShapeType::box:
            return "box";
        case ShapeType::capsule:
            return "capsule";
        case ShapeType::hull:
            return "hull";
        case ShapeType::half_space:
            return "half_space";
    }
    return "unknown";
}

Polytope box_polytope(const Vec3& h) {
    Polytope box;
    box.vertices.reserve(8);
    for (int i = 0; i < 8; ++i)
        box.vertices.emplace_back((i & 1) ? h.x : -h.x, (i & 2) ? h.y : -h.y, (i & 4) ? h.z : -h.z);
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

Aabb bounding_box(const Shape& shape, const Transform& pose) {
    const Vec3 p = pose.position;
    switch (shape.type) {
        case ShapeType::sphere:
            return {p - Vec3(shape.radius), p + Vec3(shape.radius)};
        case ShapeType::box: {
            // The support of a box along a world axis: sum over its own axes of h_i |axis_i . e|.
            const Mat3 r = glm::mat3_cast(pose.rotation);
            const Vec3 e = glm::abs(r[0]) * shape.half_extents.x + glm::abs(r[1]) * shape.half_extents.y +
                           glm::abs(r[2]) * shape.half_extents.z;
            return {p - e, p + e};
        }
        case ShapeType::capsule: {
            const Vec3 e = glm::abs(pose.rotation * Vec3(0.0f, shape.half_height, 0.0f)) + Vec3(shape.radius);
            return {p - e, p + e};
        }
        case ShapeType::hull: {
            const Polytope& hull = shape.polytope;
            const Mat3 r = glm::mat3_cast(pose.rotation);
            const Vec3 center = r * hull.center + p;
            Aabb box;
            polytope_kernels().extent(hull.vertex_blocks.data(), hull.vertex_block_count(), &r[0].x, box);
            return {center + box.lower, center + box.upper};
        }
        case ShapeType::half_space:
            break;
    }
    constexpr float kInf = std::numeric_limits<float>::infinity();
    Aabb box{Vec3(-kInf), Vec3(kInf)};
    const Vec3 n = pose.rotation * Vec3(0.0f, 1.0f, 0.0f);
    for (int i = 0; i < 3; ++i) {
        const float off_axis = std::max(std::abs(n[(i + 1) % 3]), std::abs(n[(i + 2) % 3]));
        if (off_axis > 1e-6f) continue;  // tilted: somewhere, far away, it passes every height
        if (n[i] > 0.0f)
            box.upper[i] = p[i];
        else
            box.lower[i] = p[i];
    }
    return box;
}

Result<ShapeId> ShapeLibrary::add(const ShapeDesc& desc) {
    Shape shape;
    shape.type = desc.type;
    std::string problem;
    switch (desc.type) {
        case ShapeType::sphere:
            problem = check_size("The radius of the sphere", desc.radius);
            if (!problem.empty()) return Error{problem};
            shape.radius = shape.bounding_radius = desc.radius;
            shape.mass = sphere_mass(desc.radius);
            break;
        case ShapeType::box:
            problem = check_box(desc.half_extents);
            if (!problem.empty()) return Error{problem};
            shape.half_extents = desc.half_extents;
            shape.bounding_radius = glm::length(desc.half_extents);
            shape.mass = box_mass(desc.half_extents);
            shape.polytope = box_polytope(desc.half_extents);
            break;
        case ShapeType::capsule:
            problem = check_capsule(desc);
            if (!problem.empty()) return Error{problem};
            shape.radius = desc.radius;
            shape.half_height = desc.half_height;
            shape.bounding_radius = desc.radius + desc.half_height;
            shape.mass = capsule_mass(desc.radius, desc.half_height);
            break;
        case ShapeType::hull: {
            Result<Polytope> hull = cook_hull(desc.points);
            if (!hull) return Error{hull.error()};
            shape.polytope = std::move(*hull);
            shape.mass = polytope_mass(shape.polytope);
            shape.bounding_radius = farthest_vertex(shape.polytope);
            Vec3 lower = shape.polytope.vertices[0], upper = lower;
            for (const Vec3& v : shape.polytope.vertices) {
                lower = glm::min(lower, v);
                upper = glm::max(upper, v);
            }
            shape.half_extents = 0.5f * (upper - lower);
            break;
        }
        case ShapeType::half_space:
            shape.bounding_radius = std::numeric_limits<float>::infinity();
            break;
        default:
            return Error{"The type of the shape is unknown; it must be sphere, box, capsule, hull or half_space."};
    }
    shape.axis_slop = axis_slop(shape.half_extents);
    shapes_.push_back(std::move(shape));
    return ShapeId(uint32_t(shapes_.size() - 1));
}

size_t ShapeLibrary::bytes() const {
    size_t sum = shapes_.size() * sizeof(Shape);
    for (const Shape& shape : shapes_) {
        const Polytope& p = shape.polytope;
        sum += capacity_bytes(p.vertices, p.faces, p.face_vertices, p.face_edges, p.edges, p.sides, p.vertex_first,
                              p.vertex_faces, p.vertex_blocks, p.face_blocks, p.edge_blocks, p.edge_records);
    }
    return sum;
}

Result<ShapeId> ShapeLibrary::add_scaled(const ShapeDesc& desc, const Vec3& scale) {
    for (int i = 0; i < 3; ++i) {
        if (is_finite(scale[i]) && scale[i] > 0.0f) continue;
        const char axis[3] = {'x', 'y', 'z'};
        return Error{std::string("The scale along ") + axis[i] + " is " + number(scale[i]) +
                     "; it must be a finite number greater than zero."};
    }
    ShapeDesc scaled = desc;
    switch (desc.type) {
        case ShapeType::sphere:
        case ShapeType::capsule: {
            const float least = std::min({scale.x, scale.y, scale.z}), most = std::max({scale.x, scale.y, scale.z});
            if (most - least > 1e-5f * most)
                return Error{std::string("The scale (") + number(scale.x) + ", " + number(scale.y) + ", " +
                             number(scale.z) + ") of the " + to_string(desc.type) +
                             " is not uniform; round shapes take the same factor along x, y and z."};
            scaled.radius *= scale.x;
            scaled.half_height *= scale.x;
            break;
        }
        case ShapeType::box:
            scaled.half_extents *= scale;
            break;
        case ShapeType::hull:
            for (Vec3& p : scaled.points) p *= scale;
            break;
        case ShapeType::half_space:
            break;  // a scaled half-space is itself
    }
    return add(scaled);
}

}  // namespace proxima::physics
