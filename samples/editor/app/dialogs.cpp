// SPDX-License-Identifier: MIT
// What asks before anything is lost, and what opens and names files.
#include <fmt/format.h>

#include <ctime>
#include <filesystem>

#include "samples/editor/app/panels.h"
#include "samples/editor/app/widgets.h"
#include "samples/scenes/scenes.h"

namespace proxima::editor {

namespace fs = std::filesystem;

namespace {

/// A dialog in the middle of the window; the rest waits. Opened by the state it shows, not by an event: what
/// the workspace asks is asked in any frame.
bool begin_dialog(const char* name, const ImVec2& size, bool* open = nullptr) {
    if (!ImGui::IsPopupOpen(name)) ImGui::OpenPopup(name);
    const ImGuiIO& io = ImGui::GetIO();
    ImGui::SetNextWindowPos({0.5f * io.DisplaySize.x, 0.5f * io.DisplaySize.y}, ImGuiCond_Always, {0.5f, 0.5f});
    const ImVec2 fits{std::min(size.x, 0.96f * io.DisplaySize.x), std::min(size.y, 0.94f * io.DisplaySize.y)};
    if (size.x > 0.0f) ImGui::SetNextWindowSize(fits);
    return ImGui::BeginPopupModal(name, open,
                                  ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                                      ImGuiWindowFlags_NoSavedSettings |
                                      (size.x > 0.0f ? 0 : ImGuiWindowFlags_AlwaysAutoResize));
}

bool escape() { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape)) && !ImGui::GetIO().WantTextInput; }

void unsaved_dialog(PanelContext& c) {
    LeaveGuard& guard = c.workspace.guard;
    if (guard.state() != LeaveGuard::State::asking) return;
    if (!begin_dialog("Unsaved changes", {0.0f, 0.0f})) return;
    ImGui::PushTextWrapPos(26.0f * c.em);
    ImGui::TextUnformatted(guard.message().c_str());
    ImGui::PopTextWrapPos();
    ImGui::Dummy({26.0f * c.em, 0.3f * c.em});
    const ImVec2 size{7.5f * c.em, 0.0f};
    if (ImGui::Button("Save", size)) guard.save();
    c.named("guard.save");
    ImGui::SameLine();
    if (ImGui::Button("Do not save", size)) guard.discard();
    c.named("guard.discard");
    ImGui::SameLine();
    if (ImGui::Button("Cancel", size) || escape()) guard.cancel();
    c.named("guard.cancel");
    if (guard.state() != LeaveGuard::State::asking) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

void changed_file_dialog(PanelContext& c) {
    Workspace& ws = c.workspace;
    if (ws.file_state() != FileState::changed || ws.playing() || ws.guard.state() != LeaveGuard::State::idle ||
        ws.dialog != FileDialog::none)
        return;
    if (!begin_dialog("The file has changed", {0.0f, 0.0f})) return;
    ImGui::PushTextWrapPos(28.0f * c.em);
    ImGui::Text("Another program has written '%s' since it was opened here.", ws.document.file().c_str());
    ImGui::PopTextWrapPos();
    ImGui::Dummy({28.0f * c.em, 0.3f * c.em});
    bool done = false;
    if (ImGui::Button("Read it again")) {
        ws.tell(ws.document.reload());
        ws.wishes.view_all = true;
        done = true;
    }
    hint(ws.document.is_dirty() ? "The changes made here are lost." : "");
    c.named("changed.reload");
    ImGui::SameLine();
    if (ImGui::Button("Keep mine")) {
        ws.document.keep_mine();
        done = true;
    }
    hint("What is on the disk is overwritten by the next save.");
    c.named("changed.keep");
    if (done) {
        ws.recheck_file();
        ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
}

// ---- joints

/// What each type does, in the order of joint_type_names().
constexpr const char* kJointHints[] = {
    "One point of a body stays on one point of the other.",
    "A rope, a rod or a spring between the origins of the two bodies.",
    "A ball and socket with a cone and a twist that can be limited.",
    "A hinge: the bodies turn about the axis.",
    "A slider: the bodies move along the axis.",
    "The bodies become one.",
    "A wheel: turns about the axis, on a spring across it.",
    "Each of three ways and three turns is locked, limited or free.",
    "The turns about the axis keep a ratio; both bodies need hinges of their own.",
    "A rope over two points of the world.",
};

void join_dialog(PanelContext& c) {
    JointTool& tool = c.workspace.joint_tool;
    if (c.workspace.playing() || c.workspace.document.selected_bodies().size() != 2) tool.choosing = false;
    if (!tool.choosing) return;
    if (!begin_dialog("Join two bodies", {0.0f, 0.0f})) return;
    ImGui::TextUnformatted("Axis of the world");
    for (int axis = 0; axis < 3; ++axis) {
        constexpr const char* kNames[] = {"x", "y", "z"};
        ImGui::SameLine();
        ImGui::RadioButton(kNames[axis], &tool.axis, axis);
        c.named(fmt::format("join.axis.{}", kNames[axis]));
    }
    if (!tool.picked) tool.at_picked = false;
    if (ImGui::RadioButton("Between them", !tool.at_picked)) tool.at_picked = false;
    c.named("join.at.middle");
    ImGui::SameLine();
    ImGui::BeginDisabled(!tool.picked);
    if (ImGui::RadioButton("Where a body was clicked last", tool.at_picked)) tool.at_picked = true;
    c.named("join.at.picked");
    ImGui::EndDisabled();
    ImGui::Separator();
    const std::span<const std::string_view> names = joint_type_names();
    static_assert(std::size(kJointHints) == std::variant_size_v<physics::AnyJoint>);
    for (size_t i = 0; i < names.size(); ++i) {
        if (i % 2) ImGui::SameLine();
        const std::string name(names[i]);
        if (ImGui::Button(name.c_str(), {11.0f * c.em, 0.0f})) {
            c.workspace.join_selected(name);
            tool.choosing = false;
        }
        hint(kJointHints[i]);
        c.named("join." + name);
    }
    if (escape()) tool.choosing = false;
    if (!tool.choosing) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

// ---- files

struct DialogTexts {
    const char* title;
    const char* button;
    bool saves;
};
DialogTexts texts_of(FileDialog dialog) {
    switch (dialog) {
        case FileDialog::save_as:
        case FileDialog::name_for_guard:
            return {"Save scene as", "Save", true};
        case FileDialog::import:
            return {"Import mesh", "Import", false};
        default:
            return {"Open scene", "Open", false};
    }
}

void open_browser(PanelContext& c) {
    PanelState& state = c.state;
    const FileDialog dialog = c.workspace.dialog;
    if (state.browsing == dialog) return;
    const std::string& file = c.workspace.document.file();
    const std::string folder =
        !state.browser.folder().empty() ? state.browser.folder() : fs::path(file).parent_path().string();
    std::string name;
    if (texts_of(dialog).saves)
        name = file.empty() ? c.workspace.document.scene_data().name + ".json" : fs::path(file).filename().string();
    state.browser.open(folder,
                       dialog == FileDialog::import ? std::vector<std::string>{".obj", ".gltf", ".glb"}
                                                    : std::vector<std::string>{".json"},
                       name);
    state.browsing = dialog;
}

std::string size_text(uint64_t bytes) {
    if (bytes < 1024) return fmt::format("{} B", bytes);
    if (bytes < 1024 * 1024) return fmt::format("{:.0f} kB", double(bytes) / 1024.0);
    return fmt::format("{:.1f} MB", double(bytes) / (1024.0 * 1024.0));
}

std::string time_text(int64_t seconds) {
    const std::time_t time = std::time_t(seconds);
    std::tm parts{};
#if defined(_WIN32)
    localtime_s(&parts, &time);
#else
    localtime_r(&time, &parts);
#endif
    char text[32];
    return std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &parts) ? text : "";
}

/// The list; true when a file was chosen by a double click.
bool file_list(PanelContext& c, float height) {
    FileBrowser& browser = c.state.browser;
    bool chosen = false;
    std::string enter;
    if (!ImGui::BeginTable("files", 3,
                           ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersOuter |
                               ImGuiTableFlags_NoSavedSettings,
                           {0.0f, height}))
        return false;
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("Name", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("Size", ImGuiTableColumnFlags_WidthFixed, 5.0f * c.em);
    ImGui::TableSetupColumn("Changed", ImGuiTableColumnFlags_WidthFixed, 9.5f * c.em);
    ImGui::TableHeadersRow();
    for (const BrowserEntry& entry : browser.entries()) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        const std::string label = entry.folder ? entry.name + "/" : entry.name;
        if (ImGui::Selectable(label.c_str(), entry.name == browser.name,
                              ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
            const bool twice = ImGui::IsMouseDoubleClicked(0);
            if (!entry.folder) browser.name = entry.name;
            if (entry.folder && twice) enter = entry.name;
            if (!entry.folder && twice) chosen = true;
        }
        c.named("file." + entry.name);
        ImGui::TableNextColumn();
        if (!entry.folder) ImGui::TextDisabled("%s", size_text(entry.bytes).c_str());
        ImGui::TableNextColumn();
        ImGui::TextDisabled("%s", time_text(entry.time).c_str());
    }
    ImGui::EndTable();
    if (!enter.empty()) browser.enter(enter);
    return chosen;
}

void import_rows(PanelContext& c) {
    ImportOptions& options = c.workspace.import_options;
    constexpr const char* kUnits[] = {"metres", "centimetres", "millimetres", "inches", "feet"};
    ImGui::SetNextItemWidth(8.0f * c.em);
    if (ImGui::BeginCombo("##unit", kUnits[size_t(options.unit)])) {
        for (size_t i = 0; i < std::size(kUnits); ++i)
            if (ImGui::Selectable(kUnits[i], size_t(options.unit) == i)) options.unit = LengthUnit(uint8_t(i));
        ImGui::EndCombo();
    }
    hint("Unit of the numbers in the file.");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(6.0f * c.em);
    ImGui::DragFloat("scale", &options.scale, 0.01f, 0.001f, 1000.0f, "%.3g");
    ImGui::SameLine();
    ImGui::Checkbox("z is up", &options.z_up);
    ImGui::SameLine();
    bool fixed = options.type == BodyType::fixed;
    if (ImGui::Checkbox("fixed", &fixed)) options.type = fixed ? BodyType::fixed : BodyType::dynamic;
    quiet_text("The mesh becomes one convex body.");
}

void close_files(PanelContext& c) {
    c.workspace.dialog = FileDialog::none;
    c.state.browsing = FileDialog::none;
    ImGui::CloseCurrentPopup();
}

void accept_file(PanelContext& c, const std::string& file) {
    const FileDialog dialog = c.workspace.dialog;
    close_files(c);
    switch (dialog) {
        case FileDialog::save_as:
        case FileDialog::name_for_guard:
            c.workspace.save_as(file);
            break;
        case FileDialog::import:
            c.workspace.import_options.position = c.viewport.position_for_new();
            (void)c.workspace.import(file);  // it has told
            break;
        default:
            c.workspace.open(file);
            break;
    }
}

void file_dialog(PanelContext& c) {
    if (c.workspace.dialog == FileDialog::none) {
        c.state.browsing = FileDialog::none;
        return;
    }
    open_browser(c);
    const DialogTexts texts = texts_of(c.workspace.dialog);
    if (!begin_dialog(texts.title, {44.0f * c.em, 32.0f * c.em})) return;
    FileBrowser& browser = c.state.browser;
    if (ImGui::Button("Up")) browser.up();
    hint("To the folder above.");
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(browser.folder().c_str());
    const float below = (c.workspace.dialog == FileDialog::import ? 8.6f : 5.6f) * c.em;
    bool accept = file_list(c, ImGui::GetContentRegionAvail().y - below);
    if (!browser.message().empty()) quiet_text(browser.message());
    if (c.workspace.dialog == FileDialog::import) import_rows(c);
    ImGui::SetNextItemWidth(-1.0f);
    accept |= text_input("##name", browser.name, "file name", ImGuiInputTextFlags_EnterReturnsTrue);
    c.named("file.name");
    const bool there = browser.exists(texts.saves);
    std::error_code ignored;
    const bool folder = there && fs::is_directory(browser.path(false), ignored);
    const char* label = texts.saves && there && !folder ? "Overwrite" : texts.button;
    ImGui::BeginDisabled(browser.name.empty() || (!texts.saves && !there));
    accept |= ImGui::Button(label, {8.0f * c.em, 0.0f});
    ImGui::EndDisabled();
    c.named("file.accept");
    ImGui::SameLine();
    const bool cancel = ImGui::Button("Cancel", {8.0f * c.em, 0.0f}) || escape();
    c.named("file.cancel");
    if (texts.saves && there && !folder) {
        ImGui::SameLine();
        ImGui::TextDisabled("A file of this name is there.");
    }
    if (cancel) {
        if (c.workspace.dialog == FileDialog::name_for_guard) c.workspace.guard.cancel();
        close_files(c);
    } else if (accept && folder) {
        const std::string name = browser.name;
        browser.enter(name);
        browser.name.clear();
    } else if (accept && !browser.name.empty()) {
        accept_file(c, browser.path(texts.saves));
    }
    ImGui::EndPopup();
}

// ---- samples

void samples_dialog(PanelContext& c) {
    if (!c.workspace.samples_open) return;
    bool open = true;
    if (!begin_dialog("Samples", {42.0f * c.em, 32.0f * c.em}, &open)) {
        c.workspace.samples_open = open && ImGui::IsPopupOpen("Samples");
        return;
    }
    ImGui::SetNextItemWidth(-1.0f);
    text_input("##filter", c.state.sample_filter, "Find");
    std::string chosen;
    ImGui::BeginChild("list", {0.0f, -2.6f * c.em});
    std::string_view group;
    for (const samples::SceneInfo& info : samples::built_in_scenes()) {
        const std::string line = std::string(info.name) + " " + std::string(info.description);
        if (line.find(c.state.sample_filter) == std::string::npos) continue;
        if (info.group != group) {
            group = info.group;
            heading(group);
        }
        for (const std::string_view name : info.examples) {
            if (ImGui::Selectable(std::string(name).c_str())) chosen = std::string(name);
            c.named("sample." + std::string(name));
            ImGui::SameLine(10.0f * c.em);
            ImGui::TextDisabled("%s", std::string(info.description).c_str());
        }
    }
    ImGui::EndChild();
    if (ImGui::Button("Cancel", {8.0f * c.em, 0.0f}) || escape() || !open || !chosen.empty()) {
        c.workspace.samples_open = false;
        ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
    if (!chosen.empty()) c.workspace.open_sample(chosen);
}

}  // namespace

void draw_dialogs(PanelContext& c) {
    // One at a time: what is being asked comes first.
    if (c.workspace.guard.state() == LeaveGuard::State::asking)
        unsaved_dialog(c);
    else if (c.workspace.dialog != FileDialog::none)
        file_dialog(c);
    else if (c.workspace.samples_open)
        samples_dialog(c);
    else if (c.workspace.joint_tool.choosing)
        join_dialog(c);
    else
        changed_file_dialog(c);
    if (c.workspace.dialog == FileDialog::none) c.state.browsing = FileDialog::none;
    draw_help(c);
}

}  // namespace proxima::editor
