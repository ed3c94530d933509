// SPDX-License-Identifier: MIT
// What the games' window says in words: menu, start page, bar while playing, pause, end.
#include <imgui.h>

#include <string>

#include "samples/play/game_client.h"

namespace proxima::play {

namespace {

constexpr ImGuiWindowFlags kCard = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;

/// A card whose point (pivot_x, pivot_y), as a part of its size, lies at a part of the picture.
void begin_card(const char* name, const shell::FrameInfo& info, ImVec2 at, ImVec2 pivot, float width = 0.0f) {
    ImGui::SetNextWindowPos({at.x * float(info.width), at.y * float(info.height)}, ImGuiCond_Always, pivot);
    if (width > 0.0f) ImGui::SetNextWindowSize({width * info.scale, 0.0f});
    ImGui::SetNextWindowBgAlpha(0.94f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {20.0f * info.scale, 16.0f * info.scale});
    ImGui::Begin(name, nullptr, kCard);
    ImGui::PopStyleVar();
}

void text_in(ImFont* font, const std::string& text) {
    ImGui::PushFont(font);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopFont();
}

void quiet(const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(0.66f, 0.70f, 0.76f, 1.0f));
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopStyleColor();
}

bool wide_button(const char* words, float scale, bool main = false) {
    if (main) {
        ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(0.80f, 0.45f, 0.10f, 1.0f));
        ImGui::PushStyleColor(ImGuiCol_ButtonHovered, ImVec4(0.90f, 0.54f, 0.16f, 1.0f));
        ImGui::PushStyleColor(ImGuiCol_ButtonActive, ImVec4(0.70f, 0.38f, 0.08f, 1.0f));
    }
    const bool pressed = ImGui::Button(words, {ImGui::GetContentRegionAvail().x, 38.0f * scale});
    if (main) ImGui::PopStyleColor(3);
    return pressed;
}

constexpr const char* kShellKeys =
    "The right mouse button turns the view, with the wheel brings it nearer; C sets it back.\n"
    "R begins anew, P pauses, Esc shows the menu.";

}  // namespace

void GameClient::ui(const shell::FrameInfo& info) {
    switch (page_) {
        case Page::menu:
            menu(info);
            break;
        case Page::start:
            start_page(info);
            break;
        case Page::playing:
            play_bar(info);
            break;
        case Page::paused:
            play_bar(info);
            pause_page(info);
            break;
        case Page::over:
            play_bar(info);
            end_page(info);
            break;
    }
}

void GameClient::menu(const shell::FrameInfo& info) {
    begin_card("menu", info, {0.5f, 0.5f}, {0.5f, 0.5f}, 460.0f);
    text_in(app_->ui().fonts().large, "Proxima games");
    ImGui::Spacing();
    std::string chosen;
    for (const games::GameEntry& entry : games::game_list()) {
        const std::string title(entry.title);
        if (wide_button(title.c_str(), info.scale)) chosen = entry.name;
    }
    if (!problem_.empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(1.0f, 0.6f, 0.5f, 1.0f));
        ImGui::TextWrapped("%s", problem_.c_str());
        ImGui::PopStyleColor();
    }
    ImGui::Spacing();
    if (wide_button("Leave", info.scale)) app_->quit();
    ImGui::End();
    if (chosen.empty()) return;
    problem_.clear();
    if (Result<void> started = start(chosen); !started) problem_ = started.error();
}

void GameClient::start_page(const shell::FrameInfo& info) {
    const games::GameInfo& game = session_->game().info();
    begin_card("start", info, {0.5f, 0.5f}, {0.5f, 0.5f}, 620.0f);
    text_in(app_->ui().fonts().large, std::string(game.title));
    ImGui::Spacing();
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(game.start.data(), game.start.data() + game.start.size());
    ImGui::Spacing();
    ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(1.0f, 0.84f, 0.47f, 1.0f));
    ImGui::TextUnformatted(("Goal: " + std::string(game.goal)).c_str());
    ImGui::PopStyleColor();
    ImGui::Spacing();
    quiet(kShellKeys);
    ImGui::PopTextWrapPos();
    ImGui::Spacing();
    const bool play = wide_button("Play", info.scale, true);
    const bool back = wide_button("Other games", info.scale);
    ImGui::End();
    if (play) set_page(Page::playing);
    if (back) to_menu();
}

void GameClient::play_bar(const shell::FrameInfo& info) {
    const games::GameInfo& game = session_->game().info();
    const games::GameState state = session_->game().state();
    const float gap_x = 16.0f * info.scale / float(info.width), gap_y = 14.0f * info.scale / float(info.height);
    begin_card("title", info, {gap_x, gap_y}, {0.0f, 0.0f});
    text_in(app_->ui().fonts().heading, std::string(game.title));
    quiet(std::string(game.goal));
    ImGui::End();

    begin_card("score", info, {1.0f - gap_x, gap_y}, {1.0f, 0.0f});
    quiet("score");
    ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(1.0f, 0.84f, 0.47f, 1.0f));
    text_in(app_->ui().fonts().large, std::to_string(state.score));
    ImGui::PopStyleColor();
    ImGui::End();

    if (!state.message.empty() && page_ == Page::playing) {
        begin_card("message", info, {0.5f, gap_y}, {0.5f, 0.0f});
        text_in(app_->ui().fonts().heading, state.message);
        ImGui::End();
    }
    if (page_ == Page::playing && !options_.scripted) {
        begin_card("keys", info, {1.0f - gap_x, 1.0f - gap_y}, {1.0f, 1.0f});
        quiet("R anew   P pause   Esc menu");
        ImGui::End();
    }
}

void GameClient::pause_page(const shell::FrameInfo& info) {
    const games::GameInfo& game = session_->game().info();
    begin_card("pause", info, {0.5f, 0.5f}, {0.5f, 0.5f}, 560.0f);
    text_in(app_->ui().fonts().large, "Paused");
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted(game.start.data(), game.start.data() + game.start.size());
    ImGui::Spacing();
    quiet(kShellKeys);
    ImGui::PopTextWrapPos();
    ImGui::Spacing();
    const bool on = wide_button("Go on", info.scale, true);
    const bool anew = wide_button("Begin anew", info.scale);
    const bool other = wide_button("Other games", info.scale);
    const bool leave = wide_button("Leave", info.scale);
    ImGui::End();
    if (on) set_page(Page::playing);
    if (anew) restart();
    if (other) to_menu();
    if (leave) app_->quit();
}

void GameClient::end_page(const shell::FrameInfo& info) {
    const games::GameState state = session_->game().state();
    const bool won = state.phase == games::Phase::won;
    begin_card("end", info, {0.5f, 0.96f}, {0.5f, 1.0f}, 480.0f);
    ImGui::PushStyleColor(ImGuiCol_Text, won ? ImVec4(0.62f, 0.94f, 0.55f, 1.0f) : ImVec4(1.0f, 0.62f, 0.50f, 1.0f));
    text_in(app_->ui().fonts().large, won ? "Done!" : "Not this time");
    ImGui::PopStyleColor();
    ImGui::PushTextWrapPos(0.0f);
    ImGui::TextUnformatted((state.message + "  Score " + std::to_string(state.score) + ".").c_str());
    ImGui::PopTextWrapPos();
    ImGui::Spacing();
    const bool anew = wide_button("Play again", info.scale, true);
    const bool other = wide_button("Other games", info.scale);
    ImGui::End();
    if (anew) restart();
    if (other) to_menu();
}

}  // namespace proxima::play
