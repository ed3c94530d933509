// SPDX-License-Identifier: MIT
// Searches over the vertices of a polytope, eight at a time. Every level gives the same bits.
#pragma once

#include "engine/core/math.h"
#include "engine/simd/simd_level.h"

namespace proxima::physics {

struct PolytopeKernels {
    /// The least of dot(direction, v) over the vertices, which are about the centre.
    float (*least)(const float* vertex_blocks, int blocks, const Vec3& direction);
    /// The lowest index of a vertex where that is reached.
    int (*support)(const float* vertex_blocks, int blocks, const Vec3& direction);
    /// The box around the vertices turned by `rotation` (column major), about the centre.
    void (*extent)(const float* vertex_blocks, int blocks, const float* rotation, Aabb& out);
};

extern const PolytopeKernels polytope_kernels_1;
#if PROXIMA_WIDEST_LANES >= 4
extern const PolytopeKernels polytope_kernels_4;
#endif
#if PROXIMA_WIDEST_LANES >= 8
extern const PolytopeKernels polytope_kernels_8;
#endif

/// Those of the level in use.
inline const PolytopeKernels& polytope_kernels() {
    const PolytopeKernels *four = nullptr, *eight = nullptr;
#if PROXIMA_WIDEST_LANES >= 4
    four = &polytope_kernels_4;
#endif
#if PROXIMA_WIDEST_LANES >= 8
    eight = &polytope_kernels_8;
#endif
    return engine::at_simd_level(&polytope_kernels_1, four, eight);
}

}  // namespace proxima::physics
