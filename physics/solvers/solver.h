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

/// How the step lengths of a PROX solver are chosen.
enum class RStrategy : uint8_t {
    local,    // 1/W_nn for the normal, 1/lambda_max(W_tt) for the tangents of each contact
    global,   // one number for all, from the largest eigenvalue of W
    blocked,  // 1/W_nn, and the 2x2 tangent problem solved exactly in its own metric
};

enum class StopReason : uint8_t {
    iterations,  // all sweeps spent
    tolerance,   // the residual is at or below the tolerance
    stalled,     // the shortest allowed steps do not make the residual smaller any more
};
/// "iterations", "tolerance", "stalled".
std::string_view to_text(StopReason stop);

/// The residual that is compared with `tolerance`, reported and written to `history` is never the change of
/// an iterate:
///   solve_bodies  natural map of the solver's own friction set, worst contact, in m/s (contact/residual.h)
///   solve_matrix  the same law as one number without unit, e = |r - P(r - u')| / |q|, which is what
///   collections of
///                 such problems report; for the disk it is the natural map of the bipotential
/// With tolerance 0, no roll-back and no history nothing is measured: the cheapest sweeps there are.
struct SolveSettings {
    uint32_t iterations = 100;
    double tolerance = 0.0;  // stop at or below; 0: never
    RStrategy r_strategy = RStrategy::local;
    bool rollback = true;  // go back to the best iterate and shorten the steps when the residual does not
                           // fall (costs a measurement a sweep)
    uint32_t patience =
        30;  // sweeps without a new best residual that roll-back always allows (iterate.h); 1: every
             // sweep must improve, which slows healthy runs down, since they are not monotone
    std::vector<double>* history = nullptr;  // residual before the first and after each sweep, on request
};

struct SolveReport {
    uint32_t iterations = 0;  // sweeps done, rejected ones included
    uint32_t rejected = 0;    // times the solver went back and shortened its steps
    double residual = -1.0;   // of the returned impulses; negative: not measured
    StopReason stop = StopReason::iterations;
};

/// A row of the solver table. The system comes warm-started: its velocities belong to its impulses.
struct Solver {
    std::string_view name;
    std::string_view solves;  // the model: friction set, what is exact
    std::string_view guarantees;
    std::string_view costs;
    FrictionSet set;
    SolveReport (*solve_bodies)(BodySystem& system, const SolveSettings& settings);
    SolveReport (*solve_matrix)(DelassusSystem& system, const SolveSettings& settings);
};

std::span<const Solver> solver_table();
/// nullptr when there is no such row.
const Solver* find_solver(std::string_view name);

}  // namespace proxima::physics
