// SPDX-License-Identifier: MIT
// What every stage of a step may read of the step as a whole, and the tools that every stage writes its times,
// warnings and jobs with.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/jobs/jobs.h"
#include "engine/profile/stage_times.h"
#include "physics/contact/softness.h"
#include "physics/report.h"
#include "physics/settings.h"

namespace proxima::physics {

/// Slots, indices and ids that name nothing.
inline constexpr uint32_t kNone = 0xFFFFFFFFu;

/// How a step is cut.
struct Substeps {
    uint32_t count = 1;
    float h = 0.0f;  // s
};

/// How often the sub-steps of an island may be halved (IslandPlan::halvings).
inline constexpr uint32_t kMaxHalvings = 2;

/// Sweeps of the first sub-step of small islands, at least. What was put on something or let go since the step before is other
/// loads for all that hangs together: one sweep carries them on to neighbours only, and friction that is found too late has
/// let something slide.
inline constexpr uint32_t kFirstSweeps = 4;
/// The same of every sub-step of an island in which something hits something: what stops the lowest box of a falling column
/// has to stop all of them, and what one sweep leaves of that is overlap, which throws them up again.
inline constexpr uint32_t kHitSweeps = 4;
/// And of every sub-step, four times as short, where bodies lean on much lighter ones: each sweep hands on only a part of such
/// a load, and what is missing drives the light ones out from below.
inline constexpr uint32_t kUnevenSweeps = 16;

/// What small islands that are swept have to stand in a step.
enum class Strain : uint8_t { none, hit, uneven };

/// Numbers of one step, the same for all its stages.
struct StepParams {
    const StepSettings& settings;
    const Solver* solver = nullptr;  // row of settings.solver
    uint64_t step = 0;               // its number, from 1
    float dt = 0.0f;
    float h = 0.0f;  // sub-step
    Substeps large_island;
    SoftnessLaw softness;
    bool simd = false;  // the settings are those that the SIMD sweeps know
    /// Of a swept island; large ones have fewer, tall ones of small bodies more.
    Substeps substeps(bool large, uint32_t halvings = 0) const {
        return large ? large_island : Substeps{settings.substeps << halvings, h / float(1u << halvings)};
    }
    /// Of large islands, all alike: once it is known how small their bodies are (Plan::heap_halvings).
    void halve_large_islands(uint32_t halvings) {
        large_island.count <<= halvings;
        large_island.h /= float(1u << halvings);
    }
    /// Sweeps of a sub-step of an island that asks for `iterations`.
    static uint32_t sweeps(uint32_t iterations, bool large, Strain strain, uint32_t substep) {
        if (large) return iterations;
        const uint32_t least = strain == Strain::uneven ? kUnevenSweeps
                               : strain == Strain::hit  ? kHitSweeps
                               : substep == 0           ? kFirstSweeps
                                                        : 1u;
        return std::max(iterations, least);
    }
    uint32_t relax_sweeps() const { return softness.soft ? settings.relax_iterations : 0; }
    /// Whether the residual is measured at the end of a sub-step: of one in each step, in turn, unless all are asked for.
    bool measures(uint32_t substep, uint32_t count) const {
        return settings.measure_all_substeps || substep == uint32_t(step % count);
    }
    uint32_t measured_substeps(uint32_t count) const { return settings.measure_all_substeps ? count : 1; }
};

struct StepTools {
    engine::Jobs& jobs;
    engine::StageTimes& times;
    StepReport& report;
};

/// Lines of StageTimes, in the order in which the stages run.
enum class Stage : uint32_t {
    sync_structure,
    gather_bodies,
    find_pairs,
    update_manifolds,
    update_graph,
    assign_solvers,
    update_layout,
    prepare,
    solve_islands,
    store_results,
    update_sleep,
    write_back,
    publish_events,
    count
};
const char* to_string(Stage stage);

/// Times a stage and opens a zone of its name, for as long as it lives.
class StageScope {
  public:
    StageScope(const StepTools& tools, Stage stage) : timer_(tools.times, engine::StageIndex(stage)) {}

  private:
    engine::StageTimer timer_;
};

}  // namespace proxima::physics
