// SPDX-License-Identifier: MIT
#include "samples/games/castle.h"

#include <doctest/doctest.h>

#include "samples/games/picking.h"
#include "tests/games/play.h"

using namespace proxima;
using namespace proxima::games;

namespace {

const Castle& castle(const GameSession& session) { return dynamic_cast<const Castle&>(session.game()); }

/// Throws one stone towards a point of the castle's front, with a power.
void throw_at(GameSession& session, float z, float power) {
    const int before = castle(session).stones_left();
    bool held = false;
    play(
        session, 20.0,
        [&] {
            GameInput input;
            point_at(input, Castle::camera().eye, {0.0f, 2.0f, z});
            if (castle(session).stage() == Castle::Stage::aiming && (!held || castle(session).power() < power)) {
                input.buttons = kPrimary;
                held = true;
            }
            return input;
        },
        [&] { return castle(session).stones_left() < before; });
    REQUIRE(castle(session).stones_left() == before - 1);
}

/// The stone that was thrown last.
physics::Entity last_stone(const GameSession& session) { return session.world().bodies().back(); }

}  // namespace

TEST_CASE("the castle stands by itself") {
    const std::unique_ptr<GameSession> session = start_game("castle");
    wait(*session, 20.0);
    CHECK(castle(*session).destroyed() == 0);
    for (uint32_t i = 0; i < castle(*session).flag_count(); ++i) {
        CHECK_FALSE(castle(*session).flag_down(i));
        CHECK(uprightness(session->world(), castle(*session).flag(i)) > 0.999f);
    }
    CHECK(session->game().state().score == 0);
}

TEST_CASE("a stone flies along the parabola of its launch") {
    const std::unique_ptr<GameSession> session = start_game("castle");
    const Vec3 from = castle(*session).release_point();
    throw_at(*session, 0.0f, 0.5f);
    const physics::Entity stone = last_stone(*session);
    const physics::Velocity& velocity = session->world().registry().get<physics::Velocity>(stone);
    const float e = castle(*session).elevation(), speed = glm::length(velocity.linear);
    CHECK(speed == doctest::Approx(Castle::launch_speed(0.5f)).epsilon(0.02));
    CHECK(velocity.linear.y / speed == doctest::Approx(std::sin(e)).epsilon(0.03));
    CHECK(glm::length(pose_of(session->world(), stone).position - from) < 0.3f);

    const Vec3 start = pose_of(session->world(), stone).position, launched = velocity.linear;
    wait(*session, 0.5);
    const Vec3 expected = start + 0.5f * launched + 0.125f * Vec3(0.0f, -9.81f, 0.0f);
    CHECK(glm::length(pose_of(session->world(), stone).position - expected) < 0.03f);
}

TEST_CASE("the arm swings to where the stone leaves it") {
    const std::unique_ptr<GameSession> session = start_game("castle");
    wait(*session, 0.1);
    physics::Entity arm = physics::kNoEntity;
    for (const physics::Entity body : session->world().bodies())
        if (session->world().registry().get<physics::RigidBody>(body).type == physics::BodyType::kinematic) {
            arm = body;
            break;
        }
    REQUIRE(arm != physics::kNoEntity);
    const auto direction = [&] { return pose_of(session->world(), arm).rotation * Vec3(1.0f, 0.0f, 0.0f); };
    CHECK(direction().x < -0.8f);  // behind
    const Vec3 pivot = pose_of(session->world(), arm).position;
    float highest_step = 0.0f;
    Vec3 before = direction();
    bool swinging = false;
    // Each step turns it further, never back, about its pivot.
    const auto watch = [&] {
        if (castle(*session).stage() == Castle::Stage::swinging) {
            swinging = true;
            highest_step = std::max(highest_step, glm::length(direction() - before));
            CHECK(direction().y >= before.y - 1e-4f);
            CHECK(glm::length(pose_of(session->world(), arm).position - pivot) < 1e-3f);
        }
        before = direction();
    };
    GameInput input;
    point_at(input, Castle::camera().eye, {0.0f, 2.0f, 0.0f});
    for (int i = 0; i < 90; ++i) {
        input.buttons = i < 60 ? kPrimary : 0u;
        step(*session, input);
        watch();
    }
    play(
        *session, 2.0, [&] { return input; }, [&] { return castle(*session).stage() == Castle::Stage::flying; });
    CHECK(swinging);
    CHECK(highest_step < 0.2f);
    const float e = castle(*session).elevation();
    CHECK(direction().y == doctest::Approx(std::cos(e)).epsilon(0.02));  // square to the throw
}

TEST_CASE("a stone that hits a tower destroys some of it") {
    const std::unique_ptr<GameSession> session = start_game("castle");
    throw_at(*session, 5.0f, 0.42f);
    wait(*session, 6.0);
    CHECK(castle(*session).destroyed() > 0);
    CHECK(session->game().state().score >= 10 * castle(*session).destroyed());
}

TEST_CASE("a player who aims brings all flags down") {
    const std::unique_ptr<GameSession> session = start_game("castle");
    let_play(*session, 120.0);
    CHECK(session->game().state().phase == Phase::won);
    CHECK(castle(*session).stones_left() >= 0);
    CHECK(castle(*session).destroyed() > 0);
    CHECK(session->game().state().score >= 600 + 50 * castle(*session).stones_left());
}

TEST_CASE("who throws too short has no stone left in the end and loses") {
    const std::unique_ptr<GameSession> session = start_game("castle");
    for (int i = 0; i < Castle::kStones; ++i) throw_at(*session, 0.0f, 0.05f);
    CHECK(session->game().state().phase == Phase::running);  // the last one still rolls
    wait(*session, 12.0);
    CHECK(session->game().state().phase == Phase::lost);
    CHECK(castle(*session).destroyed() == 0);
    CHECK(castle(*session).stones_left() == 0);
}
