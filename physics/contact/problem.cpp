// SPDX-License-Identifier: MIT
#include "physics/contact/problem.h"

#include "engine/core/assert.h"
#include "physics/contact/symmetric3.h"

namespace proxima::physics {

void ContactProblem::compute_blocks(Contact& c) const {
    const BodyInverseMass& a = inverse_mass[c.a];
    const BodyInverseMass& b = inverse_mass[c.b];
    const float mass = a.mass + b.mass;
    // W_de = (1/m_a + 1/m_b) d.e + (r_a x d) . I_a^-1 (r_a x e) + (r_b x d) . I_b^-1 (r_b x e)
    const auto entry = [&](const Vec3& d, const Vec3& e) {
        return mass * glm::dot(d, e) + glm::dot(glm::cross(c.arm_a, d), a.inertia * glm::cross(c.arm_a, e)) +
               glm::dot(glm::cross(c.arm_b, d), b.inertia * glm::cross(c.arm_b, e));
    };
    c.normal_block = entry(c.normal, c.normal);
    c.tangent_block = {entry(c.tangent1, c.tangent1), entry(c.tangent1, c.tangent2),
                       entry(c.tangent2, c.tangent2)};
    c.tangent_step = step_of(largest_eigenvalue(c.tangent_block));
}

void ContactProblem::apply_warm_start(uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; ++i) {
        const Contact& c = contacts[i];
        const Vec3 impulse = c.normal * c.lambda.x + c.tangent1 * c.lambda.y + c.tangent2 * c.lambda.z;
        apply_impulse(c, impulse, inverse_mass, velocity);
    }
}

void BodySystem::save() {
    const uint32_t n = size();
    scratch_->lambda.resize(n);
    for (uint32_t i = 0; i < n; ++i) scratch_->lambda[i] = at(i).lambda;
    scratch_->velocity.resize(bodies_.size());
    for (size_t k = 0; k < bodies_.size(); ++k) scratch_->velocity[k] = problem_->velocity[bodies_[k]];
}

void BodySystem::restore() {
    const uint32_t n = size();
    for (uint32_t i = 0; i < n; ++i) at(i).lambda = scratch_->lambda[i];
    for (size_t k = 0; k < bodies_.size(); ++k) problem_->velocity[bodies_[k]] = scratch_->velocity[k];
}

void BodySystem::splitting_bounds(std::span<float> bounds) {
    const uint32_t n = size();
    PX_ASSERT(bounds.size() >= n, "one bound per contact");
    // Only the slots that these contacts name are cleared and read: the array spans all bodies of the world.
    std::vector<uint32_t>& count = scratch_->body_count;
    if (count.size() < problem_->velocity.size()) count.resize(problem_->velocity.size());
    for (uint32_t i = 0; i < n; ++i) count[at(i).a] = count[at(i).b] = 0;
    for (uint32_t i = 0; i < n; ++i) {
        ++count[at(i).a];
        ++count[at(i).b];
    }
    for (uint32_t i = 0; i < n; ++i) {
        const Contact& c = at(i);
        Symmetric3 sum{};
        const auto add = [&](const BodyInverseMass& body, const Vec3& arm, uint32_t contacts) {
            const Vec3 axis[3] = {c.normal, c.tangent1, c.tangent2};
            const auto entry = [&](int d, int e) {
                return double(contacts) *
                       (double(body.mass) * glm::dot(axis[d], axis[e]) +
                        glm::dot(glm::cross(arm, axis[d]), body.inertia * glm::cross(arm, axis[e])));
            };
            sum.xx += entry(0, 0);
            sum.yy += entry(1, 1);
            sum.zz += entry(2, 2);
            sum.xy += entry(0, 1);
            sum.xz += entry(0, 2);
            sum.yz += entry(1, 2);
        };
        add(problem_->inverse_mass[c.a], c.arm_a, count[c.a]);
        add(problem_->inverse_mass[c.b], c.arm_b, count[c.b]);
        bounds[i] = float(largest_eigenvalue(sum));
    }
}

}  // namespace proxima::physics
