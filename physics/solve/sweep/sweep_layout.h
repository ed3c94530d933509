// SPDX-License-Identifier: MIT
// How the constraints of a step are laid out for the SIMD sweeps: blocks of eight by colour and kind, in partitions
// that workers go through without each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/core/long_list.h"
#include "engine/core/math.h"
#include "engine/jobs/ordered_lists.h"
#include "physics/constraints/block.h"
#include "physics/constraints/kinds.h"
#include "physics/graph/graph.h"
#include "physics/solve/articulation/articulation.h"
#include "physics/solve/plan.h"

namespace proxima::physics::sweep {

/// Blocks of one colour and one kind, one after the other in memory.
struct BlockRun {
    size_t offset = 0;         // bytes
    uint32_t first_block = 0;  // number in the order of memory
    uint32_t blocks = 0;
    uint32_t first_item = 0, items = 0;  // constraints
    KindId kind{};
    bool immovable = false;
    bool bounces = false;
};

/// What one worker goes through on its own, run after run.
struct Partition {
    uint32_t run_begin = 0, run_end = 0;
    uint32_t body_begin = 0, body_count = 0;                // into Layout::bodies
    uint32_t item_begin = 0, item_end = 0;                  // into Layout::items
    uint32_t run_count = 0, blocks = 0;                     // while the layout is made
    uint32_t articulation_begin = 0, articulation_end = 0;  // into Layout::articulations
    size_t bytes = 0;
    float h = 0.0f;                // s: length of the (sub-)step that its impulses belong to
    uint32_t island = 0;           // that all its constraints belong to, or kSeveral
    uint8_t halvings = 0;          // of the sub-steps of its islands
    Strain strain = Strain::none;  // of each of its islands (IslandPlan)
    bool large = false;            // of islands with fewer sub-steps (StepSettings::large_island_substeps)
    bool solved_direct = false;
    bool falls_as_one = false;  // the same forces drive all its bodies and nothing holds them: no load lasts
    bool stays = false;         // it was at rest and nothing has changed: the step before is this one
    // Whether some of its constraints
    bool bounces = false;   // have restitution
    bool has_anew = false;  // have bodies that get impulses anew in every sub-step
    bool turns = false;     // have bodies that move
};
inline constexpr uint32_t kSeveral = kNone;

/// Where in Layout::partitions to find what. Islands that are solved directly are a batch each and come first. Other
/// small islands are packed into batches, which one worker solves from the first sub-step to the last. Large islands
/// are cut by parallel planes into slabs. Constraints between bodies of one slab, and those of its bodies with
/// immovable ones (its static contacts), need no other worker; nor do the boundaries between neighbouring slabs need
/// each other, as long as no body touches two of them. What does, and what reaches over a whole slab, is left to the
/// long-range partition. All of it depends on the scene alone, so results do not depend on the number of workers.
struct PartitionNumbers {
    uint32_t directs = 0;  // of the batches
    uint32_t batches = 0, slabs = 0;
    uint32_t boundaries() const { return slabs > 0 ? slabs - 1 : 0; }
    uint32_t batch(uint32_t k) const { return k; }
    uint32_t slab(uint32_t k) const { return batches + k; }
    uint32_t static_contacts(uint32_t k) const { return batches + slabs + k; }
    uint32_t boundary(uint32_t k) const { return batches + 2 * slabs + k; }  // between slabs k and k + 1
    uint32_t long_range() const { return batches + 2 * slabs + boundaries(); }
    uint32_t count() const { return long_range() + 1; }
    uint32_t with_bodies() const { return batches + slabs; }
    bool is_boundary(uint32_t partition) const { return partition >= boundary(0) && partition < long_range(); }
};

inline constexpr uint32_t kMaxSlabs = 32;

struct alignas(64) CacheLine {
    std::byte bytes[64];
};

/// A constraint in the layout.
struct Item {
    uint32_t id = 0, body_a = 0, body_b = 0;
    uint32_t partition = 0;
    uint32_t bin = 0;  // colour and kind
};

struct Layout {
    // What it was derived from.
    uint64_t seen_graph = 0, seen_plan = 0;

    LongList<CacheLine> memory;  // all blocks
    std::vector<BlockRun> runs;  // of one partition after the other
    std::vector<Partition> partitions;
    PartitionNumbers numbers;
    std::vector<Item> items;  // sorted: items of a run follow each other
    // Slots of bodies in the order of the solver's records: the batches', the slabs', the kinematic ones that move,
    // each list padded to whole blocks; then those that do not move. Blocks name bodies by their index in here.
    std::vector<uint32_t> bodies;
    std::vector<uint32_t> index_of_body;           // slot -> index; of bodies that take part
    std::vector<uint32_t> indices;                 // 0, 1, 2, ...
    uint32_t moving_count = 0;                     // without those that do not move
    uint32_t drivers_begin = 0, driver_count = 0;  // the kinematic ones
    std::vector<RestitutionRow> restitution;       // by block
    // Articulations of the batches, by batch, then those of the large islands.
    std::vector<uint32_t> articulations;
    uint32_t large_articulations = 0;  // where those begin
    std::vector<uint8_t> event_flags;  // by item
    // Residuals by item, of partitions with several islands: at the end of the step, and in sub-steps.
    std::vector<float> residual, substep_residual;
    bool slabs_bounce = false, slabs_have_anew = false, slabs_turn = false;

    void* blocks(const BlockRun& run) { return memory.data()->bytes + run.offset; }
    BlockHead& head(const BlockRun& run, uint32_t block) {
        return *reinterpret_cast<BlockHead*>(memory.data()->bytes + run.offset +
                                             size_t(block) * kind_row(run.kind).block_bytes);
    }
    BlockSpan span(const BlockRun& run) { return {blocks(run), run.blocks, restitution.data() + run.first_block}; }

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(memory, runs, partitions, items, bodies, index_of_body, indices, restitution, articulations,
                        event_flags, residual, substep_residual);
    }
};

/// Slabs of the large islands. They are cut when constraints change, so a snapshot taken in between must know how.
struct Slabs {
    uint64_t cut_in_step = 0;      // Graph::changed_in_step that they were cut for
    std::vector<uint8_t> of_body;  // by slot

    template <class Archive>
    void visit(Archive& archive) {
        archive.value(cut_in_step);
        archive.state(of_body);
    }
};

/// What only the making of a layout needs.
struct LayoutScratch {
    std::vector<Item> unsorted_items;
    engine::OrderedPick<Item> pick_items;
    engine::OrderedBins bins;
    std::vector<uint32_t> partition_of_island;
    std::vector<IslandMethod> method_of_batch;
    std::vector<uint32_t> own_bodies;  // without those of the general islands, when there are some
    std::vector<uint32_t> partition_bodies, still_bodies;
    std::vector<uint8_t> boundaries_of_body;  // bit 0: touches the boundary below its slab, bit 1: above
    std::vector<uint16_t> position_of_body;   // along the axis of the slabs
    struct Extent {
        Vec3 lower{1e30f, 1e30f, 1e30f}, upper{-1e30f, -1e30f, -1e30f};
        double radii = 0.0;
        uint32_t bodies = 0;
    };
    std::vector<Extent> extents;
    std::vector<uint32_t> at_position;

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(unsorted_items, partition_of_island, method_of_batch, own_bodies, partition_bodies,
                        still_bodies, boundaries_of_body, position_of_body, extents, at_position);
        archive.derived_bytes(pick_items.bytes() + bins.bytes());
    }
};

/// Lays out the constraints of the islands that are swept or solved directly. Returns whether the layout is a new one.
bool make_layout(const Graph& graph, const Plan& plan, const Articulations& articulations,
                 const ConstraintStores& stores, const Bodies& bodies, Slabs& slabs, Layout& layout,
                 LayoutScratch& scratch, engine::Jobs& jobs);

/// Calls work(partition) for every partition, on the worker that will sweep it or has swept it where workers have a
/// choice: what it touches is then in its own cache.
template <class Work>
void for_all_partitions(Layout& layout, engine::Jobs& jobs, const Work& work) {
    const PartitionNumbers numbers = layout.numbers;
    jobs.parallel_for(
        numbers.batches, 1, [&](const engine::JobBlock& block) { work(layout.partitions[numbers.batch(block.begin)]); },
        engine::Share::affinity);
    jobs.parallel_for(
        numbers.slabs, 1,
        [&](const engine::JobBlock& block) {
            work(layout.partitions[numbers.slab(block.begin)]);
            work(layout.partitions[numbers.static_contacts(block.begin)]);
            if (block.begin < numbers.boundaries()) work(layout.partitions[numbers.boundary(block.begin)]);
        },
        engine::Share::affinity);
    work(layout.partitions[numbers.long_range()]);
}

}  // namespace proxima::physics::sweep
