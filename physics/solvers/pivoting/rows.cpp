// SPDX-License-Identifier: MIT
// Direct methods that look for the unknowns at a bound: incremental, principal and block principal pivoting, Lemke.
#include "physics/contact/island_matrix.h"
#include "physics/solvers/pivoting/pivoting.h"
#include "physics/solvers/solver_rows.h"

namespace proxima::physics {

namespace {

constexpr Solver kRows[] = {
    {"dantzig", "box friction; each solve exact for frozen bounds, which follow the normal impulses between solves",
     "each solve ends for positive definite W; laws that hold stay so while the next one is driven; no proof "
     "for the refreshed bounds",
     "an iteration is one solve: O(n^2) a pivot, about n pivots from nothing and few from good labels; full "
     "matrix, up to 600 contacts",
     Family::pivoting, Model::blcp, FrictionSet::box, 2, bodies_by_matrix<dantzig_matrix>, dantzig_matrix, false,
     false},
    {"murty", "box friction; each solve exact for frozen bounds, which follow the normal impulses between solves",
     "each solve ends for positive definite W, but may take many pivots; no proof for the refreshed bounds",
     "an iteration is one solve: O(n^2) a pivot, one label flipped a pivot; full matrix, up to 600 contacts",
     Family::pivoting, Model::blcp, FrictionSet::box, 2, bodies_by_matrix<murty_matrix>, murty_matrix, false, false},
    {"bpp", "box friction; each solve exact for frozen bounds, which follow the normal impulses between solves",
     "least-index steps end the cycles of flipping all labels at once; no proof for the refreshed bounds",
     "an iteration is one solve: usually three to eight factorisations of O(n^3); full matrix, up to 600 "
     "contacts",
     Family::pivoting, Model::blcp, FrictionSet::box, 2, bodies_by_matrix<bpp_matrix>, bpp_matrix, false, false},
    {"lemke",
     "friction cones with 4 to 16 flat sides inside the disk: up to 1 - cos(pi/sides) too weak, up to "
     "pi/sides off in direction",
     "ends at a solution of the polygon's law, if rounding is kind; ties are broken lexicographically",
     "an iteration is a pivot of O(m^2), m = contacts (sides + 2), and about as many pivots as there are "
     "impulses; starts from nothing; full matrix, up to 2400 unknowns",
     Family::pivoting, Model::lcp, FrictionSet::disk, 5000, bodies_by_matrix<lemke_matrix>, lemke_matrix},
};

}  // namespace

std::span<const Solver> pivoting_rows() { return kRows; }

}  // namespace proxima::physics
