// SPDX-License-Identifier: MIT
// What a step reports of its distance from the exact law, added up while results are stored.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "physics/report.h"

namespace proxima::physics {

struct MeasureSum {
    double residual_sum = 0.0, residual_max = 0.0;
    double overlap_sum = 0.0;
    float overlap_max = 0.0f;
    float joint_error_max = 0.0f;     // m
    float joint_residual_max = 0.0f;  // m/s
    uint32_t overlaps = 0;

    void add_point(float residual, float separation) {
        // Velocities at the end of what floats hold: as far from the law as can be said.
        if (!std::isfinite(residual)) residual = std::numeric_limits<float>::max();
        residual_sum += double(residual);
        residual_max = std::max(residual_max, double(residual));
        if (separation >= 0.0f) return;
        ++overlaps;
        overlap_sum -= double(separation);
        overlap_max = std::max(overlap_max, -separation);
    }
    void add(const MeasureSum& part) {
        residual_sum += part.residual_sum;
        residual_max = std::max(residual_max, part.residual_max);
        overlap_sum += part.overlap_sum;
        overlap_max = std::max(overlap_max, part.overlap_max);
        joint_error_max = std::max(joint_error_max, part.joint_error_max);
        joint_residual_max = std::max(joint_residual_max, part.joint_residual_max);
        overlaps += part.overlaps;
    }
    /// Into the report, of so many contact points.
    void report(uint32_t contacts, StepReport& out) const {
        out.residual_mean = contacts ? residual_sum / contacts : 0.0;
        out.residual_max = residual_max;
        out.penetration_mean = overlaps ? float(overlap_sum / overlaps) : 0.0f;
        out.penetration_max = overlap_max;
        out.joint_error_max = joint_error_max;
    }
};

}  // namespace proxima::physics
