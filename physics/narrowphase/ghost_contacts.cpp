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
constexpr float kSlant = 0.01f;     // between faces of mover and solid that lie against each other
constexpr float kSameDepth = 2.0f;  // a face goes on where another ends when the mover is no deeper in it, in depths
constexpr float kFaceSlop = 0.1f;   // how far a face reaches beyond its sides, in tolerances
constexpr int kMaxFaces = 3;        // that are tried

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

/// A point outside of a solid to its surface: the nearest one of a box, and of a hull nearly so where that is not far.
Vec3 push_into(const PlacedShape& solid, const Vec3& point) {
    Vec3 local = to_local(*solid.pose, point);
    for (const Polytope::Face& face : faces_of(*solid.shape))
        local -= face.normal * std::max(0.0f, glm::dot(face.normal, local) - face.offset);
    return to_world(*solid.pose, local);
}

/// Moves a point to the face of a solid that looks most along n; false when it is farther than `play` from that.
bool find_surface(const PlacedShape& solid, const Vec3& n, float play, Vec3& point) {
    const Vec3 inside = push_into(solid, point), direction = glm::conjugate(solid.pose->rotation) * n;
    if (glm::dot(point - inside, point - inside) > play * play) return false;
    const Polytope::Face* best = nullptr;
    float most = -2.0f;
    for (const Polytope::Face& face : faces_of(*solid.shape))
        if (const float cosine = glm::dot(face.normal, direction); cosine > most) most = cosine, best = &face;
    const float depth = best->offset - glm::dot(best->normal, to_local(*solid.pose, inside));
    point = inside + solid.pose->rotation * best->normal * depth;
    return depth <= play;
}

/// A mover, a solid and what lies around that.
struct Seams {
    const PlacedShape& mover;
    const PlacedShape& solid;
    std::span<const PlacedShape> neighbours;
    float tolerance;
    float exposed;
    float lift;

    Seams(const PlacedShape& m, const PlacedShape& s, std::span<const PlacedShape> n)
        : mover(m), solid(s), neighbours(n) {
        float smallest = std::min(m.shape->bounding_radius, s.shape->bounding_radius);
        for (const PlacedShape& other : n) smallest = std::min(smallest, other.shape->bounding_radius);
        tolerance = kSeamTolerance * smallest;
        exposed = kExposed * tolerance;
        lift = smallest;
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
        // The surface of the solid must go there, and straight: not round an edge. The plane may be that of the mover's
        // face, and lean by a little.
        const float play = kSlant * way;
        Vec3 q = p + along * way;
        return find_surface(solid, n, play, q) && !is_covered(n, q);
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

Vec3 outward_normal(const RawManifold& m, bool solid_is_b) { return solid_is_b ? -m.normal : m.normal; }

const RawPoint& deepest_point(const RawManifold& m) {
    return *std::min_element(m.points, m.points + m.count,
                             [](const RawPoint& a, const RawPoint& b) { return a.separation < b.separation; });
}

/// Where on the solid a contact is judged: uphill along the normal, at the feature that the direction of the contact is due to. A
/// face of the mover that leans has its other points elsewhere, and edges that pass each other theirs beside both.
Vec3 point_on_solid(const Seams& seams, const RawPoint& p, const Vec3& outward) {
    return push_into(seams.solid, p.point + outward * (seams.lift - 0.5f * p.separation));
}

/// Keeps the points that are no ghosts. None where the deepest one is: it is what the direction is due to.
bool keep_exposed(const Seams& seams, bool solid_is_b, RawManifold& m) {
    const Vec3 n = outward_normal(m, solid_is_b);
    const float deepest = deepest_point(m).separation;
    int kept = 0;
    for (int i = 0; i < m.count; ++i) {
        const bool ghost = seams.is_ghost(n, point_on_solid(seams, m.points[i], n));
        if (!ghost)
            m.points[kept++] = m.points[i];
        else if (m.points[i].separation == deepest)
            return m.count = 0, false;
    }
    m.count = kept;
    return kept > 0;
}

/// How deep the mover is in the neighbours that hide a contact: the solid holds it up when it is not much deeper in there.
float depth_in_neighbours(const Seams& seams, const Vec3& n, const Vec3& p) {
    float depth = 0.0f;
    for (const PlacedShape& neighbour : seams.neighbours) {
        if (!seams.covers(neighbour, n, p)) continue;
        float best = -kUnbounded;
        for (const Polytope::Face& face : faces_of(*neighbour.shape))
            if (glm::dot(neighbour.pose->rotation * face.normal, n) >= kMatingCosine)
                best = std::max(best, face_separation(seams.mover, neighbour, face));
        depth = std::min(depth, best);
    }
    return depth;
}

/// Contacts with the face of the solid that goes on where that of a neighbour ends: of those that are not hidden the one that
/// the mover is least deep in.
bool collide_exposed_face(const Seams& seams, bool solid_is_b, float deepest, float margin, RawManifold& m) {
    const std::span<const Polytope::Face> faces = faces_of(*seams.solid.shape);
    float last = kUnbounded;
    for (int tries = 0; tries < kMaxFaces; ++tries) {
        int best = -1;
        float most = deepest;
        for (size_t f = 0; f < faces.size(); ++f) {
            const float separation = face_separation(seams.mover, seams.solid, faces[f]);
            if (separation >= most && separation < last) most = separation, best = int(f);
        }
        if (best < 0 || most > margin) return false;  // there is none, or one that is apart
        last = most;
        if (!collide_face(*seams.mover.shape, *seams.mover.pose, *seams.solid.shape, *seams.solid.pose, best,
                          kFaceSlop * seams.tolerance, margin, m))
            continue;
        if (!solid_is_b) flip(m);
        if (keep_exposed(seams, solid_is_b, m)) return true;
    }
    return false;
}

}  // namespace

bool has_faces(const Shape& shape) { return !faces_of(shape).empty(); }

bool remove_ghost_contacts(const PlacedShape& mover, const PlacedShape& solid, bool solid_is_b,
                           std::span<const PlacedShape> neighbours, float margin, RawManifold& manifold) {
    const Seams seams(mover, solid, neighbours);
    const Vec3 n = outward_normal(manifold, solid_is_b), first = point_on_solid(seams, deepest_point(manifold), n);
    if (keep_exposed(seams, solid_is_b, manifold)) return true;
    if (solid.shape->type == ShapeType::half_space) return false;
    const float deepest = kSameDepth * depth_in_neighbours(seams, n, first) - seams.exposed;
    return collide_exposed_face(seams, solid_is_b, deepest, margin, manifold);
}

}  // namespace proxima::physics
