// SPDX-License-Identifier: MIT
// The step, one line per stage. What a stage does stands in the file that step.h names beside it.
#include "physics/step.h"

namespace proxima::physics {

namespace {

/// Assembly to impulses for every solver, friction set, stepping and stabilisation.
void solve_in_general(StepContext& c) {
    const bool midpoint = c.settings.stepping == Stepping::moreau_midpoint;
    assemble(c);
    for (uint32_t k = 0; k < c.settings.substeps; ++k) {
        if (midpoint && k > 0) integrate_positions(c, 0.5f * c.h);
        integrate_velocities(c);
        refresh(c);
        solve_impacts(c);
        warm_start(c);
        run_solver(c);
        add_up_impulses(c);
        integrate_positions(c, midpoint ? 0.5f * c.h : c.h);
    }
    refresh_without_push(c);
    solve_impacts(c);
    relax(c);
    measure(c);
    correct_positions(c);
    store_impulses(c);
}

/// The same for the settings that games use, eight manifolds at a time. Islands that need something else go
/// the general way in between: the wide solver has its own copy of all bodies by then.
void solve_in_lanes(StepContext& c) {
    assemble_wide(c);
    if (c.apart_islands > 0) solve_in_general(c);
    solve_wide(c);
    read_out_wide(c);
}

/// A world in which nothing moves, nothing was put elsewhere and nobody is new stays as it is.
bool all_asleep(StepContext& c) {
    if (c.lists_are_new || c.restored || c.boxes_stale) return false;
    for (uint32_t i = 0; i < c.bodies.size(); ++i)
        if (c.bodies.awake[i] || c.bodies.placed_anew[i] || c.bodies.was_awake[i]) return false;
    return true;
}

}  // namespace

void run_step(StepContext& c) {
    begin_step(c);
    apply_user_changes(c);
    if (all_asleep(c)) {
        forget_direct_islands(c);
        return;
    }
    if (c.settings.stepping == Stepping::moreau_midpoint) advance_half_step(c);
    find_pairs(c);
    update_manifolds(c);
    build_islands(c);
    if (c.goes_wide)
        solve_in_lanes(c);
    else
        solve_in_general(c);
    report_measure(c);
    report_ways(c);
    update_sleep(c);
    write_back(c);
    end_step(c);
}

const char* to_string(Stage stage) {
    switch (stage) {
        case Stage::user_changes:
            return "user_changes";
        case Stage::find_pairs:
            return "find_pairs";
        case Stage::update_manifolds:
            return "update_manifolds";
        case Stage::build_islands:
            return "build_islands";
        case Stage::assemble:
            return "assemble";
        case Stage::integrate:
            return "integrate";
        case Stage::refresh:
            return "refresh";
        case Stage::solve:
            return "solve";
        case Stage::impacts:
            return "impacts";
        case Stage::relax:
            return "relax";
        case Stage::measure:
            return "measure";
        case Stage::correct_positions:
            return "correct_positions";
        case Stage::store_impulses:
            return "store_impulses";
        case Stage::sleep:
            return "sleep";
        case Stage::write_back:
            return "write_back";
        case Stage::events:
            return "events";
        case Stage::count:
            break;
    }
    return "unknown";
}

}  // namespace proxima::physics
