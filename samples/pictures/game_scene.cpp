// SPDX-License-Identifier: MIT
#include "samples/pictures/game_scene.h"

#include <algorithm>
#include <cmath>

#include "render/camera_control.h"

namespace proxima::pictures {

namespace {

constexpr double kMaxSeconds = 300.0, kSecondsAfterEnd = 2.0;
constexpr double kFollowSeconds = 0.15;

render::Text line(std::string text, float x, float y, float size, render::Colour colour) {
    render::Text out;
    out.text = std::move(text);
    out.position = {x, y, 0.0f};
    out.in_pixels = true;
    out.size = size;
    out.colour = colour;
    out.behind = render::rgba(18, 22, 30, 150);
    return out;
}

}  // namespace

void GameDrawing::begin(const games::GameSession& session) {
    view_.begin(session.world());
    look(session);
}

void GameDrawing::look(const games::GameSession& session) { session.view(wishes_); }

void GameDrawing::draw(const games::GameSession& session, float alpha, float scale, float top, render::DrawList& out) {
    light_scene(out);
    out.grid.shown = false;
    paint_.clear();
    for (const games::BodyLook& body : wishes_.looks) {
        paint_.colours.push_back({body.body, body.colour});
        if (body.flags & render::kSelected) paint_.selected.push_back(body.body);
    }
    view_.draw(session.world(), alpha, paint_, out);
    out.lines.insert(out.lines.end(), wishes_.lines.begin(), wishes_.lines.end());
    out.lines_on_top.insert(out.lines_on_top.end(), wishes_.lines_on_top.begin(), wishes_.lines_on_top.end());
    for (const render::Text& text : wishes_.texts) {
        out.texts.push_back(text);
        if (text.in_pixels) out.texts.back().position = text.position * scale + Vec3(0.0f, top, 0.0f);
    }
}

void GameScene::draw(float alpha, double seconds, const Studio& studio, render::DrawList& out) {
    drawing_.look(session_);
    // Cameras of games jump when a shot is over; here they glide.
    out.camera =
        begun_ ? render::mix_cameras(out.camera, drawing_.camera(), float(1.0 - std::exp2(-seconds / kFollowSeconds)))
               : drawing_.camera();
    begun_ = true;
    const float s = studio.scale();
    drawing_.draw(session_, alpha, s, 0.0f, out);
    const games::GameInfo& info = session_.game().info();
    const games::GameState state = session_.game().state();
    out.texts.push_back(line(std::string(info.title), 20.0f * s, 16.0f * s, 26.0f, render::rgba(255, 255, 255)));
    out.texts.push_back(line("score " + std::to_string(state.score), float(studio.width()) - 150.0f * s, 16.0f * s,
                             24.0f, render::rgba(255, 214, 120)));
    if (!state.message.empty()) {
        render::Text message = line(state.message, 0.5f * float(studio.width()), 18.0f * s, 20.0f,
                                    state.phase == games::Phase::won    ? render::rgba(150, 235, 140)
                                    : state.phase == games::Phase::lost ? render::rgba(255, 140, 120)
                                                                        : render::rgba(255, 255, 255));
        message.centred = true;
        out.texts.push_back(std::move(message));
    }
}

Result<GameFilmResult> film_game(const games::GameEntry& entry, const FilmOptions& options, uint64_t max_steps,
                                 const std::function<void(uint64_t, const games::GameState&)>& progress) {
    Result<std::unique_ptr<Film>> film = Film::open(options);
    if (!film) return Error{film.error()};
    Result<std::unique_ptr<games::GameSession>> made = games::GameSession::make(entry.make());
    if (!made) return Error{made.error()};
    games::GameSession& session = *made.value();
    const std::unique_ptr<games::Player> player = entry.make_player(session.game());
    const double dt = double(session.game().info().step_seconds);
    if (max_steps == 0) max_steps = uint64_t(kMaxSeconds / dt);
    GameScene scene(session);
    if (Result<void> begun = film.value()->begin(scene); !begun) return Error{begun.error()};
    double after = 0.0;
    while (session.steps() < max_steps && after < kSecondsAfterEnd) {
        if (Result<void> stepped = session.step(player->next(session.world())); !stepped)
            return Error{"Step " + std::to_string(session.steps()) + ": " + stepped.error()};
        if (Result<void> taken = film.value()->after_step(scene, dt); !taken) return Error{taken.error()};
        if (progress) progress(session.steps(), session.game().state());
        if (session.game().state().phase != games::Phase::running) after += dt;
    }
    if (Result<void> finished = film.value()->finish(scene); !finished) return Error{finished.error()};
    return GameFilmResult{session.game().state(), session.seconds(), session.steps(), film.value()->summary()};
}

}  // namespace proxima::pictures
