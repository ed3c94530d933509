// SPDX-License-Identifier: MIT
// How the manifolds of a step are laid out for the wide solver: blocks of eight by colour and number of
// points, in parts that workers go through without each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/math.h"
#include "engine/jobs/ordered_lists.h"
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

    size_t block(uint32_t k) const { return offset + k * block_bytes(points); }
};

/// What one worker goes through on its own, run after run.
struct Part {
    uint32_t run_begin = 0, run_end = 0;
    uint32_t body_begin = 0, body_count = 0;  // into Problem::bodies
    uint32_t item_begin = 0, item_end = 0;    // into Problem::items
    uint32_t run_count = 0, blocks = 0;       // while the layout is made
    size_t bytes = 0;
    float h = 0.0f;            // s: length of the sub-step that its impulses belong to
    uint32_t island = 0;       // that all its manifolds belong to, or kSeveral
    bool in_one_step = false;  // was solved directly
    bool bounces = false;
};

/// Where in Problem::parts to find what. Islands that are solved directly are a batch each and come first.
/// Other small islands are packed into batches, which one worker solves from the first sub-step to the last.
/// Large islands are cut by parallel planes into slabs. Manifolds between bodies of one slab, and those of
/// its bodies with immovable ones (its ground), need no other worker; nor do the seams between neighbouring
/// slabs need each other, as long as no body touches two of them. What does, and what reaches over a whole
/// slab, is left to the far part. All of it depends on the scene alone, so results do not depend on the
/// number of workers.
struct PartNumbers {
    uint32_t directs = 0;  // of the batches
    uint32_t batches = 0, slabs = 0;
    uint32_t seams() const { return slabs > 0 ? slabs - 1 : 0; }
    uint32_t batch(uint32_t k) const { return k; }
    uint32_t slab(uint32_t k) const { return batches + k; }
    uint32_t ground(uint32_t k) const { return batches + slabs + k; }
    uint32_t seam(uint32_t k) const { return batches + 2 * slabs + k; }  // between slabs k and k + 1
    uint32_t far() const { return batches + 2 * slabs + seams(); }
    uint32_t count() const { return far() + 1; }
    uint32_t with_bodies() const { return batches + slabs; }
    bool is_seam(uint32_t part) const { return part >= seam(0) && part < far(); }
};

inline constexpr uint32_t kMostSlabs = 32;
inline constexpr uint32_t kSeveral = 0xFFFFFFFFu;

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
    std::vector<Run> runs;          // of one part after the other
    std::vector<Part> parts;
    PartNumbers numbers;
    bool slabs_bounce = false;
    // Slots of bodies in the order of the solver's records: the batches', the slabs', the kinematic ones that
    // move, each list padded to whole blocks; then those that do not move. Blocks name bodies by their place
    // in here.
    std::vector<uint32_t> bodies;
    std::vector<uint32_t> index_of_body;           // slot -> place; of bodies that take part
    std::vector<uint32_t> indices;                 // 0, 1, 2, ...
    uint32_t moving_count = 0;                     // without those that do not move
    uint32_t drivers_begin = 0, driver_count = 0;  // the kinematic ones
    struct RestitutionRow {
        Row value;
    };
    std::vector<RestitutionRow> restitution;  // by block

    std::vector<uint8_t> news;  // by item: what note_contact said

    // bodies as kernels see them, in the order of `bodies`
    std::vector<BodyRecord> velocity, moved, inverse_mass, place, free_velocity, drive, inertia,
        inverse_inertia;
    std::vector<BodyRecord> wrench;  // of the direct solves

    // for making the layout
    struct Item {
        uint32_t pair = 0, body_a = 0, body_b = 0;
        uint32_t part = 0;
        uint32_t bin = 0;  // colour and number of points
    };
    std::vector<Item> items, unsorted_items;
    engine::OrderedPick<Item> pick_items;
    engine::OrderedBins bins;
    std::vector<uint32_t> part_of_island;
    std::vector<uint32_t> own_bodies;  // without those of the general path, when there are some
    std::vector<uint32_t> part_bodies, still_bodies;
    std::vector<uint8_t> slab_of_body;   // kept: who restores a snapshot must cut as was cut
    std::vector<uint8_t> seams_of_body;  // bit 0: touches the seam below its slab, bit 1: above
    std::vector<uint16_t> place_of_body;
    struct Extent {
        Vec3 lower{1e30f, 1e30f, 1e30f}, upper{-1e30f, -1e30f, -1e30f};
        double radii = 0.0;
        uint32_t bodies = 0;
    };
    std::vector<Extent> extents;
    std::vector<uint32_t> at_place;
};

/// Lays out the manifolds of the islands.
void make_layout(StepContext& c);

}  // namespace proxima::physics::wide
