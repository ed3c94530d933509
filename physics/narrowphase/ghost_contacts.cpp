// SPDX-License-Identifier: MIT
// A contact (p, n) with a solid is hidden by a neighbour that holds p and reaches above the plane through p with normal n, because
// the solid cannot be touched there in that direction from outside. Unless the solid comes out of the neighbour close by:
// the foot of a wall lies in the floor, and is touched all the same.
#include "physics/narrowphase/ghost_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/narrowphase/generators.h"
#include "physics/shapes/polytope_kernels.h"

namespace proxima::physics {

namespace {

using namespace detail;

constexpr float kUnbounded = 1e30f;
// Normals within 0.01 rad are those of one plane: a body that rests on a seam leans by less, and keeps its points there.
constexpr float kParallelCosine = 0.99995f;
constexpr float kMatingCosine = -0.999f;  // of a neighbour's face that lies against the solid's
// How far a solid must come out of its neighbour, in tolerances. More than one: out of the neighbour's reach.
constexpr float kExposed = 1.5f;
constexpr float kSlant = 0.02f;  // between faces of mover and solid that lie against each other
// A face goes on where that of a neighbour ends when the mover is not much deeper in it.
constexpr float kSameDepth = 2.0f;

constexpr std::array<Polytope::Face, 1> kHalfSpaceFace = {Polytope::Face{{0.0f, 1.0f, 0.0f}, 0.0f, 0, 0}};

std::span<const Polytope::Face> faces_of(const Shape& shape) {
    if (shape.type == ShapeType::half_space) return kHalfSpaceFace;
    return shape.polytope.faces;
}

/// The most of dot(direction, x) over a shape, in its own frame; `direction` is a unit vector.
float support(const Shape& shape, const Vec3& direction) {
    switch (shape.type) {
        case ShapeType::sphere:
            return shape.radius;
        case ShapeType::capsule:
            return shape.radius + shape.half_height * std::abs(direction.y);
        case ShapeType::box:
            return glm::dot(shape.half_extents, glm::abs(direction));
        case ShapeType::hull: {
            const Polytope& p = shape.polytope;
            return glm::dot(direction, p.center) -
                   polytope_kernels().least(p.vertex_blocks.data(), p.vertex_block_count(), -direction);
        }
        default:
            return kUnbounded;
    }
}
/// How far a placed shape reaches beyond a point.
float reach_beyond(const PlacedShape& placed, const Vec3& point, const Vec3& direction) {
    const Vec3 local = glm::conjugate(placed.pose->rotation) * direction;
    return support(*placed.shape, local) - glm::dot(local, to_local(*placed.pose, point));
}
/// How far apart a shape and a face of another are along its normal; negative: overlap.
float face_separation(const PlacedShape& shape, const PlacedShape& other, const Polytope::Face& face) {
    const Vec3 on_face = to_world(*other.pose, face.normal * face.offset);
    return -reach_beyond(shape, on_face, -(other.pose->rotation * face.normal));
}

bool contains(const PlacedShape& solid, const Vec3& point) {
    const Vec3 local = to_local(*solid.pose, point);
    for (const Polytope::Face& face : faces_of(*solid.shape))
        if (glm::dot(face.normal, local) > face.offset) return false;
    return true;
}

/// A mover, a solid and what lies around that.
struct Seams {
    const PlacedShape& mover;
    const PlacedShape& solid;
    std::span<const PlacedShape> neighbours;
    float tolerance;
    float exposed;

    Seams(const PlacedShape& m, const PlacedShape& s, std::span<const PlacedShape> n)
        : mover(m), solid(s), neighbours(n) {
        float smallest = std::min(m.shape->bounding_radius, s.shape->bounding_radius);
        for (const PlacedShape& other : n) smallest = std::min(smallest, other.shape->bounding_radius);
        tolerance = kSeamTolerance * smallest;
        exposed = kExposed * tolerance;
    }

    /// Whether a neighbour holds p and reaches above the plane through it. Not where its own face is that plane.
    bool covers(const PlacedShape& neighbour, const Vec3& n, const Vec3& p) const {
        const Vec3 local = to_local(*neighbour.pose, p), direction = glm::conjugate(neighbour.pose->rotation) * n;
        for (const Polytope::Face& face : faces_of(*neighbour.shape)) {
            const float height = glm::dot(face.normal, local) - face.offset;
            if (height > tolerance) return false;
            if (height >= -exposed && glm::dot(face.normal, direction) > kParallelCosine) return false;
        }
        return support(*neighbour.shape, direction) - glm::dot(direction, local) > tolerance;
    }
    bool is_covered(const Vec3& n, const Vec3& p) const {
        return std::any_of(neighbours.begin(), neighbours.end(),
                           [&](const PlacedShape& neighbour) { return covers(neighbour, n, p); });
    }

    /// Whether the solid comes out of a face of a neighbour near p, where the mover is, to be touched with normal n.
    bool comes_out(const PlacedShape& neighbour, const Polytope::Face& face, const Vec3& n, const Vec3& p) const {
        const Vec3 up = neighbour.pose->rotation * face.normal;
        const float cosine = glm::dot(up, n);
        if (cosine > kParallelCosine || cosine < kMatingCosine) return false;
        const float sine = std::sqrt(1.0f - cosine * cosine);
        // Along the plane of the contact until out of the neighbour.
        const Vec3 along = (up - cosine * n) / sine;
        const float height = glm::dot(face.normal, to_local(*neighbour.pose, p)) - face.offset;
        const float way = (exposed - height) / sine;
        if (reach_beyond(mover, p, along) < way) return false;
        const Vec3 q = p + along * way;
        // The plane may be that of the mover's face, and leave the solid's by a little: so a little deeper, at the same
        // height. Beside an edge of the solid the plane leaves it by more.
        const Vec3 inward = (cosine * up - n) / sine;
        return contains(solid, q + inward * (kSlant * way)) && !is_covered(n, q);
    }

    bool is_ghost(const Vec3& n, const Vec3& p) const {
        bool covered = false;
        for (const PlacedShape& neighbour : neighbours) {
            if (!covers(neighbour, n, p)) continue;
            covered = true;
            for (const Polytope::Face& face : faces_of(*neighbour.shape))
                if (comes_out(neighbour, face, n, p)) return false;
        }
        return covered;
    }
};

/// What points out of the solid, and where on it.
Vec3 outward_normal(const RawManifold& m, bool solid_is_b) { return solid_is_b ? -m.normal : m.normal; }
Vec3 point_on_solid(const RawPoint& p, const Vec3& outward) { return p.point - outward * (0.5f * p.separation); }

bool keep_exposed(const Seams& seams, bool solid_is_b, RawManifold& m) {
    const Vec3 n = outward_normal(m, solid_is_b);
    int kept = 0;
    for (int i = 0; i < m.count; ++i)
        if (!seams.is_ghost(n, point_on_solid(m.points[i], n))) m.points[kept++] = m.points[i];
    m.count = kept;
    return kept > 0;
}

/// The face of the solid that goes on where that of a neighbour, which hides a contact, ends: the mover is on both. -1: none.
int continuing_face(const Seams& seams, const Vec3& n, const Vec3& p, float margin) {
    Vec3 up(0.0f);
    float depth = -kUnbounded;
    for (const PlacedShape& neighbour : seams.neighbours) {
        if (!seams.covers(neighbour, n, p)) continue;
        for (const Polytope::Face& face : faces_of(*neighbour.shape)) {
            const Vec3 normal = neighbour.pose->rotation * face.normal;
            if (glm::dot(normal, n) < kMatingCosine) continue;
            const float separation = face_separation(seams.mover, neighbour, face);
            if (separation > depth) depth = separation, up = normal;
        }
    }
    const Vec3 local_up = glm::conjugate(seams.solid.pose->rotation) * up;
    int best = -1;
    float most = 0.5f;  // within 60 degrees
    const std::span<const Polytope::Face> faces = faces_of(*seams.solid.shape);
    for (size_t f = 0; f < faces.size(); ++f)
        if (const float cosine = glm::dot(faces[f].normal, local_up); cosine > most) most = cosine, best = int(f);
    if (best < 0) return -1;
    const float separation = face_separation(seams.mover, seams.solid, faces[size_t(best)]);
    const bool same = separation >= kSameDepth * std::min(depth, 0.0f) - seams.exposed && separation <= margin;
    return same ? best : -1;
}

}  // namespace

bool has_faces(const Shape& shape) { return !faces_of(shape).empty(); }

bool remove_ghost_contacts(const PlacedShape& mover, const PlacedShape& solid, bool solid_is_b,
                           std::span<const PlacedShape> neighbours, float margin, RawManifold& manifold) {
    const Seams seams(mover, solid, neighbours);
    const Vec3 n = outward_normal(manifold, solid_is_b), first = point_on_solid(manifold.points[0], n);
    if (keep_exposed(seams, solid_is_b, manifold)) return true;
    if (solid.shape->type == ShapeType::half_space) return false;
    const int face = continuing_face(seams, n, first, margin);
    if (face < 0) return false;
    if (!collide_face(*mover.shape, *mover.pose, *solid.shape, *solid.pose, face, seams.tolerance, margin, manifold))
        return false;
    if (!solid_is_b) flip(manifold);
    return keep_exposed(seams, solid_is_b, manifold);
}

}  // namespace proxima::physics
