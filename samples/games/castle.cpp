// SPDX-License-Identifier: MIT
#include "samples/games/castle.h"

#include <algorithm>
#include <cmath>

#include "physics/scene/scene.h"
#include "samples/games/picking.h"
#include "samples/scenes/game_scenes.h"

namespace proxima::games {

using namespace physics;

namespace {

constexpr GameInfo kInfo{
    "castle",
    "Castle",
    "Ten stones against a castle without mortar.\n"
    "Point where to throw, W and S raise and lower the throw.\n"
    "Hold the left button for power and let go.",
    "Bring down all three flags.",
    1.0f / 120.0f,
};

constexpr Vec3 kPivot{-20.0f, 1.1f, 0.0f};
constexpr float kArmLength = 2.4f, kStoneRadius = 0.4f, kStoneDensity = 3000.0f;
constexpr float kRestAngle = 3.55f;                                        // rad: behind the pivot and a little down
constexpr float kSlowest = 8.0f, kFastest = 24.0f;                         // m/s
constexpr float kLowest = 0.25f, kHighest = 1.1f, kStartElevation = 0.6f;  // rad
constexpr float kMostAside = 0.45f;                                        // rad
constexpr float kChargeSeconds = 1.5f, kReloadSeconds = 2.5f, kLastSeconds = 9.0f;
constexpr float kMovedFar = 0.4f;  // m: a stone of the castle that counts as destroyed
constexpr Vec3 kAway{-20.0f, -50.0f, 0.0f};

float to_and_fro(float t) {
    const float phase = std::fmod(t, 2.0f);
    return phase < 1.0f ? phase : 2.0f - phase;
}

Result<Entity> add_kinematic(PhysicsWorld& world, std::span<const std::pair<ShapeDesc, Vec3>> parts) {
    const Result<Entity> body = world.create_body({.type = BodyType::kinematic, .pose = {kAway}});
    if (!body) return body;
    for (const auto& [desc, at] : parts) {
        const Result<ShapeId> shape = world.shapes().add(desc);
        if (!shape) return Error{shape.error()};
        Collider collider;
        collider.shape = shape.value();
        collider.local.position = at;
        collider.mask = 0;  // for the eye only: what throws must not touch what it throws
        collider.layer = 2;
        if (const Result<Entity> added = world.add_collider(body.value(), collider); !added) return added;
    }
    return body;
}

}  // namespace

const GameInfo& Castle::info() const { return kInfo; }

render::Camera Castle::camera() {
    render::Camera camera;
    camera.eye = {-32.0f, 4.8f, 5.5f};
    camera.target = {-2.0f, 1.3f, 0.0f};
    camera.field_of_view = 0.56f;
    return camera;
}

float Castle::launch_speed(float power) { return kSlowest + power * (kFastest - kSlowest); }

Result<void> Castle::build(PhysicsWorld& world) {
    samples::CastleScene castle = samples::castle_scene("castle");
    castle.scene.settings.substeps = 4;  // steps are half as long as usual
    const Result<std::vector<Entity>> made = instantiate(castle.scene, world);
    if (!made) return Error{made.error()};
    ground_ = made.value()[0];
    for (uint32_t i = 0; i < castle.stones.count; ++i) {
        stones_.push_back(made.value()[castle.stones.first + i]);
        stone_homes_.push_back(pose_of(world, stones_.back()).position);
    }
    for (uint32_t i = 0; i < castle.flags.count; ++i) {
        flags_.push_back(made.value()[castle.flags.first + i]);
        flag_homes_.push_back(pose_of(world, flags_.back()).position);
    }
    ShapeDesc beam{.type = ShapeType::box, .half_extents = {0.5f * kArmLength, 0.09f, 0.09f}};
    ShapeDesc bowl{.type = ShapeType::box, .half_extents = {0.4f, 0.05f, 0.4f}};
    const std::pair<ShapeDesc, Vec3> arm[] = {{beam, {0.5f * kArmLength, 0.0f, 0.0f}},
                                              {bowl, {kArmLength, 0.05f, 0.0f}}};
    Result<Entity> body = add_kinematic(world, arm);
    if (!body) return Error{body.error()};
    arm_ = body.value();
    ShapeDesc ball{.type = ShapeType::sphere, .radius = kStoneRadius};
    const std::pair<ShapeDesc, Vec3> stone[] = {{ball, Vec3(0.0f)}};
    body = add_kinematic(world, stone);
    if (!body) return Error{body.error()};
    loaded_ = body.value();
    stone_desc_ = desc_of(world, loaded_);
    stone_desc_.type = BodyType::dynamic;
    stone_desc_.colliders[0].mask = 0xFFFFFFFFu;
    stone_desc_.colliders[0].layer = 1;
    stone_desc_.colliders[0].density = kStoneDensity;
    return {};
}

void Castle::restart() {
    stage_ = Stage::aiming;
    azimuth_ = power_ = 0.0f;
    elevation_ = kStartElevation;
    charging_ = false;
    charge_time_ = swing_time_ = flight_time_ = 0.0f;
    arm_angle_ = kRestAngle;
    stones_left_ = kStones;
    destroyed_ = 0;
    flag_down_.assign(flags_.size(), 0);
    stone_moved_.assign(stones_.size(), 0);
    thrown_.clear();
    phase_ = Phase::running;
}

Vec3 Castle::launch_direction() const {
    return {std::cos(azimuth_) * std::cos(elevation_), std::sin(elevation_), std::sin(azimuth_) * std::cos(elevation_)};
}
Vec3 Castle::side_axis() const { return {-std::sin(azimuth_), 0.0f, std::cos(azimuth_)}; }

Quat Castle::arm_rotation(float angle) const {
    const Quat yaw(std::cos(0.5f * azimuth_), 0.0f, -std::sin(0.5f * azimuth_), 0.0f);
    const Quat pitch(std::cos(0.5f * angle), 0.0f, 0.0f, std::sin(0.5f * angle));
    return yaw * pitch;
}
/// The middle of a stone in the cup; the cup's open side looks ahead when the arm stands up.
Vec3 Castle::cup(float angle) const { return kPivot + arm_rotation(angle) * Vec3(kArmLength, -kStoneRadius, 0.0f); }
/// The arm stops when it stands square to the throw.
Vec3 Castle::release_point() const { return cup(elevation_ + 0.5f * kPi); }

void Castle::aim(PhysicsWorld& world, const StepInput& input) {
    const float dt = kInfo.step_seconds;
    const float raise =
        float(input.held(Key::w) || input.held(Key::up)) - float(input.held(Key::s) || input.held(Key::down));
    elevation_ = std::clamp(elevation_ + 0.35f * dt * raise, kLowest, kHighest);
    // Where the pointer meets the castle's front, the plane x = 0.
    const GameInput& now = input.now;
    if (now.ray_direction.x > 1e-4f && now.ray_origin.x < 0.0f) {
        const float z = now.ray_origin.z - now.ray_origin.x / now.ray_direction.x * now.ray_direction.z;
        azimuth_ = std::clamp(std::atan2(z - kPivot.z, -kPivot.x), -kMostAside, kMostAside);
    }
    arm_angle_ = kRestAngle;
    world.registry().get<Pose>(arm_) = {kPivot, arm_rotation(arm_angle_)};
    world.registry().get<Velocity>(arm_) = {};
    world.registry().get<Pose>(loaded_) = {cup(arm_angle_), arm_rotation(arm_angle_)};

    if (input.pressed(kPrimary)) {
        charging_ = true;
        charge_time_ = 0.0f;
    }
    if (!charging_) return;
    if (!input.held(kPrimary)) {
        begin_swing();
        return;
    }
    charge_time_ += dt;
    power_ = to_and_fro(charge_time_ / kChargeSeconds);
}

void Castle::begin_swing() {
    stage_ = Stage::swinging;
    charging_ = false;
    swing_time_ = 0.0f;
}

/// The arm goes from rest to the speed of the throw with even acceleration: w^2 = 2 a d, t = 2 d / w. It
/// moves by its velocity, as every kinematic body; the loaded stone is put where the cup will be.
Result<void> Castle::swing(PhysicsWorld& world) {
    const float end = elevation_ + 0.5f * kPi, whole = kRestAngle - end;
    const float speed = launch_speed(power_) / kArmLength, duration = 2.0f * whole / speed;
    const float dt = kInfo.step_seconds;
    swing_time_ += dt;
    if (swing_time_ >= duration) {
        arm_angle_ = end;
        world.registry().get<Pose>(arm_) = {kPivot, arm_rotation(end)};
        world.registry().get<Velocity>(arm_) = {};
        return launch(world);
    }
    const float part = swing_time_ / duration;
    const float next = kRestAngle - whole * part * part;
    world.registry().get<Velocity>(arm_) = {Vec3(0.0f), side_axis() * ((next - arm_angle_) / dt)};
    arm_angle_ = next;
    world.registry().get<Pose>(loaded_) = {cup(next), arm_rotation(next)};
    return {};
}

Result<void> Castle::launch(PhysicsWorld& world) {
    const Velocity velocity{launch_speed(power_) * launch_direction(), Vec3(0.0f)};
    const Result<Entity> stone = make_body(world, stone_desc_, {release_point(), arm_rotation(arm_angle_)}, velocity);
    if (!stone) return Error{stone.error()};
    thrown_.push_back(stone.value());
    world.registry().get<Pose>(loaded_).position = kAway;
    --stones_left_;
    stage_ = Stage::flying;
    flight_time_ = 0.0f;
    return {};
}

Result<void> Castle::before_step(PhysicsWorld& world, const StepInput& input) {
    if (stage_ == Stage::aiming) aim(world, input);
    if (stage_ == Stage::swinging) return swing(world);
    return {};
}

void Castle::judge(const PhysicsWorld& world) {
    for (size_t i = 0; i < flags_.size(); ++i) {
        const bool down =
            uprightness(world, flags_[i]) < 0.7f || pose_of(world, flags_[i]).position.y < flag_homes_[i].y - 0.5f;
        flag_down_[i] |= uint8_t(down);
    }
    destroyed_ = 0;
    for (size_t i = 0; i < stones_.size(); ++i) {
        const Vec3 moved = pose_of(world, stones_[i]).position - stone_homes_[i];
        stone_moved_[i] |= uint8_t(glm::dot(moved, moved) > kMovedFar * kMovedFar);
        destroyed_ += stone_moved_[i];
    }
    const bool all_down = std::all_of(flag_down_.begin(), flag_down_.end(), [](uint8_t down) { return down != 0; });
    if (all_down && phase_ == Phase::running) {
        phase_ = Phase::won;
        stage_ = Stage::over;
    }
}

Result<void> Castle::after_step(PhysicsWorld& world) {
    if (phase_ == Phase::running) judge(world);
    if (stage_ != Stage::flying) return {};
    flight_time_ += kInfo.step_seconds;
    if (stones_left_ > 0) {
        if (flight_time_ > kReloadSeconds) stage_ = Stage::aiming;
        return {};
    }
    // The last stone: until all has come to rest, or long enough.
    const bool quiet = flight_time_ > kReloadSeconds && most_restless(world, stones_) < 0.1f &&
                       restlessness(world, thrown_.back()) < 0.5f;
    if (!quiet && flight_time_ < kLastSeconds) return {};
    phase_ = Phase::lost;
    stage_ = Stage::over;
    return {};
}

GameState Castle::state() const {
    GameState out;
    const int down = int(std::count(flag_down_.begin(), flag_down_.end(), uint8_t(1)));
    out.phase = phase_;
    out.score = 10 * destroyed_ + 200 * down + (phase_ == Phase::won ? 50 * stones_left_ : 0);
    if (phase_ == Phase::won)
        out.message = "All flags are down, with " + std::to_string(stones_left_) + " stones left.";
    else if (phase_ == Phase::lost)
        out.message = "No stone is left, and " + std::to_string(int(flags_.size()) - down) +
                      (int(flags_.size()) - down == 1 ? " flag stands." : " flags stand.");
    else
        out.message = std::to_string(stones_left_) + " stones, " + std::to_string(down) + " of " +
                      std::to_string(flags_.size()) + " flags down";
    return out;
}

void Castle::add_to_hash(StateHash& hash) const {
    hash.add(stage_);
    for (const float value : {azimuth_, elevation_, power_, charge_time_, swing_time_, flight_time_, arm_angle_})
        hash.add(value);
    hash.add(stones_left_);
    for (const uint8_t down : flag_down_) hash.add(down);
    for (const uint8_t moved : stone_moved_) hash.add(moved);
}

void Castle::view(const PhysicsWorld& world, GameView& out) const {
    out.camera = camera();
    out.looks.push_back({ground_, render::rgba(118, 142, 92), 0});
    constexpr render::Colour kGrey[] = {render::rgba(176, 168, 154), render::rgba(160, 152, 140),
                                        render::rgba(190, 182, 168)};
    for (uint32_t i = 0; i < stones_.size(); ++i) out.looks.push_back({stones_[i], kGrey[(i * 5u) % 3u], 0});
    for (uint32_t i = 0; i < flags_.size(); ++i) {
        out.looks.push_back({flags_[i], flag_down_[i] ? render::rgba(110, 60, 60) : render::rgba(215, 45, 45), 0});
        if (flag_down_[i]) continue;
        const Vec3 at = pose_of(world, flags_[i]).position;
        out.lines.push_back(
            {at + Vec3(0.0f, 1.5f, 0.0f), at + Vec3(0.0f, 1.9f, 0.0f), render::rgba(255, 220, 60), 3.0f});
    }
    out.looks.push_back({arm_, render::rgba(130, 90, 50), 0});
    out.looks.push_back({loaded_, render::rgba(90, 90, 95), 0});
    for (const Entity stone : thrown_) out.looks.push_back({stone, render::rgba(90, 90, 95), render::kChecker});
    // The frame of the catapult and the way a stone would go, for a third of it: the rest is practice.
    for (const float side : {-0.5f, 0.5f})
        for (const float foot : {-1.0f, 1.0f})
            out.lines.push_back({kPivot + Vec3(0.0f, 0.0f, side),
                                 {kPivot.x + foot, 0.0f, kPivot.z + side},
                                 render::rgba(110, 75, 40),
                                 6.0f});
    if (stage_ != Stage::aiming) return;
    const Vec3 velocity = launch_speed(charging_ ? power_ : 0.6f) * launch_direction();
    const Vec3 gravity = world.settings().gravity;
    Vec3 from = release_point();
    for (int i = 1; i <= 12; ++i) {
        const float t = 0.05f * float(i);
        const Vec3 to = release_point() + t * velocity + 0.5f * t * t * gravity;
        out.lines_on_top.push_back(
            {from, to, charging_ ? render::rgba(255, 140, 30) : render::rgba(90, 220, 120), 2.5f});
        from = to;
    }
}

// ---- a player

namespace {

/// Throws at what is under the first flag that stands, with the power that the parabola asks for:
/// v^2 = g d^2 / (2 cos^2 e (d tan e - h)).
class CastlePlayer final : public Player {
  public:
    explicit CastlePlayer(const Castle& game) : game_(game) {}

    GameInput next(const PhysicsWorld& world) override {
        GameInput input;
        uint32_t target = 0;
        while (target < game_.flag_count() && game_.flag_down(target)) ++target;
        if (target == game_.flag_count()) return input;
        const Vec3 at = pose_of(world, game_.flag(target)).position - Vec3(0.0f, kBelow, 0.0f);
        // What the throw needs is the direction from the pivot; the pointer shows it on the plane x = 0.
        const float ratio = (at.z - kPivot.z) / (at.x - kPivot.x);
        point_at(input, Castle::camera().eye, {0.0f, 2.0f, kPivot.z - kPivot.x * ratio});
        if (game_.stage() != Castle::Stage::aiming) {
            waited_ = 0;
            return input;
        }
        if (++waited_ < 60) return input;
        const Vec3 from = game_.release_point();
        const float d = std::hypot(at.x - from.x, at.z - from.z), h = at.y - from.y;
        const float e = game_.elevation(), c = std::cos(e);
        const float speed = std::sqrt(9.81f * d * d / (2.0f * c * c * (d * std::tan(e) - h)));
        const float wanted =
            (speed - Castle::launch_speed(0.0f)) / (Castle::launch_speed(1.0f) - Castle::launch_speed(0.0f));
        if (game_.power() < wanted || waited_ < 64) input.buttons = kPrimary;
        return input;
    }

  private:
    static constexpr float kBelow = 0.9f;  // m
    const Castle& game_;
    int waited_ = 0;
};

}  // namespace

std::unique_ptr<Player> make_castle_player(const Game& game) {
    return std::make_unique<CastlePlayer>(dynamic_cast<const Castle&>(game));
}

}  // namespace proxima::games
