// SPDX-License-Identifier: MIT
// Picks the kernels of the vector width in use.
#include "engine/simd/simd_level.h"
#include "physics/solvers/wide/wide_blocks.h"

namespace proxima::physics::wide {

PX_DECLARE_LEVELS(ContactKernels, contact_kernels_);
PX_DECLARE_LEVELS(BodyKernels, body_kernels_);

const ContactKernels& contact_kernels() { return PX_PICK_LEVEL(contact_kernels_); }
const BodyKernels& body_kernels() { return PX_PICK_LEVEL(body_kernels_); }

}  // namespace proxima::physics::wide
