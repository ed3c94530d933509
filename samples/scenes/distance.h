// SPDX-License-Identifier: MIT
// Distance and overlap of convex cores in double precision: the yardstick that results are judged with.
// Written apart from the engine's own collision code on purpose, so that a mistake there cannot hide itself.
#pragma once

#include <span>

#include "samples/scenes/convex.h"

namespace proxima::samples {

/// Distance between the convex hulls of two point sets; 0 when they meet. Minimum-norm point of their
/// Minkowski difference, found by descent over simplices.
double core_distance(std::span<const Vec3d> a, std::span<const Vec3d> b);

/// Directions along which two cores could be apart: face normals and edge directions, in the world.
struct CoreAxes {
    std::span<const Vec3d> points;
    std::span<const Vec3d> normals;
    std::span<const Vec3d> edges;
};

/// The smallest overlap over all candidate axes; negative when one of them separates (minus the gap along it,
/// a lower bound of the distance). +infinity when there is no axis at all.
double sat_overlap(const CoreAxes& a, const CoreAxes& b);

}  // namespace proxima::samples
