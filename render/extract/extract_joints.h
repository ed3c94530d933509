// SPDX-License-Identifier: MIT
// Joints as lines: frames, ranges with where they are now, motors, ropes and gears.
#pragma once

#include <vector>

#include "physics/debug/debug_frame.h"
#include "render/draw_list.h"

namespace proxima::render {

struct DebugStyle;

/// All joints of a frame, and arrows of their forces.
void add_joints(const physics::DebugFrame& frame, const DebugStyle& style, DrawList& out);
/// One joint without its force. `size`, in m: that of its axes and arcs.
void add_joint(const physics::DebugJoint& joint, float size, const Vec3& eye, std::vector<Line>& out);

}  // namespace proxima::render
