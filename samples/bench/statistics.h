// SPDX-License-Identifier: MIT
// The numbers that a series of measured steps is reduced to. Kept apart from measuring, so that each can be
// checked by hand.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace proxima::bench {

/// Steps [begin, end) of a run.
struct Window {
    uint32_t begin = 0, end = 0;
    uint32_t size() const { return end > begin ? end - begin : 0; }
};

/// Which steps of a run say what. `fall`: the scene is coming down; `settled`: it has. A run is judged at
/// `settled.begin` and after step `steps`; its times are taken up to `timed`.
struct Windows {
    Window fall, settled;
    uint32_t steps = 0;  // of the first repeat, which is the one that is judged
    uint32_t timed = 0;  // of the other repeats: the end of the settled window
};

/// The windows of a scene that says it runs for `steps` and is settled from `settled_from` on. Scenes with
/// more than a thousand moving bodies are timed up to step 720 only, which leaves time for more repeats.
/// `asked_steps` (0: not asked) shortens or lengthens the run.
Windows make_windows(std::string_view scene, uint32_t steps, uint32_t settled_from, uint32_t moving_bodies,
                     uint32_t asked_steps);

struct Summary {
    double mean = 0.0, p99 = 0.0;
};

/// Mean and 99th percentile of the steps of a window; zeros when the window is empty.
Summary summarise(std::span<const double> series, Window window);

/// Step i of the result is the smallest value of step i over all series that are long enough. A deterministic
/// engine does the same work in step i of every repeat, so that what is above the minimum is the machine's.
std::vector<double> per_step_minimum(std::span<const std::vector<double>> series);

/// The value in the middle, or the mean of the two there; 0 of nothing.
double median(std::vector<double> values);

/// Slope of log(y) over log(x) by least squares: 1 when y grows in proportion to x. Needs two points or more.
double growth_exponent(std::span<const double> x, std::span<const double> y);

}  // namespace proxima::bench
