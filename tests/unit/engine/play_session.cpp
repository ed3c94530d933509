// SPDX-License-Identifier: MIT
#include "engine/play/play_session.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

using namespace proxima;
using namespace proxima::engine;

namespace {

struct Ball {
    float height = 0.0f;
    float speed = 0.0f;
    uint32_t bounces = 0;
};

// The random numbers of the game belong to its state: they are saved with the world.
struct RandomPart final : StatePart {
    uint32_t seed = 1;
    void save(ByteWriter& out) const override { out.value(seed); }
    Result<void> load(ByteReader& in) override {
        seed = in.value<uint32_t>();
        if (!in.ok()) return Error{"The random numbers are missing."};
        return {};
    }
    uint32_t next() { return seed = seed * 1664525u + 1013904223u; }
};

// A small game whose every step depends on all before it: balls bounce, new ones appear, old ones vanish.
struct Game {
    World world;
    RandomPart random;
    uint64_t fail_at = 0;
    uint64_t calls = 0;
    PlaySession session{world, [this](World& w, uint64_t step, double seconds) { return advance(w, step, seconds); }};

    Game() {
        world.persist<Ball>("Ball");
        world.add_part("random", random);
        for (int i = 0; i < 5; ++i) add_ball(float(i) + 1.0f);
    }
    ~Game() { world.remove_part(random); }

    void add_ball(float height) { world.registry().emplace<Ball>(world.registry().create(), Ball{height, 0.0f, 0}); }

    Result<void> advance(World& w, uint64_t step, double seconds) {
        ++calls;
        if (step == fail_at) return Error{"The step was told to fail."};
        entt::registry& registry = w.registry();
        std::vector<Entity> tired;
        for (const Entity entity : registry.view<Ball>()) {
            Ball& ball = registry.get<Ball>(entity);
            ball.speed -= 9.81f * float(seconds);
            ball.height += ball.speed * float(seconds);
            if (ball.height < 0.0f) {
                ball.height = -ball.height;
                ball.speed = -0.9f * ball.speed + 1e-6f * float(random.next() >> 16);
                if (++ball.bounces == 3) tired.push_back(entity);
            }
        }
        for (const Entity entity : tired) registry.destroy(entity);
        if (step % 5 == 0) add_ball(float(random.next() >> 24) / 64.0f);
        return {};
    }

    std::vector<std::byte> state() const {
        Snapshot snapshot;
        world.save(snapshot);
        return snapshot.bytes;
    }
    void play_and_pause() {
        REQUIRE(session.play().ok());
        REQUIRE(session.pause().ok());
    }
};

}  // namespace

TEST_CASE("stop brings the edited state back byte for byte") {
    Game game;
    const auto edited = game.state();
    REQUIRE(game.session.play().ok());
    CHECK(game.session.state() == PlayState::play);
    for (int i = 0; i < 100; ++i) REQUIRE(game.session.update(1.0 / 30.0).ok());
    CHECK(game.session.step_number() == 200);
    CHECK(game.state() != edited);
    REQUIRE(game.session.stop().ok());
    CHECK(game.session.state() == PlayState::edit);
    CHECK(game.session.step_number() == 0);
    CHECK(game.state() == edited);

    // And the same play again ends in the same state.
    REQUIRE(game.session.play().ok());
    for (int i = 0; i < 50; ++i) REQUIRE(game.session.update(1.0 / 30.0).ok());
    const auto first = game.state();
    REQUIRE(game.session.stop().ok());
    REQUIRE(game.session.play().ok());
    for (int i = 0; i < 50; ++i) REQUIRE(game.session.update(1.0 / 30.0).ok());
    CHECK(game.state() == first);
}

TEST_CASE("stepping back visits the states of every step before, to the start") {
    for (const uint32_t interval : {1u, 4u, 16u, 1000u}) {
        CAPTURE(interval);
        Game game;
        PlaySettings settings;
        settings.keyframe_interval = interval;
        REQUIRE(game.session.set_settings(settings).ok());
        std::vector<std::vector<std::byte>> states{game.state()};
        game.play_and_pause();
        for (int i = 0; i < 60; ++i) {
            REQUIRE(game.session.step().ok());
            states.push_back(game.state());
        }
        for (uint64_t step = 60; step > 0; --step) {
            const uint64_t calls = game.calls;
            REQUIRE(game.session.step_back().ok());
            REQUIRE(game.session.step_number() == step - 1);
            REQUIRE(game.state() == states[step - 1]);
            REQUIRE(game.calls - calls < interval);
        }
        CHECK(game.session.step_back().error().find("start of the play") != std::string::npos);
        // Forward again is the same way.
        for (size_t step = 1; step <= 60; ++step) {
            REQUIRE(game.session.step().ok());
            REQUIRE(game.state() == states[step]);
        }
    }
}

TEST_CASE("the history stays within its bytes and says how far it reaches") {
    Game game;
    const size_t one_state = game.state().size();
    PlaySettings settings;
    settings.keyframe_interval = 4;
    settings.history_bytes = one_state * 12;
    REQUIRE(game.session.set_settings(settings).ok());
    game.play_and_pause();
    CHECK(game.session.oldest_step() == 0);
    std::vector<std::vector<std::byte>> states{game.state()};
    for (int i = 0; i < 203; ++i) {
        REQUIRE(game.session.step().ok());
        REQUIRE(game.session.history_bytes() <= settings.history_bytes);
        states.push_back(game.state());
    }
    const uint64_t oldest = game.session.oldest_step();
    CHECK(oldest > 100);
    CHECK(oldest % 4 == 0);
    while (game.session.step_number() > oldest) {
        REQUIRE(game.session.step_back().ok());
        REQUIRE(game.state() == states[game.session.step_number()]);
    }
    const auto refused = game.session.step_back();
    CHECK(refused.error().find("reaches back to step " + std::to_string(oldest)) != std::string::npos);
    CHECK(game.state() == states[oldest]);
    REQUIRE(game.session.stop().ok());
    CHECK(game.state() == states[0]);
    CHECK(game.session.history_bytes() == 0);
}

TEST_CASE("one step back is possible with no memory for history at all") {
    Game game;
    PlaySettings settings;
    settings.keyframe_interval = 3;
    settings.history_bytes = 0;
    REQUIRE(game.session.set_settings(settings).ok());
    game.play_and_pause();
    for (int i = 0; i < 40; ++i) {
        const auto before = game.state();
        REQUIRE(game.session.step().ok());
        REQUIRE(game.session.step_back().ok());
        REQUIRE(game.state() == before);
        REQUIRE(game.session.step().ok());
    }
}

TEST_CASE("a change by hand that was marked survives stepping back and forth") {
    Game game;
    game.play_and_pause();
    for (int i = 0; i < 5; ++i) REQUIRE(game.session.step().ok());
    const auto untouched = game.state();
    game.add_ball(50.0f);
    game.session.mark_changed();
    const auto changed = game.state();
    for (int i = 0; i < 3; ++i) REQUIRE(game.session.step().ok());
    for (int i = 0; i < 3; ++i) REQUIRE(game.session.step_back().ok());
    CHECK(game.state() == changed);
    // Further back lies the time before the change; forward from there the change is gone.
    REQUIRE(game.session.step_back().ok());
    REQUIRE(game.session.step().ok());
    CHECK(game.state() == untouched);
    REQUIRE(game.session.stop().ok());
}

TEST_CASE("a change by hand before the first step is kept by the history and undone by stop") {
    Game game;
    const auto edited = game.state();
    game.play_and_pause();
    game.add_ball(50.0f);
    game.session.mark_changed();
    const auto changed = game.state();
    REQUIRE(game.session.step().ok());
    REQUIRE(game.session.step_back().ok());
    CHECK(game.state() == changed);
    REQUIRE(game.session.stop().ok());
    CHECK(game.state() == edited);
}

TEST_CASE("what the state does not allow is refused with a sentence and changes nothing") {
    Game game;
    PlaySession& session = game.session;
    const auto refused = [](const Result<void>& result, const std::string& part) {
        return !result.ok() && result.error().find(part) != std::string::npos;
    };
    CHECK(refused(session.pause(), "Cannot pause in edit; this works only in play."));
    CHECK(refused(session.step(), "in edit"));
    CHECK(refused(session.step_back(), "in edit"));
    CHECK(refused(session.stop(), "in edit"));
    session.mark_changed();
    CHECK(session.history_bytes() == 0);
    CHECK(session.state() == PlayState::edit);

    REQUIRE(session.play().ok());
    CHECK(refused(session.play(), "in play"));
    CHECK(refused(session.step(), "in play"));
    CHECK(refused(session.step_back(), "in play"));
    CHECK(refused(session.set_settings({}), "in play"));
    CHECK(session.state() == PlayState::play);

    REQUIRE(session.pause().ok());
    CHECK(refused(session.pause(), "in pause"));
    CHECK(session.state() == PlayState::pause);
    REQUIRE(session.play().ok());
    CHECK(session.step_number() == 0);
    REQUIRE(session.stop().ok());

    PlaySettings bad;
    bad.step_seconds = std::numeric_limits<double>::quiet_NaN();
    CHECK(!session.set_settings(bad).ok());
    bad = {};
    bad.keyframe_interval = 0;
    CHECK(!session.set_settings(bad).ok());
    bad = {};
    bad.max_steps_per_update = 0;
    CHECK(!session.set_settings(bad).ok());
    CHECK(session.settings().keyframe_interval == PlaySettings{}.keyframe_interval);
}

TEST_CASE("update steps only in play, drops what is too much and reports alpha") {
    Game game;
    PlaySettings settings;
    settings.step_seconds = 0.25;
    settings.max_steps_per_update = 2;
    REQUIRE(game.session.set_settings(settings).ok());
    CHECK(game.session.update(1.0)->steps == 0);
    REQUIRE(game.session.play().ok());
    const auto update = game.session.update(2.125);
    REQUIRE(update.ok());
    CHECK(update->steps == 2);
    CHECK(update->alpha == 0.5f);
    CHECK(update->dropped_seconds == 1.5);
    CHECK(game.session.update(std::numeric_limits<double>::quiet_NaN())->steps == 0);
    REQUIRE(game.session.pause().ok());
    CHECK(game.session.update(1.0)->steps == 0);
    CHECK(game.session.step_number() == 2);
    REQUIRE(game.session.play().ok());
    REQUIRE(game.session.set_time_scale(0.5).ok());
    CHECK(game.session.update(0.25)->steps == 1);
}

TEST_CASE("a step that fails pauses the play and is not counted") {
    Game game;
    game.fail_at = 4;
    REQUIRE(game.session.play().ok());
    const auto update = game.session.update(0.1);
    CHECK(!update.ok());
    CHECK(update.error().find("Step 4 failed: The step was told to fail.") != std::string::npos);
    CHECK(game.session.state() == PlayState::pause);
    CHECK(game.session.step_number() == 3);
    game.fail_at = 0;
    CHECK(game.session.step().ok());
    CHECK(game.session.step_number() == 4);
}

TEST_CASE("seek visits every step of the way, in any order, and keeps what comes after") {
    for (const uint32_t interval : {1u, 7u, 16u, 1000u}) {
        CAPTURE(interval);
        Game game;
        PlaySettings settings;
        settings.keyframe_interval = interval;
        REQUIRE(game.session.set_settings(settings).ok());
        std::vector<std::vector<std::byte>> states{game.state()};
        game.play_and_pause();
        for (int i = 0; i < 60; ++i) {
            REQUIRE(game.session.step().ok());
            states.push_back(game.state());
        }
        for (const uint64_t target : {59u, 3u, 16u, 15u, 0u, 60u, 31u, 32u, 33u, 60u, 1u}) {
            REQUIRE(game.session.seek(target).ok());
            CHECK(game.session.step_number() == target);
            CHECK(game.session.newest_step() == 60);
            CHECK(game.state() == states[target]);
        }
        // Playing on from there repeats what was, and then goes beyond it.
        for (uint64_t i = 2; i <= 60; ++i) {
            REQUIRE(game.session.step().ok());
            CHECK(game.state() == states[i]);
        }
        REQUIRE(game.session.step().ok());
        CHECK(game.session.newest_step() == 61);
        REQUIRE(game.session.stop().ok());
        CHECK(game.state() == states[0]);
        CHECK(game.session.newest_step() == 0);
    }
}

TEST_CASE("seek can go a long way in several pieces") {
    Game game;
    PlaySettings settings;
    settings.keyframe_interval = 1000;
    REQUIRE(game.session.set_settings(settings).ok());
    game.play_and_pause();
    for (int i = 0; i < 40; ++i) REQUIRE(game.session.step().ok());
    const auto last = game.state();
    REQUIRE(game.session.seek(0).ok());
    game.calls = 0;
    for (const uint64_t expected : {16u, 32u, 40u, 40u}) {
        REQUIRE(game.session.seek(40, 16).ok());
        CHECK(game.session.step_number() == expected);
    }
    CHECK(game.calls == 40);
    CHECK(game.state() == last);
}

TEST_CASE("seek says what it cannot reach and where it does not work") {
    Game game;
    PlaySettings settings;
    settings.keyframe_interval = 4;
    settings.history_bytes = 1;
    REQUIRE(game.session.set_settings(settings).ok());
    CHECK(game.session.seek(0).error().find("pause") != std::string::npos);
    game.play_and_pause();
    for (int i = 0; i < 30; ++i) REQUIRE(game.session.step().ok());
    const auto here = game.state();
    CHECK(game.session.seek(31).error().find("30") != std::string::npos);
    CHECK(game.session.oldest_step() == 24);
    CHECK(game.session.seek(23).error().find("24") != std::string::npos);
    CHECK(game.state() == here);
    REQUIRE(game.session.seek(24).ok());
    REQUIRE(game.session.seek(30).ok());
    CHECK(game.state() == here);
}

TEST_CASE("a change by hand stays on the way that seek moves along") {
    Game game;
    game.play_and_pause();
    for (int i = 0; i < 10; ++i) REQUIRE(game.session.step().ok());
    game.add_ball(77.0f);
    game.session.mark_changed();
    const auto changed = game.state();
    for (int i = 0; i < 20; ++i) REQUIRE(game.session.step().ok());
    const auto end = game.state();
    REQUIRE(game.session.seek(5).ok());
    REQUIRE(game.session.seek(10).ok());
    CHECK(game.state() == changed);
    REQUIRE(game.session.seek(5).ok());
    for (int i = 5; i < 30; ++i) REQUIRE(game.session.step().ok());
    CHECK(game.state() == end);
}

TEST_CASE("forgetting the future makes this step the newest") {
    Game game;
    game.play_and_pause();
    for (int i = 0; i < 40; ++i) REQUIRE(game.session.step().ok());
    REQUIRE(game.session.seek(20).ok());
    game.session.forget_future();
    CHECK(game.session.newest_step() == 20);
    CHECK_FALSE(game.session.seek(21).ok());
    REQUIRE(game.session.seek(10).ok());
    REQUIRE(game.session.seek(20).ok());
}
