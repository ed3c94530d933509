// SPDX-License-Identifier: MIT
#include "samples/editor/model/monitor.h"

#include <algorithm>
#include <cmath>

namespace proxima::editor {

Mechanics mechanics_of(const physics::PhysicsWorld& world, std::span<const physics::Entity> bodies,
                       std::span<const physics::Mass> masses) {
    Mechanics sum;
    const entt::registry& registry = world.registry();
    const glm::dvec3 gravity(world.settings().gravity);
    for (size_t i = 0; i < bodies.size(); ++i) {
        const physics::Mass& mass = masses[i];
        if (!(mass.mass > 0.0f)) continue;
        const auto& pose = registry.get<physics::Pose>(bodies[i]);
        const auto& velocity = registry.get<physics::Velocity>(bodies[i]);
        const double m = double(mass.mass);
        const glm::dvec3 x(pose.position + pose.rotation * mass.center), v(velocity.linear);
        const glm::dvec3 w(glm::conjugate(pose.rotation) * velocity.angular);  // body frame
        const Sym3& t = mass.inertia;
        const glm::dvec3 spin(t.xx * w.x + t.xy * w.y + t.xz * w.z, t.xy * w.x + t.yy * w.y + t.yz * w.z,
                              t.xz * w.x + t.yz * w.y + t.zz * w.z);
        sum.kinetic += 0.5 * m * glm::dot(v, v) + 0.5 * glm::dot(w, spin);
        sum.potential -= m * double(registry.get<physics::RigidBody>(bodies[i]).gravity_scale) * glm::dot(gravity, x);
        sum.linear += m * v;
        const glm::dquat q(pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z);
        sum.angular += glm::cross(x, m * v) + q * spin;
    }
    return sum;
}

MonitorSample sample_of(const physics::PhysicsWorld& world, uint64_t step, std::span<const physics::Entity> bodies,
                        std::span<const physics::Mass> masses) {
    MonitorSample sample;
    sample.step = step;
    const physics::StepReport& report = world.report();
    sample.residual_mean = report.residual_mean;
    sample.residual_max = report.residual_max;
    sample.sag_mean = report.sag_mean;
    sample.sag_max = report.sag_max;
    sample.penetration_mean = report.penetration_mean;
    sample.penetration_max = report.penetration_max;
    sample.bodies = report.bodies;
    sample.sleeping = report.sleeping;
    sample.contacts = report.contacts;
    sample.pairs = report.pairs;
    sample.islands = report.islands;
    sample.mechanics = mechanics_of(world, bodies, masses);
    const auto stages = world.times().stages();
    for (size_t i = 0; i < std::min(stages.size(), kStageCount); ++i) {
        sample.stage_ms[i] = float(stages[i].last_ms);
        sample.step_ms += sample.stage_ms[i];
    }
    return sample;
}

void Monitor::clear() {
    count_ = 0;
    newest_ = 0;
    start_ = {};
}

void Monitor::add(const MonitorSample& sample) {
    if (count_ == 0) {
        start_ = sample;
    } else if (sample.step <= newest_) {
        if (sample.step >= oldest()) ring_[size_t(sample.step % ring_.size())] = sample;
        return;
    } else if (sample.step != newest_ + 1) {
        count_ = 0;  // a gap: what was before is no neighbour of what comes
    }
    newest_ = sample.step;
    count_ = std::min(count_ + 1, ring_.size());
    ring_[size_t(sample.step % ring_.size())] = sample;
}

void Monitor::truncate_after(uint64_t step) {
    if (count_ == 0 || step >= newest_) return;
    count_ = step < oldest() ? 0 : size_t(step + 1 - oldest());
    newest_ = step;
}

const MonitorSample* Monitor::at(uint64_t step) const {
    if (count_ == 0 || step > newest_ || step < oldest()) return nullptr;
    return &ring_[size_t(step % ring_.size())];
}

Audit audit(const MonitorSample& start, const MonitorSample& now) {
    Audit out;
    const double before = start.mechanics.total(), after = now.mechanics.total();
    out.energy_drift = after - before - now.outside.energy;
    // Potential energy has no zero of its own: what counts is what could move.
    const double largest = std::max({std::abs(start.mechanics.kinetic), std::abs(now.mechanics.kinetic),
                                     std::abs(now.mechanics.potential - start.mechanics.potential)});
    out.energy_relative = largest > 0.0 ? out.energy_drift / largest : 0.0;
    out.linear_drift = now.mechanics.linear - start.mechanics.linear - now.outside.impulse;
    out.angular_drift = now.mechanics.angular - start.mechanics.angular;
    return out;
}

}  // namespace proxima::editor
