// SPDX-License-Identifier: MIT
// `proxima bench solvers`: every solver of the table over a collection of contact problems, from files and
// from our own scenes; time and iterations to each tolerance, what failed and why, and performance profiles.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "physics/contact/delassus.h"
#include "physics/solvers/solver.h"
#include "samples/bench/csv.h"
#include "samples/bench/machine.h"
#include "samples/bench/profile.h"

namespace proxima::bench {

struct SolverProblem {
    std::string name;         // a file, or a scene with its step
    std::string kind;         // "file" or "scene"
    double mass_ratio = 0.0;  // of a scene: heavy bodies over light ones; 0: not known
    physics::DelassusProblem matrix;
};

/// A frame of a built-in scene that becomes a problem.
struct SceneFrame {
    const char* scene;
    uint32_t step;            // whose problem it is, from 1
    double mass_ratio = 1.0;  // of the scene, or that every second body is made heavier by
    bool alternate = false;   // which of the two
};
/// Stacks and piles at mass ratios 1, 100 and 1000, at their start or in mid-fall, and settled. `quick`: a
/// few small ones.
std::vector<SceneFrame> solver_scenes(bool quick);

/// Makes the problems of the scenes by running them, then those of all problem files in the folders. Lines of
/// progress go to `show`.
Result<std::vector<SolverProblem>> collect_problems(const std::vector<SceneFrame>& scenes,
                                                    const std::vector<std::filesystem::path>& folders,
                                                    const std::function<void(const std::string&)>& show);

struct SolverSuite {
    std::vector<SolverProblem> problems;
    std::vector<const physics::Solver*> solvers;
    std::vector<double> tolerances{1e-2, 1e-4, 1e-8};  // falling
    double time_limit = 1.0;                           // s of processor time, for one solve
};

/// One solver on one problem to one tolerance, from zero impulses.
struct SolverRun {
    uint32_t problem = 0, solver = 0, tolerance = 0;  // indices into the lists of the suite
    bool tried = false;           // false: it failed at a coarser tolerance already, and `stop` is that one's
    double own_residual = 0.0;    // relative e by the law of the solver's own model, measured afresh
    double exact_residual = 0.0;  // the same by the exact Coulomb law
    double milliseconds = 0.0;    // of processor time, shortest of up to five solves
    uint32_t iterations = 0;
    bool out_of_time = false;
    std::string stop;  // and why

    /// An answer that took more than a tenth longer than it may is none.
    bool in_time(const SolverSuite& suite) const { return tried && milliseconds <= 1.1e3 * suite.time_limit; }
    bool solves_own(const SolverSuite& suite) const {
        return in_time(suite) && own_residual <= suite.tolerances[tolerance];
    }
    bool solves_exactly(const SolverSuite& suite) const {
        return in_time(suite) && exact_residual <= suite.tolerances[tolerance];
    }
};

/// e by the law that the solver's model states: cone, box, relaxed cone, or polygon of `sides`.
double own_residual(const physics::DelassusSystem& system, const physics::Solver& solver, uint32_t sides);

/// All of it, problem by problem; one line of progress each. In the order problem, solver, tolerance.
std::vector<SolverRun> run_solvers(const SolverSuite& suite, const std::function<void(const std::string&)>& show);

// ---- solver_output.cpp

/// Whose answers are compared, and by which law.
enum class ProfileLaw : uint8_t {
    exact,  // solvers of the exact Coulomb law, by it
    own,    // all solvers, each by the law of its own model
};
/// Solvers that take part, in the order of the suite, and their times per problem.
struct ProfileTable {
    std::vector<uint32_t> solvers;
    Costs milliseconds;
};
ProfileTable profile_table(const SolverSuite& suite, const std::vector<SolverRun>& runs, ProfileLaw law,
                           uint32_t tolerance);

/// Per tolerance and law, the solvers by their score.
std::string to_text(const SolverSuite& suite, const std::vector<SolverRun>& runs);
/// solvers.csv, profiles.csv and a plot per law and tolerance into a folder that exists.
Result<void> write_solvers(const std::string& folder, const SolverSuite& suite, const std::vector<SolverRun>& runs,
                           const MachineCard& card);

}  // namespace proxima::bench
