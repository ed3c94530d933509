// SPDX-License-Identifier: MIT
#include "physics/solvers/prox_jacobi_threads.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/assert.h"

#include "physics/solvers/iterate.h"
#include "physics/solvers/manifold_pass.h"
#include "physics/solvers/momentum.h"
#include "physics/solvers/r_factors.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kManifoldBlock = 128, kBodyBlock = 256;
using engine::JobBlock;
using engine::Share;

}  // namespace

bool ProxJacobiThreads::can_solve(const ContactProblem& problem, const SolveSettings& settings) {
    if (settings.jacobi_blocks != JacobiBlocks::manifolds || settings.r_strategy != RStrategy::local ||
        !problem.extras.empty() || problem.has_bilateral())
        return false;
    for (const ContactGroup& g : problem.groups)
        for (uint32_t i = g.begin + 1; i < g.end; ++i)
            if (problem.contacts[i].a != problem.contacts[g.begin].a ||
                problem.contacts[i].b != problem.contacts[g.begin].b)
                return false;
    return true;
}

/// Only the bodies that contacts touch, numbered in the order of their slots: a world may have many more.
void ProxJacobiThreads::pack(const ContactProblem& problem, engine::Jobs& jobs) {
    constexpr uint32_t kUntouched = 0xFFFFFFFFu;
    number_.assign(problem.velocity.size(), kUntouched);
    for (const Contact& c : problem.contacts) number_[c.a] = number_[c.b] = 0;
    slots_.clear();
    for (uint32_t slot = 0; slot < number_.size(); ++slot)
        if (number_[slot] != kUntouched) {
            number_[slot] = uint32_t(slots_.size());
            slots_.push_back(slot);
        }
    velocity_.resize(slots_.size());
    mass_.resize(slots_.size());
    for (size_t b = 0; b < slots_.size(); ++b) {
        velocity_[b] = problem.velocity[slots_[b]];
        mass_[b] = problem.inverse_mass[slots_[b]];
    }
    ahead_ = velocity_;
    manifolds_.clear();
    for (const ContactGroup& g : problem.groups) {
        const Contact& c = problem.contacts[g.begin];
        manifolds_.push_back({g.begin, g.end, number_[c.a], number_[c.b], 0.0f, 0.0f});
    }
    list_entries();
    const size_t n = problem.contacts.size();
    rows_.resize(n);
    lambda_.resize(n);
    next_.resize(n);
    effects_.resize(manifolds_.size());
    jobs.parallel_for(
        uint32_t(manifolds_.size()), kManifoldBlock,
        [&](const JobBlock& block) {
            for (uint32_t m = block.begin; m < block.end; ++m) {
                Manifold& manifold = manifolds_[m];
                const auto share = [&](uint32_t body) { return float(offsets_[body + 1] - offsets_[body]); };
                manifold.share_a = share(manifold.a);
                manifold.share_b = share(manifold.b);
                for (uint32_t i = manifold.begin; i < manifold.end; ++i) {
                    const Contact& c = problem.contacts[i];
                    const ManifoldSteps s =
                        manifold_steps(c, mass_[manifold.a], mass_[manifold.b], manifold.share_a, manifold.share_b);
                    rows_[i] = {c.normal,
                                c.tangent1,
                                c.tangent2,
                                c.arm_a,
                                c.arm_b,
                                c.friction,
                                c.bias,
                                c.compliance,
                                s.normal,
                                s.tangent,
                                c.normal_block + c.compliance,
                                largest_eigenvalue(c.tangent_block)};
                    lambda_[i] = c.lambda;
                }
            }
        },
        Share::affinity);
    before_ = lambda_;
}

/// For every body that can move its manifolds in their order. The others gather nothing: thousands may rest
/// on one of them.
void ProxJacobiThreads::list_entries() {
    const uint32_t bodies = uint32_t(slots_.size());
    const auto moves = [&](uint32_t body) { return mass_[body].mass > 0.0f; };
    offsets_.assign(bodies + 1, 0);
    for (const Manifold& m : manifolds_) {
        if (moves(m.a)) ++offsets_[m.a + 1];
        if (moves(m.b)) ++offsets_[m.b + 1];
    }
    for (uint32_t b = 0; b < bodies; ++b) offsets_[b + 1] += offsets_[b];
    entries_.resize(offsets_[bodies]);
    for (uint32_t k = 0; k < manifolds_.size(); ++k) {
        if (const uint32_t a = manifolds_[k].a; moves(a)) entries_[offsets_[a]++] = 2 * k;
        if (const uint32_t b = manifolds_[k].b; moves(b)) entries_[offsets_[b]++] = 2 * k + 1;
    }
    for (uint32_t b = bodies; b > 0; --b) offsets_[b] = offsets_[b - 1];
    offsets_[0] = 0;
}

void ProxJacobiThreads::sweep_manifolds(engine::Jobs& jobs, float scale, float beta) {
    const std::vector<BodyVelocity>& from = beta > 0.0f ? ahead_ : velocity_;
    jobs.parallel_for(
        uint32_t(manifolds_.size()), kManifoldBlock,
        [&](const JobBlock& block) {
            for (uint32_t m = block.begin; m < block.end; ++m) {
                const Manifold& manifold = manifolds_[m];
                ManifoldBodies bodies(from[manifold.a], from[manifold.b], mass_[manifold.a], mass_[manifold.b],
                                      manifold.share_a, manifold.share_b);
                for (uint32_t i = manifold.begin; i < manifold.end; ++i)
                    next_[i] = beta > 0.0f ? lambda_[i] + beta * (lambda_[i] - before_[i]) : lambda_[i];
                sweep_manifold(
                    manifold.begin, manifold.end, bodies, scale, [&](uint32_t i) -> const Row& { return rows_[i]; },
                    [&](uint32_t i) {
                        return ManifoldSteps{rows_[i].normal_step, rows_[i].tangent_step};
                    },
                    [&](uint32_t i) -> Vec3& { return next_[i]; });
                Effect effect{Vec3(0.0f), Vec3(0.0f), Vec3(0.0f)};
                for (uint32_t i = manifold.begin; i < manifold.end; ++i) {
                    const Row& c = rows_[i];
                    const Vec3 change = next_[i] - lambda_[i];
                    const Vec3 p = c.normal * change.x + c.tangent1 * change.y + c.tangent2 * change.z;
                    effect.impulse += p;
                    effect.moment_a += glm::cross(c.arm_a, p);
                    effect.moment_b += glm::cross(c.arm_b, p);
                }
                effects_[m] = effect;
            }
        },
        Share::affinity);
    // The oldest of the three becomes room for the next pass.
    before_.swap(lambda_);
    lambda_.swap(next_);
}

void ProxJacobiThreads::gather(engine::Jobs& jobs, float next_beta) {
    jobs.parallel_for(
        uint32_t(velocity_.size()), kBodyBlock,
        [&](const JobBlock& block) {
            for (uint32_t body = block.begin; body < block.end; ++body) {
                Vec3 linear(0.0f), angular(0.0f);
                for (uint32_t k = offsets_[body]; k < offsets_[body + 1]; ++k) {
                    const Effect& effect = effects_[entries_[k] >> 1];
                    if (entries_[k] & 1) {
                        linear += effect.impulse;
                        angular += effect.moment_b;
                    } else {
                        linear -= effect.impulse;
                        angular -= effect.moment_a;
                    }
                }
                BodyVelocity& v = velocity_[body];
                const Vec3 change_linear = linear * mass_[body].mass;
                const Vec3 change_angular = mass_[body].inertia * angular;
                v.linear += change_linear;
                v.angular += change_angular;
                ahead_[body].linear = v.linear + next_beta * change_linear;
                ahead_[body].angular = v.angular + next_beta * change_angular;
            }
        },
        Share::affinity);
}

/// The natural map of contact/residual.h, worst contact, in m/s.
double ProxJacobiThreads::measure(engine::Jobs& jobs) {
    const uint32_t count = uint32_t(manifolds_.size());
    worst_.assign(engine::block_count(count, kManifoldBlock), 0.0);
    jobs.parallel_for(
        count, kManifoldBlock,
        [&](const JobBlock& block) {
            double worst = 0.0;
            for (uint32_t m = block.begin; m < block.end; ++m) {
                const BodyVelocity &a = velocity_[manifolds_[m].a], &b = velocity_[manifolds_[m].b];
                for (uint32_t i = manifolds_[m].begin; i < manifolds_[m].end; ++i) {
                    const Row& c = rows_[i];
                    const Vec3 v =
                        b.linear + glm::cross(b.angular, c.arm_b) - a.linear - glm::cross(a.angular, c.arm_a);
                    const double ln = double(lambda_[i].x), wn = double(c.normal_block);
                    const double wt = double(c.tangent_block);
                    const double vn = double(glm::dot(c.normal, v) + c.bias) + double(c.compliance) * ln;
                    const Real2<double> lt{double(lambda_[i].y), double(lambda_[i].z)};
                    const Real2<double> vt{double(glm::dot(c.tangent1, v)), double(glm::dot(c.tangent2, v))};
                    double error = wn > 0.0 ? std::abs(std::min(ln * wn, vn)) : 0.0;
                    if (wt > 0.0) {
                        const Real2<double> p = project_disk(Real2<double>{lt.x - vt.x / wt, lt.y - vt.y / wt},
                                                             double(c.friction) * std::max(0.0, ln));
                        error = std::max(error, wt * detail::length({lt.x - p.x, lt.y - p.y}));
                    }
                    // A sum is finite only when every term is; projections may swallow what is not a number.
                    const double sum = ln + lt.x + lt.y + vn + vt.x + vt.y + wn + wt + double(c.friction);
                    worst =
                        std::max(worst, std::isfinite(sum + error) ? error : std::numeric_limits<double>::infinity());
                }
            }
            worst_[block.block] = worst;
        },
        Share::affinity);
    return worst_.empty() ? 0.0 : *std::max_element(worst_.begin(), worst_.end());
}

void ProxJacobiThreads::save() {
    best_lambda_ = lambda_;
    best_velocity_ = velocity_;
}
void ProxJacobiThreads::restore() {
    lambda_ = best_lambda_;
    velocity_ = best_velocity_;
}

void ProxJacobiThreads::store(ContactProblem& problem) const {
    for (size_t i = 0; i < lambda_.size(); ++i) problem.contacts[i].lambda = lambda_[i];
    for (size_t b = 0; b < slots_.size(); ++b) {
        if (!(mass_[b].mass > 0.0f)) continue;  // shared with others: read, never written
        problem.velocity[slots_[b]].linear = velocity_[b].linear;
        problem.velocity[slots_[b]].angular = velocity_[b].angular;
    }
}

SolveReport ProxJacobiThreads::solve(ContactProblem& problem, const SolveSettings& settings, engine::Jobs& jobs) {
    PX_ASSERT(can_solve(problem, settings), "asked for what only the solver on one thread knows");
    const engine::JobBurst burst(jobs);
    pack(problem, jobs);
    // As Momentum: until roll-back first shortens the steps.
    bool moves_on = settings.momentum;
    uint32_t sweeps = 0;
    const SolveReport report = run_sweeps(
        *this, settings, shrink_factor(RStrategy::local), [&] { return measure(jobs); },
        [&](double scale) {
            moves_on = moves_on && scale == 1.0;
            sweep_manifolds(jobs, float(scale), moves_on ? float(momentum_after(sweeps)) : 0.0f);
            ++sweeps;
            gather(jobs, moves_on ? float(momentum_after(sweeps)) : 0.0f);
        });
    store(problem);
    return report;
}

}  // namespace proxima::physics
