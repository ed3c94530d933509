// SPDX-License-Identifier: MIT
#include "samples/games/tower_of_blocks.h"

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
    "tower_of_blocks",
    "Tower of Blocks",
    "Some blocks are a little lower than their neighbours and sit loose: find them.\n"
    "Hold the left button on a block and pull; your hand is only so strong.\n"
    "W and S or scrolling lift and lower it, Q and E turn it. Lay it on top and let go.",
    "Lay nine blocks on top before more than three lie on the ground.",
    1.0f / 60.0f,
};

constexpr float kHeight = float(samples::kBlockHeight);
constexpr float kTop = float(samples::kTowerLayers) * kHeight;
constexpr float kStiffness = 2500.0f, kDamping = 340.0f;               // N/m, N s/m: near critical for 14 kg
constexpr float kTurnStiffness = 144.0f, kTurnDamping = 24.0f;         // 1/s2, 1/s: critical
constexpr float kStrongestTurn = 80.0f;                                // N m
constexpr float kLiftSpeed = 0.6f, kTurnSpeed = 1.2f, kNotch = 0.05f;  // m/s, rad/s, m
constexpr float kReach = 2.5f;                                         // m from the middle of the tower

Vec3 limited(const Vec3& v, float most) {
    const float size = glm::length(v);
    return size > most ? v * (most / size) : v;
}

/// Heading of the block's long axis, as a rotation about y.
float heading_of(const Quat& rotation) {
    const Vec3 x = rotation * Vec3(1.0f, 0.0f, 0.0f);
    return std::atan2(-x.z, x.x);
}
Quat about_y(float angle) { return Quat(std::cos(0.5f * angle), 0.0f, std::sin(0.5f * angle), 0.0f); }

}  // namespace

const GameInfo& TowerOfBlocks::info() const { return kInfo; }

render::Camera TowerOfBlocks::camera() {
    render::Camera camera;
    camera.eye = {4.2f, 5.0f, 4.8f};
    camera.target = {0.0f, 1.75f, 0.0f};
    camera.field_of_view = 0.56f;
    return camera;
}

Result<void> TowerOfBlocks::build(PhysicsWorld& world) {
    const samples::JengaScene tower = samples::jenga_scene("jenga");
    const Result<std::vector<Entity>> made = instantiate(tower.scene, world);
    if (!made) return Error{made.error()};
    ground_ = made.value()[0];
    for (uint32_t i = 0; i < tower.blocks.count; ++i) {
        blocks_.push_back(made.value()[tower.blocks.first + i]);
        half_extents_.push_back(samples::to_float(tower.half_extents[i]));
    }
    loose_ = tower.loose;
    return {};
}

void TowerOfBlocks::restart() {
    pulled_.assign(blocks_.size(), 0);
    done_.assign(blocks_.size(), 0);
    touches_ground_.assign(blocks_.size(), 0);
    rest_time_.assign(blocks_.size(), 0.0f);
    held_ = kNone;
    grip_ = hand_ = Vec3(0.0f);
    turned_ = 0.0f;
    placed_ = on_ground_ = 0;
    phase_ = Phase::running;
}

void TowerOfBlocks::grab(const PhysicsWorld& world, const StepInput& input) {
    float nearest = 1e30f;
    for (uint32_t i = 0; i < blocks_.size(); ++i) {
        const Transform pose = transform_of(world, blocks_[i]);
        const std::optional<float> distance = meet_box(input.now, pose, half_extents_[i]);
        if (!distance || *distance >= nearest) continue;
        nearest = *distance;
        held_ = i;
    }
    if (held_ == kNone) return;
    const Transform pose = transform_of(world, blocks_[held_]);
    if (pose.position.y > kTop - kHeight && !pulled_[held_]) {  // the uppermost layer stays
        held_ = kNone;
        return;
    }
    hand_ = input.now.ray_origin + nearest * input.now.ray_direction;
    grip_ = to_local(pose, hand_);
    turned_ = heading_of(pose.rotation);
    pulled_[held_] = 1;
    if (done_[held_]) --placed_;
    done_[held_] = 0;
}

void TowerOfBlocks::pull(PhysicsWorld& world, const StepInput& input) {
    const float dt = kInfo.step_seconds;
    const float lift =
        float(input.held(Key::w) || input.held(Key::up)) - float(input.held(Key::s) || input.held(Key::down));
    hand_.y = std::clamp(hand_.y + kLiftSpeed * dt * lift + kNotch * input.now.scroll, 0.05f, 2.0f * kTop);
    turned_ += kTurnSpeed * dt * (float(input.held(Key::q)) - float(input.held(Key::e)));
    // The pointer moves the hand in the horizontal plane that it is in.
    if (const std::optional<Vec3> at = meet_height(input.now, hand_.y)) {
        const Vec3 flat = limited({at->x, 0.0f, at->z}, kReach);
        hand_.x = flat.x;
        hand_.z = flat.z;
    }

    // A damped spring from the grip to the hand, as strong as an arm at most, and the block's own weight. It
    // acts at the centre of mass, and a torque keeps the block level: a grip at its end would lever it out.
    const Entity block = blocks_[held_];
    const Pose& pose = pose_of(world, block);
    const Velocity& velocity = world.registry().get<Velocity>(block);
    const Mass& mass = world.registry().get<Mass>(block);
    const Vec3 level_grip = about_y(turned_) * grip_;
    const Vec3 wanted = hand_ - level_grip;
    const Vec3 spring = kStiffness * (wanted - pose.position) - kDamping * velocity.linear;
    Quat error = about_y(turned_) * glm::conjugate(pose.rotation);
    if (error.w < 0.0f) error = -error;
    const Vec3 turn = 2.0f * Vec3(error.x, error.y, error.z);
    // The torque that gives the wanted angular acceleration: about the long axis a tenth of the others.
    const Vec3 twist = kTurnStiffness * turn - kTurnDamping * velocity.angular;
    const Vec3 torque = pose.rotation * (mass.inertia * (glm::conjugate(pose.rotation) * twist));
    Force& force = world.registry().get<Force>(block);
    force.linear = limited(spring, kStrongest) - mass.mass * world.settings().gravity;
    force.angular = limited(torque, kStrongestTurn);
}

Result<void> TowerOfBlocks::before_step(PhysicsWorld& world, const StepInput& input) {
    if (phase_ != Phase::running) return {};
    if (input.pressed(kPrimary)) grab(world, input);
    if (!input.held(kPrimary)) held_ = kNone;
    if (held_ != kNone) pull(world, input);
    return {};
}

Result<void> TowerOfBlocks::after_step(PhysicsWorld& world) {
    if (phase_ == Phase::running) judge(world);
    return {};
}

void TowerOfBlocks::judge(const PhysicsWorld& world) {
    const float dt = kInfo.step_seconds;
    std::fill(touches_ground_.begin(), touches_ground_.end(), uint8_t(0));
    for (const auto [entity, pair] : world.registry().view<const ContactPair>().each()) {
        if (!pair.touching || (pair.body_a != ground_ && pair.body_b != ground_)) continue;
        const Entity other = pair.body_a == ground_ ? pair.body_b : pair.body_a;
        const auto found = std::find(blocks_.begin(), blocks_.end(), other);
        if (found != blocks_.end()) touches_ground_[size_t(found - blocks_.begin())] = 1;
    }
    on_ground_ = 0;
    for (uint32_t i = 0; i < blocks_.size(); ++i) {
        if (i >= 3 && i != held_) on_ground_ += touches_ground_[i];
        if (!pulled_[i] || i == held_) continue;
        // Laid down: level, above what was the top, and quiet for a while. Then it counts until it falls,
        // however the tower trembles.
        const bool above = pose_of(world, blocks_[i]).position.y > kTop;
        const bool lies =
            above && std::abs(uprightness(world, blocks_[i])) > 0.98f && restlessness(world, blocks_[i]) < 0.05f;
        rest_time_[i] = lies ? rest_time_[i] + dt : 0.0f;
        const uint8_t counts = above && (done_[i] || rest_time_[i] > 0.5f);
        placed_ += int(counts) - int(done_[i]);
        done_[i] = counts;
    }
    if (on_ground_ > kMostOnGround)
        phase_ = Phase::lost;
    else if (placed_ >= kGoalBlocks)
        phase_ = Phase::won;
}

GameState TowerOfBlocks::state() const {
    GameState out{phase_, placed_, {}};
    if (phase_ == Phase::won)
        out.message = "Nine blocks on top, and it stands.";
    else if (phase_ == Phase::lost)
        out.message = "It fell. " + std::to_string(placed_) + " blocks were on top.";
    else
        out.message = std::to_string(placed_) + " of " + std::to_string(kGoalBlocks) + " blocks on top";
    return out;
}

void TowerOfBlocks::add_to_hash(StateHash& hash) const {
    hash.add(held_);
    hash.add(grip_);
    hash.add(hand_);
    hash.add(turned_);
    hash.add(on_ground_);
    for (size_t i = 0; i < blocks_.size(); ++i) {
        hash.add(pulled_[i]);
        hash.add(done_[i]);
        hash.add(rest_time_[i]);
    }
}

void TowerOfBlocks::view(const PhysicsWorld& world, GameView& out) const {
    out.camera = camera();
    out.looks.push_back({ground_, render::rgba(92, 104, 112), 0});
    // Wood in three tones, the same for a block wherever it goes.
    constexpr render::Colour kWood[3] = {render::rgba(222, 184, 135), render::rgba(205, 160, 108),
                                         render::rgba(232, 200, 158)};
    for (uint32_t i = 0; i < blocks_.size(); ++i) {
        const bool fallen = i >= 3 && i != held_ && touches_ground_[i];
        const render::Colour colour = fallen     ? render::rgba(200, 70, 60)
                                      : done_[i] ? render::rgba(120, 190, 110)
                                                 : kWood[(i * 7u) % 3u];
        out.looks.push_back({blocks_[i], colour, i == held_ ? uint32_t(render::kSelected) : 0u});
    }
    if (held_ != kNone) {
        const Vec3 grip = to_world(transform_of(world, blocks_[held_]), grip_);
        const float strain = std::min(1.0f, kStiffness * glm::length(hand_ - grip) / kStrongest);
        out.lines_on_top.push_back(
            {grip, hand_, render::rgba(uint32_t(90 + 165 * strain), uint32_t(220 - 160 * strain), 60), 3.0f});
        out.lines.push_back({hand_, {hand_.x, 0.0f, hand_.z}, render::rgba(255, 255, 255, 90), 1.0f});
    }
}

// ---- a player

namespace {

/// Takes loose blocks from the top down, carries each around to the side, up and over, and lays it beside the last
/// one.
class TowerPlayer final : public Player {
  public:
    explicit TowerPlayer(const TowerOfBlocks& game) : game_(game) {}

    GameInput next(const PhysicsWorld& world) override {
        GameInput input;
        ++steps_;
        switch (stage_) {
            case Stage::reach:
                reach(world, input);
                break;
            case Stage::draw:
                draw(input);
                break;
            case Stage::lift:
                lift(input);
                break;
            case Stage::turn:
                turn(input);
                break;
            case Stage::carry:
                carry(input);
                break;
            case Stage::lower:
                lower(world, input);
                break;
            case Stage::leave:
                leave(input);
                break;
        }
        return input;
    }

  private:
    enum class Stage { reach, draw, lift, turn, carry, lower, leave };
    static constexpr float kSpeed = 0.5f * kInfo.step_seconds;  // m per step

    void go(Stage stage) {
        stage_ = stage;
        steps_ = 0;
    }
    void hold(GameInput& input) const {
        input.buttons = kPrimary;
        point_at(input, TowerOfBlocks::camera().eye, {goal_.x, game_.hand().y, goal_.z});
    }
    /// Moves the goal of the pointer towards a place at the speed of a careful hand.
    bool approach(const Vec3& place) {
        const Vec3 way{place.x - goal_.x, 0.0f, place.z - goal_.z};
        const float left = glm::length(way);
        if (left <= kSpeed) {
            goal_ = place;
            return true;
        }
        goal_ += way * (kSpeed / left);
        return false;
    }

    void reach(const PhysicsWorld& world, GameInput& input) {
        while (next_ < game_.loose().size()) {
            const uint32_t block = game_.loose()[next_];
            if (pose_of(world, game_.block(block)).position.y < kTop - 2.0f * kHeight) break;
            ++next_;
        }
        if (next_ >= game_.loose().size()) return;
        const uint32_t block = game_.loose()[next_];
        const Transform pose = transform_of(world, game_.block(block));
        // The end that looks towards the camera.
        Vec3 axis = pose.rotation * Vec3(1.0f, 0.0f, 0.0f);
        if (glm::dot(axis, TowerOfBlocks::camera().eye) < 0.0f) axis = -axis;
        goal_ = pose.position + game_.half_extents(block).x * axis;
        out_ = goal_ + 1.1f * axis;
        point_at(input, TowerOfBlocks::camera().eye, goal_);
        if (steps_ < 2) return;
        input.buttons = kPrimary;
        if (steps_ > 3) go(game_.held() == block ? Stage::draw : Stage::leave);
    }
    void draw(GameInput& input) {
        const bool there = approach(out_);
        hold(input);
        if (there && steps_ > 60) go(Stage::lift);
    }
    void lift(GameInput& input) {
        hold(input);
        input.keys = bit(Key::w);
        if (game_.hand().y > kTop + 0.7f) go(Stage::turn);
    }
    float wanted_heading() const {
        // Layers lie along x and across it by turns; half turns make no difference.
        const float heading = (game_.placed() / 3) % 2 == 0 ? 0.0f : 0.5f * kPi;
        const float halves = std::round((game_.turned() - heading) / kPi);
        return heading + halves * kPi;
    }
    void turn(GameInput& input) {
        hold(input);
        const float left = wanted_heading() - game_.turned();
        if (std::abs(left) < 0.011f) return go(Stage::carry);
        input.keys = bit(left > 0.0f ? Key::q : Key::e);
    }
    void carry(GameInput& input) {
        const float aside = float(game_.placed() % 3 - 1) * float(samples::kBlockWidth);
        const bool across = (game_.placed() / 3) % 2 == 1;
        const Vec3 centre = across ? Vec3(aside, 0.0f, 0.0f) : Vec3(0.0f, 0.0f, aside);
        const bool there = approach(centre + about_y(game_.turned()) * game_.grip());
        hold(input);
        if (there && steps_ > 90) go(Stage::lower);
    }
    void lower(const PhysicsWorld& world, GameInput& input) {
        hold(input);
        const float floor = kTop + float(game_.placed() / 3) * kHeight;
        const float y = pose_of(world, game_.block(game_.held())).position.y;
        if (y < floor + 0.5f * kHeight + 0.012f || steps_ > 200) return go(Stage::leave);
        if (steps_ % 3 == 0) input.keys = bit(Key::s);
    }
    void leave(GameInput& input) {
        point_at(input, TowerOfBlocks::camera().eye, {2.0f, 4.0f, 2.0f});
        if (steps_ < 75) return;
        ++next_;
        go(Stage::reach);
    }

    const TowerOfBlocks& game_;
    Stage stage_ = Stage::reach;
    uint32_t steps_ = 0;
    size_t next_ = 0;
    Vec3 goal_{0.0f, 0.0f, 0.0f}, out_{0.0f, 0.0f, 0.0f};
};

}  // namespace

std::unique_ptr<Player> make_tower_player(const Game& game) {
    return std::make_unique<TowerPlayer>(dynamic_cast<const TowerOfBlocks&>(game));
}

}  // namespace proxima::games
