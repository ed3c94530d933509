// SPDX-License-Identifier: MIT
// The linear system of a Newton step, (A + B (W + C + rho D)) d = -F, with A and B of one 3x3 block a contact.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "physics/contact/delassus.h"
#include "physics/solvers/newton/contact_map.h"

namespace proxima::physics::newton {

class BodySteps;

/// Assembles and solves the system of each step; keeps its memory from step to step.
class LinearSystem {
  public:
    explicit LinearSystem(const DelassusSystem& system);
    ~LinearSystem();
    LinearSystem(const LinearSystem&) = delete;
    LinearSystem& operator=(const LinearSystem&) = delete;

    /// Solves for the step, 3 numbers a contact. C is the compliance, of bilateral blocks in all three rows.
    /// D holds W_nn and lambda_max(W_tt) of each contact, with their part of C: with
    /// rho > 0 contacts that carry the same load in more than one way (W singular) still have one step, the
    /// one that shares it. False when the factorisation breaks down or the step is not finite.
    bool solve(std::span<const ContactMap> maps, double rho, std::span<double> step);

  private:
    struct Sparse;
    void collect_coupled(std::span<const ContactMap> maps, std::span<double> step);
    /// One block row of the matrix for coupled contact `row`: calls emit_block(coupled column, block).
    template <class Emit>
    void block_row(std::span<const ContactMap> maps, double rho, uint32_t row, const Emit& emit_block) const;
    void right_side(std::span<const ContactMap> maps, std::span<const double> step);
    bool solve_dense(std::span<const ContactMap> maps, double rho);
    bool solve_sparse(std::span<const ContactMap> maps, double rho);

    const DelassusSystem* system_;
    std::vector<uint32_t> coupled_;        // contacts whose step depends on others
    std::vector<uint32_t> coupled_index_;  // contact to its place in coupled_, or kNone
    std::vector<double> right_;            // right-hand side, then the solution
    std::vector<double> dense_;            // row by row
    std::unique_ptr<Sparse> sparse_;
    std::unique_ptr<BodySteps> bodies_;  // where the problem says which bodies it is made of
};

}  // namespace proxima::physics::newton
