// SPDX-License-Identifier: MIT
// Forces of a game's surroundings: blasts, attraction, wind and water. Plain functions that push bodies through
// PhysicsWorld; those that give forces are called before every step.
#pragma once

#include <cstdint>

#include "engine/core/result.h"
#include "physics/world.h"

namespace proxima::physics {

/// How a push of strength 1 at the centre grows less with the distance d, and ends at the radius R.
enum class Falloff : uint8_t {
    none,       // 1
    linear,     // 1 - d / R
    quadratic,  // (1 - d / R)^2
};
inline constexpr int kFalloffCount = 3;

/// Pushes dynamic bodies away from a point, along the line to their centres of mass; towards it where it is negative. A
/// body whose centre is at that point has no such line and gets nothing.
struct RadialPush {
    Vec3 center{0.0f, 0.0f, 0.0f};
    float radius = 1.0f;                // m: what is farther away gets nothing
    float strength = 0.0f;              // N s of an explosion, N of a force; that of each body
    Falloff falloff = Falloff::linear;  //
    uint32_t mask = 0xFFFFFFFFu;        // bits of Collider::layer, one of which a collider of the body must be on
};
/// Gives every body in reach an impulse at once; says how many that were.
Result<uint32_t> explode(PhysicsWorld& world, const RadialPush& push);
/// Gives every body in reach a force for the next step; says how many that were.
Result<uint32_t> apply_radial_force(PhysicsWorld& world, const RadialPush& push);

/// Air, or anything else that streams past.
struct Wind {
    Vec3 velocity{0.0f, 0.0f, 0.0f};  // m/s
    float density = 1.2f;             // kg/m3
    float drag_coefficient = 1.0f;    // of all shapes: about 0.5 of a ball, 1 of a cube
};
/// Drag for the next step, of dt: density / 2 . coefficient . area . u^2 along u, the wind less the velocity of the
/// collider's centre, with the area that the collider shows to it. Acts there, so that what is lopsided turns. Colliders do
/// not shade each other. What is so light that it would be faster than the wind within the step gets its velocity.
Result<void> apply_wind(PhysicsWorld& world, Entity body, const Wind& wind, float dt);

/// A body of water below a plane.
struct Water {
    Vec3 surface{0.0f, 0.0f, 0.0f};   // a point of its surface
    Vec3 normal{0.0f, 1.0f, 0.0f};    // upwards, unit
    Vec3 velocity{0.0f, 0.0f, 0.0f};  // m/s, of its stream
    float density = 1000.0f;          // kg/m3
    float linear_drag = 1.0f;         // 1/s: what is under water loses that share of its velocity against the stream,
    float angular_drag = 1.0f;        // 1/s: and that of its spin, as far as it is under water
};
/// Buoyancy and drag for the next step, of dt: the weight of the displaced water, in its centre, of each collider.
/// Colliders that overlap displace twice.
Result<void> apply_water(PhysicsWorld& world, Entity body, const Water& water, float dt);

/// The part of a placed shape that lies below a plane.
struct Submerged {
    float volume = 0.0f;            // m3
    Vec3 center{0.0f, 0.0f, 0.0f};  // world
};
/// Exact, but of a capsule, which is summed up in slices to 1e-4 of its volume. Nothing of what has no end.
Submerged submerged_part(const Shape& shape, const Transform& pose, const Vec3& point, const Vec3& normal);
/// m2 that a placed shape shows to who looks along a unit direction.
float shown_area(const Shape& shape, const Transform& pose, const Vec3& direction);

}  // namespace proxima::physics
