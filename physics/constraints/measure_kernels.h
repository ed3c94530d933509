// SPDX-License-Identifier: MIT
// What a kind of constraints gives the report: the distance from the exact law of the velocities that move the bodies in a
// sub-step. Plain arrays of floats only, because kernels are compiled once per vector width.
#pragma once

#include <cstdint>

#include "physics/constraints/block.h"

namespace proxima::physics::sweep {

/// When velocities are measured: at the end of a sub-step of length h, before the bodies move.
struct MeasureLaw {
    float h = 0.0f, inverse_h = 0.0f;
    float elapsed = 0.0f;           // s since the gaps were measured, at the start of the sub-step
    float ramp = 0.0f, lag = 0.0f;  // those of SweepLaw
    float closed_gap = 0.0f;        // m: a loaded point with no larger gap need not use it up (DirectLaw)
};

/// What was measured of a run of blocks. A sum for each lane: their order is then the same at every vector width.
struct MeasuredLanes {
    double sum[kBlockLanes] = {};  // over points, m/s
    Row max = {};
};

/// Measures blocks that follow each other in memory. `worst` has a number for each constraint, which is raised to its
/// residual; nullptr: nobody asks.
using MeasureKernel = void (*)(const void* blocks, uint32_t count, const BodyRecords& bodies, const MeasureLaw& law,
                               float* worst, MeasuredLanes& out);

}  // namespace proxima::physics::sweep
