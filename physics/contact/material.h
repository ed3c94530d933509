// SPDX-License-Identifier: MIT
// What two surfaces make of their friction and restitution.
#pragma once

#include "physics/components.h"

namespace proxima::physics {

float combine(float a, float b, Combine mode);
/// Of two modes the later one in the list of Combine decides. Friction along the grain, where there is one.
float combine_friction(const Material& a, const Material& b);
float combine_restitution(const Material& a, const Material& b);

/// The part of a material that every contact needs, and whether there is more.
struct ContactMaterial {
    float friction = 0.0f;
    float restitution = 0.0f;
    Combine friction_combine = Combine::geometric_mean;
    Combine restitution_combine = Combine::maximum;
    bool has_extended_friction = false;  // grain, torsional or rolling friction
    bool surface_moves = false;          // it is a conveyor belt
};
static_assert(sizeof(ContactMaterial) == 12);
bool has_extended_friction(const Material& material);
ContactMaterial contact_material(const Material& material);
float combine_friction(const ContactMaterial& a, const ContactMaterial& b);
float combine_restitution(const ContactMaterial& a, const ContactMaterial& b);

/// A surface at a contact: its material, and its grain in the world, any length, zero for none.
struct GrainySurface {
    const Material& material;
    Vec3 grain;
};
/// Friction of two surfaces with normal n. `tangent1` comes in as the usual one and leaves as the axis that
/// `along` belongs to; `across` belongs to n x tangent1.
struct CombinedFriction {
    float along = 0.0f, across = 0.0f;
    float torsion_radius = 0.0f, rolling_radius = 0.0f;
    bool is_plain() const { return along == across && torsion_radius == 0.0f && rolling_radius == 0.0f; }
};
CombinedFriction combine_all_friction(const GrainySurface& a, const GrainySurface& b, const Vec3& normal,
                                      Vec3& tangent1);

}  // namespace proxima::physics
