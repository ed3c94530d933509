// SPDX-License-Identifier: MIT
// GameSession: a game with its world, in fixed steps, and the list of inputs that made it what it is; the
// same inputs give the same world again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/ecs/world.h"
#include "engine/jobs/jobs.h"
#include "engine/time/fixed_step.h"
#include "samples/games/game.h"

namespace proxima::games {

/// A played game: what is needed to see it again, and to know that it is the same.
struct GameRecording {
    std::string game;               // name, as in game_list()
    std::vector<GameInput> inputs;  // one per step
    uint64_t hash = 0;              // after the last step
};

class GameSession {
  public:
    /// Builds the game's world.
    static Result<std::unique_ptr<GameSession>> make(std::unique_ptr<Game> game,
                                                     std::unique_ptr<engine::Jobs> jobs = engine::make_serial_jobs());

    /// One step of info().step_seconds.
    Result<void> step(const GameInput& input);
    /// The steps that are due after so many seconds of real time. Scrolling counts for the first of them; if
    /// none is due it is kept for the next.
    Result<engine::FrameSteps> update(double elapsed_seconds, const GameInput& input);
    void set_paused(bool paused) { clock_.set_paused(paused); }
    /// Back to the moment after the build; the recording begins anew.
    Result<void> restart();

    Game& game() { return *game_; }
    const Game& game() const { return *game_; }
    physics::PhysicsWorld& world() { return *world_; }
    const physics::PhysicsWorld& world() const { return *world_; }
    uint64_t steps() const { return inputs_.size(); }
    double seconds() const { return double(steps()) * double(game_->info().step_seconds); }
    /// Over the world, the game's own state and the number of steps.
    uint64_t hash() const;
    GameRecording recording() const;
    /// Clears `out` and lets the game fill it.
    void view(GameView& out) const;

  private:
    GameSession(std::unique_ptr<Game> game, std::unique_ptr<engine::Jobs> jobs);

    std::unique_ptr<Game> game_;
    std::unique_ptr<physics::PhysicsWorld> world_;
    engine::Snapshot start_;
    engine::FixedStep clock_;
    std::vector<GameInput> inputs_;
    float pending_scroll_ = 0.0f;
};

Result<void> save_recording(const GameRecording& recording, const std::string& file);
Result<GameRecording> load_recording(const std::string& file);

/// Plays the inputs again from the start. The session is handed back as it is after the last of them; an
/// error when its hash is not that of the recording.
Result<std::unique_ptr<GameSession>> replay(const GameRecording& recording,
                                            std::unique_ptr<engine::Jobs> jobs = engine::make_serial_jobs());

}  // namespace proxima::games
