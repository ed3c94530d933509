// SPDX-License-Identifier: MIT
// Joints of any type in blocks of eight, row after row: coordinates and lever arms are found once a sub-step, joint by joint
// (joints/joint_coordinates.h); sweeps go through the rows eight joints at a time.
#pragma once

#include "physics/constraints/block.h"

namespace proxima::physics {
struct JointData;
}

namespace proxima::physics::sweep {

inline constexpr uint32_t kJointBlockRows = 12;

/// One row of eight joints. J and M^-1 J^T: linear and angular of a, then of b.
struct JointRowBlock {
    Row j[12], y[12];
    Row bias, hard_bias;  // m/s: of sweeps, and of those that relax
    Row compliance;       // (m/s) per (N s): the same of sweeps ...
    Row hard_compliance;  // ... and of those that relax
    Row response;         // J M^-1 J^T; 0: there is no such row, or nothing moves
    Row lowest, highest;  // N s
    Row impulse, total;   // of the sub-step, and of the step
};

struct alignas(64) JointBlock : BlockHead {
    const JointData* joint[kBlockLanes];
    float h = 0.0f;
    uint32_t rows = 0;  // of the joint that has most
    Row counted;        // of gears: how far they are from their ratio
    JointRowBlock row[kJointBlockRows];
};

struct JointKernels {
    SweepKernels sweep;
};
const JointKernels& joint_kernels();

/// Coordinates, lever arms and what rows want where the bodies are now.
void refresh_joints(JointBlock& block, const BodyRecords& bodies, const FollowLaw& law);

}  // namespace proxima::physics::sweep
