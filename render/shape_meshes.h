// SPDX-License-Identifier: MIT
// Meshes of collision shapes. Shapes that differ by a scale share a mesh, so that a heap of boxes of any size
// is one draw call; round ones come in several levels of detail.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/core/math.h"
#include "physics/shapes/shape.h"
#include "render/mesh.h"

namespace proxima::render {

// ---- meshes; all closed and seen from outside, except the plane

/// Radius 1: an icosahedron whose triangles are cut in four `cuts` times; 20 * 4^cuts triangles.
Mesh sphere_mesh(uint32_t cuts);
/// Sharp edges and flat faces, half extents 1.
Mesh cube_mesh();
/// Edges and corners cut off by `bevel`, inside of the box. Normals run smoothly over the cuts, which makes
/// edges catch the light.
Mesh bevelled_box_mesh(const Vec3& half_extents, float bevel);
/// Radius 1 about a segment of half length `half_height` along y; `sides` around, a multiple of four.
Mesh capsule_mesh(float half_height, uint32_t sides);
/// Flat faces, each vertex once per face.
Mesh polytope_mesh(const physics::Polytope& polytope);
/// A square of half width 1 in y = 0, seen from above.
Mesh plane_mesh();

/// What a closed mesh encloses, by the divergence theorem: sum of a . (b x c) / 6. Negative: inside out.
double enclosed_volume(const Mesh& mesh);

// ---- which mesh a shape has

inline constexpr uint32_t kDetails = 4;  // from fine to coarse

struct ScaledMesh {
    MeshId mesh = 0;
    Vec3 scale{1.0f, 1.0f, 1.0f};  // from the mesh to the shape
};

/// A convex shape, or one part of a composite one.
struct ShapeMesh {
    std::array<ScaledMesh, kDetails> details;  // equal ones where a shape has one mesh only
    Transform local;                           // in the frame of the shape
    float radius = 0.0f;                       // about its own origin, m: what the detail is chosen by
    bool round = false;                        // its turning cannot be seen without a pattern
    bool endless = false;                      // a half-space
};

/// The meshes of shapes in a library, found by what the shapes are: worlds that come and go share them.
class ShapeMeshes {
  public:
    explicit ShapeMeshes(MeshLibrary& library);

    /// Appends what is drawn of a shape: one mesh for each convex part.
    void add(const physics::Shape& shape, std::vector<ShapeMesh>& out) { add(shape, {}, out); }
    MeshLibrary& library() { return library_; }

  private:
    void add(const physics::Shape& shape, const Transform& local, std::vector<ShapeMesh>& out);
    ShapeMesh make_box(const Vec3& half_extents);
    ShapeMesh make_capsule(float radius, float half_height);
    ShapeMesh make_polytope(const physics::Polytope& polytope);

    MeshLibrary& library_;
    std::array<MeshId, kDetails> sphere_{};
    MeshId cube_ = 0, plane_ = 0;
    // By hash of what they are; looked up, never walked over.
    std::unordered_map<uint64_t, MeshId> hulls_, boxes_;
    std::unordered_map<uint64_t, std::array<MeshId, kDetails>> capsules_;
};

/// The meshes of one world's shapes by ShapeId. Each world has its own.
class MeshCache {
  public:
    explicit MeshCache(ShapeMeshes& meshes) : meshes_(&meshes) {}

    /// One mesh for each convex part. Good until the next call.
    std::span<const ShapeMesh> get(const physics::ShapeLibrary& shapes, physics::ShapeId id) {
        if (size_t(id) + 1 >= first_.size()) learn(shapes);
        return std::span(known_).subspan(first_[size_t(id)], first_[size_t(id) + 1] - first_[size_t(id)]);
    }
    /// For another world, or another library of shapes.
    void forget() {
        known_.clear();
        first_.assign(1, 0);
    }

  private:
    void learn(const physics::ShapeLibrary& shapes);

    ShapeMeshes* meshes_;
    std::vector<ShapeMesh> known_;
    std::vector<uint32_t> first_{0};  // of shape i in known_; one more than there are shapes
};

}  // namespace proxima::render
