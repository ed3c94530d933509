// SPDX-License-Identifier: MIT
#include "samples/games/bowling.h"

#include <doctest/doctest.h>

#include <initializer_list>

#include "samples/games/picking.h"
#include "samples/scenes/game_scenes.h"
#include "tests/games/play.h"

using namespace proxima;
using namespace proxima::games;

namespace {

BowlingScore score_of(std::initializer_list<int> throws) {
    BowlingScore score;
    for (const int pins : throws) score.add(pins);
    return score;
}
BowlingScore score_of(int count, int pins) {
    BowlingScore score;
    for (int i = 0; i < count; ++i) score.add(pins);
    return score;
}

const Bowling& bowling(const GameSession& session) { return dynamic_cast<const Bowling&>(session.game()); }

/// One throw at a point of the lane; back when the pins are counted.
void throw_at(GameSession& session, const Vec3& target, float power) {
    const size_t before = bowling(session).score().throws().size();
    bool held = false;
    play(
        session, 20.0,
        [&] {
            GameInput input;
            point_at(input, Bowling::camera().eye, target);
            if (bowling(session).stage() == Bowling::Stage::aiming && (!held || bowling(session).power() < power)) {
                input.buttons = kPrimary;
                held = true;
            }
            return input;
        },
        [&] { return bowling(session).score().throws().size() > before; });
    REQUIRE(bowling(session).score().throws().size() == before + 1);
}

constexpr float kHead = float(samples::kHeadPin), kLane = float(samples::kLaneTop);

}  // namespace

TEST_CASE("bowling scores of whole games are right") {
    CHECK(score_of(12, 10).total() == 300);  // all strikes
    CHECK(score_of(12, 10).over());
    CHECK_FALSE(score_of(11, 10).over());
    CHECK(score_of(21, 5).total() == 150);  // all spares
    CHECK(score_of(21, 5).over());
    CHECK_FALSE(score_of(20, 5).over());
    CHECK(score_of(20, 0).total() == 0);
    CHECK(score_of(20, 0).over());
    CHECK(score_of(20, 4).total() == 80);
    const BowlingScore mixed = score_of({1, 4, 4, 5, 6, 4, 5, 5, 10, 0, 1, 7, 3, 6, 4, 10, 2, 8, 6});
    CHECK(mixed.over());
    CHECK(mixed.total() == 133);
    const int frames[] = {5, 9, 15, 20, 11, 1, 16, 20, 20, 16};
    for (int i = 0; i < 10; ++i) CHECK(mixed.frame_points(i) == frames[i]);
}

TEST_CASE("strikes and spares count what follows them") {
    CHECK(score_of({10, 3, 4}).total() == 24);
    CHECK(score_of({10, 3, 4}).frame_points(0) == 17);
    CHECK(score_of({7, 3, 4}).total() == 18);
    CHECK(score_of({0, 10, 4}).frame_points(0) == 14);  // a spare by the second throw, no strike
    CHECK(score_of({10}).frame() == 1);
    CHECK(score_of({3}).frame() == 0);
    CHECK(score_of({3}).standing() == 7);
    CHECK(score_of({3, 7}).fresh_rack());
    CHECK(score_of({3, 2}).fresh_rack());
}

TEST_CASE("the tenth frame has a third throw only after a strike or a spare") {
    BowlingScore score = score_of(18, 0);
    CHECK(score.frame() == 9);
    score.add(10);
    CHECK(score.fresh_rack());
    score.add(4);
    CHECK(score.standing() == 6);
    CHECK_FALSE(score.over());
    score.add(9);  // more than stand
    CHECK(score.over());
    CHECK(score.total() == 20);
    score.add(10);  // too late
    CHECK(score.total() == 20);

    BowlingScore open = score_of(18, 0);
    open.add(4);
    open.add(5);
    CHECK(open.over());
    CHECK(open.total() == 9);
}

TEST_CASE("a pin has the weight and the low centre of a real one, and stands") {
    const std::unique_ptr<GameSession> session = start_game("bowling");
    wait(*session, 5.0);
    const Bowling& game = bowling(*session);
    CHECK(game.count_standing(session->world()) == 10);
    int pins = 0;
    for (const auto [entity, mass] : session->world().registry().view<const physics::Mass>().each()) {
        if (mass.mass != 1.55f) continue;
        ++pins;
        CHECK(mass.center.y == doctest::Approx(0.147f).epsilon(0.05));
        CHECK(std::abs(mass.center.x) < 1e-4f);
        CHECK(mass.inertia.xx > 3.0f * mass.inertia.yy);  // tall and slim
    }
    CHECK(pins == 10);
    for (size_t i = 0; i < game.spot_count(); ++i)
        CHECK(game.pin_position(session->world(), i).y == doctest::Approx(kLane).epsilon(0.002));
}

TEST_CASE("a ball into the pocket knocks down at least seven pins, and fallen pins are swept away") {
    const std::unique_ptr<GameSession> session = start_game("bowling");
    const size_t bodies = session->world().bodies().size();
    throw_at(*session, {0.055f, kLane, kHead}, 0.75f);
    const Bowling& game = bowling(*session);
    const int pins = game.score().throws()[0];
    CHECK(pins >= 7);
    CHECK(game.stage() == Bowling::Stage::aiming);
    step(*session);
    if (pins < 10) {
        CHECK(game.count_standing(session->world()) == 10 - pins);
        CHECK(session->world().bodies().size() == bodies - size_t(pins));
    }
}

TEST_CASE("a ball at the edge falls into the gutter and hits nothing") {
    const std::unique_ptr<GameSession> session = start_game("bowling");
    throw_at(*session, {1.2f, kLane, kHead}, 0.5f);
    CHECK(bowling(*session).score().throws()[0] == 0);
    CHECK(bowling(*session).count_standing(session->world()) == 10);
}

TEST_CASE("spin bends the way of the ball") {
    const auto end_of = [](float scroll) {
        const std::unique_ptr<GameSession> session = start_game("bowling");
        GameInput input;
        point_at(input, Bowling::camera().eye, {0.0f, kLane, kHead});
        input.scroll = scroll;
        step(*session, input);
        input.scroll = 0.0f;
        input.buttons = kPrimary;
        for (int i = 0; i < 150; ++i) step(*session, input);
        input.buttons = 0;
        for (int i = 0; i < 500; ++i) step(*session, input);
        return pose_of(session->world(), bowling(*session).ball()).position.x;
    };
    const float straight = end_of(0.0f), left = end_of(8.0f), right = end_of(-8.0f);
    CHECK(std::abs(straight) < 0.02f);
    CHECK(left < -0.15f);
    CHECK(right > 0.15f);
}

TEST_CASE("a player who aims wins a game of ten frames, one who throws into the gutter loses it") {
    const std::unique_ptr<GameSession> session = start_game("bowling");
    let_play(*session, 300.0);
    CHECK(session->game().state().phase == Phase::won);
    CHECK(session->game().state().score >= Bowling::kGoalPoints);
    CHECK(session->game().state().score == bowling(*session).score().total());

    REQUIRE(session->restart().ok());
    CHECK(session->game().state().score == 0);
    CHECK(bowling(*session).count_standing(session->world()) == 10);
    for (int i = 0; i < 20; ++i) throw_at(*session, {1.5f, kLane, kHead}, 0.9f);
    CHECK(session->game().state().phase == Phase::lost);
    CHECK(session->game().state().score == 0);
}
