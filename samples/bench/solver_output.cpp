// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "engine/core/atomic_file.h"
#include "samples/bench/plot.h"
#include "samples/bench/solver_suite.h"
#include "samples/bench/statistics.h"

namespace proxima::bench {

namespace {

constexpr double kWidest = 1000.0;  // times the fastest: where profiles end
constexpr ProfileLaw kLaws[] = {ProfileLaw::exact, ProfileLaw::own};

bool takes_part(const physics::Solver& solver, ProfileLaw law) {
    return law == ProfileLaw::own || (solver.model == physics::Model::ncp && solver.set == physics::FrictionSet::disk);
}
const char* to_string(ProfileLaw law) { return law == ProfileLaw::exact ? "exact" : "own"; }
const char* sentence_of(ProfileLaw law) {
    return law == ProfileLaw::exact ? "solvers of the exact Coulomb law"
                                    : "all solvers, each by the law of its own model";
}

/// "1e-4" rather than "0.0001" or "1e-04".
std::string label_of(double tolerance) {
    std::string label = fmt::format("{:.0e}", tolerance);
    if (const size_t zero = label.find("-0"); zero != std::string::npos) label.erase(zero + 1, 1);
    return label;
}

/// One solver in the comparison of a law and a tolerance.
struct Standing {
    uint32_t solver = 0;  // in the suite
    std::vector<double> ratios;
    uint32_t solved = 0, fastest = 0;
    double score = 0.0;

    double median_ratio() const {
        std::vector<double> finite;
        for (const double r : ratios)
            if (std::isfinite(r)) finite.push_back(r);
        return median(finite);
    }
};

/// Solved problems by where they are from: files, then scenes at mass ratios 1, 100 and 1000.
std::string solved_by_kind(const SolverSuite& suite, const std::vector<double>& ratios) {
    uint32_t files = 0, light = 0, hundred = 0, thousand = 0;
    for (size_t p = 0; p < ratios.size(); ++p) {
        if (!std::isfinite(ratios[p])) continue;
        const SolverProblem& problem = suite.problems[p];
        ++(problem.kind == "file"       ? files
           : problem.mass_ratio < 10.0  ? light
           : problem.mass_ratio < 500.0 ? hundred
                                        : thousand);
    }
    return fmt::format("{} / {} / {} / {}", files, light, hundred, thousand);
}

/// Best score first; ties by more solved, then by the order of the table.
std::vector<Standing> standings(const SolverSuite& suite, const std::vector<SolverRun>& runs, ProfileLaw law,
                                uint32_t tolerance) {
    const ProfileTable table = profile_table(suite, runs, law, tolerance);
    const Costs ratios = performance_ratios(table.milliseconds);
    std::vector<Standing> out;
    for (size_t i = 0; i < table.solvers.size(); ++i) {
        Standing s;
        s.solver = table.solvers[i];
        s.ratios = ratios[i];
        for (const double r : s.ratios) {
            s.solved += std::isfinite(r);
            s.fastest += r <= 1.0;
        }
        s.score = profile_score(s.ratios, kWidest);
        out.push_back(std::move(s));
    }
    std::stable_sort(out.begin(), out.end(), [](const Standing& a, const Standing& b) {
        return a.score != b.score ? a.score > b.score : a.solved > b.solved;
    });
    return out;
}

Table runs_table(const SolverSuite& suite, const std::vector<SolverRun>& runs, const MachineCard& card) {
    Table table;
    table.card = card;
    table.columns = {"problem",    "kind",         "mass_ratio", "contacts",     "solver",
                     "family",     "model",        "tolerance",  "solved",       "time_ms",
                     "iterations", "own_residual", "exact_e",    "exact_within", "stop"};
    for (const SolverRun& run : runs) {
        const SolverProblem& problem = suite.problems[run.problem];
        const physics::Solver& solver = *suite.solvers[run.solver];
        table.rows.push_back(
            {problem.name, problem.kind, problem.mass_ratio > 0.0 ? fmt::format("{:g}", problem.mass_ratio) : "",
             std::to_string(problem.matrix.size()), std::string(solver.name),
             std::string(physics::to_text(solver.family)), std::string(physics::to_text(solver.model)),
             label_of(suite.tolerances[run.tolerance]), run.solves_own(suite) ? "yes" : "no",
             run.tried ? fmt::format("{:.4f}", run.milliseconds) : "", run.tried ? std::to_string(run.iterations) : "",
             fmt::format("{:.3e}", run.own_residual), fmt::format("{:.3e}", run.exact_residual),
             run.solves_exactly(suite) ? "yes" : "no", run.tried ? run.stop : "not tried, failed before; " + run.stop});
    }
    return table;
}

Table profiles_table(const SolverSuite& suite, const std::vector<SolverRun>& runs, const MachineCard& card) {
    Table table;
    table.card = card;
    table.columns = {"law", "tolerance", "solver", "tau", "share"};
    for (const ProfileLaw law : kLaws)
        for (uint32_t t = 0; t < suite.tolerances.size(); ++t)
            for (const Standing& s : standings(suite, runs, law, t)) {
                const Profile profile = make_profile(s.ratios);
                for (size_t i = 0; i < profile.tau.size(); ++i)
                    table.rows.push_back(
                        {to_string(law), label_of(suite.tolerances[t]), std::string(suite.solvers[s.solver]->name),
                         fmt::format("{:.6g}", profile.tau[i]), fmt::format("{:.4f}", profile.share[i])});
            }
    return table;
}

/// The steps of a profile as corners of a line, up to the widest tau.
Series steps_of(const Profile& profile, std::string name) {
    Series series;
    series.name = std::move(name);
    double height = 0.0;
    const auto corner = [&](double x, double y) {
        series.x.push_back(x);
        series.y.push_back(y);
    };
    for (size_t i = 0; i < profile.tau.size() && profile.tau[i] <= kWidest; ++i) {
        if (i > 0) corner(profile.tau[i], height);
        height = profile.share[i];
        corner(profile.tau[i], height);
    }
    corner(kWidest, height);
    return series;
}

/// The best eight in colour; the others in grey, so that nothing is hidden and everything can be read.
LineChart profile_chart(const SolverSuite& suite, const std::vector<SolverRun>& runs, ProfileLaw law,
                        uint32_t tolerance) {
    constexpr size_t kInColour = 8;
    LineChart chart;
    chart.title = fmt::format("Share of {} contact problems solved to e = {}", suite.problems.size(),
                              label_of(suite.tolerances[tolerance]));
    chart.subtitle = fmt::format("{}; at most {:g} s a solve; higher and further left is better", sentence_of(law),
                                 suite.time_limit);
    chart.x_label = "time, in times that of the fastest solver of each problem";
    chart.y_label = "share of problems solved";
    chart.log_x = chart.y_from_zero = true;
    chart.y_reaches = 1.0;
    bool grey_named = false;
    const std::vector<Standing> all = standings(suite, runs, law, tolerance);
    for (const Standing& s : all) {
        // A single one left over has a name as well.
        const bool grey = chart.series.size() >= kInColour && all.size() > kInColour + 1;
        std::string name(suite.solvers[s.solver]->name);
        if (grey) name = grey_named ? "" : "others";
        Series series = steps_of(make_profile(s.ratios), name);
        if (grey) series.colour = "#cccccc";
        series.width = grey ? 1.2 : 2.2;
        if (!grey && chart.series.size() >= kInColour / 2) series.style = SeriesStyle::dashes;
        grey_named |= grey;
        chart.series.push_back(std::move(series));
    }
    return chart;
}

}  // namespace

ProfileTable profile_table(const SolverSuite& suite, const std::vector<SolverRun>& runs, ProfileLaw law,
                           uint32_t tolerance) {
    ProfileTable table;
    std::vector<size_t> row_of(suite.solvers.size(), 0);
    for (uint32_t s = 0; s < suite.solvers.size(); ++s) {
        if (!takes_part(*suite.solvers[s], law)) continue;
        row_of[s] = table.solvers.size();
        table.solvers.push_back(s);
        table.milliseconds.emplace_back(suite.problems.size(), kUnsolved);
    }
    for (const SolverRun& run : runs) {
        if (run.tolerance != tolerance || !takes_part(*suite.solvers[run.solver], law)) continue;
        const bool solved = law == ProfileLaw::exact ? run.solves_exactly(suite) : run.solves_own(suite);
        // A clock that saw nothing still makes a ratio.
        if (solved) table.milliseconds[row_of[run.solver]][run.problem] = std::max(run.milliseconds, 1e-6);
    }
    return table;
}

std::string to_text(const SolverSuite& suite, const std::vector<SolverRun>& runs) {
    std::string out;
    for (const ProfileLaw law : kLaws)
        for (uint32_t t = 0; t < suite.tolerances.size(); ++t) {
            out += fmt::format("\ne <= {}, {}\n", label_of(suite.tolerances[t]), sentence_of(law));
            out += fmt::format("  {:<14} {:>7} {:>8} {:>10} {:>11} {:>13} {:>6}  {}\n", "solver", "solved", "fastest",
                               "within 2x", "within 10x", "median ratio", "score",
                               "solved of files / mass ratio 1 / 100 / 1000");
            for (const Standing& s : standings(suite, runs, law, t)) {
                const Profile profile = make_profile(s.ratios);
                out += fmt::format("  {:<14} {:>7} {:>8} {:>9.0f}% {:>10.0f}% {:>13} {:>6.2f}  {}\n",
                                   suite.solvers[s.solver]->name, fmt::format("{}/{}", s.solved, suite.problems.size()),
                                   s.fastest, 100.0 * profile.at(2.0), 100.0 * profile.at(10.0),
                                   s.solved ? fmt::format("{:.1f}", s.median_ratio()) : "-", s.score,
                                   solved_by_kind(suite, s.ratios));
            }
        }
    return out;
}

Result<void> write_solvers(const std::string& folder, const SolverSuite& suite, const std::vector<SolverRun>& runs,
                           const MachineCard& card) {
    const auto write = [&](const std::string& file, const std::string& text) {
        return write_file((std::filesystem::path(folder) / file).string(), text);
    };
    if (Result<void> r = write("solvers.csv", to_csv(runs_table(suite, runs, card))); !r) return r;
    if (Result<void> r = write("profiles.csv", to_csv(profiles_table(suite, runs, card))); !r) return r;
    for (const ProfileLaw law : kLaws)
        for (uint32_t t = 0; t < suite.tolerances.size(); ++t) {
            const std::string file = fmt::format("profile_{}_{}.svg", to_string(law), label_of(suite.tolerances[t]));
            if (Result<void> r = write(file, to_svg(profile_chart(suite, runs, law, t))); !r) return r;
        }
    return {};
}

}  // namespace proxima::bench
