// SPDX-License-Identifier: MIT
// A capsule (A) against a box or hull (B): its core segment against the polytope, in B's frame. Outside, the
// nearest features; when the core itself has entered, the shallowest axis.
#include "physics/narrowphase/core_kernels.h"
#include "physics/narrowphase/generators.h"

namespace proxima::physics::detail {

namespace {

/// The core in B's frame, and where results go.
struct CapsulePair {
    const Polytope* polytope = nullptr;
    const Transform* pose_b = nullptr;
    Vec3 start, along;
    float radius = 0.0f, margin = 0.0f;
    float slop = 0.0f;
};

constexpr float kOverhang = 2.5f;  // times the slop: how much lower an end may hang beside the face

struct Nearest {
    float distance2 = 1e30f;
    Vec3 on_core, on_surface;
    bool on_edge = false;      // false when an end is nearest to the inside of a face
    Vec3 tail, edge;           // that edge, from its tail
    float s = 0.0f, t = 0.0f;  // where on the core and on that edge
};

/// Ends of the core keep their names 1 and 2; anything between is 0.
uint32_t core_feature(float s) { return s <= 0.0f ? 1u : (s >= 1.0f ? 2u : 0u); }

/// A contact between a point of the core and the surface point `height` below it.
void add(const CapsulePair& p, const Vec3& on_core, const Vec3& on_surface, float height, uint32_t feature,
         RawManifold& out) {
    const float separation = height - p.radius;
    const Vec3 core = to_world(*p.pose_b, on_core), surface = to_world(*p.pose_b, on_surface);
    // The point lies on the line between core and surface, which for a second point is not quite the normal.
    const Vec3 along = height > 1e-3f * p.radius ? (surface - core) / height : out.normal;
    add_point(out, core + along * (p.radius + 0.5f * separation), core, surface, separation, feature);
}

/// The nearest points of a core outside a hull: an end above the inside of a face, else the core and an edge.
Nearest find_nearest(const CapsulePair& p, const CoreSearch& search, const CoreFaces& scan) {
    const Polytope& polytope = *p.polytope;
    Nearest best;
    for (int end = 0; end < 2; ++end) {
        const float h = scan.height[end];
        if (h <= 0.0f || h * h >= best.distance2) continue;
        const Polytope::Face& face = polytope.faces[size_t(scan.highest[end])];
        const Vec3 x = p.start + float(end) * p.along;
        if (above_face(polytope, face, x)) best = {h * h, x, x - face.normal * h, false, {}, {}, float(end), 0.0f};
    }
    // Nothing is nearer than the plane that both ends are above, if there is one: a core may cross the planes
    // of all faces and still pass outside of a corner.
    const float least = std::max(scan.separation, 0.0f);
    if (best.distance2 > least * least * 1.000001f) {
        const Polytope::Edge& edge = polytope.edges[size_t(core_kernels().nearest_edge(search))];
        const Vec3 tail = polytope.vertices[edge.tail], d = polytope.vertices[edge.head] - tail;
        const SegmentPair pair = closest_segments(p.start, p.along, tail, d);
        if (pair.distance2 < best.distance2)
            best = {pair.distance2, p.start + pair.s * p.along, tail + pair.t * d, true, tail, d, pair.s, pair.t};
    }
    const Vec3 gap = best.on_core - best.on_surface;  // of the rounded points, so that dividing by it gives a unit
    best.distance2 = glm::dot(gap, gap);
    return best;
}

/// The face of a box whose axis the core is farthest out along.
CoreFaces scan_box(const CapsulePair& p, const Vec3& h) {
    CoreFaces scan;
    for (int i = 0; i < 3; ++i) {
        const float middle = p.start[i] + 0.5f * p.along[i];
        const float s = std::abs(middle) - 0.5f * std::abs(p.along[i]) - h[i];
        if (s > scan.separation) scan.separation = s, scan.face = 2 * i + (middle < 0.0f);
    }
    return scan;
}

/// The nearest points of core and box. With x(s) = start + s along, the squared distance |x - clamp(x)|^2 is
/// convex in s and its slope, along . (x - clamp(x)), is linear between the places where a coordinate passes
/// a side: between the last of these where it falls and the first where it grows lies the minimum.
Nearest nearest_on_box(const CapsulePair& p, const Vec3& h) {
    const auto slope = [&](float s) {
        const Vec3 x = p.start + s * p.along;
        return glm::dot(p.along, x - glm::clamp(x, -h, h));
    };
    float low = 0.0f, high = 1.0f, s = 0.0f;
    float at_low = slope(0.0f), at_high = slope(1.0f);
    if (at_low < 0.0f && at_high > 0.0f) {
        for (int i = 0; i < 3; ++i) {
            if (p.along[i] == 0.0f) continue;
            const float inverse = 1.0f / p.along[i];
            for (const float side : {-h[i], h[i]}) {
                const float at = (side - p.start[i]) * inverse;
                if (!(at > low && at < high)) continue;
                const float value = slope(at);
                if (value < 0.0f)
                    low = at, at_low = value;
                else
                    high = at, at_high = value;
            }
        }
        s = low + (high - low) * (at_low / (at_low - at_high));
    } else if (at_low < 0.0f) {
        s = 1.0f;
    }
    Nearest near;
    near.s = s;
    near.on_core = p.start + s * p.along;
    near.on_surface = glm::clamp(near.on_core, -h, h);
    const Vec3 gap = near.on_core - near.on_surface;
    near.distance2 = glm::dot(gap, gap);
    // Beyond two or three sides: an edge or a vertex; of the edges at a vertex the one most along the core.
    const int beyond = (gap.x != 0.0f) + (gap.y != 0.0f) + (gap.z != 0.0f);
    if (beyond < 2) return near;
    int k = 0;
    for (int i = 1; i < 3; ++i)
        if (beyond == 2 ? gap[i] == 0.0f : std::abs(p.along[i]) > std::abs(p.along[k])) k = i;
    near.on_edge = true;
    near.tail = near.on_surface;
    near.tail[k] = -h[k];
    near.edge = Vec3(0.0f);
    near.edge[k] = 2.0f * h[k];
    near.t = (near.on_surface[k] + h[k]) / (2.0f * h[k]);
    return near;
}

/// The part of the core above a face, as two contacts along the face's normal; false when none of it is near enough.
bool add_face_contacts(const CapsulePair& p, const Polytope::Face& face, RawManifold& out) {
    float low = 0.0f, high = 1.0f;
    for (int i = 0; i < face.count; ++i) {
        const Polytope::Side& side = p.polytope->sides[size_t(face.first + i)];
        const float beyond = glm::dot(side.outward, p.start) - side.offset - p.slop;
        const float slope = glm::dot(side.outward, p.along);
        if (slope > 0.0f)
            high = std::min(high, -beyond / slope);
        else if (slope < 0.0f)
            low = std::max(low, -beyond / slope);
        else if (beyond > 0.0f)
            return false;
    }
    if (low > high) return false;
    out.normal = -(p.pose_b->rotation * face.normal);
    const auto add_at = [&](float s, uint32_t feature) {
        const Vec3 x = p.start + s * p.along;
        const float h = glm::dot(face.normal, x) - face.offset;
        if (h - p.radius <= p.margin) add(p, x, x - face.normal * h, h, feature, out);
    };
    const float length = glm::length(p.along);
    if ((high - low) * length <= 0.02f * p.radius) {
        add_at(0.5f * (low + high), 0);
    } else {
        add_at(low, 1);
        add_at(high, 2);
    }
    return out.count > 0;
}

/// Core and edge, or core end and vertex: the nearest points, and both ends of the common stretch where the
/// core runs along the edge.
void add_edge_contacts(const CapsulePair& p, const Nearest& near, RawManifold& out) {
    const float distance = std::sqrt(near.distance2);
    const Vec3 tail = near.tail, d = near.edge;
    const Vec3 cross = glm::cross(p.along, d);
    const float aa = glm::dot(p.along, p.along);
    // Both inside their segments: the common perpendicular is exact, however small the distance.
    Vec3 outward = near.on_core - near.on_surface;
    const bool inside = near.s > 0.0f && near.s < 1.0f && near.t > 0.0f && near.t < 1.0f;
    if (inside && glm::dot(cross, cross) > 1e-2f * aa * glm::dot(d, d))
        outward = glm::dot(cross, outward) < 0.0f ? -cross : cross;
    out.normal = -(p.pose_b->rotation * glm::normalize(outward));
    bool covered = false;
    if (glm::dot(cross, cross) < 2.5e-3f * aa * glm::dot(d, d)) {  // within three degrees
        const float end0 = glm::dot(tail - p.start, p.along) / aa, end1 = glm::dot(tail + d - p.start, p.along) / aa;
        const float low = std::max(0.0f, std::min(end0, end1)), high = std::min(1.0f, std::max(end0, end1));
        if ((high - low) * std::sqrt(aa) > 0.05f * p.radius) {
            uint32_t feature = 1;
            for (float s : {low, high}) {
                const Vec3 x = p.start + s * p.along;
                const Vec3 y = tail + d * closest_on_segment(tail, d, x);
                const float h = glm::length(x - y);
                if (h - p.radius <= p.margin) add(p, x, y, h, feature, out);
                if (h <= distance + 0.01f * p.radius) covered = true;
                ++feature;
            }
        }
    }
    if (covered) return;
    add(p, near.on_core, near.on_surface, distance, core_feature(near.s), out);
}

/// The core is in the polytope: the shallowest of the face normals and of the products of the core with the
/// edges whose two faces look to different ends of it.
void add_deep_contacts(const CapsulePair& p, const CoreFaces& scan, RawManifold& out) {
    const Polytope& polytope = *p.polytope;
    float best = -1e30f;
    int best_edge = -1;
    Vec3 best_normal(0.0f, 1.0f, 0.0f);
    const float aa = glm::dot(p.along, p.along);
    for (size_t e = 0; e < polytope.edges.size(); ++e) {
        const Polytope::Edge& edge = polytope.edges[e];
        const Vec3 left = polytope.faces[edge.left].normal, right = polytope.faces[edge.right].normal;
        if (glm::dot(left, p.along) * glm::dot(right, p.along) >= 0.0f) continue;
        const Vec3 tail = polytope.vertices[edge.tail], d = polytope.vertices[edge.head] - tail;
        const Vec3 cross = glm::cross(d, p.along);
        const float cross2 = glm::dot(cross, cross);
        if (cross2 < 1e-4f * aa * glm::dot(d, d)) continue;
        const Vec3 n = cross * ((glm::dot(cross, left + right) < 0.0f ? -1.0f : 1.0f) / std::sqrt(cross2));
        const float s = glm::dot(n, p.start - tail);
        if (s > best) best = s, best_edge = int(e), best_normal = n;
    }
    if (best_edge < 0 || best <= scan.separation + 2.0f * p.slop) {
        if (add_face_contacts(p, polytope.faces[size_t(scan.face)], out)) return;
        if (best_edge < 0) {  // only rounding can bring us here: contact at the lower end, straight out
            const Vec3 n = polytope.faces[size_t(scan.face)].normal;
            const Vec3 x = p.start + (glm::dot(n, p.along) < 0.0f ? 1.0f : 0.0f) * p.along;
            out.normal = -(p.pose_b->rotation * n);
            add(p, x, x - n * scan.separation, scan.separation, 0, out);
            return;
        }
    }
    const Polytope::Edge& edge = polytope.edges[size_t(best_edge)];
    const Vec3 tail = polytope.vertices[edge.tail], d = polytope.vertices[edge.head] - tail;
    const SegmentPair pair = closest_segments(p.start, p.along, tail, d);
    out.normal = -(p.pose_b->rotation * best_normal);
    add(p, p.start + pair.s * p.along, tail + pair.t * d, best, core_feature(pair.s), out);
}

/// The core of A in B's frame.
CapsulePair place_core(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin) {
    const Vec3 half = glm::conjugate(pose_b.rotation) * (pose_a.rotation * Vec3(0.0f, a.half_height, 0.0f));
    CapsulePair p;
    p.polytope = &b.polytope;
    p.pose_b = &pose_b;
    p.start = to_local(pose_b, pose_a.position) - half;
    p.along = 2.0f * half;
    p.radius = a.radius;
    p.margin = margin;
    return p;
}

}  // namespace

bool collide_capsule_face(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, int face,
                          float slop, float margin, RawManifold& out) {
    CapsulePair p = place_core(a, pose_a, b, pose_b, margin);
    p.slop = slop;
    return add_face_contacts(p, b.polytope.faces[size_t(face)], out);
}

bool collide_capsule_polytope(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b,
                              float margin, RawManifold& out, SatCache*) {
    if (bounding_spheres_separated(to_local(pose_b, pose_a.position), a, b, margin, out)) return false;
    out.frame_on_b = true;
    CapsulePair p = place_core(a, pose_a, b, pose_b, margin);
    p.slop = 1e-3f * std::min(b.bounding_radius, a.bounding_radius);

    const bool is_box = b.type == ShapeType::box;
    CoreSearch search;
    CoreFaces scan;
    if (is_box) {
        scan = scan_box(p, b.half_extents);
    } else {
        search = core_search(b.polytope, p.start, p.along);
        core_kernels().scan_faces(search, scan);
    }
    if (scan.separation > a.radius + margin) return separated(out, scan.separation - a.radius);
    const Nearest near = is_box        ? nearest_on_box(p, b.half_extents)
                         : scan.inside ? Nearest{}
                                       : find_nearest(p, search, scan);
    const float distance = std::sqrt(near.distance2);
    // A core on the surface has a direction to it only by rounding: the axes of the deep case are exact there.
    if (scan.inside || distance < 1e-3f * a.radius) {
        add_deep_contacts(p, scan, out);
        return true;
    }
    if (distance > a.radius + margin) return separated(out, distance - a.radius);
    const Polytope::Face& face = b.polytope.faces[size_t(scan.face)];
    // Where the face is as far as the nearest point, within what rounding and three degrees of tilt make of it, the
    // face is the better contact: its normal is exact and the core gets both its points. What counts is the part of
    // the core above the face: an end that hangs over an edge may be a little lower, and a lying capsule must not
    // lose its other point for it. Unless the nearest point is just what the clipping took away.
    if (add_face_contacts(p, face, out)) {
        float lowest = out.points[0].separation;
        for (int i = 1; i < out.count; ++i) lowest = std::min(lowest, out.points[i].separation);
        const float height = lowest + a.radius;
        const bool along_normal =
            height >= 0.999f * distance - 1e-6f * b.bounding_radius && scan.separation >= height - kOverhang * p.slop;
        if ((!near.on_edge || along_normal) && lowest <= distance - a.radius + p.slop) return true;
        out.count = 0;
    }
    if (!near.on_edge) {
        out.normal = -(pose_b.rotation * ((near.on_core - near.on_surface) / distance));
        add(p, near.on_core, near.on_surface, distance, 0, out);
        return true;
    }
    add_edge_contacts(p, near, out);
    return true;
}

}  // namespace proxima::physics::detail
