// SPDX-License-Identifier: MIT
// One run of one scene on one engine: what is asked for and what comes out, also as text, because each run is
// made by a process of its own (clean memory, and an engine that crashes takes nothing with it).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "samples/bench/peers/engine.h"

namespace proxima::bench {

struct RunRequest {
    std::string scene;
    std::string engine;
    uint32_t threads = 1;
    uint32_t steps = 0;         // to run
    uint32_t timed = 0;         // the hash is taken after this many
    uint32_t settled_from = 0;  // judged from here to the end
    bool sleeping = false;
    bool judge = false;  // the figures of quality are wanted too
};

/// What the evaluator of the scenes says; the same code for every engine.
struct Quality {
    uint64_t touching_pairs = 0;
    double penetration_max = 0.0, penetration_mean = 0.0;  // m
    double drift_max = 0.0, drift_mean = 0.0;              // m
    double displacement_max = 0.0;                         // m
    std::optional<bool> stands;
    uint32_t lost = 0;
    double kinetic_energy = 0.0;  // J, of translation, at the end
};

struct RunResult {
    std::string error;  // a sentence; empty when the run came to its end
    std::vector<double> step_ms;
    std::vector<std::string> stages;            // Proxima only
    std::vector<std::vector<double>> stage_ms;  // by stage, by step
    uint64_t hash = 0;                          // of all states after `timed` steps
    double residual_mean = kNotMeasured;        // m/s, mean of the steps from settled_from on that had contacts
    int64_t contact_points = -1, awake = -1;    // at the end
    uint32_t bodies = 0;                        // that can move
    double peak_memory_mb = 0.0;                // of the process, before the run is judged
    double calibration_ms = 0.0;                // a fixed piece of arithmetic: how fast the machine was
    std::optional<Quality> quality;
};

/// Makes the run in this process. What is wrong with it stands in the result.
RunResult run_here(const RunRequest& request);

std::string to_json(const RunRequest& request);
std::string to_json(const RunResult& result);
Result<RunRequest> parse_request(const std::string& json);
Result<RunResult> parse_result(const std::string& json);

}  // namespace proxima::bench
