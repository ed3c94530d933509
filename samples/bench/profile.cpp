// SPDX-License-Identifier: MIT
#include "samples/bench/profile.h"

#include <algorithm>
#include <cmath>

namespace proxima::bench {

Costs performance_ratios(const Costs& cost) {
    Costs ratios = cost;
    const size_t problems = cost.empty() ? 0 : cost.front().size();
    for (size_t p = 0; p < problems; ++p) {
        double best = kUnsolved;
        for (const std::vector<double>& row : cost) best = std::min(best, row[p]);
        for (std::vector<double>& row : ratios) row[p] = std::isfinite(row[p]) ? row[p] / best : kUnsolved;
    }
    return ratios;
}

Profile make_profile(const std::vector<double>& ratios) {
    std::vector<double> sorted;
    for (const double r : ratios)
        if (std::isfinite(r)) sorted.push_back(r);
    std::sort(sorted.begin(), sorted.end());
    Profile profile{{1.0}, {0.0}};
    for (size_t i = 0; i < sorted.size(); ++i) {
        const double share = double(i + 1) / double(ratios.size());
        if (sorted[i] > profile.tau.back()) {
            profile.tau.push_back(sorted[i]);
            profile.share.push_back(share);
        }
        profile.share.back() = share;  // of equal ratios the last one counts
    }
    return profile;
}

double Profile::at(double where) const {
    double value = 0.0;
    for (size_t i = 0; i < tau.size() && tau[i] <= where; ++i) value = share[i];
    return value;
}

double profile_score(const std::vector<double>& ratios, double widest) {
    if (ratios.empty()) return 0.0;
    double sum = 0.0;  // a problem at ratio r lifts the profile over log(r) .. log(widest)
    for (const double r : ratios)
        if (r < widest) sum += 1.0 - std::log(r) / std::log(widest);
    return sum / double(ratios.size());
}

}  // namespace proxima::bench
