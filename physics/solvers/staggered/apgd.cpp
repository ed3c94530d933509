// SPDX-License-Identifier: MIT
// Accelerated projected gradient descent on the convex relaxation of Coulomb's law:
//     minimise f(l) = 1/2 l^T (W + C) l + q^T l   over the product of the cones |l_t| <= mu l_n,
// with the whole space in place of a cone for bilateral blocks.
// Its optimum has K* containing v: a contact that slides lifts off with v_n = mu |v_t|. Where everything sticks or
// opens, and where mu = 0, that is Coulomb's answer; where something slides, it is the price of convexity.
//
// Nesterov's momentum with two safeguards: the momentum is dropped when it points uphill (adaptive restart),
// and the curvature L is searched for instead of assumed. Contacts are measured in the metric d_i = the sum
// of the norms of block row i, one number a contact, so that the cones stay cones and W <= diag(d) bounds L
// by 1: a light body under a heavy one does not dictate the steps of all others.
#include <algorithm>
#include <cmath>
#include <vector>

#include "physics/contact/delassus.h"
#include "physics/solvers/iterate.h"
#include "physics/solvers/staggered/staggered.h"

namespace proxima::physics {

namespace {

constexpr double kFirstCurvature = 0.25;  // of the bound; found out by doubling, forgotten slowly
constexpr double kForget = 0.9;

class AcceleratedGradient {
  public:
    explicit AcceleratedGradient(DelassusSystem& system) : system_(&system), metric_(system.size()) {
        system.splitting_bounds(metric_);
        const size_t rows = 3 * size_t(system.size());
        for (uint32_t i = 0; i < system.size(); ++i) metric_[i] += system.compliance(i);
        for (auto* x : {&impulse_, &gradient_, &ahead_, &ahead_gradient_, &next_, &next_gradient_}) x->resize(rows);
    }

    /// One accepted step. The system holds the iterate (never the extrapolated point) before and after.
    /// `scale` multiplies the step length; when it changes, the caller has gone back to an older iterate.
    void step(double scale) {
        if (scale != scale_) restart(scale);
        curvature_ *= kForget;
        double change = 0.0, bend = 0.0;  // d^T D d and d^T (W + C) d for d = next - ahead
        for (;;) {
            descend(scale_ / curvature_);
            system_->set_impulses(next_);
            read(next_, next_gradient_);
            measure(change, bend);
            // f(next) <= f(ahead) + g^T d + L/2 |d|^2 is this, without the difference of two large numbers.
            if (!(bend > curvature_ * change) || curvature_ >= 1.0) break;
            curvature_ = std::min(1.0, 2.0 * curvature_);
        }
        extrapolate();
    }

  private:
    void restart(double scale) {
        scale_ = scale;
        theta_ = 1.0;
        for (uint32_t i = 0; i < system_->size(); ++i) {
            const Real3<double> l = system_->impulse(i);
            impulse_[3 * i] = l.n;
            impulse_[3 * i + 1] = l.t1;
            impulse_[3 * i + 2] = l.t2;
        }
        read(impulse_, gradient_);
        ahead_ = impulse_;
        ahead_gradient_ = gradient_;
    }

    /// (W + C) l + q of the impulses that the system holds.
    void read(const std::vector<double>& l, std::vector<double>& gradient) const {
        for (uint32_t i = 0; i < system_->size(); ++i) {
            const Real2<double> t = system_->tangent_velocity(i);
            gradient[3 * i] = system_->normal_velocity(i) + system_->compliance(i) * l[3 * i];
            gradient[3 * i + 1] = t.x;
            gradient[3 * i + 2] = t.y;
            if (!system_->is_bilateral(i)) continue;
            for (uint32_t r = 3 * i + 1; r < 3 * i + 3; ++r) gradient[r] += system_->compliance(i) * l[r];
        }
    }

    /// next = P_K(ahead - t D^-1 gradient); contacts that nothing can move keep what they have.
    void descend(double t) {
        for (uint32_t i = 0; i < system_->size(); ++i) {
            const double* y = &ahead_[3 * i];
            const double* g = &ahead_gradient_[3 * i];
            const double r = t * step_of(metric_[i]);
            Real3<double> x{y[0], y[1], y[2]};
            if (r > 0.0) {
                x = {y[0] - r * g[0], y[1] - r * g[1], y[2] - r * g[2]};
                if (!system_->is_bilateral(i)) x = project_cone(x, system_->friction(i));
            }
            next_[3 * i] = x.n;
            next_[3 * i + 1] = x.t1;
            next_[3 * i + 2] = x.t2;
        }
    }

    void measure(double& change, double& bend) const {
        change = bend = 0.0;
        for (size_t r = 0; r < next_.size(); ++r) {
            const double d = next_[r] - ahead_[r];
            change += metric_[r / 3] * d * d;
            bend += d * (next_gradient_[r] - ahead_gradient_[r]);
        }
    }

    void extrapolate() {
        double uphill = 0.0;
        for (size_t r = 0; r < next_.size(); ++r) uphill += ahead_gradient_[r] * (next_[r] - impulse_[r]);
        const double squared = theta_ * theta_;
        const double following = 0.5 * (theta_ * std::sqrt(squared + 4.0) - squared);
        double beta = theta_ * (1.0 - theta_) / (squared + following);
        theta_ = following;
        if (uphill > 0.0) {
            beta = 0.0;
            theta_ = 1.0;
        }
        // The gradient is linear in l: the extrapolated one costs no product with W.
        for (size_t r = 0; r < next_.size(); ++r) {
            ahead_[r] = next_[r] + beta * (next_[r] - impulse_[r]);
            ahead_gradient_[r] = next_gradient_[r] + beta * (next_gradient_[r] - gradient_[r]);
        }
        impulse_.swap(next_);
        gradient_.swap(next_gradient_);
    }

    DelassusSystem* system_;
    std::vector<double> metric_;              // d_i
    std::vector<double> impulse_, gradient_;  // the iterate, and (W + C) l + q there
    std::vector<double> ahead_, ahead_gradient_;
    std::vector<double> next_, next_gradient_;
    double curvature_ = kFirstCurvature, theta_ = 1.0;
    double scale_ = 0.0;  // none yet: the first step reads the system
};

}  // namespace

SolveReport apgd_matrix(DelassusSystem& system, const SolveSettings& settings) {
    if (system.has_bilateral()) return refuse_bilateral();
    AcceleratedGradient method(system);
    return iterate(system, Law{FrictionSet::disk, true}.with_bilateral(), settings, 0.5,
                   [&](double scale) { method.step(scale); });
}

}  // namespace proxima::physics
