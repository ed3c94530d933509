// SPDX-License-Identifier: MIT
// The benchmark of solvers: profiles of tables made by hand, the laws that answers are judged by, and the collection.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "engine/core/atomic_file.h"
#include "physics/contact/residual.h"
#include "samples/bench/profile.h"
#include "samples/bench/solver_suite.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::bench;

namespace {

constexpr double kNo = kUnsolved;

/// One contact of unit mass, pushed down with 1 and sideways at an angle.
SolverProblem sliding_contact(double angle) {
    std::vector<double> w(9, 0.0);
    w[0] = w[4] = w[8] = 1.0;
    const double q[] = {-1.0, 2.0 * std::cos(angle), 2.0 * std::sin(angle)}, mu[] = {0.5};
    return {"sliding", "file", 0.0, physics::make_problem(w, q, mu).value()};
}

SolverSuite suite_of(std::vector<const char*> solvers) {
    SolverSuite suite;
    suite.problems = {sliding_contact(0.3), sliding_contact(0.0)};
    for (const char* name : solvers) suite.solvers.push_back(physics::find_solver(name));
    suite.time_limit = 10.0;
    return suite;
}

SolverRun made_up(uint32_t problem, uint32_t solver, uint32_t tolerance, double ms, double own, double exact) {
    SolverRun run;
    run.problem = problem;
    run.solver = solver;
    run.tolerance = tolerance;
    run.tried = true;
    run.milliseconds = ms;
    run.own_residual = own;
    run.exact_residual = exact;
    run.stop = "tolerance";
    return run;
}

}  // namespace

TEST_CASE("ratios compare every solver with the fastest of each problem") {
    const Costs ratios = performance_ratios({{2.0, 10.0, kNo, kNo}, {4.0, 5.0, 3.0, kNo}});
    CHECK(ratios[0][0] == 1.0);
    CHECK(ratios[1][0] == 2.0);
    CHECK(ratios[0][1] == 2.0);
    CHECK(ratios[1][1] == 1.0);
    CHECK(ratios[0][2] == kNo);
    CHECK(ratios[1][2] == 1.0);
    CHECK(ratios[0][3] == kNo);  // nobody: not a number would be wrong
    CHECK(ratios[1][3] == kNo);
    CHECK(performance_ratios({}).empty());
}

TEST_CASE("a profile is the share of all problems within a factor of the best") {
    const Profile profile = make_profile({4.0, 1.0, kNo, 2.0, 1.0});
    CHECK(profile.tau == std::vector<double>{1.0, 2.0, 4.0});
    CHECK(profile.share == std::vector<double>{0.4, 0.6, 0.8});
    CHECK(profile.at(0.5) == 0.0);
    CHECK(profile.at(1.0) == 0.4);
    CHECK(profile.at(3.9) == 0.6);
    CHECK(profile.at(1e9) == 0.8);
    const Profile late = make_profile({8.0, kNo});
    CHECK(late.at(1.0) == 0.0);
    CHECK(late.at(8.0) == 0.5);
    CHECK(make_profile({kNo, kNo}).at(1e9) == 0.0);
}

TEST_CASE("the score is the mean height of a profile over the logarithm of the factor") {
    CHECK(profile_score({1.0, 1.0}, 1000.0) == doctest::Approx(1.0));
    CHECK(profile_score({1.0, kNo}, 1000.0) == doctest::Approx(0.5));
    CHECK(profile_score({10.0}, 1000.0) == doctest::Approx(2.0 / 3.0));
    CHECK(profile_score({1000.0, 5000.0, kNo}, 1000.0) == doctest::Approx(0.0));
    CHECK(profile_score({}, 1000.0) == 0.0);
}

TEST_CASE("solvers are judged by their own law, and by Coulomb's beside it") {
    const std::vector<SolverRun> runs =
        run_solvers(suite_of({"nscd", "pgs", "lemke", "apgd"}), [](const std::string&) {});
    const SolverSuite suite = suite_of({"nscd", "pgs", "lemke", "apgd"});
    REQUIRE(runs.size() == 2 * 4 * 3);
    for (uint32_t s = 0; s < 4; ++s) {
        const SolverRun& skew = runs[3 * s + 2];           // first problem, 1e-8
        const SolverRun& straight = runs[12 + 3 * s + 2];  // second one
        CAPTURE(suite.solvers[s]->name);
        CHECK(skew.solver == s);
        CHECK(skew.tolerance == 2);
        CHECK(skew.solves_own(suite));
        CHECK(skew.solves_exactly(suite) == (s == 0));  // only one of the models is Coulomb's
        // Along a tangent, which is also a corner of the polygon, box and polygon agree with the disk.
        CHECK(straight.solves_own(suite));
        CHECK(straight.solves_exactly(suite) == (s < 3));
    }
}

TEST_CASE("the polygon's own law is exact at its answer and nowhere else") {
    const SolverProblem problem = sliding_contact(0.2);
    const physics::Solver& lemke = *physics::find_solver("lemke");
    physics::DelassusSystem system(problem.matrix);
    // Sliding along 0.2 rad; of eight corners at 45 degrees the nearest to the opposite direction is at 180.
    const double opposed[] = {1.0, -0.5, 0.0};
    system.set_impulses(opposed);
    CHECK(own_residual(system, lemke, 8) < 1e-15);
    const double disk[] = {1.0, -0.5 * std::cos(0.2), -0.5 * std::sin(0.2)};
    system.set_impulses(disk);
    CHECK(own_residual(system, lemke, 8) > 1e-3);
    CHECK(physics::relative_residual(system, physics::Law{}, system.q_norm()) < 1e-15);
    const double none[] = {0.0, 0.0, 0.0};
    system.set_impulses(none);
    CHECK(own_residual(system, lemke, 8) > 0.1);
}

TEST_CASE("what failed at a coarse tolerance is not tried at a finer one, and says why") {
    SolverSuite suite = suite_of({"lemke"});
    suite.problems.resize(1);
    suite.problems[0].matrix.q[0] = std::nan("");
    const std::vector<SolverRun> runs = run_solvers(suite, [](const std::string&) {});
    REQUIRE(runs.size() == 3);
    CHECK(runs[0].tried);
    for (const SolverRun& run : runs) {
        CHECK_FALSE(run.solves_own(suite));
        CHECK_FALSE(run.solves_exactly(suite));
        CHECK(run.stop.find("not numbers") != std::string::npos);
    }
    CHECK_FALSE(runs[1].tried);
    CHECK_FALSE(runs[2].tried);
}

TEST_CASE("profiles of the exact law leave out other models, and count their answers as what they are") {
    const SolverSuite suite = suite_of({"nscd", "pgs"});
    std::vector<SolverRun> runs;
    for (uint32_t t = 0; t < 3; ++t) {
        runs.push_back(made_up(0, 0, t, 4.0, 1e-9, 1e-9));
        runs.push_back(made_up(0, 1, t, 1.0, 1e-9, 0.5));
        runs.push_back(made_up(1, 0, t, 2.0, 1e-3, 1e-3));  // to 1e-2 only
        runs.push_back(made_up(1, 1, t, 6.0, 1e-9, 1e-9));
    }
    const ProfileTable exact = profile_table(suite, runs, ProfileLaw::exact, 1);
    CHECK(exact.solvers == std::vector<uint32_t>{0});
    CHECK(exact.milliseconds == Costs{{4.0, kNo}});
    const ProfileTable own = profile_table(suite, runs, ProfileLaw::own, 1);
    CHECK(own.solvers == std::vector<uint32_t>{0, 1});
    CHECK(own.milliseconds == Costs{{4.0, kNo}, {1.0, 6.0}});
    CHECK(profile_table(suite, runs, ProfileLaw::own, 0).milliseconds == Costs{{4.0, 2.0}, {1.0, 6.0}});
    std::vector<SolverRun> late = runs;
    late[0].milliseconds = 1.2e3 * suite.time_limit;
    CHECK(profile_table(suite, late, ProfileLaw::own, 0).milliseconds == Costs{{kNo, 2.0}, {1.0, 6.0}});

    const std::string text = to_text(suite, runs);
    CHECK(text.find("e <= 1e-4, solvers of the exact Coulomb law") != std::string::npos);
    CHECK(text.find("pgs                2/2") != std::string::npos);

    const test::TemporaryFolder folder;
    REQUIRE(write_solvers(folder.path.string(), suite, runs, {{"machine", "none"}}).ok());
    const Table table = parse_csv(read_file(folder.file("solvers.csv")).value()).value();
    REQUIRE(table.rows.size() == runs.size());
    const auto cell = [&](size_t row, const char* column) { return table.rows[row][size_t(table.find(column))]; };
    CHECK(cell(1, "solver") == "pgs");
    CHECK(cell(1, "model") == "blcp");
    CHECK(cell(1, "solved") == "yes");
    CHECK(cell(1, "exact_within") == "no");
    CHECK(cell(1, "time_ms") == "1.0000");
    const Table profiles = parse_csv(read_file(folder.file("profiles.csv")).value()).value();
    CHECK(profiles.rows[0] == std::vector<std::string>{"exact", "1e-2", "nscd", "1", "1.0000"});
    CHECK(read_file(folder.file("profile_exact_1e-8.svg"))->find("2 contact problems") != std::string::npos);
}

TEST_CASE("the collection has stacks and piles at three mass ratios, and refuses folders without problems") {
    int found[3] = {0, 0, 0};
    for (const SceneFrame& frame : solver_scenes(false))
        ++found[frame.mass_ratio == 1.0 ? 0 : frame.mass_ratio == 100.0 ? 1 : 2];
    for (const int n : found) CHECK(n >= 4);

    const auto quiet = [](const std::string&) {};
    const SceneFrame plain{"tower3", 10}, heavy{"tower3", 10, 100.0, true}, free_fall{"spin", 1};
    const std::vector<SolverProblem> problems = collect_problems({plain, heavy, free_fall}, {}, quiet).value();
    REQUIRE(problems.size() == 2);  // nothing touches in the third
    CHECK(problems[0].name == "tower3 @10");
    CHECK(problems[1].name == "tower3 x100 @10");
    CHECK(problems[0].matrix.size() == 12);
    // The second of three cubes is a hundred times as heavy: between the others less gives way.
    double light = 0.0, mixed = 0.0;
    for (uint32_t i = 0; i < 12; ++i)
        for (uint32_t k = problems[0].matrix.row_begin[i]; k < problems[0].matrix.row_begin[i + 1]; ++k)
            if (problems[0].matrix.column[k] == i) {
                light = std::max(light, problems[0].matrix.block[k].m[0][0]);
                mixed = std::max(mixed, problems[1].matrix.block[k].m[0][0]);
            }
    CHECK(mixed < 0.8 * light);

    const auto missing = collect_problems({}, {"/no/such/folder"}, quiet);
    REQUIRE_FALSE(missing.ok());
    CHECK(missing.error().find("/no/such/folder") != std::string::npos);
    CHECK_FALSE(collect_problems({{"no_such_scene", 1}}, {}, quiet).ok());
}
