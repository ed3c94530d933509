// SPDX-License-Identifier: MIT
#include "render/extract/extract_joints.h"

#include <algorithm>
#include <cmath>

#include "render/extract/extract_debug.h"

namespace proxima::render {

using physics::DebugJoint;
using physics::JointAxis;
using physics::JointLaw;
using physics::JointRow;

namespace {

constexpr Colour kJoint = rgba(90, 220, 230), kTornJoint = rgba(255, 60, 60), kJointForce = rgba(255, 160, 60);
constexpr Colour kBroken = rgba(150, 96, 96);
constexpr Colour kAxes[3] = {rgba(235, 80, 80), rgba(115, 205, 85), rgba(80, 145, 245)};
constexpr Colour kRange = rgba(250, 225, 120), kNow = rgba(255, 255, 255), kDrive = rgba(200, 120, 255);
constexpr Colour kSlack = rgba(120, 140, 120), kTaut = rgba(150, 255, 150), kGear = rgba(240, 190, 90);
constexpr float kMinSize = 4.0f, kMaxSize = 14.0f;  // of axes and arcs, in signs
constexpr float kStill = 1e-3f;                     // rad, or of the size: a drive that has no farther to go

/// Draws in one colour what is broken.
class Pen {
  public:
    Pen(const DebugJoint& joint, const Vec3& eye, std::vector<Line>& out)
        : eye_(eye), out_(out), broken_(joint.broken) {}
    void line(const Vec3& from, const Vec3& to, Colour colour, float width = 2.0f) {
        out_.push_back({from, to, broken_ ? kBroken : colour, width});
    }
    void cross(const Vec3& center, float size, Colour colour) {
        add_cross(out_, center, size, broken_ ? kBroken : colour);
    }
    void arrow(const Vec3& from, const Vec3& to, Colour colour) {
        add_arrow(out_, from, to, eye_, broken_ ? kBroken : colour, 2.5f);
    }
    /// About a centre from one angle to another; zero is along x, a quarter along y. Returns where it ends.
    Vec3 arc(const Vec3& center, const Vec3& x, const Vec3& y, float from, float to, Colour colour,
             float width = 2.0f) {
        const int sides = std::max(2, int(std::ceil(std::abs(to - from) / 0.2f)));
        const auto at = [&](int i) {
            const float angle = from + (to - from) * float(i) / float(sides);
            return center + std::cos(angle) * x + std::sin(angle) * y;
        };
        for (int i = 0; i < sides; ++i) line(at(i), at(i + 1), colour, width);
        return at(sides);
    }
    /// The same with a head.
    void curved_arrow(const Vec3& center, const Vec3& x, const Vec3& y, float from, float to, Colour colour) {
        const Vec3 tip = arc(center, x, y, from, to, colour, 2.5f);
        const Vec3 outward = (tip - center) * 0.25f;
        const float back = to > from ? -0.25f : 0.25f;
        const Vec3 behind = center + std::cos(to + back) * x + std::sin(to + back) * y;
        line(tip, behind + outward, colour, 2.5f);
        line(tip, behind - outward, colour, 2.5f);
    }

  private:
    Vec3 eye_;
    std::vector<Line>& out_;
    bool broken_ = false;
};

/// The plane that an angle is in: zero along x, a quarter along y.
struct Plane {
    Vec3 x, y;
};
Plane plane_of(JointAxis axis, const Quat& frame) {
    const Vec3 x = frame * Vec3(1.0f, 0.0f, 0.0f), y = frame * Vec3(0.0f, 1.0f, 0.0f),
               z = frame * Vec3(0.0f, 0.0f, 1.0f);
    if (axis == JointAxis::swing_y) return {x, -z};
    if (axis == JointAxis::swing_z) return {x, y};
    return {y, z};
}
bool is_angle(JointAxis axis) {
    return axis == JointAxis::twist || axis == JointAxis::swing_y || axis == JointAxis::swing_z;
}
bool is_way(JointAxis axis) { return axis <= JointAxis::z; }

Vec3 direction_of(JointAxis axis, const Quat& frame) {
    const bool is_world = axis <= JointAxis::world_z;
    Vec3 unit(0.0f);
    unit[int(axis) - int(is_world ? JointAxis::world_x : JointAxis::x)] = 1.0f;
    return is_world ? unit : frame * unit;
}

bool has_row(const DebugJoint& joint, JointAxis axis) {
    for (uint32_t i = 0; i < joint.row_count; ++i)
        if (joint.rows[i].axis == axis) return true;
    return false;
}
bool has_law(const DebugJoint& joint, JointLaw law) {
    for (uint32_t i = 0; i < joint.row_count; ++i)
        if (joint.rows[i].law == law) return true;
    return false;
}
uint32_t locked_ways(const DebugJoint& joint) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < joint.row_count; ++i)
        count += joint.rows[i].law == JointLaw::locked && is_way(joint.rows[i].axis);
    return count;
}

void add_range(const DebugJoint& joint, const JointRow& row, float value, float size, Pen& pen) {
    const Vec3& at = joint.anchor_a;
    if (is_angle(row.axis)) {
        const Plane plane = plane_of(row.axis, joint.rotation_a);
        const Vec3 x = size * plane.x, y = size * plane.y;
        for (const float end : {row.lower, row.upper}) pen.line(at, at + std::cos(end) * x + std::sin(end) * y, kRange);
        pen.arc(at, x, y, row.lower, row.upper, kRange);
        pen.line(at, at + 1.15f * (std::cos(value) * x + std::sin(value) * y), kNow, 3.0f);
    } else if (row.axis == JointAxis::cone) {
        const Vec3 x = joint.rotation_a * Vec3(size, 0.0f, 0.0f), y = joint.rotation_a * Vec3(0.0f, size, 0.0f),
                   z = joint.rotation_a * Vec3(0.0f, 0.0f, size);
        const float along = std::cos(row.upper), across = std::sin(row.upper);
        pen.arc(at + along * x, across * y, across * z, 0.0f, 2.0f * kPi, kRange);
        for (const Vec3& side : {y, z})
            for (const float sign : {-1.0f, 1.0f}) pen.line(at, at + along * x + (sign * across) * side, kRange);
        pen.line(at, at + joint.rotation_b * Vec3(1.15f * size, 0.0f, 0.0f), kNow, 3.0f);
    } else if (is_way(row.axis)) {
        const Vec3 way = direction_of(row.axis, joint.rotation_a);
        const Vec3 side = 0.3f * size * (joint.rotation_a * Vec3(0.0f, 0.0f, 1.0f));
        pen.line(at + row.lower * way, at + row.upper * way, kRange);
        for (const float end : {row.lower, row.upper}) pen.line(at + end * way - side, at + end * way + side, kRange);
        pen.cross(at + value * way, 0.3f * size, kNow);
    }
}

/// A rope or rod: what it is now, and with what is left of its range.
void add_rope(const DebugJoint& joint, const JointRow& row, float value, float size, Pen& pen) {
    const bool is_rope = row.law == JointLaw::limit;
    // A winch carries at any length.
    const bool is_taut = !is_rope || has_law(joint, JointLaw::motor) || value >= row.upper * (1.0f - 1e-3f);
    pen.line(joint.anchor_a, joint.anchor_b, is_taut ? kTaut : kSlack, 3.0f);
    if (!is_rope || !(value > 0.0f)) return;
    const bool is_shorter = value < row.upper * (1.0f - 1e-3f);
    const Vec3 along = (joint.anchor_b - joint.anchor_a) / value;
    const Vec3 other = std::abs(along.y) < 0.9f ? Vec3(0.0f, 1.0f, 0.0f) : Vec3(1.0f, 0.0f, 0.0f);
    const Vec3 side = 0.3f * size * glm::normalize(glm::cross(along, other));
    for (const float end : {row.lower, row.upper}) {
        if (!(end > 0.0f)) continue;
        const Vec3 at = joint.anchor_a + end * along;
        pen.line(at - side, at + side, kRange);
    }
    if (is_shorter) pen.line(joint.anchor_b, joint.anchor_a + row.upper * along, kRange, 1.0f);
}

void add_pulley(const DebugJoint& joint, const JointRow& row, float value, float size, Pen& pen) {
    const Colour colour = value >= row.upper * (1.0f - 1e-3f) ? kTaut : kSlack;
    pen.line(joint.ground_a, joint.anchor_a, colour, 3.0f);
    pen.line(joint.ground_b, joint.anchor_b, colour, 3.0f);
    pen.line(joint.ground_a, joint.ground_b, colour, 3.0f);
    pen.cross(joint.ground_a, 0.3f * size, kRange);
    pen.cross(joint.ground_b, 0.3f * size, kRange);
}

/// The axles, which go through the bodies, and a line between them; a rack lies along its way.
void add_gear(const DebugJoint& joint, float size, Pen& pen) {
    const Vec3 axle_a = joint.rotation_a * Vec3(size, 0.0f, 0.0f), axle_b = joint.rotation_b * Vec3(size, 0.0f, 0.0f);
    pen.line(joint.center_a - axle_a, joint.center_a + axle_a, kGear, 3.0f);
    pen.line(joint.center_b - axle_b, joint.center_b + axle_b, kGear, 3.0f);
    pen.line(joint.center_a, joint.center_b, kGear);
}

/// Where a motor drives to: an arrow from where the coordinate is, or of the direction of its speed. What rests where it is to
/// be, and friction, have none.
void add_drive(const DebugJoint& joint, const JointRow& row, float value, float size, Pen& pen) {
    const bool is_servo = !row.rigid();
    if (!is_servo && row.speed == 0.0f) return;
    const float ahead = is_servo ? row.lower - value : row.speed;
    if (is_angle(row.axis)) {
        const float turn = is_servo ? std::clamp(ahead, -kPi, kPi) : std::copysign(1.5f, ahead);
        if (std::abs(turn) < kStill) return;
        const Plane plane = plane_of(row.axis, joint.rotation_a);
        pen.curved_arrow(joint.anchor_a, 0.75f * size * plane.x, 0.75f * size * plane.y, value, value + turn, kDrive);
        return;
    }
    Vec3 way;
    if (is_way(row.axis)) {
        way = direction_of(row.axis, joint.rotation_a);
    } else if (row.axis == JointAxis::distance && value > 0.0f) {
        way = (joint.anchor_b - joint.anchor_a) / value;
    } else {
        return;
    }
    const float reach = is_servo ? ahead : std::copysign(size, ahead);
    if (std::abs(reach) > kStill * size) pen.arrow(joint.anchor_b, joint.anchor_b + reach * way, kDrive);
}

void add_axes(const DebugJoint& joint, float size, Pen& pen) {
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 reach(0.0f);
        reach[axis] = axis == 0 ? size : 0.5f * size;
        pen.line(joint.anchor_a, joint.anchor_a + joint.rotation_a * reach, kAxes[axis], 2.5f);
        pen.line(joint.anchor_b, joint.anchor_b + joint.rotation_b * (0.7f * reach), kAxes[axis], 1.5f);
    }
}

/// m: axes and arcs are seen, and do not stand out of small bodies.
float size_of(const DebugJoint& joint, float sign) {
    const float arm =
        std::max(glm::distance(joint.center_a, joint.anchor_a), glm::distance(joint.center_b, joint.anchor_b));
    return std::clamp(0.5f * arm, kMinSize * sign, kMaxSize * sign);
}

}  // namespace

void add_joint(const DebugJoint& joint, float size, const Vec3& eye, std::vector<Line>& out) {
    Pen pen(joint, eye, out);
    const bool is_gear = has_row(joint, JointAxis::gear) || has_row(joint, JointAxis::rack);
    if (is_gear) {
        add_gear(joint, size, pen);
        return;
    }
    pen.line(joint.center_a, joint.anchor_a, kJoint);
    pen.line(joint.center_b, joint.anchor_b, kJoint);
    if (locked_ways(joint) == 3 || joint.row_count == 0) pen.line(joint.anchor_a, joint.anchor_b, kTornJoint, 3.0f);
    pen.cross(joint.anchor_b, 0.25f * size, kJoint);
    if (joint.has_axes) add_axes(joint, size, pen);
    for (uint32_t i = 0; i < joint.row_count; ++i) {
        const JointRow& row = joint.rows[i];
        const float value = joint.values[i];
        if (row.axis == JointAxis::pulley)
            add_pulley(joint, row, value, size, pen);
        else if (row.axis == JointAxis::distance && row.law != JointLaw::motor)
            add_rope(joint, row, value, size, pen);
        else if (row.law == JointLaw::limit)
            add_range(joint, row, value, size, pen);
        if (row.law == JointLaw::motor && !joint.broken) add_drive(joint, row, value, size, pen);
    }
}

void add_joints(const physics::DebugFrame& frame, const DebugStyle& style, DrawList& out) {
    double sum = 0.0;
    for (const DebugJoint& joint : frame.joints) sum += double(glm::length(joint.impulse));
    const float mean = frame.joints.empty() ? 0.0f : float(sum / double(frame.joints.size()));
    for (const DebugJoint& joint : frame.joints) {
        const float sign = sign_size(out, joint.anchor_b);
        add_joint(joint, size_of(joint, sign), out.camera.eye, out.lines_on_top);
        if (!(mean > 0.0f) || joint.broken) continue;
        const float scale = (style.arrow > 0.0f ? style.arrow : 8.0f * sign) / mean;
        add_arrow(out.lines_on_top, joint.anchor_b, joint.anchor_b + joint.impulse * scale, out.camera.eye,
                  kJointForce);
    }
}

}  // namespace proxima::render
