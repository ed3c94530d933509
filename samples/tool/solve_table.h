// SPDX-License-Identifier: MIT
// Many contact problems by many solvers: a table that compares them, and what `proxima solve` writes to a folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "physics/solvers/solver.h"

namespace proxima::tool {

struct SolveTableOptions {
    std::vector<std::filesystem::path> problems;
    std::vector<std::string> solvers;  // names of rows
    physics::SolveSettings settings;   // history is used if `curves`
    std::filesystem::path out;         // folder for solve.csv, reactions and plots; empty: none
    bool curves = false;               // draw residual against iteration, one plot a problem
    std::string command_line;
};

/// A file as it is, or the problem files (*.dat, *.pxc) of a folder in the order of their names.
Result<std::vector<std::filesystem::path>> list_problems(const std::filesystem::path& file_or_folder);

/// Solves everything, printing one line as each is done, then writes the files. Returns the exit code.
int run_solve_table(const SolveTableOptions& options);

}  // namespace proxima::tool
