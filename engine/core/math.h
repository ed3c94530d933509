// SPDX-License-Identifier: MIT
// The one place where GLM enters: vector types, and the few helpers that every stage uses.
#pragma once

#define GLM_FORCE_XYZW_ONLY
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/mat3x3.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>

#include <cmath>

namespace proxima {

using Vec2 = glm::vec2;
using Vec3 = glm::vec3;
using Mat3 = glm::mat3;  // column major: m[column][row]
using Quat = glm::quat;  // constructor order (w, x, y, z), memory order x, y, z, w

inline constexpr float kPi = 3.14159265358979323846f;

/// A rigid placement: x_world = rotation * x_local + position.
struct Transform {
    Vec3 position{0.0f, 0.0f, 0.0f};
    Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
};

inline Vec3 to_world(const Transform& t, const Vec3& local) { return t.rotation * local + t.position; }
inline Vec3 to_local(const Transform& t, const Vec3& world) {
    return glm::conjugate(t.rotation) * (world - t.position);
}
/// The placement of `child`, given in the frame of `parent`, seen from the world.
inline Transform compose(const Transform& parent, const Transform& child) {
    return {to_world(parent, child.position), parent.rotation * child.rotation};
}

inline bool is_finite(float x) { return std::isfinite(x); }
inline bool is_finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
inline bool is_finite(const Quat& q) {
    return std::isfinite(q.x) && std::isfinite(q.y) && std::isfinite(q.z) && std::isfinite(q.w);
}

/// One step of Q' = 1/2 (0, w) Q with a world-frame angular velocity, renormalised: turns by 2 atan(|w| h / 2).
inline Quat integrate_rotation(const Quat& q, const Vec3& angular_velocity, float h) {
    const Quat spin(0.0f, angular_velocity.x * (0.5f * h), angular_velocity.y * (0.5f * h),
                    angular_velocity.z * (0.5f * h));
    const Quat moved = q + spin * q;
    return moved * (1.0f / std::sqrt(moved.x * moved.x + moved.y * moved.y + moved.z * moved.z + moved.w * moved.w));
}

/// Two unit tangents such that (n, t1, t2) is right-handed; continuous except near n = +-x.
inline void make_tangents(const Vec3& n, Vec3& t1, Vec3& t2) {
    const Vec3 axis = std::abs(n.x) < 0.57f ? Vec3(1.0f, 0.0f, 0.0f) : Vec3(0.0f, 0.0f, 1.0f);
    t1 = glm::normalize(glm::cross(n, axis));
    t2 = glm::cross(n, t1);
}

/// A symmetric 3x3 matrix in six floats: inertia tensors and their inverses.
struct Sym3 {
    float xx = 0.0f, yy = 0.0f, zz = 0.0f, xy = 0.0f, xz = 0.0f, yz = 0.0f;
};
inline Vec3 operator*(const Sym3& m, const Vec3& v) {
    return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
            m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

/// R m R^T: a tensor given in a body's frame, seen from the world.
Sym3 rotate(const Sym3& m, const Quat& q);
/// The inverse of a positive definite tensor, computed in double precision.
Sym3 inverse(const Sym3& m);

/// An axis-aligned box; empty when lower > upper.
struct Aabb {
    Vec3 lower{0.0f, 0.0f, 0.0f};
    Vec3 upper{0.0f, 0.0f, 0.0f};
};
inline bool overlaps(const Aabb& a, const Aabb& b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
           a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

}  // namespace proxima
