// SPDX-License-Identifier: MIT
// More ways to solve Coulomb's law for one contact alone than the curve of local_coulomb.h, for `nscd` and
// for comparing them. They work in double precision whatever the system does: a quartic or a Newton step in
// single precision would not find the last digits of a float.
#pragma once

#include <optional>

#include "physics/solvers/solver.h"
#include "physics/solvers/splitting/local_coulomb.h"

namespace proxima::physics {

/// Each looks for l with l and v = A l + b obeying Coulomb's law, starting at or staying near `start`, and
/// returns nothing when it finds no answer to about 1e-13 of its size.
///
/// Open, sticking, and sliding as a quartic. With W_tt = diag(d1, d2), a = A_tn and
///     S(s) = det(A + s diag(0, 1, 1)),   P(s) = b_n (d1+s)(d2+s) - a1 b1 (d2+s) - a2 b2 (d1+s)
///     T1(s) = (b1 A_nn - a1 b_n)(d2+s) - a2 (b1 a2 - b2 a1),   T2 likewise with 1 and 2 exchanged
/// the sliding impulses are l_n = -P/S, l_t = -T/S, and |l_t| = mu l_n becomes T1^2 + T2^2 = mu^2 P^2: degree
/// four in s. All its positive roots with P < 0 are answers. Of all answers the one nearest to `start`.
std::optional<Real3<double>> solve_contact_quartic(const ContactBlock<double>& block, Real3<double> b, double mu,
                                                   Real3<double> start);
/// Newton on l_n = max(0, z_n), l_t = nearest point of the disk mu max(0, z_n) to z_t, where
/// z = l - (v_n / A_nn, v_t / lambda_max(A_tt)); steps are halved until the map gets smaller.
std::optional<Real3<double>> solve_contact_newton(const ContactBlock<double>& block, Real3<double> b, double mu,
                                                  Real3<double> start);
/// l <- nearest point of the cone to l - rho (v + mu |v_t| n). rho shrinks where the step would not contract
/// and grows where it contracts well.
std::optional<Real3<double>> solve_contact_fixed_point(const ContactBlock<double>& block, Real3<double> b, double mu,
                                                       Real3<double> start);

/// The answer by the chosen method; where that finds none, by the curve.
template <class Real>
Real3<Real> solve_contact(LocalSolver local, const ContactBlock<Real>& block, Real3<Real> b, Real mu,
                          Real3<Real> start) {
    if (local == LocalSolver::curve) return solve_contact(block, b, mu);
    const ContactBlock<double> wide{double(block.normal),
                                    {double(block.coupling.x), double(block.coupling.y)},
                                    {double(block.tangent.t11), double(block.tangent.t12), double(block.tangent.t22)}};
    const Real3<double> free{double(b.n), double(b.t1), double(b.t2)};
    const Real3<double> from{double(start.n), double(start.t1), double(start.t2)};
    const auto solve = local == LocalSolver::quartic  ? solve_contact_quartic
                       : local == LocalSolver::newton ? solve_contact_newton
                                                      : solve_contact_fixed_point;
    if (const auto l = solve(wide, free, double(mu), from)) return {Real(l->n), Real(l->t1), Real(l->t2)};
    const Real3<double> l = solve_contact(wide, free, double(mu));
    return {Real(l.n), Real(l.t1), Real(l.t2)};
}

}  // namespace proxima::physics
