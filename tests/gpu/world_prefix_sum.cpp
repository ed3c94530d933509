// SPDX-License-Identifier: MIT
// Prefix sums on the device against sums on the host.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "compute/world/prefix_sum.h"
#include "tests/gpu/gpu_test.h"

using namespace proxima;
using namespace proxima::test;
using compute::world::PrefixSum;
using engine::GpuAccess;
using engine::GpuBuffer;
using engine::GpuCommands;
using engine::GpuMemory;

namespace {

struct SumRig {
    GpuRig gpu;
    std::unique_ptr<PrefixSum> sum;
    std::unique_ptr<GpuCommands> commands;
    GpuBuffer values, sums, stop;

    explicit SumRig(uint32_t most) {
        if (!gpu) return;
        Result<std::unique_ptr<PrefixSum>> made = PrefixSum::create(gpu.device);
        REQUIRE_MESSAGE(made.ok(), made.error());
        sum = std::move(made.value());
        Result<std::unique_ptr<GpuCommands>> recorder = GpuCommands::create(gpu.device, "test");
        REQUIRE_MESSAGE(recorder.ok(), recorder.error());
        commands = std::move(recorder.value());
        const auto make = [&](GpuBuffer& buffer, uint32_t words) {
            Result<GpuBuffer> b = GpuBuffer::create(gpu.device, 4 * words, GpuMemory::device, "test");
            REQUIRE_MESSAGE(b.ok(), b.error());
            buffer = std::move(b.value());
        };
        make(values, most + 1);
        make(sums, most + 1);
        make(stop, 4);
    }

    void prepare(uint32_t most, bool in_place) {
        const PrefixSum::Lists lists{&values, in_place ? &values : &sums, &stop};
        const Result<void> ready = sum->prepare(most, {lists, lists});
        REQUIRE_MESSAGE(ready.ok(), ready.error());
    }

    /// Sums of the items; with `guarded` only while a word on the device is 0.
    std::vector<uint32_t> run(const std::vector<uint32_t>& items, bool guarded, bool in_place, uint32_t stopped = 0) {
        std::vector<uint32_t> result(items.size() + 1);
        const uint32_t words[4] = {7, 7, stopped, 7};
        REQUIRE(commands->begin().ok());
        if (!items.empty()) REQUIRE(commands->upload(values, std::span<const uint32_t>(items)).ok());
        REQUIRE(commands->upload(stop, std::span<const uint32_t>(words)).ok());
        commands->barrier(GpuAccess::copies, GpuAccess::kernels);
        if (guarded)
            sum->record_unless(*commands, 1, uint32_t(items.size()), 2);
        else
            sum->record(*commands, 0, uint32_t(items.size()));
        commands->barrier(GpuAccess::kernels, GpuAccess::copies);
        REQUIRE(commands->download(in_place ? values : sums, std::span<uint32_t>(result)).ok());
        const Result<void> done = commands->finish();
        REQUIRE_MESSAGE(done.ok(), done.error());
        return result;
    }
};

std::vector<uint32_t> some_numbers(uint32_t n) {
    std::vector<uint32_t> numbers(n);
    uint32_t state = 12345u + n;
    for (uint32_t& x : numbers) {
        state = state * 1664525u + 1013904223u;
        x = (state >> 24) % 7u;
    }
    return numbers;
}

std::vector<uint32_t> sums_of(const std::vector<uint32_t>& items) {
    std::vector<uint32_t> sums(items.size() + 1, 0);
    for (size_t i = 0; i < items.size(); ++i) sums[i + 1] = sums[i] + items[i];
    return sums;
}

}  // namespace

TEST_CASE("a prefix sum on the device equals the sums on the host for every size") {
    SumRig rig(300000);
    if (!rig.gpu) return;
    for (const bool in_place : {false, true}) {
        rig.prepare(300000, in_place);
        for (const uint32_t n : {0u, 1u, 63u, 64u, 65u, 1023u, 1024u, 1025u, 2048u, 65536u, 65537u, 300000u})
            for (const bool guarded : {false, true}) {
                CAPTURE(n);
                CAPTURE(guarded);
                CAPTURE(in_place);
                const std::vector<uint32_t> items = some_numbers(n);
                CHECK(rig.run(items, guarded, in_place) == sums_of(items));
            }
    }
}

TEST_CASE("a prefix sum that is too large saturates instead of wrapping round") {
    SumRig rig(5000);
    if (!rig.gpu) return;
    rig.prepare(5000, false);
    const std::vector<uint32_t> sums = rig.run(std::vector<uint32_t>(5000, 0x00400000u), false, false);
    CHECK(sums[1000] == 1000u * 0x00400000u);
    CHECK(sums[1023] == 1023u * 0x00400000u);
    CHECK(sums[1024] == 0xFFFFFFFFu);
    CHECK(sums[5000] == 0xFFFFFFFFu);
}

TEST_CASE("a prefix sum refuses more items than it can add up") {
    SumRig rig(16);
    if (!rig.gpu) return;
    const PrefixSum::Lists lists{&rig.values, &rig.sums, nullptr};
    const Result<void> ready = rig.sum->prepare(PrefixSum::kMaxItems + 1, {lists, lists});
    REQUIRE_FALSE(ready.ok());
    CHECK(ready.error().find(std::to_string(PrefixSum::kMaxItems + 1) + " items") != std::string::npos);
}

TEST_CASE("a prefix sum that the device has stopped leaves the list as it is") {
    SumRig rig(3000);
    if (!rig.gpu) return;
    rig.prepare(3000, true);
    const std::vector<uint32_t> items = some_numbers(3000);
    std::vector<uint32_t> left = rig.run(items, true, true, 4);
    left.pop_back();
    CHECK(left == items);
}
