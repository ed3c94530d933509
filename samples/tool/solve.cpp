// SPDX-License-Identifier: MIT
// `proxima solve`: one contact problem from a file, by any solver.
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/atomic_file.h"
#include "physics/contact/problem_file.h"
#include "physics/solvers/solver.h"
#include "samples/tool/tool.h"

namespace proxima::tool {

namespace {

struct SolveOptions {
    std::string problem;
    std::string solver = "prox_gs";
    double tolerance = 1e-8;
    int64_t max_iterations = 1000;
    std::string r = "local";
    std::string out;
    std::string convergence;
};

const char* to_string(physics::StopReason stop) {
    switch (stop) {
        case physics::StopReason::tolerance:
            return "tolerance reached";
        case physics::StopReason::stalled:
            return "no further progress";
        default:
            return "iterations used up";
    }
}

int solve(const SolveOptions& options) {
    if (Result<void> known = check_solver(options.solver); !known) return complain(known.error());
    if (!(options.tolerance >= 0.0) || !std::isfinite(options.tolerance))
        return complain("--tolerance must be zero or a positive number, such as 1e-8.");
    if (options.max_iterations < 1 || options.max_iterations > 1000000000)
        return complain("--max-iterations must be a whole number from 1 to 1000000000.");
    for (const std::string& file : {options.out, options.convergence})
        if (!file.empty())
            if (Result<void> writable = check_writable(file); !writable) return complain(writable.error());

    std::vector<double> history;
    physics::SolveSettings settings;
    settings.iterations = uint32_t(options.max_iterations);
    settings.tolerance = options.tolerance;
    settings.r_strategy = options.r == "global"    ? physics::RStrategy::global
                          : options.r == "blocked" ? physics::RStrategy::blocked
                                                   : physics::RStrategy::local;
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

    std::printf("problem          %s, %u contacts\n", report.problem.c_str(), report.contacts);
    std::printf("solver           %s\n", report.solver.c_str());
    std::printf("iterations       %u (%u undone), %s\n", report.solve.iterations, report.solve.rejected,
                to_string(report.solve.stop));
    std::printf("time             %.3f ms\n", report.milliseconds);
    std::printf("error e          %.3e (relative to the free velocities)\n", report.bipotential);
    std::printf("residual         mean %.3e, max %.3e m/s (exact Coulomb law)\n", report.residual_mean,
                report.residual_max);
    std::printf("of which         complementarity %.3e, cone %.3e, sliding %.3e m/s\n",
                report.complementarity, report.cone_violation, report.sliding_error);
    return kExitOk;
}

}  // namespace

void add_solve_command(CLI::App& program, int& exit_code) {
    CLI::App* command = program.add_subcommand("solve", "Solve one contact problem from a file");
    auto options = std::make_shared<SolveOptions>();
    command->add_option("PROBLEM", options->problem, "Problem file")->required();
    command->add_option("--solver", options->solver, "Name of the solver")->capture_default_str();
    command
        ->add_option("--tolerance", options->tolerance, "Stop when the relative error e is below; 0: never")
        ->capture_default_str();
    command->add_option("--max-iterations", options->max_iterations, "Sweeps at most")->capture_default_str();
    command->add_option("--r", options->r, "Step lengths of PROX solvers: local, global or blocked")
        ->check(CLI::IsMember({"local", "global", "blocked"}))
        ->capture_default_str();
    command->add_option("--out", options->out, "Write reactions and velocities to this file");
    command->add_option("--convergence", options->convergence, "Write the residual after each sweep as CSV");
    command->callback([options, &exit_code] { exit_code = solve(*options); });
}

}  // namespace proxima::tool
