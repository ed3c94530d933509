// SPDX-License-Identifier: MIT
// Contact problems on their way to the device and back: what goes where stands in layout.h.
#include <bit>

#include "compute/prox_jacobi_gpu.h"

namespace proxima::compute {

/// Numbers the bodies that contacts touch, in the order of their slots: a world may have many more, and a
/// pass would carry all of them along.
void ProxJacobiGpu::number_bodies(const physics::ContactProblem& problem) {
    constexpr uint32_t kUntouched = 0xFFFFFFFFu;
    number_.assign(problem.velocity.size(), kUntouched);
    for (const physics::Contact& c : problem.contacts) number_[c.a] = number_[c.b] = 0;
    slots_.clear();
    for (uint32_t slot = 0; slot < number_.size(); ++slot) {
        if (number_[slot] == kUntouched) continue;
        number_[slot] = uint32_t(slots_.size());
        slots_.push_back(slot);
    }
}

/// Impulses, and for every body that can move the list of its contacts in their order. Bodies that cannot
/// move get none: thousands of contacts may rest on one of them, and their sum would change nothing.
void ProxJacobiGpu::pack(const physics::ContactProblem& problem) {
    number_bodies(problem);
    const uint32_t n = uint32_t(problem.contacts.size()), bodies = uint32_t(slots_.size());
    lambda_.resize(n);
    offsets_.assign(bodies + 1, 0);
    const auto moves = [&](uint32_t slot) { return problem.inverse_mass[slot].mass > 0.0f; };
    for (uint32_t i = 0; i < n; ++i) {
        const physics::Contact& c = problem.contacts[i];
        lambda_[i] = {c.lambda.x, c.lambda.y, c.lambda.z, 0.0f};
        if (moves(c.a)) ++offsets_[number_[c.a] + 1];
        if (moves(c.b)) ++offsets_[number_[c.b] + 1];
    }
    for (uint32_t b = 0; b < bodies; ++b) offsets_[b + 1] += offsets_[b];
    entries_.resize(offsets_[bodies]);
    // offsets_[b] runs through the places of b and ends at the begin of b + 1; then everything moves up by
    // one.
    for (uint32_t i = 0; i < n; ++i) {
        const physics::Contact& c = problem.contacts[i];
        if (moves(c.a)) entries_[offsets_[number_[c.a]]++] = 2 * i;
        if (moves(c.b)) entries_[offsets_[number_[c.b]]++] = 2 * i + 1;
    }
    for (uint32_t b = bodies; b > 0; --b) offsets_[b] = offsets_[b - 1];
    offsets_[0] = 0;
}

/// The planes of contacts, written straight to where the device gets them from.
Result<void> ProxJacobiGpu::upload_frames(const physics::ContactProblem& problem) {
    const size_t n = problem.contacts.size();
    const Result<std::span<std::byte>> memory =
        commands_->stage(buffers_[layout::kFrames], 0, layout::kFramePlanes * n * sizeof(Float4));
    if (!memory) return Error{memory.error()};
    auto* frames = reinterpret_cast<Float4*>(memory->data());
    for (size_t i = 0; i < n; ++i) {
        const physics::Contact& c = problem.contacts[i];
        const auto put = [&](uint32_t plane, const Vec3& v, float w) {
            frames[plane * n + i] = {v.x, v.y, v.z, w};
        };
        put(layout::kPlaneNormal, c.normal, c.friction);
        put(layout::kPlaneTangent1, c.tangent1, c.bias);
        put(layout::kPlaneTangent2, c.tangent2, c.compliance);
        put(layout::kPlaneArmA, c.arm_a, std::bit_cast<float>(number_[c.a]));
        put(layout::kPlaneArmB, c.arm_b, std::bit_cast<float>(number_[c.b]));
    }
    return {};
}

Result<void> ProxJacobiGpu::upload_bodies(const physics::ContactProblem& problem) {
    using Mass = physics::BodyInverseMass;
    using Velocity = physics::BodyVelocity;
    const Result<std::span<std::byte>> mass =
        commands_->stage(buffers_[layout::kMass], 0, slots_.size() * sizeof(Mass));
    if (!mass) return Error{mass.error()};
    const Result<std::span<std::byte>> velocity =
        commands_->stage(buffers_[layout::kVelocity], 0, slots_.size() * sizeof(Velocity));
    if (!velocity) return Error{velocity.error()};
    for (size_t b = 0; b < slots_.size(); ++b) {
        reinterpret_cast<Mass*>(mass->data())[b] = problem.inverse_mass[slots_[b]];
        reinterpret_cast<Velocity*>(velocity->data())[b] = problem.velocity[slots_[b]];
    }
    return {};
}

void ProxJacobiGpu::pack_extra(const physics::ContactProblem& problem) {
    extra_.assign(problem.contacts.size(), {});
    spin_.assign(problem.contacts.size(), {});
    for (size_t i = 0; i < problem.extra_of_contact.size(); ++i) {
        if (problem.extra_of_contact[i] == physics::kNoExtra) continue;
        const physics::ExtraFriction& x = problem.extras[problem.extra_of_contact[i]];
        extra_[i] = {x.across, x.torsion_radius, x.rolling_radius, 1.0f};
        spin_[i] = {x.lambda.x, x.lambda.y, x.lambda.z, 0.0f};
    }
}

void ProxJacobiGpu::store(physics::ContactProblem& problem) const {
    for (size_t i = 0; i < lambda_.size(); ++i)
        problem.contacts[i].lambda = Vec3(lambda_[i].x, lambda_[i].y, lambda_[i].z);
    for (size_t i = 0; i < problem.extra_of_contact.size(); ++i)
        if (const uint32_t k = problem.extra_of_contact[i]; k != physics::kNoExtra)
            problem.extras[k].lambda = Vec3(spin_[i].x, spin_[i].y, spin_[i].z);
    for (size_t b = 0; b < velocity_.size(); ++b) {
        const uint32_t slot = slots_[b];
        if (!(problem.inverse_mass[slot].mass > 0.0f)) continue;  // shared with others: read, never written
        problem.velocity[slot].linear = velocity_[b].linear;
        problem.velocity[slot].angular = velocity_[b].angular;
    }
}

}  // namespace proxima::compute
