// SPDX-License-Identifier: MIT
#include "samples/games/marble_run.h"

#include <algorithm>
#include <cmath>

#include "physics/scene/scene.h"
#include "samples/games/bodies.h"
#include "samples/games/picking.h"
#include "samples/scenes/game_scenes.h"

namespace proxima::games {

using namespace physics;

namespace {

constexpr GameInfo kInfo{
    "marble_run",
    "Marble Run",
    "Three pieces of the track are out of place; they are orange.\n"
    "Drag them with the left button, W and S lift and lower them, Q, E or scrolling turn them.\n"
    "Space opens the gate, Backspace takes the marbles back.",
    "All marbles end in the bowl.",
    1.0f / 60.0f,
};

constexpr float kTurn = kPi / 12.0f;
constexpr float kMostSeconds = 60.0f, kDoneSeconds = 1.0f;
constexpr Vec3 kAway{0.0f, -50.0f, 0.0f};
/// Where the pieces are when the game begins.
constexpr MarbleRun::Offset kStartOffsets[] = {{0, 0, 3, 0}, {0, 0, 0, 2}, {-4, 0, 2, -1}};

Quat about_y(float angle) { return Quat(std::cos(0.5f * angle), 0.0f, std::sin(0.5f * angle), 0.0f); }

}  // namespace

const GameInfo& MarbleRun::info() const { return kInfo; }

render::Camera MarbleRun::camera() {
    render::Camera camera;
    camera.eye = {0.4f, 11.0f, 9.6f};
    camera.target = {1.0f, 3.6f, -0.3f};
    camera.field_of_view = 0.72f;
    return camera;
}

Result<void> MarbleRun::build(PhysicsWorld& world) {
    const samples::MarbleScene run = samples::marble_scene("marble_run", true);
    const Result<std::vector<Entity>> made = instantiate(run.scene, world);
    if (!made) return Error{made.error()};
    for (const uint32_t index : run.movable) {
        Piece& piece = pieces_.emplace_back();
        piece.body = made.value()[index];
        piece.home = pose_of(world, piece.body);
        // The floor is the first collider, a wall the second.
        const SceneBody& desc = run.scene.bodies[index];
        piece.half_extents = run.scene.shapes[desc.colliders[0].shape].half_extents;
        piece.half_extents.y = 2.0f * run.scene.shapes[desc.colliders[1].shape].half_extents.y;
    }
    ground_ = made.value()[0];
    for (uint32_t i = 0; i < run.pieces.count; ++i) track_.push_back(made.value()[run.pieces.first + i]);
    for (uint32_t i = 0; i < run.marbles.count; ++i) {
        marbles_.push_back(made.value()[run.marbles.first + i]);
        marble_homes_.push_back(pose_of(world, marbles_.back()));
    }
    gate_ = made.value()[run.gate];
    gate_home_ = pose_of(world, gate_);
    bowl_ = samples::to_float(run.bowl);
    bowl_radius_ = float(run.bowl_radius);
    bowl_height_ = float(run.bowl_height);
    offsets_.assign(std::begin(kStartOffsets), std::end(kStartOffsets));
    PX_ASSERT(offsets_.size() == pieces_.size(), "every movable piece has a place to begin at");
    for (uint32_t i = 0; i < pieces_.size(); ++i) place(world, i);
    return {};
}

void MarbleRun::restart() {
    offsets_.assign(std::begin(kStartOffsets), std::end(kStartOffsets));
    selected_ = kNone;
    dragging_ = false;
    drag_from_ = Vec3(0.0f);
    drag_offset_ = {};
    stage_ = Stage::building;
    arrived_ = lost_ = 0;
    rolling_time_ = done_time_ = 0.0f;
}

/// Exactly at home for the offset zero: the ends of neighbouring pieces meet to the last bit.
void MarbleRun::place(PhysicsWorld& world, uint32_t i) {
    const Piece& piece = pieces_[i];
    const Offset& offset = offsets_[i];
    Pose pose = piece.home;
    pose.position += kCell * Vec3(float(offset.x), float(offset.y), float(offset.z));
    if (offset.turn != 0) pose.rotation = about_y(kTurn * float(offset.turn)) * pose.rotation;
    world.registry().get<Pose>(piece.body) = pose;
}

uint32_t MarbleRun::pick(const PhysicsWorld& world, const GameInput& input, float& distance) const {
    uint32_t found = kNone;
    distance = 1e30f;
    for (uint32_t i = 0; i < pieces_.size(); ++i) {
        const std::optional<float> met = meet_box(input, transform_of(world, pieces_[i].body), pieces_[i].half_extents);
        if (!met || *met >= distance) continue;
        distance = *met;
        found = i;
    }
    return found;
}

void MarbleRun::select(const PhysicsWorld& world, const StepInput& input) {
    float distance = 0.0f;
    selected_ = pick(world, input.now, distance);
    dragging_ = selected_ != kNone;
    if (!dragging_) return;
    drag_from_ = input.now.ray_origin + distance * input.now.ray_direction;
    drag_offset_ = offsets_[selected_];
}

void MarbleRun::edit(PhysicsWorld& world, const StepInput& input) {
    if (input.pressed(kPrimary)) select(world, input);
    if (!input.held(kPrimary)) dragging_ = false;
    if (selected_ == kNone) return;
    Offset& offset = offsets_[selected_];
    const Offset before = offset;
    if (dragging_) {
        // In the horizontal plane of the point that was taken hold of.
        if (const std::optional<Vec3> at = meet_height(input.now, drag_from_.y)) {
            const Vec3 moved = *at - drag_from_;
            offset.x = drag_offset_.x + int(std::lround(std::clamp(moved.x, -10.0f, 10.0f) / kCell));
            offset.z = drag_offset_.z + int(std::lround(std::clamp(moved.z, -10.0f, 10.0f) / kCell));
        }
    }
    offset.y +=
        int(input.pressed(Key::w) || input.pressed(Key::up)) - int(input.pressed(Key::s) || input.pressed(Key::down));
    offset.y = std::clamp(offset.y, -20, 20);
    offset.turn += int(input.pressed(Key::q)) - int(input.pressed(Key::e)) + int(input.now.scroll > 0.0f) -
                   int(input.now.scroll < 0.0f);
    if (offset.turn > 12) offset.turn -= 24;
    if (offset.turn <= -12) offset.turn += 24;
    if (offset != before) place(world, selected_);
}

void MarbleRun::open_gate(PhysicsWorld& world) {
    world.registry().get<Pose>(gate_).position = kAway;
    for (const Entity marble : marbles_) (void)world.wake(marble);  // they exist
    stage_ = Stage::rolling;
    selected_ = kNone;
    dragging_ = false;
    rolling_time_ = done_time_ = 0.0f;
}

void MarbleRun::take_back(PhysicsWorld& world) {
    world.registry().get<Pose>(gate_) = gate_home_;
    for (size_t i = 0; i < marbles_.size(); ++i) put(world, marbles_[i], marble_homes_[i]);
    stage_ = Stage::building;
    arrived_ = lost_ = 0;
}

Result<void> MarbleRun::before_step(PhysicsWorld& world, const StepInput& input) {
    const bool won = stage_ == Stage::over && arrived_ == marble_count();
    if (input.pressed(Key::backspace) && !won) take_back(world);
    if (stage_ != Stage::building) return {};
    edit(world, input);
    if (input.pressed(Key::space)) open_gate(world);
    return {};
}

bool MarbleRun::in_bowl(const Vec3& at) const {
    const Vec3 d = at - bowl_;
    return d.x * d.x + d.z * d.z < bowl_radius_ * bowl_radius_ && d.y > 0.0f && d.y < bowl_height_;
}

Result<void> MarbleRun::after_step(PhysicsWorld& world) {
    if (stage_ != Stage::rolling) return {};
    const float dt = kInfo.step_seconds;
    rolling_time_ += dt;
    arrived_ = lost_ = 0;
    for (const Entity marble : marbles_) {
        const Vec3 at = pose_of(world, marble).position;
        if (in_bowl(at))
            ++arrived_;
        else if (at.y < 1.5f * float(samples::kMarbleRadius))
            ++lost_;
    }
    done_time_ = arrived_ + lost_ == marble_count() ? done_time_ + dt : 0.0f;
    if (done_time_ > kDoneSeconds || rolling_time_ > kMostSeconds) stage_ = Stage::over;
    return {};
}

GameState MarbleRun::state() const {
    GameState out;
    out.score = arrived_;
    const std::string of_all = std::to_string(arrived_) + " of " + std::to_string(marble_count());
    if (stage_ == Stage::over) {
        out.phase = arrived_ == marble_count() ? Phase::won : Phase::lost;
        out.message = out.phase == Phase::won ? "All marbles are in the bowl."
                                              : of_all + " arrived. Backspace takes the marbles back.";
    } else {
        out.message = stage_ == Stage::rolling ? of_all + " in the bowl" : "Space opens the gate";
    }
    return out;
}

void MarbleRun::add_to_hash(StateHash& hash) const {
    for (const Offset& o : offsets_)
        for (const int value : {o.x, o.y, o.z, o.turn}) hash.add(value);
    hash.add(selected_);
    hash.add(uint32_t(dragging_));
    hash.add(drag_from_);
    hash.add(stage_);
    hash.add(rolling_time_);
    hash.add(done_time_);
}

void MarbleRun::view(const PhysicsWorld& world, GameView& out) const {
    out.camera = camera();
    out.looks.push_back({ground_, render::rgba(96, 112, 122), 0});
    for (const Entity piece : track_) out.looks.push_back({piece, render::rgba(214, 196, 164), 0});
    constexpr render::Colour kGlass[] = {render::rgba(220, 60, 60),  render::rgba(60, 120, 220),
                                         render::rgba(60, 180, 90),  render::rgba(235, 190, 50),
                                         render::rgba(170, 80, 200), render::rgba(50, 190, 200)};
    for (uint32_t i = 0; i < marbles_.size(); ++i)
        out.looks.push_back({marbles_[i], kGlass[i % std::size(kGlass)], render::kChecker});
    for (uint32_t i = 0; i < pieces_.size(); ++i) {
        out.looks.push_back(
            {pieces_[i].body, render::rgba(230, 150, 60), i == selected_ ? uint32_t(render::kSelected) : 0u});
        if (i != selected_) continue;
        const Vec3 at = pose_of(world, pieces_[i].body).position;
        out.lines.push_back({at, {at.x, 0.0f, at.z}, render::rgba(255, 255, 255, 120), 1.5f});
    }
}

// ---- a player

namespace {

/// Takes one piece after the other, drags it home, turns it home, and opens the gate.
class MarblePlayer final : public Player {
  public:
    explicit MarblePlayer(const MarbleRun& game) : game_(game) {}

    GameInput next(const PhysicsWorld& world) override {
        GameInput input;
        ++steps_;
        const Vec3 eye = MarbleRun::camera().eye;
        if (piece_ >= game_.piece_count()) {
            if (steps_ > 60 && game_.building()) input.keys = bit(Key::space);
            return input;
        }
        const MarbleRun::Offset& offset = game_.offset(piece_);
        if (steps_ == 1) {
            grip_ = find_grip(world);
            goal_ = grip_ - MarbleRun::kCell * Vec3(float(offset.x), 0.0f, float(offset.z));
        }
        const float way = std::clamp(float(steps_ - 10) / 40.0f, 0.0f, 1.0f);
        point_at(input, eye, grip_ + way * (goal_ - grip_));
        if (steps_ > 5 && steps_ < 60) input.buttons = kPrimary;
        if (steps_ > 60 && steps_ % 6 == 0 && offset.turn != 0) input.keys = bit(offset.turn > 0 ? Key::e : Key::q);
        if (steps_ > 70 && offset.turn == 0) {
            ++piece_;
            steps_ = 0;
        }
        return input;
    }

  private:
    /// A point on the piece that no other piece hides, from its middle outwards.
    Vec3 find_grip(const PhysicsWorld& world) const {
        const Transform pose = transform_of(world, game_.piece(piece_));
        for (const float along : {0.0f, 0.3f, -0.3f, 0.6f, -0.6f, 0.9f, -0.9f}) {
            const Vec3 at = to_world(pose, {along * game_.half_extents(piece_).x, 0.05f, 0.0f});
            GameInput input;
            float distance = 0.0f;
            point_at(input, MarbleRun::camera().eye, at);
            if (game_.pick(world, input, distance) == piece_) return at;
        }
        return pose.position;
    }

    const MarbleRun& game_;
    uint32_t piece_ = 0;
    int steps_ = 0;
    Vec3 grip_{0.0f}, goal_{0.0f};
};

}  // namespace

std::unique_ptr<Player> make_marble_player(const Game& game) {
    return std::make_unique<MarblePlayer>(dynamic_cast<const MarbleRun&>(game));
}

}  // namespace proxima::games
