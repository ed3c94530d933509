// SPDX-License-Identifier: MIT
// `proxima list`: scenes, solvers, friction sets and devices, each with one line.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "physics/solvers/solver.h"
#include "samples/scenes/scenes.h"
#include "samples/tool/devices.h"
#include "samples/tool/tool.h"

namespace proxima::tool {

namespace {

using Json = nlohmann::ordered_json;

struct NamedLine {
    const char* name;
    std::string line;
};

const char* to_string(physics::FrictionSet set) { return set == physics::FrictionSet::disk ? "disk" : "box"; }

std::vector<NamedLine> friction_sets() {
    return {{"disk", "|l_t| <= mu l_n: Coulomb's law, the same in every direction"},
            {"box", "|l_t1| <= mu l_n and |l_t2| <= mu l_n: each tangent by itself, up to 41 % too strong diagonally"}};
}

std::string example_text(const samples::SceneInfo& info) {
    if (info.examples.size() == 1 && info.examples[0] == info.name) return "";
    std::string out;
    for (const std::string_view name : info.examples) out += (out.empty() ? "" : ", ") + std::string(name);
    return " (" + out + ")";
}

Json as_json() {
    Json out;
    out["scenes"] = Json::array();
    for (const samples::SceneInfo& info : samples::built_in_scenes())
        out["scenes"].push_back({{"name", info.name},
                                 {"group", info.group},
                                 {"description", info.description},
                                 {"examples", std::vector<std::string>(info.examples.begin(), info.examples.end())}});
    out["solvers"] = Json::array();
    for (const physics::Solver& solver : physics::solver_table())
        out["solvers"].push_back({{"name", solver.name},
                                  {"family", physics::to_text(solver.family)},
                                  {"model", physics::to_text(solver.model)},
                                  {"friction_set", to_string(solver.set)},
                                  {"solves", solver.solves},
                                  {"guarantees", solver.guarantees},
                                  {"costs", solver.costs}});
    out["friction_sets"] = Json::array();
    for (const NamedLine& set : friction_sets())
        out["friction_sets"].push_back({{"name", set.name}, {"description", set.line}});
    out["devices"] = Json::array();
    const DeviceList found = list_devices();
    for (const DeviceLine& device : found.devices)
        out["devices"].push_back({{"name", device.name}, {"description", device.description}});
    if (!found.note.empty()) out["devices_note"] = found.note;
    return out;
}

void print_readable() {
    std::printf("Scenes\n");
    for (const samples::SceneInfo& info : samples::built_in_scenes())
        std::printf("  %-16.*s %-10.*s %.*s%s\n", int(info.name.size()), info.name.data(), int(info.group.size()),
                    info.group.data(), int(info.description.size()), info.description.data(),
                    example_text(info).c_str());
    std::printf("\nSolvers\n");
    for (const physics::Solver& solver : physics::solver_table())
        std::printf("  %-15.*s %-10.*s %-5.*s %-5s %.*s\n%18sguarantees: %.*s\n%18scosts: %.*s\n",
                    int(solver.name.size()), solver.name.data(), int(to_text(solver.family).size()),
                    to_text(solver.family).data(), int(to_text(solver.model).size()), to_text(solver.model).data(),
                    to_string(solver.set), int(solver.solves.size()), solver.solves.data(), "",
                    int(solver.guarantees.size()), solver.guarantees.data(), "", int(solver.costs.size()),
                    solver.costs.data());
    std::printf("\nFriction sets\n");
    for (const NamedLine& set : friction_sets()) std::printf("  %-15s %s\n", set.name, set.line.c_str());
    std::printf("\nDevices\n");
    const DeviceList found = list_devices();
    for (const DeviceLine& device : found.devices)
        std::printf("  %-15s %s\n", device.name.c_str(), device.description.c_str());
    if (!found.note.empty()) std::printf("  no gpu: %s\n", found.note.c_str());
}

}  // namespace

void add_list_command(const Command& program, int& exit_code) {
    const Command command = program.add_command("list", "Show scenes, solvers, friction sets and devices");
    auto json = std::make_shared<bool>(false);
    command.add_flag("--json", *json, "As JSON, for programs");
    command.callback([json, &exit_code] {
        if (*json)
            std::printf("%s\n", as_json().dump(2).c_str());
        else
            print_readable();
        exit_code = kExitOk;
    });
}

}  // namespace proxima::tool
