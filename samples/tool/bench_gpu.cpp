// SPDX-License-Identifier: MIT
// `proxima bench gpu`: the solver on the GPU against the CPU.
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/profile/trace.h"
#include "samples/bench/engines.h"
#include "samples/bench/lists.h"
#include "samples/bench/machine.h"
#include "samples/tool/tool.h"

#ifdef PROXIMA_GPU
#include "samples/bench/gpu/gpu_suite.h"
#include "samples/bench/gpu/world_suite.h"
#endif

namespace proxima::tool {

namespace {

struct GpuOptions {
    std::string device = "gpu";
    std::string scenes = "pyramid20,pile4096";
    std::string bodies = "1000,4000,20000,100000";
    std::optional<int64_t> step, sweeps, repeats;
    std::string out, trace;
    bool quick = false;
};

#ifdef PROXIMA_GPU
Result<void> set_count(const std::optional<int64_t>& value, const char* flag, uint32_t& out) {
    constexpr int64_t kMaxValue = 100000;
    if (!value) return {};
    if (*value < 1 || *value > kMaxValue)
        return Error{std::string(flag) + " is " + std::to_string(*value) + "; it must be from 1 to " +
                     std::to_string(kMaxValue) + "."};
    out = uint32_t(*value);
    return {};
}

/// "none" or numbers separated by commas.
Result<std::vector<uint32_t>> parse_bodies(const std::string& list) {
    constexpr uint32_t kMaxValue = 120000;
    std::vector<uint32_t> out;
    if (list == "none") return out;
    for (const std::string& word : bench::split_list(list)) {
        uint32_t number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error != std::errc() || end != word.data() + word.size() || number < 1 || number > kMaxValue)
            return Error{"--bodies has '" + word + "'; it is a list of numbers from 1 to " + std::to_string(kMaxValue) +
                         ", separated by commas, or none."};
        out.push_back(number);
    }
    return out;
}

int bench_gpu(const GpuOptions& o, const std::string& command) {
    bench::GpuSuite suite;
    suite.scenes = bench::split_list(o.scenes);
    if (suite.scenes.empty()) return complain("--scenes names no scene; `proxima list` shows them all.");
    if (o.quick) {
        suite.scenes = {"pyramid10"};
        suite.repeats = 2;
        suite.step = 30;
    }
    bench::GpuWorldSuite worlds;
    const Result<std::vector<uint32_t>> bodies = parse_bodies(o.quick ? "500" : o.bodies);
    if (!bodies) return complain(bodies.error());
    worlds.bodies = bodies.value();
    if (o.quick) worlds.settle = 60, worlds.steps = 3;
    for (const auto& [value, flag, count] :
         {std::tuple(o.step, "--step", &suite.step), std::tuple(o.sweeps, "--sweeps", &suite.sweeps),
          std::tuple(o.repeats, "--repeats", &suite.repeats)})
        if (Result<void> good = set_count(value, flag, *count); !good) return complain(good.error());
    if (Result<void> ready = prepare_folder(o.out); !ready) return complain(ready.error());
    if (!o.trace.empty())
        if (Result<void> started = engine::start_trace(o.trace); !started) return complain(started.error());
    const auto tell = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    const Result<bench::GpuReport> report = bench::run_gpu(suite, o.device, tell);
    if (!o.trace.empty())
        if (const auto stopped = engine::stop_trace(); !stopped) return complain(stopped.error());
    if (!report) return complain(report.error());
    const Result<bench::GpuWorldReport> grown = bench::run_gpu_worlds(worlds, o.device, tell);
    if (!grown) return complain(grown.error());
    const std::string engines[] = {std::string(bench::kProxima)};
    const bench::MachineCard card = bench::make_machine_card(engines, command);
    for (const auto& [what, value] : card) std::printf("%-26s %s\n", (what + ":").c_str(), value.c_str());
    std::printf("\n%s", bench::to_text(report.value()).c_str());
    if (!worlds.bodies.empty()) std::printf("\n%s", bench::to_text(grown.value()).c_str());
    if (o.out.empty()) return kExitOk;
    if (Result<void> written = bench::write_gpu(o.out, report.value(), card); !written)
        return complain(written.error());
    if (!worlds.bodies.empty())
        if (Result<void> written = bench::write_gpu_worlds(o.out, grown.value(), card); !written)
            return complain(written.error());
    std::printf("\nTables and plots are in %s\n", o.out.c_str());
    return kExitOk;
}
#else
int bench_gpu(const GpuOptions&, const std::string&) {
    return complain("This build of proxima was made without Vulkan: configure it with -DPROXIMA_GPU=ON.");
}
#endif

}  // namespace

void add_bench_gpu_command(const Command& bench, int& exit_code, const std::string& command_line) {
    const Command gpu = bench.add_command("gpu", "Solvers and whole worlds on a GPU against the CPU");
    auto o = std::make_shared<GpuOptions>();
    gpu.add_option("--device", o->device, "gpu, gpu:INDEX or gpu:NAME").show_default();
    gpu.add_option("--scenes", o->scenes, "Scenes, separated by commas").show_default();
    gpu.add_option("--bodies", o->bodies, "Sizes of the worlds that are stepped on the device, or none").show_default();
    gpu.add_option("--step", o->step, "Step of the scene whose contacts are solved (default: 150)");
    gpu.add_option("--sweeps", o->sweeps, "Sweeps of a solve (default: 50)");
    gpu.add_option("--repeats", o->repeats, "Of every measurement; the fastest counts (default: 7)");
    gpu.add_flag("--quick", o->quick, "One small scene, two repeats: a look, not a measurement");
    gpu.add_option("--out", o->out, "Write the table and plots into this folder");
    gpu.add_option("--trace", o->trace, "Write a trace for Perfetto or Tracy to this file");
    gpu.callback([o, command_line, &exit_code] { exit_code = bench_gpu(*o, command_line); });
}

}  // namespace proxima::tool
