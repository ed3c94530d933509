// SPDX-License-Identifier: MIT
#include "physics/contact/material.h"

#include <algorithm>
#include <cmath>

namespace proxima::physics {

float combine(float a, float b, Combine mode) {
    switch (mode) {
        case Combine::average:
            return 0.5f * (a + b);
        case Combine::minimum:
            return std::min(a, b);
        case Combine::maximum:
            return std::max(a, b);
        case Combine::multiply:
            return a * b;
        case Combine::geometric_mean:
            return a == b ? a : std::sqrt(a * b);  // exact for equal surfaces
    }
    return 0.0f;
}

float combine_friction(const Material& a, const Material& b) {
    return combine(a.friction, b.friction, std::max(a.friction_combine, b.friction_combine));
}

float combine_restitution(const Material& a, const Material& b) {
    return combine(a.restitution, b.restitution, std::max(a.restitution_combine, b.restitution_combine));
}

bool has_extended_friction(const Material& m) {
    const bool grain = glm::dot(m.friction_direction, m.friction_direction) > 0.0f;
    return (grain && m.friction_across != m.friction) || m.torsional_friction > 0.0f || m.rolling_friction > 0.0f;
}

ContactMaterial contact_material(const Material& m) {
    return {m.friction,
            m.restitution,
            m.friction_combine,
            m.restitution_combine,
            has_extended_friction(m),
            m.surface_velocity != Vec3(0.0f)};
}

float combine_friction(const ContactMaterial& a, const ContactMaterial& b) {
    return combine(a.friction, b.friction, std::max(a.friction_combine, b.friction_combine));
}

float combine_restitution(const ContactMaterial& a, const ContactMaterial& b) {
    return combine(a.restitution, b.restitution, std::max(a.restitution_combine, b.restitution_combine));
}

namespace {

bool has_grain(const GrainySurface& s) {
    return glm::dot(s.grain, s.grain) > 0.0f && s.material.friction_across != s.material.friction;
}

/// How different the two coefficients are, from 0 to 1.
float contrast(const GrainySurface& s) {
    if (!has_grain(s)) return 0.0f;
    const float f = s.material.friction, g = s.material.friction_across;
    return std::abs(f - g) / (f + g);
}

/// Coefficient of a surface along a direction d of the world. The coefficients of all directions are an ellipsoid
/// with the grain as its axis; a contact plane cuts an ellipse out of it, whatever its angle to the grain.
float coefficient_along(const GrainySurface& s, const Vec3& d) {
    const float f = s.material.friction, g = s.material.friction_across;
    if (!has_grain(s)) return f;
    constexpr float kAligned = 1e-6f;
    const float cosine = glm::dot(glm::normalize(s.grain), d);
    const float along = std::min(1.0f, cosine * cosine), aside = 1.0f - along;
    if (aside <= kAligned) return f;
    if (along <= kAligned) return g;
    // 1 / sqrt(along / f^2 + aside / g^2)
    const float below = std::sqrt(along * g * g + aside * f * f);
    return below > 0.0f ? f * g / below : 0.0f;
}

}  // namespace

CombinedFriction combine_all_friction(const GrainySurface& a, const GrainySurface& b, const Vec3& normal,
                                      Vec3& tangent1) {
    // The surface with the stronger grain gives the axes; the other one's coefficients are taken along them.
    const GrainySurface& leader = contrast(a) >= contrast(b) ? a : b;
    if (has_grain(leader)) {
        const Vec3 grain = glm::normalize(leader.grain);
        const Vec3 flat = grain - normal * glm::dot(normal, grain);
        constexpr float kUpright = 1e-3f;  // the plane cuts a circle
        if (glm::dot(flat, flat) > kUpright * kUpright) tangent1 = glm::normalize(flat);
    }
    const Vec3 tangent2 = glm::cross(normal, tangent1);
    const Combine friction = std::max(a.material.friction_combine, b.material.friction_combine);
    const Combine moments = std::max(a.material.moment_combine, b.material.moment_combine);
    CombinedFriction c;
    c.along = combine(coefficient_along(a, tangent1), coefficient_along(b, tangent1), friction);
    c.across = combine(coefficient_along(a, tangent2), coefficient_along(b, tangent2), friction);
    c.torsion_radius = combine(a.material.torsional_friction, b.material.torsional_friction, moments);
    c.rolling_radius = combine(a.material.rolling_friction, b.material.rolling_friction, moments);
    return c;
}

}  // namespace proxima::physics
