// SPDX-License-Identifier: MIT
// Two boxes: the fifteen axes of SAT in closed form, then one clipped face or one pair of edges.
#include "physics/narrowphase/clipping.h"

namespace proxima::physics::detail {

namespace {

constexpr float kParallelSine2 = 1e-4f;  // edges nearer to parallel than 0.6 degrees leave the axis to the faces

constexpr int kBoxClipCapacity = 12;  // four vertices and one more for each of four sides, with room to spare

/// B as A sees it.
struct BoxPair {
    Vec3 ha, hb;
    Mat3 axes;      // columns: B's axes in A's frame
    Mat3 absolute;  // their magnitudes
    Vec3 offset;    // B's centre in A's frame
};

// s = |offset . axis| - reach of A - reach of B, for the axes of A, of B, and the products of one of each.
float face_a_separation(const BoxPair& p, int i) {
    return std::abs(p.offset[i]) - p.ha[i] -
           (p.hb.x * p.absolute[0][i] + p.hb.y * p.absolute[1][i] + p.hb.z * p.absolute[2][i]);
}
float face_b_separation(const BoxPair& p, int j) {
    return std::abs(glm::dot(p.offset, p.axes[j])) - p.hb[j] - glm::dot(p.ha, p.absolute[j]);
}
/// Not yet divided by the length of the axis, whose square goes to `length2`.
float edge_separation(const BoxPair& p, int i, int j, float& length2) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    const Vec3& b = p.axes[j];
    length2 = b[i1] * b[i1] + b[i2] * b[i2];
    return std::abs(p.offset[i2] * b[i1] - p.offset[i1] * b[i2]) -
           (p.ha[i1] * p.absolute[j][i2] + p.ha[i2] * p.absolute[j][i1]) -
           (p.hb[j1] * p.absolute[j2][i] + p.hb[j2] * p.absolute[j1][i]);
}

/// The separation along the axis in the cache, if there is one.
float cached_separation(const BoxPair& p, const SatCache& cache) {
    constexpr float kNone = -1e30f;
    switch (cache.kind) {
        case SatCache::face_a:
            return cache.index_a < 3 ? face_a_separation(p, cache.index_a) : kNone;
        case SatCache::face_b:
            return cache.index_b < 3 ? face_b_separation(p, cache.index_b) : kNone;
        case SatCache::edges: {
            if (cache.index_a > 2 || cache.index_b > 2) return kNone;
            float length2 = 0.0f;
            const float s = edge_separation(p, cache.index_a, cache.index_b, length2);
            return length2 >= kParallelSine2 ? s / std::sqrt(length2) : kNone;
        }
        case SatCache::none:
            break;
    }
    return kNone;
}

void remember(SatCache* cache, SatCache::Kind kind, int a, int b) {
    if (cache) *cache = SatCache{kind, 0, uint16_t(a), uint16_t(b), 0};
}

struct Axes {
    int face_a = 0, face_b = 0, edge_a = -1, edge_b = -1;
    float face_a_s = -1e30f, face_b_s = -1e30f, edge_s = -1e30f;
};

/// The best face of each box; false, and the axis in the cache, when one separates.
bool find_faces(const BoxPair& p, float margin, Axes& best, RawManifold& out, SatCache* cache) {
    for (int i = 0; i < 3; ++i) {
        const float s = face_a_separation(p, i);
        if (s > best.face_a_s) best.face_a_s = s, best.face_a = i;
    }
    for (int j = 0; j < 3; ++j) {
        const float s = face_b_separation(p, j);
        if (s > best.face_b_s) best.face_b_s = s, best.face_b = j;
    }
    const float most = std::max(best.face_a_s, best.face_b_s);
    if (most <= margin) return true;
    if (best.face_a_s >= best.face_b_s)
        remember(cache, SatCache::face_a, best.face_a, 0);
    else
        remember(cache, SatCache::face_b, 0, best.face_b);
    return separated(out, most);
}

/// The best product of edges, likewise. All nine at once, row by row of the matrix: no branch depends on the
/// numbers until the end, and the compiler makes vectors of it.
bool find_edges(const BoxPair& p, float margin, Axes& best, RawManifold& out, SatCache* cache) {
    constexpr int kPadded = 12;  // three rows of a, b, c and a filler
    float scaled[kPadded] = {}, length2[kPadded] = {}, separations[kPadded];
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const float b1 = p.axes[j][i1], b2 = p.axes[j][i2];
            length2[4 * i + j] = b1 * b1 + b2 * b2;
            scaled[4 * i + j] = std::abs(p.offset[i2] * b1 - p.offset[i1] * b2) -
                                (p.ha[i1] * p.absolute[j][i2] + p.ha[i2] * p.absolute[j][i1]) -
                                (p.hb[j1] * p.absolute[j2][i] + p.hb[j2] * p.absolute[j1][i]);
        }
    }
    for (int k = 0; k < kPadded; ++k)
        separations[k] = length2[k] < kParallelSine2 ? -1e30f : scaled[k] / std::sqrt(length2[k]);
    int at = -1;
    for (int k = 0; k < kPadded; ++k)
        if (separations[k] > best.edge_s) best.edge_s = separations[k], at = k;
    if (at < 0) return true;
    best.edge_a = at / 4;
    best.edge_b = at % 4;
    if (best.edge_s <= margin) return true;
    remember(cache, SatCache::edges, best.edge_a, best.edge_b);
    return separated(out, best.edge_s);
}

/// Keeps the part with sign * x[axis] <= limit, like clip_by_side.
int clip_by_axis(ClipVertex*& polygon, int count, ClipVertex*& spare, int capacity, int axis, float sign, float limit,
                 uint32_t side) {
    float heights[kBoxClipCapacity];
    for (int i = 0; i < count; ++i) heights[i] = sign * polygon[i].position[axis] - limit;
    return clip_at_heights(polygon, count, spare, capacity, heights, side);
}

/// `ref` is the box that owns the reference face `axis`; `inc` the other one, placed by (axes, offset) in ref's
/// frame.
bool add_face_contact(const Shape& ref, const Transform& ref_pose, const Mat3& ref_rotation, const Shape& inc,
                      const Transform& inc_pose, const Mat3& axes, const Vec3& offset, int axis, bool on_b,
                      float separation, float slop, float margin, bool closest, RawManifold& out) {
    const float side = offset[axis] < 0.0f ? -1.0f : 1.0f;
    ReferenceFace face;
    face.normal = Vec3(0.0f);
    face.normal[axis] = side;
    face.offset = ref.half_extents[axis];
    face.index = uint32_t(2 * axis + (side < 0.0f));
    face.on_b = on_b;
    face.rotation = ref_rotation;
    face.position = ref_pose.position;

    // The incident face looks most against the reference normal.
    int k = 0;
    for (int c = 1; c < 3; ++c)
        if (std::abs(axes[c][axis]) > std::abs(axes[k][axis])) k = c;
    const Polytope& shape = inc.polytope;
    const Polytope::Face& incident = shape.faces[size_t(2 * k + (axes[k][axis] * side > 0.0f))];
    ClipVertex buffers[2][kBoxClipCapacity];
    ClipVertex* polygon = buffers[0];
    ClipVertex* spare = buffers[1];
    int count = 4;
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const float limit_u = ref.half_extents[u] + slop, limit_v = ref.half_extents[v] + slop;
    bool inside = true;
    for (int i = 0; i < 4; ++i) {
        const size_t slot = size_t(incident.first + i);
        const Vec3 x = axes * shape.vertices[shape.face_vertices[slot]] + offset;
        polygon[i] = {x, kIncidentVertex | shape.face_vertices[slot], shape.face_edges[slot]};
        inside = inside && std::abs(x[u]) <= limit_u && std::abs(x[v]) <= limit_v;
    }
    if (closest) {
        Vec3 ref_loop[4], inc_loop[4];
        const Polytope::Face& own = ref.polytope.faces[face.index];
        for (int i = 0; i < 4; ++i) {
            ref_loop[i] = ref.polytope.vertices[ref.polytope.face_vertices[size_t(own.first + i)]];
            inc_loop[i] = polygon[i].position;
        }
        if (!add_closest(ref_loop, 4, inc_loop, 4, face, separation, margin, out)) return false;
        if (on_b)
            check_closest(inc, inc_pose, ref, ref_pose, face, separation, slop, out);
        else
            check_closest(ref, ref_pose, inc, inc_pose, face, separation, slop, out);
        return true;
    }
    if (!inside) {
        uint32_t name = 0;
        for (int a : {u, v})
            for (float sign : {1.0f, -1.0f})
                count =
                    clip_by_axis(polygon, count, spare, kBoxClipCapacity, a, sign, a == u ? limit_u : limit_v, name++);
    }
    return add_patch(polygon, count, face, 0.1f * slop, margin, out);
}

/// False when the nearest points of the edges do not lie opposite each other, within `tolerance`.
bool add_edge_contact(const BoxPair& p, const Transform& pose_a, const Mat3& rotation_a, const Axes& best,
                      float tolerance, RawManifold& out) {
    const int i = best.edge_a, j = best.edge_b;
    Vec3 axis(0.0f);
    axis[i] = 1.0f;
    Vec3 n = glm::normalize(glm::cross(axis, p.axes[j]));
    if (glm::dot(n, p.offset) < 0.0f) n = -n;
    // The supporting edges: A's farthest along n, B's farthest against it.
    Vec3 start_a(0.0f), start_b = p.offset;
    uint32_t edge_a = uint32_t(i) * 4, edge_b = uint32_t(j) * 4;
    for (int k = 1; k < 3; ++k) {
        const int ka = (i + k) % 3, kb = (j + k) % 3;
        const bool up_a = n[ka] > 0.0f, up_b = glm::dot(n, p.axes[kb]) < 0.0f;
        start_a[ka] = up_a ? p.ha[ka] : -p.ha[ka];
        start_b += p.axes[kb] * (up_b ? p.hb[kb] : -p.hb[kb]);
        edge_a += up_a ? uint32_t(k) : 0u;
        edge_b += up_b ? uint32_t(k) : 0u;
    }
    start_a[i] -= p.ha[i];
    start_b -= p.axes[j] * p.hb[j];
    const Vec3 along_a = axis * (2.0f * p.ha[i]), along_b = p.axes[j] * (2.0f * p.hb[j]);
    const SegmentPair near = closest_segments(start_a, along_a, start_b, along_b);
    if (std::abs(std::sqrt(near.distance2) - std::abs(best.edge_s)) > tolerance) return false;
    const Vec3 middle = 0.5f * (start_a + near.s * along_a + start_b + near.t * along_b);
    out.normal = rotation_a * n;
    add_shared_point(out, rotation_a * middle + pose_a.position, best.edge_s, edges_feature(edge_a, edge_b));
    return true;
}

}  // namespace

bool collide_box_box(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
                     RawManifold& out, SatCache* cache) {
    const Vec3 between = pose_b.position - pose_a.position;
    if (bounding_spheres_separated(between, a, b, margin, out)) return false;
    const Mat3 rotation_a = glm::mat3_cast(pose_a.rotation), rotation_b = glm::mat3_cast(pose_b.rotation);
    BoxPair p;
    p.ha = a.half_extents;
    p.hb = b.half_extents;
    p.axes = glm::transpose(rotation_a) * rotation_b;
    for (int j = 0; j < 3; ++j) p.absolute[j] = glm::abs(p.axes[j]);
    p.offset = between * rotation_a;  // row times matrix: the transpose
    if (cache) {
        const float s = cached_separation(p, *cache);
        if (s > cached_margin(a, b, margin)) return separated(out, s);
    }
    Axes best;
    if (!find_faces(p, margin, best, out, cache) || !find_edges(p, margin, best, out, cache)) return false;
    out.distance = std::max(best.face_a_s, best.face_b_s);  // should no point be near enough

    // A face before an edge, A before B: the other one must be clearly better, or the choice would flicker.
    const float slop = axis_slop(a, b);
    const bool on_b = best.face_b_s > best.face_a_s + slop;
    const float face_s = on_b ? best.face_b_s : best.face_a_s;
    if (best.edge_a >= 0 && best.edge_s > face_s + 2.0f * slop) {
        remember(cache, SatCache::edges, best.edge_a, best.edge_b);
        return add_edge_contact(p, pose_a, rotation_a, best, 1e30f, out);
    }
    remember(cache, on_b ? SatCache::face_b : SatCache::face_a, best.face_a, best.face_b);
    const auto face = [&](bool closest) {
        if (!on_b)
            return add_face_contact(a, pose_a, rotation_a, b, pose_b, p.axes, p.offset, best.face_a, false, face_s,
                                    slop, margin, closest, out);
        return add_face_contact(b, pose_b, rotation_b, a, pose_a, glm::transpose(p.axes), -(p.offset * p.axes),
                                best.face_b, true, face_s, slop, margin, closest, out);
    };
    const auto edges = [&] {
        return best.edge_a >= 0 && best.edge_s > face_s - 2.0f * slop &&
               add_edge_contact(p, pose_a, rotation_a, best, slop, out);
    };
    return add_face_axis_contacts(
        face_s, slop, [&] { return face(false); }, edges, [&] { return face(true); }, out);
}

}  // namespace proxima::physics::detail
