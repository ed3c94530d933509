// SPDX-License-Identifier: MIT
// What a profile shows of steps: stages, counters, threads.
#include <algorithm>
#include <set>
#include <string>

#include "engine/profile/zone.h"
#include "tests/support/test_world.h"
#include "tests/support/trace_file.h"

using namespace proxima;
using namespace proxima::test;

namespace {

void make_stack(TestWorld& t, uint32_t columns) {
    t.floor();
    for (uint32_t k = 0; k < columns; ++k)
        for (uint32_t i = 0; i < 4; ++i)
            t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {2.0f * float(k), 0.5f + float(i), 0.0f}});
}

}  // namespace

TEST_CASE("a trace holds every call of every stage, inside its step") {
    for (const bool general : {false, true}) {
        CAPTURE(general);
        TestWorld t;
        make_stack(t, 2);
        if (general) {
            StepSettings s = t.settings();
            s.simd_kernels = false;
            t.set(s);
        }
        constexpr size_t kSteps = 5;
        const TraceFile trace = trace_of([&] {
            for (size_t i = 0; i < kSteps; ++i) REQUIRE(t.world.step(kDt).ok());
        });
        const std::vector<nlohmann::json> steps = trace.all("X", "step");
        REQUIRE(steps.size() == kSteps);
        uint64_t stages_seen = 0;
        for (const engine::StageTime& stage : t.world.times().stages()) {
            CAPTURE(stage.name);
            const std::vector<nlohmann::json> slices = trace.all("X", stage.name);
            CHECK(slices.size() == stage.count);
            stages_seen += !slices.empty();
            for (const nlohmann::json& slice : slices)
                CHECK(std::count_if(steps.begin(), steps.end(),
                                    [&](const nlohmann::json& step) { return lies_in(slice, step); }) == 1);
        }
        CHECK(stages_seen >= 11);
    }
}

TEST_CASE("bodies, contacts and residual of every step are counters of the trace") {
    TestWorld t;
    make_stack(t, 3);
    std::vector<StepReport> reports;
    const TraceFile trace = trace_of([&] {
        for (int i = 0; i < 4; ++i) {
            REQUIRE(t.world.step(kDt).ok());
            reports.push_back(t.world.report());
        }
    });
    const auto bodies = trace.all("C", "bodies awake"), contacts = trace.all("C", "contacts"),
               residuals = trace.all("C", "residual, m/s");
    REQUIRE(bodies.size() == reports.size());
    REQUIRE(contacts.size() == reports.size());
    REQUIRE(residuals.size() == reports.size());
    for (size_t i = 0; i < reports.size(); ++i) {
        CHECK(bodies[i].at("args").at("value") == 12);
        CHECK(contacts[i].at("args").at("value") == reports[i].contacts);
        CHECK(residuals[i].at("args").at("value").get<double>() == reports[i].residual_max);
    }
    CHECK(reports.back().contacts > 0);
}

TEST_CASE("the threads of a step have names, and what workers do is on their own time lines") {
    engine::set_thread_name("the tester");
    TestWorld t(4);
    make_stack(t, 64);
    // Helpers join when they wake, which may be after a short step: some step of many has one.
    TraceFile trace;
    for (int attempt = 0; attempt < 50 && trace.all("X", "blocks").empty(); ++attempt)
        trace = trace_of([&] {
            for (int i = 0; i < 10; ++i) REQUIRE(t.world.step(kDt).ok());
        });
    const std::vector<nlohmann::json> blocks = trace.all("X", "blocks"), steps = trace.all("X", "step");
    REQUIRE(!blocks.empty());
    REQUIRE(steps.size() == 10);
    for (const nlohmann::json& step : steps) CHECK(trace.track_of(step) == "the tester");
    for (const nlohmann::json& block : blocks) CHECK(trace.track_of(block).starts_with("worker "));
}
