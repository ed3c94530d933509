// SPDX-License-Identifier: MIT
#include "samples/games/bowling.h"

#include <algorithm>
#include <cmath>

#include "physics/scene/scene.h"
#include "samples/games/picking.h"
#include "samples/scenes/game_scenes.h"

namespace proxima::games {

using namespace physics;

namespace {

constexpr GameInfo kInfo{
    "bowling",
    "Bowling",
    "Ten frames, two throws each.\n"
    "Point where the ball should go. A and D move it along the line, scrolling gives it spin.\n"
    "Hold the left button for power and let go.",
    "Reach 80 points in ten frames.",
    1.0f / 240.0f,
};

constexpr float kLaneY = float(samples::kLaneTop), kRadius = float(samples::kBallRadius);
constexpr float kMostAside = float(samples::kLaneHalfWidth) - kRadius, kMostAngle = 0.06f;
constexpr float kSlowest = 4.5f, kFastest = 9.0f;  // m/s
constexpr float kMostSpin = 30.0f;                 // rad/s about the line of the throw
constexpr float kChargeSeconds = 1.2f;             // from nothing to full power; then back, and so on
constexpr float kStandsUpright = 0.9f;             // cosine: 26 degrees
constexpr float kStill = 0.08f, kStillSeconds = 0.6f, kMostSeconds = 8.0f;

/// Of the parts of the lane.
render::Colour colour_of(std::string_view part) {
    if (part == "oiled boards") return render::rgba(214, 170, 112);
    if (part == "dry boards") return render::rgba(198, 152, 96);
    if (part == "deck") return render::rgba(184, 138, 84);
    if (part == "gutter") return render::rgba(58, 60, 68);
    if (part == "kerb") return render::rgba(110, 82, 58);
    if (part == "ground") return render::rgba(70, 74, 84);
    return render::rgba(120, 46, 52);  // walls and cushion
}

/// 0, up to 1 and down again.
float swing(float t) {
    const float phase = std::fmod(t, 2.0f);
    return phase < 1.0f ? phase : 2.0f - phase;
}

}  // namespace

const GameInfo& Bowling::info() const { return kInfo; }

render::Camera Bowling::camera() {
    render::Camera camera;
    camera.eye = {0.0f, 2.0f, 3.4f};
    camera.target = {0.0f, 0.1f, -8.0f};
    camera.field_of_view = 0.6f;
    return camera;
}

Vec3 Bowling::start_place() const { return {place_, kLaneY + kRadius, 0.0f}; }

Result<void> Bowling::build(PhysicsWorld& world) {
    const samples::BowlingScene lane = samples::bowling_scene("bowling");
    const Result<std::vector<Entity>> made = instantiate(lane.scene, world);
    if (!made) return Error{made.error()};
    ball_ = made.value()[lane.ball];
    for (uint32_t i = 0; i < lane.pins.first; ++i)
        lane_looks_.push_back({made.value()[i], colour_of(lane.scene.bodies[i].name), 0});
    for (uint32_t i = 0; i < lane.pins.count; ++i) {
        start_pins_.push_back(made.value()[lane.pins.first + i]);
        spots_.push_back(samples::to_float(lane.spots[i]));
    }
    pin_desc_ = desc_of(world, start_pins_[0]);
    pin_desc_.mass = lane.scene.bodies[lane.pins.first].mass;
    return {};
}

void Bowling::restart() {
    pins_ = start_pins_;
    score_ = {};
    stage_ = Stage::aiming;
    place_ = angle_ = spin_ = power_ = 0.0f;
    charging_ = false;
    charge_time_ = roll_time_ = still_time_ = 0.0f;
    last_pins_ = -1;
}

void Bowling::aim(PhysicsWorld& world, const StepInput& input) {
    const float dt = kInfo.step_seconds;
    const float to_right =
        float(input.held(Key::d) || input.held(Key::right)) - float(input.held(Key::a) || input.held(Key::left));
    place_ = std::clamp(place_ + 0.4f * dt * to_right, -kMostAside, kMostAside);
    spin_ = std::clamp(spin_ + 0.1f * input.now.scroll, -1.0f, 1.0f);
    if (const std::optional<Vec3> at = meet_height(input.now, kLaneY); at && at->z < -1.0f)
        angle_ = std::clamp(std::atan2(at->x - place_, -at->z), -kMostAngle, kMostAngle);

    if (input.pressed(kPrimary)) {
        charging_ = true;
        charge_time_ = 0.0f;
    }
    if (charging_) {
        charge_time_ += dt;
        power_ = swing(charge_time_ / kChargeSeconds);
    }
    put(world, ball_, {start_place(), {1.0f, 0.0f, 0.0f, 0.0f}});
    if (charging_ && !input.held(kPrimary)) release(world);
}

void Bowling::release(PhysicsWorld& world) {
    const float speed = kSlowest + power_ * (kFastest - kSlowest);
    const Vec3 ahead{std::sin(angle_), 0.0f, -std::cos(angle_)};
    // Half of a rolling spin, so that it glides first, and a turn about the line of the throw: where it
    // touches the boards that one slips sideways and bends the path.
    const Vec3 rolling = glm::cross(Vec3(0.0f, 1.0f, 0.0f), ahead) * (0.5f * speed / kRadius);
    Velocity& velocity = world.registry().get<Velocity>(ball_);
    velocity.linear = speed * ahead;
    velocity.angular = rolling - ahead * (kMostSpin * spin_);
    stage_ = Stage::rolling;
    charging_ = false;
    power_ = roll_time_ = still_time_ = 0.0f;
}

Result<void> Bowling::before_step(PhysicsWorld& world, const StepInput& input) {
    if (stage_ == Stage::aiming) aim(world, input);
    return {};
}

bool Bowling::stands(const PhysicsWorld& world, size_t pin) const {
    if (pins_[pin] == kNoEntity) return false;
    return uprightness(world, pins_[pin]) > kStandsUpright && pose_of(world, pins_[pin]).position.y > kLaneY - 0.05f;
}

int Bowling::count_standing(const PhysicsWorld& world) const {
    int count = 0;
    for (size_t i = 0; i < pins_.size(); ++i) count += stands(world, i);
    return count;
}

Result<void> Bowling::after_step(PhysicsWorld& world) {
    if (stage_ != Stage::rolling) return {};
    const float dt = kInfo.step_seconds;
    roll_time_ += dt;
    // The throw is over when the ball is through and what is left of the pins has come to rest.
    const bool through =
        pose_of(world, ball_).position.z < float(samples::kHeadPin) - 1.0f || restlessness(world, ball_) < kStill;
    float unrest = 0.0f;
    for (const Entity pin : pins_)
        if (pin != kNoEntity && pose_of(world, pin).position.y > kLaneY - 0.05f)
            unrest = std::max(unrest, restlessness(world, pin));
    still_time_ = through && unrest < kStill ? still_time_ + dt : 0.0f;
    if (still_time_ < kStillSeconds && roll_time_ < kMostSeconds) return {};
    return end_throw(world);
}

Result<void> Bowling::end_throw(PhysicsWorld& world) {
    const int before = score_.standing();
    last_pins_ = before - std::min(before, count_standing(world));
    score_.add(last_pins_);
    for (size_t i = 0; i < pins_.size(); ++i) {  // sweep away what does not stand
        if (pins_[i] == kNoEntity || stands(world, i)) continue;
        world.destroy_body(pins_[i]);
        pins_[i] = kNoEntity;
    }
    spin_ = 0.0f;
    put(world, ball_, {start_place(), {1.0f, 0.0f, 0.0f, 0.0f}});
    stage_ = score_.over() ? Stage::over : Stage::aiming;
    if (score_.fresh_rack() && !score_.over()) return set_rack(world);
    return {};
}

Result<void> Bowling::set_rack(PhysicsWorld& world) {
    for (size_t i = 0; i < pins_.size(); ++i) {
        if (pins_[i] != kNoEntity) world.destroy_body(pins_[i]);
        const Result<Entity> pin = make_body(world, pin_desc_, {spots_[i], {1.0f, 0.0f, 0.0f, 0.0f}});
        if (!pin) return Error{pin.error()};
        pins_[i] = pin.value();
    }
    return {};
}

GameState Bowling::state() const {
    GameState out;
    out.score = score_.total();
    if (stage_ == Stage::over) {
        out.phase = out.score >= kGoalPoints ? Phase::won : Phase::lost;
        out.message = std::to_string(out.score) + " points in ten frames.";
        return out;
    }
    out.message =
        "Frame " + std::to_string(score_.frame() + 1) + ", throw " + std::to_string(score_.throw_in_frame() + 1);
    if (last_pins_ >= 0)
        out.message += score_.fresh_rack() && last_pins_ == BowlingScore::kPins
                           ? ". Strike!"
                           : ". " + std::to_string(last_pins_) + (last_pins_ == 1 ? " pin." : " pins.");
    return out;
}

void Bowling::add_to_hash(StateHash& hash) const {
    hash.add(stage_);
    for (const float value : {place_, angle_, spin_, power_, charge_time_, roll_time_, still_time_}) hash.add(value);
    for (const int pins : score_.throws()) hash.add(pins);
    for (const Entity pin : pins_) hash.add(uint32_t(pin));
}

void Bowling::view(const PhysicsWorld& world, GameView& out) const {
    out.camera = camera();
    const Vec3 ball = pose_of(world, ball_).position;
    if (stage_ == Stage::rolling) {  // follow the ball, and stay in front of the pins
        out.camera.eye.z = std::max(ball.z + 3.4f, float(samples::kHeadPin) + 3.6f);
        out.camera.target.z = out.camera.eye.z - 8.0f;
    }
    out.looks.assign(lane_looks_.begin(), lane_looks_.end());
    out.looks.push_back({ball_, render::rgba(36, 60, 140), render::kChecker});
    for (const Entity pin : pins_)
        if (pin != kNoEntity) out.looks.push_back({pin, render::rgba(245, 240, 230), 0});
    if (stage_ == Stage::aiming) {
        const Vec3 from{place_, kLaneY + 0.01f, 0.0f};
        const Vec3 ahead{std::sin(angle_), 0.0f, -std::cos(angle_)};
        const render::Colour colour = charging_ ? render::rgba(255, 140, 30) : render::rgba(90, 220, 120);
        out.lines_on_top.push_back({from, from + (charging_ ? 2.0f + 6.0f * power_ : 5.0f) * ahead, colour, 3.0f});
        out.texts.push_back({"spin " + std::to_string(int(std::lround(spin_ * 10.0f))), ball + Vec3(0.2f, 0.15f, 0.0f),
                             false, false, 14.0f});
    }
    std::string card;
    int sum = 0;
    for (int frame = 0; frame < BowlingScore::kFrames; ++frame) {
        const bool begun = frame < score_.frame() || (frame == score_.frame() && score_.throw_in_frame() > 0);
        sum += score_.frame_points(frame);
        card += (frame ? "  " : "") + (begun ? std::to_string(sum) : std::string("-"));
    }
    out.texts.push_back(
        {card, {16.0f, 64.0f, 0.0f}, true, false, 18.0f, render::rgba(255, 255, 255), render::rgba(0, 0, 0, 140)});
}

// ---- a player

namespace {

class BowlingPlayer final : public Player {
  public:
    explicit BowlingPlayer(const Bowling& game) : game_(game) {}

    /// Beside the head pin, into the pocket; at the foremost of the pins that a first throw left.
    GameInput next(const PhysicsWorld& world) override {
        GameInput input;
        Vec3 target{kPocket, kLaneY, float(samples::kHeadPin)};
        if (!game_.score().fresh_rack())
            for (size_t i = 0; i < game_.spot_count(); ++i)
                if (game_.stands(world, i)) {
                    target = {game_.pin_place(world, i).x, kLaneY, game_.pin_place(world, i).z};
                    break;
                }
        point_at(input, Bowling::camera().eye, target);
        if (game_.stage() != Bowling::Stage::aiming) {
            held_ = false;
            return input;
        }
        if (!held_ || game_.power() < 0.75f) {
            input.buttons = kPrimary;
            held_ = true;
        }
        return input;
    }

  private:
    static constexpr float kPocket = 0.055f;  // m beside the middle
    const Bowling& game_;
    bool held_ = false;
};

}  // namespace

std::unique_ptr<Player> make_bowling_player(const Game& game) {
    return std::make_unique<BowlingPlayer>(dynamic_cast<const Bowling&>(game));
}

}  // namespace proxima::games
