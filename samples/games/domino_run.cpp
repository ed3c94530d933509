// SPDX-License-Identifier: MIT
#include "samples/games/domino_run.h"

#include <algorithm>
#include <cmath>

#include "physics/scene/scene.h"
#include "samples/games/picking.h"
#include "samples/scenes/game_scenes.h"

namespace proxima::games {

using namespace physics;
using samples::DominoPiece;
using samples::DominoPlace;
using samples::DominoStep;
using samples::DominoTool;
using samples::Vec3d;

namespace {

constexpr GameInfo kInfo{
    "domino_run",
    "Domino Run",
    "A part of the course is missing. Draw it: hold the left button and move along the ground.\n"
    "1 curve, 2 split, 3 spiral (from its start to its middle), 4 stairs, 5 erase.\n"
    "Space taps the first domino, the right button any other. Backspace stands them up again.",
    "All dominoes fall.",
    1.0f / 60.0f,
};

constexpr float kUpright = 0.9f;  // cosine; one that leans further has fallen
constexpr double kPointDistance = 0.25, kSnap = 0.55, kEraserRadius = 0.4, kFarthest = 15.0;  // m
constexpr float kTapSpin = 3.0f;                                                              // rad/s
constexpr float kStill = 0.1f, kStillSeconds = 1.5f, kMostSeconds = 120.0f;

Quat rotation_of(double heading) { return samples::to_float(samples::heading_rotation(heading)); }
Pose standing_pose(const DominoPlace& place) {
    return {samples::to_float(place.foot + Vec3d{0.0, samples::kDominoHalfHeight, 0.0}), rotation_of(place.heading)};
}
double flat_distance(const Vec3d& a, const Vec3d& b) { return std::hypot(a.x - b.x, a.z - b.z); }
Vec3d on_ground(const Vec3d& p) { return {p.x, 0.0, p.z}; }

/// The domino of a layout nearest to a point of the ground, when one is near enough.
const DominoPlace* near_domino(const samples::DominoLayout& layout, const Vec3d& at) {
    const DominoPlace* found = nullptr;
    double nearest = kSnap;
    for (const DominoPlace& place : layout.dominoes) {
        const double distance = flat_distance(place.foot, at);
        if (distance >= nearest) continue;
        nearest = distance;
        found = &place;
    }
    return found;
}

}  // namespace

const GameInfo& DominoRun::info() const { return kInfo; }

render::Camera DominoRun::camera() {
    render::Camera camera;
    camera.eye = {1.0f, 12.5f, 19.0f};
    camera.target = {1.0f, 0.0f, 4.2f};
    camera.field_of_view = 0.75f;
    return camera;
}

Result<void> DominoRun::build(PhysicsWorld& world) {
    const samples::DominoLevel level = samples::domino_level();
    const samples::DominoScene course = samples::domino_scene("domino_run", level, level.gap);
    const Result<std::vector<Entity>> made = instantiate(course.scene, world);
    if (!made) return Error{made.error()};
    start_layout_ = course.layout;
    ground_ = made.value()[0];
    for (uint32_t i = 0; i < course.dominoes.count; ++i)
        start_dominoes_.push_back(made.value()[course.dominoes.first + i]);
    prepared_ = uint32_t(start_dominoes_.size());
    prepared_steps_ = uint32_t(start_layout_.steps.size());
    domino_desc_ = desc_of(world, start_dominoes_[0]);
    // Steps of every height, cooked now: a library of shapes only grows.
    for (int i = 1; i <= samples::kDominoLevels; ++i) {
        ShapeDesc shape;
        shape.half_extents = samples::to_float(samples::step_half_extents(i));
        const Result<ShapeId> id = world.shapes().add(shape);
        if (!id) return Error{id.error()};
        BodyDesc& step = step_descs_.emplace_back();
        step.type = BodyType::fixed;
        step.colliders.push_back(domino_desc_.colliders[0]);
        step.colliders[0].shape = id.value();
    }
    return {};
}

void DominoRun::restart() {
    layout_ = start_layout_;
    dominoes_ = start_dominoes_;
    own_steps_.clear();
    stroke_.clear();
    tool_ = Tool::curve;
    stage_ = Stage::building;
    fallen_ = 0;
    falling_time_ = still_time_ = 0.0f;
}

Result<Entity> DominoRun::add_domino(PhysicsWorld& world, const DominoPlace& place) const {
    return make_body(world, domino_desc_, standing_pose(place));
}

Result<Entity> DominoRun::add_step(PhysicsWorld& world, const DominoStep& step) const {
    return make_body(world, step_descs_[size_t(step.level - 1)],
                     {samples::to_float(step.middle), rotation_of(step.heading)});
}

/// Collects points of the ground under the pointer.
void DominoRun::draw(const StepInput& input) {
    const std::optional<Vec3> at = meet_height(input.now, 0.0f);
    if (!at) return;
    const Vec3d point{std::clamp(double(at->x), -kFarthest, kFarthest), 0.0,
                      std::clamp(double(at->z), -kFarthest, kFarthest)};
    if (stroke_.empty() || flat_distance(stroke_.back(), point) > kPointDistance) stroke_.push_back(point);
}

Result<void> DominoRun::finish_stroke(PhysicsWorld& world) {
    DominoPiece piece;
    piece.points = stroke_;
    stroke_.clear();
    if (piece.points.size() < 2) return {};
    const DominoPlace* from = near_domino(layout_, piece.points.front());
    if (from) piece.points.front() = on_ground(from->foot);
    const double heading = from ? from->heading : 0.0;
    if (tool_ == Tool::curve || tool_ == Tool::stairs)
        if (const DominoPlace* to = near_domino(layout_, piece.points.back()))
            piece.points.back() = on_ground(to->foot);
    switch (tool_) {
        case Tool::curve:
            piece.tool = DominoTool::curve;
            break;
        case Tool::split:
            piece.tool = DominoTool::split;
            break;
        case Tool::stairs:
            piece.tool = DominoTool::stairs;
            break;
        case Tool::spiral: {
            piece.tool = DominoTool::spiral;
            const Vec3d begin = piece.points.front(), centre = piece.points.back();
            piece.points = {centre, begin};
            if (from) piece.points.push_back(begin + Vec3d{std::cos(heading), 0.0, std::sin(heading)});
            break;
        }
        case Tool::erase:
            return {};
    }
    const size_t dominoes = layout_.dominoes.size(), steps = layout_.steps.size();
    lay_piece(piece, layout_, kBudget - own());
    for (size_t i = dominoes; i < layout_.dominoes.size(); ++i) {
        const Result<Entity> made = add_domino(world, layout_.dominoes[i]);
        if (!made) return Error{made.error()};
        dominoes_.push_back(made.value());
    }
    for (size_t i = steps; i < layout_.steps.size(); ++i) {
        const Result<Entity> made = add_step(world, layout_.steps[i]);
        if (!made) return Error{made.error()};
        own_steps_.push_back(made.value());
    }
    return {};
}

/// Takes away the player's own dominoes around a point, with the steps they stand on.
void DominoRun::erase(PhysicsWorld& world, const Vec3& at) {
    const Vec3d point{double(at.x), 0.0, double(at.z)};
    for (size_t i = dominoes_.size(); i-- > prepared_;) {
        const Vec3d foot = layout_.dominoes[i].foot;
        if (flat_distance(foot, point) > kEraserRadius) continue;
        world.destroy_body(dominoes_[i]);
        dominoes_.erase(dominoes_.begin() + std::ptrdiff_t(i));
        layout_.dominoes.erase(layout_.dominoes.begin() + std::ptrdiff_t(i));
        for (size_t k = own_steps_.size(); k-- > 0;) {
            if (flat_distance(layout_.steps[prepared_steps_ + k].middle, foot) > 1e-6) continue;
            world.destroy_body(own_steps_[k]);
            own_steps_.erase(own_steps_.begin() + std::ptrdiff_t(k));
            layout_.steps.erase(layout_.steps.begin() + std::ptrdiff_t(prepared_steps_ + k));
        }
    }
}

Result<void> DominoRun::stand_up(PhysicsWorld& world) {
    for (size_t i = 0; i < dominoes_.size(); ++i) put(world, dominoes_[i], standing_pose(layout_.dominoes[i]));
    stage_ = Stage::building;
    fallen_ = 0;
    falling_time_ = still_time_ = 0.0f;
    return {};
}

/// Sets a domino turning about its front edge, its centre with it: v = w x r.
void DominoRun::tap(PhysicsWorld& world, uint32_t domino) {
    const double heading = layout_.dominoes[domino].heading;
    const Vec3 ahead{float(std::cos(heading)), 0.0f, float(std::sin(heading))}, up{0.0f, 1.0f, 0.0f};
    const Vec3 arm = float(samples::kDominoHalfHeight) * up - float(samples::kDominoHalfThickness) * ahead;
    Velocity& velocity = world.registry().get<Velocity>(dominoes_[domino]);
    velocity.angular = kTapSpin * glm::cross(up, ahead);
    velocity.linear = glm::cross(velocity.angular, arm);
    stage_ = Stage::falling;
    stroke_.clear();
    falling_time_ = still_time_ = 0.0f;
}

uint32_t DominoRun::pick(const PhysicsWorld& world, const StepInput& input) const {
    const Vec3 half{float(samples::kDominoHalfThickness), float(samples::kDominoHalfHeight),
                    float(samples::kDominoHalfWidth)};
    uint32_t found = ~0u;
    float nearest = 1e30f;
    for (uint32_t i = 0; i < dominoes_.size(); ++i) {
        const std::optional<float> distance = meet_box(input.now, transform_of(world, dominoes_[i]), half);
        if (!distance || *distance >= nearest) continue;
        nearest = *distance;
        found = i;
    }
    return found;
}

Result<void> DominoRun::before_step(PhysicsWorld& world, const StepInput& input) {
    const bool won = stage_ == Stage::over && fallen_ == count();
    if (input.pressed(Key::backspace) && !won) return stand_up(world);
    if (stage_ != Stage::building) return {};
    constexpr Key kToolKeys[] = {Key::digit1, Key::digit2, Key::digit3, Key::digit4, Key::digit5};
    for (uint8_t i = 0; i < std::size(kToolKeys); ++i) {
        if (!input.pressed(kToolKeys[i])) continue;
        tool_ = Tool(i);
        stroke_.clear();
    }
    if (tool_ == Tool::erase) {
        if (input.held(kPrimary))
            if (const std::optional<Vec3> at = meet_height(input.now, 0.0f)) erase(world, *at);
    } else if (input.held(kPrimary)) {
        draw(input);
    } else if (!stroke_.empty()) {
        if (Result<void> laid = finish_stroke(world); !laid) return laid;
    }
    if (input.pressed(Key::space)) {
        tap(world, 0);
    } else if (input.pressed(kSecondary)) {
        if (const uint32_t domino = pick(world, input); domino != ~0u) tap(world, domino);
    }
    return {};
}

Result<void> DominoRun::after_step(PhysicsWorld& world) {
    if (stage_ != Stage::falling) return {};
    falling_time_ += kInfo.step_seconds;
    const uint32_t before = fallen_;
    fallen_ = 0;
    for (const Entity domino : dominoes_) fallen_ += uprightness(world, domino) < kUpright;
    const bool quiet = fallen_ == before && most_restless(world, dominoes_) < kStill;
    still_time_ = quiet ? still_time_ + kInfo.step_seconds : 0.0f;
    if (fallen_ == count() || still_time_ > kStillSeconds || falling_time_ > kMostSeconds) stage_ = Stage::over;
    return {};
}

GameState DominoRun::state() const {
    GameState out;
    out.score = int(fallen_);
    const std::string of_all = std::to_string(fallen_) + " of " + std::to_string(count());
    if (stage_ == Stage::over) {
        out.phase = fallen_ == count() ? Phase::won : Phase::lost;
        out.message = out.phase == Phase::won ? "All " + std::to_string(count()) + " dominoes have fallen."
                                              : of_all + " fell. Backspace stands them up again.";
    } else if (stage_ == Stage::falling) {
        out.message = of_all;
    } else {
        out.message = std::to_string(kBudget - own()) + " dominoes left to lay";
    }
    return out;
}

void DominoRun::add_to_hash(StateHash& hash) const {
    hash.add(tool_);
    hash.add(stage_);
    hash.add(falling_time_);
    hash.add(still_time_);
    for (const Vec3d& p : stroke_) {
        hash.add(p.x);
        hash.add(p.z);
    }
    for (const Entity domino : dominoes_) hash.add(uint32_t(domino));
}

void DominoRun::view(const PhysicsWorld& world, GameView& out) const {
    out.camera = camera();
    out.looks.push_back({ground_, render::rgba(84, 88, 100), 0});
    for (uint32_t i = 0; i < dominoes_.size(); ++i) {
        // A rainbow along the course; the player's own are white.
        const float t = float(i) / float(std::max(1u, prepared_));
        const auto wave = [&](float shift) {
            return uint32_t(150.0f + 90.0f * std::sin(6.2832f * (t * 1.5f + shift)));
        };
        const render::Colour colour =
            i < prepared_ ? render::rgba(wave(0.0f), wave(0.33f), wave(0.67f)) : render::rgba(245, 245, 245);
        out.looks.push_back({dominoes_[i], colour, 0});
    }
    for (size_t i = 1; i < stroke_.size(); ++i)
        out.lines_on_top.push_back({samples::to_float(stroke_[i - 1] + Vec3d{0.0, 0.02, 0.0}),
                                    samples::to_float(stroke_[i] + Vec3d{0.0, 0.02, 0.0}), render::rgba(255, 220, 60),
                                    3.0f});
    if (stage_ == Stage::building) {
        constexpr const char* kNames[] = {"1 curve", "2 split", "3 spiral", "4 stairs", "5 erase"};
        for (uint32_t i = 0; i < std::size(kNames); ++i)
            out.texts.push_back({kNames[i],
                                 {16.0f + 90.0f * float(i), 64.0f, 0.0f},
                                 true,
                                 false,
                                 16.0f,
                                 Tool(i) == tool_ ? render::rgba(255, 220, 60) : render::rgba(220, 220, 220),
                                 render::rgba(0, 0, 0, 140)});
        const Vec3 first = pose_of(world, dominoes_[0]).position;
        out.texts.push_back({"start", first + Vec3(0.0f, 0.7f, 0.0f), false, true, 16.0f});
    }
}

// ---- a player

namespace {

/// Draws the missing piece as the level has it, and taps the first domino.
class DominoPlayer final : public Player {
  public:
    explicit DominoPlayer(const DominoRun& game) : game_(game) {
        const samples::DominoLevel level = samples::domino_level();
        path_ = samples::smooth_path(level.pieces[level.gap].points);
    }

    GameInput next(const PhysicsWorld&) override {
        GameInput input;
        const size_t at = std::min(steps_++ / 2, path_.size() - 1);
        point_at(input, DominoRun::camera().eye, samples::to_float(path_[at]));
        if (steps_ <= 2 * path_.size()) input.buttons = kPrimary;
        if (steps_ > 2 * path_.size() + 60 && game_.building()) input.keys = bit(Key::space);
        return input;
    }

  private:
    const DominoRun& game_;
    std::vector<Vec3d> path_;
    size_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Player> make_domino_player(const Game& game) {
    return std::make_unique<DominoPlayer>(dynamic_cast<const DominoRun&>(game));
}

}  // namespace proxima::games
