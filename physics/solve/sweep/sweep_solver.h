// SPDX-License-Identifier: MIT
// The SIMD sweeps: PROX Gauss-Seidel with local steps, eight constraints of one colour and kind at a time, sub-step by
// sub-step. It knows the settings that games use; islands that need something else go to the laboratory.
#pragma once

#include <vector>

#include "physics/solve/articulation/articulation.h"
#include "physics/solve/direct/direct_solver.h"
#include "physics/solve/measure.h"
#include "physics/solve/sweep/sweep_bodies.h"
#include "physics/solve/sweep/sweep_layout.h"

namespace proxima::physics {

/// The layout of blocks and the bodies' records.
struct SweepSolver {
    sweep::Layout layout;
    sweep::Slabs slabs;
    sweep::SweepBodies bodies;
    sweep::LayoutScratch scratch;
    std::vector<MeasureSum> sums;  // by partition
    StepSettings seen_settings;    // of the last step
    float seen_dt = 0.0f;

    template <class Archive>
    void visit(Archive& archive) {
        layout.visit(archive);
        bodies.visit(archive);
        scratch.visit(archive);
        slabs.visit(archive);
        archive.derived(sums);
    }
};

/// Whether the sweeps know these settings.
bool knows_settings(const StepSettings& settings);

// ---- stages

/// The layout of the islands that are swept or solved directly, when the graph or the plan changed.
void update_layout(const Graph& graph, const Plan& plan, const Articulations& articulations,
                   const ConstraintStores& stores, const Bodies& bodies, SweepSolver& sweep,
                   direct::DirectSolver& direct, const StepTools& tools);

/// Records of bodies and blocks of constraints, from the bodies and constraints as they are before the step. What was
/// solved directly, was at rest and has not changed since stays as it is.
void prepare(const Graph& graph, const Plan& plan, const ConstraintStores& stores, const Bodies& bodies,
             const StepParams& params, const direct::DirectSolver& direct, SweepSolver& sweep, const StepTools& tools);

/// All sub-steps of the islands of the layout.
void solve_swept_islands(const ConstraintStores& stores, const StepParams& params, const Plan& plan, Bodies& bodies,
                         Articulations& articulations, SweepSolver& sweep, direct::DirectSolver& direct,
                         const StepTools& tools);

/// Bodies, impulses and errors back, and what is left of the exact law. Returns what was measured.
MeasureSum store_swept_results(const Graph& graph, const StepParams& params, direct::DirectSolver& direct,
                               SweepSolver& sweep, Bodies& bodies, ConstraintStores& stores, Plan& plan,
                               const StepTools& tools);

}  // namespace proxima::physics
