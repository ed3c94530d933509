// SPDX-License-Identifier: MIT
#include "samples/bench/run_one.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>

#include "samples/bench/engines.h"
#include "samples/bench/machine.h"
#include "samples/scenes/evaluate.h"
#include "samples/scenes/scenes.h"

namespace proxima::bench {

namespace {

using Clock = std::chrono::steady_clock;
using physics::Pose;

double milliseconds(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

/// A chain of dependent multiplications and additions: its time tells a busy machine from a free one.
double calibrate() {
    const Clock::time_point before = Clock::now();
    volatile double factor = 0.999999;
    double x = 1.0;
    const double m = factor;
    for (int i = 0; i < 2000000; ++i) x = x * m + 1e-6;
    factor = x;
    return milliseconds(Clock::now() - before);
}

/// 64-bit FNV-1a over the bits of position and rotation of every body.
uint64_t hash_states(const Engine& engine, size_t bodies) {
    uint64_t hash = 14695981039346656037ull;
    const auto add = [&](float value) { hash = (hash ^ std::bit_cast<uint32_t>(value)) * 1099511628211ull; };
    for (uint32_t i = 0; i < bodies; ++i) {
        const BodyState state = engine.state(i);
        for (const float value : state.position) add(value);
        for (const float value : state.rotation) add(value);
    }
    return hash;
}

std::vector<Pose> read_poses(const Engine& engine, size_t bodies) {
    std::vector<Pose> poses(bodies);
    for (uint32_t i = 0; i < bodies; ++i) {
        const BodyState s = engine.state(i);
        poses[i].position = {s.position[0], s.position[1], s.position[2]};
        poses[i].rotation = Quat(s.rotation[3], s.rotation[0], s.rotation[1], s.rotation[2]);
    }
    return poses;
}

Quality judge(const physics::SceneDesc& scene, const Engine& engine, const std::vector<Pose>& start,
              const std::vector<Pose>& settled, const std::vector<Pose>& end) {
    const samples::Evaluator evaluator(scene);
    const samples::PenetrationResult at_settled = evaluator.penetration(settled), at_end = evaluator.penetration(end);
    const samples::MotionResult drift = evaluator.motion(settled, end);
    Quality out;
    out.touching_pairs = at_end.touching_pairs;
    out.penetration_max = std::max(at_settled.max, at_end.max);
    out.penetration_mean = at_end.mean;
    out.drift_max = drift.max;
    out.drift_mean = drift.mean;
    out.displacement_max = evaluator.motion(start, end).max;
    out.stands = evaluator.stands(start, end);
    out.lost = evaluator.lost(end);
    const std::vector<double> masses = body_masses(scene);
    for (uint32_t i = 0; i < masses.size(); ++i) {
        double speed_squared = 0.0;
        for (const float v : engine.state(i).linear_velocity) speed_squared += double(v) * double(v);
        if (std::isfinite(speed_squared)) out.kinetic_energy += 0.5 * masses[i] * speed_squared;
    }
    return out;
}

}  // namespace

RunResult run_here(const RunRequest& request) {
    RunResult out;
    Result<physics::SceneDesc> found = samples::make_scene(request.scene);
    if (!found) {
        out.error = found.error();
        return out;
    }
    physics::SceneDesc& scene = found.value();
    scene.settings.sleeping = request.sleeping;
    const Result<std::unique_ptr<Engine>> made = make_engine(request.engine, scene, request.threads);
    if (!made) {
        out.error = made.error();
        return out;
    }
    Engine& engine = *made.value();
    const size_t bodies = scene.bodies.size();
    const std::vector<Pose> start = read_poses(engine, bodies);
    std::vector<Pose> settled = start;
    out.bodies = uint32_t(std::count_if(scene.bodies.begin(), scene.bodies.end(), [](const physics::SceneBody& b) {
        return b.type != physics::BodyType::fixed;
    }));

    double residual_sum = 0.0;
    uint32_t measured_steps = 0;  // that had contacts
    out.step_ms.reserve(request.steps);
    out.calibration_ms = calibrate();
    for (uint32_t i = 0; i < request.steps; ++i) {
        if (i == request.settled_from) settled = read_poses(engine, bodies);
        const Clock::time_point before = Clock::now();
        engine.step(scene.run.dt);
        out.step_ms.push_back(milliseconds(Clock::now() - before));
        // Stages may be added in the first step.
        for (uint32_t s = uint32_t(out.stages.size()); s < engine.stage_count(); ++s) {
            out.stages.push_back(engine.stage_name(s));
            out.stage_ms.emplace_back(i, 0.0);
        }
        for (uint32_t s = 0; s < engine.stage_count(); ++s) out.stage_ms[s].push_back(engine.stage_ms(s));
        if (i >= request.settled_from && std::isfinite(engine.residual_mean())) {
            residual_sum += engine.residual_mean();
            ++measured_steps;
        }
        if (i + 1 == request.timed) out.hash = hash_states(engine, bodies);
    }
    out.calibration_ms = std::min(out.calibration_ms, calibrate());
    out.peak_memory_mb = peak_memory_mb();
    if (measured_steps > 0) out.residual_mean = residual_sum / measured_steps;
    out.awake = engine.awake_bodies();
    if (request.judge) out.quality = judge(scene, engine, start, settled, read_poses(engine, bodies));
    out.contact_points = engine.contact_points();  // last: it may take a step
    return out;
}

}  // namespace proxima::bench
