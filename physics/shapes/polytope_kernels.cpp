// SPDX-License-Identifier: MIT
#include "physics/shapes/polytope_kernels.h"

#include "engine/simd/simd_level.h"

namespace proxima::physics {

PX_DECLARE_LEVELS(PolytopeKernels, polytope_kernels_);

const PolytopeKernels& polytope_kernels() { return PX_PICK_LEVEL(polytope_kernels_); }

}  // namespace proxima::physics
