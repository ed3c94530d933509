// SPDX-License-Identifier: MIT
// Mass of a body from its colliders.
#pragma once

#include "physics/components.h"
#include "physics/shapes/shape.h"

namespace proxima::physics {

/// Adds up shapes of a body in double precision, about the body's origin.
struct MassAccumulator {
    double mass = 0.0;
    double moment[3] = {0.0, 0.0, 0.0};
    double inertia[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};  // xx yy zz xy xz yz

    void add(const MassProperties& shape, const Transform& local, float density);
    /// Mass, centre and inertia about the centre; without any shape, a sphere of 1 kg and radius 0.5 m.
    Mass result() const;
};

/// The same distribution of mass with another total.
void scale_mass(Mass& mass, float total);

/// Positive and finite, with a positive definite inertia whose inverse is finite too.
bool is_sensible(const Mass& mass);

}  // namespace proxima::physics
