// SPDX-License-Identifier: MIT
// What a world says of its last step: counts, the distance from the exact Coulomb law, warnings, and what it
// holds in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ecs/world.h"
#include "physics/solvers/solver.h"

namespace proxima::physics {

/// Something that the step could not do as asked, or had to repair. Never silent.
struct StepWarning {
    engine::Entity entity = engine::kNoEntity;
    std::string message;
};

/// What one step did.
struct StepReport {
    uint64_t step = 0;    // number of the step, from 1
    uint32_t bodies = 0;  // that can move and are awake
    uint32_t sleeping = 0;
    uint32_t pairs = 0;     // of overlapping boxes
    uint32_t contacts = 0;  // points in the contact problem
    uint32_t joints = 0;    // that take part
    uint32_t islands = 0;
    uint32_t direct_islands = 0;   // solved directly
    uint32_t resting_islands = 0;  // of those, left as they were: at rest, and nothing about them has changed
    uint32_t direct_bodies = 0;    // in them
    uint32_t direct_failures = 0;  // tried and swept instead
    uint32_t factorisations = 0;   // of the direct solves
    /// What direct solves accepted: the largest residual with which an island of this step would still have counted as
    /// solved, and the largest that one had, m/s. The natural map, as below, of the last pass (docs/direct.md).
    double direct_tolerance = 0.0, direct_residual_max = 0.0;
    uint32_t general_islands = 0;         // solved by a laboratory solver, chosen or because of their friction
    uint32_t escalated_islands = 0;       // handed to a stronger solver because a tolerance was not met
    uint32_t failed_solvers = 0;          // islands that were swept because their laboratory solver failed
    uint32_t islands_over_tolerance = 0;  // of those with a tolerance, by the velocities that the step ends with

    /// Contact points that were measured; 0: none, as where nothing touches or all bodies sleep, and all means are 0.
    uint32_t measured_points = 0;
    /// The distance from the exact Coulomb law of the velocities that moved the bodies, m/s: the natural map of
    /// contact/residual.h at the end of a sub-step, after its last sweep and before positions move, with the lever arms and
    /// frames of that sub-step. The law is the hard one whatever the solver softens: v_n >= 0 where bodies touch or overlap
    /// (how much they overlap is `sag`), v_n >= -gap/h where they do not yet, with the gap at the start of the sub-step and
    /// no impulse unless it is used up; friction in the disk of the normal impulse, against the motion of the sub-step.
    /// The mean is over all points and sub-steps that were measured: all of them with StepSettings::measure_all_substeps,
    /// otherwise the one with number step % substeps. A direct solve has one sub-step, the step itself, and counts a loaded
    /// point as closed up to 0.2 mm (docs/direct.md). A point that is struck in a sub-step is judged by its closing speed
    /// alone there: the impulse of a blow is not kept. Worlds on a device measure the end of the step instead, as below.
    double residual_mean = 0.0, residual_max = 0.0;
    /// The same of the velocities that the step ends with, which push-out has been taken back from, and of the gaps there.
    double end_residual_mean = 0.0, end_residual_max = 0.0;
    /// Error of the gap: how far points that carry a load when the step ends are from touching, m; overlap mostly. Not
    /// measured by worlds on a device.
    uint32_t loaded_points = 0;
    float sag_mean = 0.0f, sag_max = 0.0f;
    float penetration_mean = 0.0f, penetration_max = 0.0f;  // m, over all points that overlap when the step ends
    float joint_error_max = 0.0f;                           // m: largest distance of the two anchors of a joint
    std::vector<StepWarning> warnings;

    void warn(engine::Entity entity, std::string message);
};

/// Bytes that a world holds on the heap: what its containers have reserved, used or not. Threads, components
/// of the game's own and what the C++ library needs for itself are not in it. See docs/memory.md.
struct MemoryUse {
    size_t bodies = 0;      // components and dense arrays
    size_t colliders = 0;   //
    size_t broadphase = 0;  // boxes, grids, pairs of boxes
    size_t pairs = 0;       // the table of pairs
    size_t contacts = 0;    // manifolds, contact entities, events
    size_t joints = 0;
    size_t solver = 0;    // islands, blocks of constraints, bodies as the solvers see them
    size_t entities = 0;  // identifiers and stable ids
    size_t shapes = 0;
    size_t total() const {
        return bodies + colliders + broadphase + pairs + contacts + joints + solver + entities + shapes;
    }
    bool operator==(const MemoryUse&) const = default;
};

/// What became of the island of a body in the last step.
struct IslandReport {
    uint32_t bodies = 0, constraints = 0;  // constraints: contact manifolds and joints
    std::string_view solver;               // name of its row, or "direct"
    double residual = 0.0;                 // StepReport::residual_max of its contacts, m/s
    uint32_t iterations = 0;               // of the last sub-step, or of the direct solve
    StopReason stop = StopReason::iterations;
    bool escalated = false;      // handed to a stronger solver
    bool solver_failed = false;  // its own, in some sub-step; `solver` went on from there
};

}  // namespace proxima::physics
