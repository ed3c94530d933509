// SPDX-License-Identifier: MIT
#include "samples/tool/run_report.h"

#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace proxima::tool {

namespace {

using Json = nlohmann::ordered_json;

std::string hex(uint64_t hash) {
    char buffer[17];
    std::snprintf(buffer, sizeof(buffer), "%016llx", static_cast<unsigned long long>(hash));
    return buffer;
}
Json as_json(const MeanMax& m) { return {{"mean", m.mean}, {"max", m.max}}; }

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void line(std::string& out, const char* format, ...) {
    char buffer[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(buffer, sizeof(buffer), format, arguments);
    va_end(arguments);
    out += buffer;
    out += '\n';
}

/// Metres as a person reads them: "0.25 mm", "1.50 m".
std::string as_length(double metres) {
    char buffer[32];
    if (metres >= 1.0 || !(metres >= 0.0))
        std::snprintf(buffer, sizeof(buffer), "%.2f m", metres);
    else
        std::snprintf(buffer, sizeof(buffer), "%.2f mm", metres * 1000.0);
    return buffer;
}

/// "512 kB", "3.20 MB", powers of ten.
std::string as_bytes(size_t bytes) {
    char buffer[32];
    if (bytes >= 1000000)
        std::snprintf(buffer, sizeof(buffer), "%.2f MB", double(bytes) * 1e-6);
    else
        std::snprintf(buffer, sizeof(buffer), "%.0f kB", double(bytes) * 1e-3);
    return buffer;
}

}  // namespace

std::string to_json(const RunReport& r) {
    Json out;
    out["scene"] = r.scene;
    out["solver"] = r.solver;
    out["device"] = r.device;
    out["threads"] = r.threads;
    out["steps"] = r.steps;
    out["dt"] = r.dt;
    out["substeps"] = r.substeps;
    out["settled_from"] = r.settled_from;
    out["bodies"] = r.bodies;
    out["fixed_bodies"] = r.fixed_bodies;
    out["contacts"] = r.contacts;
    out["pairs"] = r.pairs;
    out["islands"] = r.islands;
    out["hash"] = hex(r.hash);
    out["time_ms"] = {{"mean", r.time_mean_ms},
                      {"p99", r.time_p99_ms},
                      {"max", r.time_max_ms},
                      {"settled_mean", r.time_settled_mean_ms}};
    out["stages_ms"] = Json::object();
    for (const auto& [name, ms] : r.stages_ms) out["stages_ms"][name] = ms;
    if (r.device_cost) {
        const DeviceCost& c = *r.device_cost;
        out["device_cost"] = {{"host_ms", c.host_ms},       {"wait_ms", c.wait_ms},           {"submits", c.submits},
                              {"dispatches", c.dispatches}, {"barriers", c.barriers},         {"bytes_up", c.bytes_up},
                              {"bytes_down", c.bytes_down}, {"device_bytes", c.device_bytes}, {"repeats", c.repeats},
                              {"colours", c.colours}};
    }
    out["direct"] = {{"body_steps", r.direct_part},
                     {"factorisations", r.factorisations},
                     {"failures", r.direct_failures},
                     {"tolerance", r.direct_tolerance},
                     {"residual_max", r.direct_residual}};
    out["escalated_islands"] = r.escalated;
    out["failed_solvers"] = r.failed_solvers;
    out["steps_with_contacts"] = r.steps_with_contacts;
    out["residual"] = as_json(r.residual);
    out["end_residual"] = as_json(r.end_residual);
    out["sag"] = r.sag ? as_json(*r.sag) : Json(nullptr);
    if (r.joints > 0) out["joints"] = {{"count", r.joints}, {"error_max", r.joint_error}};
    out["penetration"] = as_json(r.penetration);
    out["touching_pairs"] = r.touching_pairs;
    out["kinetic_energy"] = r.kinetic_energy;
    out["kinetic_energy_translational"] = r.kinetic_energy_translational;
    out["displacement"] = as_json(r.displacement);
    out["drift"] = as_json(r.drift);
    out["memory"] = {{"bodies", r.memory.bodies},
                     {"colliders", r.memory.colliders},
                     {"broadphase", r.memory.broadphase},
                     {"pairs", r.memory.pairs},
                     {"contacts", r.memory.contacts},
                     {"solver", r.memory.solver},
                     {"entities", r.memory.entities},
                     {"shapes", r.memory.shapes},
                     {"total", r.memory.total()},
                     {"total_settled", r.memory_settled.total()},
                     {"resident", r.resident},
                     {"resident_settled", r.resident_settled}};
    out["stands"] = r.stands ? Json(*r.stands) : Json(nullptr);
    out["lost"] = r.lost;
    if (r.goal)
        out["goal"] = {{"held", r.goal->held()},
                       {"position_error", r.goal->position_error},
                       {"drift", r.goal->drift},
                       {"overshoot", r.goal->overshoot},
                       {"penetration", r.goal->penetration},
                       {"speed", r.goal->speed},
                       {"lift", r.goal->lift},
                       {"moved", r.goal->moved},
                       {"broken", r.goal->broken}};
    out["sleeping"] = r.sleeping;
    out["warnings"] = r.warnings;
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_text(const RunReport& r) {
    std::string out;
    line(out, "scene          %s, %u bodies that move, %u that do not", r.scene.c_str(), r.bodies, r.fixed_bodies);
    line(out, "run            %u steps of %.4g s, %u sub-steps, solver %s, device %s, %u thread%s", r.steps, r.dt,
         r.substeps, r.solver.c_str(), r.device.c_str(), r.threads, r.threads == 1 ? "" : "s");
    line(out, "time           mean %.3f ms, p99 %.3f ms, from step %u on %.3f ms", r.time_mean_ms, r.time_p99_ms,
         r.settled_from, r.time_settled_mean_ms);
    if (r.measures_all)
        line(out, "               with the residual measured in all sub-steps; --measure one takes less");
    std::string stages;
    for (const auto& [name, ms] : r.stages_ms) {
        char buffer[64];
        std::snprintf(buffer, sizeof(buffer), "%s%s %.3f", stages.empty() ? "" : ", ", name.c_str(), ms);
        if (ms >= 0.0005) stages += buffer;
    }
    out += "  stages, ms   " + stages + "\n";
    if (r.device_cost) {
        const DeviceCost& c = *r.device_cost;
        line(out,
             "  a step       %.0f dispatches, %.0f barriers, %.2f submits; host %.3f ms; up %.0f, down %.0f "
             "bytes",
             c.dispatches, c.barriers, c.submits, c.host_ms, c.bytes_up, c.bytes_down);
        line(out, "  device       %s of memory, %llu steps done again for lack of room, %u colours",
             as_bytes(size_t(c.device_bytes)).c_str(), static_cast<unsigned long long>(c.repeats), c.colours);
    }
    line(out, "contacts       %u points, %u pairs, %u islands, %u bodies asleep", r.contacts, r.pairs, r.islands,
         r.sleeping);
    if (r.direct_part > 0.0)
        line(out, "direct         %.1f %% of the steps of bodies, %llu factorisations, %llu failures",
             100.0 * r.direct_part, static_cast<unsigned long long>(r.factorisations),
             static_cast<unsigned long long>(r.direct_failures));
    if (r.direct_part > 0.0)
        line(out, "  accepted     residuals up to %.2e m/s; the largest was %.2e m/s", r.direct_tolerance,
             r.direct_residual);
    if (r.escalated > 0)
        line(out, "escalated      %llu islands, summed over the steps", static_cast<unsigned long long>(r.escalated));
    if (r.failed_solvers > 0)
        line(out, "failed         %s in %llu islands, summed over the steps; they were swept", r.solver.c_str(),
             static_cast<unsigned long long>(r.failed_solvers));
    line(out, "residual       mean %.2e m/s, max %.2e m/s (distance from Coulomb's law, %u steps with contacts)",
         r.residual.mean, r.residual.max, r.steps_with_contacts);
    if (r.sag)
        line(out, "sag            mean %s, max %s of contacts that carry a load", as_length(r.sag->mean).c_str(),
             as_length(r.sag->max).c_str());
    if (r.joints > 0)
        line(out, "joints         %u, anchors never more than %s apart", r.joints, as_length(r.joint_error).c_str());
    line(out, "penetration    mean %s, max %s over %llu touching pairs", as_length(r.penetration.mean).c_str(),
         as_length(r.penetration.max).c_str(), static_cast<unsigned long long>(r.touching_pairs));
    line(out, "displacement   mean %s, max %s from the start", as_length(r.displacement.mean).c_str(),
         as_length(r.displacement.max).c_str());
    line(out, "drift          mean %s, max %s from step %u on", as_length(r.drift.mean).c_str(),
         as_length(r.drift.max).c_str(), r.settled_from);
    line(out, "energy         %.4g J, %.4g J of it without rotation", r.kinetic_energy, r.kinetic_energy_translational);
    line(out, "memory         %s of the world, %s at step %u; %s of the program, %s at step %u",
         as_bytes(r.memory.total()).c_str(), as_bytes(r.memory_settled.total()).c_str(), r.settled_from,
         as_bytes(r.resident).c_str(), as_bytes(r.resident_settled).c_str(), r.settled_from);
    line(out, "  parts        bodies %s, colliders %s, broadphase %s, pairs %s, contacts %s, solver %s",
         as_bytes(r.memory.bodies).c_str(), as_bytes(r.memory.colliders).c_str(), as_bytes(r.memory.broadphase).c_str(),
         as_bytes(r.memory.pairs).c_str(), as_bytes(r.memory.contacts).c_str(), as_bytes(r.memory.solver).c_str());
    if (r.stands) line(out, "stands         %s", *r.stands ? "yes" : "no");
    if (r.goal) {
        line(out, "goal           %s: %s from its place, %s of drift, %.2g m/s in the last second",
             r.goal->held() ? "held" : "missed", as_length(r.goal->position_error).c_str(),
             as_length(r.goal->drift).c_str(), r.goal->speed);
        for (const std::string& what : r.goal->broken) out += "  missed       " + what + "\n";
    }
    if (r.lost > 0) line(out, "lost           %u bodies", r.lost);
    line(out, "hash           %s", hex(r.hash).c_str());
    for (const std::string& warning : r.warnings) out += "warning        " + warning + "\n";
    return out;
}

}  // namespace proxima::tool
