// SPDX-License-Identifier: MIT
#include "samples/games/domino_run.h"

#include <doctest/doctest.h>

#include <numbers>

#include "samples/games/picking.h"
#include "samples/scenes/game_scenes.h"
#include "tests/games/play.h"

using namespace proxima;
using namespace proxima::games;
using samples::DominoLayout;
using samples::DominoPlace;
using samples::DominoTool;
using samples::Vec3d;

namespace {

const DominoRun& dominoes(const GameSession& session) { return dynamic_cast<const DominoRun&>(session.game()); }

void draw(GameSession& session, const std::vector<Vec3d>& points) {
    GameInput input;
    for (const Vec3d& point : points) {
        point_at(input, DominoRun::camera().eye, samples::to_float(point));
        input.buttons = kPrimary;
        step(session, input);
    }
    input.buttons = 0;
    step(session, input);
}

std::vector<Vec3d> line(const Vec3d& from, const Vec3d& to) {
    std::vector<Vec3d> points;
    for (int i = 0; i <= 20; ++i) points.push_back(from + (to - from) * (i / 20.0));
    return points;
}

/// Lays a piece behind a short row, knocks the first one over, and says how many of how many fell.
void check_piece_falls(DominoTool tool, const std::vector<Vec3d>& points) {
    samples::DominoLevel level;
    level.pieces.push_back({DominoTool::curve, {{-3.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}});
    level.pieces.push_back({tool, points});
    samples::DominoScene course = samples::domino_scene("test", level, ~0u);
    physics::SceneBody& first = course.scene.bodies[course.dominoes.first];
    first.angular_velocity = {0.0f, 0.0f, -3.0f};
    first.linear_velocity = {1.35f, 0.18f, 0.0f};
    physics::PhysicsWorld world;
    const Result<std::vector<physics::Entity>> made = physics::instantiate(course.scene, world);
    REQUIRE_MESSAGE(made.ok(), made.error());
    for (int i = 0; i < 600; ++i) REQUIRE(world.step(1.0f / 60.0f).ok());
    uint32_t fallen = 0;
    for (uint32_t i = 0; i < course.dominoes.count; ++i)
        fallen += uprightness(world, made.value()[course.dominoes.first + i]) < 0.9f;
    CHECK(course.dominoes.count > 15);
    CHECK(fallen == course.dominoes.count);
}

}  // namespace

TEST_CASE("dominoes are placed by arc length, one at either end, and look along the path") {
    const std::vector<DominoPlace> row = samples::place_along({{0.0, 0.0, 0.0}, {0.0, 0.0, 3.6}}, 0.36);
    REQUIRE(row.size() == 11);
    CHECK(row.back().foot.z == doctest::Approx(3.6));
    for (size_t i = 0; i < row.size(); ++i) {
        CHECK(row[i].foot.z == doctest::Approx(0.36 * double(i)));
        CHECK(row[i].heading == doctest::Approx(std::numbers::pi / 2.0));
    }
    // A circle through few points: the spacing is even along the arc, not along the parameter.
    std::vector<Vec3d> circle;
    for (const double angle : {0.0, 0.5, 1.2, 1.7, 2.5, std::numbers::pi})
        circle.push_back({3.0 * std::cos(angle), 0.0, 3.0 * std::sin(angle)});
    const std::vector<DominoPlace> half = samples::place_along(samples::smooth_path(circle), 0.36);
    REQUIRE(half.size() > 20);
    for (size_t i = 1; i < half.size(); ++i) {
        CHECK(length(half[i].foot - half[i - 1].foot) == doctest::Approx(0.36).epsilon(0.03));
        CHECK(length(half[i].foot) == doctest::Approx(3.0).epsilon(0.05));
    }
    CHECK(samples::place_along({{0.0, 0.0, 0.0}}, 0.36).empty());
    CHECK(samples::place_along({{0.0, 0.0, 0.0}, {0.01, 0.0, 0.0}}, 0.36).empty());
}

TEST_CASE("a piece that begins where another ends adds no domino twice") {
    DominoLayout layout;
    CHECK(lay_piece({DominoTool::curve, {{0.0, 0.0, 0.0}, {3.6, 0.0, 0.0}}}, layout) == 11);
    CHECK(lay_piece({DominoTool::curve, {{3.6, 0.0, 0.0}, {7.2, 0.0, 0.0}}}, layout) == 10);
    CHECK(lay_piece({DominoTool::curve, {{0.0, 0.0, 0.0}, {7.2, 0.0, 0.0}}}, layout) == 0);
    CHECK(lay_piece({DominoTool::curve, {{0.0, 0.0, 2.0}, {7.2, 0.0, 2.0}}}, layout, 5) == 5);
}

TEST_CASE("every tool makes a piece that falls from end to end") {
    SUBCASE("curve") {
        check_piece_falls(DominoTool::curve, {{0.0, 0.0, 0.0}, {1.5, 0.0, 0.0}, {3.0, 0.0, 1.5}, {3.0, 0.0, 3.0}});
    }
    SUBCASE("split") {
        check_piece_falls(DominoTool::split, {{0.0, 0.0, 0.0}, {1.2, 0.0, 0.5}, {2.2, 0.0, 1.6}, {3.5, 0.0, 2.0}});
    }
    SUBCASE("spiral") { check_piece_falls(DominoTool::spiral, {{0.0, 0.0, 2.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}}); }
    SUBCASE("stairs") { check_piece_falls(DominoTool::stairs, {{0.0, 0.0, 0.0}, {5.0, 0.0, 0.0}}); }
}

TEST_CASE("the course stands until it is tapped") {
    const std::unique_ptr<GameSession> session = start_game("domino_run");
    wait(*session, 5.0);
    CHECK(dominoes(*session).fallen() == 0);
    CHECK(dominoes(*session).building());
}

TEST_CASE("with the gap closed all dominoes fall") {
    const std::unique_ptr<GameSession> session = start_game("domino_run");
    let_play(*session, 60.0);
    CHECK(session->game().state().phase == Phase::won);
    CHECK(dominoes(*session).own() > 10);
    CHECK(dominoes(*session).own() <= DominoRun::kBudget);
    CHECK(dominoes(*session).fallen() == dominoes(*session).count());
    CHECK(session->game().state().score == int(dominoes(*session).count()));
}

TEST_CASE("with the gap open the game is lost, and can be set up again") {
    const std::unique_ptr<GameSession> session = start_game("domino_run");
    press(*session, Key::space);
    play(
        *session, 60.0, [] { return GameInput{}; }, [&] { return session->game().state().phase != Phase::running; });
    CHECK(session->game().state().phase == Phase::lost);
    const uint32_t fallen = dominoes(*session).fallen();
    CHECK(fallen > 30);
    CHECK(fallen < dominoes(*session).count());
    press(*session, Key::backspace);
    CHECK(session->game().state().phase == Phase::running);
    CHECK(dominoes(*session).building());
    wait(*session, 2.0);
    press(*session, Key::space);
    wait(*session, 1.0);
    CHECK(dominoes(*session).fallen() > 3);  // they stood again
    CHECK(dominoes(*session).fallen() < fallen);
}

TEST_CASE("strokes add dominoes within the budget, and the eraser takes only those away") {
    const std::unique_ptr<GameSession> session = start_game("domino_run");
    const uint32_t prepared = dominoes(*session).count();
    const size_t bodies = session->world().bodies().size();
    draw(*session, line({-6.0, 0.0, 7.0}, {-3.0, 0.0, 7.0}));
    const uint32_t laid = dominoes(*session).own();
    CHECK(laid >= 8);
    CHECK(laid <= 10);

    press(*session, Key::digit4);  // a flight of stairs brings its steps along
    draw(*session, line({-6.0, 0.0, 9.0}, {-3.0, 0.0, 9.0}));
    CHECK(dominoes(*session).own() > laid);
    CHECK(session->world().bodies().size() > bodies + dominoes(*session).own());

    press(*session, Key::digit5);
    draw(*session, line({-7.0, 0.0, 9.0}, {-2.0, 0.0, 9.0}));
    draw(*session, line({-7.0, 0.0, 7.0}, {-2.0, 0.0, 7.0}));
    draw(*session, line({-8.0, 0.0, 0.0}, {1.2, 0.0, 0.0}));  // the course itself
    CHECK(dominoes(*session).own() == 0);
    CHECK(dominoes(*session).count() == prepared);
    CHECK(session->world().bodies().size() == bodies);

    press(*session, Key::digit1);
    for (double z = 12.5; z < 15.0; z += 0.6) draw(*session, line({-12.0, 0.0, z}, {-4.0, 0.0, z}));
    CHECK(dominoes(*session).own() == DominoRun::kBudget);
}

TEST_CASE("a domino in the middle can be tapped") {
    const std::unique_ptr<GameSession> session = start_game("domino_run");
    GameInput input;
    point_at(input, DominoRun::camera().eye, {-6.0f, 0.5f, 0.0f});
    input.buttons = kSecondary;
    step(*session, input);
    CHECK_FALSE(dominoes(*session).building());
    wait(*session, 2.0);
    CHECK(dominoes(*session).fallen() > 8);
    CHECK(uprightness(session->world(), dominoes(*session).domino(0)) > 0.99f);  // the first one still stands
}
