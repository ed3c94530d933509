// SPDX-License-Identifier: MIT
// FixedStep: turns the uneven time between frames into a whole number of equal simulation steps, and says how
// far the picture lies between the last two of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "engine/core/result.h"

namespace proxima::engine {

/// What to do for one frame.
struct FrameSteps {
    uint32_t steps = 0;            ///< simulation steps to do now
    float alpha = 0.0f;            ///< in [0, 1): show previous + alpha (current - previous) after the steps
    double dropped_seconds = 0.0;  ///< simulation time given up because the cap was reached
    bool bad_input = false;        ///< the elapsed time was negative or not finite and was counted as zero
};

/// When a frame asks for more steps than the cap, the rest is dropped instead of carried over: steps that take longer
/// than the time they simulate would otherwise make every next frame longer than the one before it.
class FixedStep {
  public:
    static constexpr double kDefaultStep = 1.0 / 60.0;
    static constexpr uint32_t kDefaultMaxSteps = 8;

    /// Length of a step in seconds: finite and above zero. The time not yet simulated is kept as far as it fits.
    Result<void> set_step_seconds(double seconds) {
        if (!(std::isfinite(seconds) && seconds > 0.0))
            return Error{"The fixed step is " + std::to_string(seconds) +
                         " s; it must be a finite number above zero, for instance 0.016667."};
        step_seconds_ = seconds;
        pending_ = std::fmod(pending_, seconds);
        return {};
    }
    /// Most steps in one frame, at least 1.
    Result<void> set_max_steps(uint32_t max_steps) {
        if (max_steps == 0) return Error{"The most steps per frame is 0; it must be at least 1."};
        max_steps_ = max_steps;
        return {};
    }
    /// Simulated seconds per real second: 1 is real time, 0.25 slow motion, 0 stands still.
    Result<void> set_time_scale(double scale) {
        if (!(std::isfinite(scale) && scale >= 0.0))
            return Error{"The time scale is " + std::to_string(scale) +
                         "; it must be a finite number, zero or above (1 is real time)."};
        time_scale_ = scale;
        return {};
    }
    /// While paused, time passes without effect and alpha stays where it is.
    void set_paused(bool paused) { paused_ = paused; }

    double step_seconds() const { return step_seconds_; }
    uint32_t max_steps() const { return max_steps_; }
    double time_scale() const { return time_scale_; }
    bool paused() const { return paused_; }
    /// Simulation time dropped since the last reset().
    double total_dropped_seconds() const { return total_dropped_; }

    /// Feeds the real time since the call before, in seconds.
    FrameSteps advance(double elapsed_seconds) {
        FrameSteps frame;
        frame.bad_input = !(std::isfinite(elapsed_seconds) && elapsed_seconds >= 0.0);
        if (!frame.bad_input && !paused_) {
            // A product beyond the largest double is as good as the largest double: nearly all of it is dropped.
            pending_ = std::min(pending_ + elapsed_seconds * time_scale_, std::numeric_limits<double>::max());
            take_steps(frame);
        }
        frame.alpha = alpha();
        return frame;
    }

    /// The interpolation weight of the moment, in [0, 1).
    float alpha() const {
        // The division stays below 1, but its rounding to float may reach it.
        return std::min(float(pending_ / step_seconds_), std::nextafter(1.0f, 0.0f));
    }

    /// Forgets time that was fed but not simulated, and what was dropped.
    void reset() {
        pending_ = 0.0;
        total_dropped_ = 0.0;
    }

  private:
    void take_steps(FrameSteps& frame) {
        // fmod is exact, so no rounding error enters the time that is carried over: 0 <= pending < step.
        const double rest = std::fmod(pending_, step_seconds_);
        const double whole = std::round((pending_ - rest) / step_seconds_);
        frame.steps = whole < double(max_steps_) ? uint32_t(whole) : max_steps_;
        if (whole > double(max_steps_)) {
            frame.dropped_seconds = pending_ - rest - double(max_steps_) * step_seconds_;
            total_dropped_ = std::min(total_dropped_ + frame.dropped_seconds, std::numeric_limits<double>::max());
        }
        pending_ = rest;
    }

    double step_seconds_ = kDefaultStep;
    uint32_t max_steps_ = kDefaultMaxSteps;
    double time_scale_ = 1.0;
    bool paused_ = false;
    double pending_ = 0.0;  // simulation time fed and not yet simulated
    double total_dropped_ = 0.0;
};

}  // namespace proxima::engine
