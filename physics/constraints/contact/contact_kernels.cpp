// SPDX-License-Identifier: MIT
// Picks the contact kernels of the vector width in use.
#include "engine/simd/simd_level.h"
#include "physics/constraints/contact/contact_block.h"
#include "physics/constraints/contact/contact_direct.h"
#include "physics/constraints/contact/contact_measure.h"

namespace proxima::physics::sweep {

PX_DECLARE_LEVELS(ContactKernels, contact_kernels_);
const ContactKernels& contact_kernels() { return PX_PICK_LEVEL(contact_kernels_); }

PX_DECLARE_LEVELS(ContactMeasureKernels, contact_measure_kernels_);
const ContactMeasureKernels& contact_measure_kernels() { return PX_PICK_LEVEL(contact_measure_kernels_); }

}  // namespace proxima::physics::sweep

namespace proxima::physics::direct {

PX_DECLARE_LEVELS(ContactDirectKernels, contact_direct_kernels_);
const ContactDirectKernels& contact_direct_kernels() { return PX_PICK_LEVEL(contact_direct_kernels_); }

}  // namespace proxima::physics::direct
