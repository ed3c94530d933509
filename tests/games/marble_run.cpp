// SPDX-License-Identifier: MIT
#include "samples/games/marble_run.h"

#include <doctest/doctest.h>

#include "samples/games/bodies.h"
#include "samples/games/picking.h"
#include "samples/scenes/game_scenes.h"
#include "tests/games/play.h"

using namespace proxima;
using namespace proxima::games;

namespace {

const MarbleRun& marbles(const GameSession& session) { return dynamic_cast<const MarbleRun&>(session.game()); }

}  // namespace

TEST_CASE("in the prepared run all marbles reach the bowl, and it takes its time") {
    const samples::MarbleScene run = samples::marble_scene("marble_run", false);
    physics::PhysicsWorld world;
    const Result<std::vector<physics::Entity>> made = physics::instantiate(run.scene, world);
    REQUIRE_MESSAGE(made.ok(), made.error());
    double first = 0.0, last = 0.0;
    uint32_t inside = 0;
    for (uint32_t i = 1; i <= run.scene.run.steps; ++i) {
        REQUIRE(world.step(run.scene.run.dt).ok());
        inside = 0;
        for (uint32_t k = 0; k < run.marbles.count; ++k) {
            const Vec3 at = pose_of(world, made.value()[run.marbles.first + k]).position;
            REQUIRE(at.y > 0.3f);  // none leaves the track
            inside += std::hypot(at.x - run.bowl.x, at.z - run.bowl.z) < run.bowl_radius &&
                      at.y < run.bowl.y + run.bowl_height;
        }
        const double seconds = i * double(run.scene.run.dt);
        if (inside > 0 && first == 0.0) first = seconds;
        if (inside == run.marbles.count && last == 0.0) last = seconds;
    }
    CHECK(inside == run.marbles.count);
    CHECK(first > 18.0);
    CHECK(last > first);
    CHECK(last < 37.0);
}

TEST_CASE("the gate holds the marbles until it is opened") {
    const std::unique_ptr<GameSession> session = start_game("marble_run");
    wait(*session, 5.0);
    CHECK(marbles(*session).building());
    const physics::Entity marble = marbles(*session).marble(0);
    const Vec3 before = pose_of(session->world(), marble).position;
    CHECK(before.x < 0.0f);
    press(*session, Key::space);
    wait(*session, 2.0);
    CHECK(pose_of(session->world(), marble).position.x > before.x + 0.5f);
}

TEST_CASE("a player who puts the pieces right wins") {
    const std::unique_ptr<GameSession> session = start_game("marble_run");
    let_play(*session, 90.0);
    for (uint32_t i = 0; i < marbles(*session).piece_count(); ++i)
        CHECK(marbles(*session).offset(i) == MarbleRun::Offset{});
    CHECK(session->game().state().phase == Phase::won);
    CHECK(marbles(*session).arrived() == marbles(*session).marble_count());
}

TEST_CASE("who opens the gate at once loses the marbles, and gets them back") {
    const std::unique_ptr<GameSession> session = start_game("marble_run");
    press(*session, Key::space);
    play(
        *session, 70.0, [] { return GameInput{}; }, [&] { return session->game().state().phase != Phase::running; });
    CHECK(session->game().state().phase == Phase::lost);
    CHECK(marbles(*session).arrived() == 0);
    press(*session, Key::backspace);
    CHECK(session->game().state().phase == Phase::running);
    CHECK(marbles(*session).building());
    wait(*session, 1.0);
    let_play(*session, 90.0);  // and may do better
    CHECK(session->game().state().phase == Phase::won);
}

TEST_CASE("pieces move in cells and turn in notches, and only before the gate is opened") {
    const std::unique_ptr<GameSession> session = start_game("marble_run");
    const MarbleRun& game = marbles(*session);
    const MarbleRun::Offset start = game.offset(0);
    const Vec3 at = pose_of(session->world(), game.piece(0)).position;
    GameInput input;
    point_at(input, MarbleRun::camera().eye, at + Vec3(0.0f, 0.05f, 0.0f));
    step(*session, input);
    input.buttons = kPrimary;
    step(*session, input);
    REQUIRE(game.selected() == 0);
    input.buttons = 0;
    step(*session, input);
    press(*session, Key::w);
    press(*session, Key::q);
    input = {};
    input.scroll = 1.0f;
    step(*session, input);
    MarbleRun::Offset wanted = start;
    wanted.y += 1;
    wanted.turn += 2;
    CHECK(game.offset(0) == wanted);
    CHECK(pose_of(session->world(), game.piece(0)).position.y == doctest::Approx(at.y + MarbleRun::kCell));

    press(*session, Key::space);
    press(*session, Key::w);
    CHECK(game.offset(0) == wanted);
}
