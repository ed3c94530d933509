// SPDX-License-Identifier: MIT
// `proxima bench`: measures Proxima, and other engines on the same scenes.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "samples/bench/broadphase_suite.h"
#include "samples/bench/child_process.h"
#include "samples/bench/crowds.h"
#include "samples/bench/engines.h"
#include "samples/bench/growth_suite.h"
#include "samples/bench/lists.h"
#include "samples/bench/machine.h"
#include "samples/bench/rollback_suite.h"
#include "samples/bench/roofline_suite.h"
#include "samples/bench/scene_suite.h"
#include "samples/bench/solver_suite.h"
#include "samples/tool/tool.h"

namespace proxima::tool {

namespace {

struct SceneOptions {
    std::string scenes = "pyramid60,pile4096,grid10k,hulls2000";
    std::string peers = "all";
    std::string threads = "1,2";
    std::optional<int64_t> repeats, steps;
    std::string out;
    bool quick = false, sleep = false;
};

void show_progress(const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); }

/// `fallback` where the flag is not given; a sentence when it is out of range.
Result<uint32_t> count_of(const std::optional<int64_t>& value, const char* flag, uint32_t fallback) {
    constexpr int64_t kMaxValue = 1000000;
    if (!value) return fallback;
    if (*value < 1 || *value > kMaxValue)
        return Error{std::string(flag) + " is " + std::to_string(*value) + "; it must be from 1 to " +
                     std::to_string(kMaxValue) + "."};
    return uint32_t(*value);
}

Result<bench::SceneSuite> make_suite(const SceneOptions& o) {
    bench::SceneSuite suite;
    const Result<std::vector<std::string>> peers = bench::parse_peers(o.peers);
    if (!peers) return Error{peers.error()};
    suite.engines = {std::string(bench::kProxima)};
    suite.engines.insert(suite.engines.end(), peers->begin(), peers->end());
    const Result<std::vector<std::string>> scenes = bench::parse_scenes(o.scenes, suite.engines);
    if (!scenes) return Error{scenes.error()};
    suite.scenes = scenes.value();
    const Result<std::vector<uint32_t>> threads = bench::parse_threads(o.threads);
    if (!threads) return Error{threads.error()};
    suite.threads = threads.value();
    const Result<uint32_t> repeats = count_of(o.repeats, "--repeats", o.quick ? 1 : 3);
    if (!repeats) return Error{repeats.error()};
    suite.repeats = repeats.value();
    constexpr uint32_t kQuickSteps = 120;
    const Result<uint32_t> steps = count_of(o.steps, "--steps", o.quick ? kQuickSteps : 0);
    if (!steps) return Error{steps.error()};
    suite.steps = steps.value();
    suite.sleeping = o.sleep;
    return suite;
}

void print_card(const bench::MachineCard& card) {
    for (const auto& [what, value] : card) std::printf("%-26s %s\n", (what + ":").c_str(), value.c_str());
    std::printf("\n");
}

/// The last line of a command; a folder that could not be written to becomes its exit code.
int finish(const Result<void>& written, const std::string& folder) {
    if (!written) return complain(written.error());
    if (!folder.empty()) std::printf("\nTables and plots are in %s\n", folder.c_str());
    return kExitOk;
}

int bench_scenes(const SceneOptions& o, const std::string& program, const std::string& command) {
    const Result<bench::SceneSuite> suite = make_suite(o);
    if (!suite) return complain(suite.error());
    if (Result<void> ready = prepare_folder(o.out); !ready) return complain(ready.error());
    const bench::MachineCard card = bench::make_machine_card(suite->engines, command);
    bench::ChildRuns children(bench::path_of_this_program(program));
    Result<void> written;
    const std::vector<bench::Measurement> measured = bench::run_suite(
        suite.value(), [&](const bench::RunRequest& request) { return children.run(request); }, show_progress,
        // After every repeat, so that a run that is broken off leaves what it had.
        [&](const std::vector<bench::Measurement>& so_far) {
            if (!o.out.empty()) written = bench::write_suite(o.out, "scenes", so_far, suite.value(), card);
        });
    print_card(card);
    std::fputs(bench::to_text(measured, suite.value()).c_str(), stdout);
    return finish(written, o.out);
}

struct GrowthOptions {
    std::string family = "growth";
    std::string sizes = "1000,2000,4000,8000,16000,32000,64000";
    SceneOptions common;
};

int bench_growth(const GrowthOptions& o, const std::string& program, const std::string& command) {
    if (Result<void> known = bench::check_family(o.family); !known) return complain(known.error());
    const Result<std::vector<uint32_t>> sizes = bench::parse_sizes(o.sizes, 80000);
    if (!sizes) return complain(sizes.error());
    bench::GrowthSuite growth;
    growth.family = o.family;
    growth.sizes = sizes.value();
    SceneOptions scenes = o.common;
    scenes.scenes.clear();
    for (const uint32_t size : growth.sizes)
        scenes.scenes += (scenes.scenes.empty() ? "" : ",") + o.family + std::to_string(size);
    const Result<bench::SceneSuite> suite = make_suite(scenes);
    if (!suite) return complain(suite.error());
    growth.scenes = suite.value();
    if (Result<void> ready = prepare_folder(o.common.out); !ready) return complain(ready.error());
    const bench::MachineCard card = bench::make_machine_card(growth.scenes.engines, command);
    bench::ChildRuns children(bench::path_of_this_program(program));
    Result<void> written;
    const std::vector<bench::Measurement> measured = bench::run_suite(
        growth.scenes, [&](const bench::RunRequest& request) { return children.run(request); }, show_progress,
        [&](const std::vector<bench::Measurement>& so_far) {
            if (!o.common.out.empty()) written = bench::write_growth(o.common.out, so_far, growth, card);
        });
    print_card(card);
    std::fputs(bench::to_text(measured, growth).c_str(), stdout);
    return finish(written, o.common.out);
}

struct BroadphaseOptions {
    std::string crowds = "all";
    std::string sizes = "1000,2000,5000,10000,20000,50000,100000";
    std::string threads = "1,2";
    std::optional<int64_t> updates, repeats;
    std::string out;
    bool quick = false;
};

int bench_broadphase(const BroadphaseOptions& o, const std::string& command) {
    bench::BroadphaseSuite suite;
    const Result<std::vector<std::string>> crowds = bench::parse_crowds(o.crowds);
    if (!crowds) return complain(crowds.error());
    suite.crowds = crowds.value();
    const Result<std::vector<uint32_t>> sizes = bench::parse_sizes(o.sizes, 1000000);
    if (!sizes) return complain(sizes.error());
    suite.sizes = sizes.value();
    const Result<std::vector<uint32_t>> threads = bench::parse_threads(o.threads);
    if (!threads) return complain(threads.error());
    suite.threads = threads.value();
    const Result<uint32_t> updates = count_of(o.updates, "--updates", o.quick ? 8 : suite.updates);
    if (!updates) return complain(updates.error());
    suite.updates = updates.value();
    const Result<uint32_t> repeats = count_of(o.repeats, "--repeats", o.quick ? 1 : suite.repeats);
    if (!repeats) return complain(repeats.error());
    suite.repeats = repeats.value();
    if (Result<void> ready = prepare_folder(o.out); !ready) return complain(ready.error());
    const std::string engines[] = {std::string(bench::kProxima), "bullet"};
    const bench::MachineCard card = bench::make_machine_card(engines, command);
    Result<void> written;
    const std::vector<bench::BroadphaseMeasurement> measured =
        bench::run_broadphase(suite, show_progress, [&](const std::vector<bench::BroadphaseMeasurement>& so_far) {
            if (!o.out.empty()) written = bench::write_broadphase(o.out, so_far, suite, card);
        });
    print_card(card);
    std::fputs(bench::to_text(measured, suite).c_str(), stdout);
    return finish(written, o.out);
}

struct RollbackOptions {
    std::string sizes = "100,1000,4000";
    std::optional<int64_t> repeats;
    std::string out;
    bool quick = false;
};

int bench_rollback(const RollbackOptions& o, const std::string& command) {
    bench::RollbackSuite suite;
    const Result<std::vector<uint32_t>> sizes = bench::parse_sizes(o.sizes, 100000);
    if (!sizes) return complain(sizes.error());
    suite.sizes = sizes.value();
    const Result<uint32_t> repeats = count_of(o.repeats, "--repeats", o.quick ? 3 : suite.repeats);
    if (!repeats) return complain(repeats.error());
    suite.repeats = repeats.value();
    if (Result<void> ready = prepare_folder(o.out); !ready) return complain(ready.error());
    const std::string engines[] = {std::string(bench::kProxima)};
    const bench::MachineCard card = bench::make_machine_card(engines, command);
    const std::vector<bench::RollbackMeasurement> measured = bench::run_rollback(suite, show_progress);
    print_card(card);
    std::fputs(bench::to_text(measured).c_str(), stdout);
    return finish(o.out.empty() ? Result<void>() : bench::write_rollback(o.out, measured, card), o.out);
}

struct RooflineOptions {
    std::string threads = "1,2";
    std::optional<int64_t> repeats;
    std::string out;
    bool quick = false;
};

int bench_roofline(const RooflineOptions& o, const std::string& command) {
    bench::RooflineSuite suite;
    const Result<std::vector<uint32_t>> threads = bench::parse_threads(o.threads);
    if (!threads) return complain(threads.error());
    suite.threads = threads.value();
    const Result<uint32_t> repeats = count_of(o.repeats, "--repeats", o.quick ? 2 : suite.repeats.repeats);
    if (!repeats) return complain(repeats.error());
    suite.repeats.repeats = repeats.value();
    suite.levels = bench::memory_levels(bench::cache_sizes());
    if (Result<void> ready = prepare_folder(o.out); !ready) return complain(ready.error());
    const std::string engines[] = {std::string(bench::kProxima)};
    const bench::MachineCard card = bench::make_machine_card(engines, command);
    const bench::Roofline measured = bench::run_roofline(suite, show_progress);
    print_card(card);
    std::fputs(bench::to_text(measured).c_str(), stdout);
    return finish(o.out.empty() ? Result<void>() : bench::write_roofline(o.out, measured, suite, card), o.out);
}

struct SolverOptions {
    std::vector<std::string> problems;
    std::string solvers = "all";
    double time_limit = 0.0;  // 0: the suite's
    std::string out;
    bool quick = false;
};

/// The collection that comes with the sources, where the program is started from there.
std::vector<std::filesystem::path> problem_folders(const SolverOptions& o) {
    std::vector<std::filesystem::path> folders;
    const std::filesystem::path own = std::filesystem::path("tests") / "data" / "problems";
    std::error_code ignored;
    if (std::filesystem::is_directory(own, ignored)) folders.push_back(own);
    for (const std::string& folder : o.problems) folders.emplace_back(folder);
    return folders;
}

int bench_solvers(const SolverOptions& o, const std::string& command) {
    bench::SolverSuite suite;
    if (o.solvers == "all")
        for (const physics::Solver& solver : physics::solver_table()) suite.solvers.push_back(&solver);
    else
        for (const std::string& name : bench::split_list(o.solvers)) {
            if (Result<void> known = check_solver(name); !known) return complain(known.error());
            suite.solvers.push_back(physics::find_solver(name));
        }
    if (suite.solvers.empty()) return complain("--solver names no solver; `proxima list` shows them all.");
    if (!(o.time_limit >= 0.0) || !std::isfinite(o.time_limit))
        return complain("--time-limit must be a positive number of seconds.");
    if (o.quick) suite.time_limit = 0.1;
    if (o.time_limit > 0.0) suite.time_limit = o.time_limit;
    if (Result<void> ready = prepare_folder(o.out); !ready) return complain(ready.error());
    Result<std::vector<bench::SolverProblem>> problems =
        bench::collect_problems(bench::solver_scenes(o.quick), problem_folders(o), show_progress);
    if (!problems) return complain(problems.error());
    suite.problems = std::move(problems.value());
    const std::string engines[] = {std::string(bench::kProxima)};
    const bench::MachineCard card = bench::make_machine_card(engines, command);
    const std::vector<bench::SolverRun> runs = bench::run_solvers(suite, show_progress);
    print_card(card);
    std::fputs(bench::to_text(suite, runs).c_str(), stdout);
    return finish(o.out.empty() ? Result<void>() : bench::write_solvers(o.out, suite, runs, card), o.out);
}

void add_common_options(const Command& command, SceneOptions& o) {
    command.add_option("--peers", o.peers, "Engines to compare with: names separated by commas, 'all' or 'none'")
        .show_default();
    command.add_option("--threads", o.threads, "Numbers of threads").show_default();
    command.add_option("--repeats", o.repeats, "Runs of everything, taking turns (default: 3)");
    command.add_option("--steps", o.steps, "Steps of a run (default: the scene's)");
    command.add_flag("--quick", o.quick, "One repeat of 120 steps: a look, not a measurement");
    command.add_option("--out", o.out, "Write tables and plots into this folder");
    command.add_flag("--sleep", o.sleep, "Let bodies at rest fall asleep");
}

}  // namespace

void add_bench_command(const Command& program, int& exit_code, const std::string& command_line) {
    const Command bench = program.add_command("bench", "Measure Proxima, and other engines on the same scenes");
    bench.require_command();

    const Command scenes = bench.add_command("scenes", "Whole scenes, on Proxima and on other engines");
    auto s = std::make_shared<SceneOptions>();
    scenes.add_option("--scenes", s->scenes, "Scenes, separated by commas, or 'all'").show_default();
    add_common_options(scenes, *s);
    scenes.callback(
        [s, command_line, program, &exit_code] { exit_code = bench_scenes(*s, program.name(), command_line); });

    const Command broadphase = bench.add_command("broadphase", "Finding pairs, against Bullet's structures");
    auto b = std::make_shared<BroadphaseOptions>();
    broadphase.add_option("--crowds", b->crowds, "static, moving, clustered, mixed, touching, or 'all'").show_default();
    broadphase.add_option("--sizes", b->sizes, "Numbers of boxes").show_default();
    broadphase.add_option("--threads", b->threads, "Numbers of threads, for Proxima's").show_default();
    broadphase.add_option("--updates", b->updates, "Updates in a row (default: 64)");
    broadphase.add_option("--repeats", b->repeats, "Runs of everything, taking turns (default: 3)");
    broadphase.add_flag("--quick", b->quick, "One repeat of 8 updates: a look, not a measurement");
    broadphase.add_option("--out", b->out, "Write tables and plots into this folder");
    broadphase.callback([b, command_line, &exit_code] { exit_code = bench_broadphase(*b, command_line); });

    const Command rollback =
        bench.add_command("rollback", "Snapshots of the physics: bytes a body, times of saving and restoring");
    auto back = std::make_shared<RollbackOptions>();
    rollback.add_option("--sizes", back->sizes, "Numbers of bodies in the pile").show_default();
    rollback.add_option("--repeats", back->repeats,
                        "Saves and restores of each moment, of which the fastest counts (default: 50)");
    rollback.add_flag("--quick", back->quick, "Three repeats: a look, not a measurement");
    rollback.add_option("--out", back->out, "Write tables into this folder");
    rollback.callback([back, command_line, &exit_code] { exit_code = bench_rollback(*back, command_line); });

    const Command roofline =
        bench.add_command("roofline", "The solver's kernels against what the machine can do at best");
    auto r = std::make_shared<RooflineOptions>();
    roofline.add_option("--threads", r->threads, "Numbers of threads").show_default();
    roofline.add_option("--repeats", r->repeats, "Of every measurement; the fastest counts (default: 25)");
    roofline.add_flag("--quick", r->quick, "Two repeats: a look, not a measurement");
    roofline.add_option("--out", r->out, "Write the table and plots into this folder");
    roofline.callback([r, command_line, &exit_code] { exit_code = bench_roofline(*r, command_line); });

    const Command solvers = bench.add_command("solvers", "Every solver over a collection of contact problems");
    auto v = std::make_shared<SolverOptions>();
    solvers.add_option("--problems", v->problems,
                       "Folder of problem files (.dat, .pxc) to add; may be given several times");
    solvers.add_option("--solver", v->solvers, "Solvers, separated by commas, or 'all'").show_default();
    solvers.add_option("--time-limit", v->time_limit, "Seconds at most for one solve (default: 1)");
    solvers.add_flag("--quick", v->quick, "Small scenes and 0.1 s a solve: a look, not a measurement");
    solvers.add_option("--out", v->out, "Write tables and profiles into this folder");
    solvers.callback([v, command_line, &exit_code] { exit_code = bench_solvers(*v, command_line); });

    const Command growth = bench.add_command("growth", "The time of a step against the number of bodies");
    auto g = std::make_shared<GrowthOptions>();
    g->common.peers = "none";
    growth.add_option("--family", g->family, "Scenes that grow: growth (towers of cubes) or heap").show_default();
    growth.add_option("--sizes", g->sizes, "Numbers of bodies").show_default();
    add_common_options(growth, g->common);
    growth.callback(
        [g, command_line, program, &exit_code] { exit_code = bench_growth(*g, program.name(), command_line); });

    add_bench_gpu_command(bench, exit_code, command_line);
    add_bench_frames_command(bench, exit_code, command_line);

    // What the program starts itself with: one run in a process of its own.
    const Command one = bench.add_command("one", "Make one run that is described in a file");
    one.hide();
    auto files = std::make_shared<std::pair<std::string, std::string>>();
    one.add_option("REQUEST", files->first, "").required();
    one.add_option("RESULT", files->second, "").required();
    one.callback([files, &exit_code] {
        const Result<void> done = bench::run_request_file(files->first, files->second);
        exit_code = done ? kExitOk : complain(done.error());
    });
}

}  // namespace proxima::tool
