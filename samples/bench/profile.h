// SPDX-License-Identifier: MIT
// Performance profiles (Dolan and More 2002): what share of a collection of problems each solver solves
// within tau times the cost of the best solver of that problem. Kept apart from measuring, so that it can be
// checked by hand.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace proxima::bench {

inline constexpr double kUnsolved = std::numeric_limits<double>::infinity();

/// cost[solver][problem]: a positive number, or kUnsolved. All rows have the same length.
using Costs = std::vector<std::vector<double>>;

/// r = cost / (least cost of that problem over all solvers), same shape; kUnsolved where there is no answer.
Costs performance_ratios(const Costs& cost);

/// A step function: `share` of all problems have r <= tau, from each tau to the next. Starts at tau = 1 and
/// rises; problems that nobody solves stay in the denominator.
struct Profile {
    std::vector<double> tau, share;

    double at(double where) const;  // 0 below the first tau
};
Profile make_profile(const std::vector<double>& ratios);

/// One number to rank by: the mean height of the profile over log(tau) from 1 to `widest`. 1: always the
/// fastest; 0: never within `widest` times the fastest.
double profile_score(const std::vector<double>& ratios, double widest);

}  // namespace proxima::bench
