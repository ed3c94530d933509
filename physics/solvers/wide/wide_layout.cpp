// SPDX-License-Identifier: MIT
// Which manifold goes into which lane of which block, and which worker will see it.
#include <algorithm>
#include <bit>

#include "physics/islands/colours.h"
#include "physics/solvers/wide/wide_problem.h"
#include "physics/step.h"

namespace proxima::physics::wide {

namespace {

constexpr uint32_t kSmallIsland = 1024;    // manifolds; larger islands are cut into slabs
constexpr uint32_t kBatchManifolds = 256;  // islands are packed until a batch has so many
constexpr uint32_t kSlabManifolds = 1024;  // at least in a slab
constexpr float kSlabWidth = 8.0f;         // at least, in mean radii: few manifolds reach over a plane
constexpr uint32_t kMostSlabs = 32;
constexpr uint32_t kSeamRun = 4;  // blocks
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

/// Where bodies are along the longest side of the world, in kPlaces steps.
class Places {
  public:
    static constexpr uint32_t kPlaces = 1024;

    explicit Places(const StepContext& c) : bodies_(c.bodies) {
        Vec3 lower(1e30f), upper(-1e30f);
        double radii = 0.0;
        for (const uint32_t body : c.island_bodies) {
            lower = glm::min(lower, bodies_.place[body].center);
            upper = glm::max(upper, bodies_.place[body].center);
            radii += double(bodies_.place[body].radius);
        }
        const Vec3 size = upper - lower;
        axis_ = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        length_ = size[axis_];
        lower_ = lower[axis_];
        scale_ = length_ > 0.0f ? float(kPlaces) / length_ : 0.0f;
        mean_radius_ = float(radii / double(std::max<size_t>(1, c.island_bodies.size())));
    }
    uint32_t of(uint32_t body) const {
        const float at = (bodies_.place[body].center[axis_] - lower_) * scale_;
        return at > 0.0f ? std::min(uint32_t(std::min(at, float(kPlaces))), kPlaces - 1) : 0;
    }
    /// How many slabs of some width fit.
    uint32_t room() const {
        const float fit = mean_radius_ > 0.0f ? length_ / (kSlabWidth * mean_radius_) : 1.0f;
        return fit >= 1.0f ? uint32_t(std::min(fit, float(kMostSlabs))) : 1;
    }

  private:
    const BodyArrays& bodies_;
    int axis_ = 0;
    float lower_ = 0.0f, length_ = 0.0f, scale_ = 0.0f, mean_radius_ = 0.0f;
};

/// Cuts the large islands where each slab gets as many of their bodies.
void cut_slabs(StepContext& c, const Places& places) {
    Problem& p = c.wide;
    const uint32_t shared = uint32_t(p.batches.size());
    uint32_t manifolds = 0, bodies = 0;
    p.starts.assign(Places::kPlaces, 0);
    for (uint32_t i = 0; i < c.islands.size(); ++i) {
        if (p.unit_of_island[i] != shared) continue;
        manifolds += c.islands[i].group_end - c.islands[i].group_begin;
        for (uint32_t k = c.islands[i].body_begin; k < c.islands[i].body_end; ++k, ++bodies)
            ++p.starts[places.of(c.island_bodies[k])];
    }
    // A power of two, so that two, four or eight workers get equal shares.
    const uint32_t count =
        manifolds == 0 ? 0 : std::bit_floor(std::clamp(manifolds / kSlabManifolds, 1u, places.room()));
    p.slabs.assign(count, Slab{});
    p.slab_of_place.assign(Places::kPlaces, 0);
    uint32_t before = 0;
    for (uint32_t place = 0; place < Places::kPlaces && count > 0; ++place) {
        p.slab_of_place[place] = uint8_t(std::min(before * count / std::max(bodies, 1u), count - 1));
        before += p.starts[place];
    }
}

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

/// Units in the order of memory: batches, slabs, the seam between slabs, grounds of slabs.
struct Units {
    uint32_t batches, slabs;
    uint32_t slab(uint32_t k) const { return batches + k; }
    uint32_t seam() const { return batches + slabs; }
    uint32_t ground(uint32_t k) const { return batches + slabs + 1 + k; }
    uint32_t count() const { return batches + 2 * slabs + 1; }
    bool is_ground(uint32_t unit) const { return unit > seam(); }
};
Units units_of(const Problem& p) { return {uint32_t(p.batches.size()), uint32_t(p.slabs.size())}; }

/// Manifolds by unit, then colour, then number of points, then place.
void sort_items(StepContext& c, const Places& places) {
    Problem& p = c.wide;
    p.items.reserve(c.contact_list.capacity());
    p.sorted.reserve(c.contact_list.capacity());
    p.items.clear();
    const Units units = units_of(p);
    bool overflow = false;
    for (const ContactRef& contact : c.contact_list) {
        const PairSlot& slot = c.pairs[contact.pair];
        if (slot.island == kNoIsland) continue;
        overflow |= is_overflow(slot.colour);
        const uint32_t body = c.bodies.dynamic[contact.body_a] ? contact.body_a : contact.body_b;
        const uint32_t place = places.of(body);
        uint32_t unit = p.unit_of_island[slot.island];
        if (unit == units.batches) {
            const uint32_t slab = p.slab_of_place[place];
            if (is_immovable(slot.colour))
                unit = units.ground(slab);
            else
                unit = p.slab_of_place[places.of(contact.body_b)] == slab ? units.slab(slab) : units.seam();
        }
        p.items.push_back({contact.pair, contact.body_a, contact.body_b, unit,
                           uint16_t(uint32_t(slot.colour) * kMaxPoints + slot.count - 1), uint16_t(place)});
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
        units.count(), [](const Item& i) { return i.unit; }, p.starts, p.items, p.sorted);
    p.items.swap(p.sorted);
}

/// Cuts the sorted items into runs of blocks. Returns the bytes they need.
size_t make_runs(StepContext& c) {
    Problem& p = c.wide;
    const Units units = units_of(p);
    p.runs.reserve(p.items.capacity() / 2);
    p.seam.reserve(kColourCount);
    p.runs.clear();
    p.seam.clear();
    p.seam_blocks = 0;
    size_t offset = 0;
    uint32_t first_block = 0, colour_before = kColourCount;
    const auto extend = [](uint32_t& begin, uint32_t& end, uint32_t number) {
        if (end == 0) begin = number;
        end = number + 1;
    };
    for (uint32_t begin = 0; begin < p.items.size();) {
        const Problem::Item& first = p.items[begin];
        const uint32_t colour = first.bin / kMaxPoints;
        const bool one_by_one = is_overflow(colour);
        const bool seam = first.unit == units.seam();
        // One lane a block where a body may come twice; short runs where workers share.
        const uint32_t most = one_by_one ? 1 : seam ? kSeamRun * kBlockLanes : uint32_t(p.items.size());
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
        if (seam) {
            if (colour != colour_before) p.seam.push_back({number, number, one_by_one});
            p.seam.back().run_end = number + 1;
            p.seam_blocks += run.blocks;
            colour_before = colour;
        } else if (units.is_ground(first.unit)) {
            Slab& slab = p.slabs[first.unit - units.ground(0)];
            extend(slab.ground_begin, slab.ground_end, number);
        } else if (first.unit >= units.batches) {
            Slab& slab = p.slabs[first.unit - units.batches];
            extend(slab.run_begin, slab.run_end, number);
        } else {
            extend(p.batches[first.unit].run_begin, p.batches[first.unit].run_end, number);
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
            head.body_a[lane] = p.index_of_body[body_a];
            head.body_b[lane] = p.index_of_body[body_b];
            head.moves_a |= uint32_t(c.bodies.inverse_mass[body_a].mass > 0.0f) << lane;
            head.moves_b |= uint32_t(c.bodies.inverse_mass[body_b].mass > 0.0f) << lane;
        }
    }
}

/// The bodies of each batch and of each slab, padded to whole blocks with one of their own. Bodies that turn
/// evenly come first: whole blocks of them need no gyroscopic part. Kinematic ones, which no contact moves,
/// come last.
void list_moving_bodies(StepContext& c, const Places& places) {
    Problem& p = c.wide;
    p.bodies.reserve(2 * c.bodies.size() + kBlockLanes);
    p.bodies.clear();
    const auto close = [&](uint32_t begin, uint32_t& count) {
        count = uint32_t(p.bodies.size()) - begin;
        p.uneven.clear();
        uint32_t kept = begin;
        for (uint32_t k = begin; k < begin + count; ++k) {
            if (c.bodies.facts[p.bodies[k]].isotropic)
                p.bodies[kept++] = p.bodies[k];
            else
                p.uneven.push_back(p.bodies[k]);
        }
        std::copy(p.uneven.begin(), p.uneven.end(), p.bodies.begin() + kept);
        while (p.bodies.size() % kBlockLanes != 0) p.bodies.push_back(p.bodies.back());
    };
    const uint32_t shared = uint32_t(p.batches.size());
    uint32_t open = kNoLane;
    p.unsorted.clear();
    for (uint32_t i = 0; i < c.islands.size(); ++i) {
        const uint32_t unit = p.unit_of_island[i];
        if (unit != shared && unit != open) {
            if (open != kNoLane) close(p.batches[open].body_begin, p.batches[open].body_count);
            open = unit;
            p.batches[unit].body_begin = uint32_t(p.bodies.size());
        }
        std::vector<uint32_t>& list = unit == shared ? p.unsorted : p.bodies;
        for (uint32_t k = c.islands[i].body_begin; k < c.islands[i].body_end; ++k)
            list.push_back(c.island_bodies[k]);
    }
    if (open != kNoLane) close(p.batches[open].body_begin, p.batches[open].body_count);

    const auto slab_of = [&](uint32_t body) { return uint32_t(p.slab_of_place[places.of(body)]); };
    sort_by(uint32_t(p.slabs.size()), slab_of, p.starts, p.unsorted, p.sorted_bodies);
    uint32_t next = 0;
    for (uint32_t k = 0; k < p.slabs.size(); ++k) {
        Slab& slab = p.slabs[k];
        slab.body_begin = uint32_t(p.bodies.size());
        while (next < p.sorted_bodies.size() && slab_of(p.sorted_bodies[next]) == k)
            p.bodies.push_back(p.sorted_bodies[next++]);
        close(slab.body_begin, slab.body_count);
    }
    p.drivers_begin = uint32_t(p.bodies.size());
    for (uint32_t i = 0; i < c.bodies.size(); ++i)
        if (c.bodies.awake[i] && c.bodies.facts[i].type == BodyType::kinematic) p.bodies.push_back(i);
    close(p.drivers_begin, p.driver_count);
    p.moving_count = uint32_t(p.bodies.size());
    for (uint32_t i = 0; i < c.bodies.size(); ++i)
        if (!c.bodies.dynamic[i] && !c.bodies.awake[i]) p.bodies.push_back(i);
    p.index_of_body.resize(c.bodies.size());
    for (uint32_t k = uint32_t(p.bodies.size()); k-- > 0;) p.index_of_body[p.bodies[k]] = k;
    while (p.indices.size() < p.bodies.size()) p.indices.push_back(uint32_t(p.indices.size()));
}

}  // namespace

void make_layout(StepContext& c) {
    Problem& p = c.wide;
    assign_units(c);
    const Places places(c);
    cut_slabs(c, places);
    list_moving_bodies(c, places);
    sort_items(c, places);
    const size_t lines = (make_runs(c) + sizeof(CacheLine) - 1) / sizeof(CacheLine);
    if (lines > p.memory.capacity()) p.memory.reserve(lines + lines / 2);
    p.memory.resize(lines);
    c.jobs->parallel_for(uint32_t(p.runs.size()), kRunsPerJob, [&](const engine::JobBlock& block) {
        for (uint32_t r = block.begin; r < block.end; ++r) fill_heads(c, p.runs[r]);
    });
}

}  // namespace proxima::physics::wide
