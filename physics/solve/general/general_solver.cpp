// SPDX-License-Identifier: MIT
#include "physics/solve/general/general_solver.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "physics/solve/general/solve_rows.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kWorkPerBatch = 64;  // bodies and constraints

/// Runs of neighbouring islands with enough work for a job.
void batch_islands(const Graph& graph, GeneralSolver& s) {
    s.batches.clear();
    uint32_t begin = 0, work = 0;
    for (uint32_t k = 0; k < s.islands.size(); ++k) {
        work += s.first_edge[k + 1] - s.first_edge[k] + graph.islands[s.islands[k]].bodies() / 4 + 1;
        if (work < kWorkPerBatch && k + 1 < s.islands.size()) continue;
        s.batches.push_back({begin, k + 1});
        begin = k + 1;
        work = 0;
    }
    s.sums.assign(s.batches.size(), MeasureSum{});
}

/// Room for the largest island in every worker's problem, so that which worker gets it makes no difference.
void reserve_problems(const Graph& graph, const Bodies& bodies, uint32_t workers, GeneralSolver& s) {
    if (s.problems.size() < workers) s.problems.resize(workers);
    uint32_t max_bodies = 0, max_edges = 0;
    for (size_t k = 0; k < s.islands.size(); ++k) {
        const uint32_t edges = s.first_edge[k + 1] - s.first_edge[k];
        max_edges = std::max(max_edges, edges);
        max_bodies = std::max(max_bodies, graph.islands[s.islands[k]].bodies() + edges);
    }
    for (uint32_t w = 0; w < workers; ++w)
        s.problems[w].reserve(max_bodies, size_t(4) * max_edges, max_edges, bodies.size());
}

/// Settings and materials that do not go together are refused where they are given; a game that writes its components
/// itself gets here.
void warn_of_friction(const Plan& plan, const GeneralSolver& s, StepReport& report) {
    for (const uint32_t island : s.islands)
        if (plan.islands[island].replaced) {
            static const std::string kMessage =
                "The solver that an island with joints was given does not know joints; prox_gs solves it.";
            report.warn(kNoEntity, kMessage);
            break;
        }
    for (const uint32_t island : s.islands) {
        const Solver& row = *plan.islands[island].row;
        if (!plan.traits[island].extended_friction || row.extra_friction) continue;
        report.warn(kNoEntity,
                    "The solver '" + std::string(row.name) +
                        "' knows one coefficient of friction a contact; grain, torsional and rolling friction "
                        "are left out. Choose prox_gs or prox_jacobi.");
        return;
    }
}

/// One sentence a step: solvers that fail do so in many islands and for many steps.
void report_failures(const Graph& graph, const Bodies& bodies, const GeneralSolver& s, Plan& plan, StepReport& report) {
    for (uint32_t k = 0; k < s.islands.size(); ++k) {
        const FailedSolver& failure = s.failures[k];
        if (!failure.solver) continue;
        plan.islands[s.islands[k]].row = &sweeping_solver();
        plan.outcome[s.islands[k]].solver_failed = true;
        if (report.failed_solvers++ > 0) continue;
        report.warn(bodies.data[graph.bodies_of(graph.islands[s.islands[k]])[0]].entity,
                    "The solver '" + std::string(failure.solver->name) + "' failed in the island of this body: " +
                        std::string(failure.note.empty() ? to_text(failure.why) : failure.note) +
                        ". The island was swept in this step.");
    }
}

}  // namespace

void list_general_islands(const Graph& graph, const Plan& plan, const ConstraintStores& stores, GeneralSolver& s) {
    s.islands.clear();
    for (uint32_t i = 0; i < graph.islands.size(); ++i)
        if (plan.is_general(i)) s.islands.push_back(i);
    s.items.clear();
    s.items.reserve(graph.edges.capacity());
    for (const Edge& edge : graph.edges) {
        const uint32_t island = graph.island_of(edge);
        if (island != kNone && plan.is_general(island))
            s.items.push_back({island, kind_row(edge.kind).key(stores, edge.id), edge});
    }
    std::sort(s.items.begin(), s.items.end(), [](const GeneralSolver::Item& x, const GeneralSolver::Item& y) {
        return std::tie(x.island, x.edge.colour, x.key) < std::tie(y.island, y.edge.colour, y.key);
    });
    s.edges.resize(s.items.size());
    for (size_t k = 0; k < s.items.size(); ++k) s.edges[k] = s.items[k].edge;
    s.event_flags.assign(s.edges.size(), 0);
    s.first_edge.resize(s.islands.size() + 1);
    uint32_t at = 0;
    for (size_t k = 0; k < s.islands.size(); ++k) {
        s.first_edge[k] = at;
        while (at < s.items.size() && s.items[at].island == s.islands[k]) ++at;
    }
    s.first_edge[s.islands.size()] = at;
}

MeasureSum solve_general_islands(const Graph& graph, const StepParams& params, ConstraintStores& stores, Bodies& bodies,
                                 Plan& plan, GeneralSolver& s, const StepTools& tools) {
    list_general_islands(graph, plan, stores, s);
    batch_islands(graph, s);
    reserve_problems(graph, bodies, tools.jobs.worker_count(), s);
    s.failures.assign(s.islands.size(), FailedSolver{});
    warn_of_friction(plan, s, tools.report);
    tools.jobs.parallel_for(uint32_t(s.batches.size()), 1, [&](const engine::JobBlock& block) {
        IslandProblem& problem = s.problems[block.worker];
        const GeneralSolver::Batch batch = s.batches[block.begin];
        for (uint32_t k = batch.begin; k < batch.end; ++k) {
            const uint32_t island = s.islands[k];
            const uint32_t first = s.first_edge[k], count = s.first_edge[k + 1] - first;
            const std::span<const Edge> edges(s.edges.data() + first, count);
            plan.outcome[island] =
                solve_island(stores, bodies, graph.bodies_of(graph.islands[island]), edges, plan.islands[island],
                             params, problem, s.sums[block.begin], s.failures[k]);
            for (uint32_t e = 0; e < count; ++e) {
                StoreParams store;
                store.h = problem.h;
                store.dt = params.dt;
                store.hit_speed = params.settings.hit_speed;
                store.event_flags = s.event_flags.data() + first + e;
                kind_row(edges[e].kind).store_rows(stores, edges[e].id, problem, e, store);
            }
            // Bodies that constraints cannot move belong to nobody: they are moved once for all.
            for (uint32_t i = 0; i < problem.dynamic_count; ++i) {
                const uint32_t slot = problem.slots[i];
                bodies.velocity[slot] = problem.velocity[i];
                bodies.delta[slot] = problem.delta[i];
                bodies.transform[slot].rotation = problem.transform[i].rotation;
            }
        }
    });
    report_failures(graph, bodies, s, plan, tools.report);
    MeasureSum sum;
    for (const MeasureSum& part : s.sums) sum.add(part);
    return sum;
}

}  // namespace proxima::physics
