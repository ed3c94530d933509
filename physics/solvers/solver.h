// SPDX-License-Identifier: MIT
// One interface for every contact solver: settings in, report out. The rows stand in solver_table.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace proxima::physics {

class BodySystem;      // contact/problem.h: matrix-free, float, a range of contacts of a running world
class DelassusSystem;  // contact/delassus.h: explicit W, double

enum class FrictionSet : uint8_t { disk, box };

/// Which equations an answer satisfies: what the four models of contact with friction have in common is W, q and mu.
enum class Model : uint8_t {
    ncp,   // Coulomb's law itself: complementarity in the normal, dissipation at its maximum over the friction
           // set
    blcp,  // each friction row for itself between bounds +- mu l_n: a box
    lcp,   // a cone with flat sides: `polygon_sides` directions of friction a contact, each with its own
           // unknown
    ccp,   // the convex relaxation: sliding contacts lift off with v_n = mu |v_t|
};
/// "ncp", "blcp", "lcp", "ccp".
std::string_view to_text(Model model);

/// What kind of method a row is: solvers of one family tend to succeed and to fail together.
enum class Family : uint8_t { splitting, prox, subspace, conjugate, pivoting, newton, staggered, gradient };
std::string_view to_text(Family family);

/// How the step lengths of a PROX solver are chosen.
enum class RStrategy : uint8_t {
    local,    // 1/W_nn for the normal, 1/lambda_max(W_tt) for the tangents of each contact
    global,   // one number for all, from the largest eigenvalue of W
    blocked,  // 1/W_nn, and the 2x2 tangent problem solved exactly in its own metric
};
/// "local", "global", "blocked".
std::string_view to_text(RStrategy strategy);

enum class StopReason : uint8_t {
    iterations,  // all sweeps spent
    tolerance,   // the residual is at or below the tolerance
    stalled,     // the shortest allowed steps do not make the residual smaller any more
    time,        // the time limit has passed
    failed,      // the method cannot go on: SolveReport::note says why
};
/// "iterations", "tolerance", "stalled", "time", "failed".
std::string_view to_text(StopReason stop);

/// In which order a sweep visits the groups of contacts. Obeyed by `pgs`, `prox_gs` and the solvers of
/// splitting/ that sweep one contact after the other; the others have no order or one of their own.
enum class SweepOrder : uint8_t {
    given,     // that of the problem
    reversed,  // backwards
    shuffled,  // another one in every sweep, from `seed`
    upward,    // bottom of the pile first: by how many contacts lie between a body and one that cannot move
    downward,  // the other way round
};
/// "given", "reversed", "shuffled", "upward", "downward".
std::string_view to_text(SweepOrder order);

/// How `nscd` solves one contact while all others stand still (splitting/local_solvers.h). All answer
/// Coulomb's law in the full 3x3 block; where it has several answers they may differ.
enum class LocalSolver : uint8_t {
    curve,        // one root along the curve of sliding impulses
    quartic,      // all sliding answers from the roots of a quartic, and of all answers the nearest
    newton,       // semi-smooth Newton on the map of Alart and Curnier, with line search
    fixed_point,  // projections on the cone, with a step that adapts
};
/// "curve", "quartic", "newton", "fixed_point".
std::string_view to_text(LocalSolver local);

/// What the passes of `prox_jacobi` solve for itself while everything else stands still.
enum class JacobiBlocks : uint8_t {
    points,  // single contacts; each body's mass is split among its contacts
    // groups, one Gauss-Seidel pass inside of each; masses are split among groups, which are fewer. Needs bodies,
    // local steps and plain friction disks; without them it is `points`
    manifolds,
};
/// "points", "manifolds".
std::string_view to_text(JacobiBlocks blocks);

/// The residual that is compared with `tolerance`, reported and written to `history` is never the change of an
/// iterate:
///   solve_bodies  natural map of the solver's own friction set, worst contact, in m/s (contact/residual.h)
///   solve_matrix  the same law as one number without unit, e = |r - P(r - u')| / |q|, which is what
///   collections of
///                 such problems report; for the disk it is the natural map of the bipotential
/// With tolerance 0, no roll-back and no history nothing is measured: the cheapest sweeps there are.
struct SolveSettings {
    uint32_t iterations = 100;
    double tolerance = 0.0;   // stop at or below; 0: never
    double time_limit = 0.0;  // s; 0: none. Looked at between iterations
    /// Of a matrix: compare the tolerance with the natural map in m/s, as for bodies, instead of the relative e.
    bool in_velocity_units = false;
    uint32_t polygon_sides = 8;  // of Model::lcp: 4 .. 16, even
    double relaxation = 1.3;     // omega of the over-relaxed solvers, in (0, 2)
    SweepOrder order = SweepOrder::given;
    uint32_t seed = 1;  // of SweepOrder::shuffled
    RStrategy r_strategy = RStrategy::local;
    LocalSolver local_solver = LocalSolver::curve;         // of nscd
    JacobiBlocks jacobi_blocks = JacobiBlocks::manifolds;  // of prox_jacobi
    bool momentum = true;  // of prox_jacobi: every pass starts from an extrapolated iterate (momentum.h)
    // go back to the best iterate and shorten the steps when the residual does not fall (costs a measurement a sweep)
    bool rollback = true;
    // sweeps without a new best residual that roll-back always allows (iterate.h); 1: every sweep must improve, which
    // slows healthy runs down, since they are not monotone
    uint32_t patience = 30;
    std::vector<double>* history = nullptr;  // residual before the first and after each sweep, on request
};

struct SolveReport {
    uint32_t iterations = 0;  // sweeps done, rejected ones included
    uint32_t rejected = 0;    // times the solver went back and shortened its steps
    double residual = -1.0;   // of the returned impulses; negative: not measured
    StopReason stop = StopReason::iterations;
    std::string_view note;  // why it failed, as the end of a sentence; always a text that lasts
};

/// A row of the solver table. The system comes warm-started: its velocities belong to its impulses.
struct Solver {
    std::string_view name;
    std::string_view solves;  // the model: friction set, what is exact
    std::string_view guarantees;
    std::string_view costs;
    Family family;
    Model model;
    FrictionSet set;  // that its answers are measured by; of Model::lcp the disk, which its polygon approaches
    /// Iterations that a sub-step of a world spends at least: one sweep of a splitting is an answer to start
    /// from, a step of a method that solves linear systems is not.
    uint32_t usual_iterations;
    SolveReport (*solve_bodies)(BodySystem& system, const SolveSettings& settings);
    SolveReport (*solve_matrix)(DelassusSystem& system, const SolveSettings& settings);
    /// Whether it knows friction that is more than a disk: ellipses, torsion, rolling (docs/friction.md). The
    /// others refuse contacts that have it.
    bool extra_friction = false;
    /// Whether it knows bilateral blocks: ball joints. The others refuse problems that have them.
    bool bilateral = false;
};

std::span<const Solver> solver_table();
/// nullptr when there is no such row.
const Solver* find_solver(std::string_view name);

}  // namespace proxima::physics
