// SPDX-License-Identifier: MIT
// Where the panels are, and what a person has set: kept in the user's folder for settings from run to run.
#pragma once

#include <string>

#include "engine/core/result.h"
#include "render/draw_list.h"
#include "samples/editor/app/workspace.h"

namespace proxima::editor {

struct PanelRect {
    float x = 0.0f, y = 0.0f, width = 0.0f, height = 0.0f;
};

/// Sizes in em, which is the size of the letters: the same layout on any screen.
struct Layout {
    float left = 14.5f, right = 21.0f, bottom = 14.0f;
    bool show_left = true, show_right = true, show_bottom = true;

    // ---- made by arrange(), in pixels
    PanelRect menu, tools, hierarchy, properties, monitors, status, picture;
    float em = 15.0f;

    /// Divides a window; `menu_height` is that of the menu bar. Panels shrink before the picture goes.
    void arrange(float width, float height, float em_pixels, float menu_height);
    /// The picture in whole pixels; at least one pixel, so that a tiny window is no special case elsewhere.
    render::PictureArea picture_area() const;
};

/// What is kept from run to run.
struct EditorSettings {
    Layout layout;
    ShowOptions show;
    ToolOptions tool;
    uint32_t window_width = 1280, window_height = 720;
};

/// The file in the user's folder for settings; empty when the machine says nothing of such a folder.
std::string default_settings_file();
/// What is there is taken, what is missing or makes no sense stays as it is: a settings file can never keep
/// the editor from starting. A sentence when the file could not be read.
Result<void> load_settings(const std::string& file, EditorSettings& settings);
Result<void> save_settings(const std::string& file, const EditorSettings& settings);

}  // namespace proxima::editor
