// SPDX-License-Identifier: MIT
// Plots and time lines of devices in trace files.
#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <thread>
#include <vector>

#include "engine/profile/gpu_track.h"
#include "engine/profile/plot.h"
#include "tests/support/trace_file.h"

using namespace proxima;
using namespace proxima::engine;
using namespace proxima::test;

namespace {

constexpr ZoneSite kOuter{"outer", "", "", 0, 0};
constexpr ZoneSite kInner{"inner", "", "", 0, 0};

}  // namespace

TEST_CASE("plots are counters in the trace, with every digit and in the order of time") {
    const double values[] = {4096.0, 0.1, 1.0 / 3.0, -2.5e-300, 0.0, 12345678901234.0};
    const TraceFile trace = trace_of([&] {
        PX_ZONE("around");
        for (const double value : values) PX_PLOT("a \"plot\"", value);
        PX_PLOT("whole numbers", 7u);
    });
    const std::vector<nlohmann::json> counters = trace.all("C");
    REQUIRE(counters.size() == 7);
    double before = 0.0;
    for (size_t i = 0; i < 6; ++i) {
        CHECK(counters[i].at("name") == "a \"plot\"");
        CHECK(counters[i].at("args").at("value").get<double>() == values[i]);
        CHECK(begin_of(counters[i]) >= before);
        before = begin_of(counters[i]);
    }
    CHECK(counters[6].at("name") == "whole numbers");
    CHECK(counters[6].at("args").at("value") == 7);
    CHECK(trace.all("X").size() == 1);
}

TEST_CASE("plots that are not finite, or come while no trace is recorded, are left out") {
    PX_PLOT("too early", 1.0);
    const TraceFile trace = trace_of([] {
        PX_PLOT("value", std::numeric_limits<double>::quiet_NaN());
        PX_PLOT("value", std::numeric_limits<double>::infinity());
        PX_PLOT("value", 2.0);
    });
    PX_PLOT("too late", 1.0);
    const std::vector<nlohmann::json> counters = trace.all("C");
    REQUIRE(counters.size() == 1);
    CHECK(counters[0].at("args").at("value") == 2.0);
}

TEST_CASE("zones of a device have a time line of their own, nested, between submit and wait") {
    GpuTrack track("a device", 1e-6, ~0ull);  // ticks of a microsecond, from an origin of its own
    const TraceFile trace = trace_of([&] {
        PX_ZONE("host");
        const int64_t submitted = GpuTrack::host_ns();
        const GpuMark marks[] = {{&kOuter, 5000}, {&kInner, 5010}, {nullptr, 5030},
                                 {&kInner, 5030}, {nullptr, 5040}, {nullptr, 5100}};
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        track.add(marks, submitted, GpuTrack::host_ns());
    });
    std::vector<nlohmann::json> slices;
    nlohmann::json host;
    for (const nlohmann::json& slice : trace.all("X"))
        if (slice.at("name") == "host")
            host = slice;
        else
            slices.push_back(slice);
    REQUIRE(slices.size() == 3);
    CHECK(trace.track_of(slices[0]) == "a device");
    CHECK(slices[0].at("tid") != host.at("tid"));
    CHECK(slices[0].at("name") == "inner");
    CHECK(slices[2].at("name") == "outer");
    CHECK(length_of(slices[0]) == doctest::Approx(20.0));
    CHECK(length_of(slices[1]) == doctest::Approx(10.0));
    CHECK(length_of(slices[2]) == doctest::Approx(100.0));
    CHECK(begin_of(slices[0]) - begin_of(slices[2]) == doctest::Approx(10.0));
    CHECK(end_of(slices[0]) == doctest::Approx(begin_of(slices[1])));
    CHECK(lies_in(slices[2], host));
}

TEST_CASE("the submit that started fastest decides how a device's clock is put beside the host's") {
    GpuTrack track("a device", 1e-9, ~0ull);
    int64_t host = 0;
    const TraceFile trace = trace_of([&] {
        host = GpuTrack::host_ns();
        // The true difference is the host's time of the start: device 0 is `host`. The first submit waited
        // 400 us in a queue, the second 100 us: from then on slices are 100 us early, not 400.
        const auto run = [&](uint64_t at, uint64_t waited) {
            const GpuMark marks[] = {{&kOuter, at}, {nullptr, at + 50'000}};
            track.add(marks, host + int64_t(at - waited), host + int64_t(at + 60'000));
        };
        run(1'000'000, 400'000);
        run(2'000'000, 100'000);
        run(3'000'000, 400'000);
    });
    const std::vector<nlohmann::json> slices = trace.all("X");
    REQUIRE(slices.size() == 3);
    CHECK(begin_of(slices[1]) - begin_of(slices[0]) == doctest::Approx(1300.0));
    CHECK(begin_of(slices[2]) - begin_of(slices[1]) == doctest::Approx(1000.0));
}

TEST_CASE("a device's clock that drifts is put beside the host's anew") {
    GpuTrack track("a device", 1e-9, ~0ull);
    const TraceFile trace = trace_of([&] {
        const int64_t host = GpuTrack::host_ns();
        const GpuMark first[] = {{&kOuter, 1'000'000}, {nullptr, 1'050'000}};
        track.add(first, host + 1'000'000, host + 1'060'000);
        // A millisecond later on the host the device's clock has counted one and a half.
        const GpuMark second[] = {{&kOuter, 2'500'000}, {nullptr, 2'550'000}};
        track.add(second, host + 2'000'000, host + 2'060'000);
    });
    const std::vector<nlohmann::json> slices = trace.all("X");
    REQUIRE(slices.size() == 2);
    CHECK(begin_of(slices[1]) - begin_of(slices[0]) == doctest::Approx(1000.0));
}

TEST_CASE("a device's clock with few bits may start again at zero, also inside a zone") {
    constexpr uint64_t kMask = (1u << 20) - 1;
    GpuTrack track("a device", 1e-9, kMask);
    const TraceFile trace = trace_of([&] {
        int64_t host = GpuTrack::host_ns();
        uint64_t clock = kMask - 1000;
        for (int i = 0; i < 8; ++i) {
            const GpuMark marks[] = {{&kOuter, clock & kMask}, {nullptr, (clock + 5000) & kMask}};
            track.add(marks, host, host + 6000);
            clock += 700'000;  // more than half way round
            host += 700'000;
        }
    });
    const std::vector<nlohmann::json> slices = trace.all("X");
    REQUIRE(slices.size() == 8);
    for (size_t i = 0; i < slices.size(); ++i) {
        CHECK(length_of(slices[i]) == doctest::Approx(5.0));
        if (i > 0) CHECK(begin_of(slices[i]) - begin_of(slices[i - 1]) == doctest::Approx(700.0));
    }
}

TEST_CASE("a device's time line may end before the trace is written") {
    const TraceFile trace = trace_of([] {
        GpuTrack track("short lived", 1e-9, ~0ull);
        const GpuMark marks[] = {{&kOuter, 10}, {nullptr, 20}};
        const int64_t now = GpuTrack::host_ns();
        track.add(marks, now, now + 100);
    });
    const std::vector<nlohmann::json> slices = trace.all("X");
    REQUIRE(slices.size() == 1);
    CHECK(trace.track_of(slices[0]) == "short lived");
}

TEST_CASE("nobody looks at a device's zones while no trace is recorded") {
#if !defined(PROXIMA_TRACY)
    CHECK(!GpuTrack::wanted());
#endif
    trace_of([] { CHECK(GpuTrack::wanted()); });
}
