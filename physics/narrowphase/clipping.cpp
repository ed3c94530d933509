// SPDX-License-Identifier: MIT
#include "physics/narrowphase/clipping.h"

namespace proxima::physics {

bool is_on_side(uint32_t feature) {
    const uint32_t made_by = feature & (3u << 20);
    return made_by == detail::kEdgeAndSide || made_by == detail::kTwoSides;
}

namespace detail {

namespace {

/// The id of the point where the edge of a polygon meets a side; a side that meets a side is a corner.
uint32_t crossing_id(uint32_t edge, uint32_t side) {
    if (edge < kOnSide) return kEdgeAndSide | (edge << 10) | side;
    const uint32_t other = edge - kOnSide;
    return kTwoSides | (std::min(other, side) << 10) | std::max(other, side);
}

}  // namespace

int clip_at_heights(ClipVertex*& polygon, int count, ClipVertex*& spare, int capacity, const float* heights,
                    uint32_t side) {
    int within = 0;
    for (int i = 0; i < count; ++i) within += heights[i] <= 0.0f;
    if (within == count) return count;
    if (within == 0) return 0;
    const ClipVertex* in = polygon;
    ClipVertex* out = spare;
    int made = 0;
    for (int i = 0; i < count; ++i) {
        const int next = i + 1 == count ? 0 : i + 1;
        const float here = heights[i], there = heights[next];
        if (here <= 0.0f && made < capacity) out[made++] = in[i];
        if ((here <= 0.0f) != (there <= 0.0f) && made < capacity) {
            const float t = here / (here - there);
            // Leaving, the next edge runs along the side; coming back, the old edge goes on.
            out[made++] = {in[i].position + t * (in[next].position - in[i].position), crossing_id(in[i].edge, side),
                           here <= 0.0f ? kOnSide + side : in[i].edge};
        }
    }
    std::swap(polygon, spare);
    return made;
}

int clip_by_side(ClipVertex*& polygon, int count, ClipVertex*& spare, int capacity, const Vec3& outward, float limit,
                 uint32_t side) {
    float heights[kMaxClipVertices];
    for (int i = 0; i < count; ++i) heights[i] = glm::dot(outward, polygon[i].position) - limit;
    return clip_at_heights(polygon, count, spare, capacity, heights, side);
}

bool add_patch(const ClipVertex* polygon, int count, const ReferenceFace& reference, float merge, float margin,
               RawManifold& out) {
    Vec3 points[kMaxClipVertices];
    float separations[kMaxClipVertices];
    uint32_t ids[kMaxClipVertices];
    int made = 0;
    for (int i = 0; i < count; ++i) {
        const Vec3& x = polygon[i].position;
        const float separation = glm::dot(reference.normal, x) - reference.offset;
        if (separation > margin) continue;
        // Doubles come from corners that fall on a side. The id of a true vertex is the steadier of the two.
        int same = -1;
        for (int k : {made - 1, 0})
            if (k >= 0 && k < made && glm::dot(points[k] - x, points[k] - x) < merge * merge) same = k;
        if (same >= 0 && (polygon[i].id & (3u << 20)) >= (ids[same] & (3u << 20))) continue;
        const int at = same >= 0 ? same : made++;
        points[at] = x;
        separations[at] = separation;
        ids[at] = polygon[i].id;
    }
    if (made == 0) return false;
    const Vec3 normal = reference.rotation * reference.normal;
    out.normal = reference.on_b ? -normal : normal;
    float soon[kMaxClipVertices];
    const bool chooses_ahead = made > kMaxManifoldPoints && moves(out.motion);
    if (chooses_ahead) {
        const GapGrowth growth = gap_growth(out.motion, out.normal, reference.rotation, reference.position);
        for (int i = 0; i < made; ++i) soon[i] = separations[i] + growth.at(points[i]);
    }
    PointChoice by;
    if (chooses_ahead) by.soon = soon;
    const Vec3 load = (out.load_at - reference.position) * reference.rotation;  // row times matrix: the transpose
    if (out.has_load) by.load = &load;
    int chosen[kMaxManifoldPoints];
    const int picked = select_points(points, separations, by, made, reference.normal, chosen, out.is_reduced);
    out.frame_on_b = reference.on_b;
    const uint32_t feature = reference_feature(reference.on_b, reference.index);
    for (int i = 0; i < picked; ++i) {
        const float separation = separations[chosen[i]];
        const Vec3 middle = points[chosen[i]] - reference.normal * (0.5f * separation);
        add_shared_point(out, reference.rotation * middle + reference.position, separation, feature | ids[chosen[i]]);
    }
    return true;
}

const Polytope::Face& incident_face(const Polytope& p, const Vec3& normal, int support) {
    size_t best = 0;
    float least = 2.0f;
    for (size_t i = p.vertex_first[size_t(support)]; i < p.vertex_first[size_t(support) + 1]; ++i) {
        const float d = glm::dot(p.faces[p.vertex_faces[i]].normal, normal);
        if (d < least) least = d, best = p.vertex_faces[i];
    }
    return p.faces[best];
}

bool add_closest(const Vec3* reference_loop, int reference_count, const Vec3* incident_loop, int incident_count,
                 const ReferenceFace& reference, float separation, float margin, RawManifold& out) {
    SegmentPair best;
    best.distance2 = -1.0f;
    int best_r = 0, best_i = 0;
    for (int r = 0; r < reference_count; ++r)
        for (int i = 0; i < incident_count; ++i) {
            const Vec3 d = reference_loop[(r + 1) % reference_count] - reference_loop[r];
            const Vec3 e = incident_loop[(i + 1) % incident_count] - incident_loop[i];
            const SegmentPair pair = closest_segments(reference_loop[r], d, incident_loop[i], e);
            if (best.distance2 >= 0.0f && pair.distance2 >= best.distance2) continue;
            best = pair;
            best_r = r;
            best_i = i;
        }
    const Vec3 on_r =
        reference_loop[best_r] + best.s * (reference_loop[(best_r + 1) % reference_count] - reference_loop[best_r]);
    const Vec3 on_i =
        incident_loop[best_i] + best.t * (incident_loop[(best_i + 1) % incident_count] - incident_loop[best_i]);
    Vec3 n = reference.normal;
    if (separation > 0.0f) {
        const float distance = std::sqrt(best.distance2);
        if (distance > margin) return false;
        separation = distance;
        if (distance > 0.0f) n = (on_i - on_r) / distance;
    }
    const Vec3 normal = reference.rotation * n;
    out.normal = reference.on_b ? -normal : normal;
    out.frame_on_b = reference.on_b;
    add_shared_point(
        out, reference.rotation * (0.5f * (on_r + on_i)) + reference.position, separation,
        reference_feature(reference.on_b, reference.index) | (3u << 20) | (uint32_t(best_r) << 10) | uint32_t(best_i));
    return true;
}

void check_closest(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b,
                   const ReferenceFace& reference, float separation, float slop, RawManifold& out) {
    const Vec3 in_a = glm::conjugate(pose_a.rotation) * out.normal, in_b = glm::conjugate(pose_b.rotation) * out.normal;
    float most = -1e30f, least = 1e30f;
    for (const Vec3& v : a.polytope.vertices) most = std::max(most, glm::dot(in_a, v));
    for (const Vec3& v : b.polytope.vertices) least = std::min(least, glm::dot(in_b, v));
    const float gap = least - most + glm::dot(out.normal, pose_b.position - pose_a.position);
    RawPoint& p = out.points[0];
    if (gap >= p.separation - slop) return;
    const Vec3 normal = reference.rotation * reference.normal;
    out.normal = reference.on_b ? -normal : normal;
    out.frame_on_b = reference.on_b;
    p.separation = p.base_gap = separation;
}

}  // namespace detail

}  // namespace proxima::physics
