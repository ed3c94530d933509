// SPDX-License-Identifier: MIT
// Which constraint goes into which lane of which block, and which worker will see it.
#include "physics/solve/sweep/sweep_layout.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "engine/jobs/ordered_sum.h"

namespace proxima::physics::sweep {

namespace {

constexpr uint32_t kBatchManifolds = 256;  // islands are packed until a batch has so many
constexpr uint32_t kSlabManifolds = 512;   // at least in a slab
constexpr float kSlabWidth = 8.0f;         // at least, in mean radii: few manifolds reach over a plane
constexpr uint32_t kPositions = 1024;      // along the longest side of the large islands
constexpr uint32_t kBodiesPerBlock = 512;
constexpr uint32_t kContactsPerBlock = 512;
constexpr uint32_t kBins = kColourCount * kKindCount;
constexpr uint32_t kNoPartition = kNone - 1;  // of islands that are not solved here

/// What the passes of making a layout read and write.
struct Maker {
    const Graph& graph;
    const Plan& plan;
    const Articulations& articulations;
    const ConstraintStores& stores;
    const Bodies& bodies;
    Slabs& slabs;
    Layout& layout;
    LayoutScratch& scratch;
    engine::Jobs& jobs;
};

/// Islands to batches in their order, those that are solved directly first; large ones to none: their partition
/// is the one behind the last batch.
void assign_islands(const Maker& m) {
    m.scratch.partition_of_island.reserve(m.graph.islands.capacity());
    m.scratch.partition_of_island.resize(m.graph.islands.size());
    std::vector<IslandMethod>& batches = m.scratch.method_of_batch;
    batches.clear();
    for (uint32_t i = 0; i < m.graph.islands.size(); ++i) {
        if (m.plan.islands[i].solver != IslandSolver::direct) continue;
        m.scratch.partition_of_island[i] = uint32_t(batches.size());
        batches.push_back(m.plan.islands[i].method());
    }
    m.layout.numbers.directs = uint32_t(batches.size());
    // Islands of a batch have as many sub-steps and sweeps. What touches nothing has batches of its own, which go through
    // all sub-steps at once.
    constexpr uint32_t kFree = 3 * (kMaxHalvings + 1);
    for (uint32_t group = 0; group <= kFree; ++group) {
        uint32_t filled = kBatchManifolds;  // of the batch that is open
        for (uint32_t i = 0; i < m.graph.islands.size(); ++i) {
            const uint32_t size = m.graph.islands[i].edges;
            const uint32_t own =
                size == 0 ? kFree : 3u * m.plan.islands[i].halvings + uint32_t(m.plan.islands[i].strain);
            if (m.plan.islands[i].solver == IslandSolver::direct || own != group) continue;
            if (m.plan.is_general(i)) {
                m.scratch.partition_of_island[i] = kNoPartition;
                continue;
            }
            if (size > kMaxSmallIsland) {
                m.scratch.partition_of_island[i] = kNoLane;
                continue;
            }
            if (filled >= kBatchManifolds) {
                batches.push_back(m.plan.islands[i].method());
                filled = 0;
            }
            m.scratch.partition_of_island[i] = uint32_t(batches.size()) - 1;
            filled += size + (m.graph.islands[i].bodies() + 3) / 4;  // a body costs about a quarter of a manifold
        }
    }
    m.layout.numbers.batches = uint32_t(batches.size());
    for (uint32_t& part : m.scratch.partition_of_island)
        if (part == kNoLane) part = m.layout.numbers.batches;
}

bool is_in_large_island(const Maker& m, uint32_t body) {
    return m.graph.island_of_body[body] != kNone &&
           m.scratch.partition_of_island[m.graph.island_of_body[body]] == m.layout.numbers.batches;
}

/// Whether a body belongs to the general path.
bool is_elsewhere(const Maker& m, uint32_t body) {
    return m.scratch.partition_of_island[m.graph.island_of_body[body]] == kNoPartition;
}

using Extent = LayoutScratch::Extent;

/// How far the bodies of the large islands reach.
Extent measure_large_islands(const Maker& m) {
    const uint32_t n = uint32_t(m.bodies.size());
    return engine::ordered_reduce(
        m.jobs, n, kBodiesPerBlock, Extent{}, m.scratch.extents,
        [&](const engine::JobBlock& block) {
            Extent part;
            for (uint32_t i = block.begin; i < block.end; ++i) {
                if (!is_in_large_island(m, i)) continue;
                const BodyTransform& transform = m.bodies.transform[i];
                part.lower = glm::min(part.lower, transform.center);
                part.upper = glm::max(part.upper, transform.center);
                part.radii += double(transform.radius);
                ++part.bodies;
            }
            return part;
        },
        [](const Extent& all, const Extent& part) {
            return Extent{glm::min(all.lower, part.lower), glm::max(all.upper, part.upper), all.radii + part.radii,
                          all.bodies + part.bodies};
        });
}

/// Cuts the large islands across their longest side where each slab gets as many of their bodies.
void cut_slabs(const Maker& m) {
    const uint32_t n = uint32_t(m.bodies.size());
    uint32_t manifolds = 0;
    for (uint32_t i = 0; i < m.graph.islands.size(); ++i)
        if (m.scratch.partition_of_island[i] == m.layout.numbers.batches) manifolds += m.graph.islands[i].edges;
    m.slabs.of_body.resize(n);
    m.layout.numbers.slabs = 0;
    if (manifolds == 0) return;

    const Extent extent = measure_large_islands(m);
    const Vec3 size = extent.upper - extent.lower;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const float mean_radius = float(extent.radii / double(std::max(extent.bodies, 1u)));
    const float fit = mean_radius > 0.0f ? size[axis] / (kSlabWidth * mean_radius) : 1.0f;
    const uint32_t room = fit >= 1.0f ? uint32_t(std::min(fit, float(kMaxSlabs))) : 1;
    // A power of two, so that two, four or eight workers get equal shares.
    const uint32_t count = std::bit_floor(std::clamp(manifolds / kSlabManifolds, 1u, room));

    const float lower = extent.lower[axis];
    const float scale = size[axis] > 0.0f ? float(kPositions) / size[axis] : 0.0f;
    m.scratch.position_of_body.resize(n);
    m.jobs.parallel_for(n, kBodiesPerBlock, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const float at = (m.bodies.transform[i].center[axis] - lower) * scale;
            m.scratch.position_of_body[i] =
                uint16_t(at > 0.0f ? std::min(uint32_t(std::min(at, float(kPositions))), kPositions - 1) : 0);
        }
    });
    m.scratch.at_position.assign(kPositions, 0);
    for (uint32_t i = 0; i < n; ++i)
        if (is_in_large_island(m, i)) ++m.scratch.at_position[m.scratch.position_of_body[i]];
    uint32_t before = 0;
    for (uint32_t& here : m.scratch.at_position) {  // from how many bodies to the slab
        const uint32_t bodies = here;
        here = std::min(before * count / std::max(extent.bodies, 1u), count - 1);
        before += bodies;
    }
    for (uint32_t i = 0; i < n; ++i) m.slabs.of_body[i] = uint8_t(m.scratch.at_position[m.scratch.position_of_body[i]]);
    m.layout.numbers.slabs = count;
}

/// The slabs that a snapshot had.
void cut_as_before(const Maker& m) {
    m.layout.numbers.slabs = 0;
    for (uint32_t i = 0; i < m.slabs.of_body.size(); ++i)
        if (is_in_large_island(m, i))
            m.layout.numbers.slabs = std::max(m.layout.numbers.slabs, uint32_t(m.slabs.of_body[i]) + 1);
}

/// The bodies of each partition that has some, padded to whole blocks with one of their own. Bodies that turn
/// evenly come first: whole blocks of them need no gyroscopic part. Behind the partitions come kinematic ones,
/// which no contact moves, and last those that do not move.
void list_bodies_of_partitions(const Maker& m) {
    const PartitionNumbers& numbers = m.layout.numbers;
    const auto part_of = [&](uint32_t body) {
        const uint32_t part = m.scratch.partition_of_island[m.graph.island_of_body[body]];
        return part == numbers.batches ? numbers.slab(m.slabs.of_body[body]) : part;
    };
    const std::vector<uint32_t>* all = &m.graph.island_bodies;
    if (m.plan.general_count > 0) {
        m.scratch.own_bodies.clear();
        for (const uint32_t body : m.graph.island_bodies)
            if (!is_elsewhere(m, body)) m.scratch.own_bodies.push_back(body);
        all = &m.scratch.own_bodies;
    }
    m.scratch.bins.sort(m.jobs, numbers.with_bodies(), *all, m.scratch.partition_bodies, part_of);
    const auto padded = [](uint32_t count) { return (count + kBlockLanes - 1) / kBlockLanes * kBlockLanes; };
    uint32_t next = 0;
    for (uint32_t k = 0; k < numbers.with_bodies(); ++k) {
        m.layout.partitions[k].body_begin = next;
        m.layout.partitions[k].body_count = m.scratch.bins.end(k) - m.scratch.bins.begin(k);
        next += padded(m.layout.partitions[k].body_count);
    }
    m.layout.drivers_begin = next;
    m.scratch.still_bodies.clear();
    m.layout.bodies.reserve(2 * m.bodies.size() + kBlockLanes);
    m.layout.bodies.resize(next);
    for (uint32_t i = 0; i < m.bodies.size(); ++i) {
        if (m.bodies.dynamic[i]) continue;
        (m.bodies.awake[i] ? m.layout.bodies : m.scratch.still_bodies).push_back(i);
    }
    m.layout.driver_count = uint32_t(m.layout.bodies.size()) - m.layout.drivers_begin;
    while (m.layout.bodies.size() % kBlockLanes != 0) m.layout.bodies.push_back(m.layout.bodies.back());
    m.layout.moving_count = uint32_t(m.layout.bodies.size());
    m.layout.bodies.insert(m.layout.bodies.end(), m.scratch.still_bodies.begin(), m.scratch.still_bodies.end());

    m.layout.index_of_body.resize(m.bodies.size());
    m.jobs.parallel_for(numbers.with_bodies(), 1, [&](const engine::JobBlock& block) {
        const Partition& part = m.layout.partitions[block.begin];
        const uint32_t* from = m.scratch.partition_bodies.data() + m.scratch.bins.begin(block.begin);
        uint32_t at = part.body_begin;
        for (const bool even : {true, false})
            for (uint32_t k = 0; k < part.body_count; ++k) {
                if (m.bodies.data[from[k]].isotropic != even) continue;
                m.layout.index_of_body[from[k]] = at;
                m.layout.bodies[at++] = from[k];
            }
        for (; at % kBlockLanes != 0; ++at) m.layout.bodies[at] = m.layout.bodies[at - 1];
    });
    for (uint32_t k = m.layout.drivers_begin; k < m.layout.drivers_begin + m.layout.driver_count; ++k)
        m.layout.index_of_body[m.layout.bodies[k]] = k;
    for (uint32_t k = m.layout.moving_count; k < m.layout.bodies.size(); ++k)
        m.layout.index_of_body[m.layout.bodies[k]] = k;
    while (m.layout.indices.size() < m.layout.bodies.size())
        m.layout.indices.push_back(uint32_t(m.layout.indices.size()));
}

/// Articulations of the islands that are swept, by batch, and those of the large islands behind them.
void list_articulations(const Maker& m) {
    const PartitionNumbers& numbers = m.layout.numbers;
    std::vector<uint32_t>& list = m.layout.articulations;
    list.clear();
    list.reserve(m.articulations.list.size());
    const auto partition_of = [&](uint32_t k) {
        for (const uint32_t body : m.articulations.list[k].bodies())
            if (const uint32_t island = m.graph.island_of_body[body]; island != kNone)
                return m.scratch.partition_of_island[island];
        return kNoPartition;  // it sleeps
    };
    for (uint32_t k = 0; k < m.articulations.count; ++k)
        if (partition_of(k) <= numbers.batches) list.push_back(k);
    std::stable_sort(list.begin(), list.end(),
                     [&](uint32_t x, uint32_t y) { return partition_of(x) < partition_of(y); });
    uint32_t at = 0;
    for (uint32_t batch = 0; batch < numbers.batches; ++batch) {
        Partition& part = m.layout.partitions[batch];
        part.articulation_begin = at;
        while (at < list.size() && partition_of(list[at]) == batch) ++at;
        part.articulation_end = at;
    }
    m.layout.large_articulations = at;
}

/// The partition of a constraint, before it is known which bodies touch two boundaries.
uint32_t first_partition_of(const Maker& m, const Edge& contact) {
    const PartitionNumbers& numbers = m.layout.numbers;
    const uint32_t part = m.scratch.partition_of_island[m.graph.island_of(contact)];
    if (part != numbers.batches) return part;
    if (is_immovable(contact.colour))
        return numbers.static_contacts(
            m.slabs.of_body[m.bodies.dynamic[contact.body_a] ? contact.body_a : contact.body_b]);
    uint32_t low = contact.body_a, high = contact.body_b;
    if (m.slabs.of_body[low] > m.slabs.of_body[high]) std::swap(low, high);
    const uint32_t slab = m.slabs.of_body[low];
    if (m.slabs.of_body[high] == slab) return numbers.slab(slab);
    if (m.slabs.of_body[high] > slab + 1) return numbers.long_range();
    std::atomic_ref<uint8_t>(m.scratch.boundaries_of_body[low]).fetch_or(2, std::memory_order_relaxed);
    std::atomic_ref<uint8_t>(m.scratch.boundaries_of_body[high]).fetch_or(1, std::memory_order_relaxed);
    return numbers.boundary(slab);
}

/// Constraints by partition.
void sort_by_partition(const Maker& m) {
    const PartitionNumbers& numbers = m.layout.numbers;
    m.layout.items.reserve(m.graph.edges.capacity());
    m.scratch.unsorted_items.reserve(m.graph.edges.capacity());
    m.scratch.boundaries_of_body.assign(m.bodies.size(), 0);
    m.scratch.pick_items(m.jobs, uint32_t(m.graph.edges.size()), kContactsPerBlock, m.scratch.unsorted_items,
                         [&](uint32_t k, Item& item) {
                             const Edge& contact = m.graph.edges[k];
                             const uint32_t island = m.graph.island_of(contact);
                             if (island == kNone || m.scratch.partition_of_island[island] == kNoPartition) return false;
                             const bool swept = is_contact(contact.kind) ||
                                                m.articulations.of_joint[contact.id] == Articulations::kSwept;
                             if (!swept) return false;
                             item = {contact.id, contact.body_a, contact.body_b, first_partition_of(m, contact),
                                     contact.colour * kKindCount + uint32_t(contact.kind)};
                             return true;
                         });
    const auto part_of = [&](const Item& item) {
        const bool two_boundaries =
            m.scratch.boundaries_of_body[item.body_a] == 3 || m.scratch.boundaries_of_body[item.body_b] == 3;
        return numbers.is_boundary(item.partition) && two_boundaries ? numbers.long_range() : item.partition;
    };
    m.scratch.bins.sort(m.jobs, numbers.count(), m.scratch.unsorted_items, m.layout.items, part_of);
    for (uint32_t k = 0; k < numbers.count(); ++k) {
        m.layout.partitions[k].item_begin = m.scratch.bins.begin(k);
        m.layout.partitions[k].item_end = m.scratch.bins.end(k);
    }
    m.scratch.unsorted_items.swap(m.layout.items);
    m.layout.items.resize(m.scratch.unsorted_items.size());
    m.layout.event_flags.reserve(m.layout.items.capacity());
    m.layout.event_flags.assign(m.layout.items.size(), 0);
    m.layout.residual.reserve(m.layout.items.capacity());
    m.layout.residual.assign(m.layout.items.size(), 0.0f);
}

/// Constraints of a partition by colour, then kind.
void sort_partition(const Maker& m, const Partition& part) {
    uint32_t starts[kBins + 1] = {};
    for (uint32_t k = part.item_begin; k < part.item_end; ++k) ++starts[m.scratch.unsorted_items[k].bin + 1];
    starts[0] = part.item_begin;
    for (uint32_t bin = 0; bin < kBins; ++bin) starts[bin + 1] += starts[bin];
    for (uint32_t k = part.item_begin; k < part.item_end; ++k)
        m.layout.items[starts[m.scratch.unsorted_items[k].bin]++] = m.scratch.unsorted_items[k];
    // Where constraints of a colour share bodies their order matters, and must not be the table's.
    for (uint32_t bin = 0; bin < kBins; ++bin) {
        if (!is_overflow(bin / kKindCount)) continue;
        const KindId kind = KindId(bin % kKindCount);
        std::sort(m.layout.items.begin() + (bin == 0 ? part.item_begin : starts[bin - 1]),
                  m.layout.items.begin() + starts[bin], [&](const Item& x, const Item& y) {
                      return kind_row(kind).key(m.stores, x.id) < kind_row(kind).key(m.stores, y.id);
                  });
    }
}

/// Cuts the sorted items of a partition into runs: calls work(begin, end) for each.
template <class Work>
void for_each_run(const Layout& layout, const Partition& part, const Work& work) {
    for (uint32_t begin = part.item_begin; begin < part.item_end;) {
        const uint32_t bin = layout.items[begin].bin;
        uint32_t end = begin + 1;
        // One lane a block where a body may come twice.
        if (!is_overflow(bin / kKindCount))
            while (end < part.item_end && layout.items[end].bin == bin) ++end;
        work(begin, end);
        begin = end;
    }
}

uint32_t blocks_of(uint32_t items) { return (items + kBlockLanes - 1) / kBlockLanes; }

/// The manifold of each lane. Empty lanes name the body of the first and never write.
void fill_heads(const Maker& m, const BlockRun& run) {
    for (uint32_t b = 0; b < run.blocks; ++b) {
        BlockHead& head = m.layout.head(run, b);
        head.moves_a = head.moves_b = 0;
        head.immovable = run.immovable;
        const uint32_t first = run.first_item + b * kBlockLanes;
        const uint32_t used = std::min(run.items - b * kBlockLanes, kBlockLanes);
        for (uint32_t lane = 0; lane < kBlockLanes; ++lane) {
            if (lane >= used) {
                head.id[lane] = kNoLane;
                head.body_a[lane] = head.body_b[lane] = head.body_a[0];
                continue;
            }
            const Item& item = m.layout.items[first + lane];
            head.id[lane] = item.id;
            head.body_a[lane] = m.layout.index_of_body[item.body_a];
            head.body_b[lane] = m.layout.index_of_body[item.body_b];
            head.moves_a |= uint32_t(m.bodies.dynamic[item.body_a]) << lane;
            head.moves_b |= uint32_t(m.bodies.dynamic[item.body_b]) << lane;
        }
    }
}

/// Sorts the partitions and finds out how much room each needs.
void measure_partitions(const Maker& m) {
    for_all_partitions(m.layout, m.jobs, [&](Partition& part) {
        sort_partition(m, part);
        part.run_count = part.blocks = 0;
        const size_t number = size_t(&part - m.layout.partitions.data());
        // A batch of one island that is solved directly, or of several small ones.
        part.large = number < m.layout.numbers.directs ? part.item_end - part.item_begin > kMaxSmallIsland
                                                       : number >= m.layout.numbers.batches;
        part.island = kSeveral;
        for (uint32_t k = part.item_begin; k < part.item_end; ++k) {
            const uint32_t island = m.graph.island_of(m.layout.items[k].body_a, m.layout.items[k].body_b);
            if (k == part.item_begin) part.island = island;
            if (part.island != island) {
                part.island = kSeveral;
                break;
            }
        }
        part.bytes = 0;
        for_each_run(m.layout, part, [&](uint32_t begin, uint32_t end) {
            const uint32_t blocks = blocks_of(end - begin);
            ++part.run_count;
            part.blocks += blocks;
            part.bytes += blocks * kind_row(KindId(m.layout.items[begin].bin % kKindCount)).block_bytes;
        });
    });
}

/// Gives each partition its room and fills it.
void fill_partitions(const Maker& m) {
    uint32_t runs = 0, blocks = 0;
    size_t bytes = 0;
    for (Partition& part : m.layout.partitions) {  // sums become starts
        part.run_begin = runs;
        part.run_end = runs += part.run_count;
        blocks += std::exchange(part.blocks, blocks);
        bytes += std::exchange(part.bytes, bytes);
    }
    // A world that goes on as it is needs a little more now and a little less then: with a quarter to spare
    // from the beginning it has all it will need.
    const auto grow = [](auto& list, size_t size) {
        if (4 * size > 3 * list.capacity()) list.reserve(size + size / 2);
        list.resize(size);
    };
    grow(m.layout.runs, runs);
    grow(m.layout.restitution, blocks);
    grow(m.layout.memory, (bytes + sizeof(CacheLine) - 1) / sizeof(CacheLine));
    for_all_partitions(m.layout, m.jobs, [&](Partition& part) {
        BlockRun* run = m.layout.runs.data() + part.run_begin;
        uint32_t first_block = part.blocks;
        size_t offset = part.bytes;
        for_each_run(m.layout, part, [&](uint32_t begin, uint32_t end) {
            const uint32_t bin = m.layout.items[begin].bin;
            *run = BlockRun{};
            run->offset = offset;
            run->first_block = first_block;
            run->blocks = blocks_of(end - begin);
            run->first_item = begin;
            run->items = end - begin;
            run->kind = KindId(bin % kKindCount);
            run->immovable = is_immovable(bin / kKindCount);
            fill_heads(m, *run);
            offset += run->blocks * kind_row(run->kind).block_bytes;
            first_block += run->blocks;
            ++run;
        });
    });
}

}  // namespace

bool make_layout(const Graph& graph, const Plan& plan, const Articulations& articulations,
                 const ConstraintStores& stores, const Bodies& bodies, Slabs& slabs, Layout& layout,
                 LayoutScratch& scratch, engine::Jobs& jobs) {
    if (layout.seen_graph == graph.version && layout.seen_plan == plan.version) return false;
    layout.seen_graph = graph.version;
    layout.seen_plan = plan.version;
    const Maker m{graph, plan, articulations, stores, bodies, slabs, layout, scratch, jobs};
    assign_islands(m);
    if (slabs.cut_in_step != graph.changed_in_step || slabs.of_body.size() != bodies.size())
        cut_slabs(m);
    else
        cut_as_before(m);
    slabs.cut_in_step = graph.changed_in_step;
    layout.partitions.reserve(graph.islands.capacity() / 4 + layout.numbers.directs + 3 * kMaxSlabs + 1);
    layout.partitions.assign(layout.numbers.count(), Partition{});
    for (size_t k = 0; k < scratch.method_of_batch.size(); ++k) {
        layout.partitions[k].halvings = scratch.method_of_batch[k].halvings;
        layout.partitions[k].strain = scratch.method_of_batch[k].strain;
    }
    list_bodies_of_partitions(m);
    list_articulations(m);
    sort_by_partition(m);
    measure_partitions(m);
    fill_partitions(m);
    return true;
}

}  // namespace proxima::physics::sweep
