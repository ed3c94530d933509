// SPDX-License-Identifier: MIT
// Coordinates of joints (joint_row.h) and how they change with the motion of the two bodies: in double precision, so that an
// error of a micrometre a hundred metres from the origin is one of the bodies and not of what looks at them.
#pragma once

#include <algorithm>
#include <cmath>

#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>

#include "physics/joints/joints.h"

namespace proxima::physics {

using DVec3 = glm::dvec3;
using DMat3 = glm::dmat3;

/// Where a body is: its centre of mass, and its axes as columns.
struct JointBody {
    DVec3 center{0.0};
    DMat3 axes{1.0};
};

inline DMat3 to_axes(double x, double y, double z, double w) {
    return DMat3(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y),  //
                 2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x),  //
                 2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y));
}

/// Turned by a vector.
inline DMat3 turned_by(const DVec3& turn, const DMat3& axes) {
    const double angle = glm::length(turn);
    if (angle < 1e-12) return axes;
    const DVec3 axis = turn / angle;
    const double half = 0.5 * angle, s = std::sin(half);
    return to_axes(axis.x * s, axis.y * s, axis.z * s, std::cos(half)) * axes;
}

/// The change of a coordinate with the velocities of the two bodies: linear, then angular.
struct JointJacobian {
    DVec3 linear_a{0.0}, angular_a{0.0}, linear_b{0.0}, angular_b{0.0};
};

/// The two frames of a joint in the world.
struct JointFrames {
    DVec3 arm_a, arm_b;    // from the centres of mass to the origins
    DVec3 gap;             // from the origin of a to that of b
    DMat3 axes_a, axes_b;  // only of joints that have rows about their frames
};

inline JointFrames frames_of(const JointData& joint, const JointBody& a, const JointBody& b) {
    JointFrames f;
    f.arm_a = a.axes * DVec3(joint.frame_a.origin);
    f.arm_b = b.axes * DVec3(joint.frame_b.origin);
    f.gap = b.center - a.center + (f.arm_b - f.arm_a);
    if (!joint.has_axes) return f;
    const auto turned = [](const JointBody& body, const Quat& q) {
        return body.axes * to_axes(double(q.x), double(q.y), double(q.z), double(q.w));
    };
    f.axes_a = turned(a, joint.frame_a.rotation);
    f.axes_b = turned(b, joint.frame_b.rotation);
    return f;
}

namespace detail {

inline constexpr double kTinyLength = 1e-12;

/// Along an axis that stays in the world, or turns with a.
inline double along(const JointFrames& f, const DVec3& axis, bool turns, JointJacobian& j) {
    j.linear_a = -axis;
    j.linear_b = axis;
    j.angular_a = -glm::cross(turns ? f.arm_a + f.gap : f.arm_a, axis);
    j.angular_b = glm::cross(f.arm_b, axis);
    return glm::dot(f.gap, axis);
}
inline double turn_about(const DVec3& axis, double value, JointJacobian& j) {
    j.linear_a = j.linear_b = DVec3(0.0);
    j.angular_a = -axis;
    j.angular_b = axis;
    return value;
}
/// Of v, fixed to b, about the third of three axes of a: the angle from `x` to what v is in the plane of x and y.
inline double swing(const DVec3& v, const DVec3& x, const DVec3& y, JointJacobian& j) {
    const double along_x = glm::dot(v, x), along_y = glm::dot(v, y);
    const double square = std::max(along_x * along_x + along_y * along_y, 1e-6);
    // d(v . e) = w . (v x e), w the angular velocity of b seen from a.
    return turn_about((along_x * glm::cross(v, y) - along_y * glm::cross(v, x)) / square, std::atan2(along_y, along_x),
                      j);
}
/// About the x axis: what is left of the turn from a to b when the shortest turn that takes one x axis to the other is taken
/// away. Its rate is w . (x_a + x_b) / (1 + x_a . x_b).
inline double twist(const JointFrames& f, JointJacobian& j) {
    const DVec3 &xa = f.axes_a[0], &xb = f.axes_b[0];
    const double cosine = glm::dot(xa, xb), sum = std::max(1.0 + cosine, 1e-6);
    // y of a, swung along with x: v + s x v + s x (s x v) / (1 + c), s = xa x xb
    const DVec3 s = glm::cross(xa, xb), &ya = f.axes_a[1];
    const DVec3 y = ya + glm::cross(s, ya) + glm::cross(s, glm::cross(s, ya)) / sum;
    const DVec3 z = glm::cross(xb, y), &yb = f.axes_b[1];
    return turn_about((xa + xb) / sum, std::atan2(glm::dot(yb, z), glm::dot(yb, y)), j);
}
inline double cone(const JointFrames& f, JointJacobian& j) {
    const DVec3 &xa = f.axes_a[0], &xb = f.axes_b[0], across = glm::cross(xa, xb);
    const double sine = glm::length(across), angle = std::atan2(sine, glm::dot(xa, xb));
    return turn_about(sine > kTinyLength ? across / sine : f.axes_a[1], angle, j);
}
/// Of the turn from a to b as a vector. Its rate is that of the angular velocity near zero, which is where it is held.
inline double turn_along(const JointFrames& f, int axis, JointJacobian& j) {
    // sin(angle) times the axis, in the world
    const DVec3 sine = 0.5 * (glm::cross(f.axes_a[0], f.axes_b[0]) + glm::cross(f.axes_a[1], f.axes_b[1]) +
                              glm::cross(f.axes_a[2], f.axes_b[2]));
    const double cosine = 0.5 * (glm::dot(f.axes_a[0], f.axes_b[0]) + glm::dot(f.axes_a[1], f.axes_b[1]) +
                                 glm::dot(f.axes_a[2], f.axes_b[2]) - 1.0);
    const double length = glm::length(sine);
    // Half a turn has no axis of its own: any will do to leave it.
    const double scale = length > 1e-9 ? std::atan2(length, cosine) / length : 1.0;
    const double value = cosine < 0.0 && length <= 1e-9 ? (axis == 0 ? 3.14159265358979323846 : 0.0)
                                                        : scale * glm::dot(sine, f.axes_a[axis]);
    return turn_about(f.axes_a[axis], value, j);
}
inline double distance(const JointFrames& f, JointJacobian& j) {
    const double length = glm::length(f.gap);
    const DVec3 axis = length > kTinyLength ? f.gap / length : DVec3(0.0, 1.0, 0.0);
    along(f, axis, false, j);
    return length;
}

}  // namespace detail

/// The value of a coordinate and how it changes. Of coordinates that are counted the value is none.
inline double coordinate(const JointData& joint, JointAxis axis, const JointFrames& f, const JointBody& a,
                         const JointBody& b, JointJacobian& j) {
    switch (axis) {
        case JointAxis::world_x:
            return detail::along(f, {1.0, 0.0, 0.0}, false, j);
        case JointAxis::world_y:
            return detail::along(f, {0.0, 1.0, 0.0}, false, j);
        case JointAxis::world_z:
            return detail::along(f, {0.0, 0.0, 1.0}, false, j);
        case JointAxis::x:
            return detail::along(f, f.axes_a[0], true, j);
        case JointAxis::y:
            return detail::along(f, f.axes_a[1], true, j);
        case JointAxis::z:
            return detail::along(f, f.axes_a[2], true, j);
        case JointAxis::twist:
            return detail::twist(f, j);
        // About y x goes to -z.
        case JointAxis::swing_y:
            return detail::swing(f.axes_b[0], f.axes_a[0], -f.axes_a[2], j);
        case JointAxis::swing_z:
            return detail::swing(f.axes_b[0], f.axes_a[0], f.axes_a[1], j);
        case JointAxis::cone:
            return detail::cone(f, j);
        case JointAxis::turn_x:
            return detail::turn_along(f, 0, j);
        case JointAxis::turn_y:
            return detail::turn_along(f, 1, j);
        case JointAxis::turn_z:
            return detail::turn_along(f, 2, j);
        case JointAxis::distance:
            return detail::distance(f, j);
        case JointAxis::gear:
            j.linear_a = j.linear_b = DVec3(0.0);
            j.angular_a = f.axes_a[0] * double(joint.ratio);
            j.angular_b = f.axes_b[0];
            return 0.0;
        case JointAxis::rack:
            j.linear_a = DVec3(0.0);
            j.angular_a = f.axes_a[0] * double(joint.ratio);
            j.linear_b = f.axes_b[0];
            j.angular_b = glm::cross(f.arm_b, f.axes_b[0]);
            return 0.0;
        case JointAxis::pulley: {
            const DVec3 to_a = a.center + f.arm_a - DVec3(joint.ground_a),
                        to_b = b.center + f.arm_b - DVec3(joint.ground_b);
            const double length_a = glm::length(to_a), length_b = glm::length(to_b), ratio = double(joint.ratio);
            const DVec3 down(0.0, -1.0, 0.0);
            j.linear_a = length_a > detail::kTinyLength ? to_a / length_a : down;
            j.linear_b = (length_b > detail::kTinyLength ? to_b / length_b : down) * ratio;
            j.angular_a = glm::cross(f.arm_a, j.linear_a);
            j.angular_b = glm::cross(f.arm_b, j.linear_b);
            return length_a + ratio * length_b;
        }
    }
    return 0.0;
}

}  // namespace proxima::physics
