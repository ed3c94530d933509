// SPDX-License-Identifier: MIT
// Newton on the convex cone problem, made exact by an outer loop. With the centre c, the step r and the
// shift s = mu |v_t| frozen,
//     l(y) = P_K(c - r (v + s n)),   v = W y + q,   K = {|l_t| <= mu l_n},      y = l(y)
// says that a convex function of v is at its minimum, so that Newton with an exact line search always
// descends and ends. Its linear system (I + G W) d = l - y, G = -dl/dv >= 0, is regular whatever W is:
// contacts that share a load in many ways do no harm. The outer loop moves the centre to l (the answer then
// no longer depends on r) and renews s, De Saxce's correction, which makes the convex cone Coulomb's law.
#include <vector>

#include "physics/contact/delassus.h"
#include "physics/solvers/iterate.h"
#include "physics/solvers/newton/linear_system.h"
#include "physics/solvers/newton/newton.h"

namespace proxima::physics {

namespace {

using newton::ContactMap;
using newton::LinearSystem;

constexpr double kStep = 1e3;             // r in parts of 1/W_ii: the spring to the centre is a thousandth of W
constexpr double kInnerGain = 0.05;       // the convex problem is solved this far below the outer error
constexpr uint32_t kInnerSteps = 30;      // Newton steps for one convex problem
constexpr uint32_t kSearches = 12;        // evaluations of the line search
constexpr uint32_t kOuterPatience = 10;   // outer rounds without a new best before the shift moves more slowly
constexpr double kSingleRounding = 1e-6;  // of bodies, whose velocities are in single precision
constexpr double kMinRelaxation = 0.05, kRecovery = 1.2;

/// P_K and G = -dl/dv at z = c - r v, for one contact.
Real3<double> project_with_slope(Real3<double> z, double mu, double r, double (&g)[3][3]) {
    for (auto& row : g)
        for (double& x : row) x = 0.0;
    const double slip = std::sqrt(z.t1 * z.t1 + z.t2 * z.t2);
    if (mu > 0.0 && z.n >= 0.0 && slip <= mu * z.n) {
        for (int k = 0; k < 3; ++k) g[k][k] = r;
        return z;
    }
    if (mu * slip <= -z.n) return {0.0, 0.0, 0.0};
    const double n = (z.n + mu * slip) / (1.0 + mu * mu);
    const double e[2] = {slip > 0.0 ? z.t1 / slip : 1.0, slip > 0.0 ? z.t2 / slip : 0.0};
    const double ray[3] = {1.0, mu * e[0], mu * e[1]}, across[3] = {0.0, -e[1], e[0]};
    const double turn = slip > 0.0 ? mu * n / slip : 0.0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) g[i][j] = r * (ray[i] * ray[j] / (1.0 + mu * mu) + turn * across[i] * across[j]);
    return {n, mu * n * e[0], mu * n * e[1]};
}

/// The same for a bilateral block, whose cone is the whole space.
Real3<double> whole_space_with_slope(Real3<double> z, double r, double (&g)[3][3]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) g[i][j] = i == j ? r : 0.0;
    return z;
}

class ConeLoop {
  public:
    ConeLoop(DelassusSystem& system, const SolveSettings& settings)
        : system_(system), settings_(settings), limit_(settings), linear_(system), n_(system.size()) {
        for (std::vector<double>* v : {&y_, &l_, &centre_, &v_, &change_, &step_}) v->resize(3 * n_);
        shift_.resize(n_);
        r_.resize(n_);
        maps_.resize(n_);
        for (uint32_t i = 0; i < n_; ++i) {
            const detail::ContactState s = state_of(i);
            r_[i] = kStep * step_of(std::max(s.w_nn, s.w_t));
        }
    }

    SolveReport run() {
        residual_ = best_ = stop_residual(system_, FrictionSet::disk, settings_);
        if (settings_.history) settings_.history->push_back(residual_);
        if (!std::isfinite(residual_)) stop_ = StopReason::stalled;
        if (reached()) stop_ = StopReason::tolerance;
        if (stop_ != StopReason::iterations) return finish();
        system_.save();
        for (uint32_t i = 0; i < n_; ++i) {
            const auto x = system_.impulse(i);
            l_[3 * i] = x.n;
            l_[3 * i + 1] = x.t1;
            l_[3 * i + 2] = x.t2;
        }
        const bool single = settings_.in_velocity_units && !(settings_.tolerance > 0.0);
        while (!done()) {
            const double error = recentre();
            if (single && error <= kSingleRounding * system_.q_norm()) {
                stop_ = StopReason::stalled;
                break;
            }
            solve_convex(std::max(kInnerGain * error, 1e-300));
            if (best_at_round_ != best_) {
                best_at_round_ = best_;
                stalled_passes_ = 0;
                relaxation_ = std::min(1.0, kRecovery * relaxation_);
            } else if (++stalled_passes_ % kOuterPatience == 0) {
                // A shift that overshoots circles about the answer; a slower one spirals in.
                if (relaxation_ <= kMinRelaxation && stalled_passes_ > 20 * kOuterPatience && !stopped_) {
                    stopped_ = true;
                    stop_ = StopReason::stalled;
                }
                relaxation_ = std::max(kMinRelaxation, 0.5 * relaxation_);
            }
        }
        return finish();
    }

  private:
    bool reached() const { return residual_ == 0.0 || residual_ <= settings_.tolerance; }
    bool done() const { return stopped_ || report_.iterations >= settings_.iterations; }
    detail::ContactState state_of(uint32_t i) const {
        return system_.is_bilateral(i) ? detail::bilateral_state_of(system_, i) : detail::state_of(system_, i);
    }

    /// Moves the centre to l_, renews the shifts from the velocities there, starts y from it. Returns how far
    /// Coulomb's law is from holding, m/s.
    double recentre() {
        system_.set_impulses(l_);
        centre_ = y_ = l_;
        double sum = 0.0;
        for (uint32_t i = 0; i < n_; ++i) {
            const ContactResidual r = contact_residual(system_, i);
            if (system_.is_bilateral(i)) {  // nothing to shift
                sum += r.bilateral * r.bilateral;
                continue;
            }
            const double full = system_.friction(i) * detail::length(system_.tangent_velocity(i));
            shift_[i] += (started_ ? relaxation_ : 1.0) * (full - shift_[i]);
            sum += r.normal * r.normal + r.tangent * r.tangent;
        }
        started_ = true;
        return std::sqrt(sum);
    }

    void read_velocities(std::vector<double>& v) const {
        for (uint32_t i = 0; i < n_; ++i) {
            const detail::ContactState s = state_of(i);
            v[3 * i] = s.v_n;
            v[3 * i + 1] = s.v_t.x;
            v[3 * i + 2] = s.v_t.y;
        }
    }

    /// l_ for the velocities v_ + t change_; with `slopes` also the maps y - l for the linear system.
    void project_all(double t, bool slopes) {
        for (uint32_t i = 0; i < n_; ++i) {
            const size_t k = 3 * i;
            const double r = r_[i];
            double g[3][3];
            const auto at = [&](size_t c) { return v_[k + c] + t * change_[k + c]; };
            const Real3<double> z{centre_[k] - r * (at(0) + shift_[i]), centre_[k + 1] - r * at(1),
                                  centre_[k + 2] - r * at(2)};
            const Real3<double> l = system_.is_bilateral(i) ? whole_space_with_slope(z, r, g)
                                                            : project_with_slope(z, system_.friction(i), r, g);
            if (r > 0.0) {  // contacts that nothing can move keep what they have
                l_[k] = l.n;
                l_[k + 1] = l.t1;
                l_[k + 2] = l.t2;
            }
            if (!slopes) continue;
            ContactMap& m = maps_[i];
            m = {};
            for (size_t a = 0; a < 3; ++a) {
                m.f[a] = r > 0.0 ? y_[k + a] - l_[k + a] : 0.0;
                m.by_l[a][a] = 1.0;
                for (size_t b = 0; b < 3; ++b) m.by_v[a][b] = r > 0.0 ? g[a][b] : 0.0;
            }
        }
    }

    /// Slope of the convex function along the step, at length t: (y + t d - l) . W d.
    double slope(double t) {
        project_all(t, false);
        double sum = 0.0;
        for (size_t k = 0; k < l_.size(); ++k) sum += (y_[k] + t * step_[k] - l_[k]) * change_[k];
        return sum;
    }

    /// The slope only grows along a line, so that its zero is bracketed and found; 1 where a full step is good.
    double line_search() {
        const double first = slope(0.0);
        const double good = 0.1 * std::abs(first);
        double high = 1.0, high_slope = slope(1.0);
        if (!(high_slope > good)) return 1.0;
        double low = 0.0, low_slope = first;
        double t = 1.0;
        for (uint32_t k = 0; k < kSearches; ++k) {
            // Regula falsi, kept off the ends; the slope has kinks where contacts change their state.
            const double part = std::clamp(-low_slope / (high_slope - low_slope), 0.1, 0.9);
            t = low + part * (high - low);
            const double here = slope(t);
            if (std::abs(here) <= good) break;
            (here > 0.0 ? high : low) = t;
            (here > 0.0 ? high_slope : low_slope) = here;
        }
        return t;
    }

    void solve_convex(double target) {
        system_.set_impulses(y_);
        read_velocities(v_);
        std::fill(change_.begin(), change_.end(), 0.0);
        for (uint32_t k = 0; k < kInnerSteps && !done(); ++k) {
            project_all(0.0, true);
            if (!linear_.solve(maps_, 0.0, step_)) {
                stopped_ = true;
                stop_ = StopReason::failed;
                report_.note = "the linear system of a step could not be factorised";
                return;
            }
            trial_ = y_;
            for (size_t c = 0; c < y_.size(); ++c) trial_[c] += step_[c];
            system_.set_impulses(trial_);
            read_velocities(change_);
            for (size_t c = 0; c < v_.size(); ++c) change_[c] -= v_[c];
            const double t = line_search();
            for (size_t c = 0; c < y_.size(); ++c) y_[c] += t * step_[c];
            system_.set_impulses(y_);
            read_velocities(v_);
            project_all(0.0, false);
            double gap = 0.0;
            for (uint32_t i = 0; i < n_; ++i)
                for (size_t a = 3 * i; a < 3 * i + 3; ++a)
                    if (r_[i] > 0.0) gap += std::pow((y_[a] - l_[a]) * kStep / r_[i], 2);
            count();
            if (std::sqrt(gap) <= target) return;
        }
    }

    /// A Newton step is over: measures its l, keeps the best, decides whether to stop.
    void count() {
        ++report_.iterations;
        system_.set_impulses(l_);
        residual_ = stop_residual(system_, FrictionSet::disk, settings_);
        if (settings_.history) settings_.history->push_back(residual_);
        if (residual_ <= best_) {  // of equals the later one: contacts that nothing can move hide small gains
            best_ = residual_;
            system_.save();
        }
        stopped_ = true;
        if (reached())
            stop_ = StopReason::tolerance;
        else if (limit_.passed())
            stop_ = StopReason::time;
        else
            stopped_ = false;
    }

    SolveReport finish() {
        // Always the best: l in the middle of a convex problem is r times a velocity that is not yet zero.
        if (residual_ > best_) {
            system_.restore();
            residual_ = best_;
        }
        report_.stop = stop_;
        report_.residual = residual_;
        return report_;
    }

    DelassusSystem& system_;
    const SolveSettings& settings_;
    TimeLimit limit_;
    LinearSystem linear_;
    uint32_t n_;
    std::vector<double> y_, l_, centre_, v_, change_, step_, trial_;  // 3 per contact
    std::vector<double> shift_, r_;                                   // 1 per contact
    std::vector<ContactMap> maps_;
    SolveReport report_;
    StopReason stop_ = StopReason::iterations;
    bool stopped_ = false, started_ = false;
    uint32_t stalled_passes_ = 0;
    double relaxation_ = 1.0, residual_ = 0.0, best_ = 0.0, best_at_round_ = -1.0;
};

}  // namespace

SolveReport newton_cone_matrix(DelassusSystem& system, const SolveSettings& settings) {
    if (has_extra(system)) return refuse_extra();
    return ConeLoop(system, settings).run();
}

}  // namespace proxima::physics
