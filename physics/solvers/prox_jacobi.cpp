// SPDX-License-Identifier: MIT
// PROX Jacobi with the friction disk: all contacts read, then all write. The form that runs on wide machines,
// and the oracle for them.
#include <algorithm>

#include "physics/contact/delassus.h"
#include "physics/contact/problem.h"
#include "physics/solvers/friction_set.h"
#include "physics/solvers/iterate.h"
#include "physics/solvers/r_factors.h"
#include "physics/solvers/solver_rows.h"

namespace proxima::physics {

namespace {

/// Step lengths of one contact: denominators d_n and d_t, steps are their inverses; 0 where nothing can move.
template <class Real>
struct Denominators {
    Real normal, tangent;
};

/// W <= blockdiag(d I) makes every pass a contraction for frozen friction sets: that is the local strategy.
/// Blocked keeps the shape of W_tt and stretches it by the share d / max(W_nn, lambda_max): bolder, guarded
/// by roll-back only.
template <class S, class Real = typename S::Real>
Denominators<Real> denominators(const S& system, uint32_t i, Real bound, RStrategy strategy) {
    const Real wn = system.normal_block(i), wt = largest_eigenvalue(system.tangent_block(i));
    Denominators<Real> d{};
    if (strategy == RStrategy::global) {
        d = {bound, bound};
    } else if (strategy == RStrategy::local) {
        d = {bound + system.compliance(i), bound};
    } else {
        const Real share = std::max(Real(1), bound * step_of(std::max(wn, wt)));
        d = {share * wn + system.compliance(i), share * wt};
    }
    if (!(wn > Real(1e-30))) d.normal = Real(0);
    if (!(wt > Real(1e-30))) d.tangent = Real(0);
    return d;
}

template <ContactSystem S>
SolveReport solve(S& system, const SolveSettings& settings) {
    using Real = typename S::Real;
    const RStrategy strategy = settings.r_strategy;
    const uint32_t n = system.size();
    const Real global = strategy == RStrategy::global ? estimate_largest_eigenvalue(system) : Real(0);

    // work: denominators of normals (n) and tangents (n), then the changes of one pass (3n).
    auto& work = system.scratch().work;
    if (work.size() < 5 * size_t(n)) work.resize(5 * size_t(n));
    Real* normal = work.data();
    Real* tangent = work.data() + n;
    Real* change = work.data() + 2 * size_t(n);
    if (strategy == RStrategy::global)
        std::fill(normal, normal + n, global);
    else
        system.splitting_bounds(std::span<Real>(normal, n));
    for (uint32_t i = 0; i < n; ++i) {
        const Denominators<Real> d = denominators(system, i, normal[i], strategy);
        normal[i] = d.normal;
        tangent[i] = d.tangent;
    }

    return iterate(system, FrictionSet::disk, settings, shrink_factor(strategy), [&](double step_scale) {
        const Real scale = Real(step_scale);
        for (uint32_t i = 0; i < n; ++i) {
            const auto l = system.impulse(i);
            const Real2<Real> v = system.tangent_velocity(i);
            const Denominators<Real> d{normal[i], tangent[i]};
            const Real vn = system.normal_velocity(i) + system.compliance(i) * l.n;
            const Real next_n = std::max(Real(0), l.n - scale * step_of(d.normal) * vn);
            // The radius follows the new normal impulse of this very contact: known without asking others,
            // and it keeps every iterate inside its cone.
            const Real radius = system.friction(i) * next_n;
            Real2<Real> next{l.t1, l.t2};
            if (strategy == RStrategy::blocked && d.tangent > Real(0)) {
                const TangentBlock<Real> w = system.tangent_block(i);
                const Real stretch = d.tangent * system.tangent_step(i) / scale;
                next = solve_disk({w.t11 * stretch, w.t12 * stretch, w.t22 * stretch}, next, v, radius);
            } else if (d.tangent > Real(0)) {
                const Real r = scale / d.tangent;
                next = project_disk(Real2<Real>{l.t1 - r * v.x, l.t2 - r * v.y}, radius);
            }
            change[3 * i] = next_n - l.n;
            change[3 * i + 1] = next.x - l.t1;
            change[3 * i + 2] = next.y - l.t2;
        }
        // Each body receives its contacts in their order, whatever computed the changes.
        for (uint32_t i = 0; i < n; ++i) {
            if (change[3 * i] != Real(0)) system.add_normal(i, change[3 * i]);
            if (change[3 * i + 1] != Real(0) || change[3 * i + 2] != Real(0))
                system.add_tangent(i, {change[3 * i + 1], change[3 * i + 2]});
        }
    });
}

}  // namespace

SolveReport prox_jacobi_bodies(BodySystem& system, const SolveSettings& settings) {
    return solve(system, settings);
}
SolveReport prox_jacobi_matrix(DelassusSystem& system, const SolveSettings& settings) {
    return solve(system, settings);
}

}  // namespace proxima::physics
