// SPDX-License-Identifier: MIT
// The residual: how far impulses and velocities are from the contact law, the same for every solver. It measures
// the law itself (natural maps), never the change of an iterate, which is small for slow solvers as well as
// for good answers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "physics/contact/system.h"
#include "physics/solvers/ellipsoid.h"
#include "physics/solvers/friction_set.h"

namespace proxima::physics {

/// The law that an answer is measured by. Relaxed: the convex model, in which a sliding contact lifts off
/// with v_n = mu |v_t|; its natural map leaves out the shift that makes the cone Coulomb's.
struct Law {
    FrictionSet set = FrictionSet::disk;
    bool relaxed = false;
    bool extra = false;      // of a solver: it knows ellipses, torsion and rolling
    bool bilateral = false;  // of a solver: it knows bilateral blocks

    constexpr Law(FrictionSet friction = FrictionSet::disk, bool is_relaxed = false, bool knows_extra = false,
                  bool knows_bilateral = false)  // a set alone is a law
        : set(friction), relaxed(is_relaxed), extra(knows_extra), bilateral(knows_bilateral) {}
    /// The same law for a solver that knows bilateral blocks, which have no friction to choose a set for.
    constexpr Law with_bilateral() const { return {set, relaxed, extra, true}; }
};

/// What is wrong at one contact, in velocity units (m/s): zero exactly when the law holds.
struct ContactResidual {
    double normal = 0.0;     // |min(l_n (W_nn + c), v_n + c l_n)|: complementarity
    double tangent = 0.0;    // lambda_max |l_t - P_F(l_t - v_t/lambda_max)|: friction law
    double cone = 0.0;       // the part that the impulse is to blame for: distance of l to its cone, times W
    double sliding = 0.0;    // the part that is its direction: law error of the friction impulse moved into its set
    double bilateral = 0.0;  // |v + c l| of a bilateral block, which has none of the others

    double total() const { return std::max({normal, tangent, bilateral}); }
};

/// Over all contacts. Not-a-number anywhere makes max and mean infinite.
struct Residual {
    double max = 0.0;
    double mean = 0.0;
    double complementarity = 0.0;  // worst of each part
    double cone = 0.0;
    double sliding = 0.0;
    double bilateral = 0.0;
    uint32_t worst = 0;  // contact of `max`
};

namespace detail {

inline double finite_or_infinite(double x) {
    return x <= std::numeric_limits<double>::max() ? x : std::numeric_limits<double>::infinity();
}
inline double length(Real2<double> v) { return std::sqrt(v.x * v.x + v.y * v.y); }

/// One contact as residuals see it, in double whatever the system computes in; v_n includes c l_n.
struct ContactState {
    double mu, w_nn, w_t, l_n, v_n;
    Real2<double> l_t, v_t;
};
template <ContactSystem S>
ContactState state_of(const S& system, uint32_t i) {
    const auto l = system.impulse(i);
    const auto vt = system.tangent_velocity(i);
    const auto block = system.tangent_block(i);
    const double c = double(system.compliance(i));
    return {double(system.friction(i)),
            double(system.normal_block(i)) + c,
            largest_eigenvalue(TangentBlock<double>{double(block.t11), double(block.t12), double(block.t22)}),
            double(l.n),
            double(system.normal_velocity(i)) + c * double(l.n),
            {double(l.t1), double(l.t2)},
            {double(vt.x), double(vt.y)}};
}

/// The same for a bilateral block, whose compliance is that of all three rows: v_t includes c l_t.
template <ContactSystem S>
ContactState bilateral_state_of(const S& system, uint32_t i) {
    ContactState s = state_of(system, i);
    const double c = double(system.compliance(i));
    s.w_t += c;
    s.v_t = {s.v_t.x + c * s.l_t.x, s.v_t.y + c * s.l_t.y};
    return s;
}

/// |v + c l|. Out of line: the residual of contacts stays as it is.
template <ContactSystem S>
[[gnu::noinline]] double bilateral_error_of(const S& system, uint32_t i) {
    const ContactState s = bilateral_state_of(system, i);
    const double error = std::sqrt(s.v_n * s.v_n + s.v_t.x * s.v_t.x + s.v_t.y * s.v_t.y);
    // A sum is finite only when every term is.
    if (!std::isfinite(error + s.w_nn + s.w_t + s.l_n + s.l_t.x + s.l_t.y))
        return std::numeric_limits<double>::infinity();
    return s.w_nn > 0.0 || s.w_t > 0.0 ? error : 0.0;
}

}  // namespace detail

/// Nearest point of Coulomb's cone |r_t| <= mu r_n.
inline Real3<double> project_cone(Real3<double> z, double mu) {
    const double slip = std::sqrt(z.t1 * z.t1 + z.t2 * z.t2);
    if (z.n >= 0.0 && slip <= mu * z.n) return z;  // without friction the cone is a half line
    if (mu * slip <= -z.n) return {0.0, 0.0, 0.0};
    const double n = (z.n + mu * slip) / (1.0 + mu * mu);
    const double scale = slip > 0.0 ? mu * n / slip : 0.0;
    return {n, z.t1 * scale, z.t2 * scale};
}

/// The convex model at one contact: w |l - P_K(l - v / w)| with w the larger of W_nn and lambda_max(W_tt).
inline ContactResidual relaxed_residual(const detail::ContactState& s) {
    const double w = std::max(s.w_nn, s.w_t);
    if (!(w > 0.0)) return {};
    const Real3<double> p = project_cone({s.l_n - s.v_n / w, s.l_t.x - s.v_t.x / w, s.l_t.y - s.v_t.y / w}, s.mu);
    const Real3<double> inside = project_cone({s.l_n, s.l_t.x, s.l_t.y}, s.mu);
    ContactResidual r;
    r.normal = detail::finite_or_infinite(w * std::abs(s.l_n - p.n));
    r.tangent = detail::finite_or_infinite(w * detail::length({s.l_t.x - p.t1, s.l_t.y - p.t2}));
    r.cone = w * std::max(std::abs(s.l_n - inside.n), detail::length({s.l_t.x - inside.t1, s.l_t.y - inside.t2}));
    r.sliding = r.tangent;
    return r;
}

namespace detail {

/// The friction of a contact that is more than a disk: natural maps over the ellipsoid of tangents and
/// torsion, and over the disk of rolling. Angular rows come multiplied by their radius, so both are m/s.
inline void add_extra_residual(const ContactState& s, const ExtraState& x, ContactResidual& r) {
    // A sum is finite only when every term is; projections may swallow what is not a number.
    const double spins =
        x.impulse.n + x.impulse.t1 + x.impulse.t2 + x.velocity.n + x.velocity.t1 + x.velocity.t2 + x.across + x.torsion;
    if (!std::isfinite(spins)) {
        r.tangent = r.sliding = std::numeric_limits<double>::infinity();
        return;
    }
    const double l_n = std::max(0.0, s.l_n);
    const Axes3 radii{s.mu * l_n, x.across * l_n, x.torsion * l_n};
    const Axes3 l{s.l_t.x, s.l_t.y, x.impulse.n}, v{s.v_t.x, s.v_t.y, x.torsion > 0.0 ? x.velocity.n : 0.0};
    const auto distance = [](const Axes3& a, const Axes3& b) {
        return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
    };
    if (const double w = largest_eigenvalue(x.friction_block); w > 0.0) {
        const auto map = [&](const Axes3& at) {
            return w *
                   distance(at, project_ellipsoid<3>({at[0] - v[0] / w, at[1] - v[1] / w, at[2] - v[2] / w}, radii));
        };
        const Axes3 inside = project_ellipsoid(l, radii);
        r.tangent = map(l);
        r.sliding = map(inside);
        r.cone = std::max(r.cone, w * distance(l, inside));
    }
    const double w = x.rolls ? largest_eigenvalue(x.rolling_block) : 0.0;
    if (!(w > 0.0)) return;
    const Real2<double> roll{x.impulse.t1, x.impulse.t2}, turn{x.velocity.t1, x.velocity.t2};
    const auto map = [&](Real2<double> at) {
        const Real2<double> p = project_disk(Real2<double>{at.x - turn.x / w, at.y - turn.y / w}, l_n);
        return w * length({at.x - p.x, at.y - p.y});
    };
    const Real2<double> inside = project_disk(roll, l_n);
    r.tangent = std::max(r.tangent, map(roll));
    r.sliding = std::max(r.sliding, map(inside));
    r.cone = std::max(r.cone, w * length({roll.x - inside.x, roll.y - inside.y}));
}

}  // namespace detail

/// A contact between bodies that cannot move (no W) has no unknown: it counts as zero unless it is not a number.
template <ContactSystem S>
ContactResidual contact_residual(const S& system, uint32_t i, Law law = {}) {
    using detail::length;
    if (system.is_bilateral(i)) return {.bilateral = detail::bilateral_error_of(system, i)};
    const detail::ContactState s = detail::state_of(system, i);
    // A sum is finite only when every term is.
    const double sum = s.mu + s.w_nn + s.w_t + s.l_n + s.v_n + s.l_t.x + s.l_t.y + s.v_t.x + s.v_t.y;
    if (!std::isfinite(sum)) {
        const double inf = std::numeric_limits<double>::infinity();
        return {inf, inf, inf, inf};
    }
    if (law.relaxed) return relaxed_residual(s);
    const FrictionSet set = law.set;
    ContactResidual r;
    if (s.w_nn > 0.0) {
        r.normal = std::abs(std::min(s.l_n * s.w_nn, s.v_n));
        r.cone = s.w_nn * std::max(0.0, -s.l_n);
    }
    if (is_extra(system, i)) {
        detail::add_extra_residual(s, extra_state(system, i), r);
    } else if (s.w_t > 0.0) {
        const double radius = s.mu * std::max(0.0, s.l_n);
        const auto map = [&](Real2<double> l) {  // lambda_max |l - P(l - v/lambda_max)|
            const Real2<double> p = project(set, Real2<double>{l.x - s.v_t.x / s.w_t, l.y - s.v_t.y / s.w_t}, radius);
            return s.w_t * length({l.x - p.x, l.y - p.y});
        };
        const Real2<double> inside = project(set, s.l_t, radius);
        r.tangent = map(s.l_t);
        r.sliding = map(inside);
        r.cone = std::max(r.cone, s.w_t * length({s.l_t.x - inside.x, s.l_t.y - inside.y}));
    }
    return {detail::finite_or_infinite(r.normal), detail::finite_or_infinite(r.tangent),
            detail::finite_or_infinite(r.cone), detail::finite_or_infinite(r.sliding)};
}

template <ContactSystem S>
Residual measure_residual(const S& system, Law law = {}) {
    Residual total;
    const uint32_t n = system.size();
    double sum = 0.0;
    for (uint32_t i = 0; i < n; ++i) {
        const ContactResidual r = contact_residual(system, i, law);
        if (r.total() > total.max) {
            total.max = r.total();
            total.worst = i;
        }
        sum += r.total();
        total.complementarity = std::max(total.complementarity, r.normal);
        total.cone = std::max(total.cone, r.cone);
        total.sliding = std::max(total.sliding, r.sliding);
        total.bilateral = std::max(total.bilateral, r.bilateral);
    }
    total.mean = n ? sum / n : 0.0;
    return total;
}

/// The relative measure of stored problems: e = |r - P(r - rho u')| / max(|q|, tiny), rho = 1, over all
/// contacts. Disk: u' = u + mu |u_T| n and P the projection on Coulomb's cone, the natural map of the
/// bipotential. Box and ellipse: P acts on the normal and, with radius mu r_n, on the tangents, without
/// shift. Bilateral blocks: P is the identity, so what is left is u itself, with c l. `q_norm` is |q|, the
/// velocities without any impulse.
template <ContactSystem S>
double relative_residual(const S& system, Law law, double q_norm) {
    const uint32_t n = system.size();
    double sum = 0.0;
    for (uint32_t i = 0; i < n; ++i) {
        if (system.is_bilateral(i)) {
            const double error = detail::bilateral_error_of(system, i);
            sum += error * error;
            continue;
        }
        const detail::ContactState s = detail::state_of(system, i);
        Real3<double> p{};
        if (is_extra(system, i)) {
            const double l_n = std::max(0.0, s.l_n);
            const Real2<double> t = project_ellipse(Real2<double>{s.l_t.x - s.v_t.x, s.l_t.y - s.v_t.y}, s.mu * l_n,
                                                    extra_state(system, i).across * l_n);
            p = {std::max(0.0, s.l_n - s.v_n), t.x, t.y};
        } else if (law.set == FrictionSet::disk) {
            const double shifted = law.relaxed ? s.v_n : s.v_n + s.mu * detail::length(s.v_t);
            p = project_cone({s.l_n - shifted, s.l_t.x - s.v_t.x, s.l_t.y - s.v_t.y}, s.mu);
        } else {
            const Real2<double> t =
                project_box(Real2<double>{s.l_t.x - s.v_t.x, s.l_t.y - s.v_t.y}, s.mu * std::max(0.0, s.l_n));
            p = {std::max(0.0, s.l_n - s.v_n), t.x, t.y};
        }
        const double dn = s.l_n - p.n, d1 = s.l_t.x - p.t1, d2 = s.l_t.y - p.t2;
        // Projections may swallow a NaN (every comparison with it is false): add what they looked at times zero.
        sum += dn * dn + d1 * d1 + d2 * d2 + 0.0 * (s.l_n + s.v_n + s.l_t.x + s.l_t.y + s.v_t.x + s.v_t.y + s.mu);
    }
    return detail::finite_or_infinite(std::sqrt(sum) / std::max(q_norm, 1e-30));
}

}  // namespace proxima::physics
