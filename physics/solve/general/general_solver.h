// SPDX-License-Identifier: MIT
// Islands that solvers of the laboratory take: one after the other, each as a problem of its own, several workers at
// once.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/solve/general/island_problem.h"

namespace proxima::physics {

struct GeneralSolver {
    /// A constraint of such an island, in the order in which sweeps visit them: by island, colour, key.
    struct Item {
        uint32_t island = 0;
        uint64_t key = 0;
        Edge edge;
    };
    struct Batch {
        uint32_t begin = 0, end = 0;  // into `islands`
    };
    std::vector<uint32_t> islands;  // that are solved here
    std::vector<Item> items;
    std::vector<Edge> edges;              // of the items, by island
    std::vector<uint32_t> first_edge;     // by island of `islands`, and the end
    std::vector<Batch> batches;           // enough islands to be worth a job
    std::vector<MeasureSum> sums;         // by batch
    std::vector<FailedSolver> failures;   // by island of `islands`
    std::vector<uint8_t> event_flags;     // by edge
    std::vector<IslandProblem> problems;  // by worker

    /// Nothing of the step before.
    void clear() {
        islands.clear();
        items.clear();
        edges.clear();
        event_flags.clear();
        failures.clear();
    }

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(islands, items, edges, first_edge, batches, sums, failures, event_flags);
        for (const IslandProblem& problem : problems) archive.derived_bytes(problem.bytes());
    }
};

/// Lists the general islands of the plan and their constraints, in the order in which sweeps visit them.
void list_general_islands(const Graph& graph, const Plan& plan, const ConstraintStores& stores, GeneralSolver& solver);

/// Solves the general islands of the plan; bodies and constraints get their results at once. Returns what was measured.
MeasureSum solve_general_islands(const Graph& graph, const StepParams& params, ConstraintStores& stores, Bodies& bodies,
                                 Plan& plan, GeneralSolver& solver, const StepTools& tools);

}  // namespace proxima::physics
