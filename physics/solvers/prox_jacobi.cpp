// SPDX-License-Identifier: MIT
// PROX Jacobi with the friction disk: all contacts or all manifolds read, then all write, each pass from an
// extrapolated iterate. The form that runs on wide machines, and the oracle for them. Contacts with ellipses,
// torsion or rolling as well (extra_friction.h), and bilateral blocks (bilateral_rows.h).
#include <algorithm>

#include "physics/contact/delassus.h"
#include "physics/contact/problem.h"
#include "physics/solvers/bilateral_rows.h"
#include "physics/solvers/extra_friction.h"
#include "physics/solvers/friction_set.h"
#include "physics/solvers/iterate.h"
#include "physics/solvers/manifold_pass.h"
#include "physics/solvers/momentum.h"
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

/// Of a bilateral block: one denominator for its three rows; blocked, how far its own block is stretched.
template <class S, class Real = typename S::Real>
Denominators<Real> bilateral_denominators(const S& system, uint32_t i, Real bound, RStrategy strategy) {
    if (!is_movable(system, i)) return {Real(0), Real(0)};
    const Real largest = std::max(system.normal_block(i), largest_eigenvalue(system.tangent_block(i)));
    if (strategy == RStrategy::blocked) return {Real(0), std::max(Real(1), bound * step_of(largest))};
    const Real d = strategy == RStrategy::global ? bound : bound + system.compliance(i);
    return {d, d};
}

/// What one pass makes of a bilateral block.
template <ContactSystem S, class Real = typename S::Real>
void pass_bilateral(const S& system, uint32_t i, const Denominators<Real>& d, RStrategy strategy, Real scale,
                    Real* into) {
    const Real3<Real> l = system.impulse(i), error = bilateral_error(system, i);
    Real3<Real> x;
    if (strategy == RStrategy::blocked) {
        x = solve_bilateral(bilateral_block(system, i, double(d.tangent)), error, scale);
    } else {
        const Real r = scale * step_of(d.normal);
        x = {-r * error.n, -r * error.t1, -r * error.t2};
    }
    into[0] = l.n + x.n;
    into[1] = l.t1 + x.t1;
    into[2] = l.t2 + x.t2;
}

/// What one pass makes of a contact with extra friction: normal, tangents, torsion, rolling. Its
/// blocks are those of extra_bounds, solved exactly, so that W <= blockdiag holds for its angular rows too.
template <ContactSystem S, class Real = typename S::Real>
void pass_extra(const S& system, uint32_t i, Real bound, Real scale, Real* into, Real* spin) {
    const auto l = system.impulse(i);
    const ExtraState x = system.extra_bounds(i, bound);
    const Real c = system.compliance(i);
    const Real vn = system.normal_velocity(i) + c * l.n;
    const Real next_n =
        system.normal_block(i) > Real(1e-30) ? std::max(Real(0), l.n - scale * step_of(bound + c) * vn) : l.n;
    const double l_n = std::max(0.0, double(next_n)), stretch = 1.0 / double(scale);
    const Axes3 next = solve_extra_friction(x, double(system.friction(i)), l, system.tangent_velocity(i), l_n, stretch);
    const Real2<double> roll =
        x.rolls ? solve_extra_rolling(x, l_n, stretch) : Real2<double>{x.impulse.t1, x.impulse.t2};
    into[0] = next_n;
    into[1] = Real(next[0]);
    into[2] = Real(next[1]);
    spin[0] = Real(next[2]);
    spin[1] = Real(roll.x);
    spin[2] = Real(roll.y);
}

/// What a pass makes of a contact whose friction is a disk.
template <class S, class Real = typename S::Real>
void pass_contact(const S& system, uint32_t i, const Denominators<Real>& d, RStrategy strategy, Real scale,
                  Real* found) {
    const auto l = system.impulse(i);
    const Real2<Real> v = system.tangent_velocity(i);
    const Real vn = system.normal_velocity(i) + system.compliance(i) * l.n;
    const Real next_n = std::max(Real(0), l.n - scale * step_of(d.normal) * vn);
    // The radius follows the new normal impulse of this very contact: known without asking others, and it keeps every
    // iterate inside its cone.
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
    found[0] = next_n;
    found[1] = next.x;
    found[2] = next.y;
}

template <ContactSystem S>
SolveReport solve(S& system, const SolveSettings& settings) {
    using Real = typename S::Real;
    const uint32_t n = system.size();
    const bool extra = has_extra(system), bilateral = system.has_bilateral();
    // The one number of the global strategy knows nothing of angular rows.
    const RStrategy strategy =
        extra && settings.r_strategy == RStrategy::global ? RStrategy::local : settings.r_strategy;
    const Real global = strategy == RStrategy::global ? estimate_largest_eigenvalue(system) : Real(0);

    // work: denominators of normals (n) and tangents (n), then the impulses that a pass finds (3n), and for
    // contacts with extra friction their bounds (n) and those of their angular rows (3n).
    auto& work = system.scratch().work;
    const size_t wanted = (extra ? 9 : 5) * size_t(n);
    if (work.size() < wanted) work.resize(wanted);
    Real* normal = work.data();
    Real* tangent = work.data() + n;
    Real* found = work.data() + 2 * size_t(n);
    if (strategy == RStrategy::global)
        std::fill(normal, normal + n, global);
    else
        system.splitting_bounds(std::span<Real>(normal, n));
    Real* bound = work.data() + 5 * size_t(n);
    Real* spin = work.data() + 6 * size_t(n);
    if (extra) std::copy(normal, normal + n, bound);
    for (uint32_t i = 0; i < n; ++i) {
        const Denominators<Real> d = bilateral && system.is_bilateral(i)
                                         ? bilateral_denominators(system, i, normal[i], strategy)
                                         : denominators(system, i, normal[i], strategy);
        normal[i] = d.normal;
        tangent[i] = d.tangent;
    }

    Momentum momentum(settings, strategy);
    return iterate(system, Law(FrictionSet::disk, false, true).with_bilateral(), settings, shrink_factor(strategy),
                   [&](double step_scale) {
                       const Real scale = Real(step_scale);
                       momentum.begin_sweep(system, step_scale);
                       for (uint32_t i = 0; i < n; ++i) {
                           if (bilateral && system.is_bilateral(i)) {
                               pass_bilateral(system, i, Denominators<Real>{normal[i], tangent[i]}, strategy, scale,
                                              found + 3 * size_t(i));
                               continue;
                           }
                           if (extra && system.is_extra(i)) {
                               pass_extra(system, i, bound[i], scale, found + 3 * size_t(i), spin + 3 * size_t(i));
                               continue;
                           }
                           pass_contact(system, i, Denominators<Real>{normal[i], tangent[i]}, strategy, scale,
                                        found + 3 * size_t(i));
                       }
                       momentum.end_sweep(system);
                       // Each body receives its contacts in their order, whatever computed the changes.
                       for (uint32_t i = 0; i < n; ++i) {
                           const auto l = system.impulse(i);
                           const Real* to = found + 3 * size_t(i);
                           if (to[0] != l.n) system.add_normal(i, to[0] - l.n);
                           if (to[1] != l.t1 || to[2] != l.t2) system.add_tangent(i, {to[1] - l.t1, to[2] - l.t2});
                           if (!extra || !system.is_extra(i) || system.is_bilateral(i)) continue;
                           const Real3<double> s = system.extra_state(i).impulse;
                           system.add_spin(i, {Real(spin[3 * i] - s.n), Real(spin[3 * i + 1] - s.t1),
                                               Real(spin[3 * i + 2] - s.t2)});
                       }
                   });
}

/// Whether the passes can be over manifolds: what they need is written at JacobiBlocks.
bool by_manifolds(const BodySystem& system, const SolveSettings& settings) {
    if (settings.jacobi_blocks != JacobiBlocks::manifolds || settings.r_strategy != RStrategy::local ||
        has_extra(system))
        return false;
    for (uint32_t g = 0; g < system.group_count(); ++g) {
        const ContactGroup group = system.group(g);
        const Contact& first = system.contact(group.begin);
        for (uint32_t i = group.begin + 1; i < group.end; ++i)
            if (system.contact(i).a != first.a || system.contact(i).b != first.b) return false;
    }
    return true;
}

/// A group that may have bilateral blocks: the contacts between two of them are swept together.
template <class RowOf, class StepsOf, class LambdaOf>
[[gnu::noinline]] void sweep_mixed_manifold(const BodySystem& system, const ContactGroup& group, ManifoldBodies& bodies,
                                            float scale, const RowOf& row, const StepsOf& steps,
                                            const LambdaOf& lambda) {
    for (uint32_t i = group.begin; i < group.end;) {
        if (system.is_bilateral(i)) {
            relax_bilateral(row(i), system.bias(i), bodies, scale, lambda(i));
            ++i;
            continue;
        }
        uint32_t end = i + 1;
        while (end < group.end && !system.is_bilateral(end)) ++end;
        sweep_manifold(i, end, bodies, scale, row, steps, lambda);
        i = end;
    }
}

SolveReport solve_manifolds(BodySystem& system, const SolveSettings& settings) {
    const uint32_t n = system.size(), groups = system.group_count();
    const bool bilateral = system.has_bilateral();
    BodySystem::Scratch& scratch = system.scratch();
    system.count_groups();
    const std::vector<uint32_t>& count = scratch.body_count;
    if (scratch.work.size() < 2 * size_t(n)) scratch.work.resize(2 * size_t(n));
    float* steps = scratch.work.data();  // of normals and tangents
    std::vector<Vec3>& next = scratch.lambda_next;
    if (next.size() < n) next.resize(n);
    for (uint32_t i = 0; i < n; ++i) {
        const Contact& c = system.contact(i);
        const ManifoldSteps s =
            manifold_steps(c, system.inverse_mass(c.a), system.inverse_mass(c.b), float(count[c.a]), float(count[c.b]));
        steps[2 * i] = s.normal;
        steps[2 * i + 1] = s.tangent;
    }

    Momentum momentum(settings, RStrategy::local);
    return iterate(
        system, Law(FrictionSet::disk, false, true).with_bilateral(), settings, shrink_factor(RStrategy::local),
        [&](double step_scale) {
            const float scale = float(step_scale);
            momentum.begin_sweep(system, step_scale);
            for (uint32_t g = 0; g < groups; ++g) {
                const ContactGroup group = system.group(g);
                const Contact& first = system.contact(group.begin);
                ManifoldBodies bodies(system.velocity(first.a), system.velocity(first.b), system.inverse_mass(first.a),
                                      system.inverse_mass(first.b), float(count[first.a]), float(count[first.b]));
                const auto row = [&](uint32_t i) -> const Contact& { return system.contact(i); };
                const auto steps_of = [&](uint32_t i) { return ManifoldSteps{steps[2 * i], steps[2 * i + 1]}; };
                const auto lambda = [&](uint32_t i) -> Vec3& { return next[i]; };
                for (uint32_t i = group.begin; i < group.end; ++i) lambda(i) = system.contact(i).lambda;
                if (bilateral)
                    sweep_mixed_manifold(system, group, bodies, scale, row, steps_of, lambda);
                else
                    sweep_manifold(group.begin, group.end, bodies, scale, row, steps_of, lambda);
            }
            momentum.end_sweep(system);
            // Each body receives its contacts in their order, whatever computed the changes.
            for (uint32_t i = 0; i < n; ++i) {
                const Vec3 change = next[i] - system.contact(i).lambda;
                if (change.x != 0.0f) system.add_normal(i, change.x);
                if (change.y != 0.0f || change.z != 0.0f) system.add_tangent(i, {change.y, change.z});
            }
        });
}

}  // namespace

SolveReport prox_jacobi_bodies(BodySystem& system, const SolveSettings& settings) {
    return by_manifolds(system, settings) ? solve_manifolds(system, settings) : solve(system, settings);
}
SolveReport prox_jacobi_matrix(DelassusSystem& system, const SolveSettings& settings) {
    return solve(system, settings);
}

}  // namespace proxima::physics
