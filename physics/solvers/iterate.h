// SPDX-License-Identifier: MIT
// The loop around the sweeps of every iterative solver: measuring, stopping, roll-back, history. Written
// once, so that no solver has its own idea of converged.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>

#include "physics/contact/residual.h"
#include "physics/contact/system.h"
#include "physics/solvers/solver.h"

namespace proxima::physics {

inline constexpr double kStepFloor = 1e-3;      // R >= 1e-3 R0: smaller steps only look like convergence
inline constexpr uint32_t kRefreshSweeps = 64;  // a stored v = W l + q is recomputed this often

/// The residual that settings.tolerance means for this kind of system; see solver.h.
template <ContactSystem S>
double stop_residual(const S& system, Law law, const SolveSettings& settings) {
    if constexpr (requires { system.q_norm(); })
        if (!settings.in_velocity_units) return relative_residual(system, law, system.q_norm());
    return measure_residual(system, law).max;
}

/// Watches the time limit of a solve.
class TimeLimit {
  public:
    explicit TimeLimit(const SolveSettings& settings)
        : seconds_(settings.time_limit), start_(seconds_ > 0.0 ? Clock::now() : Clock::time_point{}) {}
    bool passed() const {
        return seconds_ > 0.0 && std::chrono::duration<double>(Clock::now() - start_).count() >= seconds_;
    }

  private:
    using Clock = std::chrono::steady_clock;
    double seconds_;
    Clock::time_point start_;
};

/// Systems that keep v = W l + q redundantly remove the gathered rounding.
template <class S>
void refresh(S& system) {
    if constexpr (requires { system.refresh(); }) system.refresh();
}

/// Decides when sweeps have stopped to help. A healthy run is not monotone in any of the residuals. On recorded
/// problems without roll-back two kinds of excursions above the best residual were seen: short ones (under 25
/// sweeps) by up to 150 times, when contacts first feel each other, and long ones (up to 1200 sweeps, but
/// never longer than the run had needed to reach its best) by less than twice, when a contact slowly begins
/// to slide. Both end by themselves; taking them for divergence makes all later sweeps slower, or stalls the
/// run. So a run fails only
///   - when no new best has come for `patience` sweeps and for as long as it took to reach the best (an equal
///   residual is no new best: cycles have constant residuals), and the residual is not on its way down
///   either: from zero impulses with strong friction it often rises in the first sweeps and then needs more
///   than that to come below where it began. On its way down: the least of the second half of the waiting
///   time is at least 1 % below the least of the first; then the same is asked of the next half.
///   - when the residual is kBlowUp times the best, or not finite.
/// Patience 1 is the strict rule: every sweep must bring a new best.
class ProgressWatch {
  public:
    ProgressWatch(uint32_t patience, double first)
        : patience_(patience), max_patience_(kMaxPatience * patience), best_(first) {
        begin_waiting();
    }

    double best() const { return best_; }
    /// Takes the residual of a sweep; true when it is the best so far.
    bool is_best(double residual) {
        ++sweeps_;
        const bool better = residual < best_;
        if (better) {
            best_ = residual;
            best_at_ = sweeps_;
            begin_waiting();
        }
        failed_ = !(residual <= kBlowUp * best_);
        if (better) return true;
        late_ = std::min(late_, residual);
        if (sweeps_ < judged_at_) return false;
        failed_ = failed_ || patience_ <= 1 || !(late_ < kFalling * early_);
        wait_on(late_);
        return false;
    }
    bool failed() const { return failed_; }
    /// Starts counting again, from the best iterate with other steps. Where the last steps brought nothing
    /// the shorter ones get more time: they take longer over the same way.
    void restart() {
        if (best_at_ == 0 && patience_ > 1 && patience_ < max_patience_) patience_ *= kMorePatience;
        sweeps_ = best_at_ = 0;
        failed_ = false;
        begin_waiting();
    }

  private:
    static constexpr double kBlowUp = 1000.0, kFalling = 0.99;
    static constexpr uint32_t kMorePatience = 4, kMaxPatience = 16;
    static constexpr double kNone = std::numeric_limits<double>::infinity();

    void begin_waiting() { wait_on(kNone); }
    /// Judges again after half of the waiting time, by what it was before.
    void wait_on(double before) {
        early_ = before;
        late_ = kNone;
        judged_at_ = sweeps_ + (patience_ > 1 ? (patience_ + best_at_ + 1) / 2 : 1);
    }

    uint32_t patience_, max_patience_, sweeps_ = 0, best_at_ = 0, judged_at_ = 0;
    double best_, early_ = kNone, late_ = kNone;  // least residuals of the two halves
    bool failed_ = false;
};

/// What a solver reports that knows disks or boxes only, when a contact asks for more.
inline SolveReport refuse_extra() {
    SolveReport report;
    report.stop = StopReason::failed;
    report.note =
        "it knows one coefficient of friction a contact; ellipses, torsion and rolling are solved by prox_gs "
        "and "
        "prox_jacobi";
    return report;
}

/// What a solver reports that knows contacts only, when a block is bilateral.
inline SolveReport refuse_bilateral() {
    SolveReport report;
    report.stop = StopReason::failed;
    report.note =
        "it knows contacts only; bilateral blocks (ball joints) are solved by prox_gs, prox_jacobi, nncg, "
        "the "
        "Newton methods and others";
    return report;
}

/// Runs sweep(scale) until the settings say stop; scale in [kStepFloor, 1] multiplies the solver's step lengths.
/// `system` has save(), restore() and, when it keeps v redundantly, refresh(); measure() gives the residual.
///
/// Roll-back: the best iterate is kept. When the watch reports failure, impulses and velocities go back to it
/// together and the steps shrink by `shrink`; at the floor the next failure ends the run as stalled. It is
/// safe: a run either keeps finding new bests or uses up finitely many shrinks, and what is returned is never
/// worse than what came in.
template <class S, class Measure, class Sweep>
SolveReport run_sweeps(S& system, const SolveSettings& settings, double shrink, const Measure& measure, Sweep&& sweep) {
    SolveReport report;
    const TimeLimit limit(settings);
    if (!(settings.tolerance > 0.0) && !settings.rollback && !settings.history) {
        for (uint32_t k = 1; k <= settings.iterations; ++k) {
            sweep(1.0);
            report.iterations = k;
            if (k % kRefreshSweeps == 0) refresh(system);
            if (!limit.passed()) continue;
            report.stop = StopReason::time;
            break;
        }
        return report;
    }

    double residual = measure();
    if (settings.history) settings.history->push_back(residual);
    double scale = 1.0;
    ProgressWatch watch(settings.patience, residual);
    bool done = residual == 0.0 || residual <= settings.tolerance;
    if (done) report.stop = StopReason::tolerance;
    if (!std::isfinite(residual)) {  // no sweep turns a NaN into a number
        done = true;
        report.stop = StopReason::stalled;
    }
    if (!done && settings.rollback) system.save();

    while (!done && report.iterations < settings.iterations) {
        sweep(scale);
        ++report.iterations;
        if (report.iterations % kRefreshSweeps == 0) refresh(system);
        residual = measure();
        if (residual <= settings.tolerance) {
            refresh(system);  // what is called converged holds for the exact v
            residual = measure();
        }
        if (settings.history) settings.history->push_back(residual);
        if (residual == 0.0 || residual <= settings.tolerance) {
            report.stop = StopReason::tolerance;
            break;
        }
        if (limit.passed()) {
            report.stop = StopReason::time;
            break;
        }
        if (!settings.rollback) {
            if (std::isfinite(residual)) continue;
            report.stop = StopReason::stalled;
            break;
        }
        if (watch.is_best(residual)) system.save();
        if (!watch.failed()) continue;
        system.restore();
        residual = watch.best();
        ++report.rejected;
        if (scale <= kStepFloor) {
            report.stop = StopReason::stalled;
            break;
        }
        scale = std::max(kStepFloor, scale * shrink);
        watch.restart();
    }
    if (settings.rollback && residual > watch.best()) {
        system.restore();
        residual = watch.best();
    }
    report.residual = residual;
    return report;
}

/// The same for a contact system and the law that its solver obeys.
template <ContactSystem S, class Sweep>
SolveReport iterate(S& system, Law law, const SolveSettings& settings, double shrink, Sweep&& sweep) {
    if (!law.extra && has_extra(system)) return refuse_extra();
    if (!law.bilateral && system.has_bilateral()) return refuse_bilateral();
    return run_sweeps(
        system, settings, shrink, [&] { return stop_residual(system, law, settings); }, sweep);
}

}  // namespace proxima::physics
