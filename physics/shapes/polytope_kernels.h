// SPDX-License-Identifier: MIT
// Searches over the vertices of a polytope, eight at a time. Every level gives the same bits.
#pragma once

#include "engine/core/math.h"

namespace proxima::physics {

struct PolytopeKernels {
    /// The least of dot(direction, v) over the vertices, which are about the centre.
    float (*least)(const float* vertex_blocks, int blocks, const Vec3& direction);
    /// The lowest index of a vertex where that is reached.
    int (*support)(const float* vertex_blocks, int blocks, const Vec3& direction);
    /// The box around the vertices turned by `rotation` (column major), about the centre.
    void (*extent)(const float* vertex_blocks, int blocks, const float* rotation, Aabb& out);
};

/// Those of the level in use.
const PolytopeKernels& polytope_kernels();

}  // namespace proxima::physics
