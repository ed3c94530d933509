// SPDX-License-Identifier: MIT
// What the API fuzzer can do to a world: one row per action. A change of the public API is a change of
// actions.cpp and of nothing else here.
#pragma once

#include <span>

#include "tests/fuzz/rig.h"
#include "tests/fuzz/source.h"

namespace proxima::fuzz {

struct Action {
    const char* name;
    uint32_t weight;  // how often it is chosen, relative to the others
    void (*run)(Rig& rig, Source& source);
};

std::span<const Action> actions();

/// What every world begins with: shapes of every kind and size, and mostly a floor.
void set_up(Rig& rig, Source& source);

/// Where a variant with restores has one: the world as a snapshot puts it back, in the same world or in a new
/// one that has the same shapes.
void save_and_restore(Rig& rig, bool in_new_world);

}  // namespace proxima::fuzz
