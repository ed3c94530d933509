// SPDX-License-Identifier: MIT
// What `proxima run` found out, for people and for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "physics/world.h"
#include "samples/scenes/evaluate.h"
#include "samples/scenes/goal.h"
#include "samples/tool/stepper.h"

namespace proxima::tool {

struct MeanMax {
    double mean = 0.0, max = 0.0;
};

struct RunReport {
    std::string scene, solver, device = "cpu";
    uint32_t threads = 1, steps = 0, substeps = 0, settled_from = 0;
    double dt = 0.0;
    uint32_t bodies = 0, fixed_bodies = 0;                        // that can move, that cannot
    uint32_t contacts = 0, pairs = 0, islands = 0, sleeping = 0;  // after the last step
    uint64_t hash = 0;
    bool measures_all = false;  // sub-steps, which the times include
    double time_mean_ms = 0.0, time_p99_ms = 0.0, time_max_ms = 0.0, time_settled_mean_ms = 0.0;
    std::vector<std::pair<std::string, double>> stages_ms;  // mean of a step
    std::optional<DeviceCost> device_cost;                  // of a gpu
    double direct_part = 0.0;  // of all steps of all bodies, those that were solved directly
    uint64_t factorisations = 0, direct_failures = 0;
    double direct_tolerance = 0.0, direct_residual = 0.0;  // m/s: what direct solves accepted, the largest of all steps
    uint64_t escalated = 0;                                // islands handed to a stronger solver, summed over the steps
    uint64_t failed_solvers = 0;                           // islands swept because their solver failed, likewise
    uint32_t steps_with_contacts = 0;                      // which the means of residual and sag are over
    MeanMax residual;            // m/s: of the velocities that moved the bodies; max: of any contact in any step
    MeanMax end_residual;        // m/s: of those that the steps ended with
    std::optional<MeanMax> sag;  // m: of loaded points, as StepReport has it; devices do not measure it
    uint32_t joints = 0;         // after the last step
    double joint_error = 0.0;    // m: largest distance of the anchors of a rigid joint in any step
    MeanMax penetration;         // m: mean over touching pairs at the end, largest at settled_from and at the end
    uint64_t touching_pairs = 0;
    MeanMax displacement, drift;                                      // m
    double kinetic_energy = 0.0, kinetic_energy_translational = 0.0;  // J, at the end
    physics::MemoryUse memory, memory_settled;                        // of the world: at the end, and at settled_from
    size_t resident = 0, resident_settled = 0;                        // bytes, of the whole program; 0: not known here
    std::optional<bool> stands;
    uint32_t lost = 0;
    std::optional<samples::GoalResult> goal;  // of scenes that do not start at rest
    std::vector<std::string> warnings;
};

std::string to_json(const RunReport& report);
std::string to_text(const RunReport& report);

}  // namespace proxima::tool
