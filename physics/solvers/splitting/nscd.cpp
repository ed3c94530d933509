// SPDX-License-Identifier: MIT
// Blocked Gauss-Seidel (nonsmooth contact dynamics): one contact after the other, each solved exactly for
// Coulomb's law in its full 3x3 block while all others stand still.
#include "physics/solvers/bilateral_rows.h"
#include "physics/solvers/iterate.h"
#include "physics/solvers/splitting/disk_rows.h"
#include "physics/solvers/splitting/local_solvers.h"
#include "physics/solvers/splitting/splitting.h"

namespace proxima::physics {

namespace {

/// Goes `scale` of the way to the contact's own answer; cones are convex, so what lies between is inside.
template <ContactSystem S>
void relax_contact(S& system, uint32_t i, Real2<typename S::Real> coupling, typename S::Real scale, LocalSolver local) {
    using Real = typename S::Real;
    const Real3<Real> l = system.impulse(i);
    const Real soft = system.compliance(i);
    const ContactBlock<Real> block{system.normal_block(i) + soft, coupling, system.tangent_block(i)};
    const Real vn = system.normal_velocity(i) + soft * l.n;
    if (l.n == Real(0) && l.t1 == Real(0) && l.t2 == Real(0) && vn >= Real(0)) return;  // open, stays open
    const Real2<Real> v = system.tangent_velocity(i);
    const TangentBlock<Real>& w = block.tangent;
    Real3<Real> next = l;
    if (block.normal > Real(1e-30)) {
        // b = v - A l, what the contact would see without its own impulse.
        const Real3<Real> b{vn - block.normal * l.n - coupling.x * l.t1 - coupling.y * l.t2,
                            v.x - coupling.x * l.n - w.t11 * l.t1 - w.t12 * l.t2,
                            v.y - coupling.y * l.n - w.t12 * l.t1 - w.t22 * l.t2};
        next = solve_contact(local, block, b, system.friction(i), l);
    } else if (system.tangent_step(i) > Real(0)) {
        const Real2<Real> t = solve_disk(w, Real2<Real>{l.t1, l.t2}, v, system.friction(i) * l.n);
        next = {l.n, t.x, t.y};
    }
    const Real n = scale * (next.n - l.n);
    const Real2<Real> t{scale * (next.t1 - l.t1), scale * (next.t2 - l.t2)};
    if (n != Real(0)) system.add_normal(i, n);
    if (t.x != Real(0) || t.y != Real(0)) system.add_tangent(i, t);
}

template <ContactSystem S>
SolveReport solve(S& system, const SolveSettings& settings) {
    using Real = typename S::Real;
    const uint32_t n = system.size();
    GroupOrder<S> order(system, settings, 2 * size_t(n));  // work: couplings (2n), then the order
    Real* coupling = system.scratch().work.data();
    for (uint32_t i = 0; i < n; ++i) {
        const Real2<Real> c = system.coupling_block(i);
        coupling[2 * i] = c.x;
        coupling[2 * i + 1] = c.y;
    }
    const bool bilateral = system.has_bilateral();
    return iterate(system, Law(FrictionSet::disk).with_bilateral(), settings, shrink_factor(RStrategy::local),
                   [&](double scale) {
                       order.next_sweep();
                       for (uint32_t k = 0; k < order.size(); ++k) {
                           const ContactGroup group = system.group(order[k]);
                           for (uint32_t i = group.begin; i < group.end; ++i)
                               if (bilateral && system.is_bilateral(i))
                                   relax_bilateral(system, i, Real(scale), Real(0));
                               else
                                   relax_contact(system, i, {coupling[2 * i], coupling[2 * i + 1]}, Real(scale),
                                                 settings.local_solver);
                       }
                   });
}

}  // namespace

SolveReport nscd_bodies(BodySystem& system, const SolveSettings& settings) { return solve(system, settings); }
SolveReport nscd_matrix(DelassusSystem& system, const SolveSettings& settings) { return solve(system, settings); }

}  // namespace proxima::physics
