// SPDX-License-Identifier: MIT
// What a tensor of inertia says about the motion of its body: asked by the step on the CPU and by the device.
#pragma once

#include <algorithm>
#include <cmath>

#include "engine/core/math.h"

namespace proxima::physics {

/// Whether a tensor is a multiple of the identity, within one part in a hundred thousand of its largest
/// moment: above the rounding of cooked cubes and balls, below what a spin shows in minutes. Such a tensor is
/// the same in every frame and has no gyroscopic torque. Asked of all three differences, so that the answer
/// does not depend on the order of the axes.
inline bool is_isotropic(const Sym3& m) {
    const float largest = std::max({m.xx, m.yy, m.zz}), least = std::min({m.xx, m.yy, m.zz});
    const float product = std::max({std::abs(m.xy), std::abs(m.xz), std::abs(m.yz)});
    return std::max(largest - least, product) <= 1e-5f * largest;
}

}  // namespace proxima::physics
