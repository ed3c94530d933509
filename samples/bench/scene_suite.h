// SPDX-License-Identifier: MIT
// `proxima bench scenes`: the same scenes on Proxima and on other engines, in one go and taking turns, so
// that what the machine does meanwhile falls on all of them alike.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "samples/bench/csv.h"
#include "samples/bench/run_one.h"
#include "samples/bench/statistics.h"

namespace proxima::bench {

struct SceneSuite {
    std::vector<std::string> scenes;
    std::vector<std::string> engines;  // Proxima first
    std::vector<uint32_t> threads;
    uint32_t repeats = 3;
    uint32_t steps = 0;  // 0: as long as each scene says
    bool sleeping = false;
};

/// All runs of one engine on one scene with one number of threads, put together.
struct Measurement {
    std::string engine, scene;
    uint32_t threads = 1;
    Windows windows;
    RunResult first;    // the run that was judged
    uint32_t runs = 0;  // that came to their end
    std::string error;  // of the first run that did not
    bool same_hash = true;
    double calibration_ms = 0.0;                // the fastest
    std::vector<double> step_ms;                // per-step minimum over the runs
    std::vector<std::vector<double>> stage_ms;  // by stage, the same

    void add(RunResult result);
    Summary fall() const { return summarise(step_ms, windows.fall); }
    Summary settled() const { return summarise(step_ms, windows.settled); }
};

/// Makes one run; told apart from the suite so that tests need no other process.
using Runner = std::function<RunResult(const RunRequest&)>;
/// Called after each run with a line that says what came out.
using Progress = std::function<void(const std::string&)>;

/// Repeat outermost, then scene, threads, engine. `after_repeat` gets what there is so far. The scenes must
/// exist. Engines that cannot take a scene (hulls, threads) are left out of it.
std::vector<Measurement> run_suite(const SceneSuite& suite, const Runner& runner, const Progress& progress,
                                   const std::function<void(const std::vector<Measurement>&)>& after_repeat);

/// The names of benchmark scenes in a comma-separated list; "all" stands for the whole group. A sentence for
/// an unknown one, or one that an engine of the list cannot be given.
Result<std::vector<std::string>> parse_scenes(const std::string& list, const std::vector<std::string>& engines);
/// Thread counts, such as "1,2".
Result<std::vector<uint32_t>> parse_threads(const std::string& list);

// ---- what becomes of the measurements
Table to_table(const std::vector<Measurement>& measurements, const SceneSuite& suite, const MachineCard& card);
std::string to_json(const std::vector<Measurement>& measurements, const SceneSuite& suite, const MachineCard& card);
/// Times of every engine and, below, Proxima's ratio to the fastest of the others, with the median over scenes.
std::string to_text(const std::vector<Measurement>& measurements, const SceneSuite& suite);
/// Writes name.csv, name.json and the plots into a folder that exists.
Result<void> write_suite(const std::string& folder, const std::string& name,
                         const std::vector<Measurement>& measurements, const SceneSuite& suite,
                         const MachineCard& card);

}  // namespace proxima::bench
