// SPDX-License-Identifier: MIT
// The editor as a program with a picture: panels around the world, in a window or without one.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/log.h"
#include "engine/core/result.h"
#include "samples/editor/app/panels.h"
#include "samples/editor/app/scene_view.h"
#include "samples/editor/app/script.h"
#include "samples/editor/app/viewport.h"
#include "samples/editor/app/workspace.h"
#include "samples/shell/app.h"
#include "samples/shell/app_client.h"

namespace proxima::editor {

struct EditorOptions {
    WorkspaceOptions workspace;
    std::string settings_file = default_settings_file();  // empty: nothing is kept
    std::string report_file;                              // written anew whenever something changed
    std::vector<ScriptLine> script;
};

class Editor final : public shell::AppClient {
  public:
    explicit Editor(EditorOptions options);
    ~Editor() override;

    Workspace& workspace() { return workspace_; }
    ViewportPanel& viewport() { return viewport_; }
    EditorSettings& settings() { return settings_; }
    PanelState& panels() { return state_; }
    const WidgetRects& widgets() const { return widgets_; }
    /// What can be seen from outside, as JSON: for scripts and tests.
    std::string report();
    /// From the next frame on, instead of what is left of another.
    void play_script(std::vector<ScriptLine> lines);
    /// Why the script ended early, or empty.
    const std::string& script_error() const { return script_error_; }
    /// Called once, when the second frame begins: then the first one has been handed to the screen.
    void set_first_picture(std::function<void()> then) { first_picture_ = std::move(then); }
    /// Before the app goes away: what is asked of it later is not done.
    void leave_app();
    bool script_finished() const { return !script_ || script_->finished(); }

    Result<void> on_start(shell::App& app) override;
    void on_event(const engine::WindowEvent& event, const shell::EventUse& use) override;
    void ui(const shell::FrameInfo& info) override;
    Result<void> frame(const shell::FrameInfo& info, render::DrawList& out) override;
    const render::MeshLibrary& meshes() const override { return scene_.meshes(); }
    bool on_close() override;
    void save_what_matters() override;

  private:
    void on_key(const engine::KeyEvent& event, const shell::EventUse& use);
    PointerState pointer() const;
    void draw_panels(const shell::FrameInfo& info);
    void splitters(float em);
    void do_wishes();
    void take_log();
    void write_report();
    void keep_settings();
    std::optional<ScriptPixel> find_pixel(const std::string& name) const;
    ScriptHost script_host();

    EditorOptions options_;
    EditorSettings settings_;
    Workspace workspace_;
    SceneView scene_{workspace_};
    ViewportPanel viewport_{workspace_, scene_};
    PanelState state_;
    WidgetRects widgets_;
    shell::App* app_ = nullptr;
    bool greeted_ = false;
    std::function<void()> first_picture_;
    std::string title_;
    std::string last_report_;
    uint64_t reported_frames_ = 0;
    float frames_per_second_ = 0.0f;
    bool keys_held_[512] = {};
    std::vector<std::pair<engine::KeyEvent, shell::EventUse>> keys_;  // of this frame
    std::unique_ptr<ScriptPlayer> script_;
    std::string script_error_;
    std::mutex log_mutex_;
    std::vector<std::pair<LogLevel, std::string>> log_;  // of all threads; guarded by log_mutex_
};

}  // namespace proxima::editor
