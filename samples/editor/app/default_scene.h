// SPDX-License-Identifier: MIT
// What the editor shows when nobody named a scene.
#pragma once

#include "physics/scene/scene.h"

namespace proxima::editor {

/// An arch, a wall of cubes, a small tower and balls: something that stands, and something to throw at it.
physics::SceneDesc default_scene();

}  // namespace proxima::editor
