// SPDX-License-Identifier: MIT
// Two convex polytopes: SAT over faces and over the pairs of edges that meet on the Gauss map, then one
// clipped face or one pair of edges. Each polytope is searched in its own frame; only what is found, or may
// be found, moves into the other's.
#include "physics/narrowphase/clipping.h"
#include "physics/narrowphase/sat_kernels.h"
#include "physics/shapes/polytope_kernels.h"

namespace proxima::physics::detail {

namespace {

/// Two polytopes, and B as A sees it.
struct PolytopePair {
    const Polytope& a;
    const Polytope& b;
    Mat3 rotation;             // of B in A
    Vec3 position;             // of B's origin in A
    Vec3 towards;              // from A's centre to B's, in A
    InnerBall ball_a, ball_b;  // ball_a as B sees it, ball_b as A sees it
    float size;                // both bounding radii
    float slop;
};

/// The middle of a ball inside a shape, about its centre, near the point x: a box holds its inner ball also
/// anywhere along its longer sides, which matters for plates and floors.
Vec3 inner_ball_near(const Shape& s, const Vec3& x) {
    if (s.type != ShapeType::box) return Vec3(0.0f);
    const Vec3 room = s.half_extents - Vec3(s.polytope.inner_radius);
    return glm::clamp(x, -room, room);
}

struct EdgeQuery {
    int edge_a = -1, edge_b = -1;
    float separation = -1e30f;
    Vec3 normal{0.0f, 1.0f, 0.0f};
    float sine = 1.0f;  // of the angle between the edges
};

/// An edge with the outward normals beside it: an arc of the Gauss map. About A's centre, in A's frame.
struct Arc {
    Vec3 tail, along, left, right;
};

Arc arc_of(const Polytope& p, int edge) {
    const float* e = p.edge_records.data() + edge * Polytope::kEdgeRecord;
    return {{e[0], e[1], e[2]}, {e[3], e[4], e[5]}, {e[6], e[7], e[8]}, {e[9], e[10], e[11]}};
}
Arc arc_of_b(const PolytopePair& p, int edge) {
    const Arc b = arc_of(p.b, edge);
    return {p.rotation * b.tail + p.towards, p.rotation * b.along, p.rotation * b.left, p.rotation * b.right};
}

/// The axis of two edges, outward from A.
EdgeQuery measure_edges(const Arc& a, int edge_a, const Arc& b, int edge_b) {
    const Vec3 cross = glm::cross(a.along, b.along);
    const float sine = std::sqrt(glm::dot(cross, cross));
    const Vec3 normal = cross * ((glm::dot(cross, a.left + a.right) < 0.0f ? -1.0f : 1.0f) / sine);
    return {edge_a, edge_b, glm::dot(normal, b.tail - a.tail), normal, sine};
}

/// Whether the product of two edges is an axis of the Minkowski sum: A's arc crosses that of B's reversed normals.
bool arcs_cross(const Arc& a, const Arc& b) {
    const float bl = glm::dot(b.left, a.along), br = glm::dot(b.right, a.along);
    const float al = glm::dot(a.left, b.along), ar = glm::dot(a.right, b.along);
    if (bl * br >= 0.0f || al * ar >= 0.0f || bl * ar >= 0.0f) return false;
    const Vec3 cross = glm::cross(a.along, b.along);
    return glm::dot(cross, cross) >= kParallelSine2;
}

/// What is found after the vertex of the other polytope that is deepest below a face.
enum class FaceOnly { no, beats_edges, beats_all };

/// Whether a face of `own` is the best axis whatever the others are, and no search for those is needed. `x` is the vertex of
/// the other shape that is deepest below the face, as `own` sees it. Above the face and within its sides it is as far from
/// the face as the shapes are from each other, and no axis separates them farther. Inside `own` it shows that the shapes
/// overlap, so that no axis separates them at all: a face that is not deeper than the others must be better by is taken.
FaceOnly judge_face(const Polytope& own, const FaceFound& found, const Vec3& x, float slop) {
    if (!(found.separation >= -2.0f * slop)) return FaceOnly::no;
    const Polytope::Face& face = own.faces[size_t(found.face)];
    for (size_t i = face.first; i < size_t(face.first + face.count); ++i)
        if (glm::dot(own.sides[i].outward, x) > own.sides[i].offset) return FaceOnly::no;
    if (found.separation >= 0.0f) return FaceOnly::beats_all;
    for (const Polytope::Face& other : own.faces)
        if (glm::dot(other.normal, x) > other.offset) return FaceOnly::no;
    return found.separation >= -slop ? FaceOnly::beats_all : FaceOnly::beats_edges;
}

/// How far apart the shapes are at least by this axis: the product of edges that are nearly parallel is known
/// only to rounding over their sine.
float proven(const PolytopePair& p, const EdgeQuery& e) { return e.separation - 1e-6f * p.size / e.sine; }

/// The best pair of edges that is better than `least`.
EdgeQuery best_edges(const PolytopePair& p, float least) {
    EdgeSearch search;
    search.edges_a = p.a.edge_blocks.data();
    search.edges_b = p.b.edge_blocks.data();
    search.blocks_a = p.a.edge_block_count();
    search.blocks_b = p.b.edge_block_count();
    search.records_a = p.a.edge_records.data();
    search.records_b = p.b.edge_records.data();
    search.turn = &p.rotation[0].x;
    search.towards = p.towards;
    search.ball_a = p.ball_a;
    search.ball_b = p.ball_b;
    search.least = least;
    EdgesFound found;
    found.separation = least;
    sat_kernels().best_edges(search, found);
    if (found.a < 0) return {};
    return measure_edges(arc_of(p.a, found.a), found.a, arc_of_b(p, found.b), found.b);
}

/// The same when the pair in the cache is known to separate them by `known`, more than `least`: few pairs are better.
EdgeQuery best_edges(const PolytopePair& p, float least, float known) {
    const EdgeQuery better = best_edges(p, std::max(least, known - 1e-6f * p.size));
    return better.edge_a >= 0 ? better : best_edges(p, least);
}

/// The separation along the one axis in the cache. Most pairs that a broadphase hands over stay apart along
/// the same axis for long.
float cached_separation(const PolytopePair& p, const SatCache& cache) {
    constexpr float kNone = -1e30f;
    const PolytopeKernels& kernels = polytope_kernels();
    if (cache.kind == SatCache::face_a && cache.index_a < p.a.faces.size()) {
        const Polytope::Face& face = p.a.faces[cache.index_a];
        const float below = kernels.least(p.b.vertex_blocks.data(), p.b.vertex_block_count(),
                                          face.normal * p.rotation);  // row times matrix: the transpose
        return glm::dot(face.normal, p.towards + p.a.center) - face.offset + below;
    }
    if (cache.kind == SatCache::face_b && cache.index_b < p.b.faces.size()) {
        const Polytope::Face& face = p.b.faces[cache.index_b];
        const Vec3 n = p.rotation * face.normal;
        const float below = kernels.least(p.a.vertex_blocks.data(), p.a.vertex_block_count(), n);
        return glm::dot(face.normal, p.b.center) - glm::dot(n, p.towards) - face.offset + below;
    }
    if (cache.kind == SatCache::edges && cache.index_a < p.a.edges.size() && cache.index_b < p.b.edges.size()) {
        const Arc a = arc_of(p.a, cache.index_a), b = arc_of_b(p, cache.index_b);
        return arcs_cross(a, b) ? proven(p, measure_edges(a, cache.index_a, b, cache.index_b)) : kNone;
    }
    return kNone;
}

/// Keeps the axis, and the best faces as far as they are known.
void remember(SatCache* cache, SatCache::Kind kind, int a, int b, int face_a, int face_b) {
    if (!cache) return;
    cache->kind = kind;
    cache->index_a = uint16_t(a);
    cache->index_b = uint16_t(b);
    cache->hint_a = face_a < 255 ? uint8_t(face_a + 1) : uint8_t(0);
    if (face_b >= 0) cache->hint_b = uint16_t(face_b + 1);
}

/// The polytope with the incident face, as the one with the reference face sees it.
struct Incident {
    const Polytope& shape;
    Mat3 rotation;
    Vec3 position;
};

bool add_face_contact(const Polytope& ref, const Incident& inc, const FaceFound& found, const ReferenceFace& reference,
                      float slop, float margin, bool closest, RawManifold& out) {
    const Polytope::Face& own = ref.faces[reference.index];
    const Polytope::Face& other = incident_face(inc.shape, reference.normal * inc.rotation, found.support);
    const uint16_t* own_loop = ref.face_vertices.data() + own.first;
    ClipVertex buffers[2][kMaxClipVertices];
    ClipVertex* polygon = buffers[0];
    ClipVertex* spare = buffers[1];
    int count = other.count;
    for (int i = 0; i < count; ++i) {
        const size_t slot = size_t(other.first + i);
        const uint16_t v = inc.shape.face_vertices[slot];
        polygon[i] = {inc.rotation * inc.shape.vertices[v] + inc.position, kIncidentVertex | v,
                      inc.shape.face_edges[slot]};
    }
    if (closest) {
        Vec3 ref_loop[kMaxHullVertices], inc_loop[kMaxHullVertices];
        for (int i = 0; i < own.count; ++i) ref_loop[i] = ref.vertices[own_loop[i]];
        for (int i = 0; i < count; ++i) inc_loop[i] = polygon[i].position;
        return add_closest(ref_loop, own.count, inc_loop, count, reference, found.separation, margin, out);
    }
    for (int i = 0; i < own.count && count > 0; ++i) {
        const Polytope::Side& side = ref.sides[size_t(own.first + i)];
        count = clip_by_side(polygon, count, spare, kMaxClipVertices, side.outward, side.offset + slop, uint32_t(i));
    }
    return add_patch(polygon, count, reference, 0.1f * slop, margin, out);
}

/// False when the nearest points of the edges do not lie opposite each other, within `tolerance`.
bool add_edge_contact(const PolytopePair& p, const EdgeQuery& edges, const Transform& pose_a, float tolerance,
                      RawManifold& out) {
    const Polytope::Edge& edge_a = p.a.edges[size_t(edges.edge_a)];
    const Polytope::Edge& edge_b = p.b.edges[size_t(edges.edge_b)];
    const Vec3 tail_a = p.a.vertices[edge_a.tail], along_a = p.a.vertices[edge_a.head] - tail_a;
    const Vec3 tail_b = p.b.vertices[edge_b.tail], along_b = p.rotation * (p.b.vertices[edge_b.head] - tail_b);
    const Vec3 start_b = p.rotation * tail_b + p.position;
    const SegmentPair near = closest_segments(tail_a, along_a, start_b, along_b);
    if (std::abs(std::sqrt(near.distance2) - std::abs(edges.separation)) > tolerance) return false;
    out.normal = pose_a.rotation * edges.normal;
    add_shared_point(out, to_world(pose_a, 0.5f * (tail_a + near.s * along_a + start_b + near.t * along_b)),
                     edges.separation, edges_feature(uint32_t(edges.edge_a), uint32_t(edges.edge_b)));
    return true;
}

/// A face before an edge, A before B: the other one must be clearly better, or the choice would flicker.
bool prefers_b(const FaceFound& face_a, const FaceFound& face_b, float slop) {
    return face_b.separation > face_a.separation + slop;
}

/// The part after the tests: which axis, and its contacts. Faces of B that were not looked for have the number -1.
bool add_contacts(const PolytopePair& p, const FaceFound& face_a, const FaceFound& face_b, const EdgeQuery& edges,
                  const Shape& shape_a, const Transform& pose_a, const Shape& shape_b, const Transform& pose_b,
                  float margin, RawManifold& out, SatCache* cache) {
    const float slop = p.slop;
    const bool on_b = prefers_b(face_a, face_b, slop);
    const FaceFound& face = on_b ? face_b : face_a;
    if (edges.edge_a >= 0 && edges.separation > face.separation + 2.0f * slop) {
        remember(cache, SatCache::edges, edges.edge_a, edges.edge_b, face_a.face, face_b.face);
        return add_edge_contact(p, edges, pose_a, 1e30f, out);
    }
    remember(cache, on_b ? SatCache::face_b : SatCache::face_a, face_a.face, std::max(face_b.face, 0), face_a.face,
             face_b.face);
    const Polytope& ref = on_b ? p.b : p.a;
    const Incident inc = on_b ? Incident{p.a, glm::transpose(p.rotation), -(p.position * p.rotation)}
                              : Incident{p.b, p.rotation, p.position};
    const Transform& ref_pose = on_b ? pose_b : pose_a;
    ReferenceFace reference;
    reference.normal = ref.faces[size_t(face.face)].normal;
    reference.offset = ref.faces[size_t(face.face)].offset;
    reference.index = uint32_t(face.face);
    reference.on_b = on_b;
    reference.rotation = glm::mat3_cast(ref_pose.rotation);
    reference.position = ref_pose.position;
    const auto patch = [&] { return add_face_contact(ref, inc, face, reference, slop, margin, false, out); };
    const auto edge_pair = [&] {
        return edges.edge_a >= 0 && edges.separation > face.separation - 2.0f * slop &&
               add_edge_contact(p, edges, pose_a, slop, out);
    };
    const auto closest = [&] {
        if (!add_face_contact(ref, inc, face, reference, slop, margin, true, out)) return false;
        check_closest(shape_a, pose_a, shape_b, pose_b, reference, face.separation, slop, out);
        return true;
    };
    return add_face_axis_contacts(face.separation, slop, patch, edge_pair, closest, out);
}

}  // namespace

bool collide_polytopes(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
                       RawManifold& out, SatCache* cache) {
    const Vec3 between = pose_b.position - pose_a.position;
    if (bounding_spheres_separated(between, a, b, margin, out)) return false;
    const Quat to_a = glm::conjugate(pose_a.rotation);
    PolytopePair p{a.polytope, b.polytope, glm::mat3_cast(to_a * pose_b.rotation), to_a * between, Vec3(0.0f),
                   {},         {},         a.bounding_radius + b.bounding_radius,  axis_slop(a, b)};
    p.towards = p.rotation * p.b.center + p.position - p.a.center;
    float along_cached = -1e30f;
    if (cache) {
        along_cached = cached_separation(p, *cache);
        if (along_cached > cached_margin(a, b, margin)) return separated(out, along_cached);
    }
    const SatKernels& kernels = sat_kernels();
    const Mat3 to_b = glm::transpose(p.rotation);
    const float rounding = 1e-6f * p.size;
    const Vec3 ball_a = inner_ball_near(a, p.towards);
    const Vec3 ball_b = inner_ball_near(b, to_b * (ball_a - p.towards));
    p.ball_a = {to_b * (ball_a - p.towards), p.a.inner_radius - rounding};
    p.ball_b = {p.rotation * ball_b + p.towards, p.b.inner_radius - rounding};
    const auto best_face = [&](const Polytope& own, const Polytope& other, const Mat3& turn, const Vec3& towards,
                               const InnerBall& ball, int first) {
        FaceSearch search;
        search.faces = own.face_blocks.data();
        search.vertices = other.vertex_blocks.data();
        search.face_blocks = own.face_block_count();
        search.vertex_blocks = other.vertex_block_count();
        search.turn = &turn[0].x;
        search.towards = towards;
        search.ball = ball;
        search.rounding = rounding;
        search.first = first;
        FaceFound found;
        kernels.best_face(search, found);
        return found;
    };
    // What touched last is tried first; it saves work and changes nothing.
    const auto hint = [](size_t one_based, const Polytope& shape) {
        return one_based <= shape.faces.size() ? int(one_based) - 1 : -1;
    };
    const FaceFound face_a = best_face(p.a, p.b, to_b, p.towards, p.ball_b, hint(cache ? cache->hint_a : 0, p.a));
    if (face_a.separation > margin)
        return remember(cache, SatCache::face_a, face_a.face, 0, face_a.face, -1), separated(out, face_a.separation);
    const FaceOnly by_a =
        judge_face(p.a, face_a, p.rotation * p.b.vertices[size_t(face_a.support)] + p.position, p.slop);
    out.distance = face_a.separation;  // should no point be near enough
    if (by_a == FaceOnly::beats_all)
        return add_contacts(p, face_a, {-1, 0, -1e30f}, {}, a, pose_a, b, pose_b, margin, out, cache);
    const FaceFound face_b =
        best_face(p.b, p.a, p.rotation, -(to_b * p.towards), p.ball_a, hint(cache ? cache->hint_b : 0, p.b));
    if (face_b.separation > margin)
        return remember(cache, SatCache::face_b, 0, face_b.face, face_a.face, face_b.face),
               separated(out, face_b.separation);
    out.distance = std::max(face_a.separation, face_b.separation);
    const bool on_b = prefers_b(face_a, face_b, p.slop);
    const FaceOnly by_face =
        on_b ? judge_face(p.b, face_b, to_b * (p.a.vertices[size_t(face_b.support)] - p.position), p.slop) : by_a;
    if (by_face != FaceOnly::no) return add_contacts(p, face_a, face_b, {}, a, pose_a, b, pose_b, margin, out, cache);
    // An edge pair that is a little worse than the best face may still be wanted, by a few slops.
    const float least = std::max(face_a.separation, face_b.separation) - 3.0f * p.slop - 1e-5f * p.size;
    const bool edges_known = cache && cache->kind == SatCache::edges && along_cached > least;
    const EdgeQuery edges = edges_known ? best_edges(p, least, along_cached) : best_edges(p, least);
    if (edges.separation > margin)
        return remember(cache, SatCache::edges, edges.edge_a, edges.edge_b, face_a.face, face_b.face),
               separated(out, proven(p, edges));
    return add_contacts(p, face_a, face_b, edges, a, pose_a, b, pose_b, margin, out, cache);
}

}  // namespace proxima::physics::detail
