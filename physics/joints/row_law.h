// SPDX-License-Identifier: MIT
// What a row of a joint wants in a sub-step, and what it may give for that: the same for every solver.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/contact/softness.h"
#include "physics/joints/joint_row.h"

namespace proxima::physics {

/// J v + bias + compliance l = 0, with an impulse l between two bounds; where a bound is met less (lowest) or more (highest)
/// would be wanted.
struct RowAim {
    double bias = 0.0;                   // m/s or rad/s
    double compliance = 0.0;             // (m/s) per (N s)
    double lowest = 0.0, highest = 0.0;  // N s or N m s
    double end = 0.0;                    // where the coordinate is to be at the end of the sub-step
    double error = 0.0;                  // of what is rigid: how far the coordinate is from where it may be
    bool keeps_place = false;            // rigid: positions have to obey
    bool closed = true;                  // of a limit: whether it is reached
};

inline double wrap_angle(double angle) { return std::remainder(angle, 2.0 * 3.14159265358979323846); }

/// The difference of two values of a coordinate.
inline double coordinate_difference(JointAxis axis, double value, double target) {
    return is_turn(axis) && !is_counted(axis) ? wrap_angle(value - target) : value - target;
}

/// `response`: what an impulse of the row does to its own speed, J M^-1 J^T.
inline RowAim aim_of(const JointRow& row, double value, double response, double h) {
    RowAim aim;
    const double most = double(row.max_force) * h;
    aim.lowest = -most;
    aim.highest = most;
    aim.end = value;
    const auto make_soft = [&](double error) {
        const SoftContact soft = make_soft_contact(row.hertz, row.damping_ratio, float(h));
        aim.bias = double(soft.push_rate) * error;
        aim.compliance = double(soft.compliance_factor) * response;
    };
    if (row.law == JointLaw::motor) {
        if (row.rigid())
            aim.bias = -double(row.speed);
        else
            make_soft(coordinate_difference(row.axis, value, double(row.lower)));
        return aim;
    }
    if (row.law == JointLaw::locked || !(row.lower < row.upper)) {
        aim.keeps_place = row.rigid();
        const double error = coordinate_difference(row.axis, value, double(row.lower));
        if (row.rigid())
            aim.error = error;
        else
            make_soft(error);
        return aim;
    }
    const double above = value - double(row.lower), below = double(row.upper) - value;
    const bool is_lower = above <= below;
    const double gap = std::min(above, below), sign = is_lower ? 1.0 : -1.0;
    (is_lower ? aim.lowest : aim.highest) = 0.0;
    aim.closed = gap <= 0.0;
    if (row.rigid()) {
        aim.bias = sign * std::max(gap, 0.0) / h;
        aim.end = gap > 0.0 ? double(is_lower ? row.lower : row.upper) : value;
        aim.error = sign * std::min(gap, 0.0);
        aim.keeps_place = true;
    } else if (gap < 0.0) {
        make_soft(sign * gap);
    } else {
        aim.lowest = aim.highest = 0.0;
    }
    return aim;
}

}  // namespace proxima::physics
