// SPDX-License-Identifier: MIT
// Projected successive over-relaxation with the friction box: every row goes omega times as far as its own
// answer, omega = SolveSettings::relaxation.
#include "physics/solvers/bilateral_rows.h"
#include "physics/solvers/box_rows.h"
#include "physics/solvers/iterate.h"
#include "physics/solvers/splitting/disk_rows.h"
#include "physics/solvers/splitting/splitting.h"

namespace proxima::physics {

namespace {

template <ContactSystem S>
SolveReport solve(S& system, const SolveSettings& settings) {
    using Real = typename S::Real;
    if (!(settings.relaxation > 0.0 && settings.relaxation < 2.0)) {
        SolveReport report;
        report.stop = StopReason::failed;
        report.note = "relaxation must lie between 0 and 2, both excluded";
        return report;
    }
    const Real one_step = global_step(system, settings);
    GroupOrder<S> order(system, settings, 0);
    const bool bilateral = system.has_bilateral();
    return iterate(system, Law(FrictionSet::box).with_bilateral(), settings, shrink_factor(settings.r_strategy),
                   [&](double scale) {
                       const Real step = Real(settings.relaxation * scale), fixed = one_step * step;
                       const auto friction = [&](uint32_t i) { relax_box(system, i, step, fixed); };
                       const auto normal = [&](uint32_t i) { relax_normal(system, i, step, fixed); };
                       order.next_sweep();
                       if (bilateral)
                           sweep_mixed_forward(system, order, step, fixed, friction, normal);
                       else
                           sweep_forward(system, order, friction, normal);
                   });
}

}  // namespace

SolveReport psor_bodies(BodySystem& system, const SolveSettings& settings) { return solve(system, settings); }
SolveReport psor_matrix(DelassusSystem& system, const SolveSettings& settings) { return solve(system, settings); }

}  // namespace proxima::physics
