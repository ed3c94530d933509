// SPDX-License-Identifier: MIT
#include "samples/bench/gpu/cpu_sweep.h"

#include <algorithm>
#include <numeric>

#include "physics/solvers/friction_set.h"

namespace proxima::bench {

CpuSweep::CpuSweep(physics::ContactProblem& problem)
    : impulse_(problem.contacts.size()),
      velocity_(problem.velocity.begin(), problem.velocity.end()),
      mass_(problem.inverse_mass.begin(), problem.inverse_mass.end()),
      offsets_(problem.velocity.size() + 1, 0) {
    std::vector<uint32_t> bodies(problem.velocity.size());
    std::iota(bodies.begin(), bodies.end(), 0u);
    physics::BodySystem::Scratch scratch;
    physics::BodySystem system(problem, 0, uint32_t(problem.groups.size()), bodies, scratch);
    std::vector<float> bounds(problem.contacts.size());
    system.splitting_bounds(bounds);
    std::vector<std::vector<uint32_t>> lists(problem.velocity.size());
    for (uint32_t i = 0; i < problem.contacts.size(); ++i) {
        const physics::Contact& c = problem.contacts[i];
        contacts_.push_back({c.a, c.b, c.normal, c.tangent1, c.tangent2, c.arm_a, c.arm_b, c.friction, c.bias,
                             c.compliance, physics::step_of(bounds[i] + c.compliance), physics::step_of(bounds[i]),
                             c.lambda});
        if (mass_[c.a].mass > 0.0f) lists[c.a].push_back(2 * i);
        if (mass_[c.b].mass > 0.0f) lists[c.b].push_back(2 * i + 1);
    }
    for (size_t b = 0; b < lists.size(); ++b) {
        entries_.insert(entries_.end(), lists[b].begin(), lists[b].end());
        offsets_[b + 1] = uint32_t(entries_.size());
    }
}

void CpuSweep::sweep(engine::Jobs& jobs) {
    constexpr uint32_t kBlock = 256;
    jobs.parallel_for(uint32_t(contacts_.size()), kBlock, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i) {
            Row& c = contacts_[i];
            const physics::BodyVelocity &a = velocity_[c.a], &b = velocity_[c.b];
            const Vec3 v = b.linear + glm::cross(b.angular, c.arm_b) - a.linear - glm::cross(a.angular, c.arm_a);
            const float vn = glm::dot(c.normal, v) + c.bias + c.compliance * c.lambda.x;
            const float next_n = std::max(0.0f, c.lambda.x - c.normal_step * vn);
            const physics::Real2<float> z{c.lambda.y - c.tangent_step * glm::dot(c.tangent1, v),
                                          c.lambda.z - c.tangent_step * glm::dot(c.tangent2, v)};
            const physics::Real2<float> t = physics::project_disk(z, c.friction * next_n);
            const Vec3 next(next_n, t.x, t.y), change = next - c.lambda;
            impulse_[i] = c.normal * change.x + c.tangent1 * change.y + c.tangent2 * change.z;
            c.lambda = next;
        }
    });
    jobs.parallel_for(uint32_t(velocity_.size()), kBlock, [&](const engine::JobBlock& block) {
        for (uint32_t body = block.begin; body < block.end; ++body) {
            Vec3 linear(0.0f), angular(0.0f);
            for (uint32_t k = offsets_[body]; k < offsets_[body + 1]; ++k) {
                const Row& c = contacts_[entries_[k] >> 1];
                const bool is_b = entries_[k] & 1;
                const Vec3 p = is_b ? impulse_[entries_[k] >> 1] : -impulse_[entries_[k] >> 1];
                linear += p;
                angular += glm::cross(is_b ? c.arm_b : c.arm_a, p);
            }
            velocity_[body].linear += linear * mass_[body].mass;
            velocity_[body].angular += mass_[body].inertia * angular;
        }
    });
}

}  // namespace proxima::bench
