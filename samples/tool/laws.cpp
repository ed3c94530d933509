// SPDX-License-Identifier: MIT
// `proxima laws`: small worlds with known answers, and how far each is from it.
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/core/suggest.h"
#include "samples/bench/engines.h"
#include "samples/laws/laws.h"
#include "samples/tool/law_table.h"
#include "samples/tool/tool.h"

#ifdef PROXIMA_GPU
#include "engine/gpu/gpu_instance.h"
#include "samples/laws/gpu/gpu_laws.h"
#endif

namespace proxima::tool {

namespace {

struct LawArguments {
    std::vector<std::string> names;
    std::string solver, device = "cpu", peers = "none";
    double dt = 1.0 / 60.0;
    uint32_t substeps = 0, tries = 0;
    uint32_t seed = 1;
    bool sleeping = false, general = false, all = false, json = false, accurate = false;
};

/// The worst of its tries: the one that is farthest from its answer in units of what is allowed.
const samples::LawPoint& worst_of(const std::vector<samples::LawPoint>& points) {
    size_t worst = 0;
    const auto distance = [](const samples::LawPoint& p) {
        const double d = std::abs(p.measured - p.expected) / std::max(p.tolerance, 1e-12);
        return std::isfinite(d) ? d : 1e300;
    };
    for (size_t k = 1; k < points.size(); ++k)
        if (distance(points[k]) > distance(points[worst])) worst = k;
    return points[worst];
}

void print_law(const samples::Law& law, const std::vector<samples::LawPoint>& points, bool all) {
    std::printf("%-26.*s %2zu of %2zu  %.*s\n", int(law.name.size()), law.name.data(), count_held(points),
                points.size(), int(law.sentence.size()), law.sentence.data());
    const samples::LawPoint& worst = worst_of(points);
    for (const samples::LawPoint& p : points)
        if (all || &p == &worst)
            std::printf("    %s %-52s expected %10.5g  measured %10.5g  +-%.2g %.*s\n", p.holds() ? " " : "!",
                        p.parameters.c_str(), p.expected, p.measured, p.tolerance, int(law.unit.size()),
                        law.unit.data());
    std::fflush(stdout);
}

Json as_json(const samples::Law& law, const std::vector<samples::LawPoint>& points) {
    return {{"name", law.name}, {"sentence", law.sentence}, {"unit", law.unit}, {"tries", tries_as_json(points)}};
}

/// Says why a law was not tried on the device.
void print_refused(const samples::Law& law, const std::string& why, bool as_json, Json& json) {
    if (as_json) {
        json.push_back({{"name", law.name}, {"sentence", law.sentence}, {"refused", why}});
        return;
    }
    std::printf("%-26.*s not tried  %s\n", int(law.name.size()), law.name.data(), why.c_str());
}

/// nullptr for the cpu.
Result<std::unique_ptr<samples::LawDevice>> open_device(const std::string& name) {
    if (name == "cpu") return std::unique_ptr<samples::LawDevice>();
#ifdef PROXIMA_GPU
    // Without the validation layers: laws are thousands of small steps.
    Result<std::shared_ptr<engine::GpuInstance>> instance = engine::GpuInstance::create({{}, false});
    if (!instance) return Error{instance.error()};
    engine::GpuDeviceOptions options;
    options.cache_folder = engine::default_gpu_cache_folder();
    options.requirements = compute::GpuWorld::requirements();
    Result<std::shared_ptr<engine::GpuDevice>> opened = engine::GpuDevice::open(instance.value(), name, options);
    if (!opened) return Error{opened.error() + " Or use --device cpu, or leave the flag out."};
    return std::unique_ptr<samples::LawDevice>(std::make_unique<samples::GpuLaws>(opened.value()));
#else
    return Error{"This build of proxima was made without Vulkan. Leave --device out."};
#endif
}

Result<std::vector<const samples::Law*>> choose_laws(const std::vector<std::string>& names) {
    std::vector<const samples::Law*> chosen;
    for (const std::string& name : names) {
        chosen.push_back(samples::find_law(name));
        if (chosen.back()) continue;
        std::vector<std::string_view> known;
        for (const samples::Law& law : samples::laws()) known.push_back(law.name);
        return Error{"There is no law called '" + name + "'; did you mean '" + std::string(nearest_word(name, known)) +
                     "'? `proxima laws --help` tells more."};
    }
    if (chosen.empty())
        for (const samples::Law& law : samples::laws())
            if (!law.takes_long) chosen.push_back(&law);
    return chosen;
}

Result<samples::LawOptions> make_options(const LawArguments& arguments) {
    samples::LawOptions options;
    options.seed = arguments.seed;
    options.max_tries = arguments.tries;
    options.dt = float(arguments.dt);
    options.settings.sleeping = arguments.sleeping;
    options.settings.simd_kernels = !arguments.general;
    if (arguments.substeps > 0) options.settings.substeps = options.settings.large_island_substeps = arguments.substeps;
    if (!arguments.solver.empty()) {
        if (const auto known = check_solver(arguments.solver); !known) return Error{known.error()};
        options.settings.solver = arguments.solver;
    }
    if (const auto good = physics::check(options.settings); !good) return Error{good.error()};
    if (!(options.dt > 0.0f && options.dt <= 1.0f)) return Error{"--dt must be above 0 s and at most 1 s."};
    return options;
}

/// The worst of each law, or all, on one device.
int run_here(const std::vector<const samples::Law*>& chosen, const samples::LawOptions& options,
             const LawArguments& arguments) {
    size_t held = 0, tried = 0, whole = 0, refused = 0;
    Json json = Json::array();
    for (const samples::Law* law : chosen) {
        if (options.device) options.device->refused.clear();
        const std::vector<samples::LawPoint> points = samples::run_law(*law, options);
        if (options.device && !options.device->refused.empty()) {
            ++refused;
            print_refused(*law, options.device->refused.front(), arguments.json, json);
            continue;
        }
        const size_t here = count_held(points);
        held += here;
        tried += points.size();
        whole += here == points.size();
        if (arguments.json)
            json.push_back(as_json(*law, points));
        else
            print_law(*law, points, arguments.all);
    }
    if (arguments.json)
        std::printf("%s\n", json.dump(2).c_str());
    else
        std::printf("%zu of %zu laws hold, %zu of %zu tries\n", whole, chosen.size() - refused, held, tried);
    if (!arguments.json && refused > 0)
        std::printf("%zu laws ask for what the device does not have; they are not counted\n", refused);
    return kExitOk;
}

int run(const LawArguments& arguments) {
    const Result<std::vector<const samples::Law*>> chosen = choose_laws(arguments.names);
    if (!chosen) return complain(chosen.error());
    Result<samples::LawOptions> options = make_options(arguments);
    if (!options) return complain(options.error());
    const Result<std::vector<std::string>> peers = bench::parse_peers(arguments.peers);
    if (!peers) return complain(peers.error());
    if (!peers->empty() && arguments.device != "cpu")
        return complain("--peers compares with Proxima on the CPU; leave --device out.");
    if (!peers->empty())
        return compare_laws(chosen.value(), options.value(), peers.value(), arguments.accurate,
                            {.all = arguments.all, .json = arguments.json});
    Result<std::unique_ptr<samples::LawDevice>> device = open_device(arguments.device);
    if (!device) return complain(device.error());
    options->device = device.value().get();
    return run_here(chosen.value(), options.value(), arguments);
}

}  // namespace

void add_laws_command(const Command& program, int& exit_code) {
    const Command command = program.add_command("laws", "Try small worlds with known answers");
    auto arguments = std::make_shared<LawArguments>();
    command.add_option(
        "names", arguments->names,
        "Laws to try; all of them when none is named, but those that take minutes (scaled_large_scenes)");
    command.add_flag("--all", arguments->all, "Show every try, not the worst of each law");
    command.add_flag("--sleeping", arguments->sleeping, "Let bodies sleep");
    command.add_flag("--general", arguments->general, "Without the SIMD kernels: the path of laboratory solvers");
    command.add_option("--solver", arguments->solver, "A solver of `proxima list`");
    command.add_option("--device", arguments->device, "Where worlds are stepped: cpu, gpu, gpu:NAME").show_default();
    command.add_option("--peers", arguments->peers,
                       "Other engines to try them in: box3d, jolt, physx, physx-tgs, bullet; a list, all or none");
    command.add_flag("--accurate", arguments->accurate,
                     "Peers: with what they leave out for speed by default, such as gyroscopic forces");
    command.add_option("--dt", arguments->dt, "Seconds a step, for things of 10 cm and more").show_default();
    command.add_option("--substeps", arguments->substeps, "Sub-steps a step; 0: the default");
    command.add_option("--tries", arguments->tries, "Of each law, the first ones; 0: all");
    command.add_option("--seed", arguments->seed, "Of the parameters that are drawn at random").show_default();
    command.add_flag("--json", arguments->json, "As JSON, for programs");
    command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace proxima::tool
