// SPDX-License-Identifier: MIT
// Contact problems on their way to the device and back: what goes where stands in layout.h.
#include <bit>

#include "compute/prox_gpu.h"

namespace proxima::compute {

/// Numbers the bodies that contacts touch, in the order of their slots: a world may have many more, and a
/// pass would carry all of them along.
void ProxGpu::number_bodies(const physics::ContactProblem& problem) {
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

void ProxGpu::pack(const physics::ContactProblem& problem) {
    lambda_.resize(order_.size());
    for (size_t i = 0; i < order_.size(); ++i) {
        const Vec3& l = problem.contacts[order_[i]].lambda;
        lambda_[i] = {l.x, l.y, l.z, 0.0f};
    }
}

/// The planes of contacts, written straight to where the device gets them from.
Result<void> ProxGpu::upload_frames(const physics::ContactProblem& problem) {
    const size_t n = problem.contacts.size();
    const Result<std::span<std::byte>> memory =
        commands_->stage(buffers_[layout::kFrames], 0, layout::kFramePlanes * n * sizeof(Float4));
    if (!memory) return Error{memory.error()};
    auto* frames = reinterpret_cast<Float4*>(memory->data());
    for (size_t i = 0; i < n; ++i) {
        const physics::Contact& c = problem.contacts[order_[i]];
        const auto put = [&](uint32_t plane, const Vec3& v, float w) { frames[plane * n + i] = {v.x, v.y, v.z, w}; };
        put(layout::kPlaneNormal, c.normal, c.friction);
        put(layout::kPlaneTangent1, c.tangent1, c.bias);
        put(layout::kPlaneTangent2, c.tangent2, c.compliance);
        put(layout::kPlaneArmA, c.arm_a, std::bit_cast<float>(number_[c.a]));
        put(layout::kPlaneArmB, c.arm_b, std::bit_cast<float>(number_[c.b]));
    }
    return {};
}

Result<void> ProxGpu::upload_bodies(const physics::ContactProblem& problem) {
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

void ProxGpu::pack_extra(const physics::ContactProblem& problem) {
    extra_.assign(problem.contacts.size(), {});
    spin_.assign(problem.contacts.size(), {});
    for (size_t i = 0; i < order_.size(); ++i) {
        const uint32_t k = problem.extra_of_contact[order_[i]];
        if (k == physics::kNoExtra) continue;
        const physics::ExtraFriction& x = problem.extras[k];
        extra_[i] = {x.across, x.torsion_radius, x.rolling_radius, 1.0f};
        spin_[i] = {x.lambda.x, x.lambda.y, x.lambda.z, 0.0f};
    }
}

void ProxGpu::store(physics::ContactProblem& problem) const {
    for (size_t i = 0; i < lambda_.size(); ++i)
        problem.contacts[order_[i]].lambda = Vec3(lambda_[i].x, lambda_[i].y, lambda_[i].z);
    for (size_t i = 0; !problem.extra_of_contact.empty() && i < order_.size(); ++i)
        if (const uint32_t k = problem.extra_of_contact[order_[i]]; k != physics::kNoExtra)
            problem.extras[k].lambda = Vec3(spin_[i].x, spin_[i].y, spin_[i].z);
    for (size_t b = 0; b < velocity_.size(); ++b) {
        const uint32_t slot = slots_[b];
        if (!(problem.inverse_mass[slot].mass > 0.0f)) continue;  // shared with others: read, never written
        problem.velocity[slot].linear = velocity_[b].linear;
        problem.velocity[slot].angular = velocity_[b].angular;
    }
}

}  // namespace proxima::compute
