// SPDX-License-Identifier: MIT
// Every number of the step that a game may set, with its unit, its default and the reason for it.
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/math.h"
#include "engine/core/result.h"
#include "physics/solvers/solver.h"

namespace proxima::physics {

/// How positions and velocities advance.
enum class Stepping : uint8_t {
    semi_implicit,    // contacts at the start of the step; positions move with the new velocity
    moreau_midpoint,  // contacts and masses at the middle of the step
};

/// What removes overlap.
enum class Stabilisation : uint8_t {
    soft,        // contacts are stiff damped springs, integrated implicitly (ERP / CFM)
    projection,  // contacts are hard; positions are corrected after the step, velocities are not touched
    none,
};

struct StepSettings {
    Vec3 gravity{0.0f, -9.81f, 0.0f};
    Stepping stepping = Stepping::semi_implicit;
    Stabilisation stabilisation = Stabilisation::soft;

    // Sixteen sub-steps of one soft sweep and one relax sweep at the end: less sag than fewer sub-steps with more
    // sweeps, for the same work. See docs/stepping.md for the measurements.
    uint32_t substeps = 16;
    /// Of swept islands with more than 512 constraints: there is little in a large pile that sixteen do better, and they
    /// would cost twice as much. No more than `substeps` count; heaps of bodies of less than 40 cm have twice, of less than
    /// 20 cm four times as many (docs/step.md).
    uint32_t large_island_substeps = 8;
    std::string solver = "prox_gs";
    uint32_t iterations = 1;        // sweeps per sub-step; in the first one of small islands at least four
    uint32_t relax_iterations = 1;  // sweeps without push-out after the last sub-step (soft contacts only)
    double tolerance = 0.0;         // stop sweeping an island early; m/s, 0: never
    /// An island that misses its tolerance is handed to a stronger solver: nonsmooth conjugate gradients with
    /// ten times the sweeps.
    bool escalate = true;
    double time_limit = 0.0;  // s for one island in one sub-step, 0: none. Results then depend on the machine
    RStrategy r_strategy = RStrategy::local;  // global steps need tens of sweeps where masses differ much

    bool simd_kernels = true;  // prox_gs with local steps and no tolerance runs in vector registers; false: never

    /// Small stacks at rest, and islands where heavy bodies lean on light ones, are solved exactly instead of
    /// being swept, while that costs no more (docs/direct.md). Needs the SIMD kernels.
    bool direct_islands = true;

    /// Natural frequency of a soft contact of bodies of a metre; doubled against bodies that cannot move. Smaller things
    /// have a higher one, by the root of their size, up to an eighth of the rate of sub-steps.
    float contact_hertz = 90.0f;
    float contact_damping_ratio = 10.0f;
    float max_push_speed = 0.5f;            // m/s, the fastest a soft contact drives an overlap apart
    float speculative_distance = 0.02f;     // m, contacts nearer than this enter the problem with their gap
    float manifold_reuse_distance = 0.05f;  // m, relative motion below which box and hull manifolds stay frozen
    float projection_slop = 0.0005f;        // m, overlap that the post-step projection leaves alone
    uint32_t projection_passes = 4;

    /// m/s: slower impacts do not bounce. Nor do those slower than what forces give a pair in four sub-steps.
    float restitution_speed = 0.0f;
    float hit_speed = 1.0f;  // m/s, faster impacts are reported as hits
    bool gyroscopic = true;
    bool sleeping = true;
    float sleep_speed = 0.05f;  // m/s, of the fastest point of a body
    float sleep_time = 0.5f;    // s

    /// The residual is measured in every sub-step, which costs 15 % of a step that is swept, and not only in one that goes round from
    /// step to step. What the world does is the same, bit for bit.
    bool measure_all_substeps = false;

    bool operator==(const StepSettings&) const = default;
};

/// Every setting, once: archives of snapshots walk over them.
template <class Archive>
void visit_settings(Archive& archive, StepSettings& s) {
    archive.value(s.gravity);
    archive.value(s.stepping);
    archive.value(s.stabilisation);
    archive.value(s.substeps);
    archive.value(s.large_island_substeps);
    archive.text(s.solver);
    archive.value(s.iterations);
    archive.value(s.relax_iterations);
    archive.value(s.tolerance);
    archive.value(s.escalate);
    archive.value(s.time_limit);
    archive.value(s.r_strategy);
    archive.value(s.simd_kernels);
    archive.value(s.direct_islands);
    archive.value(s.contact_hertz);
    archive.value(s.contact_damping_ratio);
    archive.value(s.max_push_speed);
    archive.value(s.speculative_distance);
    archive.value(s.manifold_reuse_distance);
    archive.value(s.projection_slop);
    archive.value(s.projection_passes);
    archive.value(s.restitution_speed);
    archive.value(s.hit_speed);
    archive.value(s.gyroscopic);
    archive.value(s.sleeping);
    archive.value(s.sleep_speed);
    archive.value(s.sleep_time);
    archive.value(s.measure_all_substeps);
}

/// A sentence for the first setting that makes no sense (NaN, negative, unknown solver, zero sub-steps).
Result<void> check(const StepSettings& settings);

}  // namespace proxima::physics
