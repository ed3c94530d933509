// SPDX-License-Identifier: MIT
// `proxima solve`: one contact problem from a file, by any solver.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/atomic_file.h"
#include "physics/contact/problem_file.h"
#include "physics/solvers/solver.h"
#include "samples/tool/solve_table.h"
#include "samples/tool/tool.h"

namespace proxima::tool {

namespace {

struct SolveOptions {
    std::string problem;
    std::string solver = "prox_gs";
    bool all_solvers = false;
    double tolerance = 1e-8;
    int64_t max_iterations = 0;  // 0: 1000 for one problem by one solver, as many as the time allows for more
    double time_limit = 0.0;     // 0: none for one problem by one solver, 10 s for more
    std::string r = "local";
    std::string order = "given";
    std::string local = "curve";
    std::string out;
    std::string convergence;
    bool curves = false;
    std::string command_line;
};

constexpr std::array kSteps{physics::RStrategy::local, physics::RStrategy::global, physics::RStrategy::blocked};
constexpr std::array kOrders{physics::SweepOrder::given, physics::SweepOrder::reversed, physics::SweepOrder::shuffled,
                             physics::SweepOrder::upward, physics::SweepOrder::downward};
constexpr std::array kLocals{physics::LocalSolver::curve, physics::LocalSolver::quartic, physics::LocalSolver::newton,
                             physics::LocalSolver::fixed_point};

/// The names of some choices, for a flag that takes one of them.
template <class Choices>
std::vector<std::string> names_of(const Choices& choices) {
    std::vector<std::string> names;
    for (const auto choice : choices) names.emplace_back(physics::to_text(choice));
    return names;
}
/// The choice of this name; the first where there is none, which the flag does not let through.
template <class Choices>
auto chosen(const Choices& choices, const std::string& name) {
    for (const auto choice : choices)
        if (physics::to_text(choice) == name) return choice;
    return choices.front();
}

const char* to_string(physics::StopReason stop) {
    switch (stop) {
        case physics::StopReason::tolerance:
            return "tolerance reached";
        case physics::StopReason::stalled:
            return "no further progress";
        case physics::StopReason::time:
            return "time used up";
        case physics::StopReason::failed:
            return "the method could not go on";
        case physics::StopReason::iterations:
            break;
    }
    return "iterations used up";
}

/// Names separated by commas; all of the table when so asked.
Result<std::vector<std::string>> list_solvers(const SolveOptions& options) {
    std::vector<std::string> names;
    if (options.all_solvers) {
        for (const physics::Solver& solver : physics::solver_table()) names.emplace_back(solver.name);
        return names;
    }
    for (size_t begin = 0; begin <= options.solver.size();) {
        const size_t end = std::min(options.solver.find(',', begin), options.solver.size());
        names.push_back(options.solver.substr(begin, end - begin));
        if (Result<void> known = check_solver(names.back()); !known) return Error{known.error()};
        begin = end + 1;
    }
    return names;
}

Result<void> check(const SolveOptions& options) {
    if (!(options.tolerance >= 0.0) || !std::isfinite(options.tolerance))
        return Error{"--tolerance must be zero or a positive number, such as 1e-8."};
    if (options.max_iterations < 0 || options.max_iterations > 1000000000)
        return Error{"--max-iterations must be a whole number from 0, which is the default, to 1000000000."};
    if (!(options.time_limit >= 0.0) || !std::isfinite(options.time_limit))
        return Error{"--time-limit must be a positive number of seconds."};
    return {};
}

physics::SolveSettings settings_of(const SolveOptions& options, bool many) {
    physics::SolveSettings settings;
    const int64_t usual = many ? 10000000 : 1000;
    settings.iterations = uint32_t(options.max_iterations > 0 ? options.max_iterations : usual);
    settings.time_limit = options.time_limit > 0.0 ? options.time_limit : many ? 10.0 : 0.0;
    settings.tolerance = options.tolerance;
    settings.r_strategy = chosen(kSteps, options.r);
    settings.order = chosen(kOrders, options.order);
    settings.local_solver = chosen(kLocals, options.local);
    return settings;
}

int solve_many(const SolveOptions& options, std::vector<std::filesystem::path> problems,
               std::vector<std::string> solvers) {
    if (!options.convergence.empty())
        return complain("--convergence is for one problem and one solver; for several use --curves with --out.");
    SolveTableOptions table;
    table.problems = std::move(problems);
    table.solvers = std::move(solvers);
    table.settings = settings_of(options, true);
    table.out = options.out;
    table.curves = options.curves;
    table.command_line = options.command_line;
    return run_solve_table(table);
}

int solve(const SolveOptions& options) {
    if (Result<void> usable = check(options); !usable) return complain(usable.error());
    const Result<std::vector<std::string>> solvers = list_solvers(options);
    if (!solvers) return complain(solvers.error());
    const Result<std::vector<std::filesystem::path>> problems = list_problems(options.problem);
    if (!problems) return complain(problems.error());
    const bool folder = std::filesystem::is_directory(options.problem);
    if (folder || solvers->size() > 1 || options.curves) return solve_many(options, *problems, *solvers);
    for (const std::string& file : {options.out, options.convergence})
        if (!file.empty())
            if (Result<void> writable = check_writable(file); !writable) return complain(writable.error());

    std::vector<double> history;
    physics::SolveSettings settings = settings_of(options, false);
    if (!options.convergence.empty()) settings.history = &history;

    const Result<physics::ProblemReport> solved =
        physics::solve_problem_file(options.problem, options.solver, settings);
    if (!solved) return complain(solved.error());
    const physics::ProblemReport& report = solved.value();
    if (!options.out.empty())
        if (Result<void> written = physics::write_reactions(options.out, report); !written)
            return complain(written.error());
    if (!options.convergence.empty())
        if (Result<void> written = physics::write_convergence(options.convergence, history); !written)
            return complain(written.error());

    std::printf("problem          %s, %u contacts", report.problem.c_str(), report.contacts);
    if (report.bilateral) std::printf(", %u of them bilateral blocks", report.bilateral);
    std::printf("\n");
    std::printf("solver           %s\n", report.solver.c_str());
    std::printf("iterations       %u (%u undone), %s\n", report.solve.iterations, report.solve.rejected,
                to_string(report.solve.stop));
    if (!report.solve.note.empty())
        std::printf("                 %.*s\n", int(report.solve.note.size()), report.solve.note.data());
    std::printf("time             %.3f ms\n", report.milliseconds);
    std::printf("error e          %.3e (relative to the free velocities)\n", report.bipotential);
    std::printf("residual         mean %.3e, max %.3e m/s (exact Coulomb law)\n", report.residual_mean,
                report.residual_max);
    std::printf("of which         complementarity %.3e, cone %.3e, sliding %.3e", report.complementarity,
                report.cone_violation, report.sliding_error);
    if (report.bilateral) std::printf(", bilateral %.3e", report.bilateral_error);
    std::printf(" m/s\n");
    return kExitOk;
}

}  // namespace

void add_solve_command(const Command& program, int& exit_code, const std::string& command_line) {
    const Command command = program.add_command("solve", "Solve contact problems from files");
    auto options = std::make_shared<SolveOptions>();
    options->command_line = command_line;
    command.add_option("PROBLEM", options->problem, "Problem file (text .dat or binary .pxc), or a folder of them")
        .required();
    command.add_option("--solver", options->solver, "Name of the solver, or several separated by commas")
        .show_default();
    command.add_flag("--all-solvers", options->all_solvers, "Every solver of the table");
    command.add_option("--tolerance", options->tolerance, "Stop when the relative error e is below; 0: never")
        .show_default();
    command.add_option("--max-iterations", options->max_iterations,
                       "Iterations at most (default: 1000; of several: what the time allows)");
    command.add_option("--time-limit", options->time_limit,
                       "Seconds at most for one problem and solver (default: none; of several: 10)");
    command.add_option("--r", options->r, "Step lengths of PROX solvers").one_of(names_of(kSteps)).show_default();
    command.add_option("--order", options->order, "Order in which sweeps visit the contacts")
        .one_of(names_of(kOrders))
        .show_default();
    command.add_option("--local", options->local, "How nscd solves each single contact")
        .one_of(names_of(kLocals))
        .show_default();
    command.add_option("--out", options->out,
                       "Write reactions and velocities to this file; of several: into this folder, with solve.csv");
    command.add_option("--convergence", options->convergence, "Write the residual after each sweep as CSV");
    command.add_flag("--curves", options->curves, "Draw convergence curves into the folder of --out");
    command.callback([options, &exit_code] { exit_code = solve(*options); });
}

}  // namespace proxima::tool
