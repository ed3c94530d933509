// SPDX-License-Identifier: MIT
// Bowling: aim, hold for power, release. Ten frames, with the real rules.
#pragma once

#include <memory>
#include <vector>

#include "samples/games/bodies.h"
#include "samples/games/bowling_score.h"
#include "samples/games/game.h"

namespace proxima::games {

class Bowling final : public Game {
  public:
    const GameInfo& info() const override;
    Result<void> build(physics::PhysicsWorld& world) override;
    void restart() override;
    Result<void> before_step(physics::PhysicsWorld& world, const StepInput& input) override;
    Result<void> after_step(physics::PhysicsWorld& world) override;
    GameState state() const override;
    void add_to_hash(StateHash& hash) const override;
    void view(const physics::PhysicsWorld& world, GameView& out) const override;

    static constexpr int kGoalPoints = 80;
    enum class Stage : uint8_t { aiming, rolling, over };
    Stage stage() const { return stage_; }
    const BowlingScore& score() const { return score_; }
    physics::Entity ball() const { return ball_; }
    float power() const { return power_; }  // 0 to 1, while the button is held
    /// Pins of the present rack that stand.
    int count_standing(const physics::PhysicsWorld& world) const;
    /// Whether a pin of the present rack stands, and where; by spot, from the head pin back.
    bool stands(const physics::PhysicsWorld& world, size_t pin) const;
    size_t spot_count() const { return spots_.size(); }
    Vec3 pin_place(const physics::PhysicsWorld& world, size_t pin) const { return pose_of(world, pins_[pin]).position; }
    static render::Camera camera();

  private:
    void aim(physics::PhysicsWorld& world, const StepInput& input);
    void release(physics::PhysicsWorld& world);
    Result<void> end_throw(physics::PhysicsWorld& world);
    Result<void> set_rack(physics::PhysicsWorld& world);
    Vec3 start_place() const;

    physics::BodyDesc pin_desc_;
    std::vector<Vec3> spots_;
    std::vector<BodyLook> lane_looks_;
    physics::Entity ball_ = physics::kNoEntity;
    std::vector<physics::Entity> start_pins_;

    // ---- what restart() sets back
    std::vector<physics::Entity> pins_;  // by spot; kNoEntity: swept away
    BowlingScore score_;
    Stage stage_ = Stage::aiming;
    float place_ = 0.0f;  // of the ball across the lane, m
    float angle_ = 0.0f;  // of the throw, rad to the right
    float spin_ = 0.0f;   // -1 to 1, positive curves to the left
    float power_ = 0.0f;
    bool charging_ = false;
    float charge_time_ = 0.0f, roll_time_ = 0.0f, still_time_ = 0.0f;
    int last_pins_ = -1;
};

std::unique_ptr<Player> make_bowling_player(const Game& game);

}  // namespace proxima::games
