// SPDX-License-Identifier: MIT
// Mass of a body from its colliders.
#pragma once

#include <span>

#include "physics/body_desc.h"
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

/// The Mass of a body with these colliders, in stable order, as the next step would have it: where it comes from and,
/// where MassSource says so, its total are those of `given`.
Mass mass_of_colliders(const Mass& given, std::span<const Collider> colliders, const ShapeLibrary& shapes);
/// Of a body that is to be made; its colliders' shapes are in the library.
Mass mass_of_desc(const BodyDesc& desc, const ShapeLibrary& shapes);

/// The inverse inertia, in the world, of a body that is turned like that and cannot turn about some axes of the world
/// (LockedAxes): that of the moments about the others, and exactly zero otherwise.
Sym3 free_inverse_inertia(const Sym3& inertia, const Quat& rotation, uint32_t locked_axes);

/// Within the limits of limits.h, with a positive definite inertia whose inverse is finite too.
bool is_sensible(const Mass& mass);

}  // namespace proxima::physics
