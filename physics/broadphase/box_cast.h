// SPDX-License-Identifier: MIT
// A ray, or a box moved along one, and where it enters other boxes.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/core/math.h"
#include "physics/broadphase/proxy.h"

namespace proxima::physics {

/// The points origin + t displacement for t in [0, max_fraction]; with a box around them when lower and
/// upper, relative to the point, are not zero.
struct BoxCast {
    Vec3 origin{0.0f, 0.0f, 0.0f};
    Vec3 displacement{0.0f, 0.0f, 0.0f};
    float max_fraction = 1.0f;
    Vec3 lower{0.0f, 0.0f, 0.0f};
    Vec3 upper{0.0f, 0.0f, 0.0f};
};

/// A proxy on the way of a cast, and the fraction at which the cast reaches its box; 0 when it begins inside.
struct CastHit {
    ProxyId id = kNoProxy;
    float fraction = 0.0f;
};

/// A cast made ready for many boxes. In double precision, and generous by a little more than its rounding, so
/// that what touches exactly is not lost.
class CastTest {
  public:
    /// A part [begin, end] of the path; empty when begin > end.
    struct Part {
        double begin = 0.0;
        double end = -1.0;
    };

    explicit CastTest(const BoxCast& cast) : limit_(double(cast.max_fraction)) {
        for (int axis = 0; axis < 3; ++axis) {
            origin_[axis] = double(cast.origin[axis]);
            along_[axis] = double(cast.displacement[axis]);
            inverse_[axis] = 1.0 / along_[axis];
            lower_[axis] = double(cast.lower[axis]);
            upper_[axis] = double(cast.upper[axis]);
            valid_ &= std::isfinite(origin_[axis]) && std::isfinite(along_[axis]) && lower_[axis] <= upper_[axis];
        }
        valid_ &= limit_ >= 0.0;
    }

    /// Nothing is met by a cast with a NaN or an infinite path.
    bool is_valid() const { return valid_; }
    double limit() const { return limit_; }
    void set_limit(double limit) { limit_ = limit; }
    bool goes_up(int axis) const { return along_[axis] >= 0.0; }

    /// The part of the path on which the cast overlaps a box given by its bounds along x, y and z.
    template <class Bound>
    Part part_in(const Bound& lower, const Bound& upper) const {
        Part part{0.0, limit_};
        for (int axis = 0; axis < 3; ++axis) {
            const double from = double(lower[axis]) - upper_[axis] - origin_[axis];
            const double to = double(upper[axis]) - lower_[axis] - origin_[axis];
            const double slack = kSlack * (std::abs(origin_[axis]) + std::abs(along_[axis]));
            if (along_[axis] == 0.0) {
                if (!(from <= slack && to >= -slack)) return {};
                continue;
            }
            double begin = (from - slack) * inverse_[axis], end = (to + slack) * inverse_[axis];
            if (along_[axis] < 0.0) {
                begin = (to + slack) * inverse_[axis];
                end = (from - slack) * inverse_[axis];
            }
            // Written so that a NaN bound gives an empty part.
            part.begin = begin > part.begin ? begin : part.begin;
            part.end = end < part.end ? end : part.end;
            if (!(begin <= end) || !(part.begin <= part.end)) return {};
        }
        return part;
    }

    /// What the cast covers along one axis on a part of its path.
    void range_along(int axis, const Part& part, double& lowest, double& highest) const {
        const double at_begin = origin_[axis] + along_[axis] * part.begin;
        const double at_end = origin_[axis] + along_[axis] * part.end;
        const double slack = kSlack * (std::abs(origin_[axis]) + std::abs(along_[axis]));
        lowest = std::min(at_begin, at_end) + lower_[axis] - slack;
        highest = std::max(at_begin, at_end) + upper_[axis] + slack;
    }

  private:
    static constexpr double kSlack = 1.0e-14;

    double origin_[3] = {}, along_[3] = {}, inverse_[3] = {}, lower_[3] = {}, upper_[3] = {};
    double limit_ = 1.0;
    bool valid_ = true;
};

}  // namespace proxima::physics
