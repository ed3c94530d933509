// SPDX-License-Identifier: MIT
// Menus, tool bar and status bar: the frame around everything.
#include <fmt/format.h>

#include <filesystem>

#include "samples/editor/app/panels.h"
#include "samples/editor/app/widgets.h"

namespace proxima::editor {

namespace fs = std::filesystem;
using engine::PlayState;

void PanelContext::named(std::string_view name) {
    if (!ImGui::IsItemVisible()) return;
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    widgets[std::string(name)] = {low.x, low.y, high.x - low.x, high.y - low.y};
}

// ---- menus

namespace {

void action_item(const Action& a, Workspace& ws) {
    const std::string label = a.renamed && is_enabled(a, ws) ? a.renamed(ws) : std::string(a.label);
    const bool checked = a.checked && a.checked(ws);
    if (ImGui::MenuItem(label.c_str(), to_text(a.chord).c_str(), checked, is_enabled(a, ws))) run(a.id, ws);
    hint(a.tooltip);
}

void recent_menu(PanelContext& c) {
    const bool any = !c.workspace.recent.files().empty();
    if (!ImGui::BeginMenu("Open recent", any)) return;
    std::string chosen;
    for (const std::string& file : c.workspace.recent.files()) {
        if (ImGui::MenuItem(fs::path(file).filename().string().c_str())) chosen = file;
        hint(file);
    }
    ImGui::EndMenu();
    if (!chosen.empty()) c.workspace.open(chosen);
}

void panel_menu(PanelContext& c) {
    ImGui::Separator();
    ImGui::MenuItem("Hierarchy panel", nullptr, &c.layout.show_left);
    ImGui::MenuItem("Inspector panel", nullptr, &c.layout.show_right);
    ImGui::MenuItem("Monitor panel", nullptr, &c.layout.show_bottom);
    if (ImGui::MenuItem("Reset layout")) c.layout = Layout();
}

void add_menu(PanelContext& c) {
    if (!ImGui::BeginMenu("Add", !c.workspace.playing())) return;
    const Vec3 at = c.viewport.position_for_new();
    const auto item = [&](const char* label, ShapeType shape, BodyType type) {
        if (ImGui::MenuItem(label)) c.workspace.create(shape, type, at);
    };
    item("Box", ShapeType::box, BodyType::dynamic);
    item("Sphere", ShapeType::sphere, BodyType::dynamic);
    item("Capsule", ShapeType::capsule, BodyType::dynamic);
    item("Convex hull", ShapeType::hull, BodyType::dynamic);
    ImGui::Separator();
    item("Fixed box", ShapeType::box, BodyType::fixed);
    if (ImGui::MenuItem("Ground plane")) c.workspace.create(ShapeType::half_space, BodyType::fixed, {0.0f, 0.0f, 0.0f});
    ImGui::EndMenu();
}

/// The name of the scene in the middle of the bar, where windows have theirs.
void title_in_bar(PanelContext& c) {
    std::string title = c.workspace.document.scene_data().name;
    if (!c.workspace.document.file().empty())
        title = c.workspace.document.title();
    else if (c.workspace.document.is_dirty())
        title += " *";
    if (c.workspace.playing())
        title += c.workspace.play.state() == PlayState::play ? "   -   playing" : "   -   paused";
    const float wide = ImGui::CalcTextSize(title.c_str()).x;
    const float x = 0.5f * (ImGui::GetWindowWidth() - wide);
    if (x > ImGui::GetCursorPosX() + c.em) {
        ImGui::SetCursorPosX(x);
        if (c.workspace.document.is_dirty())
            ImGui::TextUnformatted(title.c_str());
        else
            ImGui::TextDisabled("%s", title.c_str());
        if (c.workspace.document.is_dirty()) hint("There are changes that are not saved.");
    }
}

}  // namespace

void draw_menu_bar(PanelContext& c) {
    if (!ImGui::BeginMainMenuBar()) return;
    for (const char* menu : {"File", "Edit", "Play", "View", "Help"}) {
        if (std::string_view(menu) == "Play") {
            add_menu(c);
            c.named("menu.Add");
        }
        const bool open = ImGui::BeginMenu(menu);
        c.named(std::string("menu.") + menu);
        if (!open) continue;
        for (const Action& a : actions()) {
            if (a.menu != menu) continue;
            if (a.starts_group) ImGui::Separator();
            action_item(a, c.workspace);
            c.named(std::string("menu.") + menu + "." + std::string(a.label));
            if (a.id == ActionId::open_sample) recent_menu(c);
        }
        if (std::string_view(menu) == "View") panel_menu(c);
        ImGui::EndMenu();
    }
    title_in_bar(c);
    ImGui::EndMainMenuBar();
}

// ---- tool bar

namespace {

void file_buttons(PanelContext& c) {
    Workspace& ws = c.workspace;
    // What is unsaved is the accent's colour.
    const ImU32 colour = ws.document.is_dirty() ? ImGui::GetColorU32(ImGuiCol_CheckMark) : 0;
    action_button(ActionId::save, ws, "Save", {Icon::save, false, true, false, colour});
    c.named("save");
    ImGui::SameLine();
    action_button(ActionId::undo, ws, "", {Icon::undo});
    c.named("undo");
    ImGui::SameLine();
    action_button(ActionId::redo, ws, "", {Icon::redo});
    c.named("redo");
}

void play_buttons(PanelContext& c) {
    Workspace& ws = c.workspace;
    const bool running = ws.play.state() == PlayState::play;
    ButtonLook play;
    play.icon = running ? Icon::pause : Icon::play;
    play.strong = !running;
    play.min_width = 5.3f * c.em;
    action_button(ActionId::play_pause, ws, running ? "Pause" : "Play", play);
    c.named("play");
    ImGui::SameLine();
    action_button(ActionId::stop, ws, "Stop", {Icon::stop, false, true, false, IM_COL32(230, 96, 84, 255)});
    c.named("stop");
    ImGui::SameLine();
    action_button(ActionId::step_back, ws, "", {Icon::step_back});
    c.named("step_back");
    ImGui::SameLine();
    action_button(ActionId::step, ws, "Step", {Icon::step});
    c.named("step");
    ImGui::SameLine();
    const std::string speed = fmt::format("{:g}x", ws.play.speed());
    ImGui::SetNextItemWidth(4.6f * c.em);
    if (ImGui::BeginCombo("##speed", speed.c_str())) {
        for (const double choice : {0.1, 0.25, 0.5, 1.0, 2.0, 4.0})
            if (ImGui::Selectable(fmt::format("{:g}x", choice).c_str(), choice == ws.play.speed()))
                ws.play.set_speed(choice);
        ImGui::EndCombo();
    }
    hint("Speed of the play.\nKeys: [ slower, ] faster");
    c.named("speed");
}

void tool_buttons(PanelContext& c) {
    Workspace& ws = c.workspace;
    ImGui::BeginDisabled(ws.playing());
    action_button(ActionId::tool_move, ws, "Move", {Icon::move});
    c.named("tool.move");
    ImGui::SameLine();
    action_button(ActionId::tool_rotate, ws, "Rotate", {Icon::rotate});
    c.named("tool.rotate");
    ImGui::SameLine();
    action_button(ActionId::tool_scale, ws, "Scale", {Icon::scale});
    c.named("tool.scale");
    ImGui::SameLine();
    action_button(ActionId::toggle_snap, ws, "Snap", {Icon::snap});
    c.named("snap");
    ImGui::SameLine();
    action_button(ActionId::toggle_local, ws, "Local", {Icon::axes});
    ImGui::EndDisabled();
}

void show_buttons(PanelContext& c) {
    Workspace& ws = c.workspace;
    const float left = ImGui::GetWindowWidth() - ImGui::GetCursorPosX();
    struct Entry {
        ActionId id;
        const char* label;
    };
    constexpr Entry kEntries[] = {{ActionId::show_contacts, "Contacts"},
                                  {ActionId::show_friction, "Friction"},
                                  {ActionId::show_residuals, "Residuals"},
                                  {ActionId::show_velocities, "Velocities"},
                                  {ActionId::show_islands, "Islands"}};
    ImGui::AlignTextToFramePadding();
    if (left > 22.0f * c.em) {
        ImGui::TextDisabled("Show");
        ImGui::SameLine();
    }
    for (const Entry& entry : kEntries) {
        const float wide = ImGui::CalcTextSize(entry.label).x + 2.0f * ImGui::GetStyle().FramePadding.x;
        if (ImGui::GetCursorPosX() + wide > ImGui::GetWindowWidth() - 5.2f * c.em) break;
        action_button(entry.id, ws, entry.label, {});
        c.named(std::string("show.") + entry.label);
        ImGui::SameLine();
    }
    if (sign_button("##more", "...", {})) {
        c.state.right = RightTab::show;
        c.state.force_right = true;
        c.layout.show_right = true;
    }
    hint("Everything that can be shown.");
    c.named("show.more");
}

}  // namespace

void draw_tool_bar(PanelContext& c) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                        {0.6f * c.em, 0.5f * (c.layout.tools.height - ImGui::GetFrameHeight())});
    begin_panel("##tools", c.layout.tools, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::PopStyleVar();
    file_buttons(c);
    line_between_tools();
    play_buttons(c);
    line_between_tools();
    tool_buttons(c);
    line_between_tools();
    show_buttons(c);
    end_panel();
}

// ---- status bar

namespace {

void message_text(PanelContext& c) {
    MessageLog& log = c.workspace.messages;
    const Message* message = log.shown();
    if (!message) {
        ImGui::TextDisabled("%s", c.workspace.playing()
                                      ? "Drag a body with the left mouse button to pull it.  F1: all keys"
                                      : "Click a body to select it.  Right mouse turns the camera, "
                                        "wheel zooms.  F1: all keys");
        return;
    }
    const ImVec4 colour = message->severity == Severity::error     ? ImVec4(1.0f, 0.5f, 0.45f, 1.0f)
                          : message->severity == Severity::warning ? ImVec4(1.0f, 0.8f, 0.4f, 1.0f)
                                                                   : ImVec4(0.62f, 0.86f, 0.64f, 1.0f);
    if (message->severity != Severity::info) {
        if (ImGui::SmallButton("x")) {
            log.dismiss();
            return;
        }
        c.named("dismiss");
        hint("Put the message away; the log keeps it.");
        ImGui::SameLine();
    }
    std::string text = message->text;
    if (message->times > 1) text += fmt::format("  ({} times)", message->times);
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopStyleColor();
    hint(text);
    if (ImGui::IsItemClicked()) {
        c.state.bottom = BottomTab::log;
        c.state.force_bottom = true;
        c.layout.show_bottom = true;
    }
}

std::string scene_summary(const PanelContext& c) {
    const Workspace& ws = c.workspace;
    std::string out;
    if (ws.playing() && !ws.frame().lanes.empty()) {
        const MonitorSample& sample = ws.frame().lanes[0].sample;
        out = fmt::format("{} contacts   {:.1f} ms a step   ", sample.contacts, sample.step_ms);
    }
    const size_t selected = ws.document.selection().size();
    out += fmt::format("{}{}   {:.0f} fps", counted(ws.document.bodies().size(), "body", "bodies"),
                       selected ? fmt::format(", {} selected", selected) : "", c.frames_per_second);
    return out;
}

}  // namespace

void draw_status_bar(PanelContext& c) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                        {0.7f * c.em, 0.5f * (c.layout.status.height - ImGui::GetTextLineHeight())});
    begin_panel("##status", c.layout.status, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::PopStyleVar();
    const std::string summary = scene_summary(c);
    const float wide = ImGui::CalcTextSize(summary.c_str()).x;
    const float right = ImGui::GetWindowWidth() - wide - 0.7f * c.em;
    ImGui::PushClipRect({c.layout.status.x, c.layout.status.y},
                        {c.layout.status.x + right - c.em, c.layout.status.y + c.layout.status.height}, true);
    message_text(c);
    ImGui::PopClipRect();
    ImGui::SameLine(right);
    ImGui::TextDisabled("%s", summary.c_str());
    end_panel();
}

// ---- over the picture

void draw_viewport_overlay(PanelContext& c) {
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    const PanelRect& r = c.layout.picture;
    list.PushClipRect({r.x, r.y}, {r.x + r.width, r.y + r.height});
    if (const auto box = c.viewport.rectangle()) {
        list.AddRectFilled({box->x0, box->y0}, {box->x1, box->y1}, IM_COL32(240, 148, 52, 40));
        list.AddRect({box->x0, box->y0}, {box->x1, box->y1}, IM_COL32(240, 148, 52, 220));
    }
    const auto label = [&](float x, float y, const std::string& text, ImU32 colour) {
        const ImVec2 size = ImGui::CalcTextSize(text.c_str());
        list.AddRectFilled({x - 5.0f, y - 3.0f}, {x + size.x + 5.0f, y + size.y + 3.0f}, IM_COL32(18, 20, 24, 205),
                           4.0f);
        list.AddText({x, y}, colour, text.c_str());
        return size.y + 9.0f;
    };
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (!c.viewport.drag_text().empty())
        label(mouse.x + c.em, mouse.y + c.em, c.viewport.drag_text(), IM_COL32(255, 225, 120, 255));
    else if (c.workspace.document.body(c.viewport.hovered()))
        label(mouse.x + c.em, mouse.y + 1.2f * c.em, c.workspace.name_of(c.viewport.hovered()),
              IM_COL32(235, 238, 242, 255));
    // The worlds of a comparison, in their colours.
    if (c.workspace.lanes() > 1) {
        float y = r.y + 0.8f * c.em;
        for (size_t k = 0; k < c.workspace.lanes(); ++k)
            y += label(r.x + 0.9f * c.em, y, c.workspace.lane_name(k), to_imgui(kLaneColours[k]));
    }
    if (c.workspace.playing()) {  // a frame in the colour of the play button: this is not the edited scene
        const ImU32 colour =
            c.workspace.play.state() == PlayState::play ? IM_COL32(72, 170, 96, 255) : IM_COL32(240, 180, 60, 255);
        list.AddRect({r.x + 1.0f, r.y + 1.0f}, {r.x + r.width - 1.0f, r.y + r.height - 1.0f}, colour, 0.0f, 0, 2.0f);
    }
    if (c.workspace.document.bodies().empty()) {
        const char* text = "The scene is empty: Add > Box, or File > Open sample";
        const ImVec2 size = ImGui::CalcTextSize(text);
        label(r.x + 0.5f * (r.width - size.x), r.y + 0.5f * r.height, text, IM_COL32(235, 238, 242, 255));
    }
    list.PopClipRect();
}

}  // namespace proxima::editor
