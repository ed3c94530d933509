// SPDX-License-Identifier: MIT
// Apps without a window for tests; any message of the validation layers fails the test.
#pragma once

#include <doctest/doctest.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "samples/shell/app.h"

namespace proxima::test {

inline shell::AppOptions small_app(uint32_t width = 320, uint32_t height = 200) {
    shell::AppOptions options;
    options.width = width;
    options.height = height;
    options.validation = true;
    options.renderer.msaa = 1;
    options.renderer.shadow_size = 256;
    options.renderer.shadow_taps = 4;
    return options;
}

/// Empty without a device; the words make ctest count the test as skipped.
struct ShellRig {
    explicit ShellRig(const shell::AppOptions& options = small_app()) {
        auto instance = engine::GpuInstance::create({{}, false, {}});
        if (!instance || instance.value()->devices().empty()) {
            std::printf("skipped: no Vulkan device\n");
            return;
        }
        auto opened = shell::App::open_offscreen(options);
        REQUIRE_MESSAGE(opened.ok(), opened.error());
        app = std::move(opened.value());
        watched_ = app->instance();
    }
    ~ShellRig() {
        app.reset();
        if (!watched_) return;
        for (const std::string& message : watched_->messages()) FAIL_CHECK(message);
    }
    ShellRig(const ShellRig&) = delete;
    ShellRig& operator=(const ShellRig&) = delete;
    explicit operator bool() const { return app != nullptr; }
    shell::App* operator->() const { return app.get(); }

    std::unique_ptr<shell::App> app;

  private:
    std::shared_ptr<engine::GpuInstance> watched_;
};

/// A client made of functions; those that are missing do nothing.
struct TestClient : shell::AppClient {
    std::function<void(const shell::FrameInfo&)> panels;
    std::function<Result<void>(const shell::FrameInfo&, render::DrawList&)> draw;
    std::function<bool()> close;
    std::vector<engine::WindowEvent> events;
    std::vector<shell::EventUse> uses;
    int starts = 0, saves = 0;
    render::MeshLibrary library;

    Result<void> on_start(shell::App&) override {
        ++starts;
        return {};
    }
    void on_event(const engine::WindowEvent& event, const shell::EventUse& use) override {
        events.push_back(event);
        uses.push_back(use);
    }
    void ui(const shell::FrameInfo& info) override {
        if (panels) panels(info);
    }
    Result<void> frame(const shell::FrameInfo& info, render::DrawList& out) override {
        out.environment.show_sky = false;
        out.grid.shown = false;
        return draw ? draw(info, out) : Result<void>();
    }
    const render::MeshLibrary& meshes() const override { return library; }
    bool on_close() override { return close ? close() : true; }
    void save_what_matters() override { ++saves; }
};

inline std::vector<shell::TimedEvent> click(uint64_t frame, float x, float y) {
    return {{frame, engine::MouseMoveEvent{x, y}},
            {frame, engine::MouseButtonEvent{engine::MouseButton::left, true, x, y, {}}},
            {frame, engine::MouseButtonEvent{engine::MouseButton::left, false, x, y, {}}}};
}

/// How many different colours a picture has, up to a limit.
size_t count_colours(const render::Picture& picture, size_t most = 1000);

}  // namespace proxima::test
