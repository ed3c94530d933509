// SPDX-License-Identifier: MIT
#include "physics/narrowphase/core_kernels.h"
#include "physics/shapes/block_search.h"

namespace proxima::physics::detail {

namespace {

using namespace PX_LEVEL_NAMESPACE;

constexpr int kFaceFloats = Polytope::kFaceRows * kBlock;
constexpr int kEdgeFloats = Polytope::kEdgeRows * kBlock;
constexpr int kMaxEdgeSlots = (kMaxEdges + 7) / 8 * 8;

// Searches start above what fillers have, so that these are never found, also when nothing is a number.
constexpr float kLowest = -0.1f * kFillerDepth;

/// The lowest slot whose value is the greatest; 0 when nothing is a number.
PX_INLINE int first_greatest(const float* values, int count, float greatest) {
    for (int i = 0; i < count; i += kLanes) {
        const uint32_t found = bits(load(values + i) >= Lanes(greatest));
        if (found) return i + std::countr_zero(found);
    }
    return 0;
}

/// Whether a part of the core is below all planes: the place where it leaves the last of those it comes from
/// below lies behind the place where it enters the last of the others.
PX_INLINE bool core_enters(const float* heights, const float* slopes, int count) {
    const Lanes zero(0.0f);
    Lanes leave(1.0f), enter(0.0f);
    for (int i = 0; i < count; i += kLanes) {
        const Lanes slope = load(slopes + i), at = -load(heights + i) / slope;
        leave = min(select(slope > zero, at, leave), leave);
        enter = max(select(slope < zero, at, enter), enter);
    }
    return max_lane(enter) <= min_lane(leave);
}

void scan_faces(const CoreSearch& s, CoreFaces& out) {
    alignas(32) float starts[kMaxFaceSlots], ends[kMaxFaceSlots], slopes[kMaxFaceSlots], lowers[kMaxFaceSlots];
    const Lanes x(s.start.x), y(s.start.y), z(s.start.z), ax(s.along.x), ay(s.along.y), az(s.along.z);
    Lanes max_start(kLowest), max_end(kLowest), max_lower(kLowest);
    const int count = s.face_blocks * kBlock;
    for (int b = 0; b < s.face_blocks; ++b)
        for (int r = 0; r < kRuns; ++r) {
            const float* block = s.faces + b * kFaceFloats;
            const int at = b * kBlock + r * kLanes;
            const Lanes start = along(block, r, x, y, z) - load(block + 3 * kBlock + r * kLanes);
            const Lanes slope = along(block, r, ax, ay, az), end = start + slope, lower = min(start, end);
            store(starts + at, start);
            store(ends + at, end);
            store(slopes + at, slope);
            store(lowers + at, lower);
            max_start = max(start, max_start);
            max_end = max(end, max_end);
            max_lower = max(lower, max_lower);
        }
    out.height[0] = max_lane(max_start);
    out.height[1] = max_lane(max_end);
    out.separation = max_lane(max_lower);
    out.highest[0] = first_greatest(starts, count, out.height[0]);
    out.highest[1] = first_greatest(ends, count, out.height[1]);
    out.face = first_greatest(lowers, count, out.separation);
    out.inside = out.separation <= 0.0f && core_enters(starts, slopes, count);
}

int nearest_edge(const CoreSearch& s) {
    // |start + s d - tail - t u|^2: the common perpendicular's s, the t nearest to it, and the s nearest to
    // that. Nearly parallel, the first s is noise, but then it does not matter: the caller measures the winner anew.
    alignas(32) float distances[kMaxEdgeSlots];
    const Vec p{Lanes(s.start.x), Lanes(s.start.y), Lanes(s.start.z)};
    const Vec d{Lanes(s.along.x), Lanes(s.along.y), Lanes(s.along.z)};
    const Lanes zero(0.0f), one(1.0f), never(-kFillerDepth), dd = dot(d, d);
    const Lanes per_dd = select(dd > zero, one / dd, zero);
    Lanes most(kLowest);
    for (int b = 0; b < s.edge_blocks; ++b)
        for (int r = 0; r < kRuns; ++r) {
            const float* block = s.edges + b * kEdgeFloats + r * kLanes;
            const auto vec = [&](int row) {
                return Vec{load(block + row * kBlock), load(block + (row + 1) * kBlock),
                           load(block + (row + 2) * kBlock)};
            };
            const Vec u = vec(3), from = p - vec(0);
            const Lanes length = load(block + 12 * kBlock);
            const Lanes du = dot(d, u), dr = dot(d, from), ur = dot(u, from);
            const Lanes determinant = dd - du * du;
            const Lanes raw = select(determinant > Lanes(1e-6f) * dd, (du * ur - dr) / determinant, zero);
            const Lanes first = min(max(raw, zero), one);
            const Lanes t = min(max(ur + first * du, zero), length);
            const Lanes at = min(max((t * du - dr) * per_dd, zero), one);
            const Vec gap = from + d * at - u * t;
            const Lanes near = select(length > zero, -dot(gap, gap), never);
            store(distances + b * kBlock + r * kLanes, near);
            most = max(near, most);
        }
    return first_greatest(distances, s.edge_blocks * kBlock, max_lane(most));
}

}  // namespace

extern const CoreKernels PX_AT_LEVEL(core_kernels_);
const CoreKernels PX_AT_LEVEL(core_kernels_){scan_faces, nearest_edge};

}  // namespace proxima::physics::detail
