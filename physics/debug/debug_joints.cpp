// SPDX-License-Identifier: MIT
#include "physics/debug/debug_joints.h"

#include <algorithm>

#include "physics/debug/debug_frame.h"
#include "physics/joints/joint_coordinates.h"
#include "physics/joints/joint_types.h"
#include "physics/simulation.h"

namespace proxima::physics {

namespace {

/// Centre of mass in the frame of a body.
Vec3 center_in(const entt::registry& registry, Entity body) {
    const Mass* mass = registry.try_get<Mass>(body);
    return mass ? mass->center : Vec3(0.0f);
}

JointBody to_joint_body(const Pose& pose, const Vec3& center) {
    const Quat& q = pose.rotation;
    return {DVec3(q * center + pose.position), to_axes(double(q.x), double(q.y), double(q.z), double(q.w))};
}

/// The rows of a joint and their coordinates, as the components of its bodies have them.
void add_rows(const Pose& a, const Vec3& center_a, const Pose& b, const Vec3& center_b, float counted, JointData& data,
              DebugJoint& out) {
    out.has_axes = data.has_axes;
    out.rotation_a = a.rotation * data.frame_a.rotation;
    out.rotation_b = b.rotation * data.frame_b.rotation;
    out.ground_a = data.ground_a;
    out.ground_b = data.ground_b;
    data.frame_a.origin -= center_a;
    data.frame_b.origin -= center_b;
    const JointBody body_a = to_joint_body(a, center_a), body_b = to_joint_body(b, center_b);
    const JointFrames frames = frames_of(data, body_a, body_b);
    out.row_count = data.row_count;
    for (uint32_t i = 0; i < data.row_count; ++i) {
        JointJacobian unused;
        out.rows[i] = data.rows[i];
        out.values[i] = is_counted(data.rows[i].axis)
                            ? counted
                            : float(coordinate(data, data.rows[i].axis, frames, body_a, body_b, unused));
    }
}

template <class Joint>
void collect_type(const Simulation& s, DebugFrame& frame) {
    const entt::registry& registry = s.registry;
    for (const auto [entity, joint] : registry.view<const Joint>().each()) {
        if (!registry.valid(joint.body_a) || !registry.valid(joint.body_b)) continue;
        if (!registry.all_of<Pose>(joint.body_a) || !registry.all_of<Pose>(joint.body_b)) continue;
        const Pose &a = registry.get<Pose>(joint.body_a), &b = registry.get<Pose>(joint.body_b);
        const Vec3 center_a = center_in(registry, joint.body_a), center_b = center_in(registry, joint.body_b);
        DebugJoint out;
        out.joint = entity;
        out.body_a = joint.body_a;
        out.body_b = joint.body_b;
        out.type = Joint::kTypeName;
        out.center_a = a.rotation * center_a + a.position;
        out.center_b = b.rotation * center_b + b.position;
        out.anchor_a = a.position + a.rotation * joint.anchor_a;
        out.anchor_b = b.position + b.rotation * joint.anchor_b;
        float counted = 0.0f;
        if (const JointState* state = registry.try_get<JointState>(entity)) {
            out.impulse = state->impulse;
            out.angular_impulse = state->angular_impulse;
            out.error = state->error;
            out.broken = state->broken != 0;
            counted = state->counted;
        }
        if (check_fields(joint) == nullptr) {
            JointData data;
            describe(joint, data);
            add_rows(a, center_a, b, center_b, counted, data, out);
        }
        frame.joints.push_back(out);
    }
}
template <class... Joint>
void collect_types(const Simulation& s, DebugFrame& frame, TypeList<Joint...>) {
    (collect_type<Joint>(s, frame), ...);
}

}  // namespace

void collect_joints(const Simulation& s, DebugFrame& frame) { collect_types(s, frame, JointTypes{}); }

}  // namespace proxima::physics
