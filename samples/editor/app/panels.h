// SPDX-License-Identifier: MIT
// The panels of the editor: functions that draw the workspace with Dear ImGui and call it. What they keep
// between frames lies in PanelState; everything else is the workspace's.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "samples/editor/app/file_browser.h"
#include "samples/editor/app/layout.h"
#include "samples/editor/app/viewport.h"
#include "samples/editor/app/workspace.h"
#include "samples/shell/ui_bridge.h"

namespace proxima::editor {

/// Where widgets that have a name are, in pixels: for scripts and tests, which would otherwise have to know
/// places by heart.
struct WidgetRect {
    float x = 0.0f, y = 0.0f, width = 0.0f, height = 0.0f;
};
using WidgetRects = std::map<std::string, WidgetRect, std::less<>>;

/// What a bottom or right tab is; kept so that scripts and actions can ask for one.
enum class BottomTab : uint8_t { residual, energy, times, counters, contacts, log };
enum class RightTab : uint8_t { inspector, solver, show };

struct PanelState {
    // hierarchy
    std::string filter;
    ItemId renaming = ItemId::none;
    std::string new_name;
    bool rename_begins = false;
    ItemId range_start = ItemId::none;
    std::vector<ItemId> expanded;  // bodies whose colliders are listed; sorted
    ItemId scroll_to = ItemId::none;
    ItemId last_primary = ItemId::none;
    // inspector
    std::string edited_field;
    Vec3 edited_angles{0.0f, 0.0f, 0.0f};
    // solver
    bool for_island = false;
    int friction_filter = 0;  // 0: all, 1: disk, 2: box
    float island_tolerance = 0.0f;
    int island_iterations = 0;
    // bottom
    BottomTab bottom = BottomTab::residual;
    RightTab right = RightTab::inspector;
    bool force_bottom = false, force_right = false;
    bool logarithmic = true;
    uint64_t log_seen = 0;
    // dialogs
    FileBrowser browser;
    FileDialog browsing = FileDialog::none;
    std::string sample_filter;
};

struct PanelContext {
    Workspace& workspace;
    ViewportPanel& viewport;
    SceneView& scene;
    PanelState& state;
    Layout& layout;
    WidgetRects& widgets;
    const shell::UiFonts& fonts;
    float em = 15.0f;  // pixels: size of the letters, the unit of everything else
    float frames_per_second = 0.0f;

    /// Remembers where the last widget is, when it can be seen.
    void named(std::string_view name);
};

// ---- each within the rectangle that the layout gave it
void draw_menu_bar(PanelContext& c);
void draw_tool_bar(PanelContext& c);
void draw_hierarchy(PanelContext& c);
void draw_right_panel(PanelContext& c);
void draw_bottom_panel(PanelContext& c);
void draw_status_bar(PanelContext& c);
/// What lies over the picture: hints, legend, names under the pointer.
void draw_viewport_overlay(PanelContext& c);
/// Guard, files, import, samples, help, about, files that changed.
void draw_dialogs(PanelContext& c);

// ---- parts of the right panel
void draw_inspector(PanelContext& c);
void draw_solver_panel(PanelContext& c);
void draw_show_panel(PanelContext& c);
// ---- parts of the bottom panel
void draw_time_line(PanelContext& c);
void draw_residual_tab(PanelContext& c);
void draw_energy_tab(PanelContext& c);
void draw_times_tab(PanelContext& c);
void draw_counters_tab(PanelContext& c);
void draw_contacts_tab(PanelContext& c);
void draw_log_tab(PanelContext& c);
// ---- dialogs
void draw_help(PanelContext& c);

}  // namespace proxima::editor
