// SPDX-License-Identifier: MIT
// Which manifold goes into which lane of which block, and which worker will see it.
#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "engine/jobs/ordered_sum.h"
#include "physics/islands/colours.h"
#include "physics/solvers/wide/wide_parts.h"
#include "physics/step.h"

namespace proxima::physics::wide {

namespace {

constexpr uint32_t kSmallIsland = 512;     // manifolds; larger islands are cut into slabs
constexpr uint32_t kBatchManifolds = 256;  // islands are packed until a batch has so many
constexpr uint32_t kSlabManifolds = 512;   // at least in a slab
constexpr float kSlabWidth = 8.0f;         // at least, in mean radii: few manifolds reach over a plane
constexpr uint32_t kPlaces = 1024;         // along the longest side of the large islands
constexpr uint32_t kBodiesPerBlock = 512;
constexpr uint32_t kContactsPerBlock = 512;
constexpr uint32_t kBins = kColourCount * kMaxPoints;
constexpr uint32_t kNoPart = kNoLane - 1;  // of islands that the general path solves

/// Islands to batches in their order, those that are solved directly first; large ones to none: their part is
/// the one behind the last batch.
void assign_islands(StepContext& c) {
    Problem& p = c.wide;
    p.part_of_island.reserve(c.islands.capacity());
    p.part_of_island.resize(c.islands.size());
    uint32_t batches = 0;
    for (uint32_t i = 0; i < c.islands.size(); ++i)
        if (c.island_way[i] == IslandWay::direct) p.part_of_island[i] = batches++;
    p.numbers.directs = batches;
    uint32_t filled = kBatchManifolds;  // of the batch that is open
    for (uint32_t i = 0; i < c.islands.size(); ++i) {
        if (c.island_way[i] == IslandWay::direct) continue;
        if (c.island_way[i] == IslandWay::apart) {
            p.part_of_island[i] = kNoPart;
            continue;
        }
        const uint32_t size = c.islands[i].group_end - c.islands[i].group_begin;
        if (size > kSmallIsland) {
            p.part_of_island[i] = kNoLane;
            continue;
        }
        if (filled >= kBatchManifolds) {
            ++batches;
            filled = 0;
        }
        p.part_of_island[i] = batches - 1;
        // A body costs about as much as a quarter of a manifold, and bodies in the air have no other.
        filled += size + (c.islands[i].body_end - c.islands[i].body_begin + 3) / 4;
    }
    p.numbers.batches = batches;
    for (uint32_t& part : p.part_of_island)
        if (part == kNoLane) part = batches;
}

bool is_in_large_island(const StepContext& c, uint32_t body) {
    return c.bodies.island[body] != kNoIsland &&
           c.wide.part_of_island[c.bodies.island[body]] == c.wide.numbers.batches;
}

/// Whether a body belongs to the general path.
bool is_apart(const StepContext& c, uint32_t body) {
    return c.wide.part_of_island[c.bodies.island[body]] == kNoPart;
}

using Extent = Problem::Extent;

/// How far the bodies of the large islands reach.
Extent measure_large_islands(StepContext& c) {
    const uint32_t n = uint32_t(c.bodies.size());
    return engine::ordered_reduce(
        *c.jobs, n, kBodiesPerBlock, Extent{}, c.wide.extents,
        [&](const engine::JobBlock& block) {
            Extent part;
            for (uint32_t i = block.begin; i < block.end; ++i) {
                if (!is_in_large_island(c, i)) continue;
                const BodyPlace& place = c.bodies.place[i];
                part.lower = glm::min(part.lower, place.center);
                part.upper = glm::max(part.upper, place.center);
                part.radii += double(place.radius);
                ++part.bodies;
            }
            return part;
        },
        [](const Extent& all, const Extent& part) {
            return Extent{glm::min(all.lower, part.lower), glm::max(all.upper, part.upper),
                          all.radii + part.radii, all.bodies + part.bodies};
        });
}

/// Cuts the large islands across their longest side where each slab gets as many of their bodies.
void cut_slabs(StepContext& c) {
    Problem& p = c.wide;
    const uint32_t n = uint32_t(c.bodies.size());
    uint32_t manifolds = 0;
    for (uint32_t i = 0; i < c.islands.size(); ++i)
        if (p.part_of_island[i] == p.numbers.batches)
            manifolds += c.islands[i].group_end - c.islands[i].group_begin;
    p.slab_of_body.resize(n);
    p.numbers.slabs = 0;
    if (manifolds == 0) return;

    const Extent extent = measure_large_islands(c);
    const Vec3 size = extent.upper - extent.lower;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const float mean_radius = float(extent.radii / double(std::max(extent.bodies, 1u)));
    const float fit = mean_radius > 0.0f ? size[axis] / (kSlabWidth * mean_radius) : 1.0f;
    const uint32_t room = fit >= 1.0f ? uint32_t(std::min(fit, float(kMostSlabs))) : 1;
    // A power of two, so that two, four or eight workers get equal shares.
    const uint32_t count = std::bit_floor(std::clamp(manifolds / kSlabManifolds, 1u, room));

    const float lower = extent.lower[axis];
    const float scale = size[axis] > 0.0f ? float(kPlaces) / size[axis] : 0.0f;
    p.place_of_body.resize(n);
    c.jobs->parallel_for(n, kBodiesPerBlock, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i) {
            const float at = (c.bodies.place[i].center[axis] - lower) * scale;
            p.place_of_body[i] =
                uint16_t(at > 0.0f ? std::min(uint32_t(std::min(at, float(kPlaces))), kPlaces - 1) : 0);
        }
    });
    p.at_place.assign(kPlaces, 0);
    for (uint32_t i = 0; i < n; ++i)
        if (is_in_large_island(c, i)) ++p.at_place[p.place_of_body[i]];
    uint32_t before = 0;
    for (uint32_t& here : p.at_place) {  // from how many bodies to the slab
        const uint32_t bodies = here;
        here = std::min(before * count / std::max(extent.bodies, 1u), count - 1);
        before += bodies;
    }
    for (uint32_t i = 0; i < n; ++i) p.slab_of_body[i] = uint8_t(p.at_place[p.place_of_body[i]]);
    p.numbers.slabs = count;
}

/// The slabs that a snapshot had.
void cut_as_before(StepContext& c) {
    Problem& p = c.wide;
    p.numbers.slabs = 0;
    for (uint32_t i = 0; i < p.slab_of_body.size(); ++i)
        if (is_in_large_island(c, i))
            p.numbers.slabs = std::max(p.numbers.slabs, uint32_t(p.slab_of_body[i]) + 1);
}

/// The bodies of each part that has some, padded to whole blocks with one of their own. Bodies that turn
/// evenly come first: whole blocks of them need no gyroscopic part. Behind the parts come kinematic ones,
/// which no contact moves, and last those that do not move.
void list_bodies_of_parts(StepContext& c) {
    Problem& p = c.wide;
    const PartNumbers& numbers = p.numbers;
    const auto part_of = [&](uint32_t body) {
        const uint32_t part = p.part_of_island[c.bodies.island[body]];
        return part == numbers.batches ? numbers.slab(p.slab_of_body[body]) : part;
    };
    const std::vector<uint32_t>* all = &c.island_bodies;
    if (c.apart_islands > 0) {
        p.own_bodies.clear();
        for (const uint32_t body : c.island_bodies)
            if (!is_apart(c, body)) p.own_bodies.push_back(body);
        all = &p.own_bodies;
    }
    p.bins.sort(*c.jobs, numbers.with_bodies(), *all, p.part_bodies, part_of);
    const auto padded = [](uint32_t count) { return (count + kBlockLanes - 1) / kBlockLanes * kBlockLanes; };
    uint32_t next = 0;
    for (uint32_t k = 0; k < numbers.with_bodies(); ++k) {
        p.parts[k].body_begin = next;
        p.parts[k].body_count = p.bins.end(k) - p.bins.begin(k);
        next += padded(p.parts[k].body_count);
    }
    p.drivers_begin = next;
    p.still_bodies.clear();
    p.bodies.reserve(2 * c.bodies.size() + kBlockLanes);
    p.bodies.resize(next);
    for (uint32_t i = 0; i < c.bodies.size(); ++i) {
        if (c.bodies.dynamic[i]) continue;
        (c.bodies.awake[i] ? p.bodies : p.still_bodies).push_back(i);
    }
    p.driver_count = uint32_t(p.bodies.size()) - p.drivers_begin;
    while (p.bodies.size() % kBlockLanes != 0) p.bodies.push_back(p.bodies.back());
    p.moving_count = uint32_t(p.bodies.size());
    p.bodies.insert(p.bodies.end(), p.still_bodies.begin(), p.still_bodies.end());

    p.index_of_body.resize(c.bodies.size());
    c.jobs->parallel_for(numbers.with_bodies(), 1, [&](const engine::JobBlock& block) {
        const Part& part = p.parts[block.begin];
        const uint32_t* from = p.part_bodies.data() + p.bins.begin(block.begin);
        uint32_t at = part.body_begin;
        for (const bool even : {true, false})
            for (uint32_t k = 0; k < part.body_count; ++k) {
                if (c.bodies.facts[from[k]].isotropic != even) continue;
                p.index_of_body[from[k]] = at;
                p.bodies[at++] = from[k];
            }
        for (; at % kBlockLanes != 0; ++at) p.bodies[at] = p.bodies[at - 1];
    });
    for (uint32_t k = p.drivers_begin; k < p.drivers_begin + p.driver_count; ++k)
        p.index_of_body[p.bodies[k]] = k;
    for (uint32_t k = p.moving_count; k < p.bodies.size(); ++k) p.index_of_body[p.bodies[k]] = k;
    while (p.indices.size() < p.bodies.size()) p.indices.push_back(uint32_t(p.indices.size()));
}

/// The part of a manifold, before it is known which bodies touch two seams.
uint32_t first_part_of(StepContext& c, const ContactRef& contact) {
    Problem& p = c.wide;
    const PartNumbers& numbers = p.numbers;
    const uint32_t part = p.part_of_island[island_of(c, contact.body_a, contact.body_b)];
    if (part != numbers.batches) return part;
    if (is_immovable(contact.colour))
        return numbers.ground(
            p.slab_of_body[c.bodies.dynamic[contact.body_a] ? contact.body_a : contact.body_b]);
    uint32_t low = contact.body_a, high = contact.body_b;
    if (p.slab_of_body[low] > p.slab_of_body[high]) std::swap(low, high);
    const uint32_t slab = p.slab_of_body[low];
    if (p.slab_of_body[high] == slab) return numbers.slab(slab);
    if (p.slab_of_body[high] > slab + 1) return numbers.far();
    std::atomic_ref<uint8_t>(p.seams_of_body[low]).fetch_or(2, std::memory_order_relaxed);
    std::atomic_ref<uint8_t>(p.seams_of_body[high]).fetch_or(1, std::memory_order_relaxed);
    return numbers.seam(slab);
}

/// Manifolds by part.
void sort_by_part(StepContext& c) {
    Problem& p = c.wide;
    const PartNumbers& numbers = p.numbers;
    p.items.reserve(c.contact_list.capacity());
    p.unsorted_items.reserve(c.contact_list.capacity());
    p.seams_of_body.assign(c.bodies.size(), 0);
    p.pick_items(*c.jobs, uint32_t(c.contact_list.size()), kContactsPerBlock, p.unsorted_items,
                 [&](uint32_t k, Problem::Item& item) {
                     const ContactRef& contact = c.contact_list[k];
                     const uint32_t island = island_of(c, contact.body_a, contact.body_b);
                     if (island == kNoIsland || p.part_of_island[island] == kNoPart) return false;
                     item = {contact.pair, contact.body_a, contact.body_b, first_part_of(c, contact),
                             contact.colour * kMaxPoints + contact.count - 1};
                     return true;
                 });
    const auto part_of = [&](const Problem::Item& item) {
        const bool two_seams = p.seams_of_body[item.body_a] == 3 || p.seams_of_body[item.body_b] == 3;
        return numbers.is_seam(item.part) && two_seams ? numbers.far() : item.part;
    };
    p.bins.sort(*c.jobs, numbers.count(), p.unsorted_items, p.items, part_of);
    for (uint32_t k = 0; k < numbers.count(); ++k) {
        p.parts[k].item_begin = p.bins.begin(k);
        p.parts[k].item_end = p.bins.end(k);
    }
    p.unsorted_items.swap(p.items);
    p.items.resize(p.unsorted_items.size());
    p.news.reserve(p.items.capacity());
    p.news.assign(p.items.size(), 0);
}

/// Manifolds of a part by colour, then number of points.
void sort_part(StepContext& c, const Part& part) {
    Problem& p = c.wide;
    uint32_t starts[kBins + 1] = {};
    for (uint32_t k = part.item_begin; k < part.item_end; ++k) ++starts[p.unsorted_items[k].bin + 1];
    starts[0] = part.item_begin;
    for (uint32_t bin = 0; bin < kBins; ++bin) starts[bin + 1] += starts[bin];
    for (uint32_t k = part.item_begin; k < part.item_end; ++k)
        p.items[starts[p.unsorted_items[k].bin]++] = p.unsorted_items[k];
    // Where manifolds of a colour share bodies their order matters, and must not be the table's.
    for (uint32_t bin = 0; bin < kBins; ++bin) {
        if (!is_overflow(bin / kMaxPoints)) continue;
        std::sort(p.items.begin() + (bin == 0 ? part.item_begin : starts[bin - 1]),
                  p.items.begin() + starts[bin], [&](const Problem::Item& x, const Problem::Item& y) {
                      return c.pairs[x.pair].key < c.pairs[y.pair].key;
                  });
    }
}

/// Cuts the sorted items of a part into runs: calls work(begin, end) for each.
template <class Work>
void for_each_run(const Problem& p, const Part& part, const Work& work) {
    for (uint32_t begin = part.item_begin; begin < part.item_end;) {
        const uint32_t bin = p.items[begin].bin;
        uint32_t end = begin + 1;
        // One lane a block where a body may come twice.
        if (!is_overflow(bin / kMaxPoints))
            while (end < part.item_end && p.items[end].bin == bin) ++end;
        work(begin, end);
        begin = end;
    }
}

uint32_t blocks_of(uint32_t items) { return (items + kBlockLanes - 1) / kBlockLanes; }

/// Who is in which lane. Empty lanes name the body of the first and never write.
void fill_heads(StepContext& c, const Run& run) {
    Problem& p = c.wide;
    for (uint32_t b = 0; b < run.blocks; ++b) {
        BlockHead& head = p.head(run.block(b));
        head.moves_a = head.moves_b = head.bounces = 0;
        head.immovable = run.immovable;
        const uint32_t first = run.first_item + b * kBlockLanes;
        const uint32_t used = std::min(run.items - b * kBlockLanes, kBlockLanes);
        for (uint32_t lane = 0; lane < kBlockLanes; ++lane) {
            if (lane >= used) {
                head.pair[lane] = kNoLane;
                head.body_a[lane] = head.body_b[lane] = head.body_a[0];
                continue;
            }
            const Problem::Item& item = p.items[first + lane];
            head.pair[lane] = item.pair;
            head.body_a[lane] = p.index_of_body[item.body_a];
            head.body_b[lane] = p.index_of_body[item.body_b];
            head.moves_a |= uint32_t(c.bodies.dynamic[item.body_a]) << lane;
            head.moves_b |= uint32_t(c.bodies.dynamic[item.body_b]) << lane;
        }
    }
}

/// Sorts the parts and finds out how much room each needs.
void measure_parts(StepContext& c) {
    Problem& p = c.wide;
    for_all_parts(c, [&](Part& part) {
        sort_part(c, part);
        part.run_count = part.blocks = 0;
        part.island = kSeveral;
        for (uint32_t k = part.item_begin; k < part.item_end; ++k) {
            const uint32_t island = island_of(c, p.items[k].body_a, p.items[k].body_b);
            if (k == part.item_begin) part.island = island;
            if (part.island != island) {
                part.island = kSeveral;
                break;
            }
        }
        part.bytes = 0;
        for_each_run(p, part, [&](uint32_t begin, uint32_t end) {
            const uint32_t blocks = blocks_of(end - begin);
            ++part.run_count;
            part.blocks += blocks;
            part.bytes += blocks * block_bytes(p.items[begin].bin % kMaxPoints + 1);
        });
    });
}

/// Gives each part its room and fills it.
void fill_parts(StepContext& c) {
    Problem& p = c.wide;
    uint32_t runs = 0, blocks = 0;
    size_t bytes = 0;
    for (Part& part : p.parts) {  // sums become starts
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
    grow(p.runs, runs);
    grow(p.restitution, blocks);
    grow(p.memory, (bytes + sizeof(CacheLine) - 1) / sizeof(CacheLine));
    for_all_parts(c, [&](Part& part) {
        Run* run = p.runs.data() + part.run_begin;
        uint32_t first_block = part.blocks;
        size_t offset = part.bytes;
        for_each_run(p, part, [&](uint32_t begin, uint32_t end) {
            const uint32_t bin = p.items[begin].bin;
            *run = Run{};
            run->offset = offset;
            run->first_block = first_block;
            run->blocks = blocks_of(end - begin);
            run->first_item = begin;
            run->items = end - begin;
            run->points = bin % kMaxPoints + 1;
            run->immovable = is_immovable(bin / kMaxPoints);
            fill_heads(c, *run);
            offset += run->blocks * block_bytes(run->points);
            first_block += run->blocks;
            ++run;
        });
    });
}

}  // namespace

void make_layout(StepContext& c) {
    Problem& p = c.wide;
    assign_islands(c);
    if (c.cut_anew)
        cut_slabs(c);
    else
        cut_as_before(c);
    p.parts.reserve(c.islands.capacity() / 4 + p.numbers.directs + 3 * kMostSlabs + 1);
    p.parts.assign(p.numbers.count(), Part{});
    list_bodies_of_parts(c);
    sort_by_part(c);
    measure_parts(c);
    fill_parts(c);
}

}  // namespace proxima::physics::wide
