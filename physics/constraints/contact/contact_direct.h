// SPDX-License-Identifier: MIT
// The kernels of contacts in a direct solve, one entry per number of points, 1 .. 4, at [points - 1].
#pragma once

#include "physics/solve/direct/direct_kernels.h"

namespace proxima::physics::direct {

struct ContactDirectKernels {
    DirectKernels points[4];
};
const ContactDirectKernels& contact_direct_kernels();

}  // namespace proxima::physics::direct
