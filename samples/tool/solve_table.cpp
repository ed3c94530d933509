// SPDX-License-Identifier: MIT
#include "samples/tool/solve_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "engine/core/atomic_file.h"
#include "physics/contact/dump_file.h"
#include "physics/contact/problem_file.h"
#include "samples/bench/csv.h"
#include "samples/bench/plot.h"
#include "samples/tool/tool.h"

namespace proxima::tool {

namespace {

namespace fs = std::filesystem;

std::string stop_text(const physics::SolveReport& report) {
    std::string text(physics::to_text(report.stop));
    if (!report.note.empty()) text += ": " + std::string(report.note);
    return text;
}

/// What the files about a problem are called: its name without the ending, unless another problem has that too.
std::string stem_of(const fs::path& problem, const std::vector<fs::path>& all) {
    const auto same =
        std::count_if(all.begin(), all.end(), [&](const fs::path& p) { return p.stem() == problem.stem(); });
    return same > 1 ? problem.filename().string() : problem.stem().string();
}

bench::LineChart make_chart(const std::string& problem) {
    bench::LineChart chart;
    chart.title = "Convergence on " + problem;
    chart.subtitle = "residual by each solver's own law against iterations, as each counts them";
    chart.x_label = "iteration";
    chart.y_label = "residual e";
    chart.log_x = chart.log_y = true;
    return chart;
}

void add_curve(bench::LineChart& chart, const std::string& solver, const std::vector<double>& history) {
    bench::Series series;
    series.name = solver;
    // A logarithmic axis needs no more than some hundred points.
    for (size_t k = 0; k < history.size(); k = std::max(k + 1, k + k / 64)) {
        series.x.push_back(double(k) + 1.0);
        series.y.push_back(history[k]);
    }
    chart.series.push_back(std::move(series));
}

}  // namespace

Result<std::vector<fs::path>> list_problems(const fs::path& file_or_folder) {
    std::error_code ignored;
    if (!fs::is_directory(file_or_folder, ignored)) return std::vector<fs::path>{file_or_folder};
    std::vector<fs::path> problems;
    for (const fs::directory_entry& entry : fs::directory_iterator(file_or_folder, ignored))
        if (entry.path().extension() == ".dat" || entry.path().extension() == physics::kDumpExtension)
            problems.push_back(entry.path());
    std::sort(problems.begin(), problems.end());
    if (problems.empty()) return Error{"There is no problem file (*.dat, *.pxc) in '" + file_or_folder.string() + "'."};
    return problems;
}

int run_solve_table(const SolveTableOptions& options) {
    if (!options.out.empty()) {
        std::error_code failed;
        fs::create_directories(options.out, failed);
        if (failed) return complain("The folder '" + options.out.string() + "' cannot be made.");
    }
    bench::Table table;
    table.card = bench::make_machine_card({}, options.command_line);
    table.columns = {"problem", "contacts", "solver",     "family",   "model",   "residual_own",
                     "e",       "max_m_s",  "iterations", "rejected", "time_ms", "stop"};
    std::printf("%-32s %8s  %-14s %10s %10s %10s %11s  %s\n", "problem", "contacts", "solver", "own law", "exact e",
                "iterations", "ms", "stopped by");
    for (const fs::path& problem : options.problems) {
        bench::LineChart chart = make_chart(problem.filename().string());
        for (const std::string& name : options.solvers) {
            const physics::Solver& solver = *physics::find_solver(name);
            std::vector<double> history;
            physics::SolveSettings settings = options.settings;
            if (options.curves) settings.history = &history;
            const Result<physics::ProblemReport> solved = physics::solve_problem_file(problem, name, settings);
            if (!solved) return complain(solved.error());
            const physics::ProblemReport& report = solved.value();
            std::printf("%-32s %8u  %-14s %10.2e %10.2e %10u %11.2f  %s\n", report.problem.c_str(), report.contacts,
                        report.solver.c_str(), report.solve.residual, report.bipotential, report.solve.iterations,
                        report.milliseconds, stop_text(report.solve).c_str());
            std::fflush(stdout);
            table.rows.push_back({report.problem, std::to_string(report.contacts), report.solver,
                                  std::string(physics::to_text(solver.family)),
                                  std::string(physics::to_text(solver.model)),
                                  fmt::format("{:.6e}", report.solve.residual),
                                  fmt::format("{:.6e}", report.bipotential), fmt::format("{:.6e}", report.residual_max),
                                  std::to_string(report.solve.iterations), std::to_string(report.solve.rejected),
                                  fmt::format("{:.3f}", report.milliseconds), stop_text(report.solve)});
            if (options.curves) add_curve(chart, name, history);
            if (options.out.empty()) continue;
            const fs::path reactions = options.out / (stem_of(problem, options.problems) + "." + name + ".txt");
            if (Result<void> written = physics::write_reactions(reactions, report); !written)
                return complain(written.error());
        }
        if (!options.curves || options.out.empty()) continue;
        const fs::path plot = options.out / (stem_of(problem, options.problems) + ".svg");
        if (Result<void> written = write_file(plot.string(), bench::to_svg(chart)); !written)
            return complain(written.error());
    }
    if (options.out.empty()) return kExitOk;
    if (Result<void> written = write_file((options.out / "solve.csv").string(), bench::to_csv(table)); !written)
        return complain(written.error());
    std::printf("\nReactions, solve.csv%s are in %s\n", options.curves ? " and plots" : "",
                options.out.string().c_str());
    return kExitOk;
}

}  // namespace proxima::tool
