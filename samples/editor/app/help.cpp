// SPDX-License-Identifier: MIT
// The page of shortcuts, made of the table of actions, and what this program is.
#include "samples/editor/app/panels.h"
#include "samples/editor/app/widgets.h"

namespace proxima::editor {

namespace {

void key_row(const std::string& keys, std::string_view what) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_CheckMark));
    ImGui::TextUnformatted(keys.c_str());
    ImGui::PopStyleColor();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(what.data(), what.data() + what.size());
}

void keys_of(const PanelContext& c, const char* menu) {
    heading(menu);
    if (!ImGui::BeginTable(menu, 2, ImGuiTableFlags_NoSavedSettings)) return;
    ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, 7.0f * c.em);
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
    for (const Action& a : actions())
        if (a.menu == menu && a.chord.key != engine::Key::unknown) key_row(to_text(a.chord), a.label);
    ImGui::EndTable();
}

void mouse(const PanelContext& c) {
    heading("Mouse in the picture");
    if (!ImGui::BeginTable("mouse", 2, ImGuiTableFlags_NoSavedSettings)) return;
    ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, 17.5f * c.em);
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
    for (const Gesture& gesture : gestures()) key_row(std::string(gesture.keys), gesture.what);
    ImGui::EndTable();
}

void help_window(PanelContext& c) {
    if (!c.workspace.help_open) return;
    const ImGuiIO& io = ImGui::GetIO();
    const ImVec2 size{std::min(54.0f * c.em, 0.96f * io.DisplaySize.x),
                      std::min(46.0f * c.em, 0.96f * io.DisplaySize.y)};
    ImGui::SetNextWindowPos({0.5f * io.DisplaySize.x, 0.5f * io.DisplaySize.y}, ImGuiCond_Appearing, {0.5f, 0.5f});
    ImGui::SetNextWindowSize(size, ImGuiCond_Appearing);
    if (ImGui::Begin("Keys and mouse", &c.workspace.help_open,
                     ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings)) {
        if (ImGui::BeginTable("columns", 3, ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_NoSavedSettings)) {
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            keys_of(c, "File");
            keys_of(c, "Play");
            ImGui::TableNextColumn();
            keys_of(c, "Edit");
            ImGui::TableNextColumn();
            keys_of(c, "View");
            keys_of(c, "Help");
            ImGui::EndTable();
        }
        mouse(c);
    }
    ImGui::End();
}

void about_window(PanelContext& c) {
    if (!c.workspace.about_open) return;
    const ImGuiIO& io = ImGui::GetIO();
    ImGui::SetNextWindowPos({0.5f * io.DisplaySize.x, 0.5f * io.DisplaySize.y}, ImGuiCond_Appearing, {0.5f, 0.5f});
    if (ImGui::Begin(
            "About", &c.workspace.about_open,
            ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings)) {
        ImGui::PushFont(c.fonts.heading);
        ImGui::TextUnformatted("Proxima");
        ImGui::PopFont();
        ImGui::TextUnformatted("Real-time physics with contact and friction that can be trusted.");
        quiet_text("MIT licence. Press F1 for all keys.");
        if (ImGui::Button("Close")) c.workspace.about_open = false;
    }
    ImGui::End();
}

}  // namespace

void draw_help(PanelContext& c) {
    help_window(c);
    about_window(c);
}

}  // namespace proxima::editor
