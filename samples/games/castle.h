// SPDX-License-Identifier: MIT
// Castle: a catapult against a castle without mortar. Aim, hold for power, and bring down the flags.
#pragma once

#include <memory>
#include <vector>

#include "samples/games/bodies.h"
#include "samples/games/game.h"

namespace proxima::games {

class Castle final : public Game {
  public:
    const GameInfo& info() const override;
    Result<void> build(physics::PhysicsWorld& world) override;
    void restart() override;
    Result<void> before_step(physics::PhysicsWorld& world, const StepInput& input) override;
    Result<void> after_step(physics::PhysicsWorld& world) override;
    GameState state() const override;
    void add_to_hash(StateHash& hash) const override;
    void view(const physics::PhysicsWorld& world, GameView& out) const override;

    static constexpr int kStones = 10;
    enum class Stage : uint8_t { aiming, swinging, flying, over };

    Stage stage() const { return stage_; }
    float power() const { return power_; }
    float elevation() const { return elevation_; }  // rad
    int stones_left() const { return stones_left_; }
    uint32_t flag_count() const { return uint32_t(flags_.size()); }
    physics::Entity flag(uint32_t i) const { return flags_[i]; }
    bool flag_down(uint32_t i) const { return flag_down_[i] != 0; }
    int destroyed() const { return destroyed_; }  // stones of the castle that were moved
    /// Where a stone leaves the cup, and how fast for a power from 0 to 1.
    Vec3 release_point() const;
    static float launch_speed(float power);
    static render::Camera camera();

  private:
    Vec3 launch_direction() const;
    Vec3 side_axis() const;                // about which the arm swings forward
    Quat arm_rotation(float angle) const;  // angle of the arm above the way ahead
    Vec3 cup(float angle) const;
    void aim(physics::PhysicsWorld& world, const StepInput& input);
    void begin_swing();
    Result<void> swing(physics::PhysicsWorld& world);
    Result<void> launch(physics::PhysicsWorld& world);
    void judge(const physics::PhysicsWorld& world);

    physics::BodyDesc stone_desc_;
    physics::Entity ground_ = physics::kNoEntity, arm_ = physics::kNoEntity, loaded_ = physics::kNoEntity;
    std::vector<physics::Entity> stones_, flags_;  // of the castle
    std::vector<Vec3> stone_homes_, flag_homes_;

    // ---- what restart() sets back
    Stage stage_ = Stage::aiming;
    float azimuth_ = 0.0f, elevation_ = 0.0f, power_ = 0.0f;
    bool charging_ = false;
    float charge_time_ = 0.0f, swing_time_ = 0.0f, flight_time_ = 0.0f;
    float arm_angle_ = 0.0f;
    int stones_left_ = kStones, destroyed_ = 0;
    std::vector<uint8_t> flag_down_, stone_moved_;
    std::vector<physics::Entity> thrown_;
    Phase phase_ = Phase::running;
};

std::unique_ptr<Player> make_castle_player(const Game& game);

}  // namespace proxima::games
