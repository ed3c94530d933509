// SPDX-License-Identifier: MIT
// The solver of each island of a step, and how that went.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "physics/constraints/kinds.h"
#include "physics/graph/graph.h"
#include "physics/step_params.h"

namespace proxima::physics {

enum class IslandSolver : uint8_t {
    swept,    // SIMD sweeps, sub-step by sub-step
    direct,   // one exact solve of the whole step
    general,  // a solver of the laboratory, chosen for the world or for the island
};

/// Constraints of an island that is swept as a whole; larger ones are cut into slabs, with fewer sub-steps.
inline constexpr uint32_t kMaxSmallIsland = 512;

/// What decides where an island is laid out.
struct IslandMethod {
    IslandSolver solver = IslandSolver::swept;
    uint8_t halvings = 0;
    Strain strain = Strain::none;
    bool operator==(const IslandMethod&) const = default;
};

struct IslandPlan {
    const Solver* row = nullptr;  // of the laboratory: its solver when `solver` is general
    uint32_t iterations = 0;      // sweeps per sub-step
    float tolerance = 0.0f;       // m/s, 0: none
    IslandSolver solver = IslandSolver::swept;
    uint8_t halvings = 0;          // of its sub-steps, where it is swept
    Strain strain = Strain::none;  // something hits something in it in this step; a heavy body leans on light ones
    bool chosen = false;           // by a body of the island, not by the world
    bool replaced = false;         // the solver that was asked for does not know joints

    IslandMethod method() const { return {solver, halvings, strain}; }
};

/// What follows from the constraints of an island.
struct IslandTraits {
    bool high_mass_ratio = false;    // a heavy body leans on a much lighter one
    bool uneven_masses = false;      // much heavier still
    bool extended_friction = false;  // friction beyond the disk
    bool moving_surface = false;     // a contact with a conveyor belt
    bool no_direct = false;          // a constraint of a kind that direct solves do not know
    uint32_t joints = 0;
    bool no_rows = false;  // a joint of a kind that the laboratory does not know
};

/// How the solve of an island went.
struct IslandOutcome {
    float residual = 0.0f;      // StepReport::residual_max of its contacts, m/s
    float end_residual = 0.0f;  // that of the velocities that the step ends with; the rules of the plan go by it
    uint32_t iterations = 0;    // of the last sub-step; Newton steps of a direct solve; 0: swept as the settings say
    StopReason stop = StopReason::iterations;
    bool escalated = false;      // handed to a stronger solver
    bool solver_failed = false;  // and the island was swept
};
static_assert(sizeof(IslandOutcome) == 16);

struct Plan {
    /// Raised when an island is solved by another kind of solver, or in other sub-steps, than in the step before.
    uint64_t version = 0;
    uint64_t seen_graph = 0;   // Graph::version that `traits` are of
    uint64_t seen_masses = 0;  // and Bodies::mass_version

    std::vector<IslandPlan> islands;
    std::vector<IslandTraits> traits;
    std::vector<IslandOutcome> outcome;
    std::vector<uint32_t> choosers;    // scratch: by island, the body that chose its solver
    std::vector<IslandMethod> before;  // scratch
    uint8_t heap_halvings = 0;         // of the sub-steps of the islands that are cut into slabs, all alike
    uint32_t general_count = 0;
    bool sweeps = false;  // some islands are, whatever the settings

    /// Nothing of the step before.
    void clear() {
        islands.clear();
        traits.clear();
        outcome.clear();
        general_count = 0;
    }
    bool is_general(uint32_t island) const { return islands[island].solver == IslandSolver::general; }
    /// Residuals that were measured in an island; several workers may do so at once.
    void raise_residual(uint32_t island, float residual, float end_residual);

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(islands, traits, outcome, choosers, before);
    }
};

// ---- stages

/// Gives every island its solver, by the rules that stand in assign_solvers.cpp.
void assign_solvers(const entt::registry& registry, const Pairs& pairs, const Graph& graph, const StepParams& params,
                    Bodies& bodies, Plan& plan, const StepTools& tools);

/// Bodies that direct solves are about, what sweeping them would have cost, and what the solve did.
struct DirectCost {
    const uint32_t* bodies = nullptr;  // slots
    uint32_t count = 0;
    bool high_mass_ratio = false;
    float sweeps = 0.0f;  // in block sweeps
};
/// What a direct solve may take, in block sweeps.
struct DirectLimits {
    float budget = 0.0f;  // of all that is done in a step but for a factor that is spread
    // Of a factor: islands with one that costs more have it made in pieces, each step one, unless there is room for it
    // at once in this step; those with one that costs far more have none.
    float factor_spread = std::numeric_limits<float>::infinity();
    float factor_at_once = std::numeric_limits<float>::infinity();  // of all in this step
    float factor_piece = 0.0f;
    float factor = std::numeric_limits<float>::infinity();
    float substitution = std::numeric_limits<float>::infinity();  // of one back-substitution
};
DirectLimits direct_limits(const Bodies& bodies, const DirectCost& cost);
/// Remembers that an island was swept because its factor is not ready, or, when it was tried, is not good enough.
void note_waiting(const DirectCost& cost, bool tried, Bodies& bodies);
/// Remembers how a direct solve went.
void note_direct(const DirectCost& cost, bool solved, float work, Bodies& bodies);
/// Counts what was solved how into the report, and the steps in which sweeps left too much into the bodies' histories.
void report_plan(const Graph& graph, const Plan& plan, Bodies& bodies, StepReport& report);

}  // namespace proxima::physics
