// SPDX-License-Identifier: MIT
// Picks the narrowphase's kernels of the vector width in use.
#include "engine/simd/simd_level.h"
#include "physics/narrowphase/core_kernels.h"
#include "physics/narrowphase/sat_kernels.h"

namespace proxima::physics::detail {

PX_DECLARE_LEVELS(SatKernels, sat_kernels_);
PX_DECLARE_LEVELS(CoreKernels, core_kernels_);

const SatKernels& sat_kernels() { return PX_PICK_LEVEL(sat_kernels_); }
const CoreKernels& core_kernels() { return PX_PICK_LEVEL(core_kernels_); }

}  // namespace proxima::physics::detail
