// SPDX-License-Identifier: MIT
#include "samples/bench/statistics.h"

#include <algorithm>
#include <cmath>

namespace proxima::bench {

namespace {

/// How long a scene is on its way down. Walls start touching; small structures are down after a second.
uint32_t fall_steps(std::string_view scene) {
    if (scene.starts_with("pyramid")) return 120;
    for (const std::string_view small : {"arch", "cards", "mass", "tower"})
        if (scene.starts_with(small)) return 60;
    return 240;
}

}  // namespace

Windows make_windows(std::string_view scene, uint32_t steps, uint32_t settled_from, uint32_t moving_bodies,
                     uint32_t asked_steps) {
    constexpr uint32_t kManyBodies = 1000, kTimedSteps = 720;
    Windows out;
    out.steps = asked_steps > 0 ? asked_steps : steps;
    // A run that is too short to settle is taken as settled in its second half.
    out.settled.begin = settled_from < out.steps ? settled_from : out.steps / 2;
    out.timed =
        moving_bodies > kManyBodies && out.settled.begin < kTimedSteps ? std::min(out.steps, kTimedSteps) : out.steps;
    out.settled.end = out.timed;
    out.fall = {0, std::min(fall_steps(scene), std::max(out.settled.begin, 1u))};
    return out;
}

Summary summarise(std::span<const double> series, Window window) {
    const size_t end = std::min<size_t>(window.end, series.size());
    if (window.begin >= end) return {};
    std::vector<double> sorted(series.begin() + window.begin, series.begin() + std::ptrdiff_t(end));
    std::sort(sorted.begin(), sorted.end());
    double sum = 0.0;
    for (const double value : sorted) sum += value;
    return {sum / double(sorted.size()), sorted[size_t(0.99 * double(sorted.size() - 1))]};
}

std::vector<double> per_step_minimum(std::span<const std::vector<double>> series) {
    std::vector<double> out;
    for (const std::vector<double>& one : series) {
        for (size_t i = 0; i < std::min(out.size(), one.size()); ++i) out[i] = std::min(out[i], one[i]);
        if (one.size() > out.size()) out.insert(out.end(), one.begin() + std::ptrdiff_t(out.size()), one.end());
    }
    return out;
}

double median(std::vector<double> values) {
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    const size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

double growth_exponent(std::span<const double> x, std::span<const double> y) {
    const size_t n = std::min(x.size(), y.size());
    double mean_x = 0.0, mean_y = 0.0;
    for (size_t i = 0; i < n; ++i) {
        mean_x += std::log(x[i]) / double(n);
        mean_y += std::log(y[i]) / double(n);
    }
    double covariance = 0.0, variance = 0.0;
    for (size_t i = 0; i < n; ++i) {
        covariance += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
        variance += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
    }
    return variance > 0.0 ? covariance / variance : 0.0;
}

}  // namespace proxima::bench
