// SPDX-License-Identifier: MIT
// The roofline: kernels are counted as they are, stay in order however often they run, and come out as rows.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <vector>

#include "engine/simd/simd_level.h"
#include "samples/bench/roof_kernels.h"
#include "samples/bench/roofline_suite.h"

using namespace proxima;
using namespace proxima::bench;

namespace {

constexpr RigKernel kKernels[] = {RigKernel::sweep, RigKernel::prepare, RigKernel::results, RigKernel::next};

/// Sizes that take no time.
RooflineSuite small_suite() {
    RooflineSuite suite;
    suite.threads = {1, 2};
    suite.levels = {{"L1", 8u << 10}, {"L2", 64u << 10}, {"memory", 256u << 10}};
    suite.repeats = {1, 0.0};
    return suite;
}

}  // namespace

TEST_CASE("the operations of a sweep counted by hand are those that the kernel does") {
    for (uint32_t points = 1; points <= 4; ++points) {
        CAPTURE(points);
        const KernelCost cost = count_kernel(RigKernel::sweep, points);
        CHECK(cost.flops == double(sweep_flops(points)));
        CHECK(cost.slow == 0.0);  // contacts stick: neither root nor quotient
    }
}

TEST_CASE("a kernel touches its block and the records of its bodies, and not all of that is written") {
    for (uint32_t points = 1; points <= 4; ++points) {
        CAPTURE(points);
        const double block = double(physics::kind_row(physics::contact_kind(points)).block_bytes) / 8.0;
        const KernelCost sweep = count_kernel(RigKernel::sweep, points);
        // Two records of velocity and two of motion, of which the first two are written.
        CHECK(sweep.touched_bytes < block + 6 * 32 + 64 * points);
        CHECK(sweep.touched_bytes > 6 * 32);
        // Every body comes once per chunk, not once per manifold: half a body of 64 bytes a manifold.
        CHECK(64.0 * sweep.lines_read <= block + 32 + 1);
        CHECK(sweep.lines_written < 0.5 * sweep.lines_read);
        CHECK(count_kernel(RigKernel::prepare, points).lines_written > sweep.lines_written);
        CHECK(count_kernel(RigKernel::results, points).lines_written < 0.02);
    }
}

TEST_CASE("the chain of a sweep grows with the points, and with the latency of what is on it") {
    double before = 0.0;
    for (uint32_t points = 1; points <= 4; ++points) {
        const double chain = count_kernel(RigKernel::sweep, points).chain;
        CHECK(chain > before);
        before = chain;
        const float twice[engine::kLaneOperations] = {2, 2, 2, 2, 2, 2, 2, 2};
        CHECK(count_kernel(RigKernel::sweep, points, twice).chain == 2.0 * chain);
    }
    CHECK(before < double(sweep_flops(4)) / 4);  // not everything waits for everything
}

TEST_CASE("counting lanes: what is counted is what was done, and the chain is the longest way") {
    using namespace lanes0;
    engine::LaneCounts& counts = engine::lane_counts();
    counts = engine::LaneCounts();
    float in[2] = {3.0f, 4.0f}, out = 0.0f;
    const Lanes a = load(in), b = load(in + 1);
    store(&out, sqrt(a * a + b * b));  // a product, a sum, a root: the second product waits for nobody
    CHECK(out == 5.0f);
    CHECK(counts.of(LaneOperation::multiply) == 2);
    CHECK(counts.of(LaneOperation::add) == 1);
    CHECK(counts.of(LaneOperation::root) == 1);
    CHECK(counts.flops() == 4);
    CHECK(counts.longest_chain == 3.0f);
    CHECK(counts.accesses.size() == 3);
    CHECK(select(a > b, a, max(b, -a)).v == 4.0f);
    CHECK(counts.flops() == 5);  // the maximum; comparing, choosing and the sign are none
    counts = engine::LaneCounts();
}

TEST_CASE("contacts of the rig stay finite and sticking however often they are swept, at every level") {
    const engine::SimdLevel before = engine::simd_level();
    for (int level = 0; level <= int(engine::widest_simd_level()); ++level) {
        engine::set_simd_level(engine::SimdLevel(level));
        for (uint32_t points = 0; points <= 4; ++points) {
            CAPTURE(level);
            CAPTURE(points);
            KernelRig rig(points, 2);
            for (const RigKernel kernel : kKernels)
                for (int i = 0; (points > 0 || kernel == RigKernel::next) && i < 60; ++i) rig.run(kernel);
            CHECK(rig.is_sound());
        }
    }
    engine::set_simd_level(before);
}

TEST_CASE("the loops of the roofs keep their data and give the same at every level") {
    const engine::SimdLevel before = engine::simd_level();
    engine::set_simd_level(engine::SimdLevel::one);
    const float sum = roof_kernels().multiply_add(50), law = roof_kernels().law_chain(3);
    for (int level = 0; level <= int(engine::widest_simd_level()); ++level) {
        engine::set_simd_level(engine::SimdLevel(level));
        const RoofKernels& kernels = roof_kernels();
        CHECK(kernels.lanes == (level == 0 ? 1u : level == 1 ? 4u : 8u));
        alignas(64) float data[256];
        for (int i = 0; i < 256; ++i) data[i] = float(i);
        kernels.update(data, 256);
        kernels.read(data, 256);
        bool same = true;
        for (int i = 0; i < 256; ++i) same = same && data[i] == float(i);
        CHECK(same);
        CHECK(kernels.multiply_add(50) == sum);
        CHECK(kernels.law_chain(3) == law);
        CHECK(kernels.chain[0](1) == doctest::Approx(1.016f));
        CHECK(kernels.chain[2](4) == 1.0f);
        CHECK(kernels.chain[6](1) == 1.0f);  // sixteen changes of sign
    }
    engine::set_simd_level(before);
}

TEST_CASE("every thread does the work that is timed, as often as the others") {
    std::atomic<uint32_t> calls[3] = {};
    const double seconds = fastest_seconds(3, {4, 0.0}, [&](uint32_t thread) { ++calls[thread]; });
    CHECK(seconds > 0.0);
    CHECK(calls[0] == 4);
    CHECK(calls[1] == 4);
    CHECK(calls[2] == 4);
}

TEST_CASE("sets lie in the caches that they are named after") {
    const std::vector<MemoryLevel> levels = memory_levels({48u << 10, 2u << 20, 32u << 20});
    REQUIRE(levels.size() == 4);
    CHECK(levels[0].bytes < 48u << 10);
    CHECK(levels[1].bytes < 2u << 20);
    CHECK(levels[2].bytes > 2u << 20);
    CHECK(levels[2].bytes < 32u << 20);
    CHECK(levels[3].bytes >= 256u << 20);
}

TEST_CASE("a roofline has rows for roofs and kernels, and every kernel stands under its roof") {
    const RooflineSuite suite = small_suite();
    const Roofline roofline = run_roofline(suite, [](const std::string&) {});
    const uint32_t levels = uint32_t(engine::widest_simd_level()) + 1;
    CHECK(roofline.roofs.bandwidths.size() == 6);
    CHECK(roofline.roofs.peaks.size() == 2 * levels);
    // Two thread counts, two levels of memory, three kernels of four kinds and the bodies; narrower sweeps.
    CHECK(roofline.kernels.size() == 2 * 2 * 13 + 4 * (levels - 1));
    for (const KernelMeasurement& m : roofline.kernels) {
        CHECK(m.seconds > 0.0);
        CHECK(m.peak_seconds > 0.0);
        CHECK(m.bandwidth_seconds > 0.0);
        CHECK(m.chain_seconds > 0.0);
        CHECK(m.flops() * m.roof_seconds() == doctest::Approx(m.cost.flops * m.fraction()));
    }
    const Result<Table> table = parse_csv(to_csv(to_table(roofline, {{"processor", "made up"}})));
    REQUIRE(table);
    CHECK(table->card.size() == 1);
    CHECK(table->rows.size() == 12 + 2 * levels + 9 + roofline.kernels.size());
    size_t sweeps = 0;
    for (const std::vector<std::string>& row : table->rows)
        if (row[size_t(table->find("row"))] == "kernel" && row[size_t(table->find("name"))] == "sweep") {
            ++sweeps;
            const uint32_t points = uint32_t(std::stoul(row[size_t(table->find("points"))]));
            CHECK(std::stoul(row[size_t(table->find("flops"))]) == sweep_flops(points));
        }
    CHECK(sweeps == 16 + 4 * (levels - 1));
    const std::string text = to_text(roofline), plot = to_svg(roofline, 2);
    CHECK(text.find("results 4") != std::string::npos);
    CHECK(plot.find("2 threads") != std::string::npos);
    CHECK(plot.find("sweep, L2") != std::string::npos);
    CHECK(plot.find("nan") == std::string::npos);
}
