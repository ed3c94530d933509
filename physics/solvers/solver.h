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

enum class StopReason : uint8_t { iterations, tolerance, stalled };

struct SolveSettings {
    uint32_t iterations = 100;
    double tolerance = 0.0;  // stop when the ruler (contact/residual.h, velocity units) is below; 0: never measured
    RStrategy r_strategy = RStrategy::local;
    bool rollback = true;    // undo a sweep that made the residual grow and shorten the steps (needs a measurement a sweep)
    std::vector<double>* history = nullptr;  // residual after each sweep, on request
};

struct SolveReport {
    uint32_t iterations = 0;  // sweeps done, rejected ones included
    uint32_t rejected = 0;
    double residual = -1.0;   // after the last accepted sweep; negative: not measured
    StopReason stop = StopReason::iterations;
};

/// A row of the solver table. The system comes warm-started: its velocities belong to its impulses.
struct Solver {
    std::string_view name;
    std::string_view solves;      // the model: friction set, what is exact
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
