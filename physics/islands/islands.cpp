// SPDX-License-Identifier: MIT
// Islands: bodies connected through contacts, solved independently of all others. Who touches an awake body
// is awake.
#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>

#include "physics/islands/colours.h"
#include "physics/step.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kContactsPerBatch = 64;
constexpr uint32_t kContactsPerCount = 1024;

bool is_dynamic(const StepContext& c, uint32_t body) { return c.bodies.dynamic[body] != 0; }

/// Joins the sets of two bodies; false when they are one already. A parent is always the smaller slot, so the
/// root of a set is its smallest slot, whatever came first. Both paths are walked at once, each hung below
/// the other's next parent on the way (Rem's algorithm): two bodies of one set are mostly seen to be so at
/// the first look.
bool join(std::vector<uint32_t>& parent, uint32_t a, uint32_t b) {
    while (parent[a] != parent[b]) {
        if (parent[a] < parent[b]) std::swap(a, b);
        const uint32_t up = std::exchange(parent[a], parent[b]);
        if (up == a) return true;
        a = up;
    }
    return false;
}

/// Pairs with contact points. They are a part of the table, and the passes below walk this list instead of
/// all of it.
void list_contacts(StepContext& c) {
    c.contact_list.reserve(c.pairs.capacity());
    c.islands.reserve(c.bodies.size());
    c.island_bodies.reserve(c.bodies.size());
    const auto reference = [&](uint32_t k) {
        const PairSlot& slot = c.pairs[k];
        return ContactRef{k, slot.body_a, slot.body_b, slot.colour, slot.count, false};
    };
    const auto append = [&](uint32_t k) {
        c.pairs[k].contact = uint32_t(c.contact_list.size());
        c.contact_list.push_back(reference(k));
    };
    if (c.recoloured) {
        c.contact_list.clear();
        for (uint32_t k = 0; k < c.pairs.size(); ++k) {
            c.pairs[k].contact = kNoContact;
            if (c.pairs[k].count > 0) append(k);
        }
        return;
    }
    for (const uint32_t k : c.changed_pairs) {
        if (c.pairs[k].count == 0)
            drop_contact(c, k);
        else if (c.pairs[k].contact == kNoContact)
            append(k);
        else
            c.contact_list[c.pairs[k].contact].count = c.pairs[k].count;
    }
}

/// Sets of dynamic bodies joined by contacts, sleeping ones included. Afterwards each body names its root. A
/// contact that joined two sets is marked: the marked ones hold the sets together, and as long as all of them
/// last no set falls apart, however many others end. Returns false when the sets are those of the step
/// before.
bool join_bodies(StepContext& c) {
    const uint32_t n = uint32_t(c.bodies.size());
    bool changed = false;
    const auto join_two = [&](ContactRef& contact) {
        if (!is_dynamic(c, contact.body_a) || !is_dynamic(c, contact.body_b)) return;
        if (!join(c.union_find, contact.body_a, contact.body_b)) return;
        contact.joins = changed = true;
    };
    if (c.recoloured || c.sets_broken) {
        c.union_find.resize(n);
        std::iota(c.union_find.begin(), c.union_find.end(), 0u);
        for (ContactRef& contact : c.contact_list) {
            contact.joins = false;
            join_two(contact);
        }
        changed = true;
    } else {
        for (const uint32_t k : c.changed_pairs)
            if (c.pairs[k].count > 0) join_two(c.contact_list[c.pairs[k].contact]);
    }
    c.sets_broken = false;
    // Parents are smaller, so in this order a parent is already at its root.
    for (uint32_t i = 0; changed && i < n; ++i) c.union_find[i] = c.union_find[c.union_find[i]];
    return changed;
}

/// An island with one awake body, or pushed by a moving kinematic one, or whose ground was moved, is awake as
/// a whole.
void spread_wakefulness(StepContext& c) {
    BodyArrays& bodies = c.bodies;
    bool any_asleep = false;
    for (uint32_t i = 0; i < bodies.size(); ++i) any_asleep |= bodies.dynamic[i] > bodies.awake[i];
    if (!any_asleep) return;
    std::vector<uint8_t>& set_is_awake = c.box_changed;  // borrowed; by root
    set_is_awake.assign(bodies.size(), 0);
    const auto wake_root = [&](uint32_t body) { set_is_awake[c.union_find[body]] = 1; };
    for (uint32_t i = 0; i < bodies.size(); ++i)
        if (is_dynamic(c, i) && bodies.awake[i]) wake_root(i);
    for (const ContactRef& contact : c.contact_list) {
        const auto disturbs = [&](uint32_t body) {
            return !is_dynamic(c, body) && (bodies.awake[body] || bodies.placed_anew[body]);
        };
        if (is_dynamic(c, contact.body_a) && disturbs(contact.body_b)) wake_root(contact.body_a);
        if (is_dynamic(c, contact.body_b) && disturbs(contact.body_a)) wake_root(contact.body_b);
    }
    for (uint32_t i = 0; i < bodies.size(); ++i) {
        if (!is_dynamic(c, i) || bodies.awake[i] || !set_is_awake[c.union_find[i]]) continue;
        bodies.awake[i] = 1;
        bodies.quiet_time[i] = 0.0f;
    }
}

/// Islands of awake bodies in the order of their smallest slot, with their bodies in slot order.
void number_islands(StepContext& c) {
    BodyArrays& bodies = c.bodies;
    c.islands.clear();
    std::fill(bodies.island.begin(), bodies.island.end(), kNoIsland);
    for (uint32_t i = 0; i < bodies.size(); ++i) {
        if (!is_dynamic(c, i) || !bodies.awake[i]) continue;
        const uint32_t root = c.union_find[i];
        if (root == i) {
            bodies.island[i] = uint32_t(c.islands.size());
            c.islands.emplace_back();
        } else {
            bodies.island[i] = bodies.island[root];  // the root came first
        }
        ++c.islands[bodies.island[i]].body_end;
    }
    uint32_t first = 0;
    for (Island& island : c.islands) {
        const uint32_t count = island.body_end;
        island.body_begin = island.body_end = first;
        first += count;
    }
    c.island_bodies.resize(first);
    for (uint32_t i = 0; i < bodies.size(); ++i)
        if (bodies.island[i] != kNoIsland) c.island_bodies[c.islands[bodies.island[i]].body_end++] = i;
}

/// Colours. A manifold keeps its own while it has points; new ones get the lowest that is free, in the order
/// of their keys. Sweeping colour by colour, and contacts with immovable bodies last so that they have the
/// final word, spreads what a sweep learns over the whole island. Along the keys, which often run through a
/// stack from one end to the other, one sweep a sub-step does not converge on tall walls (docs/stepping.md).
///
/// Which colours a body has is kept from step to step, so the work is with what came and went. All is done
/// anew when bodies changed, and while there are manifolds that found no free colour: another's end may have
/// freed one.
class Colouring {
  public:
    explicit Colouring(StepContext& c) : c_(c) {}

    void update() {
        c_.fresh_contacts.clear();
        c_.recoloured = c_.lists_are_new || c_.structure_changed || c_.overflowing_contacts > 0;
        if (c_.recoloured)
            keep_all();
        else
            keep_most();
        c_.freed_colours.clear();
        c_.overflowing_contacts = 0;
        std::sort(c_.fresh_contacts.begin(), c_.fresh_contacts.end(),
                  [&](uint32_t x, uint32_t y) { return c_.pairs[x].key < c_.pairs[y].key; });
        for (const uint32_t k : c_.fresh_contacts) {
            PairSlot& slot = c_.pairs[k];
            const uint32_t colour =
                std::min(uint32_t(std::countr_one(used_by(slot.body_a, slot.body_b))), kColoursPerKind - 1);
            take(slot, colour);
            slot.manifold->colour = slot.colour;
            c_.overflowing_contacts += is_overflow(slot.colour);
        }
    }

  private:
    bool both_move(uint32_t a, uint32_t b) const { return is_dynamic(c_, a) && is_dynamic(c_, b); }
    bool any_moves(uint32_t a, uint32_t b) const { return is_dynamic(c_, a) || is_dynamic(c_, b); }
    /// By body: first of pairs that both move, then of pairs with an immovable one.
    uint64_t& of_two(uint32_t body) { return c_.colours_used[body]; }
    uint64_t& of_one(uint32_t a, uint32_t b) {
        return c_.colours_used[c_.bodies.size() + (is_dynamic(c_, a) ? a : b)];
    }
    uint64_t used_by(uint32_t a, uint32_t b) {
        return both_move(a, b) ? of_two(a) | of_two(b) : of_one(a, b);
    }
    void take(PairSlot& slot, uint32_t colour) {
        const uint32_t a = slot.body_a, b = slot.body_b;
        const uint64_t bit = uint64_t(1) << colour;
        const bool both = both_move(a, b);
        if (both) {
            of_two(a) |= bit;
            of_two(b) |= bit;
        } else {
            of_one(a, b) |= bit;
        }
        slot.colour = uint8_t(both ? colour : kFirstImmovableColour + colour);
    }
    void give_back(uint32_t a, uint32_t b, uint8_t colour) {
        if (colour == kNoColour) return;
        const uint64_t others = ~(uint64_t(1) << colour % kColoursPerKind);
        if (is_immovable(colour)) {
            of_one(a, b) &= others;
        } else {
            of_two(a) &= others;
            of_two(b) &= others;
        }
    }

    void keep_all() {
        c_.colours_used.assign(2 * c_.bodies.size(), 0);
        for (uint32_t k = 0; k < c_.pairs.size(); ++k) {
            PairSlot& slot = c_.pairs[k];
            if (slot.count == 0) slot.colour = kNoColour;
            if (slot.count == 0 || !any_moves(slot.body_a, slot.body_b)) continue;
            const uint32_t colour = slot.colour % kColoursPerKind;
            // What a body was when the manifold got its colour may have changed.
            const bool keeps = slot.colour != kNoColour &&
                               is_immovable(slot.colour) == !both_move(slot.body_a, slot.body_b) &&
                               !is_overflow(slot.colour) &&
                               !(used_by(slot.body_a, slot.body_b) >> colour & 1);
            if (keeps)
                take(slot, colour);
            else
                c_.fresh_contacts.push_back(k);
        }
    }
    void keep_most() {
        for (const FreedColour& freed : c_.freed_colours) give_back(freed.body_a, freed.body_b, freed.colour);
        for (const uint32_t k : c_.changed_pairs) {
            PairSlot& slot = c_.pairs[k];
            if (slot.count == 0) {
                give_back(slot.body_a, slot.body_b, slot.colour);
                slot.colour = kNoColour;
            } else if (slot.colour == kNoColour && any_moves(slot.body_a, slot.body_b)) {
                c_.fresh_contacts.push_back(k);
            }
        }
    }

    StepContext& c_;
};

/// How many manifolds an island has, and the points of those that take part.
void count_contacts(StepContext& c) {
    for (Island& island : c.islands) island.group_end = 0;
    std::atomic<uint32_t> points{0};
    c.jobs->parallel_for(uint32_t(c.contact_list.size()), kContactsPerCount,
                         [&](const engine::JobBlock& block) {
                             // Neighbours in the list are often of one island: it is told when another
                             // follows.
                             uint32_t island = kNoIsland, groups_here = 0, all_points = 0;
                             const auto tell = [&] {
                                 if (groups_here == 0) return;
                                 std::atomic_ref<uint32_t>(c.islands[island].group_end)
                                     .fetch_add(groups_here, std::memory_order_relaxed);
                                 groups_here = 0;
                             };
                             for (uint32_t k = block.begin; k < block.end; ++k) {
                                 const ContactRef& contact = c.contact_list[k];
                                 const uint32_t here = island_of(c, contact.body_a, contact.body_b);
                                 if (here == kNoIsland) continue;
                                 if (here != island) tell();
                                 island = here;
                                 ++groups_here;
                                 all_points += contact.count;
                             }
                             tell();
                             points.fetch_add(all_points, std::memory_order_relaxed);
                         });
    uint32_t first = 0;
    for (Island& island : c.islands) {
        const uint32_t count = island.group_end;
        island.group_begin = first;
        first += count;
        island.group_end = first;
    }
    c.report.contacts = points.load();
}

bool is_apart(const StepContext& c, const Island& island) {
    return c.island_way[size_t(&island - c.islands.data())] == IslandWay::apart;
}

/// Manifolds of the islands that the general path solves: by island, inside an island by colour, inside a
/// colour by key. Two counting sorts, both stable.
void sort_groups(StepContext& c) {
    c.groups_by_key.reserve(c.contact_list.capacity());
    c.groups_by_key.clear();
    for (const ContactRef& contact : c.contact_list) {
        const uint32_t island = island_of(c, contact.body_a, contact.body_b);
        if (island != kNoIsland && c.island_way[island] == IslandWay::apart)
            c.groups_by_key.push_back(contact.pair);
    }
    const size_t group_count = c.groups_by_key.size();
    // The islands of the other paths keep their sizes; their places have no meaning.
    uint32_t first = 0;
    for (Island& island : c.islands) {
        if (!is_apart(c, island)) continue;
        const uint32_t count = island.group_end - island.group_begin;
        island.group_begin = island.group_end = first;
        first += count;
    }
    std::sort(c.groups_by_key.begin(), c.groups_by_key.end(),
              [&](uint32_t x, uint32_t y) { return c.pairs[x].key < c.pairs[y].key; });
    uint32_t starts[kColourCount + 1] = {};
    for (const uint32_t k : c.groups_by_key) ++starts[c.pairs[k].colour + 1];
    for (uint32_t k = 0; k < kColourCount; ++k) starts[k + 1] += starts[k];
    c.slot_list.resize(group_count);
    for (const uint32_t k : c.groups_by_key) c.slot_list[starts[c.pairs[k].colour]++] = k;
    c.group_pairs.resize(group_count);
    for (const uint32_t k : c.slot_list)
        c.group_pairs[c.islands[island_of(c, c.pairs[k].body_a, c.pairs[k].body_b)].group_end++] = k;
}

/// Where the contacts of the manifolds will stand in the problem of the general path.
void number_contacts(StepContext& c) {
    c.problem.groups.resize(c.group_pairs.size());
    uint32_t contact = 0;
    for (uint32_t g = 0; g < c.group_pairs.size(); ++g) {
        PairSlot& slot = c.pairs[c.group_pairs[g]];
        slot.first_contact = contact;
        c.problem.groups[g] = {contact, contact + slot.count};
        contact += slot.count;
    }
    c.problem.contacts.resize(contact);
    c.laws.resize(contact);
}

/// Runs of neighbouring islands with enough contacts to be worth a job.
void batch_islands(StepContext& c) {
    c.batches.clear();
    uint32_t begin = 0, contacts = 0;
    for (uint32_t i = 0; i < c.islands.size(); ++i) {
        const Island& island = c.islands[i];
        if (is_apart(c, island) && island.group_begin < island.group_end)
            contacts +=
                c.problem.groups[island.group_end - 1].end - c.problem.groups[island.group_begin].begin;
        if (contacts >= kContactsPerBatch || (i + 1 == c.islands.size() && contacts > 0)) {
            c.batches.push_back({begin, i + 1});
            begin = i + 1;
            contacts = 0;
        }
    }
}

/// The contacts of the general path.
void list_apart(StepContext& c) {
    c.group_pairs.clear();
    if (c.apart_islands > 0) sort_groups(c);
    number_contacts(c);
    batch_islands(c);
}

}  // namespace

void build_islands(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::build_islands));
    BodyArrays& bodies = c.bodies;
    c.contacts_changed |= bodies.awake != bodies.was_awake ||
                          std::find(bodies.placed_anew.begin(), bodies.placed_anew.end(), uint8_t(1)) !=
                              bodies.placed_anew.end();
    c.cut_anew = c.contacts_changed || !c.went_wide;
    // The general path numbers its contacts every step; the wide one keeps its layout while nothing changed.
    if (!c.cut_anew && !c.layout_lost && c.goes_wide) {
        choose_ways(c);
        if (c.ways_changed) list_apart(c);
        return;
    }
    c.contacts_changed = true;
    c.layout_lost = false;
    c.went_wide = c.goes_wide;
    Colouring(c).update();
    list_contacts(c);
    const bool sets_changed = join_bodies(c);
    spread_wakefulness(c);
    if (sets_changed || bodies.awake != bodies.was_awake) number_islands(c);
    count_contacts(c);
    choose_ways(c);
    list_apart(c);
    c.report.islands = uint32_t(c.islands.size());
    c.report.bodies = 0;
    c.report.sleeping = 0;
    for (uint32_t i = 0; i < bodies.size(); ++i) {
        bodies.was_awake[i] = bodies.awake[i];
        c.report.bodies += bodies.awake[i];
        c.report.sleeping += is_dynamic(c, i) && !bodies.awake[i];
    }
}

}  // namespace proxima::physics
