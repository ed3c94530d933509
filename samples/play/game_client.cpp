// SPDX-License-Identifier: MIT
#include "samples/play/game_client.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace proxima::play {

namespace {

using engine::Key;

constexpr float kTurnPerPixel = 0.006f, kZoomPerNotch = 0.9f;
/// Half of the way of a camera that jumps.
constexpr double kFollowSeconds = 0.12;
/// Most steps of a frame: a machine that is too slow plays slowly.
constexpr uint32_t kMaxSteps = 16;
/// s after the end until its page covers the world.
constexpr double kLookAtEnd = 1.0;
/// Pixels that the title takes from the texts of games.
constexpr float kBelowTitle = 44.0f;
/// The game behind the menu, and how fast the view goes around it, rad/s.
constexpr const char* kBackdrop = "castle";
constexpr double kBackdropTurn = 0.06;

}  // namespace

std::optional<games::Key> game_key(engine::Key key) {
    switch (key) {
        case Key::left:
            return games::Key::left;
        case Key::right:
            return games::Key::right;
        case Key::up:
            return games::Key::up;
        case Key::down:
            return games::Key::down;
        case Key::space:
            return games::Key::space;
        case Key::enter:
        case Key::pad_enter:
            return games::Key::enter;
        case Key::backspace:
            return games::Key::backspace;
        case Key::tab:
            return games::Key::tab;
        case Key::a:
            return games::Key::a;
        case Key::d:
            return games::Key::d;
        case Key::e:
            return games::Key::e;
        case Key::q:
            return games::Key::q;
        case Key::s:
            return games::Key::s;
        case Key::w:
            return games::Key::w;
        default:
            break;
    }
    if (key >= Key::digit_1 && key <= Key::digit_6)
        return games::Key(uint8_t(games::Key::digit1) + uint8_t(uint16_t(key) - uint16_t(Key::digit_1)));
    return std::nullopt;
}

Result<void> GameClient::on_start(shell::App& app) {
    app_ = &app;
    if (session_ || options_.game.empty()) return {};
    if (Result<void> started = start(options_.game); !started) return started;
    if (options_.scripted) set_page(Page::playing);
    return {};
}

Result<void> GameClient::start(std::string_view name) {
    Result<std::unique_ptr<games::Game>> game = games::make_game(name);
    if (!game) return Error{game.error()};
    Result<std::unique_ptr<games::GameSession>> session = games::GameSession::make(std::move(game.value()));
    if (!session) return Error{session.error()};
    session_ = std::move(session.value());
    entry_ = games::find_game(name);
    player_ = options_.scripted ? entry_->make_player(session_->game()) : nullptr;
    backdrop_.reset();
    drawing_ = std::make_unique<pictures::GameDrawing>();
    drawing_->begin(*session_);
    turned_ = {0.0f, 0.0f};
    zoom_ = 1.0f;
    camera_set_ = false;
    left_over_ = seconds_over_ = 0.0;
    alpha_ = 1.0f;
    set_page(Page::start);
    return {};
}

void GameClient::set_page(Page page) {
    page_ = page;
    keys_ = buttons_ = 0;
    scroll_ = 0.0f;
}

void GameClient::to_menu() {
    session_.reset();
    player_.reset();
    set_page(Page::menu);
}

void GameClient::restart() {
    if (Result<void> back = session_->restart(); !back) {
        problem_ = back.error();
        to_menu();
        return;
    }
    if (options_.scripted) player_ = entry_->make_player(session_->game());
    drawing_->begin(*session_);
    left_over_ = seconds_over_ = 0.0;
    set_page(Page::playing);
}

const render::MeshLibrary& GameClient::meshes() const { return drawing_ ? drawing_->meshes() : nothing_; }

void GameClient::on_key(const engine::KeyEvent& event, bool ui_has_it) {
    const std::optional<games::Key> key = game_key(event.key);
    if (!event.down) {
        if (key) keys_ &= ~games::bit(*key);
        return;
    }
    if (ui_has_it || event.repeated) return;
    const bool in_game = page_ == Page::playing;
    if (event.key == Key::escape) {
        if (page_ == Page::playing)
            set_page(Page::paused);
        else if (page_ == Page::paused)
            set_page(Page::playing);
        else if (page_ == Page::menu)
            app_->quit();
        else
            to_menu();
    } else if (event.key == Key::r && session_ && page_ != Page::start) {
        restart();
    } else if (event.key == Key::p && (in_game || page_ == Page::paused)) {
        set_page(in_game ? Page::paused : Page::playing);
    } else if (event.key == Key::c && session_) {
        turned_ = {0.0f, 0.0f};
        zoom_ = 1.0f;
    } else if (page_ == Page::start && (event.key == Key::enter || event.key == Key::space)) {
        set_page(Page::playing);
    } else if (in_game && key) {
        keys_ |= games::bit(*key);
    }
}

void GameClient::on_event(const engine::WindowEvent& event, const shell::EventUse& use) {
    if (const auto* key = std::get_if<engine::KeyEvent>(&event)) {
        on_key(*key, use.ui_text);
    } else if (const auto* button = std::get_if<engine::MouseButtonEvent>(&event)) {
        const uint32_t bit = button->button == engine::MouseButton::left     ? uint32_t(games::kPrimary)
                             : button->button == engine::MouseButton::middle ? uint32_t(games::kSecondary)
                                                                             : 0u;
        if (!button->down) {
            buttons_ &= ~bit;
            if (button->button == engine::MouseButton::right) orbiting_ = false;
        } else if (!use.ui_mouse) {
            if (page_ == Page::playing) buttons_ |= bit;
            if (button->button == engine::MouseButton::right) orbiting_ = true;
        }
        last_x_ = button->x;
        last_y_ = button->y;
    } else if (const auto* move = std::get_if<engine::MouseMoveEvent>(&event)) {
        if (orbiting_) {
            turned_.x -= kTurnPerPixel * (move->x - last_x_);
            turned_.y += kTurnPerPixel * (move->y - last_y_);
            turned_.y = std::clamp(turned_.y, -1.2f, 1.2f);
        }
        last_x_ = move->x;
        last_y_ = move->y;
    } else if (const auto* wheel = std::get_if<engine::ScrollEvent>(&event); wheel && !use.ui_mouse) {
        // While the view is turned the wheel is the camera's, otherwise the game's.
        if (page_ == Page::playing && !orbiting_)
            scroll_ += wheel->y;
        else
            zoom_ = std::clamp(zoom_ * std::pow(kZoomPerNotch, wheel->y), 0.25f, 4.0f);
    } else if (const auto* focus = std::get_if<engine::FocusEvent>(&event); focus && !focus->focused) {
        keys_ = buttons_ = 0;
        orbiting_ = false;
        if (page_ == Page::playing && !options_.scripted) set_page(Page::paused);
    }
}

games::GameInput GameClient::input(const shell::FrameInfo& info, const render::Camera& camera) {
    games::GameInput out;
    const render::Ray ray =
        render::ray_through(camera, {float(info.width), float(info.height)}, {info.mouse_x, info.mouse_y});
    out.ray_origin = ray.origin;
    out.ray_direction = ray.direction;
    out.scroll = std::exchange(scroll_, 0.0f);
    out.buttons = buttons_;
    out.keys = keys_;
    return out;
}

Result<void> GameClient::advance(const shell::FrameInfo& info, const games::GameInput& now) {
    const double dt = double(session_->game().info().step_seconds);
    left_over_ += info.seconds;
    games::GameInput given = now;
    uint32_t steps = 0;
    for (; left_over_ >= dt && steps < kMaxSteps; ++steps) {
        left_over_ -= dt;
        if (player_) given = player_->next(session_->world());
        if (Result<void> stepped = session_->step(given); !stepped) return stepped;
        drawing_->note_step(*session_);
        given.scroll = 0.0f;
        if (session_->game().state().phase != games::Phase::running) seconds_over_ += dt;
    }
    if (steps == 0) scroll_ += now.scroll;
    left_over_ = std::min(left_over_, dt);
    alpha_ = float(std::clamp(left_over_ / dt, 0.0, 1.0));
    return {};
}

void GameClient::move_camera(const shell::FrameInfo& info, render::DrawList& out) {
    render::Camera wanted = render::orbit(drawing_->camera(), turned_.x, turned_.y);
    wanted = render::dolly(wanted, wanted.target, zoom_);
    out.camera = camera_set_ && !orbiting_
                     ? render::mix_cameras(out.camera, wanted, float(1.0 - std::exp2(-info.seconds / kFollowSeconds)))
                     : wanted;
    camera_set_ = true;
}

Result<void> GameClient::draw_backdrop(const shell::FrameInfo& info, render::DrawList& out) {
    if (!backdrop_) {
        Result<std::unique_ptr<games::GameSession>> made =
            games::GameSession::make(games::find_game(kBackdrop)->make());
        if (!made) return Error{made.error()};
        backdrop_ = std::move(made.value());
        drawing_ = std::make_unique<pictures::GameDrawing>();
        drawing_->begin(*backdrop_);
    }
    menu_seconds_ += info.seconds;
    out.camera = render::orbit(drawing_->camera(), float(kBackdropTurn * menu_seconds_), 0.15f);
    out.camera = render::dolly(out.camera, out.camera.target, 0.6f);
    drawing_->draw(*backdrop_, 1.0f, info.scale, 0.0f, out);
    out.texts.clear();
    out.lines.clear();
    out.lines_on_top.clear();
    return {};
}

Result<void> GameClient::frame(const shell::FrameInfo& info, render::DrawList& out) {
    pictures::light_scene(out);
    out.grid.shown = false;
    if (!session_) return draw_backdrop(info, out);
    if (page_ == Page::playing || page_ == Page::over) {
        const games::GameInput now = input(info, out.camera);
        if (Result<void> advanced = advance(info, now); !advanced) {
            // The world cannot go on; the player can.
            problem_ = advanced.error();
            to_menu();
            return draw_backdrop(info, out);
        }
    }
    if (page_ == Page::playing && seconds_over_ >= kLookAtEnd) set_page(Page::over);
    drawing_->look(*session_);
    move_camera(info, out);
    drawing_->draw(*session_, alpha_, info.scale, page_ == Page::start ? 0.0f : kBelowTitle * info.scale, out);
    return {};
}

}  // namespace proxima::play
