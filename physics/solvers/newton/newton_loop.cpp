// SPDX-License-Identifier: MIT
#include "physics/solvers/newton/newton_loop.h"

#include <limits>
#include <vector>

#include "physics/solvers/iterate.h"
#include "physics/solvers/newton/linear_system.h"
#include "physics/solvers/solver_rows.h"

namespace proxima::physics::newton {

namespace {

// Line search: |F|^2 must fall by this part of what the slope promises, for one of the lengths 1, 1/2, 1/4,
// ... A step that needs shorter ones crawls along a kink, and another method goes on faster.
constexpr double kArmijo = 1e-4;
constexpr int kHalvings = 6, kNearHalvings = 8;
// |F| below this part of the velocities that cancel in it says nothing; of bodies, whose velocities are in
// single precision, the larger one, unless a tolerance asks for more.
constexpr double kRounding = 4e-16, kSingleRounding = 1e-6;

// Damping rho of the steps: in proportion to the residual, so that it dies out with it and convergence stays
// quadratic; the factor follows the success of the line searches.
constexpr double kDamping = 1.0, kMinDamping = 1e-1, kMaxDamping = 100.0, kDampingChange = 10.0;
constexpr double kMinRho = 1e-9, kMaxRho = 0.1;

// Nearby problems: weight of the spring to the centre, in parts of the diagonal of W.
constexpr double kSpring = 1.0, kMinSpring = 1e-6, kMaxSpring = 10.0, kSpringFall = 2.0, kSpringRise = 10.0;
constexpr uint32_t kNearSteps = 10, kQuickSteps = 3;
constexpr double kNearGain = 0.1;  // solved well enough to move the centre

// Steps that bring |F| down by less than a tenth in thirty creep towards a smallest |F| that is no answer:
// the map of a contact that jams (mu |W_nt| > W_nn) has one.
constexpr uint32_t kCreepSteps = 30;
constexpr double kCreep = 0.9;

constexpr uint32_t kFewSweeps = 10, kManySweeps = 320;
constexpr double kWorthwhile = 0.5;  // sweeps that bring the best residual down this far stay few

class Loop {
  public:
    Loop(DelassusSystem& system, const SolveSettings& settings, ContactMap (*map)(const detail::ContactState& state))
        : system_(system), settings_(settings), map_(map), limit_(settings), linear_(system) {
        const size_t n = system.size();
        l_.resize(3 * n);
        trial_.resize(3 * n);
        step_.resize(3 * n);
        maps_.resize(n);
    }

    /// Newton where it descends; where it does not, a nearby problem that it can solve; where that fails as
    /// well, sweeps, more of them each time until they help.
    SolveReport run() {
        residual_ = best_ = stop_residual(system_, FrictionSet::disk, settings_);
        if (settings_.history) settings_.history->push_back(residual_);
        if (!std::isfinite(residual_)) return finish(StopReason::stalled);  // no step turns NaN into a number
        if (reached()) return finish(StopReason::tolerance);
        system_.save();
        const bool single = settings_.in_velocity_units && !(settings_.tolerance > 0.0);
        const double rounding = single ? kSingleRounding : kRounding;
        uint32_t sweeps = kFewSweeps, steps = 0;
        double mark = std::numeric_limits<double>::infinity();  // |F| some steps ago
        while (!done()) {
            const double merit = start_step();
            if (merit <= rounding * scale_) {
                stop_ = StopReason::stalled;
                break;
            }
            const bool creeps = steps == kCreepSteps && merit > kCreep * mark;
            if (steps == kCreepSteps) steps = 0;
            if (steps++ == 0) mark = merit;
            if (!creeps && (newton_step(merit) || done() || nearby_problem() || done())) continue;
            steps = 0;
            const double before = best_;
            for (uint32_t k = 0; k < sweeps && !done(); ++k) {
                SolveSettings one;
                one.iterations = 1;
                one.rollback = false;
                prox_gs_matrix(system_, one);
                count();
            }
            sweeps = best_ < kWorthwhile * before ? kFewSweeps : std::min(kManySweeps, 2 * sweeps);
        }
        return finish(stop_);
    }

  private:
    bool reached() const { return residual_ == 0.0 || residual_ <= settings_.tolerance; }
    bool done() const { return stopped_ || report_.iterations >= settings_.iterations; }

    /// Reads the impulses into l_ and returns |F|; scale_ becomes the size of the velocities in it.
    double start_step() {
        double sum = system_.q_norm() * system_.q_norm();
        for (uint32_t i = 0; i < system_.size(); ++i) {
            const auto x = system_.impulse(i);
            l_[3 * i] = x.n;
            l_[3 * i + 1] = x.t1;
            l_[3 * i + 2] = x.t2;
            const double n = system_.normal_block(i) * x.n;
            sum += n * n;
        }
        scale_ = std::sqrt(sum);
        return evaluate(0.0);
    }

    /// |F| and its Jacobian for the impulses in the system, of the problem whose contacts are tied to
    /// centre_ by springs: v + spring D (l - centre) in place of v.
    double evaluate(double spring) {
        double sum = 0.0;
        for (uint32_t i = 0; i < system_.size(); ++i) {
            const bool bilateral = system_.is_bilateral(i);
            detail::ContactState s = bilateral ? detail::bilateral_state_of(system_, i) : detail::state_of(system_, i);
            if (spring > 0.0) {
                s.v_n += spring * s.w_nn * (s.l_n - centre_[3 * i]);
                s.v_t.x += spring * s.w_t * (s.l_t.x - centre_[3 * i + 1]);
                s.v_t.y += spring * s.w_t * (s.l_t.y - centre_[3 * i + 2]);
            }
            maps_[i] = bilateral ? bilateral_map(s) : map_(s);
            for (const double f : maps_[i].f) sum += f * f;
        }
        return std::sqrt(sum);
    }

    /// One step from l_, whose maps are evaluated, with back-tracking. Returns its length, 0 when none was
    /// good; l_ and the system then stand where they stood.
    double descend(double& merit, double rho, double spring, int halvings) {
        if (linear_.solve(maps_, rho, step_)) {
            double length = 1.0;
            for (int k = 0; k <= halvings; ++k, length *= 0.5) {
                for (size_t r = 0; r < l_.size(); ++r) trial_[r] = l_[r] + length * step_[r];
                system_.set_impulses(trial_);
                const double next = evaluate(spring);
                if (!(next * next <= (1.0 - 2.0 * kArmijo * length) * merit * merit)) continue;
                merit = next;
                l_.swap(trial_);
                return length;
            }
            system_.set_impulses(l_);
        }
        ++report_.rejected;
        return 0.0;
    }

    bool newton_step(double merit) {
        const double rho = std::clamp(damping_ * merit / scale_, kMinRho, kMaxRho);
        const double length = descend(merit, rho, 0.0, kHalvings);
        if (length == 1.0) damping_ = std::max(kMinDamping, damping_ / kDampingChange);
        if (length == 0.0) damping_ = std::min(kMaxDamping, damping_ * kDampingChange);
        count();
        return length > 0.0;
    }

    /// A step of the proximal point method: the problem with springs to where we stand is further from singular, and
    /// the same matrix W + rho D is its exact Jacobian, so that Newton finds its answer where it does not find ours.
    /// Moving the centre there again and again ends at ours. False when even that problem resists.
    bool nearby_problem() {
        centre_ = l_;
        const uint32_t begin = report_.iterations;
        const double first = evaluate(spring_);
        double merit = first;
        bool solved = false;
        for (uint32_t k = 0; k < kNearSteps && !solved && !done(); ++k) {
            const double length = descend(merit, spring_, spring_, kNearHalvings);
            count();
            if (length == 0.0) break;
            solved = merit <= kNearGain * first;
        }
        if (!solved)
            spring_ = std::min(kMaxSpring, spring_ * kSpringRise);
        else if (report_.iterations - begin <= kQuickSteps)
            spring_ = std::max(kMinSpring, spring_ / kSpringFall);
        return solved;
    }

    /// An iteration is over: measures it, keeps the best, decides whether to stop.
    void count() {
        ++report_.iterations;
        residual_ = stop_residual(system_, FrictionSet::disk, settings_);
        if (reached()) {
            system_.refresh();  // sweeps leave rounding in v; what is called converged holds for the exact v
            residual_ = stop_residual(system_, FrictionSet::disk, settings_);
        }
        if (settings_.history) settings_.history->push_back(residual_);
        if (residual_ < best_) {
            best_ = residual_;
            best_at_ = report_.iterations;
            system_.save();
        }
        stopped_ = true;
        if (reached())
            stop_ = StopReason::tolerance;
        else if (limit_.passed())
            stop_ = StopReason::time;
        else if (report_.iterations - best_at_ > std::max(2 * kManySweeps, best_at_))
            stop_ = StopReason::stalled;
        else
            stopped_ = false;
    }

    SolveReport finish(StopReason stop) {
        if (residual_ > best_) {
            system_.restore();
            residual_ = best_;
        }
        report_.stop = stop;
        report_.residual = residual_;
        return report_;
    }

    DelassusSystem& system_;
    const SolveSettings& settings_;
    ContactMap (*map_)(const detail::ContactState& state);
    TimeLimit limit_;
    LinearSystem linear_;
    std::vector<double> l_, trial_, step_, centre_;  // 3 per contact
    std::vector<ContactMap> maps_;
    SolveReport report_;
    StopReason stop_ = StopReason::iterations;
    bool stopped_ = false;
    uint32_t best_at_ = 0;
    double damping_ = kDamping, spring_ = kSpring, scale_ = 0.0, residual_ = 0.0, best_ = 0.0;
};

}  // namespace

SolveReport solve_newton(DelassusSystem& system, const SolveSettings& settings,
                         ContactMap (*map)(const detail::ContactState& state)) {
    if (has_extra(system)) return refuse_extra();
    return Loop(system, settings, map).run();
}

}  // namespace proxima::physics::newton
