// SPDX-License-Identifier: MIT
// Contacts of a shape (A) with one given face of a box or hull (B), whatever the axis of least overlap is.
#include "physics/narrowphase/clipping.h"
#include "physics/shapes/polytope_kernels.h"

namespace proxima::physics::detail {

namespace {

bool collide_sphere_face(const Shape& a, const Transform& pose_a, const Polytope& p, const Transform& pose_b,
                         const Polytope::Face& face, float slop, float margin, RawManifold& out) {
    const Vec3 c = to_local(pose_b, pose_a.position);
    const float height = glm::dot(face.normal, c) - face.offset, separation = height - a.radius;
    if (separation > margin) return false;
    for (size_t i = face.first; i < size_t(face.first + face.count); ++i)
        if (glm::dot(p.sides[i].outward, c) > p.sides[i].offset + slop) return false;
    const Vec3 outward = pose_b.rotation * face.normal;
    out.normal = -outward;
    add_point(out, pose_a.position - outward * (a.radius + 0.5f * separation), pose_a.position,
              to_world(pose_b, c - face.normal * height), separation, 0);
    return true;
}

bool collide_polytope_face(const Polytope& a, const Transform& pose_a, const Polytope& p, const Transform& pose_b,
                           int index, float slop, float margin, RawManifold& out) {
    const Polytope::Face& face = p.faces[size_t(index)];
    ReferenceFace reference;
    reference.normal = face.normal;
    reference.offset = face.offset;
    reference.index = uint32_t(index);
    reference.on_b = true;
    reference.rotation = glm::mat3_cast(pose_b.rotation);
    reference.position = pose_b.position;
    const Mat3 turn = glm::mat3_cast(glm::conjugate(pose_b.rotation) * pose_a.rotation);
    const Vec3 position = to_local(pose_b, pose_a.position);
    const Vec3 against = face.normal * turn;  // row times matrix: the transpose
    const int deepest = polytope_kernels().support(a.vertex_blocks.data(), a.vertex_block_count(), against);
    const Polytope::Face& incident = incident_face(a, against, deepest);
    ClipVertex buffers[2][kMaxClipVertices];
    ClipVertex* polygon = buffers[0];
    ClipVertex* spare = buffers[1];
    int count = incident.count;
    for (int i = 0; i < count; ++i) {
        const size_t slot = size_t(incident.first + i);
        const uint16_t v = a.face_vertices[slot];
        polygon[i] = {turn * a.vertices[v] + position, kIncidentVertex | v, a.face_edges[slot]};
    }
    for (int i = 0; i < face.count && count > 0; ++i) {
        const Polytope::Side& side = p.sides[size_t(face.first + i)];
        count = clip_by_side(polygon, count, spare, kMaxClipVertices, side.outward, side.offset + slop, uint32_t(i));
    }
    return add_patch(polygon, count, reference, 0.1f * slop, margin, out);
}

}  // namespace

bool collide_face(const Shape& a, const Transform& pose_a, const Shape& b, const Transform& pose_b, int face,
                  float slop, float margin, RawManifold& out) {
    out.count = 0;
    out.frame_on_b = true;
    const Polytope& p = b.polytope;
    switch (a.type) {
        case ShapeType::sphere:
            return collide_sphere_face(a, pose_a, p, pose_b, p.faces[size_t(face)], slop, margin, out);
        case ShapeType::capsule:
            return collide_capsule_face(a, pose_a, b, pose_b, face, slop, margin, out);
        case ShapeType::box:
        case ShapeType::hull:
            return collide_polytope_face(a.polytope, pose_a, p, pose_b, face, slop, margin, out);
        default:
            return false;
    }
}

}  // namespace proxima::physics::detail
