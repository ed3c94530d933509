// SPDX-License-Identifier: MIT
// What a program with a picture is to the loop that drives it: a game, the editor, a test.
#pragma once

#include <cstdint>

#include "engine/core/result.h"
#include "engine/window/window_events.h"
#include "render/draw_list.h"
#include "render/mesh.h"

namespace proxima::shell {

class App;

/// One frame, as all its parts see it.
struct FrameInfo {
    uint64_t number = 0;                   // from 0
    double seconds = 0.0;                  // since the frame before, at most kLongestFrame
    uint32_t width = 0, height = 0;        // of the picture in pixels
    float scale = 1.0f;                    // of texts and widgets
    float mouse_x = 0.0f, mouse_y = 0.0f;  // pixels
    bool focused = true;
    float aspect() const { return height ? float(width) / float(height) : 1.0f; }
};

/// What takes an event: the panels under the mouse, or the world behind them.
struct EventUse {
    bool ui_mouse = false, ui_keyboard = false, ui_text = false;
};

/// Called by one thread, in this order in every frame: on_event, ui, frame.
class AppClient {
  public:
    virtual ~AppClient() = default;

    /// Once before the first frame, and again after a device was lost: textures are the new renderer's.
    virtual Result<void> on_start(App&) { return {}; }
    virtual void on_event(const engine::WindowEvent&, const EventUse&) {}
    /// Calls of ImGui.
    virtual void ui(const FrameInfo&) {}
    /// Moves what moves and fills the list, which was cleared; camera and lights are as they were left. An
    /// error ends the loop.
    virtual Result<void> frame(const FrameInfo& info, render::DrawList& out) = 0;
    virtual const render::MeshLibrary& meshes() const = 0;
    /// The user wants to leave. False: not now (it may ask first, and call App::quit later).
    virtual bool on_close() { return true; }
    /// The loop may end here against everybody's will, for instance with a device that was lost.
    virtual void save_what_matters() {}
};

}  // namespace proxima::shell
