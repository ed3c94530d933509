// SPDX-License-Identifier: MIT
// Joints of every type as their frames and rows, with where each coordinate is now.
#pragma once

namespace proxima::physics {

struct DebugFrame;
struct Simulation;

/// Joints whose two bodies exist, also those that are broken.
void collect_joints(const Simulation& s, DebugFrame& frame);

}  // namespace proxima::physics
