// SPDX-License-Identifier: MIT
#include "samples/games/game_list.h"

#include <string>
#include <vector>

#include "engine/core/suggest.h"
#include "samples/games/bowling.h"
#include "samples/games/castle.h"
#include "samples/games/domino_run.h"
#include "samples/games/marble_run.h"
#include "samples/games/tower_of_blocks.h"

namespace proxima::games {

namespace {

template <class T>
std::unique_ptr<Game> make() {
    return std::make_unique<T>();
}

constexpr GameEntry kGames[] = {
    {"marble_run", "Marble Run", "marble_run", make<MarbleRun>, make_marble_player},
    {"bowling", "Bowling", "bowling", make<Bowling>, make_bowling_player},
    {"castle", "Castle", "castle", make<Castle>, make_castle_player},
    {"domino_run", "Domino Run", "domino_run", make<DominoRun>, make_domino_player},
    {"tower_of_blocks", "Tower of Blocks", "jenga", make<TowerOfBlocks>, make_tower_player},
};

}  // namespace

std::span<const GameEntry> game_list() { return kGames; }

const GameEntry* find_game(std::string_view name) {
    for (const GameEntry& entry : kGames)
        if (entry.name == name) return &entry;
    return nullptr;
}

Result<std::unique_ptr<Game>> make_game(std::string_view name) {
    if (const GameEntry* entry = find_game(name)) return entry->make();
    std::vector<std::string_view> names;
    for (const GameEntry& entry : kGames) names.push_back(entry.name);
    return Error{"There is no game called '" + std::string(name) + "'; did you mean '" +
                 std::string(nearest_word(name, names)) + "'?"};
}

}  // namespace proxima::games
