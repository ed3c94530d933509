// SPDX-License-Identifier: MIT
// What a trace file says about a piece of work, for tests.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/profile/trace.h"
#include "tests/support/temporary_folder.h"

namespace proxima::test {

/// The events of one trace, in the order of the file.
struct TraceFile {
    std::vector<nlohmann::json> events;

    /// All of a kind: "X" slices, "C" counters, "M" names; of one name, or of all.
    std::vector<nlohmann::json> all(std::string_view kind, std::string_view name = {}) const {
        std::vector<nlohmann::json> found;
        for (const nlohmann::json& event : events)
            if (event.at("ph") == kind && (name.empty() || event.at("name") == name)) found.push_back(event);
        return found;
    }
    /// The name of the time line that an event lies on.
    std::string track_of(const nlohmann::json& event) const {
        for (const nlohmann::json& name : all("M", "thread_name"))
            if (name.at("tid") == event.at("tid")) return name.at("args").at("name");
        return "";
    }
};

// In microseconds.
inline double begin_of(const nlohmann::json& slice) { return slice.at("ts"); }
inline double length_of(const nlohmann::json& slice) { return slice.at("dur"); }
inline double end_of(const nlohmann::json& slice) { return begin_of(slice) + length_of(slice); }
/// With a nanosecond more at both ends: the decimals of the file end there.
inline bool lies_in(const nlohmann::json& inner, const nlohmann::json& outer) {
    return begin_of(inner) >= begin_of(outer) - 1e-3 && end_of(inner) <= end_of(outer) + 1e-3;
}

inline TraceFile read_trace(const std::string& path) {
    std::ifstream in(path);
    REQUIRE_MESSAGE(in.good(), path);
    const nlohmann::json document = nlohmann::json::parse(in);
    return {document.at("traceEvents").get<std::vector<nlohmann::json>>()};
}

/// Records what `work` does and reads the file.
template <class Work>
TraceFile trace_of(const Work& work) {
    const TemporaryFolder folder;
    const std::string path = folder.file("trace.json");
    const Result<void> started = engine::start_trace(path);
    REQUIRE_MESSAGE(started.ok(), started.error());
    work();
    const Result<engine::TraceSummary> stopped = engine::stop_trace();
    REQUIRE_MESSAGE(stopped.ok(), stopped.error());
    return read_trace(path);
}

}  // namespace proxima::test
