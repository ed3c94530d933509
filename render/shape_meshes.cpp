// SPDX-License-Identifier: MIT
#include "render/shape_meshes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "engine/core/assert.h"
#include "engine/core/hash.h"
#include "physics/shapes/shape_classes.h"

namespace proxima::render {

using physics::DrawPrimitive;
using physics::Polytope;
using physics::Shape;

namespace {

constexpr float kBevel = 0.04f;             // of the smallest half extent
constexpr size_t kMaxBevelledBoxes = 64;    // of different proportions; more share the plain cube
constexpr float kFlatBox = 40.0f;           // largest over smallest extent: floors and walls stay plain
constexpr float kHalfSpaceReach = 1000.0f;  // m, of what is drawn of one
constexpr std::array<uint32_t, kDetails> kSphereCuts{3, 2, 1, 0};
constexpr std::array<uint32_t, kDetails> kCapsuleSides{32, 20, 12, 8};

void add_triangle(Mesh& mesh, uint32_t a, uint32_t b, uint32_t c) {
    mesh.indices.insert(mesh.indices.end(), {a, b, c});
}

/// A flat face of its own vertices, as a fan.
void add_face(Mesh& mesh, const Vec3& normal, std::initializer_list<Vec3> corners) {
    const uint32_t first = uint32_t(mesh.vertices.size());
    for (const Vec3& corner : corners) mesh.vertices.push_back({corner, normal});
    for (uint32_t i = 2; i < corners.size(); ++i) add_triangle(mesh, first, first + i - 1, first + i);
}

}  // namespace

Mesh sphere_mesh(uint32_t cuts) {
    // The twelve corners of three golden rectangles.
    const float g = 0.5f * (1.0f + std::sqrt(5.0f));
    std::vector<Vec3> points;
    for (const float one : {-1.0f, 1.0f})
        for (const float gold : {-g, g}) {
            points.emplace_back(0.0f, one, gold);
            points.emplace_back(one, gold, 0.0f);
            points.emplace_back(gold, 0.0f, one);
        }
    for (Vec3& p : points) p = glm::normalize(p);
    // Its faces are the triples of corners at the distance of an edge from each other.
    const float edge = 2.0f / std::sqrt(1.0f + g * g);
    const auto near = [&](uint32_t a, uint32_t b) { return glm::distance(points[a], points[b]) < 1.1f * edge; };
    std::vector<uint32_t> triangles;
    for (uint32_t a = 0; a < 12; ++a)
        for (uint32_t b = a + 1; b < 12; ++b)
            for (uint32_t c = b + 1; c < 12; ++c) {
                if (!near(a, b) || !near(b, c) || !near(a, c)) continue;
                const bool outward = glm::dot(points[a], glm::cross(points[b], points[c])) > 0.0f;
                triangles.insert(triangles.end(), {a, outward ? b : c, outward ? c : b});
            }
    for (uint32_t cut = 0; cut < cuts; ++cut) {
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> middles;
        const auto middle = [&](uint32_t a, uint32_t b) {
            const auto [found, is_new] = middles.try_emplace(std::minmax(a, b), uint32_t(points.size()));
            if (is_new) points.push_back(glm::normalize(points[a] + points[b]));
            return found->second;
        };
        std::vector<uint32_t> finer;
        finer.reserve(4 * triangles.size());
        for (size_t i = 0; i < triangles.size(); i += 3) {
            const uint32_t a = triangles[i], b = triangles[i + 1], c = triangles[i + 2];
            const uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            finer.insert(finer.end(), {a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca});
        }
        triangles = std::move(finer);
    }
    Mesh mesh;
    for (const Vec3& p : points) mesh.vertices.push_back({p, p});
    mesh.indices = std::move(triangles);
    return mesh;
}

Mesh cube_mesh() { return polytope_mesh(physics::box_polytope({1.0f, 1.0f, 1.0f})); }

Mesh bevelled_box_mesh(const Vec3& half, float bevel) {
    // Each corner of the box becomes three vertices, one on each of its faces, with the normal of that face:
    // the face stays flat, and over the cuts between faces the normal turns.
    Mesh mesh;
    const auto index = [](uint32_t corner, uint32_t axis) { return corner * 3 + axis; };
    for (uint32_t corner = 0; corner < 8; ++corner) {
        const Vec3 sign(corner & 1 ? 1.0f : -1.0f, corner & 2 ? 1.0f : -1.0f, corner & 4 ? 1.0f : -1.0f);
        for (int axis = 0; axis < 3; ++axis) {
            Vec3 position = sign * (half - Vec3(bevel)), normal(0.0f);
            position[axis] = sign[axis] * half[axis];
            normal[axis] = sign[axis];
            mesh.vertices.push_back({position, normal});
        }
    }
    // Whichever way the corners are named, the triangle looks outward: the box is convex about its origin.
    const auto triangle = [&](uint32_t a, uint32_t b, uint32_t c) {
        const Vec3 &p = mesh.vertices[a].position, &q = mesh.vertices[b].position, &r = mesh.vertices[c].position;
        const bool outward = glm::dot(glm::cross(q - p, r - p), p + q + r) > 0.0f;
        add_triangle(mesh, a, outward ? b : c, outward ? c : b);
    };
    const auto quad = [&](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
        triangle(a, b, c);
        triangle(a, c, d);
    };
    for (uint32_t axis = 0; axis < 3; ++axis) {
        const uint32_t u = 1u << ((axis + 1) % 3), v = 1u << ((axis + 2) % 3);
        for (const uint32_t side : {0u, 1u << axis})  // faces
            quad(index(side, axis), index(side | u, axis), index(side | u | v, axis), index(side | v, axis));
        const uint32_t other_u = (axis + 1) % 3, other_v = (axis + 2) % 3, along = 1u << axis;
        for (const uint32_t corner : {0u, u, v, u | v})  // edges along the axis
            quad(index(corner, other_u), index(corner | along, other_u), index(corner | along, other_v),
                 index(corner, other_v));
    }
    for (uint32_t corner = 0; corner < 8; ++corner) triangle(index(corner, 0), index(corner, 1), index(corner, 2));
    return mesh;
}

Mesh capsule_mesh(float half_height, uint32_t sides) {
    PX_ASSERT(sides >= 4 && sides % 4 == 0, "a capsule has a multiple of four sides");
    // Rings from the lower pole to the upper one; the equator is there twice, at either end of the core.
    Mesh mesh;
    const uint32_t rings = sides / 4;  // of each half, without its pole
    const auto ring_vertex = [&](uint32_t ring, uint32_t side) { return 1 + ring * sides + side % sides; };
    mesh.vertices.push_back({{0.0f, -half_height - 1.0f, 0.0f}, {0.0f, -1.0f, 0.0f}});
    for (uint32_t ring = 0; ring < 2 * rings; ++ring) {
        const bool upper = ring >= rings;
        const uint32_t from_equator = upper ? ring - rings : rings - 1 - ring;
        const float angle = 0.5f * kPi * float(from_equator) / float(rings);
        const float y = (upper ? 1.0f : -1.0f) * std::sin(angle), r = std::cos(angle);
        for (uint32_t side = 0; side < sides; ++side) {
            const float turn = 2.0f * kPi * float(side) / float(sides);
            const Vec3 normal(r * std::cos(turn), y, r * std::sin(turn));
            mesh.vertices.push_back({normal + Vec3(0.0f, upper ? half_height : -half_height, 0.0f), normal});
        }
    }
    const uint32_t top = uint32_t(mesh.vertices.size());
    mesh.vertices.push_back({{0.0f, half_height + 1.0f, 0.0f}, {0.0f, 1.0f, 0.0f}});
    for (uint32_t side = 0; side < sides; ++side) {
        add_triangle(mesh, 0, ring_vertex(0, side), ring_vertex(0, side + 1));
        for (uint32_t ring = 0; ring + 1 < 2 * rings; ++ring) {
            const uint32_t a = ring_vertex(ring, side), b = ring_vertex(ring, side + 1);
            const uint32_t c = ring_vertex(ring + 1, side), d = ring_vertex(ring + 1, side + 1);
            add_triangle(mesh, a, c, b);
            add_triangle(mesh, b, c, d);
        }
        add_triangle(mesh, top, ring_vertex(2 * rings - 1, side + 1), ring_vertex(2 * rings - 1, side));
    }
    return mesh;
}

Mesh polytope_mesh(const Polytope& polytope) {
    Mesh mesh;
    for (const Polytope::Face& face : polytope.faces) {
        const uint32_t first = uint32_t(mesh.vertices.size());
        for (uint32_t i = 0; i < face.count; ++i)
            mesh.vertices.push_back({polytope.vertices[polytope.face_vertices[face.first + i]], face.normal});
        for (uint32_t i = 2; i < face.count; ++i) add_triangle(mesh, first, first + i - 1, first + i);
    }
    return mesh;
}

Mesh plane_mesh() {
    Mesh mesh;
    add_face(mesh, {0.0f, 1.0f, 0.0f},
             {{-1.0f, 0.0f, -1.0f}, {-1.0f, 0.0f, 1.0f}, {1.0f, 0.0f, 1.0f}, {1.0f, 0.0f, -1.0f}});
    return mesh;
}

double enclosed_volume(const Mesh& mesh) {
    double sum = 0.0;
    for (size_t i = 0; i < mesh.indices.size(); i += 3) {
        const glm::dvec3 a = mesh.vertices[mesh.indices[i]].position;
        const glm::dvec3 b = mesh.vertices[mesh.indices[i + 1]].position;
        const glm::dvec3 c = mesh.vertices[mesh.indices[i + 2]].position;
        sum += glm::dot(a, glm::cross(b, c));
    }
    return sum / 6.0;
}

ShapeMeshes::ShapeMeshes(MeshLibrary& library) : library_(library) {
    for (uint32_t k = 0; k < kDetails; ++k) sphere_[k] = library_.add(sphere_mesh(kSphereCuts[k]));
    cube_ = library_.add(cube_mesh());
    plane_ = library_.add(plane_mesh());
}

namespace {

ShapeMesh one_mesh(MeshId mesh, const Vec3& scale) {
    ShapeMesh out;
    out.details.fill({mesh, scale});
    return out;
}
ShapeMesh round_mesh(const std::array<MeshId, kDetails>& meshes, float scale) {
    ShapeMesh out;
    for (uint32_t k = 0; k < kDetails; ++k) out.details[k] = {meshes[k], Vec3(scale)};
    out.round = true;
    return out;
}

}  // namespace

ShapeMesh ShapeMeshes::make_box(const Vec3& half) {
    const float largest = std::max({half.x, half.y, half.z}), smallest = std::min({half.x, half.y, half.z});
    ShapeMesh out = one_mesh(cube_, half);
    if (largest > kFlatBox * smallest) return out;
    // A bevelled mesh fits boxes of its proportions only: stretched, its cuts would differ from edge to edge.
    const Vec3 proportions = half / largest;
    StateHash hash;
    hash.add(proportions);
    auto found = boxes_.find(hash.value());
    if (found == boxes_.end()) {
        if (boxes_.size() >= kMaxBevelledBoxes) return out;
        const MeshId bevelled = library_.add(bevelled_box_mesh(proportions, kBevel * smallest / largest));
        found = boxes_.emplace(hash.value(), bevelled).first;
    }
    // Far away nobody sees the cuts.
    out.details[0] = out.details[1] = {found->second, Vec3(largest)};
    return out;
}

ShapeMesh ShapeMeshes::make_capsule(float radius, float half_height) {
    const float slenderness = half_height / radius;
    StateHash hash;
    hash.add(slenderness);
    const auto [found, is_new] = capsules_.try_emplace(hash.value());
    if (is_new)
        for (uint32_t k = 0; k < kDetails; ++k)
            found->second[k] = library_.add(capsule_mesh(slenderness, kCapsuleSides[k]));
    return round_mesh(found->second, radius);
}

ShapeMesh ShapeMeshes::make_polytope(const Polytope& polytope) {
    StateHash hash;
    for (const Vec3& vertex : polytope.vertices) hash.add(vertex);
    const auto [found, is_new] = hulls_.try_emplace(hash.value());
    if (is_new) found->second = library_.add(polytope_mesh(polytope));
    return one_mesh(found->second, Vec3(1.0f));
}

void ShapeMeshes::add(const Shape& shape, const Transform& local, std::vector<ShapeMesh>& out) {
    const physics::ShapeDraw& draw = physics::shape_class(shape).draw;
    const Vec3 size = draw.size ? draw.size(shape) : Vec3(1.0f);
    ShapeMesh mesh;
    switch (draw.primitive) {
        case DrawPrimitive::sphere:
            mesh = round_mesh(sphere_, size.x);
            break;
        case DrawPrimitive::box:
            mesh = make_box(size);
            break;
        case DrawPrimitive::capsule:
            mesh = make_capsule(size.x, size.y);
            break;
        case DrawPrimitive::polytope:
            mesh = make_polytope(shape.polytope);
            break;
        case DrawPrimitive::plane:
            mesh = one_mesh(plane_, {kHalfSpaceReach, 1.0f, kHalfSpaceReach});
            mesh.endless = true;
            break;
        case DrawPrimitive::parts:
            for (const physics::ShapePart& part : shape.parts) add(part.shape, compose(local, part.local), out);
            return;
    }
    mesh.local = local;
    mesh.radius = shape.bounding_radius;
    out.push_back(mesh);
}

void MeshCache::learn(const physics::ShapeLibrary& shapes) {
    while (first_.size() <= shapes.size()) {
        const auto id = physics::ShapeId(first_.size() - 1);
        if (shapes.contains(id)) meshes_->add(shapes.get(id), known_);  // of one that was removed there is nothing
        first_.push_back(uint32_t(known_.size()));
    }
}

}  // namespace proxima::render
