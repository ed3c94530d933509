// SPDX-License-Identifier: MIT
// Which manifold goes into which lane of which block, and which worker will see it.
#include <algorithm>

#include "physics/islands/colours.h"
#include "physics/solvers/wide/wide_problem.h"
#include "physics/step.h"

namespace proxima::physics::wide {

namespace {

constexpr uint32_t kSmallIsland = 1024;    // manifolds; larger islands are shared by all workers
constexpr uint32_t kBatchManifolds = 256;  // islands are packed until a batch has so many
constexpr uint32_t kRunsPerColour = 16;    // of large islands; a run is a job, so workers get equal shares
constexpr uint32_t kLeastRun = 2, kLongestRun = 16;  // blocks
constexpr uint32_t kRunsPerJob = 4;

/// Islands to batches in their order; large ones to none: their unit is the one behind the last batch.
void assign_units(StepContext& c) {
    Problem& p = c.wide;
    p.batches.reserve(c.islands.capacity() / 4);
    p.unit_of_island.reserve(c.islands.capacity());
    p.batches.clear();
    p.unit_of_island.resize(c.islands.size());
    uint32_t filled = kBatchManifolds;  // of the batch that is open
    for (uint32_t i = 0; i < c.islands.size(); ++i) {
        const uint32_t size = c.islands[i].group_end - c.islands[i].group_begin;
        if (size > kSmallIsland) {
            p.unit_of_island[i] = kNoLane;
            continue;
        }
        if (filled >= kBatchManifolds) {
            p.batches.emplace_back();
            filled = 0;
        }
        p.unit_of_island[i] = uint32_t(p.batches.size()) - 1;
        // A body costs about as much as a quarter of a manifold, and bodies in the air have no other.
        filled += size + (c.islands[i].body_end - c.islands[i].body_begin + 3) / 4;
    }
    for (uint32_t& unit : p.unit_of_island)
        if (unit == kNoLane) unit = uint32_t(p.batches.size());
}

/// Where bodies are along the longest side of the world, in kPlaces steps. Workers take the same part of
/// every list, so lists in this order keep a worker to its own end of the world, and its bodies in its own
/// cache. Results do not depend on it: manifolds of one colour share no bodies.
class Places {
  public:
    static constexpr uint32_t kPlaces = 1024;

    explicit Places(const StepContext& c) : bodies_(c.bodies) {
        Vec3 lower(1e30f), upper(-1e30f);
        for (const uint32_t body : c.island_bodies) {
            lower = glm::min(lower, bodies_.place[body].center);
            upper = glm::max(upper, bodies_.place[body].center);
        }
        const Vec3 size = upper - lower;
        axis_ = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        lower_ = lower[axis_];
        scale_ = size[axis_] > 0.0f ? float(kPlaces) / size[axis_] : 0.0f;
    }
    uint32_t of(uint32_t body) const {
        const float at = (bodies_.place[body].center[axis_] - lower_) * scale_;
        return at > 0.0f ? std::min(uint32_t(std::min(at, float(kPlaces))), kPlaces - 1) : 0;
    }

  private:
    const BodyArrays& bodies_;
    int axis_ = 0;
    float lower_ = 0.0f, scale_ = 0.0f;
};

/// A counting sort; stable.
template <class Item, class Key>
void sort_by(uint32_t bins, const Key& key, std::vector<uint32_t>& starts, const std::vector<Item>& from,
             std::vector<Item>& to) {
    starts.assign(bins + 1, 0);
    for (const Item& item : from) ++starts[key(item) + 1];
    for (uint32_t k = 0; k < bins; ++k) starts[k + 1] += starts[k];
    to.resize(from.size());
    for (const Item& item : from) to[starts[key(item)]++] = item;
}

/// Manifolds by unit, then colour, then number of points, then place.
void sort_items(StepContext& c, const Places& places) {
    Problem& p = c.wide;
    p.items.reserve(c.contact_list.capacity());
    p.sorted.reserve(c.contact_list.capacity());
    p.items.clear();
    bool overflow = false;
    for (const ContactRef& contact : c.contact_list) {
        const PairSlot& slot = c.pairs[contact.pair];
        if (slot.island == kNoIsland) continue;
        overflow |= is_overflow(slot.colour);
        const uint32_t body = c.bodies.dynamic[contact.body_a] ? contact.body_a : contact.body_b;
        p.items.push_back({contact.pair, contact.body_a, contact.body_b, p.unit_of_island[slot.island],
                           uint16_t(uint32_t(slot.colour) * kMaxPoints + slot.count - 1),
                           uint16_t(places.of(body))});
    }
    using Item = Problem::Item;
    if (overflow) {
        // Where manifolds of a colour share bodies their order matters, and must be neither the table's nor
        // the places'.
        std::sort(p.items.begin(), p.items.end(),
                  [&](const Item& x, const Item& y) { return c.pairs[x.pair].key < c.pairs[y.pair].key; });
        for (Item& item : p.items)
            if (is_overflow(item.bin / kMaxPoints)) item.place = 0;
    }
    sort_by(
        Places::kPlaces, [](const Item& i) { return i.place; }, p.starts, p.items, p.sorted);
    sort_by(
        kColourCount * kMaxPoints, [](const Item& i) { return i.bin; }, p.starts, p.sorted, p.items);
    sort_by(
        uint32_t(p.batches.size()) + 1, [](const Item& i) { return i.unit; }, p.starts, p.items, p.sorted);
    p.items.swap(p.sorted);
}

/// Cuts the sorted items into runs of blocks. Returns the bytes they need.
size_t make_runs(StepContext& c) {
    Problem& p = c.wide;
    p.runs.reserve(p.items.capacity() / 2);
    p.colours.reserve(kColourCount);
    p.runs.clear();
    p.colours.clear();
    size_t offset = 0;
    uint32_t first_block = 0, colour_before = kColourCount, shared_run = kLeastRun;
    const uint32_t shared = uint32_t(p.batches.size());
    for (uint32_t begin = 0; begin < p.items.size();) {
        const Problem::Item& first = p.items[begin];
        const uint32_t colour = first.bin / kMaxPoints;
        const bool one_by_one = is_overflow(colour);
        if (first.unit == shared && colour != colour_before) {
            uint32_t size = begin;
            while (size < p.items.size() && p.items[size].bin / kMaxPoints == colour) ++size;
            shared_run = std::clamp((size - begin) / kBlockLanes / kRunsPerColour, kLeastRun, kLongestRun);
        }
        // One lane a block where a body may come twice; runs of limited length where workers share.
        const uint32_t most = one_by_one             ? 1
                              : first.unit == shared ? shared_run * kBlockLanes
                                                     : uint32_t(p.items.size());
        uint32_t end = begin + 1;
        while (end < p.items.size() && end - begin < most && p.items[end].bin == first.bin &&
               p.items[end].unit == first.unit)
            ++end;
        Run run;
        run.offset = offset;
        run.first_block = first_block;
        run.blocks = (end - begin + kBlockLanes - 1) / kBlockLanes;
        run.first_item = begin;
        run.items = end - begin;
        run.points = first.bin % kMaxPoints + 1;
        run.immovable = is_immovable(colour);
        const uint32_t number = uint32_t(p.runs.size());
        if (first.unit == shared) {
            if (colour != colour_before) p.colours.push_back({number, number, one_by_one});
            p.colours.back().run_end = number + 1;
            colour_before = colour;
        } else {
            Batch& batch = p.batches[first.unit];
            if (batch.run_end == 0) batch.run_begin = number;
            batch.run_end = number + 1;
        }
        p.runs.push_back(run);
        offset += run.blocks * block_bytes(run.points);
        first_block += run.blocks;
        begin = end;
    }
    if (first_block > p.blocks.capacity()) {
        p.blocks.reserve(first_block + first_block / 2);
        p.restitution.reserve(first_block + first_block / 2);
    }
    p.blocks.resize(first_block);
    p.restitution.resize(first_block);
    return offset;
}

/// Who is in which lane. Empty lanes name the body of slot 0 and never write.
void fill_heads(StepContext& c, Run& run) {
    Problem& p = c.wide;
    for (uint32_t b = 0; b < run.blocks; ++b) {
        const size_t offset = run.offset + b * block_bytes(run.points);
        p.blocks[run.first_block + b] = {offset, run.points};
        BlockHead& head = p.head(offset);
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
            const uint32_t body_a = item.body_a, body_b = item.body_b;
            head.pair[lane] = item.pair;
            head.body_a[lane] = body_a;
            head.body_b[lane] = body_b;
            head.moves_a |= uint32_t(c.bodies.inverse_mass[body_a].mass > 0.0f) << lane;
            head.moves_b |= uint32_t(c.bodies.inverse_mass[body_b].mass > 0.0f) << lane;
        }
    }
}

/// The bodies of each batch, padded to whole blocks with one of their own, then those of large islands and
/// the kinematic ones by place. Inside a job bodies that turn evenly come first: whole blocks of them need no
/// gyroscopic part.
void list_moving_bodies(StepContext& c, const Places& places) {
    Problem& p = c.wide;
    p.bodies.reserve(2 * c.bodies.size() + kBlockLanes);
    p.bodies.clear();
    const auto evenly_first = [&](uint32_t begin, uint32_t end) {
        const auto even = [&](uint32_t body) { return c.bodies.facts[body].isotropic; };
        p.uneven.clear();
        uint32_t kept = begin;
        for (uint32_t k = begin; k < end; ++k) {
            if (even(p.bodies[k]))
                p.bodies[kept++] = p.bodies[k];
            else
                p.uneven.push_back(p.bodies[k]);
        }
        std::copy(p.uneven.begin(), p.uneven.end(), p.bodies.begin() + kept);
    };
    const auto pad = [&] {
        while (p.bodies.size() % kBlockLanes != 0) p.bodies.push_back(p.bodies.back());
    };
    const auto append = [&](uint32_t island) {
        for (uint32_t k = c.islands[island].body_begin; k < c.islands[island].body_end; ++k)
            p.bodies.push_back(c.island_bodies[k]);
    };
    const uint32_t shared = uint32_t(p.batches.size());
    uint32_t open = kNoLane;
    const auto close = [&] {
        if (open == kNoLane) return;
        Batch& batch = p.batches[open];
        batch.body_count = uint32_t(p.bodies.size()) - batch.body_begin;
        evenly_first(batch.body_begin, batch.body_begin + batch.body_count);
        pad();
    };
    for (uint32_t i = 0; i < c.islands.size(); ++i) {
        const uint32_t unit = p.unit_of_island[i];
        if (unit == shared) continue;
        if (unit != open) {
            close();
            open = unit;
            p.batches[unit].body_begin = uint32_t(p.bodies.size());
        }
        append(i);
    }
    close();
    p.shared_begin = uint32_t(p.bodies.size());
    for (uint32_t i = 0; i < c.islands.size(); ++i)
        if (p.unit_of_island[i] == shared) append(i);
    for (uint32_t i = 0; i < c.bodies.size(); ++i)
        if (c.bodies.awake[i] && c.bodies.facts[i].type == BodyType::kinematic) p.bodies.push_back(i);
    p.shared_count = uint32_t(p.bodies.size()) - p.shared_begin;
    p.unsorted.assign(p.bodies.begin() + p.shared_begin, p.bodies.end());
    sort_by(
        Places::kPlaces, [&](uint32_t body) { return places.of(body); }, p.starts, p.unsorted, p.by_place);
    std::copy(p.by_place.begin(), p.by_place.end(), p.bodies.begin() + p.shared_begin);
    for (uint32_t begin = 0; begin < p.shared_count; begin += kBodiesPerJob)
        evenly_first(p.shared_begin + begin,
                     p.shared_begin + std::min(begin + kBodiesPerJob, p.shared_count));
    pad();
}

}  // namespace

void make_layout(StepContext& c) {
    Problem& p = c.wide;
    assign_units(c);
    const Places places(c);
    sort_items(c, places);
    const size_t lines = (make_runs(c) + sizeof(CacheLine) - 1) / sizeof(CacheLine);
    if (lines > p.memory.capacity()) p.memory.reserve(lines + lines / 2);
    p.memory.resize(lines);
    c.jobs->parallel_for(uint32_t(p.runs.size()), kRunsPerJob, [&](const engine::JobBlock& block) {
        for (uint32_t r = block.begin; r < block.end; ++r) fill_heads(c, p.runs[r]);
    });
    list_moving_bodies(c, places);
}

}  // namespace proxima::physics::wide
