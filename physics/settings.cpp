// SPDX-License-Identifier: MIT
#include "physics/settings.h"

#include <algorithm>
#include <cmath>

#include "physics/limits.h"

namespace proxima::physics {

namespace {

struct Range {
    const char* name;
    double value;
    double low, high;
    const char* what;
};

std::string number(double x) {
    std::string text = std::to_string(x);
    while (text.size() > 1 && text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text;
}

}  // namespace

Result<void> check(const StepSettings& s) {
    if (!is_finite(s.gravity)) return Error{"gravity must be three finite numbers."};
    if (std::max({std::abs(s.gravity.x), std::abs(s.gravity.y), std::abs(s.gravity.z)}) > kMaxGravity)
        return Error{"gravity must be at most 1,000,000 m/s2."};
    const double big = 1e6;
    const Range ranges[] = {
        {"substeps", double(s.substeps), 1, 1000, "from 1 to 1000"},
        {"large_island_substeps", double(s.large_island_substeps), 1, 1000, "from 1 to 1000"},
        {"iterations", double(s.iterations), 1, big, "from 1 to 1000000"},
        {"relax_iterations", double(s.relax_iterations), 0, big, "from 0 to 1000000"},
        {"projection_passes", double(s.projection_passes), 0, 1000, "from 0 to 1000"},
        {"tolerance", s.tolerance, 0, big, "from 0 to 1000000"},
        {"time_limit", s.time_limit, 0, big, "from 0 to 1000000 s"},
        {"contact_hertz", s.contact_hertz, 0.1, 1e5, "from 0.1 to 100000 Hz"},
        {"contact_damping_ratio", s.contact_damping_ratio, 0, 1e4, "from 0 to 10000"},
        {"max_push_speed", s.max_push_speed, 0, big, "from 0 to 1000000 m/s"},
        {"speculative_distance", s.speculative_distance, 0, big, "from 0 to 1000000 m"},
        {"manifold_reuse_distance", s.manifold_reuse_distance, 0, big, "from 0 to 1000000 m"},
        {"projection_slop", s.projection_slop, 0, big, "from 0 to 1000000 m"},
        {"restitution_speed", s.restitution_speed, 0, big, "from 0 to 1000000 m/s"},
        {"hit_speed", s.hit_speed, 0, big, "from 0 to 1000000 m/s"},
        {"sleep_speed", s.sleep_speed, 0, big, "from 0 to 1000000 m/s"},
        {"sleep_time", s.sleep_time, 0, big, "from 0 to 1000000 s"},
    };
    for (const Range& r : ranges)
        if (!(r.value >= r.low && r.value <= r.high))  // catches NaN too
            return Error{std::string(r.name) + " is " + (std::isnan(r.value) ? "not a number" : number(r.value)) +
                         "; it must be " + r.what + "."};
    const double sweeps = double(s.substeps) * (double(s.iterations) + double(s.relax_iterations));
    if (sweeps > kMaxSweeps)
        return Error{"substeps times iterations and relax_iterations makes " + number(sweeps) +
                     " sweeps a step; it must be at most 100000."};
    if (s.stepping > Stepping::moreau_midpoint) return Error{"stepping must be semi_implicit or moreau_midpoint."};
    if (s.stabilisation > Stabilisation::none) return Error{"stabilisation must be soft, projection or none."};
    if (s.r_strategy > RStrategy::blocked) return Error{"r_strategy must be local, global or blocked."};
    if (!find_solver(s.solver)) {
        std::string known;
        for (const Solver& solver : solver_table()) known += (known.empty() ? "" : ", ") + std::string(solver.name);
        return Error{"There is no solver called '" + s.solver + "'; the solvers are " + known + "."};
    }
    return {};
}

}  // namespace proxima::physics
