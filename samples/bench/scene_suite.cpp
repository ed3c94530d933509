// SPDX-License-Identifier: MIT
#include "samples/bench/scene_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "physics/shapes/shape_classes.h"
#include "samples/bench/engines.h"
#include "samples/bench/lists.h"
#include "samples/scenes/scenes.h"

namespace proxima::bench {

namespace {

uint32_t moving_bodies(const physics::SceneDesc& scene) {
    return uint32_t(std::count_if(scene.bodies.begin(), scene.bodies.end(),
                                  [](const physics::SceneBody& b) { return b.type == physics::BodyType::dynamic; }));
}

bool has_hulls(const physics::SceneDesc& scene) {
    return std::any_of(scene.shapes.begin(), scene.shapes.end(), [](const physics::ShapeDesc& s) {
        return physics::has_field(s.type, &physics::ShapeDesc::points);
    });
}

EngineDescription describe(const std::string& engine) {
    const Peer* peer = find_peer(engine);
    return peer ? peer->describe() : describe_proxima();
}

std::string progress_line(const Measurement& m, const RunResult& run, uint32_t repeat, size_t done, size_t all) {
    const std::string who = fmt::format("[{}/{}] repeat {}, {}, {} thread{}, {}: ", done, all, repeat + 1, m.scene,
                                        m.threads, m.threads == 1 ? "" : "s", m.engine);
    if (!run.error.empty()) return who + "failed. " + run.error;
    return who + fmt::format("fall {:.3f} ms, settled {:.3f} ms", summarise(run.step_ms, m.windows.fall).mean,
                             summarise(run.step_ms, m.windows.settled).mean);
}

}  // namespace

void Measurement::add(RunResult result) {
    if (!result.error.empty()) {
        if (error.empty()) error = result.error;
        return;
    }
    const std::vector<double> pair[] = {std::move(step_ms), result.step_ms};
    step_ms = per_step_minimum(pair);
    stage_ms.resize(std::max(stage_ms.size(), result.stage_ms.size()));
    for (size_t s = 0; s < result.stage_ms.size(); ++s) {
        const std::vector<double> both[] = {std::move(stage_ms[s]), result.stage_ms[s]};
        stage_ms[s] = per_step_minimum(both);
    }
    calibration_ms = runs == 0 ? result.calibration_ms : std::min(calibration_ms, result.calibration_ms);
    if (runs > 0) same_hash = same_hash && result.hash == first.hash;
    if (runs++ == 0) first = std::move(result);
}

std::vector<Measurement> run_suite(const SceneSuite& suite, const Runner& runner, const Progress& progress,
                                   const std::function<void(const std::vector<Measurement>&)>& after_repeat) {
    std::vector<Measurement> all;
    for (const std::string& name : suite.scenes) {
        const physics::SceneDesc scene = samples::make_scene(name).value();
        const Windows windows =
            make_windows(name, scene.run.steps, scene.run.settled_from, moving_bodies(scene), suite.steps);
        for (const uint32_t threads : suite.threads)
            for (const std::string& engine : suite.engines) {
                const EngineDescription d = describe(engine);
                if (threads > d.max_threads || (!d.takes_hulls && has_hulls(scene))) continue;
                Measurement& m = all.emplace_back();
                m.engine = engine;
                m.scene = name;
                m.threads = threads;
                m.windows = windows;
            }
    }
    const size_t runs = all.size() * suite.repeats;
    size_t done = 0;
    for (uint32_t repeat = 0; repeat < suite.repeats; ++repeat) {
        for (Measurement& m : all) {
            RunRequest request;
            request.scene = m.scene;
            request.engine = m.engine;
            request.threads = m.threads;
            request.judge = repeat == 0;
            request.steps = request.judge ? m.windows.steps : m.windows.timed;
            request.timed = m.windows.timed;
            request.settled_from = m.windows.settled.begin;
            request.sleeping = suite.sleeping;
            RunResult result = runner(request);
            progress(progress_line(m, result, repeat, ++done, runs));
            m.add(std::move(result));
        }
        after_repeat(all);
    }
    return all;
}

Result<std::vector<std::string>> parse_scenes(const std::string& list, const std::vector<std::string>& engines) {
    std::vector<std::string> out;
    if (list == "all") {
        for (const samples::SceneInfo& info : samples::built_in_scenes())
            if (info.group == "benchmark") out.insert(out.end(), info.examples.begin(), info.examples.end());
        return out;
    }
    for (const std::string& name : split_list(list)) {
        const Result<physics::SceneDesc> scene = samples::make_scene(name);
        if (!scene) return Error{scene.error()};
        if (engines.size() > 1)
            if (const Result<EngineScene> converted = make_engine_scene(scene.value(), 1); !converted)
                return Error{converted.error()};
        if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
    if (out.empty()) return Error{"--scenes is empty; name scenes such as 'pyramid60,pile4096', or 'all'."};
    return out;
}

Result<std::vector<uint32_t>> parse_threads(const std::string& list) {
    std::vector<uint32_t> out;
    for (const std::string& text : split_list(list)) {
        uint32_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > 256)
            return Error{
                fmt::format("--threads holds '{}'; it must be whole numbers from 1 to 256, such as '1,2'.", text)};
        if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
    }
    if (out.empty()) return Error{"--threads is empty; give numbers of threads, such as '1,2'."};
    return out;
}

}  // namespace proxima::bench
