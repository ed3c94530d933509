// SPDX-License-Identifier: MIT
#include "physics/shapes/shape_checks.h"

#include <cmath>
#include <cstdio>

#include "physics/shapes/shape.h"

namespace proxima::physics::detail {

namespace {

// The sizes of one shape may differ by this factor at most: beyond it a float cannot hold both in one inertia tensor.
constexpr float kMaxSizeRatio = 1e6f;

}  // namespace

std::string number(float x) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", double(x));
    return text;
}

std::string check_size(const char* what, float x) {
    if (std::isnan(x)) return std::string(what) + " is not a number; it must be a positive length in metres.";
    if (std::isinf(x)) return std::string(what) + " is infinite; it must be a positive length in metres.";
    if (x <= 0.0f) return std::string(what) + " is " + number(x) + " m; it must be greater than zero.";
    if (x < kMinShapeSize || x > kMaxShapeSize)
        return std::string(what) + " is " + number(x) + " m; it must lie between 1e-6 m and 1e6 m.";
    return {};
}

std::string check_ratio(const char* what, float least, float greatest) {
    if (greatest <= kMaxSizeRatio * least) return {};
    return std::string("The largest and smallest sizes of the ") + what + ", " + number(greatest) + " m and " +
           number(least) + " m, differ by more than a million to one; make it thicker or shorter.";
}

}  // namespace proxima::physics::detail
