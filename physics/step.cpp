// SPDX-License-Identifier: MIT
// The step, one line per stage. A stage reads what it takes by const& and writes what it takes by &; what it does
// stands in the folder of what it writes. docs/step.md has the data flow as a picture.
#include <algorithm>

#include "physics/events/publish_events.h"
#include "physics/simulation.h"
#include "physics/solve/integrate.h"

namespace proxima::physics {

StepParams begin_step(Simulation& s, float dt) {
    s.times.begin_frame();
    s.last_dt = dt;
    s.events.clear();
    s.report.step = ++s.step_number;
    s.report.warnings.clear();
    StepParams p{s.settings};
    p.solver = find_solver(s.settings.solver);
    p.step = s.step_number;
    p.dt = dt;
    p.h = dt / float(s.settings.substeps);
    p.large_island.count = std::min(s.settings.substeps, s.settings.large_island_substeps);
    p.large_island.h = dt / float(p.large_island.count);
    p.simd = knows_settings(s.settings);
    p.softness = {s.settings.stabilisation == Stabilisation::soft, s.settings.contact_hertz,
                  s.settings.contact_damping_ratio, s.settings.max_push_speed};
    return p;
}

void sync_changes(Simulation& s, const StepParams& p, const StepTools& t) {
    const StructureLists lists{s.body_list, s.next_stable_id, s.shapes,           s.bodies,
                               s.colliders, s.pairs,          s.structure_scratch};
    sync_structure(s.registry, s.log, lists, t);
    if (!gather_bodies(s.registry, p, s.bodies, t)) {  // a type or mass was written without telling
        for (const Entity body : s.bodies.changed) s.log.change_body(body);
        sync_structure(s.registry, s.log, lists, t);
        gather_bodies(s.registry, p, s.bodies, t);
    }
    for (const Entity body : s.log.reshaped_bodies)
        if (const uint32_t slot = s.bodies.slot_of(body); slot != kNone) s.bodies.disturb(slot);
    s.log.reshaped_bodies.clear();
    sync_contact_rules(s.registry, s.colliders, s.bodies, s.pairs, t.report);
    sync_joints(s.registry, s.bodies, s.next_stable_id, s.joints, t);
    update_articulations(s.joints, s.bodies, s.articulations);
}

void sleep_on(Simulation& s) {
    s.report.sleeping = uint32_t(std::count(s.bodies.dynamic.begin(), s.bodies.dynamic.end(), uint8_t(1)));
    s.bodies.rest_watch.remember(s.registry);
    s.direct.release();
    s.report.failed_solvers = 0;
    MeasureSum{}.report(s.report);  // nothing was measured
}

/// From the contacts there are to what they did.
void solve(Simulation& s, StepParams p, const StepTools& t) {
    // Constraint graph: colours, islands, waking; and the solver of each island.
    update_graph(s.pairs, s.joints, p, s.bodies, s.graph, t);
    assign_solvers(s.registry, s.pairs, s.graph, p, s.bodies, s.plan, t);
    p.halve_large_islands(s.plan.heap_halvings);
    p.simd = s.plan.sweeps;

    // Solve: all sub-steps of every island.
    if (p.simd) update_layout(s.graph, s.plan, s.articulations, s.stores(), s.bodies, s.sweep, s.direct, t);
    if (p.simd) prepare(s.graph, s.plan, s.stores(), s.bodies, p, s.direct, s.sweep, t);
    const MeasureSum measured =
        solve_islands(s.graph, p, s.plan, s.stores(), s.bodies, s.articulations, s.sweep, s.direct, s.general, t);
    store_results(s.graph, p, s.general, s.direct, measured, s.sweep, s.bodies, s.stores(), s.plan, t);
}

void step(Simulation& s, float dt) {
    const StepParams p = begin_step(s, dt);
    const StepTools t{*s.jobs, s.times, s.report};

    // What the game changed.
    sync_changes(s, p, t);
    if (everything_sleeps(s.bodies, s.graph, s.joints)) return sleep_on(s);
    if (s.settings.stepping == Stepping::moreau_midpoint) advance_half_step(p, s.bodies, t.jobs);

    // Collision.
    find_pairs(s.bodies, p, s.colliders, s.pairs, t);
    update_manifolds(s.bodies, s.colliders, s.joints, p, s.pairs, t);
    modify_contacts(s.contact_modifier, s.bodies, s.pairs, t.report);

    // Solve; again without what breaks under it.
    const bool may_break = s.pairs.rules.any_breaks && physics::may_break(s.bodies, s.pairs);
    if (may_break) begin_trial(s.bodies, s.pairs, s.joints, t.report, s.trial);
    solve(s, p, t);
    while (may_break &&
           break_contacts(s.registry, s.colliders, s.trial, s.bodies, s.pairs, s.joints, s.events, t.report))
        solve(s, p, t);
    if (s.pairs.rules.any_breaks) note_blows(s.bodies, p, may_break, s.pairs);

    // Back to the game.
    update_sleep(s.graph, s.pairs, s.joints, p, s.bodies, t);
    if (write_back(p, s.bodies, s.registry, t)) {
        s.log.request_rebuild();
        s.pairs.drop_bad_results();
    }
    write_back_joints(s.bodies, p, s.joints, s.registry, s.events, t.report);
    age_boxes(s.bodies, s.colliders, t.jobs);
    publish_events(p, s.bodies, s.pairs, s.events, s.registry, t);
}

}  // namespace proxima::physics
