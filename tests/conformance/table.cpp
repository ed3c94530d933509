// SPDX-License-Identifier: MIT
// The conformance table: every solver of the table on every canonical problem, to ten digits. The whole table
// is left in the build folder; its last line counts the cells, and ./test.sh shows it.
#include <cstdio>
#include <string>

#include "engine/core/atomic_file.h"
#include "tests/conformance/known_problems.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

/// Largest difference to the answer, relative to its largest entry; infinite when something is no number.
double difference(const std::vector<double>& x, const std::vector<double>& expected) {
    double size = 1.0, error = 0.0;
    for (double e : expected) size = std::max(size, std::abs(e));
    for (size_t i = 0; i < x.size(); ++i) {
        if (!std::isfinite(x[i])) return std::numeric_limits<double>::infinity();
        error = std::max(error, std::abs(x[i] - expected[i]));
    }
    return error / size;
}

std::vector<double> velocities(const DelassusSystem& system) {
    std::vector<double> v;
    for (uint32_t i = 0; i < system.size(); ++i) {
        const Real2<double> t = system.tangent_velocity(i);
        v.insert(v.end(), {system.normal_velocity(i), t.x, t.y});
    }
    return v;
}

/// How far a solver ends from the known answer.
double cell(const Solver& solver, const Known& known, SolveReport& report) {
    SolveSettings settings;
    settings.iterations = 300000;
    settings.tolerance = 1e-14;  // some mean the answer by it, a mass ratio of a thousand takes three digits off
    DelassusSystem system(known.problem);
    report = solver.solve_matrix(system, settings);
    const std::vector<double>& expected = known.answer(solver);
    if (!known.by_velocity) return difference(impulses(system), expected);
    DelassusSystem exact(known.problem);
    exact.set_impulses(expected);
    system.refresh();
    return difference(velocities(system), velocities(exact));
}

}  // namespace

TEST_CASE("the conformance table: every solver finds every known answer to ten digits") {
    const std::vector<Known> problems = known_problems();
    const std::span<const Solver> solvers = solver_table();
    std::string table;
    size_t left_out = 0, refused = 0, failed = 0;
    char line[256];
    for (const Solver& solver : solvers)
        for (const Known& known : problems) {
            const int length = int(solver.name.size());
            if (known.is_refused_by(solver)) {
                ++refused;
                DelassusSystem system(known.problem);
                const SolveReport report = solver.solve_matrix(system, SolveSettings{});
                CHECK(report.stop == StopReason::failed);
                CHECK(report.note.find("bilateral") != std::string_view::npos);
                std::snprintf(line, sizeof line, "%-14.*s %-45s refuses bilateral blocks\n", length, solver.name.data(),
                              known.name.c_str());
                table += line;
                continue;
            }
            if (known.answer(solver).empty() && known.problem.size() > 0) {
                ++left_out;
                std::snprintf(line, sizeof line, "%-14.*s %-45s does not apply: no answer on paper for %s\n", length,
                              solver.name.data(), known.name.c_str(), std::string(to_text(solver.model)).c_str());
                table += line;
                continue;
            }
            SolveReport report;
            const double error = cell(solver, known, report);
            const bool good = error <= 1e-10 && report.stop != StopReason::failed;
            failed += !good;
            std::snprintf(line, sizeof line, "%-14.*s %-45s %.1e after %u iterations, %s%s\n", length,
                          solver.name.data(), known.name.c_str(), error, report.iterations,
                          std::string(to_text(report.stop)).c_str(), good ? "" : "  FAILED");
            table += line;
            CHECK_MESSAGE(good, line);
        }
    std::snprintf(line, sizeof line,
                  "conformance table: %zu solvers x %zu problems = %zu cells, %zu do not apply, %zu refused, "
                  "%zu failed",
                  solvers.size(), problems.size(), solvers.size() * problems.size(), left_out, refused, failed);
    table += std::string(line) + '\n';
    std::printf("%s\n", line);
    // A table that shrinks says so: each model has answers to almost all problems.
    CHECK(problems.size() >= 40);
    CHECK(refused == 7 * known_joints().size());  // pivoting methods, staggered, shock, apgd
    CHECK(left_out <= 2 * solvers.size() / 10);
    // For the people who run the tests; another run may be writing too, so written whole.
    CHECK(write_file(std::string(PROXIMA_BINARY_DIR) + "/conformance_table.txt", table).ok());
}
