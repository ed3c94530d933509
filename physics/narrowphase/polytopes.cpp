// SPDX-License-Identifier: MIT
// Two convex polytopes: SAT over faces and over the pairs of edges that meet on the Gauss map, then one
// clipped face or one pair of edges. Everything happens in A's frame.
#include "physics/narrowphase/clipping.h"

namespace proxima::physics::detail {

namespace {

constexpr int kMaxFaces = 2 * kMaxHullVertices - 4;
constexpr int kMaxEdges = 3 * kMaxHullVertices - 6;
constexpr float kParallelSine2 = 1e-6f;  // 0.06 degrees: below, the product is rounding

/// A polytope as the tests need it, on the stack: either the shape's own arrays, or moved into A's frame.
struct Placed {
    const Polytope* shape = nullptr;
    const Vec3* vertices = nullptr;
    const Vec3* normals = nullptr;
    const float* offsets = nullptr;
    Vec3 center;
    float inner_radius = 0.0f;
    int vertex_count = 0, face_count = 0;
};

struct Frame {
    Mat3 rotation;  // of B in A
    Vec3 position;
};

struct FaceQuery {
    int face = 0, support = 0;
    float separation = -1e30f;
};

int support(const Vec3* vertices, int count, const Vec3& direction) {
    int best = 0;
    float least = glm::dot(direction, vertices[0]);
    for (int i = 1; i < count; ++i) {
        const float d = glm::dot(direction, vertices[i]);
        if (d < least) least = d, best = i;
    }
    return best;
}

/// The face of `p` with the largest separation from `q`; stops at the first beyond `margin`.
FaceQuery best_face(const Placed& p, const Placed& q, float margin) {
    // No vertex of q is farther along a normal than its inner ball: that bound is one product, and the faces
    // it leaves, the most promising first, are few.
    float bounds[kMaxFaces];
    int first = 0;
    for (int f = 0; f < p.face_count; ++f) {
        bounds[f] = glm::dot(p.normals[f], q.center) - q.inner_radius - p.offsets[f];
        if (bounds[f] > bounds[first]) first = f;
    }
    FaceQuery best;
    for (int k = -1; k < p.face_count; ++k) {
        const int f = k < 0 ? first : k;
        if (k == first || bounds[f] <= best.separation) continue;
        const int v = support(q.vertices, q.vertex_count, p.normals[f]);
        const float s = glm::dot(p.normals[f], q.vertices[v]) - p.offsets[f];
        if (s <= best.separation) continue;
        best = {f, v, s};
        if (s > margin) return best;
    }
    return best;
}

struct EdgeQuery {
    int edge_a = -1, edge_b = -1;
    float separation = -1e30f;
    Vec3 normal{0.0f, 1.0f, 0.0f};
};

/// An edge with the outward normals beside it: an arc of the Gauss map.
struct Arc {
    Vec3 tail, along, left, right;
};

Arc arc_of(const Placed& p, size_t index) {
    const Polytope::Edge& edge = p.shape->edges[index];
    return {p.vertices[edge.tail], p.vertices[edge.head] - p.vertices[edge.tail], p.normals[edge.left],
            p.normals[edge.right]};
}

/// The separation along the product of two edges, outward from A; false where it is no axis of the Minkowski
/// sum: the edges make a face of the sum exactly when A's arc crosses the arc of B's reversed normals.
inline bool edge_axis(const Arc& a, const Arc& b, Vec3& normal, float& separation) {
    const float bl = glm::dot(b.left, a.along), br = glm::dot(b.right, a.along);
    if (bl * br >= 0.0f) return false;
    const float al = glm::dot(a.left, b.along), ar = glm::dot(a.right, b.along);
    if (al * ar >= 0.0f || bl * ar >= 0.0f) return false;
    const Vec3 cross = glm::cross(a.along, b.along);
    const float cross2 = glm::dot(cross, cross);
    if (cross2 < kParallelSine2 * glm::dot(a.along, a.along) * glm::dot(b.along, b.along)) return false;
    const float outward = glm::dot(cross, a.left + a.right);
    normal = cross * ((outward < 0.0f ? -1.0f : 1.0f) / std::sqrt(cross2));
    separation = glm::dot(normal, b.tail - a.tail);
    return true;
}

/// The product of edges that are nearly parallel is known only to rounding over their sine; so much less than
/// along such an axis may two shapes of these sizes be apart.
float edge_rounding(const Polytope& a, int edge_a, const Polytope& b, int edge_b, const Vec3& normal,
                    const Mat3& rotation, float size) {
    const Polytope::Edge& ea = a.edges[size_t(edge_a)];
    const Polytope::Edge& eb = b.edges[size_t(edge_b)];
    const Vec3 d = a.vertices[ea.head] - a.vertices[ea.tail], e = b.vertices[eb.head] - b.vertices[eb.tail];
    const float cross = std::abs(glm::dot(normal, glm::cross(d, rotation * e)));
    return 1e-6f * size * std::sqrt(glm::dot(d, d) * glm::dot(e, e)) / cross;
}

/// Edges with a face that looks along `direction`; all of them when `all`.
int facing_edges(const Placed& p, const Vec3& direction, bool all, Arc* arcs, uint16_t* list) {
    bool facing[kMaxFaces];
    for (int f = 0; f < p.face_count; ++f) facing[f] = all || glm::dot(p.normals[f], direction) > 0.0f;
    int count = 0;
    for (size_t e = 0; e < p.shape->edges.size(); ++e) {
        const Polytope::Edge& edge = p.shape->edges[e];
        if (!facing[edge.left] && !facing[edge.right]) continue;
        arcs[count] = arc_of(p, e);
        list[count++] = uint16_t(e);
    }
    return count;
}

EdgeQuery best_edges(const Placed& a, const Placed& b, float face_separation, float margin) {
    // s(n) <= n . t - (inner radii), t from centre to centre. So an axis can beat the best face only with n .
    // t > 0, unless the overlap is deeper than the inner radii; and n lies between the normals beside either
    // edge.
    const Vec3 t = b.center - a.center;
    const bool all = face_separation + a.inner_radius + b.inner_radius < 0.0f;
    Arc arcs_a[kMaxEdges], arcs_b[kMaxEdges];
    uint16_t list_a[kMaxEdges], list_b[kMaxEdges];
    const int count_a = facing_edges(a, t, all, arcs_a, list_a);
    const int count_b = facing_edges(b, -t, all, arcs_b, list_b);
    EdgeQuery best;
    for (int i = 0; i < count_a; ++i)
        for (int j = 0; j < count_b; ++j) {
            Vec3 normal;
            float s = 0.0f;
            if (!edge_axis(arcs_a[i], arcs_b[j], normal, s) || s <= best.separation) continue;
            best = {int(list_a[i]), int(list_b[j]), s, normal};
            if (s > margin) return best;
        }
    return best;
}

/// The separation along the one axis in the cache, on the shapes as they lie: two placed edges, or one normal
/// turned into the other frame. Most pairs that a broadphase hands over stay apart along the same axis for
/// long.
float cached_separation(const Polytope& a, const Polytope& b, const Frame& frame, const SatCache& cache,
                        float size) {
    constexpr float kNone = -1e30f;
    if (cache.kind == SatCache::face_a && cache.index_a < a.faces.size()) {
        const Polytope::Face& face = a.faces[cache.index_a];
        const Vec3 n = face.normal * frame.rotation;  // row times matrix: the transpose
        const int v = support(b.vertices.data(), int(b.vertices.size()), n);
        return glm::dot(n, b.vertices[size_t(v)]) + glm::dot(face.normal, frame.position) - face.offset;
    }
    if (cache.kind == SatCache::face_b && cache.index_b < b.faces.size()) {
        const Polytope::Face& face = b.faces[cache.index_b];
        const Vec3 n = frame.rotation * face.normal;
        const int v = support(a.vertices.data(), int(a.vertices.size()), n);
        return glm::dot(n, a.vertices[size_t(v)]) - face.offset - glm::dot(n, frame.position);
    }
    if (cache.kind == SatCache::edges && cache.index_a < a.edges.size() && cache.index_b < b.edges.size()) {
        const Polytope::Edge& ea = a.edges[cache.index_a];
        const Polytope::Edge& eb = b.edges[cache.index_b];
        const Arc arc_a{a.vertices[ea.tail], a.vertices[ea.head] - a.vertices[ea.tail],
                        a.faces[ea.left].normal, a.faces[ea.right].normal};
        const Arc arc_b{frame.rotation * b.vertices[eb.tail] + frame.position,
                        frame.rotation * (b.vertices[eb.head] - b.vertices[eb.tail]),
                        frame.rotation * b.faces[eb.left].normal, frame.rotation * b.faces[eb.right].normal};
        Vec3 normal;
        float s = 0.0f;
        if (!edge_axis(arc_a, arc_b, normal, s)) return kNone;
        return s - edge_rounding(a, cache.index_a, b, cache.index_b, normal, frame.rotation, size);
    }
    return kNone;
}

void remember(SatCache* cache, SatCache::Kind kind, int a, int b) {
    if (cache) *cache = SatCache{kind, 0, uint16_t(a), uint16_t(b), 0};
}

bool face_has_vertex(const Polytope& p, const Polytope::Face& face, int vertex) {
    for (int i = 0; i < face.count; ++i)
        if (p.face_vertices[size_t(face.first + i)] == vertex) return true;
    return false;
}

/// Among the faces around the support vertex, the one that looks most against `normal`. A face elsewhere may
/// look more so and still miss the deepest point.
int incident_face(const Placed& q, const Vec3& normal, int support_vertex) {
    int best = 0;
    float least = 2.0f;
    for (int f = 0; f < q.face_count; ++f) {
        const float d = glm::dot(q.normals[f], normal);
        if (d < least && face_has_vertex(*q.shape, q.shape->faces[size_t(f)], support_vertex))
            least = d, best = f;
    }
    return best;
}

int load_loop(const Placed& p, const Polytope::Face& face, Vec3* loop) {
    for (int i = 0; i < face.count; ++i) loop[i] = p.vertices[p.shape->face_vertices[size_t(face.first + i)]];
    return face.count;
}

bool add_face_contact(const Placed& ref, const Placed& inc, const FaceQuery& query,
                      const ReferenceFace& reference, float slop, float margin, bool closest,
                      RawManifold& out) {
    const Polytope::Face& own = ref.shape->faces[reference.index];
    const Polytope::Face& other =
        inc.shape->faces[size_t(incident_face(inc, reference.normal, query.support))];
    Vec3 ref_loop[kMaxHullVertices];
    const int ref_count = load_loop(ref, own, ref_loop);
    if (closest) {
        Vec3 inc_loop[kMaxHullVertices];
        const int inc_count = load_loop(inc, other, inc_loop);
        return add_closest(ref_loop, ref_count, inc_loop, inc_count, reference, query.separation, margin,
                           out);
    }
    ClipVertex buffers[2][kMaxClipVertices];
    ClipVertex* polygon = buffers[0];
    ClipVertex* spare = buffers[1];
    int count = other.count;
    for (int i = 0; i < count; ++i) {
        const size_t slot = size_t(other.first + i);
        const uint16_t v = inc.shape->face_vertices[slot];
        polygon[i] = {inc.vertices[v], kIncidentVertex | v, inc.shape->face_edges[slot]};
    }
    for (int i = 0; i < ref_count && count > 0; ++i) {
        const Vec3 tail = ref_loop[i], e = ref_loop[i + 1 < ref_count ? i + 1 : 0] - tail;
        const Vec3 outward = glm::normalize(glm::cross(e, reference.normal));
        count = clip_by_side(polygon, count, spare, kMaxClipVertices, outward, glm::dot(outward, tail) + slop,
                             uint32_t(i));
        std::swap(polygon, spare);
    }
    return add_patch(polygon, count, reference, 0.1f * slop, margin, out);
}

/// False when the nearest points of the edges do not lie opposite each other, within `tolerance`.
bool add_edge_contact(const Placed& a, const Placed& b, const EdgeQuery& edges, const Mat3& rotation,
                      const Vec3& position, float tolerance, RawManifold& out) {
    const Polytope::Edge& edge_a = a.shape->edges[size_t(edges.edge_a)];
    const Polytope::Edge& edge_b = b.shape->edges[size_t(edges.edge_b)];
    const Vec3 p = a.vertices[edge_a.tail], d = a.vertices[edge_a.head] - p;
    const Vec3 q = b.vertices[edge_b.tail], e = b.vertices[edge_b.head] - q;
    const SegmentPair near = closest_segments(p, d, q, e);
    if (std::abs(std::sqrt(near.distance2) - std::abs(edges.separation)) > tolerance) return false;
    out.normal = rotation * edges.normal;
    add_shared_point(out, rotation * (0.5f * (p + near.s * d + q + near.t * e)) + position, edges.separation,
                     edges_feature(uint32_t(edges.edge_a), uint32_t(edges.edge_b)));
    return true;
}

/// The part after the tests: which axis, and its contacts.
bool add_contacts(const Placed& a, const Placed& b, const FaceQuery& face_a, const FaceQuery& face_b,
                  const EdgeQuery& edges, const Shape& shape_a, const Transform& pose_a, const Shape& shape_b,
                  const Transform& pose_b, float margin, RawManifold& out, SatCache* cache) {
    const float slop = axis_slop(shape_a, shape_b);
    const Mat3 rotation = glm::mat3_cast(pose_a.rotation);
    // A face before an edge, A before B: the other one must be clearly better, or the choice would flicker.
    const bool on_b = face_b.separation > face_a.separation + slop;
    const FaceQuery& face = on_b ? face_b : face_a;
    if (edges.edge_a >= 0 && edges.separation > face.separation + 2.0f * slop) {
        remember(cache, SatCache::edges, edges.edge_a, edges.edge_b);
        return add_edge_contact(a, b, edges, rotation, pose_a.position, 1e30f, out);
    }
    remember(cache, on_b ? SatCache::face_b : SatCache::face_a, face_a.face, face_b.face);
    const Placed& ref = on_b ? b : a;
    const Placed& inc = on_b ? a : b;
    ReferenceFace reference;
    reference.normal = ref.normals[face.face];
    reference.offset = ref.offsets[face.face];
    reference.index = uint32_t(face.face);
    reference.on_b = on_b;
    reference.rotation = rotation;
    reference.position = pose_a.position;
    const auto patch = [&] { return add_face_contact(ref, inc, face, reference, slop, margin, false, out); };
    const auto edge_pair = [&] {
        return edges.edge_a >= 0 && edges.separation > face.separation - 2.0f * slop &&
               add_edge_contact(a, b, edges, rotation, pose_a.position, slop, out);
    };
    const auto closest = [&] {
        if (!add_face_contact(ref, inc, face, reference, slop, margin, true, out)) return false;
        check_closest(shape_a, pose_a, shape_b, pose_b, reference, face.separation, slop, out);
        return true;
    };
    return add_face_axis_contacts(face.separation, slop, patch, edge_pair, closest, out);
}

}  // namespace

bool collide_polytopes(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b,
                       float margin, RawManifold& out, SatCache* cache) {
    const Vec3 between = pose_b.position - pose_a.position;
    if (balls_apart(between, a, b, margin, out)) return false;
    const Quat to_a = glm::conjugate(pose_a.rotation);
    const Frame frame{glm::mat3_cast(to_a * pose_b.rotation), to_a * between};

    const float size = a.bounding_radius + b.bounding_radius;
    if (cache) {
        const float s = cached_separation(a.polytope, b.polytope, frame, *cache, size);
        if (s > cached_margin(a, b, margin)) return apart(out, s);
    }

    // A's planes side by side for the tests; B's vertices and planes moved into A's frame, once.
    Vec3 normals_a[kMaxFaces], normals_b[kMaxFaces], vertices_b[kMaxHullVertices];
    float offsets_a[kMaxFaces], offsets_b[kMaxFaces];
    Placed pa{&a.polytope,
              a.polytope.vertices.data(),
              normals_a,
              offsets_a,
              a.polytope.center,
              a.polytope.inner_radius,
              int(a.polytope.vertices.size()),
              int(a.polytope.faces.size())};
    Placed pb{&b.polytope,
              vertices_b,
              normals_b,
              offsets_b,
              frame.rotation * b.polytope.center + frame.position,
              b.polytope.inner_radius,
              int(b.polytope.vertices.size()),
              int(b.polytope.faces.size())};
    for (int f = 0; f < pa.face_count; ++f) {
        normals_a[f] = a.polytope.faces[size_t(f)].normal;
        offsets_a[f] = a.polytope.faces[size_t(f)].offset;
    }
    for (int v = 0; v < pb.vertex_count; ++v)
        vertices_b[v] = frame.rotation * b.polytope.vertices[size_t(v)] + frame.position;
    for (int f = 0; f < pb.face_count; ++f) {
        normals_b[f] = frame.rotation * b.polytope.faces[size_t(f)].normal;
        offsets_b[f] = b.polytope.faces[size_t(f)].offset + glm::dot(normals_b[f], frame.position);
    }
    const FaceQuery face_a = best_face(pa, pb, margin);
    if (face_a.separation > margin)
        return remember(cache, SatCache::face_a, face_a.face, 0), apart(out, face_a.separation);
    const FaceQuery face_b = best_face(pb, pa, margin);
    if (face_b.separation > margin)
        return remember(cache, SatCache::face_b, 0, face_b.face), apart(out, face_b.separation);
    const EdgeQuery edges = best_edges(pa, pb, std::max(face_a.separation, face_b.separation), margin);
    if (edges.separation > margin)
        return remember(cache, SatCache::edges, edges.edge_a, edges.edge_b),
               apart(out, edges.separation - edge_rounding(a.polytope, edges.edge_a, b.polytope, edges.edge_b,
                                                           edges.normal, frame.rotation, size));
    out.distance = std::max(face_a.separation, face_b.separation);  // should no point be near enough
    return add_contacts(pa, pb, face_a, face_b, edges, a, pose_a, b, pose_b, margin, out, cache);
}

}  // namespace proxima::physics::detail
