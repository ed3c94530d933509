// SPDX-License-Identifier: MIT
// Ball joints in blocks of eight. With anchors r_a, r_b turned into the world, the error e = x_b + r_b - x_a - r_a and
// its rate v = v_b + w_b x r_b - v_a - w_a x r_a, an impulse l at the anchors changes v by W l,
//     W = (1/m_a + 1/m_b) 1 - [r_a] I_a^-1 [r_a] - [r_b] I_b^-1 [r_b],
// a 3 x 3 matrix that is inverted as a whole. Anchors follow the bodies' rotations in every sub-step.
#pragma once

#include "physics/constraints/block.h"

namespace proxima::physics::sweep {

struct alignas(64) BallJointBlock : BlockHead {
    Row anchor_a[3], anchor_b[3];  // body frames, about the centres of mass
    Row mass_a, inertia_a[6];      // inverse, world
    Row mass_b, inertia_b[6];
    // of the spring, per sub-step or step: error e asks for the speed push_rate e; c = compliance W
    Row push_rate, compliance;
    Row rigid;       // 1: the spring is there for stability only; sweeps without push leave it out
    Row impulse[3];  // of the sub-step, world, on b
    Row total[3];    // summed over the step
};

/// What the last pass hands out, by lane.
struct BallJointResults {
    Row error;     // m
    Row residual;  // m/s: speed of the error, for rigid joints
};

struct BallJointKernels {
    void (*prepare)(void* blocks, uint32_t count, const BodyRecords& bodies);
    void (*results)(const void* block, const BodyRecords& bodies, BallJointResults& out);
    SweepKernels sweep;
};
const BallJointKernels& ball_joint_kernels();

}  // namespace proxima::physics::sweep
