// SPDX-License-Identifier: MIT
// Marble run: three pieces of a track are out of place. Put them right, open the gate, and all marbles must
// reach the bowl.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "samples/games/game.h"

namespace proxima::games {

class MarbleRun final : public Game {
  public:
    const GameInfo& info() const override;
    Result<void> build(physics::PhysicsWorld& world) override;
    void restart() override;
    Result<void> before_step(physics::PhysicsWorld& world, const StepInput& input) override;
    Result<void> after_step(physics::PhysicsWorld& world) override;
    GameState state() const override;
    void add_to_hash(StateHash& hash) const override;
    void view(const physics::PhysicsWorld& world, GameView& out) const override;

    /// How far a piece is from where it belongs: grid cells, and turns of 15 degrees about the vertical.
    struct Offset {
        int x = 0, y = 0, z = 0, turn = 0;
        bool operator==(const Offset&) const = default;
    };
    static constexpr uint32_t kNone = ~0u;
    static constexpr float kCell = 0.25f;  // m

    bool building() const { return stage_ == Stage::building; }
    uint32_t piece_count() const { return uint32_t(pieces_.size()); }
    physics::Entity piece(uint32_t i) const { return pieces_[i].body; }
    physics::Entity marble(uint32_t i) const { return marbles_[i]; }
    const Offset& offset(uint32_t i) const { return offsets_[i]; }
    uint32_t selected() const { return selected_; }
    int arrived() const { return arrived_; }
    int marble_count() const { return int(marbles_.size()); }
    /// The movable piece that the pointer meets first, or kNone; and how far away.
    uint32_t pick(const physics::PhysicsWorld& world, const GameInput& input, float& distance) const;
    const Vec3& half_extents(uint32_t i) const { return pieces_[i].half_extents; }
    static render::Camera camera();

  private:
    enum class Stage : uint8_t { building, rolling, over };
    struct Piece {
        physics::Entity body = physics::kNoEntity;
        physics::Pose home;       // where it belongs
        Vec3 half_extents{0.0f};  // of a box around it
    };

    void edit(physics::PhysicsWorld& world, const StepInput& input);
    void select(const physics::PhysicsWorld& world, const StepInput& input);
    void place(physics::PhysicsWorld& world, uint32_t piece);
    void open_gate(physics::PhysicsWorld& world);
    void take_back(physics::PhysicsWorld& world);
    bool in_bowl(const Vec3& at) const;

    std::vector<Piece> pieces_;           // that can be moved
    std::vector<physics::Entity> track_;  // all pieces
    physics::Entity ground_ = physics::kNoEntity;
    std::vector<physics::Entity> marbles_;
    std::vector<physics::Pose> marble_homes_;
    physics::Entity gate_ = physics::kNoEntity;
    physics::Pose gate_home_;
    Vec3 bowl_{0.0f};
    float bowl_radius_ = 0.0f, bowl_height_ = 0.0f;

    // ---- what restart() sets back
    std::vector<Offset> offsets_;  // by piece
    uint32_t selected_ = kNone;
    bool dragging_ = false;
    Vec3 drag_from_{0.0f};
    Offset drag_offset_;
    Stage stage_ = Stage::building;
    int arrived_ = 0, lost_ = 0;
    float rolling_time_ = 0.0f, done_time_ = 0.0f;
};

std::unique_ptr<Player> make_marble_player(const Game& game);

}  // namespace proxima::games
