// SPDX-License-Identifier: MIT
// The games that come with Proxima, by name: for the shell, for `proxima run NAME` and for tests.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "samples/games/game.h"

namespace proxima::games {

struct GameEntry {
    std::string_view name, title;
    std::string_view scene;  // the built-in scene that shows it without a player
    std::unique_ptr<Game> (*make)();
    /// Plays a game of this row to a good end.
    std::unique_ptr<Player> (*make_player)(const Game& game);
};

std::span<const GameEntry> game_list();
/// Nothing when there is none of that name.
const GameEntry* find_game(std::string_view name);
/// An unknown name gets the nearest known one suggested.
Result<std::unique_ptr<Game>> make_game(std::string_view name);

}  // namespace proxima::games
