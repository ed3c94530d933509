// SPDX-License-Identifier: MIT
// What a solver may ask of a contact problem. Solvers are templates over this, so that one text solves both
// the matrix-free problem of a running world (contact/problem.h) and a stored matrix (contact/delassus.h).
//
// The problem: find impulses l_i = (l_n, l_t1, l_t2) and relative velocities v = W l + b such that for each contact
//     0 <= v_n + c l_n  _|_  l_n >= 0          c >= 0 is the compliance of a soft contact (CFM)
//     -v_t in the normal cone of F(mu l_n) at l_t      F a friction set: disk, box, ...
// and for each bilateral block (the point of a ball joint), whose l_i has no bounds,
//     v + c l = 0                              three rows, one c for all of them
// The normal of a contact points from body a to body b; v is the velocity of b relative to a; positive v_n
// separates. The rows of a bilateral block are those of a contact: normal, tangent 1, tangent 2.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>

#include "physics/contact/symmetric3.h"

namespace proxima::physics {

/// The law of a block of three rows.
enum class RowKind : uint32_t {
    contact,    // unilateral, with friction
    bilateral,  // v + c l = 0 in all three rows: both signs, no friction
};

template <class Real>
struct Real2 {
    Real x, y;
};
template <class Real>
struct Real3 {
    Real n, t1, t2;
};
/// Diagonal block of W for one contact, tangent part: [[t11, t12], [t12, t22]].
template <class Real>
struct TangentBlock {
    Real t11, t12, t22;
};
/// lambda_max of the block, never below zero.
template <class Real>
Real largest_eigenvalue(const TangentBlock<Real>& w) {
    const Real middle = Real(0.5) * (w.t11 + w.t22), half = Real(0.5) * (w.t11 - w.t22);
    const Real largest = middle + std::sqrt(half * half + w.t12 * w.t12);
    return largest > Real(0) ? largest : Real(0);
}
/// 1/x, and 0 for x that is not a usable denominator: a contact between bodies that cannot move gets no steps.
template <class Real>
Real step_of(Real x) {
    return x > Real(1e-30) ? Real(1) / x : Real(0);
}
/// What a contact has whose friction is more than a disk, as solvers and residuals see it. Angular rows (torsion
/// about the normal, rolling about the two tangents) are multiplied by their radius: their velocities are
/// m/s, their impulses N s and their blocks 1/kg, like all others. With l_n the normal impulse,
///     (l_t1 / mu)^2 + (l_t2 / across)^2 + (l_s / torsion)^2 <= l_n^2,      |l_r| <= l_n where it rolls.
struct ExtraState {
    double across = 0.0;                   // coefficient along tangent 2; friction(i) is that along tangent 1
    double torsion = 0.0;                  // coefficient of the torsion row; 0: there is none
    bool rolls = false;                    // whether there are rolling rows
    Symmetric3 friction_block{};           // W of tangent 1, tangent 2 and torsion
    TangentBlock<double> rolling_block{};  // W of the rolling rows
    Real3<double> impulse{}, velocity{};   // of torsion, rolling about tangent 1, about tangent 2
};
/// Contacts [begin, end) that share a manifold; a solver may treat them together.
struct ContactGroup {
    uint32_t begin, end;
};

/// Systems may have contacts with extra friction; most have none, and say so once for all of them.
template <class S>
bool has_extra(const S& system) {
    if constexpr (requires { system.has_extra(); })
        return system.has_extra();
    else
        return false;
}

template <class S>
bool is_extra(const S& system, uint32_t i) {
    if constexpr (requires { system.is_extra(i); })
        return system.is_extra(i);
    else
        return false;
}
template <class S>
ExtraState extra_state(const S& system, uint32_t i) {
    if constexpr (requires { system.extra_state(i); })
        return system.extra_state(i);
    else
        return {};
}

template <class S>
concept ContactSystem = requires(S s, const S cs, uint32_t i, typename S::Real r, Real2<typename S::Real> r2) {
    { cs.size() } -> std::convertible_to<uint32_t>;         // number of contacts
    { cs.group_count() } -> std::convertible_to<uint32_t>;  // groups cover 0..size() in order
    { cs.group(i) } -> std::same_as<ContactGroup>;
    { cs.has_bilateral() } -> std::same_as<bool>;  // any block: most systems have none, and are asked once
    { cs.is_bilateral(i) } -> std::same_as<bool>;
    { cs.friction(i) } -> std::convertible_to<typename S::Real>;              // of contacts only
    { cs.compliance(i) } -> std::convertible_to<typename S::Real>;            // c
    { cs.normal_block(i) } -> std::convertible_to<typename S::Real>;          // W_nn, without c
    { cs.tangent_block(i) } -> std::same_as<TangentBlock<typename S::Real>>;  // W_tt
    { cs.coupling_block(i) } -> std::same_as<Real2<typename S::Real>>;        // W_tn
    { cs.tangent_step(i) } -> std::convertible_to<typename S::Real>;          // step_of(lambda_max(W_tt))
    { cs.impulse(i) } -> std::same_as<Real3<typename S::Real>>;               // l_i
    { cs.normal_velocity(i) } -> std::convertible_to<typename S::Real>;       // v_n, without c l_n
    { cs.tangent_velocity(i) } -> std::same_as<Real2<typename S::Real>>;      // v_t
    s.add_normal(i, r);                                                       // l_n += r, and the velocities follow
    s.add_tangent(i, r2);                                                     // l_t += r2, and the velocities follow
    s.save();                                                                 // remembers l and the velocities, both
    s.restore();  // brings both back: after this, v = W l + b holds for the restored l
};

}  // namespace proxima::physics
