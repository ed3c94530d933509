// SPDX-License-Identifier: MIT
// The games in a window: menu, start page, score, pause, camera, end page. The games themselves know nothing
// of it; they get one GameInput per step.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "render/camera_control.h"
#include "samples/games/game_list.h"
#include "samples/games/session.h"
#include "samples/pictures/game_scene.h"
#include "samples/shell/app.h"

namespace proxima::play {

struct PlayOptions {
    std::string game;       // empty: the menu
    bool scripted = false;  // the game's own player plays
};

/// The key of a game that a key of the keyboard is; nothing for all others.
std::optional<games::Key> game_key(engine::Key key);

class GameClient final : public shell::AppClient {
  public:
    explicit GameClient(PlayOptions options) : options_(std::move(options)) {}

    Result<void> on_start(shell::App& app) override;
    void on_event(const engine::WindowEvent& event, const shell::EventUse& use) override;
    void ui(const shell::FrameInfo& info) override;
    Result<void> frame(const shell::FrameInfo& info, render::DrawList& out) override;
    const render::MeshLibrary& meshes() const override;

    /// Starts a game from its first page; a sentence when there is none of that name.
    Result<void> start(std::string_view name);
    enum class Page : uint8_t { menu, start, playing, paused, over };
    Page page() const { return page_; }
    const games::GameSession* session() const { return session_.get(); }

  private:
    void menu(const shell::FrameInfo& info);
    void start_page(const shell::FrameInfo& info);
    void play_bar(const shell::FrameInfo& info);
    void pause_page(const shell::FrameInfo& info);
    void end_page(const shell::FrameInfo& info);
    void to_menu();
    void restart();
    void set_page(Page page);
    void on_key(const engine::KeyEvent& event, bool ui_has_it);
    Result<void> draw_backdrop(const shell::FrameInfo& info, render::DrawList& out);
    void move_camera(const shell::FrameInfo& info, render::DrawList& out);
    games::GameInput input(const shell::FrameInfo& info, const render::Camera& camera);
    Result<void> advance(const shell::FrameInfo& info, const games::GameInput& input);

    PlayOptions options_;
    shell::App* app_ = nullptr;
    Page page_ = Page::menu;
    std::unique_ptr<games::GameSession> session_;
    std::unique_ptr<games::Player> player_;
    std::unique_ptr<pictures::GameDrawing> drawing_;
    const games::GameEntry* entry_ = nullptr;
    std::unique_ptr<games::GameSession> backdrop_;  // behind the menu; stands still
    render::MeshLibrary nothing_;
    std::string problem_;  // a sentence for the menu

    uint32_t keys_ = 0, buttons_ = 0;
    float scroll_ = 0.0f;
    bool orbiting_ = false;
    float last_x_ = 0.0f, last_y_ = 0.0f;
    Vec2 turned_{0.0f, 0.0f};  // rad, by the player, over the game's own camera
    float zoom_ = 1.0f;
    bool camera_set_ = false;
    float alpha_ = 1.0f;
    double menu_seconds_ = 0.0;
    double left_over_ = 0.0;  // s that the scripted player has not stepped yet
    double seconds_over_ = 0.0;
};

}  // namespace proxima::play
