// SPDX-License-Identifier: MIT
// `proxima replay`: makes a recorded run again and names the first step and body that differ.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "engine/jobs/jobs.h"
#include "physics/state/recording.h"
#include "samples/tool/tool.h"

namespace proxima::tool {

namespace {

struct ReplayOptions {
    std::string file;
    int64_t threads = 1;
};

int replay(const ReplayOptions& options) {
    if (options.threads < 1 || options.threads > 256)
        return complain("--threads is " + std::to_string(options.threads) + "; it must be from 1 to 256.");
    const Result<physics::ReplayResult> replayed =
        physics::replay_recording(options.file, engine::make_threaded_jobs(uint32_t(options.threads)));
    if (!replayed) return complain(replayed.error());
    const physics::ReplayResult& result = replayed.value();
    if (!result.equal)
        return complain("The run differs from its recording: first in step " + std::to_string(result.first_step) +
                        ", body " + result.first_body + ".");
    std::printf("%llu steps, all equal\n", static_cast<unsigned long long>(result.steps));
    return kExitOk;
}

}  // namespace

void add_replay_command(const Command& program, int& exit_code) {
    const Command command = program.add_command("replay", "Make a recorded run again and find the first difference");
    auto options = std::make_shared<ReplayOptions>();
    command.add_option("RECORDING", options->file, "File written by `proxima run --record`").required();
    command.add_option("--threads", options->threads, "Threads to compute with").show_default();
    command.callback([options, &exit_code] { exit_code = replay(*options); });
}

}  // namespace proxima::tool
