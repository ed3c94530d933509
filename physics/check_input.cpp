// SPDX-License-Identifier: MIT
#include "physics/check_input.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "physics/bodies/mass.h"
#include "physics/contact/material.h"
#include "physics/limits.h"
#include "physics/shapes/shape_classes.h"
#include "physics/solvers/solver.h"

namespace proxima::physics {

namespace {

bool is_unit(const Quat& q) { return std::abs(glm::dot(q, q) - 1.0f) < 1e-3f; }
bool is_at_least_zero(float x) { return std::isfinite(x) && x >= 0.0f; }
bool is_within(const Vec3& v, float most) {
    return std::abs(v.x) <= most && std::abs(v.y) <= most && std::abs(v.z) <= most;
}

}  // namespace

Result<void> check_pose(const Pose& pose, const char* of) {
    if (!is_finite(pose.position))
        return Error{std::string("The position of ") + of + " must be three finite numbers."};
    if (!is_within(pose.position, kMaxCoordinate))
        return Error{std::string("The position of ") + of + " must lie within 10,000 km of the origin."};
    if (!is_finite(pose.rotation) || !is_unit(pose.rotation))
        return Error{std::string("The rotation of ") + of + " must be a unit quaternion."};
    return {};
}

Result<void> check_velocity(const Velocity& velocity) {
    if (!is_finite(velocity.linear) || !is_finite(velocity.angular))
        return Error{"The velocity of a body must be finite."};
    if (!is_within(velocity.linear, kMaxSpeed) || !is_within(velocity.angular, kMaxSpeed))
        return Error{"The velocity of a body must be at most 1,000,000 m/s and rad/s."};
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
    if (!is_finite(m.surface_velocity))
        return Error{"The velocity of a surface must be three finite numbers; zero for one that does not move."};
    if (!is_within(m.surface_velocity, kMaxSpeed))
        return Error{"The velocity of a surface must be at most 1,000,000 m/s."};
    if (std::max(m.friction, m.friction_across) > kMaxFriction) return Error{"Friction must be at most 1,000,000."};
    if (std::max(m.torsional_friction, m.rolling_friction) > kMaxShapeSize)
        return Error{"The radius of torsional or rolling friction must be at most 1,000,000 m."};
    if (m.friction_combine > Combine::geometric_mean || m.restitution_combine > Combine::geometric_mean ||
        m.moment_combine > Combine::geometric_mean)
        return Error{"A combine mode must be average, minimum, maximum, multiply or geometric_mean."};
    return {};
}

Result<void> check_force(const Vec3& force, const Vec3& torque) {
    if (!is_within(force, kMaxForce) || !is_within(torque, kMaxForce))  // refuses what is no number too
        return Error{"The forces on a body must add up to at most 1e15 N and N m."};
    return {};
}

Result<void> check_contact_rules(const ContactRules& rules) {
    if (!is_within(rules.one_way, kMaxCoordinate))
        return Error{"The one-way direction of a collider must be three finite numbers; zero for none."};
    if (!is_at_least_zero(rules.hit_speed))
        return Error{"The hit speed of a collider must be a finite number of m/s, or 0 for the world's."};
    if (!is_at_least_zero(rules.force_threshold))
        return Error{"The force threshold of a collider must be a finite number of N, or 0 for none."};
    if (!is_at_least_zero(rules.break_impulse))
        return Error{"The break impulse of a collider must be a finite number of N s, or 0 for what does not break."};
    return {};
}

Result<void> check_density(float density) {
    if (!(std::isfinite(density) && density > 0.0f))
        return Error{"The density of a collider must be a positive finite number of kg/m3."};
    return {};
}

namespace {

Result<void> check_limits(const RigidBody& body) {
    if (!is_at_least_zero(body.max_linear_speed) || !is_at_least_zero(body.max_angular_speed))
        return Error{"A speed limit of a body must be a finite number of m/s or rad/s, 0 or greater; 0 is none."};
    if ((body.locked_axes & ~uint32_t(kLockRotation)) != 0)
        return Error{"The locked axes of a body must be bits of LockedAxes; only rotations can be locked."};
    return {};
}

}  // namespace

Result<void> check_rigid_body(const RigidBody& body) {
    if (body.type > BodyType::dynamic) return Error{"The type of a body must be fixed, kinematic or dynamic."};
    if (!std::isfinite(body.gravity_scale)) return Error{"The gravity scale of a body must be finite."};
    if (std::abs(body.gravity_scale) > kMaxGravity)
        return Error{"The gravity scale of a body must lie between -1,000,000 and 1,000,000."};
    if (!is_at_least_zero(body.linear_damping))
        return Error{"The linear damping of a body must be a finite number per second, 0 or greater."};
    if (!is_at_least_zero(body.angular_damping))
        return Error{"The angular damping of a body must be a finite number per second, 0 or greater."};
    return check_limits(body);
}

Result<void> check_solver_knows(const Material& material, const std::string& solver) {
    if (!has_extended_friction(material) || find_solver(solver)->extra_friction) return {};
    return Error{"The solver '" + solver +
                 "' knows one coefficient of friction a contact; surfaces with a grain, torsional or rolling "
                 "friction need prox_gs or prox_jacobi."};
}

Result<void> check_mass(const Mass& mass) {
    if (is_sensible(mass)) return {};
    const bool is_number = std::isfinite(mass.mass) && mass.mass > 0.0f && is_finite(mass.center);
    if (is_number && (mass.mass < kMinMass || mass.mass > kMaxMass || !is_within(mass.center, kMaxCoordinate)))
        return Error{"The mass of a dynamic body must lie between 1e-18 kg and 1e24 kg, its centre within 10,000 km."};
    return Error{
        "The mass and inertia of a dynamic body must be positive numbers that a float can hold, and so must their "
        "inverses, and no principal moment may be more than the sum of the other two: check the sizes and densities of "
        "its colliders, and its mass."};
}

Result<void> check_collider(const Collider& collider, BodyType type, const WorldContent& world) {
    if (!world.shapes.contains(collider.shape))
        return Error{"The shape of a collider must be one of this world's library."};
    if (auto ok = check_pose(collider.local, "a collider"); !ok) return ok;
    if (auto ok = check_material(collider.material); !ok) return ok;
    if (auto ok = check_solver_knows(collider.material, world.solver); !ok) return ok;
    if (auto ok = check_density(collider.density); !ok) return ok;
    const Shape& shape = world.shapes.get(collider.shape);
    if (auto ok = check_on_body(shape, type != BodyType::fixed); !ok) return ok;
    if (type != BodyType::dynamic || collider.is_sensor) return {};
    MassAccumulator sum;
    sum.add(shape.mass, {collider.local.position, collider.local.rotation}, collider.density);
    if (!is_sensible(sum.result()))
        return Error{"The collider's size and density give a mass or inertia outside what a float can hold."};
    return {};
}

Result<void> check_body(const BodyDesc& desc, const WorldContent& world) {
    if (auto ok = check_pose(desc.pose, "a body"); !ok) return ok;
    if (auto ok = check_velocity(desc.velocity); !ok) return ok;
    if (auto ok = check_rigid_body(desc.rigid_body()); !ok) return ok;
    if (!is_at_least_zero(desc.mass))
        return Error{"The mass of a body must be a positive finite number of kg, or 0 for 'from the colliders'."};
    if (desc.mass > 0.0f && !std::isfinite(1.0f / desc.mass))
        return Error{"The mass of a body is too small to be inverted."};
    for (size_t k = 0; k < desc.colliders.size(); ++k)
        if (auto ok = check_collider(desc.colliders[k], desc.type, world); !ok)
            return Error{"colliders[" + std::to_string(k) + "]: " + ok.error()};
    if (desc.contact_rules.size() > desc.colliders.size())
        return Error{"A body has at most as many contact rules as colliders."};
    for (size_t k = 0; k < desc.contact_rules.size(); ++k)
        if (auto ok = check_contact_rules(desc.contact_rules[k]); !ok)
            return Error{"contact_rules[" + std::to_string(k) + "]: " + ok.error()};
    if (desc.type != BodyType::dynamic) return {};
    return check_mass(mass_of_desc(desc, world.shapes));
}

}  // namespace proxima::physics
