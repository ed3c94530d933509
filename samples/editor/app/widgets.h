// SPDX-License-Identifier: MIT
// Small widgets that the panels share: buttons with drawn signs, tooltips, splitters, rows of a table of properties,
// plots.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "render/draw_list.h"
#include "samples/editor/app/actions.h"
#include "samples/editor/app/layout.h"

namespace proxima::editor {

enum class Icon : uint8_t {
    none,
    save,
    undo,
    redo,
    play,
    pause,
    stop,
    step,
    step_back,
    move,
    rotate,
    scale,
    snap,
    axes,
    eye,
    add,
    sphere,
    box,
    capsule,
    hull,
    plane,
    parts,
};
void draw_icon(ImDrawList& list, Icon icon, const ImVec2& corner, float size, ImU32 colour);

inline ImU32 to_imgui(render::Colour colour) { return colour; }  // both are r, g, b, a in memory

struct ButtonLook {
    Icon icon = Icon::none;
    bool active = false;  // drawn as pressed
    bool enabled = true;
    bool strong = false;     // the one that matters
    ImU32 colour = 0;        // of the sign; 0: that of the text
    float min_width = 0.0f;  // pixels: so that nothing moves when the word changes
};
/// A button with a sign and a word; the word may be empty.
bool sign_button(const char* id, std::string_view label, const ButtonLook& look);
/// The button of an action: does it when pressed; its tooltip is the action's with its key.
bool action_button(ActionId id, Workspace& workspace, std::string_view label, ButtonLook look);

/// A tooltip for the last widget, also when it cannot be used now.
void hint(std::string_view text);
/// Small and quiet text, that wraps.
void quiet_text(std::string_view text);
/// A heading with a line.
void heading(std::string_view text);
void line_between_tools();

/// A border that can be dragged: changes `size` (em). `sign` is 1 when dragging right or down makes it larger.
bool splitter(const char* id, const PanelRect& border, bool upright, float sign, float em, float& size);

/// Begins a panel that stays where it is.
bool begin_panel(const char* name, const PanelRect& rect, ImGuiWindowFlags more = 0);
void end_panel();

/// Two columns: labels and widgets.
bool begin_properties(const char* id, float label_width);
void end_properties();
/// The label of a row, cut where it does not fit; the next widget fills the second column.
void property_label(std::string_view label, std::string_view tooltip);

struct Curve {
    std::span<const float> values;
    ImU32 colour = 0;
    std::string_view name;
};
struct PlotLook {
    std::string_view title, unit;
    uint64_t first_step = 0;  // of the values
    uint64_t shown_step = 0;  // a line there; 0: none
    double step_seconds = 1.0 / 60.0;
    bool logarithmic = false;
    bool from_zero = true;  // the axis begins at 0
    float min_top = 1e-6f;
};
/// Curves over steps in a rectangle of the current width; the step that was clicked, or 0.
uint64_t plot(const char* id, std::span<const Curve> curves, const PlotLook& look, const ImVec2& size);

/// Text that ImGui edits.
bool text_input(const char* id, std::string& text, const char* when_empty, ImGuiInputTextFlags flags = 0);

/// "1.23 mm", "4.5e-06 m/s": a number with a unit that people can read.
std::string with_unit(double value, std::string_view unit);

}  // namespace proxima::editor
