// SPDX-License-Identifier: MIT
// The trace files that `proxima run` writes.
#include <doctest/doctest.h>

#if !defined(_WIN32)
#include "tests/support/run_tool.h"
#include "tests/support/trace_file.h"

using namespace proxima;
using namespace proxima::test;

TEST_CASE("a run leaves a trace with its steps, stages, counters and the name of its thread") {
    const TemporaryFolder folder;
    const Output output = run_tool("run pyramid10 --steps 20 --quiet --trace \"" + folder.file("t.json") + "\"");
    CHECK_MESSAGE(output.exit_code == 0, output.text);
    const TraceFile trace = read_trace(folder.file("t.json"));
    const auto steps = trace.all("X", "step");
    CHECK(steps.size() == 20);
    for (const nlohmann::json& step : steps) CHECK(trace.track_of(step) == "main");
    for (const char* stage : {"find_pairs", "update_manifolds", "update_graph", "solve_islands", "write_back"}) {
        CAPTURE(stage);
        CHECK(trace.all("X", stage).size() >= 20);
    }
    for (const char* counter : {"bodies awake", "contacts", "residual, m/s"}) {
        CAPTURE(counter);
        CHECK(trace.all("C", counter).size() == 20);
    }
    CHECK(trace.all("C", "bodies awake")[0].at("args").at("value") == 55);  // 10 + 9 + ... + 1
    CHECK(folder.files() == 1);
}

#endif
