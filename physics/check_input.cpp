// SPDX-License-Identifier: MIT
#include "physics/check_input.h"

#include <cmath>
#include <string>

namespace proxima::physics {

namespace {

bool is_unit(const Quat& q) { return std::abs(glm::dot(q, q) - 1.0f) < 1e-3f; }
bool is_at_least_zero(float x) { return std::isfinite(x) && x >= 0.0f; }

}  // namespace

Result<void> check_pose(const Pose& pose, const char* of) {
    if (!is_finite(pose.position))
        return Error{std::string("The position of ") + of + " must be three finite numbers."};
    if (!is_finite(pose.rotation) || !is_unit(pose.rotation))
        return Error{std::string("The rotation of ") + of + " must be a unit quaternion."};
    return {};
}

Result<void> check_velocity(const Velocity& velocity) {
    if (!is_finite(velocity.linear) || !is_finite(velocity.angular))
        return Error{"The velocity of a body must be finite."};
    return {};
}

Result<void> check_material(const Material& m) {
    if (!is_at_least_zero(m.friction)) return Error{"Friction must be a finite number, 0 or greater."};
    if (!(m.restitution >= 0.0f && m.restitution <= 1.0f)) return Error{"Restitution must lie between 0 and 1."};
    if (!is_finite(m.friction_direction))
        return Error{"The direction of a surface's grain must be three finite numbers; zero for none."};
    if (!is_at_least_zero(m.friction_across))
        return Error{"Friction across the grain must be a finite number, 0 or greater."};
    if (!is_at_least_zero(m.torsional_friction))
        return Error{"Torsional friction must be a finite radius in m, 0 or greater."};
    if (!is_at_least_zero(m.rolling_friction))
        return Error{"Rolling friction must be a finite radius in m, 0 or greater."};
    if (m.friction_combine > Combine::geometric_mean || m.restitution_combine > Combine::geometric_mean ||
        m.moment_combine > Combine::geometric_mean)
        return Error{"A combine mode must be average, minimum, maximum, multiply or geometric_mean."};
    return {};
}

Result<void> check_density(float density) {
    if (!(std::isfinite(density) && density > 0.0f))
        return Error{"The density of a collider must be a positive finite number of kg/m3."};
    return {};
}

}  // namespace proxima::physics
