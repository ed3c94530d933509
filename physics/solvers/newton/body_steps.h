// SPDX-License-Identifier: MIT
// The linear system of a Newton step, solved for the bodies instead of the contacts: a body has six unknowns,
// its contacts have three each and are many more.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "physics/contact/delassus.h"
#include "physics/solvers/newton/contact_map.h"

namespace proxima::physics::newton {

/// (A + B (W + S)) d = -F with W = J M^-1 J^T and S diagonal. With u = M^-1 J^T d, the change of the bodies'
/// velocities, and K = A + B S, one 3x3 block a contact,
///
///     d = -K^-1 (F + B J u)        (1 + M^-1 J^T K^-1 B J) u = -M^-1 J^T K^-1 F
///
/// which has a block per body and per pair of bodies that touch. K is nearly singular where a contact neither
/// gives way nor opens (A = 0, S small): the second equation then loses digits, which one correction by the
/// residual of the first brings back.
class BodySteps {
  public:
    explicit BodySteps(const DelassusSystem& system);
    ~BodySteps();
    BodySteps(const BodySteps&) = delete;
    BodySteps& operator=(const BodySteps&) = delete;

    /// rho as in LinearSystem. False where this way is not safe: a singular K, a factorisation that breaks
    /// down, a residual that did not go away.
    bool solve(std::span<const ContactMap> maps, double rho, std::span<double> step);

  private:
    struct Law {
        double inverse[3][3];  // K^-1
        double pull[3][3];     // K^-1 B
        double softness[3];    // diagonal of S
    };
    void make_pattern();
    bool make_laws(std::span<const ContactMap> maps, double rho);
    bool factorise();
    bool correct(std::span<const ContactMap> maps, std::span<double> step);
    double residual_of(std::span<const ContactMap> maps, std::span<const double> step);
    double* block_at(uint32_t row, uint32_t column, uint32_t& stride);

    const DelassusSystem* system_;
    std::vector<Law> laws_;                          // of contacts
    std::vector<uint32_t> side_begin_;               // sides of contact i: side_begin_[i] .. side_begin_[i + 1]
    std::vector<uint32_t> column_begin_, row_body_;  // blocks by column: bodies that touch
    struct Sparse;                                   // Eigen's matrix, factor and vectors
    std::unique_ptr<Sparse> sparse_;
    bool analysed_ = false;
    std::vector<double> residual_;  // -F - (A + B (W + S)) d, 3 per contact
};

}  // namespace proxima::physics::newton
