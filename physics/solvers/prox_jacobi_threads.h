// SPDX-License-Identifier: MIT
// prox_jacobi over manifolds for a whole problem at once, on several threads: manifolds in blocks, then bodies in
// blocks, each of which gathers what its manifolds did in their order. The same bits for any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/jobs/jobs.h"
#include "physics/contact/problem.h"
#include "physics/solvers/solver.h"

namespace proxima::physics {

class ProxJacobiThreads {
  public:
    /// Whether it knows what is asked for: manifolds of contacts with local steps and plain friction disks.
    static bool can_solve(const ContactProblem& problem, const SolveSettings& settings);

    /// All contacts as one system, from the impulses and velocities in the problem; what prox_jacobi
    /// computes, but for the rounding of sums.
    SolveReport solve(ContactProblem& problem, const SolveSettings& settings, engine::Jobs& jobs);

    // ---- for the loop around the sweeps
    void save();
    void restore();

  private:
    /// What a pass reads of a contact, side by side.
    struct Row {
        Vec3 normal, tangent1, tangent2, arm_a, arm_b;
        float friction, bias, compliance;
        float normal_step, tangent_step;    // with shares of mass
        float normal_block, tangent_block;  // W_nn + c, lambda_max(W_tt): of the residual
    };
    struct Manifold {
        uint32_t begin, end, a, b;  // bodies by their numbers
        float share_a, share_b;     // how many manifolds they have
    };
    /// What a manifold did to its bodies.
    struct Effect {
        Vec3 impulse, moment_a, moment_b;
    };

    void pack(const ContactProblem& problem, engine::Jobs& jobs);
    void list_entries();
    void sweep_manifolds(engine::Jobs& jobs, float scale, float beta);
    void gather(engine::Jobs& jobs, float next_beta);
    double measure(engine::Jobs& jobs);
    void store(ContactProblem& problem) const;

    std::vector<Row> rows_;
    std::vector<Manifold> manifolds_;
    std::vector<Effect> effects_;
    std::vector<Vec3> lambda_, before_, next_, best_lambda_;
    std::vector<BodyVelocity> velocity_, ahead_, best_velocity_;
    std::vector<BodyInverseMass> mass_;
    std::vector<uint32_t> offsets_, entries_;  // manifold * 2 + side, in the order of manifolds
    std::vector<uint32_t> slots_, number_;     // of the bodies that contacts touch
    std::vector<double> worst_;                // per block
};

}  // namespace proxima::physics
