// SPDX-License-Identifier: MIT
// What the cooking of all shapes checks, and the sentences for it. Internal to physics/shapes.
#pragma once

#include <string>

namespace proxima::physics::detail {

/// "0.25", "nan".
std::string number(float x);

/// Empty when `x` is a usable length, else the sentence that says why not.
std::string check_size(const char* what, float x);

/// The same for the smallest and the largest size of one shape.
std::string check_ratio(const char* what, float least, float greatest);

}  // namespace proxima::physics::detail
