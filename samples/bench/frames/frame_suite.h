// SPDX-License-Identifier: MIT
// `proxima bench frames`: what a picture of a world costs, on the host and on the device, beside a step of
// the same world.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "samples/bench/csv.h"

namespace proxima::bench {

struct FrameSuite {
    std::vector<std::string> scenes = {"pyramid20", "heap1000", "heap10000"};
    uint32_t width = 1280, height = 720;
    uint32_t settle = 60;  // steps before anything is drawn
    uint32_t frames = 60;  // that are measured, with a step between any two
};

/// One scene. Times are milliseconds, medians over the frames.
struct FrameRow {
    std::string scene;
    uint32_t bodies = 0, triangles = 0;
    double step = 0.0;                                // of the world
    double extract = 0.0;                             // poses of the step taken over, instances made
    double record = 0.0;                              // instances copied, commands recorded and handed over
    double shadow = 0.0, draw = 0.0, overlay = 0.0;   // by the device's clock
    double frame = 0.0;                               // from the step to the finished picture
    double slowest = 0.0;                             // frame
    double host() const { return extract + record; }  // what the thread of the game pays
    double rate() const { return frame > 0.0 ? 1e3 / frame : 0.0; }
};

struct FrameReport {
    std::string device, driver;
    uint32_t msaa = 0, shadow_size = 0;  // what the renderer chose for this device
    FrameSuite suite;
    std::vector<FrameRow> rows;
};

/// A sentence when there is no such device, or it fails.
Result<FrameReport> run_frames(const FrameSuite& suite, const std::string& device,
                               const std::function<void(const std::string&)>& progress);

std::string to_text(const FrameReport& report);
Table to_table(const FrameReport& report, const MachineCard& card);
/// Writes frames.csv and frames.svg into a folder that exists.
Result<void> write_frames(const std::string& folder, const FrameReport& report, const MachineCard& card);

}  // namespace proxima::bench
