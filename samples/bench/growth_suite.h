// SPDX-License-Identifier: MIT
// `proxima bench growth`: the time of a step against the number of bodies, in scenes that only grow in width.
#pragma once

#include <string>
#include <vector>

#include "engine/core/result.h"
#include "samples/bench/scene_suite.h"

namespace proxima::bench {

struct GrowthSuite {
    std::string family = "growth";  // of scenes: growthN or heapN
    std::vector<uint32_t> sizes;    // ascending
    SceneSuite scenes;              // what is run
};

/// "growth" (towers) or "heap"; a sentence for anything else.
Result<void> check_family(const std::string& family);

/// Nanoseconds per body of a settled step by size, the exponent of the growth, and a sentence that says whether it is
/// near-linear: an exponent of at most 1.1, and at most 1.5 times the smallest time per body at the end.
std::string to_text(const std::vector<Measurement>& measured, const GrowthSuite& suite);
/// Writes growth.csv, growth.json and the plots into a folder that exists.
Result<void> write_growth(const std::string& folder, const std::vector<Measurement>& measured, const GrowthSuite& suite,
                          const MachineCard& card);

}  // namespace proxima::bench
