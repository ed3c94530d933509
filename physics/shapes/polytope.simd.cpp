// SPDX-License-Identifier: MIT
#include "physics/shapes/block_search.h"
#include "physics/shapes/polytope_kernels.h"

namespace proxima::physics {

namespace {

using namespace PX_LEVEL_NAMESPACE;

float least(const float* blocks, int count, const Vec3& d) { return min_along(blocks, count, d.x, d.y, d.z); }

int support(const float* blocks, int count, const Vec3& d) {
    return first_along(blocks, count, d.x, d.y, d.z, min_along(blocks, count, d.x, d.y, d.z));
}

void extent(const float* blocks, int count, const float* m, Aabb& out) {
    Lanes low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        const Lanes x(m[k]), y(m[3 + k]), z(m[6 + k]);
        low[k] = high[k] = along(blocks, 0, x, y, z);
        for (int b = 0; b < count; ++b)
            for (int r = 0; r < kRuns; ++r) {
                const Lanes v = along(blocks + b * 3 * kBlock, r, x, y, z);
                low[k] = min(low[k], v);
                high[k] = max(high[k], v);
            }
    }
    out.lower.x = min_lane(low[0]), out.upper.x = max_lane(high[0]);
    out.lower.y = min_lane(low[1]), out.upper.y = max_lane(high[1]);
    out.lower.z = min_lane(low[2]), out.upper.z = max_lane(high[2]);
}

}  // namespace

extern const PolytopeKernels PX_AT_LEVEL(polytope_kernels_);
const PolytopeKernels PX_AT_LEVEL(polytope_kernels_){least, support, extent};

}  // namespace proxima::physics
