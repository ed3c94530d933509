// SPDX-License-Identifier: MIT
#include "physics/contact/material.h"

#include <algorithm>
#include <cmath>

namespace proxima::physics {

float combine(float a, float b, Combine mode) {
    switch (mode) {
        case Combine::average:
            return 0.5f * (a + b);
        case Combine::minimum:
            return std::min(a, b);
        case Combine::maximum:
            return std::max(a, b);
        case Combine::multiply:
            return a * b;
        case Combine::geometric_mean:
            return a == b ? a : std::sqrt(a * b);  // exact for equal surfaces
    }
    return 0.0f;
}

float combine_friction(const Material& a, const Material& b) {
    return combine(a.friction, b.friction, std::max(a.friction_combine, b.friction_combine));
}

float combine_restitution(const Material& a, const Material& b) {
    return combine(a.restitution, b.restitution, std::max(a.restitution_combine, b.restitution_combine));
}

}  // namespace proxima::physics
