// SPDX-License-Identifier: MIT
#include "physics/broadphase/box_sweep.h"

#include "engine/simd/simd_level.h"

namespace proxima::physics {

PX_DECLARE_LEVELS(SweepKernels, sweep_kernels_);

const SweepKernels& sweep_kernels() { return PX_PICK_LEVEL(sweep_kernels_); }

}  // namespace proxima::physics
