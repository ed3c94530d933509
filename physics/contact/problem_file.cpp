// SPDX-License-Identifier: MIT
#include "physics/contact/problem_file.h"

#include <chrono>
#include <cmath>
#include <cstdio>

#include "engine/core/atomic_file.h"
#include "physics/contact/delassus.h"
#include "physics/contact/delassus_file.h"
#include "physics/contact/dump_file.h"
#include "physics/contact/residual.h"

namespace proxima::physics {

Result<DelassusProblem> load_problem(const std::filesystem::path& path) {
    const Result<std::string> bytes = read_file(path.string());
    if (!bytes) return Error{bytes.error()};
    const std::string name = path.filename().string();
    if (path.extension() != kDumpExtension && !looks_like_dump(bytes.value()))
        return parse_problem(bytes.value(), name);
    const Result<ContactDump> dump = parse_dump(bytes.value(), name);
    if (!dump) return Error{dump.error()};
    Result<DelassusProblem> problem = to_matrix(dump.value());
    if (!problem) return Error{name + ": " + problem.error()};
    return problem;
}

Result<ProblemReport> solve_problem_file(const std::filesystem::path& path, std::string_view solver_name,
                                         const SolveSettings& settings) {
    const Solver* solver = find_solver(solver_name);
    if (!solver) {
        std::string known;
        for (const Solver& row : solver_table()) known += (known.empty() ? "" : ", ") + std::string(row.name);
        return Error{"There is no solver '" + std::string(solver_name) + "'; known are " + known + "."};
    }
    if (!std::isfinite(settings.tolerance) || settings.tolerance < 0.0)
        return Error{"The tolerance must be a finite number, zero or larger."};
    auto problem = load_problem(path);
    if (!problem) return Error{problem.error()};

    DelassusSystem system(*problem);
    ProblemReport report;
    report.problem = path.filename().string();
    report.solver = solver->name;
    report.contacts = system.size();
    const auto begin = std::chrono::steady_clock::now();
    report.solve = solver->solve_matrix(system, settings);
    report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();

    system.refresh();
    report.bipotential = relative_residual(system, FrictionSet::disk, system.q_norm());
    const Residual residual = measure_residual(system, FrictionSet::disk);
    report.residual_max = residual.max;
    report.residual_mean = residual.mean;
    report.complementarity = residual.complementarity;
    report.cone_violation = residual.cone;
    report.sliding_error = residual.sliding;
    report.bilateral_error = residual.bilateral;
    for (uint32_t i = 0; i < system.size(); ++i) {
        report.bilateral += system.is_bilateral(i);
        const Real3<double> l = system.impulse(i);
        const Real2<double> t = system.tangent_velocity(i);
        report.reactions.insert(report.reactions.end(), {l.n, l.t1, l.t2});
        report.velocities.insert(report.velocities.end(), {system.normal_velocity(i), t.x, t.y});
    }
    return report;
}

Result<void> write_reactions(const std::filesystem::path& path, const ProblemReport& report) {
    std::string text = "# contact r_n r_t1 r_t2 u_n u_t1 u_t2\n";
    char line[256];
    for (uint32_t i = 0; i < report.contacts; ++i) {
        const double* r = report.reactions.data() + 3 * size_t(i);
        const double* u = report.velocities.data() + 3 * size_t(i);
        std::snprintf(line, sizeof line, "%u %.17g %.17g %.17g %.17g %.17g %.17g\n", i, r[0], r[1], r[2], u[0], u[1],
                      u[2]);
        text += line;
    }
    return write_file(path.string(), text);
}

Result<void> write_convergence(const std::filesystem::path& path, std::span<const double> history) {
    std::string text = "sweep,residual\n";
    char line[64];
    for (size_t k = 0; k < history.size(); ++k) {
        std::snprintf(line, sizeof line, "%zu,%.9g\n", k, history[k]);
        text += line;
    }
    return write_file(path.string(), text);
}

}  // namespace proxima::physics
