// SPDX-License-Identifier: MIT
#include <imgui.h>

#include "samples/shell/ui_bridge.h"

namespace proxima::shell {

namespace {

ImVec4 colour(int r, int g, int b, float a = 1.0f) {
    return {float(r) / 255.0f, float(g) / 255.0f, float(b) / 255.0f, a};
}

/// Three greys with a trace of blue make depth; orange, the colour of outlines in the world, marks what is active.
void set_colours(ImVec4* c) {
    const ImVec4 text = colour(228, 231, 236), quiet = colour(141, 148, 160);
    const ImVec4 deep = colour(20, 22, 27), panel = colour(29, 32, 38, 0.97f), raised = colour(42, 46, 55);
    const ImVec4 hover = colour(56, 62, 74), press = colour(70, 78, 93), edge = colour(58, 63, 74, 0.75f);
    const ImVec4 accent = colour(240, 148, 52), soft = colour(240, 148, 52, 0.35f);
    c[ImGuiCol_Text] = text;
    c[ImGuiCol_TextDisabled] = quiet;
    c[ImGuiCol_WindowBg] = panel;
    c[ImGuiCol_ChildBg] = colour(0, 0, 0, 0.0f);
    c[ImGuiCol_PopupBg] = colour(34, 37, 44, 0.985f);
    c[ImGuiCol_Border] = edge;
    c[ImGuiCol_BorderShadow] = colour(0, 0, 0, 0.0f);
    c[ImGuiCol_FrameBg] = colour(16, 18, 22);
    c[ImGuiCol_FrameBgHovered] = raised;
    c[ImGuiCol_FrameBgActive] = hover;
    c[ImGuiCol_TitleBg] = deep;
    c[ImGuiCol_TitleBgActive] = colour(36, 40, 48);
    c[ImGuiCol_TitleBgCollapsed] = deep;
    c[ImGuiCol_MenuBarBg] = deep;
    c[ImGuiCol_ScrollbarBg] = colour(0, 0, 0, 0.0f);
    c[ImGuiCol_ScrollbarGrab] = hover;
    c[ImGuiCol_ScrollbarGrabHovered] = press;
    c[ImGuiCol_ScrollbarGrabActive] = accent;
    c[ImGuiCol_CheckMark] = accent;
    c[ImGuiCol_SliderGrab] = accent;
    c[ImGuiCol_SliderGrabActive] = colour(255, 176, 90);
    c[ImGuiCol_Button] = raised;
    c[ImGuiCol_ButtonHovered] = hover;
    c[ImGuiCol_ButtonActive] = press;
    c[ImGuiCol_Header] = colour(50, 56, 68);
    c[ImGuiCol_HeaderHovered] = hover;
    c[ImGuiCol_HeaderActive] = press;
    c[ImGuiCol_Separator] = edge;
    c[ImGuiCol_SeparatorHovered] = soft;
    c[ImGuiCol_SeparatorActive] = accent;
    c[ImGuiCol_ResizeGrip] = edge;
    c[ImGuiCol_ResizeGripHovered] = soft;
    c[ImGuiCol_ResizeGripActive] = accent;
    c[ImGuiCol_Tab] = deep;
    c[ImGuiCol_TabHovered] = hover;
    c[ImGuiCol_TabActive] = raised;
    c[ImGuiCol_TabUnfocused] = deep;
    c[ImGuiCol_TabUnfocusedActive] = raised;
    c[ImGuiCol_PlotLines] = colour(104, 176, 230);
    c[ImGuiCol_PlotLinesHovered] = accent;
    c[ImGuiCol_PlotHistogram] = colour(104, 176, 230);
    c[ImGuiCol_PlotHistogramHovered] = accent;
    c[ImGuiCol_TableHeaderBg] = colour(36, 40, 48);
    c[ImGuiCol_TableBorderStrong] = edge;
    c[ImGuiCol_TableBorderLight] = colour(50, 54, 63, 0.5f);
    c[ImGuiCol_TableRowBg] = colour(0, 0, 0, 0.0f);
    c[ImGuiCol_TableRowBgAlt] = colour(255, 255, 255, 0.025f);
    c[ImGuiCol_TextSelectedBg] = soft;
    c[ImGuiCol_DragDropTarget] = accent;
    c[ImGuiCol_NavHighlight] = accent;
    c[ImGuiCol_NavWindowingHighlight] = text;
    c[ImGuiCol_NavWindowingDimBg] = colour(10, 12, 16, 0.5f);
    c[ImGuiCol_ModalWindowDimBg] = colour(10, 12, 16, 0.6f);
}

}  // namespace

void apply_style(float scale) {
    ImGuiStyle style;  // from the start: scaling twice would multiply
    style.WindowPadding = {12.0f, 10.0f};
    style.FramePadding = {8.0f, 4.0f};
    style.CellPadding = {6.0f, 3.0f};
    style.ItemSpacing = {8.0f, 6.0f};
    style.ItemInnerSpacing = {6.0f, 4.0f};
    style.IndentSpacing = 16.0f;
    style.ScrollbarSize = 12.0f;
    style.GrabMinSize = 10.0f;
    style.WindowRounding = 5.0f;
    style.ChildRounding = 4.0f;
    style.FrameRounding = 4.0f;
    style.PopupRounding = 5.0f;
    style.ScrollbarRounding = 6.0f;
    style.GrabRounding = 4.0f;
    style.TabRounding = 4.0f;
    style.WindowTitleAlign = {0.02f, 0.5f};
    style.DisplaySafeAreaPadding = {0.0f, 0.0f};
    style.ScaleAllSizes(scale);
    // Lines stay thin on any screen.
    style.WindowBorderSize = 1.0f;
    style.ChildBorderSize = 1.0f;
    style.PopupBorderSize = 1.0f;
    style.FrameBorderSize = 0.0f;
    set_colours(style.Colors);
    ImGui::GetStyle() = style;
}

}  // namespace proxima::shell
