// SPDX-License-Identifier: MIT
#include "samples/bench/frames/frame_suite.h"

#include <doctest/doctest.h>

#include "tests/gpu/gpu_test.h"

using namespace proxima;
using namespace proxima::test;

TEST_CASE("frames are measured, and the table can be read back") {
    if (GpuRig gpu; !gpu) return;
    bench::FrameSuite suite;
    suite.scenes = {"pyramid10"};
    suite.width = 64;
    suite.height = 36;
    suite.settle = 2;
    suite.frames = 3;
    const Result<bench::FrameReport> report = bench::run_frames(suite, "gpu", {});
    REQUIRE_MESSAGE(report.ok(), report.error());
    REQUIRE(report->rows.size() == 1);
    const bench::FrameRow& row = report->rows[0];
    CHECK(row.bodies == 55);
    CHECK(row.triangles >= 55 * 12);
    CHECK(row.extract > 0.0);
    CHECK(row.record > 0.0);
    // The parts lie in the whole, and the slowest frame is not faster than the median.
    CHECK(row.host() <= row.frame + 0.1);
    CHECK(row.slowest >= row.frame);
    const Result<bench::Table> table = bench::parse_csv(bench::to_csv(bench::to_table(report.value(), {})));
    REQUIRE(table.ok());
    CHECK(table->rows.size() == 1);
    CHECK(table->find("frame_ms") >= 0);
    CHECK(bench::to_text(report.value()).find("pyramid10") != std::string::npos);

    suite.scenes = {"pyramidion"};
    const Result<bench::FrameReport> wrong = bench::run_frames(suite, "gpu", {});
    REQUIRE(!wrong.ok());
    CHECK(wrong.error().find("pyramidion") != std::string::npos);
}
