// SPDX-License-Identifier: MIT
// Picks the kernels of the vector width in use.
#include "engine/simd/simd_level.h"
#include "physics/solvers/wide/wide_blocks.h"

namespace proxima::physics::wide {

extern const ContactKernels contact_kernels_1;
extern const BodyKernels body_kernels_1;
#if PROXIMA_WIDEST_LANES >= 4
extern const ContactKernels contact_kernels_4;
extern const BodyKernels body_kernels_4;
#endif
#if PROXIMA_WIDEST_LANES >= 8
extern const ContactKernels contact_kernels_8;
extern const BodyKernels body_kernels_8;
#endif

#if PROXIMA_WIDEST_LANES >= 8
#define PX_PICK(name) engine::at_simd_level(&name##1, &name##4, &name##8)
#elif PROXIMA_WIDEST_LANES >= 4
#define PX_PICK(name) engine::at_simd_level<decltype(name##1)>(&name##1, &name##4, nullptr)
#else
#define PX_PICK(name) engine::at_simd_level<decltype(name##1)>(&name##1, nullptr, nullptr)
#endif

const ContactKernels& contact_kernels() { return PX_PICK(contact_kernels_); }
const BodyKernels& body_kernels() { return PX_PICK(body_kernels_); }

}  // namespace proxima::physics::wide
