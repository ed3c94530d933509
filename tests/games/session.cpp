// SPDX-License-Identifier: MIT
// What holds for every game: it can be started, restarted, recorded and played again to the same end.
#include "samples/games/session.h"

#include <doctest/doctest.h>

#include <fstream>

#include "samples/games/picking.h"
#include "samples/scenes/scenes.h"
#include "tests/games/play.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::games;

namespace {

/// A few seconds of a game as its own player plays it.
std::unique_ptr<GameSession> play_a_while(const GameEntry& entry, double seconds) {
    std::unique_ptr<GameSession> session = start_game(entry.name);
    const std::unique_ptr<Player> player = entry.make_player(session->game());
    play(
        *session, seconds, [&] { return player->next(session->world()); }, [] { return false; });
    return session;
}

}  // namespace

TEST_CASE("every game says what it is and how it is played") {
    REQUIRE(game_list().size() == 5);
    for (const GameEntry& entry : game_list()) {
        CAPTURE(entry.name);
        const std::unique_ptr<GameSession> session = start_game(entry.name);
        const GameInfo& info = session->game().info();
        CHECK(info.name == entry.name);
        CHECK(info.title == entry.title);
        CHECK(info.start.size() > 40);
        CHECK_FALSE(info.goal.empty());
        CHECK(info.step_seconds > 0.0f);
        CHECK(session->game().state().phase == Phase::running);
        CHECK(session->game().state().score == 0);
        CHECK(samples::make_scene(entry.scene).ok());
    }
}

TEST_CASE("an unknown game gets the nearest name suggested") {
    CHECK(make_game("bolling").error().find("'bowling'") != std::string::npos);
    CHECK(find_game("bolling") == nullptr);
}

TEST_CASE("every game says what it wants shown") {
    for (const GameEntry& entry : game_list()) {
        CAPTURE(entry.name);
        const std::unique_ptr<GameSession> session = play_a_while(entry, 1.0);
        GameView view;
        session->view(view);
        CHECK(glm::length(view.camera.target - view.camera.eye) > 3.0f);
        REQUIRE_FALSE(view.looks.empty());
        for (const BodyLook& look : view.looks) REQUIRE(session->world().registry().valid(look.body));
        const size_t looks = view.looks.size(), texts = view.texts.size();
        session->view(view);  // cleared first
        CHECK(view.looks.size() == looks);
        CHECK(view.texts.size() == texts);
    }
}

TEST_CASE("the same inputs give the same game, also after a restart") {
    for (const GameEntry& entry : game_list()) {
        CAPTURE(entry.name);
        const std::unique_ptr<GameSession> session = play_a_while(entry, 4.0);
        const GameRecording recording = session->recording();
        REQUIRE(recording.inputs.size() == session->steps());

        const Result<std::unique_ptr<GameSession>> again = replay(recording);
        REQUIRE_MESSAGE(again.ok(), again.error());
        CHECK((*again)->hash() == recording.hash);

        const Result<void> restarted = session->restart();
        REQUIRE_MESSAGE(restarted.ok(), restarted.error());
        CHECK(session->steps() == 0);
        for (const GameInput& input : recording.inputs) step(*session, input);
        CHECK(session->hash() == recording.hash);
    }
}

TEST_CASE("a game is the same on several threads") {
    const std::unique_ptr<GameSession> session = play_a_while(*find_game("castle"), 6.0);
    const Result<std::unique_ptr<GameSession>> again = replay(session->recording(), engine::make_threaded_jobs(3));
    CHECK_MESSAGE(again.ok(), again.error());
}

TEST_CASE("other inputs are noticed by the hash") {
    const std::unique_ptr<GameSession> session = play_a_while(*find_game("bowling"), 3.0);
    GameRecording recording = session->recording();
    for (GameInput& input : recording.inputs) input.buttons = 0;
    const Result<std::unique_ptr<GameSession>> again = replay(recording);
    REQUIRE_FALSE(again.ok());
    CHECK(again.error().find("another state") != std::string::npos);
}

TEST_CASE("a recording comes back from its file, and a broken file is told") {
    const test::TemporaryFolder folder;
    const std::string file = (folder.path / "game.rec").string();
    const std::unique_ptr<GameSession> session = play_a_while(*find_game("marble_run"), 2.0);
    const GameRecording recording = session->recording();
    REQUIRE(save_recording(recording, file).ok());
    const Result<GameRecording> loaded = load_recording(file);
    REQUIRE_MESSAGE(loaded.ok(), loaded.error());
    CHECK(loaded->game == "marble_run");
    CHECK(loaded->hash == recording.hash);
    REQUIRE(loaded->inputs.size() == recording.inputs.size());
    CHECK(replay(*loaded).ok());

    const std::string cut = (folder.path / "cut.rec").string(), other = (folder.path / "other.rec").string();
    {
        std::ifstream in(file, std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
        std::ofstream(cut, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
        std::ofstream(other, std::ios::binary) << "this is no game";
    }
    CHECK(load_recording(cut).error().find("cut off") != std::string::npos);
    CHECK(load_recording(other).error().find("not the recording") != std::string::npos);
    CHECK_FALSE(load_recording((folder.path / "nothing.rec").string()).ok());
}

TEST_CASE("real time becomes fixed steps, and a notch of the wheel counts once") {
    const std::unique_ptr<GameSession> session = start_game("marble_run");
    GameInput input;
    input.scroll = 1.0f;
    Result<engine::FrameSteps> frame = session->update(0.005, input);
    REQUIRE(frame.ok());
    CHECK(frame->steps == 0);
    input.scroll = 0.0f;
    frame = session->update(0.06, input);
    REQUIRE(frame.ok());
    CHECK(frame->steps == 3);
    float scrolled = 0.0f;
    for (const GameInput& one : session->recording().inputs) scrolled += one.scroll;
    CHECK(scrolled == 1.0f);
    session->set_paused(true);
    CHECK(session->update(1.0, input)->steps == 0);
}

TEST_CASE("a pointer meets planes and boxes where it should") {
    GameInput input;
    point_at(input, {0.0f, 4.0f, 3.0f}, {0.0f, 0.0f, 0.0f});
    const std::optional<Vec3> ground = meet_height(input, 0.0f);
    REQUIRE(ground);
    CHECK(glm::length(*ground) < 1e-5f);
    CHECK_FALSE(meet_height(input, 5.0f));  // behind the eye

    // A box turned by a quarter about z: it is 2 m high and 4 m wide.
    const Transform pose{{0.0f, 0.0f, 0.0f}, Quat(std::sqrt(0.5f), 0.0f, 0.0f, std::sqrt(0.5f))};
    input.ray_origin = {1.9f, 10.0f, 0.0f};
    input.ray_direction = {0.0f, -1.0f, 0.0f};
    const std::optional<float> distance = meet_box(input, pose, {1.0f, 2.0f, 1.0f});
    REQUIRE(distance);
    CHECK(*distance == doctest::Approx(9.0f));
    input.ray_origin.x = 2.1f;
    CHECK_FALSE(meet_box(input, pose, {1.0f, 2.0f, 1.0f}));
    input.ray_origin = {0.0f, -3.0f, 0.0f};  // the box lies behind
    CHECK_FALSE(meet_box(input, pose, {1.0f, 2.0f, 1.0f}));
}
