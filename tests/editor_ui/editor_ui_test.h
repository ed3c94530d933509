// SPDX-License-Identifier: MIT
// The editor without a window, driven by scripts; any message of the validation layers fails the test.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/core/atomic_file.h"
#include "samples/editor/app/default_scene.h"
#include "samples/editor/app/editor.h"
#include "tests/support/temporary_folder.h"

namespace proxima::test {

/// Empty without a device; the words make ctest count the test as skipped.
struct EditorRig {
    explicit EditorRig(const std::string& scene_file = {}, uint32_t width = 1280, uint32_t height = 720)
        : width_(width), height_(height) {
        auto instance = engine::GpuInstance::create({{}, false, {}});
        if (!instance || instance.value()->devices().empty()) {
            std::printf("skipped: no Vulkan device\n");
            return;
        }
        editor::EditorOptions options;
        options.workspace.recent_store = (folder.path / "recent.txt").string();
        options.workspace.output_folder = folder.path.string();
        options.settings_file = (folder.path / "editor.json").string();
        editor = std::make_unique<editor::Editor>(options);
        const Result<void> filled = scene_file.empty() ? editor->workspace().document.set_scene(editor::default_scene())
                                                       : editor->workspace().document.open(scene_file);
        REQUIRE_MESSAGE(filled.ok(), filled.error());
    }
    ~EditorRig() {
        if (app_) {
            editor->leave_app();
            const std::shared_ptr<engine::GpuInstance> watched = app_->instance();
            app_.reset();
            for (const std::string& message : watched->messages()) FAIL_CHECK(message);
        }
    }
    EditorRig(const EditorRig&) = delete;
    EditorRig& operator=(const EditorRig&) = delete;
    explicit operator bool() const { return editor != nullptr; }

    /// Runs lines of a script to their end; the picture is that of the last frame.
    render::Picture run(const std::string& script) {
        Result<std::vector<editor::ScriptLine>> lines = editor::parse_script(script + "\nwait 3\nquit\n", "test");
        REQUIRE_MESSAGE(lines.ok(), lines.error());
        editor->play_script(std::move(lines.value()));
        if (!app_) open();
        shell::OffscreenRun run;
        run.frames = 4000;
        Result<render::Picture> picture = app_->run_offscreen(*editor, run);
        REQUIRE_MESSAGE(picture.ok(), picture.error());
        CHECK_MESSAGE(editor->script_error().empty(), editor->script_error());
        CHECK(editor->script_finished());
        return std::move(picture.value());
    }
    /// What the play was asked for is done first: it runs on a thread of its own, which may be behind.
    nlohmann::json report() {
        for (int i = 0; i < 3 && workspace().playing(); ++i) workspace().play.with_core([](editor::PlayCore&) {});
        workspace().update(0.0);
        return nlohmann::json::parse(editor->report());
    }
    editor::Workspace& workspace() { return editor->workspace(); }
    std::string file(const std::string& name) const { return (folder.path / name).string(); }

    TemporaryFolder folder;
    std::unique_ptr<editor::Editor> editor;

  private:
    void open() {
        shell::AppOptions options;
        options.width = width_;
        options.height = height_;
        options.scale = 1.0f;
        options.validation = true;
        options.renderer.msaa = 1;
        options.renderer.shadow_size = 512;
        options.renderer.shadow_taps = 4;
        auto opened = shell::App::open_offscreen(options);
        REQUIRE_MESSAGE(opened.ok(), opened.error());
        app_ = std::move(opened.value());
    }

    uint32_t width_, height_;
    std::unique_ptr<shell::App> app_;
};

}  // namespace proxima::test
