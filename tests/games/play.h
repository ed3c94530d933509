// SPDX-License-Identifier: MIT
// Games in tests: a session that must come about, and a player who plays on until something happens.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

#include "samples/games/game_list.h"
#include "samples/games/session.h"

namespace proxima::games {

inline std::unique_ptr<GameSession> start_game(std::string_view name) {
    Result<std::unique_ptr<Game>> game = make_game(name);
    REQUIRE_MESSAGE(game.ok(), game.error());
    Result<std::unique_ptr<GameSession>> session = GameSession::make(std::move(*game));
    REQUIRE_MESSAGE(session.ok(), session.error());
    return std::move(*session);
}

inline void step(GameSession& session, const GameInput& input = {}) {
    const Result<void> stepped = session.step(input);
    REQUIRE_MESSAGE(stepped.ok(), stepped.error());
    REQUIRE(session.world().report().warnings.empty());
}

/// Steps with the input that `input()` gives, until `done()` or for so many seconds.
template <class Input, class Done>
void play(GameSession& session, double seconds, Input&& input, Done&& done) {
    const double end = session.seconds() + seconds;
    while (session.seconds() < end && !done()) step(session, input());
}

/// Lets the game's own player play until the game is over, or for so many seconds.
inline void let_play(GameSession& session, double seconds) {
    const std::unique_ptr<Player> player = find_game(session.game().info().name)->make_player(session.game());
    play(
        session, seconds, [&] { return player->next(session.world()); },
        [&] { return session.game().state().phase != Phase::running; });
}

inline void wait(GameSession& session, double seconds) {
    play(
        session, seconds, [] { return GameInput{}; }, [] { return false; });
}

/// One step with a key down, one without.
inline void press(GameSession& session, Key key) {
    GameInput input;
    input.keys = bit(key);
    step(session, input);
    step(session);
}

}  // namespace proxima::games
