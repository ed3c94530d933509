// SPDX-License-Identifier: MIT
// Collision shapes: immutable, shared by handle, with exact mass properties. Made once, by ShapeLibrary.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/math.h"
#include "engine/core/result.h"

namespace proxima::physics {

/// Index of a shape in its library.
enum class ShapeId : uint32_t {};
inline constexpr ShapeId kNoShape = ShapeId{0xFFFFFFFFu};

/// What there is of each type stands in one row of shape_classes.h.
enum class ShapeType : uint8_t { sphere, box, capsule, hull, half_space, compound };
inline constexpr int kShapeTypeCount = 6;

/// The word that scene files have for it; "unknown" for a number that is no type.
const char* to_string(ShapeType type);

/// Mass properties at density 1, in the shape's own frame.
struct MassProperties {
    float volume = 0.0f;
    Vec3 center{0.0f, 0.0f, 0.0f};
    Sym3 inertia;  // about the centre of mass
};

/// Limits of a cooked hull. The first bounds the stack buffers of contact generation and fits the feature ids.
inline constexpr int kMaxHullVertices = 255;
inline constexpr float kMinHullThickness = 5e-4f;  // least width over largest extent; thinner counts as flat
/// Every size of a shape, in metres: below or above, masses and inertias leave the range of float.
inline constexpr float kMinShapeSize = 1e-6f;
inline constexpr float kMaxShapeSize = 1e6f;

/// A convex polytope with the adjacency that SAT and clipping need. Vertex loops run counter-clockwise seen from
/// outside.
struct Polytope {
    struct Face {
        Vec3 normal;          // outward, unit
        float offset = 0.0f;  // dot(normal, x) = offset on the face
        uint16_t first = 0;   // into face_vertices
        uint16_t count = 0;
    };
    struct Edge {
        uint16_t tail = 0, head = 0;   // vertices, in the loop order of face `left`
        uint16_t left = 0, right = 0;  // the two faces
    };
    std::vector<Vec3> vertices;
    std::vector<Face> faces;
    std::vector<uint16_t> face_vertices;
    std::vector<uint16_t> face_edges;  // beside face_vertices: the edge from this vertex to the next one of the loop
    std::vector<Edge> edges;           // each once
    Vec3 center{0.0f, 0.0f, 0.0f};     // a point inside: the mean of the vertices
    float inner_radius = 0.0f;         // of the largest ball about the centre that fits inside

    // ---- for contact generation, made by make_search_data
    struct Side {
        Vec3 outward;         // of the face, in its plane, unit
        float offset = 0.0f;  // dot(outward, x) = offset along the edge
    };
    std::vector<Side> sides;             // beside face_vertices: where the face ends, at this edge
    std::vector<uint16_t> vertex_first;  // vertex v has the faces vertex_faces[vertex_first[v] ..
    std::vector<uint16_t> vertex_faces;  // vertex_first[v + 1]), ascending
    // Eight side by side for the SIMD kernels, in rows of eight floats; positions are about the centre. Vertices: x, y,
    // z; the last block is filled up with its first vertex. Faces: normal, and depth, how far the centre lies below;
    // fillers have no normal and kFillerDepth. Edges: tail, unit direction, normals of the left and of the right
    // face, length. Fillers are zero.
    static constexpr int kVertexRows = 3, kFaceRows = 4, kEdgeRows = 13;
    std::vector<float> vertex_blocks, face_blocks, edge_blocks;
    // The first twelve rows once more, edge by edge, each in one cache line: for the few that a search keeps.
    static constexpr int kEdgeRecord = 16;
    std::vector<float> edge_records;
    int vertex_block_count() const { return int(vertex_blocks.size()) / (8 * kVertexRows); }
    int face_block_count() const { return int(face_blocks.size()) / (8 * kFaceRows); }
    int edge_block_count() const { return int(edge_blocks.size()) / (8 * kEdgeRows); }
};
inline constexpr float kFillerDepth = 1e30f;

struct ChildDesc;

/// What a shape is made from. Only the fields of its type are read.
struct ShapeDesc {
    ShapeType type = ShapeType::box;
    Vec3 half_extents{0.5f, 0.5f, 0.5f};  // box
    float radius = 0.5f;                  // sphere, capsule
    float half_height = 0.5f;             // capsule: half the length of its core segment, along local y
    std::vector<Vec3> points{};           // hull: the cooked shape is their convex hull, in the same frame
    std::vector<ChildDesc> children;      // compound: its parts, convex and bounded
    // half-space: solid below the plane y = 0 of its own frame; static bodies only
};

/// A convex shape in the frame of a compound.
struct ChildDesc {
    Vec3 position{0.0f, 0.0f, 0.0f};
    Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};  // unit
    ShapeDesc shape{};
};
/// Parts of a compound are looked at one by one; more belong on several colliders, which the broadphase sorts.
inline constexpr size_t kMaxChildren = 4096;

struct ShapePart;

struct Shape {
    ShapeType type = ShapeType::box;
    Vec3 half_extents{0.0f, 0.0f, 0.0f};
    float radius = 0.0f;
    float half_height = 0.0f;
    float bounding_radius = 0.0f;  // about the shape's origin; infinite for a half-space
    // How much better, in metres, another axis must be before it replaces the preferred one, for boxes and
    // hulls. About 1 mm for shapes of one metre: above the noise of a resting contact, so that features do
    // not flicker, and below what an eye sees.
    float axis_slop = 0.0f;
    MassProperties mass;
    Polytope polytope;             // box and hull; empty otherwise
    std::vector<ShapePart> parts;  // compound: in the order of its children; empty otherwise
    uint64_t fingerprint = 0;      // of all that makes it this shape: tells two shapes apart
    // Of what ShapeLibrary::scaled made: of which shape, and how large it is beside that. Of others: itself.
    ShapeId origin = kNoShape;
    float scale = 1.0f;
};

/// A convex shape within a composite one. Its id is its index: shapes never change, so ids do not either.
struct ShapePart {
    Shape shape;
    Transform local;  // in the frame of the composite
    Aabb box;         // of the placed shape, same frame
};

/// The tightest axis-aligned box of a placed shape. A half-space is unbounded, except on the side its normal
/// looks to when that is an axis (within 1e-6).
Aabb bounding_box(const Shape& shape, const Transform& pose);

/// The shapes of a world. Shapes never change, and PhysicsWorld::remove_shape removes only those that nothing uses, so
/// references stay good and snapshots need only handles. Libraries that are copied share their shapes.
class ShapeLibrary {
  public:
    /// Checks and cooks a shape. A sentence says what is wrong: non-finite or non-positive sizes, flat or
    /// thin hulls, fewer than four points, ratios of sizes above one million, children that are not convex.
    Result<ShapeId> add(const ShapeDesc& desc);
    /// The same shape stretched along its axes before cooking, by positive factors; round shapes and
    /// compounds take uniform ones only.
    Result<ShapeId> add_scaled(const ShapeDesc& desc, const Vec3& scale);

    /// A shape of this library in another size, the same factor along all axes; 1 is the size that it was added with,
    /// also where `id` is itself a scaled one. Asked for twice, it is the same shape.
    Result<ShapeId> scaled(ShapeId id, float scale);

    /// Whether there is such a shape: false for ids that were never given and for those of removed shapes.
    bool contains(ShapeId id) const { return size_t(id) < shapes_.size() && shapes_[size_t(id)]; }
    /// Of a shape that is there.
    const Shape& get(ShapeId id) const { return *shapes_[size_t(id)]; }
    /// Ids that were given, those of removed shapes too: no id is ever given twice.
    size_t size() const { return shapes_.size(); }
    size_t bytes() const;  // memory held

  private:
    friend class PhysicsWorld;  // it knows who uses a shape
    void remove(ShapeId id) { shapes_[size_t(id)].reset(); }

    std::deque<std::shared_ptr<const Shape>> shapes_;  // by id; null: removed
};

/// What ShapeLibrary::add keeps, for a shape that no library holds.
Result<Shape> cook(const ShapeDesc& desc);

/// Cooks the convex hull of a point set (through Bullet): welded vertices, coplanar triangles merged into faces.
Result<Polytope> cook_hull(std::span<const Vec3> points);
/// The polytope of a box: vertex i has +x, +y, +z where bits 0, 1, 2 of i are set; faces are +x, -x, +y, -y, +z, -z.
Polytope box_polytope(const Vec3& half_extents);
/// Makes `edges` and `face_edges` from the face loops; false when some edge does not have exactly two faces.
bool link_edges(Polytope& polytope);
/// Makes what the search for contacts needs, from faces, edges and centre.
void make_search_data(Polytope& polytope);
/// Exact volume, centre and inertia of a polytope, by integration over its faces in double precision.
MassProperties polytope_mass(const Polytope& polytope);

}  // namespace proxima::physics
