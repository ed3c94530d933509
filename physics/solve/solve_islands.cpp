// SPDX-License-Identifier: MIT
#include "physics/solve/solve_islands.h"

#include "physics/solve/integrate.h"

namespace proxima::physics {

MeasureSum solve_islands(const Graph& graph, const StepParams& params, Plan& plan, ConstraintStores stores,
                         Bodies& bodies, Articulations& articulations, SweepSolver& sweep, direct::DirectSolver& direct,
                         GeneralSolver& general, const StepTools& tools) {
    const StageScope scope(tools, Stage::solve_islands);
    MeasureSum measured;
    tools.report.failed_solvers = 0;
    general.clear();
    if (plan.general_count > 0) measured = solve_general_islands(graph, params, stores, bodies, plan, general, tools);
    if (params.simd)
        solve_swept_islands(stores, params, plan, bodies, articulations, sweep, direct, tools);
    else
        move_kinematic_bodies(params, bodies);
    return measured;
}

void store_results(const Graph& graph, const StepParams& params, const GeneralSolver& general,
                   direct::DirectSolver& direct, MeasureSum measured, SweepSolver& sweep, Bodies& bodies,
                   ConstraintStores stores, Plan& plan, const StepTools& tools) {
    const StageScope scope(tools, Stage::store_results);
    const auto contact_of = [](KindId kind, uint32_t id) { return is_contact(kind) ? id : kNone; };
    tools.report.direct_failures = tools.report.factorisations = 0;
    tools.report.direct_tolerance = tools.report.direct_residual_max = 0.0;
    stores.pairs.queue_events(general.event_flags,
                              [&](size_t k) { return contact_of(general.edges[k].kind, general.edges[k].id); });
    if (params.simd) {
        measured.add(store_swept_results(graph, params, direct, sweep, bodies, stores, plan, tools));
        const sweep::Layout& layout = sweep.layout;
        stores.pairs.queue_events(layout.event_flags, [&](size_t k) {
            return contact_of(KindId(layout.items[k].bin % kKindCount), layout.items[k].id);
        });
    }
    measured.report(tools.report);
    report_plan(graph, plan, bodies, tools.report);
}

}  // namespace proxima::physics
