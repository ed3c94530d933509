// SPDX-License-Identifier: MIT
// What a step reports of its distance from the exact law, added up while it is solved and while results are stored.
// StepReport (report.h) says what the numbers mean.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "physics/report.h"

namespace proxima::physics {

struct MeasureSum {
    // Of the velocities that moved the bodies: the sum over points of their means over the sub-steps that were measured.
    double residual_sum = 0.0, residual_max = 0.0;
    // Of the velocities that the step ends with.
    double end_residual_sum = 0.0, end_residual_max = 0.0;
    double overlap_sum = 0.0, sag_sum = 0.0;        // m
    float overlap_max = 0.0f, sag_max = 0.0f;       // m
    float joint_error_max = 0.0f;                   // m
    float joint_residual_max = 0.0f;                // m/s
    uint32_t points = 0, overlaps = 0, loaded = 0;  // contact points

    /// Velocities at the end of what floats hold: as far from the law as can be said.
    static double finite(double residual) {
        return std::isfinite(residual) ? residual : double(std::numeric_limits<float>::max());
    }
    /// A point in one of the sub-steps that are measured, of which it counts for the given part.
    void add_substep(double residual, double part) {
        residual = finite(residual);
        residual_sum += part * residual;
        residual_max = std::max(residual_max, residual);
    }
    /// A point after the step. `loaded`: it ended the step with an impulse, which the next one begins with.
    void add_end(double residual, float separation, bool is_loaded) {
        residual = finite(residual);
        ++points;
        end_residual_sum += residual;
        end_residual_max = std::max(end_residual_max, residual);
        if (is_loaded) {
            ++loaded;
            sag_sum += std::abs(double(separation));
            sag_max = std::max(sag_max, std::abs(separation));
        }
        if (separation >= 0.0f) return;
        ++overlaps;
        overlap_sum -= double(separation);
        overlap_max = std::max(overlap_max, -separation);
    }
    void add(const MeasureSum& part) {
        residual_sum += part.residual_sum;
        residual_max = std::max(residual_max, part.residual_max);
        end_residual_sum += part.end_residual_sum;
        end_residual_max = std::max(end_residual_max, part.end_residual_max);
        overlap_sum += part.overlap_sum;
        overlap_max = std::max(overlap_max, part.overlap_max);
        sag_sum += part.sag_sum;
        sag_max = std::max(sag_max, part.sag_max);
        joint_error_max = std::max(joint_error_max, part.joint_error_max);
        joint_residual_max = std::max(joint_residual_max, part.joint_residual_max);
        points += part.points;
        overlaps += part.overlaps;
        loaded += part.loaded;
    }
    void report(StepReport& out) const {
        const auto mean = [](double sum, uint32_t count) { return count > 0 ? sum / count : 0.0; };
        out.measured_points = points;
        out.residual_mean = mean(residual_sum, points);
        out.residual_max = residual_max;
        out.end_residual_mean = mean(end_residual_sum, points);
        out.end_residual_max = end_residual_max;
        out.loaded_points = loaded;
        out.sag_mean = float(mean(sag_sum, loaded));
        out.sag_max = sag_max;
        out.penetration_mean = float(mean(overlap_sum, overlaps));
        out.penetration_max = overlap_max;
        out.joint_error_max = joint_error_max;
    }
};

}  // namespace proxima::physics
