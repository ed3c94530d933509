// SPDX-License-Identifier: MIT
// The suite of scenes, with runs that are made up: what is asked for, in which order, and what becomes of it.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "samples/bench/engines.h"
#include "samples/bench/growth_suite.h"
#include "samples/bench/scene_suite.h"

using namespace proxima;
using namespace proxima::bench;

namespace {

SceneSuite two_engines() {
    SceneSuite suite;
    suite.scenes = {"tower2", "tower3"};
    suite.engines = {"proxima", "bullet"};
    suite.threads = {1};
    suite.repeats = 3;
    suite.steps = 10;
    return suite;
}

/// Every step takes `ms`; repeats differ in one step.
RunResult made_up(const RunRequest& request, double ms) {
    RunResult out;
    out.step_ms.assign(request.steps, ms);
    out.bodies = 2;
    out.hash = 42;
    out.calibration_ms = 1.0;
    out.contact_points = 7;
    if (request.engine == "proxima") {
        out.stages = {"solve"};
        out.stage_ms = {std::vector<double>(request.steps, ms / 2.0)};
        out.residual_mean = 1e-5;
    }
    if (request.judge) {
        out.quality = Quality{};
        out.quality->stands = true;
        out.quality->drift_max = 0.25;
    }
    return out;
}

void ignore(const std::string&) {}
void ignore_repeat(const std::vector<Measurement>&) {}

std::string cell_of(const Table& table, size_t row, const std::string& column) {
    REQUIRE(table.find(column) >= 0);
    return table.rows[row][size_t(table.find(column))];
}

}  // namespace

TEST_CASE("engines take turns: repeats are outermost, then scenes, then engines") {
    std::vector<std::string> order;
    run_suite(
        two_engines(),
        [&](const RunRequest& r) {
            order.push_back(r.scene + " " + r.engine + (r.judge ? " judged" : ""));
            return made_up(r, 1.0);
        },
        ignore, ignore_repeat);
    REQUIRE(order.size() == 12);
    CHECK(order[0] == "tower2 proxima judged");
    CHECK(order[1] == "tower2 bullet judged");
    CHECK(order[2] == "tower3 proxima judged");
    CHECK(order[4] == "tower2 proxima");
    CHECK(order[11] == "tower3 bullet");
}

TEST_CASE("a measurement is the per-step minimum over the repeats") {
    double ms = 4.0;
    const std::vector<Measurement> all = run_suite(
        two_engines(),
        [&](const RunRequest& r) {
            RunResult result = made_up(r, r.engine == "proxima" ? ms : 8.0);
            if (r.engine == "proxima" && r.scene == "tower2") result.step_ms[9] = ms == 4.0 ? 1.0 : 9.0;
            if (r.scene == "tower3" && r.engine == "bullet") ms = 2.0;  // the next repeats are faster
            return result;
        },
        ignore, ignore_repeat);
    REQUIRE(all.size() == 4);
    CHECK(all[0].engine == "proxima");
    CHECK(all[0].runs == 3);
    CHECK(all[0].step_ms[0] == 2.0);
    CHECK(all[0].step_ms[9] == 1.0);
    CHECK(all[0].fall().mean == 2.0);
    CHECK(all[0].settled().mean == doctest::Approx(1.8));  // steps 5 to 9
    CHECK(all[0].stage_ms[0][0] == 1.0);
    CHECK(all[1].settled().mean == 8.0);

    const std::string text = to_text(all, two_engines());
    CHECK(text.find("0.25 of bullet") != std::string::npos);
    CHECK(text.find("median") != std::string::npos);
    CHECK(text.find("warning") == std::string::npos);
}

TEST_CASE("repeats that end in different states are warned of") {
    uint64_t hash = 0;
    const std::vector<Measurement> all = run_suite(
        two_engines(),
        [&](const RunRequest& r) {
            RunResult result = made_up(r, 1.0);
            if (r.engine == "bullet" && r.scene == "tower3") result.hash = ++hash;
            return result;
        },
        ignore, ignore_repeat);
    CHECK(all[0].same_hash);
    CHECK_FALSE(all[3].same_hash);
    CHECK(to_text(all, two_engines()).find("bullet on tower3") != std::string::npos);
    CHECK(cell_of(to_table(all, two_engines(), {}), 3, "hash_equal") == "no");
    CHECK(cell_of(to_table(all, two_engines(), {}), 0, "hash_equal") == "yes");
}

TEST_CASE("an engine that crashes loses only its own figures") {
    std::vector<std::string> lines;
    const std::vector<Measurement> all = run_suite(
        two_engines(),
        [&](const RunRequest& r) {
            RunResult result = made_up(r, 1.0);
            if (r.engine == "bullet" && r.scene == "tower2") {
                result = RunResult();
                result.error = "It was ended by signal 11.";
            }
            return result;
        },
        [&](const std::string& line) { lines.push_back(line); }, ignore_repeat);
    CHECK(lines.size() == 12);
    CHECK(lines[1].find("failed. It was ended by signal 11.") != std::string::npos);
    const Table table = to_table(all, two_engines(), {{"processor", "p"}});
    REQUIRE(table.rows.size() == 4);
    CHECK(cell_of(table, 1, "error") == "It was ended by signal 11.");
    CHECK(cell_of(table, 1, "fall_mean_ms").empty());
    CHECK(cell_of(table, 0, "fall_mean_ms") == "1.0000");
    CHECK(to_text(all, two_engines()).find("signal 11") != std::string::npos);
}

TEST_CASE("the table has a cell for every column and comes back from CSV") {
    const std::vector<Measurement> all = run_suite(
        two_engines(), [](const RunRequest& r) { return made_up(r, 1.0); }, ignore, ignore_repeat);
    const Table table = to_table(all, two_engines(), {{"processor", "p"}});
    for (const std::vector<std::string>& row : table.rows) CHECK(row.size() == table.columns.size());
    CHECK(cell_of(table, 0, "settled_solve_ms") == "0.5000");
    CHECK(cell_of(table, 1, "settled_solve_ms").empty());  // others have no stages
    CHECK(cell_of(table, 0, "residual_mean_m_s") == "1.000e-05");
    CHECK(cell_of(table, 1, "residual_mean_m_s").empty());
    CHECK(cell_of(table, 0, "drift_max_mm") == "250.0000");
    CHECK(cell_of(table, 0, "stands") == "yes");
    const Result<Table> read = parse_csv(to_csv(table));
    REQUIRE(read.ok());
    CHECK(read->rows == table.rows);

    const auto json = nlohmann::json::parse(to_json(all, two_engines(), {{"processor", "p"}}));
    CHECK(json["machine"]["processor"] == "p");
    CHECK(json["measurements"].size() == 4);
    CHECK(json["measurements"][0]["settled_mean_ms"] == 1.0);
    CHECK(json["measurements"][1]["residual_mean_m_s"].is_null());
    CHECK(json["measurements"][0]["step_ms"].size() == 10);
}

TEST_CASE("growth is called near-linear when it is, and not otherwise") {
    GrowthSuite suite;
    suite.sizes = {1000, 2000, 4000};
    suite.scenes.scenes = {"growth1000", "growth2000", "growth4000"};
    suite.scenes.engines = {"proxima"};
    suite.scenes.threads = {1};
    suite.scenes.repeats = 1;
    const auto text_for = [&](double power) {
        const std::vector<Measurement> all = run_suite(
            suite.scenes,
            [&](const RunRequest& r) {
                const double bodies = std::stod(r.scene.substr(6));
                RunResult result = made_up(r, 1e-3 * std::pow(bodies, power));
                result.bodies = uint32_t(bodies);
                return result;
            },
            ignore, ignore_repeat);
        return to_text(all, suite);
    };
    CHECK(text_for(1.0).find("NOT near-linear") == std::string::npos);
    CHECK(text_for(1.0).find("to the 1.00") != std::string::npos);
    CHECK(text_for(1.3).find("NOT near-linear") != std::string::npos);
}
