// SPDX-License-Identifier: MIT
// Free motion of the bodies: forces into velocities, velocities into positions and rotations.
#include <cmath>

#include "physics/step.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kBodiesPerBlock = 256;
constexpr float kResolvedTurn = 0.25f;  // rad per sub-step

/// One rotation of a body that keeps its angular momentum L = I w: the half-way angular velocity turns it
/// (second order), and the new one is I^-1 L in the new orientation. Exact for L whatever the step, where the
/// usual explicit term w x I w gains energy and the implicit one loses it.
void turn_keeping_momentum(const BodyFacts& facts, float h, Quat& rotation, Vec3& angular_velocity) {
    const Quat& q = rotation;
    const Vec3 local = glm::conjugate(q) * angular_velocity;
    const Vec3 momentum = q * (facts.inertia_local * local);
    const auto spin_at = [&](const Quat& at) {
        return at * (facts.inverse_inertia_local * (glm::conjugate(at) * momentum));
    };
    const Quat half_way = integrate_rotation(q, angular_velocity, 0.5f * h);
    const Vec3 before = angular_velocity;
    rotation = integrate_rotation(q, spin_at(half_way), h);
    angular_velocity = spin_at(rotation);

    // A step that turns the body a good part of a circle no longer resolves the motion: with L fixed, w may
    // come out about an axis of less inertia and with more energy (w . L / 2), which contacts then turn into
    // more momentum. There energy is not let grow, at the price of momentum.
    const float energy = glm::dot(before, momentum), next = glm::dot(angular_velocity, momentum);
    const bool resolved = glm::dot(before, before) * h * h < kResolvedTurn * kResolvedTurn;
    if (!resolved && next > energy) angular_velocity *= std::sqrt(energy / next);
}

}  // namespace

void integrate_velocities(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::integrate));
    const float h = c.h;
    c.jobs->parallel_for(uint32_t(c.bodies.size()), kBodiesPerBlock, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const BodyInverseMass& inverse = c.bodies.inverse_mass[i];
            if (!c.bodies.awake[i] || inverse.mass == 0.0f || !moves_apart(c, i)) continue;
            const BodyFacts& facts = c.bodies.facts[i];
            BodyVelocity& v = c.bodies.velocity[i];
            v.linear += h * (facts.gravity_scale * c.settings.gravity + inverse.mass * facts.force);
            v.angular += h * (inverse.inertia * facts.torque);
            v.linear *= 1.0f / (1.0f + h * facts.linear_damping);
            v.angular *= 1.0f / (1.0f + h * facts.angular_damping);
        }
    });
}

void integrate_positions(StepContext& c, float h) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::integrate));
    c.jobs->parallel_for(uint32_t(c.bodies.size()), kBodiesPerBlock, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i) {
            if (!c.bodies.awake[i] || !moves_apart(c, i)) continue;
            const BodyFacts& facts = c.bodies.facts[i];
            BodyVelocity& v = c.bodies.velocity[i];
            BodyVelocity& moved = c.bodies.moved[i];
            Quat& rotation = c.bodies.place[i].rotation;
            moved.linear += h * v.linear;
            moved.angular += h * v.angular;
            if (c.settings.gyroscopic && facts.type == BodyType::dynamic && !facts.isotropic)
                turn_keeping_momentum(facts, h, rotation, v.angular);
            else
                rotation = integrate_rotation(rotation, v.angular, h);
        }
    });
}

void advance_half_step(StepContext& c) {
    integrate_positions(c, 0.5f * c.h);
    for (uint32_t i = 0; i < c.bodies.size(); ++i) {
        if (!c.bodies.awake[i]) continue;
        const BodyFacts& facts = c.bodies.facts[i];
        c.bodies.place[i].center += c.bodies.moved[i].linear;
        c.bodies.moved[i] = {};
        if (facts.type == BodyType::dynamic && !facts.isotropic)
            c.bodies.inverse_mass[i].inertia =
                rotate(facts.inverse_inertia_local, c.bodies.place[i].rotation);
    }
}

}  // namespace proxima::physics
