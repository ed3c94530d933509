// SPDX-License-Identifier: MIT
// `proxima bench frames`: what pictures of worlds cost.
#include <cstdio>
#include <memory>
#include <string>
#include <tuple>

#include "samples/bench/engines.h"
#include "samples/bench/lists.h"
#include "samples/bench/machine.h"
#include "samples/tool/tool.h"

#ifdef PROXIMA_PICTURES
#include "samples/bench/frames/frame_suite.h"
#include "samples/pictures/film.h"
#endif

namespace proxima::tool {

namespace {

struct FrameOptions {
    std::string device = "gpu";
    std::string scenes = "pyramid20,heap1000,heap10000";
    std::string size = "1280x720";
    uint32_t frames = 60, settle = 60;
    std::string out;
};

#ifdef PROXIMA_PICTURES
int bench_frames(const FrameOptions& o, const std::string& command) {
    bench::FrameSuite suite;
    suite.scenes = bench::split_list(o.scenes);
    if (suite.scenes.empty()) return complain("--scenes names no scene; `proxima list` shows them all.");
    const auto size = pictures::parse_size(o.size);
    if (!size) return complain(size.error());
    std::tie(suite.width, suite.height) = size.value();
    suite.frames = o.frames;
    suite.settle = o.settle;
    if (Result<void> ready = prepare_folder(o.out); !ready) return complain(ready.error());
    const auto tell = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
    const Result<bench::FrameReport> report = bench::run_frames(suite, o.device, tell);
    if (!report) return complain(report.error());
    const std::string engines[] = {std::string(bench::kProxima)};
    const bench::MachineCard card = bench::make_machine_card(engines, command);
    for (const auto& [what, value] : card) std::printf("%-26s %s\n", (what + ":").c_str(), value.c_str());
    std::printf("\n%s", bench::to_text(report.value()).c_str());
    if (o.out.empty()) return kExitOk;
    if (Result<void> written = bench::write_frames(o.out, report.value(), card); !written)
        return complain(written.error());
    std::printf("\nThe table and the plot are in %s\n", o.out.c_str());
    return kExitOk;
}
#else
int bench_frames(const FrameOptions&, const std::string&) {
    return complain("This build draws no pictures: it was made without Vulkan's headers, glslc or stb.");
}
#endif

}  // namespace

void add_bench_frames_command(const Command& bench, int& exit_code, const std::string& command_line) {
    const Command frames = bench.add_command("frames", "What a picture costs, on the host and on the device");
    auto o = std::make_shared<FrameOptions>();
    frames.add_option("--device", o->device, "gpu, gpu:INDEX or gpu:NAME").show_default();
    frames.add_option("--scenes", o->scenes, "Scenes, separated by commas").show_default();
    frames.add_option("--size", o->size, "Of the picture").show_default();
    frames.add_option("--frames", o->frames, "That are measured").show_default().between(1, 100000);
    frames.add_option("--settle", o->settle, "Steps before the first frame").show_default().between(0, 100000);
    frames.add_option("--out", o->out, "Write the table and a plot into this folder");
    frames.callback([o, command_line, &exit_code] { exit_code = bench_frames(*o, command_line); });
}

}  // namespace proxima::tool
