// SPDX-License-Identifier: MIT
// The handles that move, turn and scale, as lines; the same proportions by which they are hit.
#pragma once

#include <vector>

#include "render/draw_list.h"
#include "samples/editor/model/gizmo.h"

namespace proxima::editor {

/// `hot` is under the pointer or being dragged; `width` in pixels.
void add_gizmo(GizmoMode mode, const GizmoFrame& frame, const View& view, Handle hot, float width,
               std::vector<render::Line>& out);

}  // namespace proxima::editor
