// SPDX-License-Identifier: MIT
// Zones of recorded work on a device's time line.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "engine/gpu/gpu_commands.h"
#include "engine/gpu/gpu_frames.h"
#include "engine/profile/zone.h"
#include "tests/gpu/gpu_test.h"
#include "tests/support/trace_file.h"

using namespace proxima;
using namespace proxima::engine;
using namespace proxima::test;

namespace {

/// Fills a buffer again and again: work for a device that needs no kernel.
void fill(GpuCommands& commands, const GpuBuffer& buffer, uint32_t times) {
    for (uint32_t i = 0; i < times; ++i) {
        commands.fill(buffer, 0, buffer.bytes(), i);
        commands.barrier(GpuAccess::copies, GpuAccess::copies);
    }
}

void record(GpuCommands& commands, const GpuBuffer& buffer) {
    REQUIRE(commands.begin().ok());
    {
        PX_GPU_ZONE(commands, "all of it");
        {
            PX_GPU_ZONE(commands, "a little");
            fill(commands, buffer, 1);
        }
        PX_GPU_ZONE(commands, "more");
        fill(commands, buffer, 8);
    }
    PX_ZONE("wait");
    REQUIRE(commands.finish().ok());
}

}  // namespace

TEST_CASE("zones of recorded work are on the device's own time line, nested, before the host's wait ends") {
    GpuRig rig;
    if (!rig || rig.device->tick_seconds() == 0.0) return;
    const GpuBuffer buffer = GpuBuffer::create(rig.device, 1 << 20, GpuMemory::device, "buffer").value();
    const std::unique_ptr<GpuCommands> commands = std::move(GpuCommands::create(rig.device, "zones").value());
    record(*commands, buffer);  // nobody looks: must leave nothing behind
    constexpr size_t kRuns = 3;
    const TraceFile trace = trace_of([&] {
        for (size_t i = 0; i < kRuns; ++i) record(*commands, buffer);
    });
    record(*commands, buffer);
    const auto all = trace.all("X", "all of it"), little = trace.all("X", "a little"), more = trace.all("X", "more"),
               waits = trace.all("X", "wait");
    REQUIRE(all.size() == kRuns);
    REQUIRE(little.size() == kRuns);
    REQUIRE(more.size() == kRuns);
    REQUIRE(waits.size() == kRuns);
    for (size_t i = 0; i < kRuns; ++i) {
        CHECK(trace.track_of(all[i]) == rig.device->info().name + ": zones");
        CHECK(all[i].at("tid") != waits[i].at("tid"));
        CHECK(lies_in(little[i], all[i]));
        CHECK(lies_in(more[i], all[i]));
        CHECK(end_of(little[i]) <= begin_of(more[i]) + 1e-3);
        CHECK(length_of(all[i]) > 0.0);
        CHECK(lies_in(all[i], waits[i]));
    }
}

TEST_CASE("zones beyond what a recording has room for are left out, and the others are whole") {
    GpuRig rig;
    if (!rig || rig.device->tick_seconds() == 0.0) return;
    const GpuBuffer buffer = GpuBuffer::create(rig.device, 1024, GpuMemory::device, "buffer").value();
    const std::unique_ptr<GpuCommands> commands = std::move(GpuCommands::create(rig.device, "many").value());
    const TraceFile trace = trace_of([&] {
        REQUIRE(commands->begin().ok());
        {
            PX_GPU_ZONE(*commands, "around");
            for (uint32_t i = 0; i < GpuZones::kMaxZones + 10; ++i) {
                PX_GPU_ZONE(*commands, "one of many");
                PX_GPU_ZONE(*commands, "inside");
            }
        }
        REQUIRE(commands->finish().ok());
    });
    const auto around = trace.all("X", "around");
    REQUIRE(around.size() == 1);
    const size_t outer = trace.all("X", "one of many").size(), inner = trace.all("X", "inside").size();
    CHECK(1 + outer + inner == GpuZones::kMaxZones);
    CHECK(outer == inner + 1);
    for (const nlohmann::json& slice : trace.all("X")) CHECK(lies_in(slice, around[0]));
}

TEST_CASE("zones of frames in flight follow each other on one time line") {
    GpuDeviceOptions options;
    options.graphics = true;
    GpuRig rig(options);
    if (!rig || rig.device->tick_seconds() == 0.0) return;
    constexpr size_t kFrames = 7;
    constexpr uint64_t kBytes = 1 << 16;
    const GpuBuffer buffer = GpuBuffer::create(rig.device, kFrames * kBytes, GpuMemory::device, "buffer").value();
    const std::unique_ptr<GpuFrames> frames = std::move(GpuFrames::create(rig.device, 2, "pictures").value());
    const TraceFile trace = trace_of([&] {
        for (size_t i = 0; i < kFrames; ++i) {
            REQUIRE(frames->begin().ok());
            const Result<GpuSlice> slice = frames->upload(kBytes);
            REQUIRE(slice.ok());
            {
                PX_GPU_ZONE(*frames, "copy");
                frames->copy(slice.value(), buffer, i * kBytes);
            }
            REQUIRE(frames->submit().ok());
        }
        REQUIRE(frames->wait().ok());
    });
    const std::vector<nlohmann::json> copies = trace.all("X", "copy");
    REQUIRE(copies.size() == kFrames);
    for (size_t i = 0; i < kFrames; ++i) {
        CHECK(trace.track_of(copies[i]) == rig.device->info().name + ": pictures");
        if (i > 0) CHECK(begin_of(copies[i]) >= end_of(copies[i - 1]) - 1e-3);
    }
}
