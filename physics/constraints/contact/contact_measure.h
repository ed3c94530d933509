// SPDX-License-Identifier: MIT
// The kernels that measure contacts, one entry per number of points, 1 .. 4, at [points - 1].
#pragma once

#include "physics/constraints/contact/contact_block.h"
#include "physics/constraints/measure_kernels.h"

namespace proxima::physics::sweep {

struct ContactMeasureKernels {
    MeasureKernel measure[kMaxPoints];
};
const ContactMeasureKernels& contact_measure_kernels();

}  // namespace proxima::physics::sweep
