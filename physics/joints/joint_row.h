// SPDX-License-Identifier: MIT
// What a joint of any kind comes down to: two frames and some rows. A row is one coordinate of how frame b lies in frame a, and a
// law for it. Solvers know rows only; what a hinge is they do not know (joint_classes.h).
#pragma once

#include <cstdint>
#include <limits>

#include "physics/components.h"

namespace proxima::physics {

/// Coordinates of frame b in frame a. Turns are those of a swing that takes the x axis of a to that of b, after a twist about
/// that axis.
enum class JointAxis : uint8_t {
    world_x,  // m, from the origin of a to that of b, along axes of the world
    world_y,
    world_z,
    x,  // m, along axes of frame a
    y,
    z,
    twist,    // rad, about x
    swing_y,  // rad, about y: of the x axis of b, seen along y
    swing_z,  // rad, about z
    cone,     // rad, between the two x axes
    turn_x,   // rad, the turn from a to b as a vector, along axes of frame a
    turn_y,
    turn_z,
    distance,  // m, between the two origins
    gear,      // rad, turn of b about its x axis plus `ratio` times that of a about its own, since the joint was made
    rack,      // m, way of b along its x axis plus `ratio` times the turn of a about its own
    pulley,    // m, from ground_a to the origin of a, plus `ratio` times the same of b
};

constexpr bool is_turn(JointAxis axis) {
    return (axis >= JointAxis::twist && axis <= JointAxis::turn_z) || axis == JointAxis::gear;
}
/// Coordinates that are about the axes of the frames, not their origins alone.
constexpr bool has_axes(JointAxis axis) {
    return axis > JointAxis::world_z && axis != JointAxis::distance && axis != JointAxis::pulley;
}
/// Coordinates that are counted on from step to step: where the bodies are does not say what they are.
constexpr bool is_counted(JointAxis axis) { return axis == JointAxis::gear || axis == JointAxis::rack; }

enum class JointLaw : uint8_t {
    locked,  // the coordinate is `lower`
    limit,   // it lies between `lower` and `upper`
    motor,   // its rate is `speed`, or with `hertz` the coordinate `lower`, as far as `max_force` goes
};

struct JointRow {
    JointAxis axis = JointAxis::world_x;
    JointLaw law = JointLaw::locked;
    float lower = 0.0f, upper = 0.0f;
    float speed = 0.0f;
    /// Of a spring, in 1/s, with the masses that the row feels; 0: rigid.
    float hertz = 0.0f, damping_ratio = 1.0f;
    float max_force = std::numeric_limits<float>::infinity();  // N, or N m

    bool rigid() const { return !(hertz > 0.0f); }
    bool operator==(const JointRow&) const = default;
};
static_assert(sizeof(JointRow) == 28);

/// A frame of a joint on a body, about its centre of mass.
struct JointFrame {
    Vec3 origin{0.0f, 0.0f, 0.0f};
    Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
    bool operator==(const JointFrame&) const = default;
};

}  // namespace proxima::physics
