// SPDX-License-Identifier: MIT
// Domino run: a course with a gap. Draw what is missing, tap the first domino, and all must fall.
#pragma once

#include <memory>
#include <vector>

#include "samples/games/bodies.h"
#include "samples/games/game.h"
#include "samples/scenes/domino_layout.h"

namespace proxima::games {

class DominoRun final : public Game {
  public:
    const GameInfo& info() const override;
    Result<void> build(physics::PhysicsWorld& world) override;
    void restart() override;
    Result<void> before_step(physics::PhysicsWorld& world, const StepInput& input) override;
    Result<void> after_step(physics::PhysicsWorld& world) override;
    GameState state() const override;
    void add_to_hash(StateHash& hash) const override;
    void view(const physics::PhysicsWorld& world, GameView& out) const override;

    static constexpr uint32_t kBudget = 60;  // dominoes that the player has
    enum class Tool : uint8_t { curve, split, spiral, stairs, erase };

    Tool tool() const { return tool_; }
    bool building() const { return stage_ == Stage::building; }
    uint32_t count() const { return uint32_t(dominoes_.size()); }
    uint32_t own() const { return uint32_t(dominoes_.size()) - prepared_; }  // laid by the player
    physics::Entity domino(uint32_t i) const { return dominoes_[i]; }
    uint32_t fallen() const { return fallen_; }
    static render::Camera camera();

  private:
    enum class Stage : uint8_t { building, falling, over };

    void draw(const StepInput& input);
    Result<void> finish_stroke(physics::PhysicsWorld& world);
    void erase(physics::PhysicsWorld& world, const Vec3& at);
    Result<void> stand_up(physics::PhysicsWorld& world);
    void tap(physics::PhysicsWorld& world, uint32_t domino);
    uint32_t pick(const physics::PhysicsWorld& world, const StepInput& input) const;
    Result<physics::Entity> add_domino(physics::PhysicsWorld& world, const samples::DominoPlace& place) const;
    Result<physics::Entity> add_step(physics::PhysicsWorld& world, const samples::DominoStep& step) const;

    physics::BodyDesc domino_desc_;
    std::vector<physics::BodyDesc> step_descs_;  // by level, from 1
    samples::DominoLayout start_layout_;
    std::vector<physics::Entity> start_dominoes_;
    physics::Entity ground_ = physics::kNoEntity;
    uint32_t prepared_ = 0, prepared_steps_ = 0;

    // ---- what restart() sets back
    samples::DominoLayout layout_;            // prepared ones first
    std::vector<physics::Entity> dominoes_;   // beside layout_.dominoes
    std::vector<physics::Entity> own_steps_;  // beside the later part of layout_.steps
    std::vector<samples::Vec3d> stroke_;      // being drawn
    Tool tool_ = Tool::curve;
    Stage stage_ = Stage::building;
    uint32_t fallen_ = 0;
    float falling_time_ = 0.0f, still_time_ = 0.0f;
};

std::unique_ptr<Player> make_domino_player(const Game& game);

}  // namespace proxima::games
