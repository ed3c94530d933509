// SPDX-License-Identifier: MIT
// One contact problem from a file: load it, solve it by the name of a solver, measure the answer, write it
// down. The text format is that of contact/delassus_file.h, the binary one that of contact/dump_file.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "physics/contact/delassus.h"
#include "physics/solvers/solver.h"

namespace proxima::physics {

/// A problem of either format, as its first bytes and its ending tell. Of a binary dump the matrix is formed,
/// in double precision: tolerances of 1e-8 are below what floats can hold.
Result<DelassusProblem> load_problem(const std::filesystem::path& path);

/// An answer and how good it is. All residuals are measured afresh on the returned answer, whatever the solver said.
struct ProblemReport {
    std::string problem;  // file name without folder
    std::string solver;
    uint32_t contacts = 0;
    uint32_t bilateral = 0;        // of these: bilateral blocks
    SolveReport solve;             // iterations, rejected, stop reason, residual by the solver's own friction set
    double bipotential = 0.0;      // e: natural map of the bipotential, relative to |q|; exact Coulomb cone
    double residual_max = 0.0;     // natural map with the disk, m/s, worst contact
    double residual_mean = 0.0;    // and the mean over all contacts
    double complementarity = 0.0;  // parts of it, worst contact, m/s
    double cone_violation = 0.0;
    double sliding_error = 0.0;
    double bilateral_error = 0.0;
    double milliseconds = 0.0;       // of the solve alone: no reading, no measuring afterwards
    std::vector<double> reactions;   // 3 per contact: normal, tangent 1, tangent 2
    std::vector<double> velocities;  // u = W r + q, in the same order
};

/// Loads, solves from zero impulses and measures. Fails with a sentence for a broken file, an unknown solver,
/// or settings that make no sense. settings.tolerance is compared with the relative measure e (see solver.h).
Result<ProblemReport> solve_problem_file(const std::filesystem::path& path, std::string_view solver,
                                         const SolveSettings& settings);

/// One line per contact: index, three reactions, three velocities, 17 digits; a first line starting with #
/// names the columns. The file appears complete or not at all.
Result<void> write_reactions(const std::filesystem::path& path, const ProblemReport& report);

/// CSV "sweep,residual" of SolveSettings::history. The file appears complete or not at all.
Result<void> write_convergence(const std::filesystem::path& path, std::span<const double> history);

}  // namespace proxima::physics
