// SPDX-License-Identifier: MIT
// A game as pictures: what its view asks for, over its world; and films of games played by their own players.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/core/result.h"
#include "samples/games/game_list.h"
#include "samples/games/session.h"
#include "samples/pictures/film.h"
#include "samples/pictures/world_view.h"

namespace proxima::pictures {

/// Draws a session into lists, for windows and films.
class GameDrawing {
  public:
    /// After the build, and after every restart.
    void begin(const games::GameSession& session);
    void note_step(const games::GameSession& session) { view_.note_step(session.world()); }
    /// Lets the game say what it wants shown; camera() is then the game's.
    void look(const games::GameSession& session);
    const render::Camera& camera() const { return wishes_.camera; }
    /// Appends everything but words of the shell to a list whose camera is set. `scale` is that of texts;
    /// those in pixels begin below `top`.
    void draw(const games::GameSession& session, float alpha, float scale, float top, render::DrawList& out);
    const render::MeshLibrary& meshes() const { return view_.meshes(); }

  private:
    WorldView view_;
    WorldPaint paint_;
    games::GameView wishes_;
};

/// A session in a film, with its title, score and message.
class GameScene final : public FilmScene {
  public:
    explicit GameScene(games::GameSession& session) : session_(session) {}
    const physics::PhysicsWorld& world() const override { return session_.world(); }
    void begin() override { drawing_.begin(session_); }
    void note_step() override { drawing_.note_step(session_); }
    void draw(float alpha, double seconds, const Studio& studio, render::DrawList& out) override;
    const render::MeshLibrary& meshes() const override { return drawing_.meshes(); }

  private:
    games::GameSession& session_;
    GameDrawing drawing_;
    bool begun_ = false;
};

struct GameFilmResult {
    games::GameState state;
    double seconds = 0.0;  // played
    uint64_t steps = 0;
    std::string summary;  // what lies where
};

/// Lets a game's own player play until the game is over and a little longer, or for so many steps (0: until
/// then, but at most five minutes), and films it. `progress` hears of every step.
Result<GameFilmResult> film_game(const games::GameEntry& game, const FilmOptions& options, uint64_t max_steps,
                                 const std::function<void(uint64_t step, const games::GameState&)>& progress);

}  // namespace proxima::pictures
