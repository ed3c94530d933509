// SPDX-License-Identifier: MIT
// Picks the loops of the vector width in use.
#include "samples/bench/roof_kernels.h"

namespace proxima::bench {

PX_DECLARE_LEVELS(RoofKernels, roof_kernels_);

const RoofKernels& roof_kernels() { return PX_PICK_LEVEL(roof_kernels_); }

}  // namespace proxima::bench
