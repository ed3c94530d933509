// SPDX-License-Identifier: MIT
// How the manifolds of a step are laid out for the wide solver: blocks of eight by colour and number of
// points, small islands packed into batches that one worker solves whole, large islands shared by all workers
// colour by colour.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics/solvers/wide/wide_blocks.h"

namespace proxima::physics {
struct StepContext;
}

namespace proxima::physics::wide {

/// Blocks of one colour and one number of points, one after the other in memory.
struct Run {
    size_t offset = 0;         // bytes
    uint32_t first_block = 0;  // number in the order of memory
    uint32_t blocks = 0;
    uint32_t first_item = 0, items = 0;  // manifolds
    uint32_t points = 1;
    bool immovable = false;
    bool bounces = false;
};

/// Small islands that one worker solves from the first sub-step to the last.
struct Batch {
    uint32_t run_begin = 0, run_end = 0;
    uint32_t body_begin = 0, body_count = 0;  // into Problem::bodies
    bool bounces = false;
};

/// A part of the large islands between two planes. Manifolds between its own bodies, and those with immovable
/// ones, need no other worker; the seam between slabs is swept in between. Slabs depend on the scene alone,
/// so results do not depend on the number of workers.
struct Slab {
    uint32_t run_begin = 0, run_end = 0;        // between its own bodies
    uint32_t ground_begin = 0, ground_end = 0;  // with immovable ones
    uint32_t body_begin = 0, body_count = 0;    // into Problem::bodies
};

/// Runs of the seam that may be swept at the same time.
struct Colour {
    uint32_t run_begin = 0, run_end = 0;
    bool one_by_one = false;  // manifolds of a body with more than there are colours: never two at a time
};

struct BlockPlace {
    size_t offset = 0;
    uint32_t points = 1;
};

struct alignas(64) CacheLine {
    std::byte bytes[64];
};

struct alignas(32) BodyRecord {
    float value[kRecord] = {};
};

struct Problem {
    BlockHead& head(size_t offset) { return *reinterpret_cast<BlockHead*>(memory.data()->bytes + offset); }

    // the layout
    std::vector<CacheLine> memory;  // all blocks
    std::vector<Run> runs;          // of the batches, of the slabs, of the seam, of the slabs' grounds
    std::vector<Batch> batches;
    std::vector<Slab> slabs;
    std::vector<Colour> seam;  // in the order of a sweep
    uint32_t seam_blocks = 0;
    bool slabs_bounce = false;
    // Slots of bodies in the order of the solver's records: the batches', the slabs', the kinematic ones that
    // move, each list padded to whole blocks; then those that do not move. Blocks name bodies by their place
    // in here.
    std::vector<uint32_t> bodies;
    std::vector<uint32_t> index_of_body;           // slot -> place; of bodies that take part
    std::vector<uint32_t> indices;                 // 0, 1, 2, ...
    uint32_t moving_count = 0;                     // without those that do not move
    uint32_t drivers_begin = 0, driver_count = 0;  // the kinematic ones
    std::vector<BlockPlace> blocks;                // in the order of memory
    struct RestitutionRow {
        Row value;
    };
    std::vector<RestitutionRow> restitution;  // by block

    // bodies as kernels see them, in the order of `bodies`
    std::vector<BodyRecord> velocity, moved, inverse_mass, place, free_velocity, drive, inertia,
        inverse_inertia;

    // for making the layout
    struct Item {
        uint32_t pair = 0, body_a = 0, body_b = 0;
        uint32_t unit = 0;   // batch, slab, seam or ground of a slab: see wide_layout.cpp
        uint16_t bin = 0;    // colour and number of points
        uint16_t place = 0;  // along the longest side of the world
    };
    std::vector<Item> items, sorted;
    std::vector<uint32_t> unit_of_island;
    std::vector<uint32_t> starts, uneven, unsorted, sorted_bodies;
    std::vector<uint8_t> slab_of_place;
};

/// Lays out the manifolds of the islands.
void make_layout(StepContext& c);

}  // namespace proxima::physics::wide
