// SPDX-License-Identifier: MIT
// Making joints of any type between two bodies, and moving their frames and the ends of their ranges. Pure functions over plain
// joints; the document makes commands of what they give.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "physics/joints/joint_types.h"
#include "physics/scene/scene.h"
#include "samples/editor/model/gizmo.h"

namespace proxima::editor {

/// As in scene files, in the order of JointTypes.
std::span<const std::string_view> joint_type_names();

/// Where a joint of two bodies belongs when nobody says: in the middle between them; of a fixed body, which is mostly something
/// large, at the other one.
Vec3 joint_point(const physics::SceneBody& a, const physics::SceneBody& b);

/// A joint of a type at a point of the world, its x axis along a direction there; with coordinates of zero as the bodies are
/// placed. Ropes hold both bodies at their origins and are as long as they are apart; pulleys hang 2 m above them.
Result<physics::AnyJoint> new_joint(std::string_view type, const physics::Pose& a, const physics::Pose& b,
                                    const Vec3& point, const Vec3& axis);

/// What of a joint is moved: both of its frames, or the one on a or b.
enum class JointEnd : uint8_t { both, a, b };

/// Where a frame of a joint is in the world: that on b for JointEnd::b, else that on a. Joints without axes have the world's.
Transform joint_frame(const physics::AnyJoint& joint, const physics::Pose& a, const physics::Pose& b, JointEnd end);
/// Turned about where that frame is, then moved, both in the world. Both frames keep how they lie to each other.
physics::AnyJoint moved_joint(const physics::AnyJoint& joint, const physics::Pose& a, const physics::Pose& b,
                              JointEnd end, const Vec3& move, const Quat& rotation);

/// An end of a range that can be drawn about or along its axis.
struct LimitHandle {
    std::string key;  // of the field that it sets
    Vec3 position;    // world
    float value = 0.0f;
    bool is_angle = false;
    bool is_half = false;  // of a cone: what counts is how far it is from the axis
    Vec3 origin;           // of the angle, or where a way is zero
    Vec3 x, y;             // unit; an angle is zero along x and a quarter along y, a way goes along x
};
/// `size`, in m: how far from the axis the handles of angles are.
std::vector<LimitHandle> limit_handles(const physics::AnyJoint& joint, const physics::Pose& a, const physics::Pose& b,
                                       float size);
/// The value that a ray draws a handle to, the nearest turn to `before`; nothing when it passes the handle's plane.
std::optional<float> drag_limit(const LimitHandle& handle, const Ray& ray, float before, const Snap& snap = {});
/// The joint with one number changed; nothing when it would make no sense.
std::optional<physics::AnyJoint> with_number(const physics::AnyJoint& joint, std::string_view key, float value);

}  // namespace proxima::editor
