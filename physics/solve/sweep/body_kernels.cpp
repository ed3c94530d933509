// SPDX-License-Identifier: MIT
// Picks the body kernels of the vector width in use.
#include "engine/simd/simd_level.h"
#include "physics/constraints/block.h"

namespace proxima::physics::sweep {

PX_DECLARE_LEVELS(BodyKernels, body_kernels_);
const BodyKernels& body_kernels() { return PX_PICK_LEVEL(body_kernels_); }

}  // namespace proxima::physics::sweep
