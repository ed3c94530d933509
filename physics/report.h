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
    uint32_t direct_islands = 0;          // solved directly
    uint32_t direct_bodies = 0;           // in them
    uint32_t direct_failures = 0;         // tried and swept instead
    uint32_t factorisations = 0;          // of the direct solves
    uint32_t general_islands = 0;         // solved by a laboratory solver, chosen or because of their friction
    uint32_t escalated_islands = 0;       // handed to a stronger solver because a tolerance was not met
    uint32_t islands_over_tolerance = 0;  // of those with a tolerance, after everything
    double residual_mean = 0.0;           // natural map of the exact Coulomb law, m/s, over all contact points
    double residual_max = 0.0;
    float penetration_mean = 0.0f;  // m, over overlapping points
    float penetration_max = 0.0f;
    float joint_error_max = 0.0f;  // m: largest distance of the two anchors of a joint
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
    double residual = 0.0;                 // natural map of the exact Coulomb law, worst contact, m/s
    uint32_t iterations = 0;               // of the last sub-step, or of the direct solve
    StopReason stop = StopReason::iterations;
    bool escalated = false;  // handed to a stronger solver
};

}  // namespace proxima::physics
