// SPDX-License-Identifier: MIT
// Recording of zones, plots and zones of devices into a trace file in Chrome's trace-event format, which
// Perfetto opens and Tracy's import-chrome converts. Works in every build, with and without Tracy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/core/result.h"
#include "engine/profile/zone.h"

namespace proxima::engine {

struct TraceSettings {
    std::string process_name = "proxima";
    /// Events kept in memory until the trace is written, over all threads (24 bytes each). Later ones are
    /// dropped and counted, and the file says so.
    size_t max_events = size_t(1) << 20;
};

/// What a finished trace holds.
struct TraceSummary {
    std::string path;
    uint64_t events = 0;
    uint64_t dropped = 0;
    uint32_t threads = 0;  ///< threads, and time lines of devices, with at least one event
};

/// Starts recording zones and plots of all threads, and zones of devices. Fails when a trace is already being
/// recorded or the file cannot be created.
Result<void> start_trace(const std::string& path, const TraceSettings& settings = {});

/// Ends recording and writes the file. Zones that are open at this moment, or were open at the start, are
/// left out. The file appears under its name only when it is complete.
Result<TraceSummary> stop_trace();

/// True between start_trace and stop_trace.
bool trace_active();

}  // namespace proxima::engine
