// SPDX-License-Identifier: MIT
// What a small game is: it fills a physics world, reads one input per step, and says as plain data what it
// wants shown. No window and no drawing here; a shell, a test or a replay drives it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/hash.h"
#include "engine/core/result.h"
#include "physics/world.h"
#include "render/draw_list.h"

namespace proxima::games {

/// Keys that games know; a shell maps the keys of its window to them.
enum class Key : uint8_t {
    left,
    right,
    up,
    down,
    space,
    enter,
    backspace,
    tab,
    a,
    d,
    e,
    q,
    s,
    w,
    digit1,
    digit2,
    digit3,
    digit4,
    digit5,
    digit6,
};
inline constexpr uint32_t bit(Key key) { return 1u << uint32_t(key); }

enum Button : uint32_t { kPrimary = 1, kSecondary = 2 };

/// What a player does in one step. Plain bytes: a list of these is a recording.
struct GameInput {
    Vec3 ray_origin{0.0f, 10.0f, 0.0f};  // the pointer, as a ray into the world
    Vec3 ray_direction{0.0f, -1.0f, 0.0f};
    float scroll = 0.0f;   // notches since the last step, away from the player is positive
    uint32_t buttons = 0;  // of Button, those that are down
    uint32_t keys = 0;     // bit(Key), those that are down

    bool held(Key key) const { return (keys & bit(key)) != 0; }
    bool held(Button button) const { return (buttons & button) != 0; }
};
static_assert(sizeof(GameInput) == 36);

/// The input of this step beside that of the step before, so that what was pressed just now can be told.
struct StepInput {
    GameInput now, before;

    template <class T>
    bool held(T what) const {
        return now.held(what);
    }
    template <class T>
    bool pressed(T what) const {
        return now.held(what) && !before.held(what);
    }
    template <class T>
    bool released(T what) const {
        return !now.held(what) && before.held(what);
    }
};

struct GameInfo {
    std::string_view name;              // as in `proxima run NAME`
    std::string_view title;             // for people
    std::string_view start;             // what it is about and how it is played, a few lines
    std::string_view goal;              // one line
    float step_seconds = 1.0f / 60.0f;  // fast things want short steps: there is no continuous collision
};

enum class Phase : uint8_t { running, won, lost };

struct GameState {
    Phase phase = Phase::running;
    int score = 0;
    std::string message;  // what the player should know now
};

/// A body that should look different from others.
struct BodyLook {
    physics::Entity body = physics::kNoEntity;
    render::Colour colour = render::rgba(200, 200, 200);
    uint32_t flags = 0;  // render::InstanceFlags
};

/// What a game adds to a picture of its world. Vectors keep their memory.
struct GameView {
    render::Camera camera;  // where the game would look from
    std::vector<render::Text> texts;
    std::vector<render::Line> lines, lines_on_top;
    std::vector<BodyLook> looks;  // a later one of the same body wins

    void clear() {
        texts.clear();
        lines.clear();
        lines_on_top.clear();
        looks.clear();
    }
};

/// The result of a step may depend on nothing but the world, the inputs so far and constants.
class Game {
  public:
    virtual ~Game() = default;

    virtual const GameInfo& info() const = 0;
    /// Fills an empty world, once.
    virtual Result<void> build(physics::PhysicsWorld& world) = 0;
    /// The game's own state as after build(); the world was brought back already.
    virtual void restart() = 0;
    virtual Result<void> before_step(physics::PhysicsWorld& world, const StepInput& input) = 0;
    virtual Result<void> after_step(physics::PhysicsWorld& world) = 0;
    virtual GameState state() const = 0;
    /// Everything that decides how the game goes on and is not in the world.
    virtual void add_to_hash(StateHash& hash) const = 0;
    /// `out` has been cleared.
    virtual void view(const physics::PhysicsWorld& world, GameView& out) const = 0;
};

/// Plays a game by looking at it and moving the pointer as a person would: demonstrations and tests.
class Player {
  public:
    virtual ~Player() = default;
    virtual GameInput next(const physics::PhysicsWorld& world) = 0;
};

}  // namespace proxima::games
