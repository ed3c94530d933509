// SPDX-License-Identifier: MIT
// Spheres and capsules among themselves, and spheres against boxes and hulls: closed forms on their cores.
#include "physics/narrowphase/core_kernels.h"
#include "physics/narrowphase/generators.h"

namespace proxima::physics::detail {

namespace {

/// One contact between two cores (points) with radii. `fallback` is the normal where the cores coincide.
bool add_core_contact(const Vec3& core_a, float radius_a, const Vec3& core_b, float radius_b, const Vec3& fallback,
                      float margin, RawManifold& out) {
    const Vec3 d = core_b - core_a;
    const float length = glm::length(d), radii = radius_a + radius_b;
    const float separation = length - radii;
    if (separation > margin) return separated(out, separation);
    out.normal = length > 1e-6f * radii ? d / length : fallback;
    add_point(out, core_a + out.normal * (radius_a + 0.5f * separation), core_a, core_b, separation, 0);
    return true;
}

/// One contact of a sphere A with the surface point of a polytope B. `outward` is the unit direction away from B.
bool add_surface_contact(const Vec3& center, float radius, const Vec3& surface, const Vec3& outward, float height,
                         RawManifold& out) {
    const float separation = height - radius;
    out.normal = -outward;
    out.frame_on_b = true;
    add_point(out, center - outward * (radius + 0.5f * separation), center, surface, separation, 0);
    return true;
}

struct CoreSegment {
    Vec3 start;
    Vec3 along;  // from start to end
};

CoreSegment core_of(const Shape& capsule, const Transform& pose) {
    const Vec3 half = pose.rotation * Vec3(0.0f, capsule.half_height, 0.0f);
    return {pose.position - half, 2.0f * half};
}

}  // namespace

SegmentPair closest_segments(const Vec3& p, const Vec3& d, const Vec3& q, const Vec3& e) {
    // The nearest points are inside both segments, or one of the four ends is among them. Trying all of these costs a
    // few products more than following the regions, and cannot go wrong for parallel or vanishing segments.
    const Vec3 r = p - q;
    const float dd = glm::dot(d, d), ee = glm::dot(e, e), de = glm::dot(d, e);
    const float dr = glm::dot(d, r), er = glm::dot(e, r);
    SegmentPair best;
    best.distance2 = -1.0f;
    const auto consider = [&](float s, float t) {
        const Vec3 gap = r + s * d - t * e;
        const float distance2 = glm::dot(gap, gap);
        if (best.distance2 < 0.0f || distance2 < best.distance2) best = {s, t, distance2};
    };
    const float determinant = dd * ee - de * de;
    if (determinant > 1e-6f * dd * ee) {
        const float s = (de * er - ee * dr) / determinant, t = (dd * er - de * dr) / determinant;
        if (s > 0.0f && s < 1.0f && t > 0.0f && t < 1.0f) {
            consider(s, t);
            if (determinant > 1e-3f * dd * ee) return best;  // well conditioned: no end can be nearer
        }
    }
    const auto on_e = [&](float s) { return ee > 0.0f ? std::clamp((er + s * de) / ee, 0.0f, 1.0f) : 0.0f; };
    const auto on_d = [&](float t) { return dd > 0.0f ? std::clamp((t * de - dr) / dd, 0.0f, 1.0f) : 0.0f; };
    consider(0.0f, on_e(0.0f));
    consider(1.0f, on_e(1.0f));
    consider(on_d(0.0f), 0.0f);
    consider(on_d(1.0f), 1.0f);
    return best;
}

bool collide_sphere_sphere(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b,
                           float margin, RawManifold& out, SatCache*) {
    return add_core_contact(pose_a.position, a.radius, pose_b.position, b.radius, Vec3(0.0f, 1.0f, 0.0f), margin, out);
}

bool collide_sphere_capsule(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b,
                            float margin, RawManifold& out, SatCache*) {
    const CoreSegment core = core_of(b, pose_b);
    const Vec3 nearest = core.start + core.along * closest_on_segment(core.start, core.along, pose_a.position);
    // A centre on the core leaves sideways, the shortest way out of a capsule.
    const Vec3 fallback = pose_b.rotation * Vec3(1.0f, 0.0f, 0.0f);
    out.frame_on_b = true;  // a ball that spins turns nothing
    return add_core_contact(pose_a.position, a.radius, nearest, b.radius, fallback, margin, out);
}

bool collide_sphere_box(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
                        RawManifold& out, SatCache*) {
    const Vec3 h = b.half_extents;
    const Vec3 c = to_local(pose_b, pose_a.position);
    Vec3 g = glm::clamp(c, -h, h);
    const Vec3 d = c - g;
    const float length2 = glm::dot(d, d), reach = a.radius + margin;
    const float length = std::sqrt(length2);
    if (length2 > reach * reach) return separated(out, length - a.radius);
    Vec3 outward(0.0f);
    float height = length;
    if (length > 1e-6f * a.radius) {
        outward = d / length;
    } else {
        // The centre is inside: out through the nearest face, the sphere's own radius on top.
        const Vec3 room = h - glm::abs(c);
        const int i = room.x <= room.y && room.x <= room.z ? 0 : (room.y <= room.z ? 1 : 2);
        const float side = c[i] < 0.0f ? -1.0f : 1.0f;
        outward[i] = side;
        height = -room[i];
        g = c;
        g[i] = side * h[i];
    }
    return add_surface_contact(pose_a.position, a.radius, to_world(pose_b, g), pose_b.rotation * outward, height, out);
}

bool collide_sphere_hull(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, float margin,
                         RawManifold& out, SatCache*) {
    const Polytope& p = b.polytope;
    const Vec3 c = to_local(pose_b, pose_a.position);
    const float reach = a.radius + margin;
    const CoreSearch search = core_search(p, c, Vec3(0.0f));
    CoreFaces scan;
    core_kernels().scan_faces(search, scan);
    const float height = scan.separation;
    if (height > reach) return separated(out, height - a.radius);
    const Polytope::Face& face = p.faces[size_t(scan.face)];
    // Inside, out through the nearest face. Outside, the face that the centre is farthest above, if it is
    // above its inside; else an edge.
    Vec3 nearest = c - face.normal * height, outward = face.normal;
    float length = height;
    if (height > 0.0f && !above_face(p, face, c)) {
        const Polytope::Edge& edge = p.edges[size_t(core_kernels().nearest_edge(search))];
        const Vec3 tail = p.vertices[edge.tail], d = p.vertices[edge.head] - tail;
        nearest = tail + d * closest_on_segment(tail, d, c);
        length = glm::length(c - nearest);
        if (length > reach) return separated(out, length - a.radius);
        if (length > 1e-6f * a.radius) outward = (c - nearest) / length;
    }
    return add_surface_contact(pose_a.position, a.radius, to_world(pose_b, nearest), pose_b.rotation * outward, length,
                               out);
}

bool collide_capsule_capsule(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b,
                             float margin, RawManifold& out, SatCache*) {
    // Relative to A's centre: a pair far from the origin loses nothing.
    const CoreSegment sa = core_of(a, {Vec3(0.0f), pose_a.rotation});
    const CoreSegment sb = core_of(b, {pose_b.position - pose_a.position, pose_b.rotation});
    const SegmentPair near = closest_segments(sa.start, sa.along, sb.start, sb.along);
    const float radii = a.radius + b.radius, reach = radii + margin;
    if (near.distance2 > reach * reach) return separated(out, std::sqrt(near.distance2) - radii);
    const Vec3 near_a = sa.start + near.s * sa.along, near_b = sb.start + near.t * sb.along;
    const float distance = glm::length(near_b - near_a);

    const Vec3 cross = glm::cross(sa.along, sb.along);
    const float cross2 = glm::dot(cross, cross);
    const float lengths2 = glm::dot(sa.along, sa.along) * glm::dot(sb.along, sb.along);
    // Where both nearest points lie inside their cores, the normal is the common perpendicular: exact however
    // small the distance, which is where the difference of the points is nothing but rounding.
    const bool inside = near.s > 0.0f && near.s < 1.0f && near.t > 0.0f && near.t < 1.0f;
    const Vec3 a_to_b = distance > 1e-6f * radii ? near_b - near_a : pose_b.position - pose_a.position;
    if (cross2 > 1e-2f * lengths2 && (inside || distance <= 1e-4f * radii)) {
        out.normal = cross * ((glm::dot(cross, a_to_b) < 0.0f ? -1.0f : 1.0f) / std::sqrt(cross2));
    } else if (distance > 1e-4f * radii) {
        out.normal = (near_b - near_a) / distance;
    } else {
        // The cores cover each other: out along any perpendicular.
        Vec3 n = Vec3(0.0f, 1.0f, 0.0f), other;
        if (a.half_height > 0.0f || b.half_height > 0.0f)
            make_tangents(glm::normalize(a.half_height >= b.half_height ? sa.along : sb.along), n, other);
        out.normal = glm::dot(n, a_to_b) < 0.0f ? -n : n;
    }
    // The point lies on the line between its own two cores, which for a second point is not quite the normal.
    const auto add = [&](const Vec3& ca, const Vec3& cb, float separation, uint32_t feature) {
        const float length = separation + radii;
        const Vec3 along = length > 1e-4f * radii ? (cb - ca) / length : out.normal;
        add_point(out, pose_a.position + ca + along * (a.radius + 0.5f * separation), pose_a.position + ca,
                  pose_a.position + cb, separation, feature);
    };

    // Within three degrees of parallel: a point at each end of the common stretch, so that one can lie on the other.
    const float nearest = distance - radii;
    bool near_is_covered = false;
    if (cross2 < 2.5e-3f * lengths2) {
        const float aa = glm::dot(sa.along, sa.along);
        const float end0 = glm::dot(sb.start - sa.start, sa.along) / aa;
        const float end1 = glm::dot(sb.start + sb.along - sa.start, sa.along) / aa;
        const float low = std::max(0.0f, std::min(end0, end1)), high = std::min(1.0f, std::max(end0, end1));
        if ((high - low) * std::sqrt(aa) > 0.05f * radii) {
            uint32_t feature = 1;
            for (float s : {low, high}) {
                const Vec3 ca = sa.start + s * sa.along;
                const Vec3 cb = sb.start + sb.along * closest_on_segment(sb.start, sb.along, ca);
                const float separation = glm::length(cb - ca) - radii;
                // Rounding may put both ends beyond the margin and the nearest points within it.
                if (separation <= margin) {
                    add(ca, cb, separation, feature);
                    near_is_covered = near_is_covered || separation <= nearest + 0.01f * radii;
                }
                ++feature;
            }
        }
    }
    if (!near_is_covered) add(near_a, near_b, nearest, 0);
    return true;
}

}  // namespace proxima::physics::detail
