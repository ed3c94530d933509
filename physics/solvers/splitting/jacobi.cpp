// SPDX-License-Identifier: MIT
// Projected Jacobi with the friction box: all rows read, then all write, with steps that cannot diverge.
#include "physics/solvers/bilateral_rows.h"
#include "physics/solvers/iterate.h"
#include "physics/solvers/splitting/disk_rows.h"
#include "physics/solvers/splitting/splitting.h"

namespace proxima::physics {

namespace {

/// 1/d of a row of contact i, 0 where nothing can move. With W <= blockdiag(d I) every pass is a contraction
/// for frozen bounds; the plain step 1/W_ii is not: four contacts under one box would jump between nothing
/// and four times the answer for ever. Blocked steps keep the proportion of the rows, bolder than is proved.
template <class Real>
Real row_step(Real row, Real largest, Real bound, Real compliance, RStrategy strategy) {
    if (!(row > Real(1e-30))) return Real(0);
    if (strategy == RStrategy::blocked) return step_of(row * std::max(Real(1), bound * step_of(largest)) + compliance);
    return step_of(bound + compliance);
}

template <ContactSystem S>
SolveReport solve(S& system, const SolveSettings& settings) {
    using Real = typename S::Real;
    const uint32_t n = system.size();
    const bool bilateral = system.has_bilateral();
    const Real global = settings.r_strategy == RStrategy::global ? estimate_largest_eigenvalue(system) : Real(0);

    // work: steps of the rows (3n), then the changes of one pass (3n), which hold the bounds at first.
    auto& work = system.scratch().work;
    if (work.size() < 6 * size_t(n)) work.resize(6 * size_t(n));
    Real* step = work.data();
    Real* change = work.data() + 3 * size_t(n);
    if (settings.r_strategy == RStrategy::global)
        std::fill(change, change + n, global);
    else
        system.splitting_bounds(std::span<Real>(change, n));
    for (uint32_t i = 0; i < n; ++i) {
        const Real row[3] = {system.normal_block(i), system.tangent_block(i).t11, system.tangent_block(i).t22};
        const Real largest = std::max(row[0], largest_eigenvalue(system.tangent_block(i)));
        // lambda_max of the global strategy has the compliance inside.
        const Real soft = settings.r_strategy == RStrategy::global ? Real(0) : system.compliance(i);
        const bool all_soft = bilateral && system.is_bilateral(i);
        for (int k = 0; k < 3; ++k)
            step[3 * i + k] =
                row_step(row[k], largest, change[i], k == 0 || all_soft ? soft : Real(0), settings.r_strategy);
    }

    return iterate(system, Law(FrictionSet::box).with_bilateral(), settings, shrink_factor(settings.r_strategy),
                   [&](double step_scale) {
                       const Real scale = Real(step_scale);
                       for (uint32_t i = 0; i < n; ++i) {
                           if (bilateral && system.is_bilateral(i)) {
                               const Real3<Real> error = bilateral_error(system, i);
                               change[3 * i] = -scale * step[3 * i] * error.n;
                               change[3 * i + 1] = -scale * step[3 * i + 1] * error.t1;
                               change[3 * i + 2] = -scale * step[3 * i + 2] * error.t2;
                               continue;
                           }
                           const Real3<Real> l = system.impulse(i);
                           const Real2<Real> v = system.tangent_velocity(i);
                           const Real vn = system.normal_velocity(i) + system.compliance(i) * l.n;
                           const Real next = std::max(Real(0), l.n - scale * step[3 * i] * vn);
                           // The bounds follow the new normal impulse: known without asking other contacts,
                           // and every iterate lies inside its box.
                           const Real bound = system.friction(i) * next;
                           change[3 * i] = next - l.n;
                           change[3 * i + 1] = std::clamp(l.t1 - scale * step[3 * i + 1] * v.x, -bound, bound) - l.t1;
                           change[3 * i + 2] = std::clamp(l.t2 - scale * step[3 * i + 2] * v.y, -bound, bound) - l.t2;
                       }
                       for (uint32_t i = 0; i < n; ++i) {
                           const Real* d = change + 3 * size_t(i);
                           if (d[0] != Real(0)) system.add_normal(i, d[0]);
                           if (d[1] != Real(0) || d[2] != Real(0)) system.add_tangent(i, {d[1], d[2]});
                       }
                   });
}

}  // namespace

SolveReport jacobi_bodies(BodySystem& system, const SolveSettings& settings) { return solve(system, settings); }
SolveReport jacobi_matrix(DelassusSystem& system, const SolveSettings& settings) { return solve(system, settings); }

}  // namespace proxima::physics
