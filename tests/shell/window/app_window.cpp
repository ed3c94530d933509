// SPDX-License-Identifier: MIT
// The loop in a real window: it opens, hears real keys and clicks, and closes.
#include <imgui.h>

#include <cstdlib>

#include "tests/shell/shell_test.h"

using namespace proxima;
using namespace proxima::engine;
using namespace proxima::shell;
using proxima::test::TestClient;

namespace {

/// Empty without a display or a device; the words make ctest count the test as skipped.
std::unique_ptr<App> open_app() {
    if (const auto extensions = window_extensions(); !extensions) {
        std::printf("skipped: no display (%s)\n", extensions.error().c_str());
        return nullptr;
    }
    auto instance = GpuInstance::create({{}, false, {}});
    if (!instance || instance.value()->devices().empty()) {
        std::printf("skipped: no Vulkan device\n");
        return nullptr;
    }
    AppOptions options = test::small_app();
    options.measure = true;
    auto app = App::open(options);
    REQUIRE_MESSAGE(app.ok(), app.error());
    return std::move(app.value());
}

void no_messages(std::unique_ptr<App>& app) {
    const std::shared_ptr<GpuInstance> instance = app->instance();
    app.reset();
    for (const std::string& message : instance->messages()) FAIL_CHECK(message);
}

}  // namespace

TEST_CASE("a window opens, shows frames of its size, and closes when its client lets it") {
    std::unique_ptr<App> app = open_app();
    if (!app) return;
    TestClient client;
    uint64_t frames = 0;
    client.draw = [&](const FrameInfo& info, render::DrawList&) {
        CHECK(info.width == app->window()->width());
        CHECK(info.height == app->window()->height());
        CHECK(info.seconds <= kLongestFrame);
        if (++frames == 8) app->quit();
        return Result<void>();
    };
    const Result<void> ran = app->run(client);
    REQUIRE_MESSAGE(ran.ok(), ran.error());
    CHECK(frames == 8);
    CHECK(client.starts == 1);
    CHECK(app->times().build.size() == 8);
    CHECK(app->times().frame.size() == 7);
    CHECK(app->times().summary().starts_with("7 frames: median "));
    no_messages(app);
}

TEST_CASE("a real click presses a button, and a real key reaches the client") {
    std::unique_ptr<App> app = open_app();
    if (!app) return;
    if (std::system("command -v xdotool > /dev/null 2>&1") != 0) {
        MESSAGE("not run: xdotool is not installed");
        return;
    }
    TestClient client;
    int clicks = 0;
    client.panels = [&](const FrameInfo& info) {
        ImGui::SetNextWindowPos({0.0f, 0.0f});
        ImGui::SetNextWindowSize({float(info.width), float(info.height)});
        ImGui::Begin("all", nullptr, ImGuiWindowFlags_NoDecoration);
        if (ImGui::Button("press", ImGui::GetContentRegionAvail())) ++clicks;
        ImGui::End();
    };
    client.draw = [&](const FrameInfo& info, render::DrawList&) {
        // The window lies somewhere on the screen; it is found by its title.
        if (info.number == 5)
            CHECK(std::system("xdotool search --name '^Proxima$' mousemove --window %1 90 60 click 1 key a") == 0);
        bool key = false;
        for (const WindowEvent& event : client.events)
            if (const auto* k = std::get_if<KeyEvent>(&event)) key = key || (k->key == Key::a && !k->down);
        if ((clicks > 0 && key) || info.number > 600) app->quit();
        return Result<void>();
    };
    const Result<void> ran = app->run(client);
    REQUIRE_MESSAGE(ran.ok(), ran.error());
    CHECK(clicks == 1);
    no_messages(app);
}
