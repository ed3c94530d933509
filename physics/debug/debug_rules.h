// SPDX-License-Identifier: MIT
// The rules of contacts that can be seen, as lines of the layer "rules".
#pragma once

namespace proxima::physics {

struct DebugFrame;
struct Simulation;

/// Sensors, green while something is in them; arrows of one-way surfaces.
void collect_rules(const Simulation& s, DebugFrame& frame);

}  // namespace proxima::physics
