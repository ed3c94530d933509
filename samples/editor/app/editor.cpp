// SPDX-License-Identifier: MIT
#include "samples/editor/app/editor.h"

#include <imgui.h>
#include <imgui_internal.h>  // closing popups from outside

#include <algorithm>
#include <cmath>
#include <variant>

#include "engine/core/atomic_file.h"
#include "samples/editor/app/actions.h"
#include "samples/editor/app/widgets.h"

namespace proxima::editor {

using engine::Key;

Editor::Editor(EditorOptions options) : options_(std::move(options)), workspace_(options_.workspace) {
    if (const Result<void> loaded = load_settings(options_.settings_file, settings_); !loaded)
        workspace_.messages.add(Severity::warning, loaded.error());
    workspace_.show = settings_.show;
    workspace_.tool = settings_.tool;
    // What the libraries have to say belongs into the log of the editor, from whichever thread it comes.
    set_log_sink([this](LogLevel level, std::string_view text) {
        const std::lock_guard lock(log_mutex_);
        log_.emplace_back(level, text);
    });
    if (!options_.script.empty()) play_script(std::move(options_.script));
}

void Editor::play_script(std::vector<ScriptLine> lines) {
    script_error_.clear();
    script_ = std::make_unique<ScriptPlayer>(std::move(lines), script_host());
}

Editor::~Editor() {
    set_log_sink({});
    if (app_) keep_settings();
}

void Editor::keep_settings() {
    settings_.show = workspace_.show;
    settings_.tool = workspace_.tool;
    if (app_ && app_->has_window() && app_->width() >= 64 && app_->height() >= 64) {
        settings_.window_width = app_->width();
        settings_.window_height = app_->height();
    }
    // Not worth a failure: the next start has the defaults.
    (void)save_settings(options_.settings_file, settings_);
}

void Editor::leave_app() {
    keep_settings();
    app_ = nullptr;
}

Result<void> Editor::on_start(shell::App& app) {
    app_ = &app;
    if (!std::exchange(greeted_, true) && !app.ui().note().empty())
        workspace_.messages.add(Severity::warning, app.ui().note());
    return {};
}

// ---- events

void Editor::on_event(const engine::WindowEvent& event, const shell::EventUse& use) {
    if (const auto* key = std::get_if<engine::KeyEvent>(&event)) {
        if (size_t(key->key) < std::size(keys_held_)) keys_held_[size_t(key->key)] = key->down;
        if (key->down) keys_.emplace_back(*key, use);  // after the mouse: see ui()
    } else if (const auto* dropped = std::get_if<engine::DropEvent>(&event)) {
        for (const std::string& file : dropped->files) workspace_.take_file(file);
    } else if (const auto* focus = std::get_if<engine::FocusEvent>(&event)) {
        if (!focus->focused) std::fill(std::begin(keys_held_), std::end(keys_held_), false);
    }
}

void Editor::on_key(const engine::KeyEvent& event, const shell::EventUse& use) {
    if (use.ui_text) return;
    const bool asking = workspace_.dialog != FileDialog::none || workspace_.samples_open ||
                        workspace_.joint_tool.choosing || workspace_.guard.state() != LeaveGuard::State::idle;
    if (asking) return;  // dialogs have keys of their own
    if (event.key == Key::escape) {
        if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)) {
            ImGui::ClosePopupToLevel(0, true);  // a menu or a list that is open
            return;
        }
        if (viewport_.cancel()) return;
        if (workspace_.help_open || workspace_.about_open) {
            workspace_.help_open = workspace_.about_open = false;
            return;
        }
    }
    if (event.key == Key::f2 && !workspace_.playing()) {
        if (const BodyRecord* body = workspace_.document.body(workspace_.primary_body())) {
            state_.renaming = body->id;
            state_.new_name = body->desc.name;
            state_.rename_begins = true;
        }
        return;
    }
    // While the right button flies the camera, letters are its keys.
    const bool letter = event.key >= Key::a && event.key <= Key::z && !event.with.control;
    if (letter && ImGui::GetIO().MouseDown[1]) return;
    const Action* found = find_action(event);
    if (!found) return;
    if (viewport_.dragging_handle() && (found->menu == "Edit" || found->menu == "File" || found->menu == "Play"))
        return;  // one thing after the other
    // Held keys repeat only what is done in small steps.
    const bool repeats = found->id == ActionId::step || found->id == ActionId::step_back ||
                         found->id == ActionId::undo || found->id == ActionId::redo;
    if (!event.repeated || repeats) run(found->id, workspace_);
}

PointerState Editor::pointer() const {
    const ImGuiIO& io = ImGui::GetIO();
    PointerState p;
    p.x = io.MousePos.x;
    p.y = io.MousePos.y;
    p.left = io.MouseDown[0];
    p.right = io.MouseDown[1];
    p.middle = io.MouseDown[2];
    p.left_pressed = io.MouseClicked[0];
    p.left_released = io.MouseReleased[0];
    p.right_pressed = io.MouseClicked[1];
    p.middle_pressed = io.MouseClicked[2];
    p.wheel = io.MouseWheel;
    p.control = io.KeyCtrl;
    p.shift = io.KeyShift;
    p.alt = io.KeyAlt;
    p.over_panel = io.WantCaptureMouse;
    if (p.right && !io.WantTextInput) {
        const auto held = [&](Key key) { return keys_held_[size_t(key)] ? 1.0f : 0.0f; };
        p.fly_right = held(Key::d) - held(Key::a);
        p.fly_up = held(Key::e) - held(Key::q);
        p.fly_forward = held(Key::w) - held(Key::s);
    }
    return p;
}

// ---- one frame

void Editor::ui(const shell::FrameInfo& info) {
    take_log();
    if (info.number == 1 && first_picture_) first_picture_();
    if (info.seconds > 0.0) {
        const auto now = float(1.0 / info.seconds);
        frames_per_second_ = frames_per_second_ > 0.0f ? 0.92f * frames_per_second_ + 0.08f * now : now;
    }
    workspace_.update(info.seconds);
    scene_.update();
    widgets_.clear();
    draw_panels(info);
    scene_.update();  // panels may have put another world in the place of the one that was shown
    viewport_.set_area(settings_.layout.picture_area());
    viewport_.update(pointer(), info.seconds, info.scale);
    // A drag that ends in this frame is over before a key undoes it.
    for (const auto& [key, use] : keys_) on_key(key, use);
    keys_.clear();
    workspace_.refresh();
    scene_.update();  // the mouse and keys may have, too
    do_wishes();
    if (script_) {
        if (const Result<void> done = script_->advance(); !done) {
            script_error_ = done.error();
            script_.reset();
            if (app_) app_->quit();
        }
    }
    write_report();
}

void Editor::draw_panels(const shell::FrameInfo& info) {
    const float em = ImGui::GetFontSize();
    // Panels lie on panels here: nothing may shine through.
    for (const ImGuiCol colour : {ImGuiCol_WindowBg, ImGuiCol_PopupBg}) ImGui::GetStyle().Colors[colour].w = 1.0f;
    PanelContext context{workspace_, viewport_,         scene_, state_, settings_.layout, widgets_, app_->ui().fonts(),
                         em,         frames_per_second_};
    settings_.layout.arrange(float(info.width), float(info.height), em, ImGui::GetFrameHeight());
    draw_menu_bar(context);
    draw_tool_bar(context);
    draw_hierarchy(context);
    draw_right_panel(context);
    draw_bottom_panel(context);
    draw_status_bar(context);
    draw_viewport_overlay(context);
    splitters(em);
    draw_dialogs(context);
}

void Editor::splitters(float em) {
    Layout& l = settings_.layout;
    const PanelRect& p = l.picture;
    if (l.show_left) splitter("##split left", {p.x, l.hierarchy.y, 0.0f, l.hierarchy.height}, true, 1.0f, em, l.left);
    if (l.show_right)
        splitter("##split right", {l.properties.x, l.properties.y, 0.0f, l.properties.height}, true, -1.0f, em,
                 l.right);
    if (l.show_bottom) splitter("##split bottom", {p.x, l.monitors.y, p.width, 0.0f}, false, -1.0f, em, l.bottom);
}

Result<void> Editor::frame(const shell::FrameInfo& info, render::DrawList& out) {
    workspace_.refresh();
    scene_.update();
    viewport_.draw(info.scale, out);
    return {};
}

void Editor::do_wishes() {
    if (!app_) return;
    if (std::exchange(workspace_.wishes.screenshot, false)) {
        const std::string file = workspace_.free_name(".png");
        app_->save_picture(file, [this, file](const Result<void>& written) {
            if (workspace_.tell(written)) workspace_.messages.add(Severity::info, "Wrote the picture '" + file + "'.");
        });
    }
    if (std::exchange(workspace_.wishes.quit, false)) app_->quit();
    if (app_->has_window()) {
        const std::string title = workspace_.document.title() + " - Proxima";
        if (title != title_) app_->window()->set_title(title_ = title);
    }
}

bool Editor::on_close() {
    if (!workspace_.document.is_dirty()) return true;
    workspace_.quit();
    return false;
}

void Editor::save_what_matters() {
    const Result<std::string> saved = workspace_.rescue();
    if (!saved)
        log_error("Unsaved changes could not be written: {}", saved.error());
    else if (!saved->empty())
        log_warning("Unsaved changes were written to '{}'.", *saved);
}

void Editor::take_log() {
    std::vector<std::pair<LogLevel, std::string>> taken;
    {
        const std::lock_guard lock(log_mutex_);
        taken.swap(log_);
    }
    for (const auto& [level, text] : taken)
        workspace_.messages.add(level == LogLevel::error     ? Severity::error
                                : level == LogLevel::warning ? Severity::warning
                                                             : Severity::info,
                                text);
}

}  // namespace proxima::editor
