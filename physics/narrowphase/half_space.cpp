// SPDX-License-Identifier: MIT
// Any shape (A) against a half-space (B), solid below y = 0 of its frame.
#include "physics/narrowphase/generators.h"

namespace proxima::physics::detail {

namespace {

struct Plane {
    Vec3 normal;  // out of the solid, world
    Vec3 origin;
};

void add_round_point(const Vec3& core, float radius, const Plane& plane, float margin, uint32_t feature,
                     RawManifold& out) {
    const float height = glm::dot(plane.normal, core - plane.origin), separation = height - radius;
    out.distance = std::min(out.distance, separation);
    if (separation > margin) return;
    add_point(out, core - plane.normal * (radius + 0.5f * separation), core, core - plane.normal * height, separation,
              feature);
}

/// The vertices of the face that looks most downward among those around the lowest vertex.
void add_polytope(const Polytope& p, const Transform& pose, const Plane& plane, float margin, RawManifold& out) {
    const Vec3 n = glm::conjugate(pose.rotation) * plane.normal;
    const float origin = glm::dot(plane.normal, plane.origin - pose.position);
    size_t lowest = 0;
    float least = glm::dot(n, p.vertices[0]);
    for (size_t v = 1; v < p.vertices.size(); ++v) {
        const float height = glm::dot(n, p.vertices[v]);
        if (height < least) least = height, lowest = v;
    }
    out.distance = least - origin;
    if (least - origin > margin) return;
    const Polytope::Face* best = nullptr;
    float best_dot = 2.0f;
    for (const Polytope::Face& face : p.faces) {
        const float d = glm::dot(face.normal, n);
        if (d >= best_dot) continue;
        const uint16_t* loop = p.face_vertices.data() + face.first;
        if (std::find(loop, loop + face.count, uint16_t(lowest)) == loop + face.count) continue;
        best_dot = d;
        best = &face;
    }
    Vec3 points[kMaxHullVertices];
    float separations[kMaxHullVertices];
    uint32_t ids[kMaxHullVertices];
    int count = 0;
    for (int i = 0; best != nullptr && i < best->count; ++i) {
        const uint16_t v = p.face_vertices[size_t(best->first + i)];
        const float separation = glm::dot(n, p.vertices[v]) - origin;
        if (separation > margin) continue;
        points[count] = p.vertices[v];
        separations[count] = separation;
        ids[count++] = v;
    }
    float soon[kMaxHullVertices];
    const bool chooses_ahead = count > kMaxManifoldPoints && moves(out.motion);
    if (chooses_ahead) {
        const GapGrowth growth = gap_growth(out.motion, out.normal, glm::mat3_cast(pose.rotation), pose.position);
        for (int i = 0; i < count; ++i) soon[i] = separations[i] + growth.at(points[i]);
    }
    PointChoice by;
    if (chooses_ahead) by.soon = soon;
    const Vec3 load = to_local(pose, out.load_at);
    if (out.has_load) by.load = &load;
    int chosen[kMaxManifoldPoints];
    const int picked = select_points(points, separations, by, count, n, chosen, out.is_reduced);
    for (int i = 0; i < picked; ++i) {
        const float separation = separations[chosen[i]];
        add_shared_point(out, to_world(pose, points[chosen[i]]) - plane.normal * (0.5f * separation), separation,
                         reference_feature(true, 0) | ids[chosen[i]]);
    }
}

}  // namespace

bool collide_half_space(const Shape& a, const Transform& pose_a, const Shape&, const Transform& pose_b, float margin,
                        RawManifold& out, SatCache*) {
    const Plane plane{pose_b.rotation * Vec3(0.0f, 1.0f, 0.0f), pose_b.position};
    out.normal = -plane.normal;
    out.frame_on_b = true;
    out.distance = 1e30f;
    switch (a.type) {
        case ShapeType::sphere:
            add_round_point(pose_a.position, a.radius, plane, margin, 0, out);
            break;
        case ShapeType::capsule: {
            const Vec3 half = pose_a.rotation * Vec3(0.0f, a.half_height, 0.0f);
            add_round_point(pose_a.position - half, a.radius, plane, margin, 1, out);
            if (a.half_height > 0.0f) add_round_point(pose_a.position + half, a.radius, plane, margin, 2, out);
            break;
        }
        case ShapeType::box:
        case ShapeType::hull:
            add_polytope(a.polytope, pose_a, plane, margin, out);
            break;
        default:  // the table of collide() has no other pair
            break;
    }
    if (out.count > 0) return true;
    // Far from the plane's origin the products round more than the size of the shape tells.
    const Vec3 away = glm::abs(pose_a.position - pose_b.position);
    return separated(out, out.distance - 1e-6f * (away.x + away.y + away.z));
}

}  // namespace proxima::physics::detail
