// SPDX-License-Identifier: MIT
#include "physics/broadphase/box_sweep.h"

#include "engine/simd/simd_level.h"

namespace proxima::physics {

extern const SweepKernels sweep_kernels_1;
#if PROXIMA_WIDEST_LANES >= 4
extern const SweepKernels sweep_kernels_4;
#endif
#if PROXIMA_WIDEST_LANES >= 8
extern const SweepKernels sweep_kernels_8;
#endif

const SweepKernels& sweep_kernels() {
    const SweepKernels *four = nullptr, *eight = nullptr;
#if PROXIMA_WIDEST_LANES >= 4
    four = &sweep_kernels_4;
#endif
#if PROXIMA_WIDEST_LANES >= 8
    eight = &sweep_kernels_8;
#endif
    return engine::at_simd_level(&sweep_kernels_1, four, eight);
}

}  // namespace proxima::physics
