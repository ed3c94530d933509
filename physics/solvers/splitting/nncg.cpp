// SPDX-License-Identifier: MIT
// Nonsmooth nonlinear conjugate gradients: Fletcher-Reeves over PROX Gauss-Seidel sweeps with the exact disk.
#include "physics/solvers/iterate.h"
#include "physics/solvers/splitting/disk_rows.h"
#include "physics/solvers/splitting/splitting.h"

namespace proxima::physics {

namespace {

/// A sweep S is taken for a gradient step on an unknown function: g = x - S(x). With y = S(x) of the
/// iteration before, one iteration is
///     beta = |g|^2 / |g_before|^2,   x <- y + beta p,   p <- beta p - g,   y <- S(x)
/// It ends with the sweep, not with the extrapolation, which may leave the friction sets: what is measured,
/// kept and returned always lies inside them. Where |g| has grown (beta > 1) the direction is forgotten and
/// the iteration is a plain sweep. There is no line search: it would cost as much as the sweep.
template <ContactSystem S>
class Conjugate {
    using Real = typename S::Real;

  public:
    Conjugate(S& system, const SolveSettings& settings)
        : system_(system),
          strategy_(settings.r_strategy),
          one_step_(global_step(system, settings)),
          bilateral_(system.has_bilateral()),
          order_(system, settings, 6 * size_t(system.size())) {}

    void operator()(double scale) {
        // Other steps are another map, and come after a roll-back: neither x nor p belongs to it.
        if (scale != scale_) fresh_ = true;
        scale_ = scale;
        extrapolate();
        sweep_disk(system_, order_, bilateral_, strategy_, Real(scale), one_step_);
        measure_gradient();
    }

  private:
    /// work: p (3n), then x (3n).
    Real* direction(uint32_t i) { return system_.scratch().work.data() + 3 * size_t(i); }
    Real* previous_point(uint32_t i) { return direction(i) + 3 * size_t(system_.size()); }

    void extrapolate() {
        const Real beta = Real(beta_);
        for (uint32_t i = 0; i < system_.size(); ++i) {
            const Real3<Real> l = system_.impulse(i);
            const Real y[3] = {l.n, l.t1, l.t2};
            Real *p = direction(i), *x = previous_point(i), step[3];
            for (int k = 0; k < 3; ++k) {
                step[k] = fresh_ || restart_ ? Real(0) : beta * p[k];
                p[k] = fresh_ || restart_ ? Real(0) : step[k] + (y[k] - x[k]);
                x[k] = y[k] + step[k];
            }
            if (step[0] != Real(0)) system_.add_normal(i, step[0]);
            if (step[1] != Real(0) || step[2] != Real(0)) system_.add_tangent(i, {step[1], step[2]});
        }
    }

    /// |g|^2 and with it beta; summed in double, since it is a number between runs of very different size.
    void measure_gradient() {
        double squared = 0.0;
        for (uint32_t i = 0; i < system_.size(); ++i) {
            const Real3<Real> l = system_.impulse(i);
            const Real* x = previous_point(i);
            const double n = double(l.n - x[0]), t1 = double(l.t1 - x[1]), t2 = double(l.t2 - x[2]);
            squared += n * n + t1 * t1 + t2 * t2;
        }
        beta_ = !fresh_ && gradient_ > 0.0 ? squared / gradient_ : 0.0;
        restart_ = !(beta_ <= 1.0);
        gradient_ = squared;
        fresh_ = false;
    }

    S& system_;
    RStrategy strategy_;
    Real one_step_;
    bool bilateral_;
    GroupOrder<S> order_;  // shuffled once: another order in every sweep would be another map
    double scale_ = 1.0, gradient_ = 0.0, beta_ = 0.0;
    bool fresh_ = true, restart_ = false;
};

template <ContactSystem S>
SolveReport solve(S& system, const SolveSettings& settings) {
    Conjugate<S> iteration(system, settings);
    return iterate(system, Law(FrictionSet::disk).with_bilateral(), settings, shrink_factor(settings.r_strategy),
                   [&](double scale) { iteration(scale); });
}

}  // namespace

SolveReport nncg_bodies(BodySystem& system, const SolveSettings& settings) { return solve(system, settings); }
SolveReport nncg_matrix(DelassusSystem& system, const SolveSettings& settings) { return solve(system, settings); }

}  // namespace proxima::physics
