// SPDX-License-Identifier: MIT
// Panels without a display: drawn, clicked and typed into by scripted events.
#include <imgui.h>

#include <cstdlib>

#include "tests/shell/shell_test.h"

using namespace proxima;
using namespace proxima::engine;
using namespace proxima::shell;
using proxima::test::ShellRig;
using proxima::test::TestClient;

namespace {

/// A window at a known place with one button at a known place.
struct Panel {
    int clicks = 0;
    char text[64] = "";
    void operator()(const FrameInfo&) {
        ImGui::SetNextWindowPos({20.0f, 20.0f});
        ImGui::SetNextWindowSize({200.0f, 150.0f});
        ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoDecoration);
        ImGui::SetCursorPos({20.0f, 20.0f});
        if (ImGui::Button("press", {100.0f, 40.0f})) ++clicks;
        ImGui::SetCursorPos({20.0f, 80.0f});
        ImGui::SetNextItemWidth(150.0f);
        ImGui::InputText("##text", text, sizeof(text));
        ImGui::End();
    }
};

std::vector<TimedEvent> join(std::vector<TimedEvent> a, const std::vector<TimedEvent>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

}  // namespace

TEST_CASE("a button is drawn and can be clicked without a display") {
    ShellRig rig;
    if (!rig) return;
    Panel panel;
    TestClient client;
    client.panels = std::ref(panel);
    OffscreenRun run;
    run.frames = 12;
    // Pressed and let go in one frame, as it arrives on a slow machine; and once beside the button.
    run.events = join(test::click(2, 90.0f, 60.0f), test::click(7, 300.0f, 190.0f));
    const Result<render::Picture> picture = rig->run_offscreen(client, run);
    REQUIRE_MESSAGE(picture.ok(), picture.error());
    CHECK(panel.clicks == 1);
    CHECK(picture->width == 320);
    CHECK(picture->height == 200);
    const auto at = [&](uint32_t x, uint32_t y) { return &picture->pixels[(size_t(y) * 320 + x) * 4]; };
    // Button, panel and what is behind them differ; the words have many shades.
    CHECK(at(45, 45)[0] != at(30, 30)[0]);
    CHECK(at(30, 30)[2] != at(310, 10)[2]);
    CHECK(test::count_colours(picture.value()) > 20);
}

TEST_CASE("what panels take is marked when the world hears of it") {
    ShellRig rig;
    if (!rig) return;
    Panel panel;
    TestClient client;
    client.panels = std::ref(panel);
    OffscreenRun run;
    run.frames = 16;
    run.events = join(test::click(3, 90.0f, 60.0f), test::click(8, 300.0f, 190.0f));
    REQUIRE(rig->run_offscreen(client, run).ok());
    std::vector<bool> taken;
    for (size_t i = 0; i < client.events.size(); ++i)
        if (const auto* button = std::get_if<MouseButtonEvent>(&client.events[i]); button && button->down)
            taken.push_back(client.uses[i].ui_mouse);
    REQUIRE(taken.size() == 2);
    CHECK(taken[0]);
    CHECK_FALSE(taken[1]);
}

TEST_CASE("text is typed, copied and put back") {
    ShellRig rig;
    if (!rig) return;
    Panel panel;
    TestClient client;
    client.panels = std::ref(panel);
    OffscreenRun run;
    run.frames = 60;
    run.events = test::click(2, 60.0f, 115.0f);
    const auto key = [&](uint64_t frame, Key k, bool control = false) {
        run.events.push_back({frame, KeyEvent{k, true, false, {false, control}}});
        run.events.push_back({frame, KeyEvent{k, false, false, {false, control}}});
    };
    for (const char letter : std::string("arch 25")) {
        run.events.push_back({8, KeyEvent{Key::a, true}});
        run.events.push_back({8, TextEvent{char32_t(letter)}});
        run.events.push_back({8, KeyEvent{Key::a, false}});
    }
    key(30, Key::a, true);
    key(32, Key::c, true);
    key(34, Key::end);
    key(36, Key::v, true);
    REQUIRE(rig->run_offscreen(client, run).ok());
    CHECK(std::string(panel.text) == "arch 25arch 25");
}

TEST_CASE("a font that is no font leaves simple letters and a note") {
#ifndef _WIN32
    setenv("PROXIMA_FONT", PROXIMA_SOURCE_DIR "/CMakeLists.txt", 1);
    const UiBridge bridge(1.0f);
    unsetenv("PROXIMA_FONT");
    CHECK(bridge.note().find("fonts-dejavu-core") != std::string::npos);
    CHECK(bridge.font_picture().width > 0);
#endif
}

TEST_CASE("another scale makes larger letters and widgets") {
    UiBridge bridge(1.0f);
    const uint32_t before = bridge.font_picture().height * bridge.font_picture().width;
    bridge.set_scale(2.0f);
    CHECK(bridge.font_picture().height * bridge.font_picture().width > before);
    bridge.set_font_texture(0);
    bridge.begin_frame(0.01, 640, 400);
    ImGui::Begin("a");
    CHECK(ImGui::GetFontSize() == 30.0f);
    CHECK(ImGui::GetStyle().FramePadding.x == 16.0f);
    ImGui::End();
    CHECK(bridge.end_frame().width == 640.0f);
}

TEST_CASE("more panels than sixteen bits can count are drawn") {
    UiBridge bridge(1.0f);
    bridge.begin_frame(0.01, 640, 400);
    ImDrawList& list = *ImGui::GetForegroundDrawList();
    for (int i = 0; i < 30000; ++i)
        list.AddRectFilled({float(i % 600), float(i % 380)}, {float(i % 600) + 5.0f, 390.0f}, 0xFF00FFFFu);
    const render::UiDrawData& data = bridge.end_frame();
    CHECK(data.vertices.size() >= 120000);
    uint64_t drawn = 0;
    for (const render::UiCommand& command : data.commands) {
        drawn += command.index_count;
        for (uint32_t i = command.first_index; i < command.first_index + command.index_count; ++i)
            REQUIRE(command.first_vertex + data.indices[i] < data.vertices.size());
    }
    CHECK(drawn == data.indices.size());
}
