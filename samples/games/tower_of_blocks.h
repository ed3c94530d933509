// SPDX-License-Identifier: MIT
// Tower of blocks: pull a block out with a spring that is only so strong, and lay it on top.
#pragma once

#include <memory>
#include <vector>

#include "samples/games/game.h"

namespace proxima::games {

class TowerOfBlocks final : public Game {
  public:
    const GameInfo& info() const override;
    Result<void> build(physics::PhysicsWorld& world) override;
    void restart() override;
    Result<void> before_step(physics::PhysicsWorld& world, const StepInput& input) override;
    Result<void> after_step(physics::PhysicsWorld& world) override;
    GameState state() const override;
    void add_to_hash(StateHash& hash) const override;
    void view(const physics::PhysicsWorld& world, GameView& out) const override;

    static constexpr int kGoalBlocks = 9, kMaxOnGround = 3;
    static constexpr uint32_t kNone = ~0u;
    static constexpr float kStrongest = 420.0f;  // N

    uint32_t held() const { return held_; }  // block in hand, or kNone
    int placed() const { return placed_; }
    int on_ground() const { return on_ground_; }  // blocks that lie where only the lowest three should
    uint32_t block_count() const { return uint32_t(blocks_.size()); }
    physics::Entity block(uint32_t i) const { return blocks_[i]; }
    const Vec3& half_extents(uint32_t i) const { return half_extents_[i]; }
    /// Blocks that carry nothing, as the maker of the tower knows them; from the top down.
    const std::vector<uint32_t>& loose() const { return loose_; }
    /// Where the hand pulls its block to, and by how much it has turned it about the vertical.
    const Vec3& hand() const { return hand_; }
    const Vec3& grip() const { return grip_; }  // the held point, in the block's frame
    float turned() const { return turned_; }
    static render::Camera camera();

  private:
    void grab(const physics::PhysicsWorld& world, const StepInput& input);
    void pull(physics::PhysicsWorld& world, const StepInput& input);
    void judge(const physics::PhysicsWorld& world);

    physics::Entity ground_ = physics::kNoEntity;
    std::vector<physics::Entity> blocks_;
    std::vector<Vec3> half_extents_;
    std::vector<uint32_t> loose_;

    // ---- what restart() sets back
    std::vector<uint8_t> pulled_, done_;  // by block: was in hand; lies on top and counts
    std::vector<uint8_t> touches_ground_;
    uint32_t held_ = kNone;
    Vec3 grip_{0.0f, 0.0f, 0.0f};  // in the block's frame
    Vec3 hand_{0.0f, 0.0f, 0.0f};
    float turned_ = 0.0f;           // heading that the block is held at, rad
    std::vector<float> rest_time_;  // of pulled blocks that nobody holds
    int placed_ = 0, on_ground_ = 0;
    Phase phase_ = Phase::running;
};

std::unique_ptr<Player> make_tower_player(const Game& game);

}  // namespace proxima::games
