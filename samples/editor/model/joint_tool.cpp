// SPDX-License-Identifier: MIT
#include "samples/editor/model/joint_tool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

namespace proxima::editor {

using physics::AnyJoint;
using physics::JointLimit;
using physics::Pose;

namespace {

constexpr float kRopeHeight = 2.0f;  // m, of the points that a new pulley goes over
constexpr float kMinRay = 1e-4f;     // of a ray across a plane

template <class Joint>
constexpr bool has_axes = requires(Joint joint) {
    joint.rotation_a;
};
template <class Joint>
constexpr bool is_rope = std::is_same_v<Joint, physics::DistanceJoint> || std::is_same_v<Joint, physics::PulleyJoint>;

Vec3 to_world(const Pose& body, const Vec3& anchor) { return body.position + glm::normalize(body.rotation) * anchor; }
Vec3 to_body(const Pose& body, const Vec3& point) {
    return glm::conjugate(glm::normalize(body.rotation)) * (point - body.position);
}

template <class... Joint>
constexpr std::array<std::string_view, sizeof...(Joint)> names_of(physics::TypeList<Joint...>) {
    return {Joint::kTypeName...};
}

void place(physics::DistanceJoint& joint, const Pose& a, const Pose& b, const physics::JointAnchors&) {
    joint.max_length = std::max(glm::distance(a.position, b.position), 0.01f);
}
void place(physics::PulleyJoint& joint, const Pose& a, const Pose& b, const physics::JointAnchors&) {
    const float top = std::max(a.position.y, b.position.y) + kRopeHeight;
    joint.ground_a = {a.position.x, top, a.position.z};
    joint.ground_b = {b.position.x, top, b.position.z};
    joint.length = 2.0f * top - a.position.y - b.position.y;
}
template <class Joint>
void place(Joint& joint, const Pose&, const Pose&, const physics::JointAnchors& frames) {
    joint.anchor_a = frames.anchor_a;
    joint.anchor_b = frames.anchor_b;
    if constexpr (has_axes<Joint>) {
        joint.rotation_a = frames.rotation_a;
        joint.rotation_b = frames.rotation_b;
    }
}

template <class... Joint>
AnyJoint joint_of(std::string_view type, physics::TypeList<Joint...>) {
    AnyJoint out;
    ((Joint::kTypeName == type ? void(out = Joint{}) : void()), ...);
    return out;
}

/// Sets one number of a joint by its key.
struct NumberSetter {
    std::string_view key;
    float value = 0.0f;
    void field(std::string_view name, float& number, const float&) {
        if (name == key) number = value;
    }
    template <class T>
    void field(std::string_view, T&, const T&) {}
};

/// Collects handles of a joint whose frame a is where it is.
struct HandleList {
    Vec3 at, x, y, z;  // of frame a
    float size = 1.0f;
    std::vector<LimitHandle> out = {};

    void angle(std::string key, float value, const Vec3& from, const Vec3& to, bool is_half = false) {
        const Vec3 position = at + size * (std::cos(value) * from + std::sin(value) * to);
        out.push_back({std::move(key), position, value, true, is_half, at, from, to});
    }
    void way(std::string key, float value, const Vec3& along) {
        out.push_back({std::move(key), at + value * along, value, false, false, at, along, Vec3(0.0f)});
    }
    void angles(const std::string& key, const JointLimit& limit, const Vec3& from, const Vec3& to) {
        if (!limit.enabled) return;
        angle(key + "_lower", limit.lower, from, to);
        angle(key + "_upper", limit.upper, from, to);
    }
    void ways(const std::string& key, const JointLimit& limit, const Vec3& along) {
        if (!limit.enabled) return;
        way(key + "_lower", limit.lower, along);
        way(key + "_upper", limit.upper, along);
    }

    void add(const physics::RevoluteJoint& joint) { angles("limit", joint.limit, y, z); }
    void add(const physics::PrismaticJoint& joint) { ways("limit", joint.limit, x); }
    void add(const physics::WheelJoint& joint) { ways("travel", joint.travel, y); }
    void add(const physics::SphericalJoint& joint) {
        if (joint.cone_angle < kPi) angle("cone_angle", joint.cone_angle, x, y, true);
        angles("twist", joint.twist, y, z);
    }
    void add(const physics::SixDofJoint& joint) {
        const auto limit = [&](size_t k) { return joint.axis[k].locked ? JointLimit{} : joint.axis[k].limit; };
        ways("x_limit", limit(0), x);
        ways("y_limit", limit(1), y);
        ways("z_limit", limit(2), z);
        angles("twist_limit", limit(3), y, z);
        angles("swing_y_limit", limit(4), x, -z);
        angles("swing_z_limit", limit(5), x, y);
    }
    template <class Joint>
    void add(const Joint&) {}
};

}  // namespace

std::span<const std::string_view> joint_type_names() {
    static constexpr auto kNames = names_of(physics::JointTypes{});
    return kNames;
}

Vec3 joint_point(const physics::SceneBody& a, const physics::SceneBody& b) {
    if (a.type == physics::BodyType::fixed) return b.position;
    return b.type == physics::BodyType::fixed ? a.position : 0.5f * (a.position + b.position);
}

Result<AnyJoint> new_joint(std::string_view type, const Pose& a, const Pose& b, const Vec3& point, const Vec3& axis) {
    const auto names = joint_type_names();
    if (std::find(names.begin(), names.end(), type) == names.end())
        return Error{"There is no joint of the type '" + std::string(type) + "'."};
    const Result<physics::JointAnchors> frames = physics::joint_anchors(a, b, point, axis);
    if (!frames) return Error{frames.error()};
    AnyJoint joint = joint_of(type, physics::JointTypes{});
    std::visit([&](auto& j) { place(j, a, b, *frames); }, joint);
    return joint;
}

Transform joint_frame(const AnyJoint& joint, const Pose& a, const Pose& b, JointEnd end) {
    return std::visit(
        [&](const auto& j) {
            const bool on_b = end == JointEnd::b;
            const Pose& body = on_b ? b : a;
            Transform out;
            out.position = to_world(body, on_b ? j.anchor_b : j.anchor_a);
            if constexpr (has_axes<std::decay_t<decltype(j)>>)
                out.rotation = glm::normalize(body.rotation * (on_b ? j.rotation_b : j.rotation_a));
            return out;
        },
        joint);
}

AnyJoint moved_joint(const AnyJoint& joint, const Pose& a, const Pose& b, JointEnd end, const Vec3& move,
                     const Quat& rotation) {
    const Vec3 pivot = joint_frame(joint, a, b, end).position;
    AnyJoint out = joint;
    std::visit(
        [&](auto& j) {
            const auto take = [&](const Pose& body, Vec3& anchor, Quat* own) {
                anchor = to_body(body, pivot + move + rotation * (to_world(body, anchor) - pivot));
                const Quat q = glm::normalize(body.rotation);
                if (own) *own = glm::normalize(glm::conjugate(q) * rotation * q * *own);
            };
            Quat *rotation_a = nullptr, *rotation_b = nullptr;
            if constexpr (has_axes<std::decay_t<decltype(j)>>) {
                rotation_a = &j.rotation_a;
                rotation_b = &j.rotation_b;
            }
            if (end != JointEnd::b) take(a, j.anchor_a, rotation_a);
            if (end != JointEnd::a) take(b, j.anchor_b, rotation_b);
        },
        out);
    return out;
}

std::vector<LimitHandle> limit_handles(const AnyJoint& joint, const Pose& a, const Pose& b, float size) {
    const Transform frame = joint_frame(joint, a, b, JointEnd::a);
    HandleList list{frame.position, frame.rotation * Vec3(1.0f, 0.0f, 0.0f), frame.rotation * Vec3(0.0f, 1.0f, 0.0f),
                    frame.rotation * Vec3(0.0f, 0.0f, 1.0f), size};
    if (const auto* rope = std::get_if<physics::DistanceJoint>(&joint)) {
        const Vec3 way = to_world(b, rope->anchor_b) - frame.position;
        const float length = glm::length(way);
        if (length > 0.0f) list.way("max_length", rope->max_length, way / length);
        return list.out;
    }
    std::visit([&](const auto& j) { list.add(j); }, joint);
    return list.out;
}

std::optional<float> drag_limit(const LimitHandle& handle, const Ray& ray, float before, const Snap& snap) {
    const auto rounded = [&](float value, float step) { return snap.on ? std::round(value / step) * step : value; };
    const Vec3 direction = glm::normalize(ray.direction);
    if (handle.is_angle) {
        const Vec3 normal = glm::cross(handle.x, handle.y);
        const float across = glm::dot(direction, normal);
        if (std::abs(across) < kMinRay) return std::nullopt;
        const float along = glm::dot(handle.origin - ray.origin, normal) / across;
        if (!(along > 0.0f)) return std::nullopt;
        const Vec3 reach = ray.origin + along * direction - handle.origin;
        float angle = std::atan2(glm::dot(reach, handle.y), glm::dot(reach, handle.x));
        if (handle.is_half)
            angle = std::abs(angle);
        else
            angle += 2.0f * kPi * std::round((before - angle) / (2.0f * kPi));
        return rounded(angle, glm::radians(snap.degrees));
    }
    // Where the line of the handle is nearest to the ray.
    const float between = glm::dot(handle.x, direction);
    const float square = 1.0f - between * between;
    if (square < kMinRay) return std::nullopt;
    const Vec3 to = ray.origin - handle.origin;
    return rounded((glm::dot(to, handle.x) - between * glm::dot(to, direction)) / square, snap.metres);
}

std::optional<AnyJoint> with_number(const AnyJoint& joint, std::string_view key, float value) {
    AnyJoint out = joint;
    NumberSetter setter{key, value};
    const char* fault = std::visit(
        [&](auto& j) {
            visit_fields(setter, j);
            return check_fields(j);
        },
        out);
    if (fault) return std::nullopt;
    return out;
}

}  // namespace proxima::editor
