// SPDX-License-Identifier: MIT
// A run as text: how the process that asks for it and the process that makes it understand each other.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "samples/bench/run_one.h"

namespace proxima::bench {

namespace {

using Json = nlohmann::ordered_json;

/// JSON knows no NaN; what was not measured is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
double read_number(const Json& from, const char* key) {
    const Json& value = from.at(key);
    return value.is_null() ? kNotMeasured : value.get<double>();
}

Json as_json(const Quality& q) {
    return {{"touching_pairs", q.touching_pairs},
            {"penetration_max", number(q.penetration_max)},
            {"penetration_mean", number(q.penetration_mean)},
            {"drift_max", number(q.drift_max)},
            {"drift_mean", number(q.drift_mean)},
            {"displacement_max", number(q.displacement_max)},
            {"stands", q.stands ? Json(*q.stands) : Json(nullptr)},
            {"lost", q.lost},
            {"kinetic_energy", number(q.kinetic_energy)}};
}

Quality read_quality(const Json& from) {
    Quality q;
    q.touching_pairs = from.at("touching_pairs").get<uint64_t>();
    q.penetration_max = read_number(from, "penetration_max");
    q.penetration_mean = read_number(from, "penetration_mean");
    q.drift_max = read_number(from, "drift_max");
    q.drift_mean = read_number(from, "drift_mean");
    q.displacement_max = read_number(from, "displacement_max");
    if (!from.at("stands").is_null()) q.stands = from.at("stands").get<bool>();
    q.lost = from.at("lost").get<uint32_t>();
    q.kinetic_energy = read_number(from, "kinetic_energy");
    return q;
}

}  // namespace

std::string to_json(const RunRequest& r) {
    const Json out = {{"scene", r.scene},       {"engine", r.engine}, {"threads", r.threads},
                      {"steps", r.steps},       {"timed", r.timed},   {"settled_from", r.settled_from},
                      {"sleeping", r.sleeping}, {"judge", r.judge}};
    return out.dump();
}

Result<RunRequest> parse_request(const std::string& json) {
    try {
        const Json in = Json::parse(json);
        RunRequest r;
        r.scene = in.at("scene").get<std::string>();
        r.engine = in.at("engine").get<std::string>();
        r.threads = in.at("threads").get<uint32_t>();
        r.steps = in.at("steps").get<uint32_t>();
        r.timed = in.at("timed").get<uint32_t>();
        r.settled_from = in.at("settled_from").get<uint32_t>();
        r.sleeping = in.at("sleeping").get<bool>();
        r.judge = in.at("judge").get<bool>();
        return r;
    } catch (const nlohmann::json::exception& error) {
        return Error{fmt::format("The request for a run cannot be read: {}.", error.what())};
    }
}

std::string to_json(const RunResult& r) {
    Json out = {{"error", r.error},
                {"step_ms", r.step_ms},
                {"stages", r.stages},
                {"stage_ms", r.stage_ms},
                {"hash", r.hash},
                {"residual_mean", number(r.residual_mean)},
                {"contact_points", r.contact_points},
                {"awake", r.awake},
                {"bodies", r.bodies},
                {"peak_memory_mb", r.peak_memory_mb},
                {"calibration_ms", r.calibration_ms},
                {"quality", r.quality ? as_json(*r.quality) : Json(nullptr)}};
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<RunResult> parse_result(const std::string& json) {
    try {
        const Json in = Json::parse(json);
        RunResult r;
        r.error = in.at("error").get<std::string>();
        r.step_ms = in.at("step_ms").get<std::vector<double>>();
        r.stages = in.at("stages").get<std::vector<std::string>>();
        r.stage_ms = in.at("stage_ms").get<std::vector<std::vector<double>>>();
        r.hash = in.at("hash").get<uint64_t>();
        r.residual_mean = read_number(in, "residual_mean");
        r.contact_points = in.at("contact_points").get<int64_t>();
        r.awake = in.at("awake").get<int64_t>();
        r.bodies = in.at("bodies").get<uint32_t>();
        r.peak_memory_mb = in.at("peak_memory_mb").get<double>();
        r.calibration_ms = in.at("calibration_ms").get<double>();
        if (!in.at("quality").is_null()) r.quality = read_quality(in.at("quality"));
        return r;
    } catch (const nlohmann::json::exception& error) {
        return Error{fmt::format("The result of a run cannot be read: {}.", error.what())};
    }
}

}  // namespace proxima::bench
