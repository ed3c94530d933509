// SPDX-License-Identifier: MIT
// How large the numbers may be that a game gives to a world: what lies beyond is a mistake, and single precision
// would make nonsense of it within a few steps. Sizes of shapes have theirs in shapes/shape.h. docs/components.md has
// the table.
#pragma once

namespace proxima::physics {

inline constexpr float kMaxCoordinate = 1e7f;  // m from the origin; floats are a metre apart there
inline constexpr float kMaxSpeed = 1e6f;       // m/s, and rad/s
inline constexpr float kMaxStepTime = 100.0f;  // s
inline constexpr float kMinMass = 1e-18f;      // kg: a ball of the smallest size has 4e-15
inline constexpr float kMaxMass = 1e24f;       // kg: a cube of the largest size has 8e21
inline constexpr float kMaxForce = 1e15f;      // N, and N m
inline constexpr double kMaxSweeps = 1e5;      // of a step: sub-steps times iterations; more would not end in time
inline constexpr float kMaxFriction = 1e6f;
inline constexpr float kMaxGravity = 1e6f;  // m/s2, and times the gravity scale of a body

/// m, m/s and rad/s: a body that was written, or got, beyond is left out of steps as one that is not finite. Products
/// of three such numbers are within what floats hold.
inline constexpr float kMaxStepped = 1e12f;

}  // namespace proxima::physics
