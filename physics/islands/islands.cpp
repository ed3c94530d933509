// SPDX-License-Identifier: MIT
// Islands: bodies connected through contacts, solved independently of all others. Who touches an awake body
// is awake.
#include <algorithm>
#include <bit>
#include <numeric>

#include "physics/islands/colours.h"
#include "physics/step.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kContactsPerBatch = 64;

/// Root of a body's set, halving the path on the way. The root is always the smallest slot of the set.
uint32_t find_root(std::vector<uint32_t>& parent, uint32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

bool is_dynamic(const StepContext& c, uint32_t body) { return c.bodies.dynamic[body] != 0; }

/// Pairs with contact points. They are a part of the table; the passes below walk this list instead of all of
/// it.
void list_contacts(StepContext& c) {
    // Room for as many as there can be: contacts come and go all the time, boxes that meet less so.
    c.contact_list.reserve(c.pairs.capacity());
    c.groups_by_key.reserve(c.pairs.capacity());
    c.islands.reserve(c.bodies.size());
    c.island_bodies.reserve(c.bodies.size());
    c.contact_list.clear();
    for (uint32_t k = 0; k < c.pairs.size(); ++k) {
        const PairSlot& slot = c.pairs[k];
        if (slot.count > 0) c.contact_list.push_back({k, slot.body_a, slot.body_b});
    }
}

/// Sets of dynamic bodies joined by contacts, sleeping ones included.
void join_bodies(StepContext& c) {
    c.union_find.resize(c.bodies.size());
    std::iota(c.union_find.begin(), c.union_find.end(), 0u);
    for (const ContactRef& contact : c.contact_list) {
        if (!is_dynamic(c, contact.body_a) || !is_dynamic(c, contact.body_b)) continue;
        const uint32_t root_a = find_root(c.union_find, contact.body_a);
        const uint32_t root_b = find_root(c.union_find, contact.body_b);
        c.union_find[std::max(root_a, root_b)] = std::min(root_a, root_b);
    }
}

/// An island with one awake body, or pushed by a moving kinematic one, or whose ground was moved, is awake as
/// a whole.
void spread_wakefulness(StepContext& c) {
    BodyArrays& bodies = c.bodies;
    bool any_asleep = false;
    for (uint32_t i = 0; i < bodies.size(); ++i) any_asleep |= is_dynamic(c, i) && !bodies.awake[i];
    if (!any_asleep) return;
    const auto wake_root = [&](uint32_t body) { bodies.island[find_root(c.union_find, body)] = 1; };
    std::fill(bodies.island.begin(), bodies.island.end(), 0u);  // borrowed here as "set is awake", by root
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
        if (!is_dynamic(c, i) || bodies.awake[i] || !bodies.island[find_root(c.union_find, i)]) continue;
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
        const uint32_t root = find_root(c.union_find, i);
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
void colour_manifolds(StepContext& c) {
    c.colours_used.assign(2 * c.bodies.size(),
                          0);  // by body: of pairs that both move, of pairs with an immovable one
    uint64_t* both_move = c.colours_used.data();
    uint64_t* one_moves = both_move + c.bodies.size();
    const auto used_by = [&](const PairSlot& slot, bool both) {
        if (both) return both_move[slot.body_a] | both_move[slot.body_b];
        return one_moves[is_dynamic(c, slot.body_a) ? slot.body_a : slot.body_b];
    };
    const auto take = [&](PairSlot& slot, bool both, uint32_t colour) {
        const uint64_t bit = uint64_t(1) << colour;
        if (both) {
            both_move[slot.body_a] |= bit;
            both_move[slot.body_b] |= bit;
        } else {
            one_moves[is_dynamic(c, slot.body_a) ? slot.body_a : slot.body_b] |= bit;
        }
        slot.colour = uint8_t(both ? colour : kFirstImmovableColour + colour);
    };
    std::vector<uint32_t>& fresh = c.groups_by_key;
    fresh.clear();
    for (const uint32_t k : c.changed_pairs)
        if (c.pairs[k].count == 0) c.pairs[k].colour = kNoColour;
    for (const ContactRef& contact : c.contact_list) {
        PairSlot& slot = c.pairs[contact.pair];
        const bool both = is_dynamic(c, slot.body_a) && is_dynamic(c, slot.body_b);
        if (!both && !is_dynamic(c, slot.body_a) && !is_dynamic(c, slot.body_b)) continue;
        const uint32_t colour = slot.colour % kColoursPerKind;
        // What a body was when the manifold got its colour may have changed.
        const bool keeps = slot.colour != kNoColour && is_immovable(slot.colour) == !both &&
                           !is_overflow(slot.colour) && !(used_by(slot, both) >> colour & 1);
        if (keeps)
            take(slot, both, colour);
        else
            fresh.push_back(contact.pair);
    }
    std::sort(fresh.begin(), fresh.end(),
              [&](uint32_t x, uint32_t y) { return c.pairs[x].key < c.pairs[y].key; });
    for (const uint32_t k : fresh) {
        PairSlot& slot = c.pairs[k];
        const bool both = is_dynamic(c, slot.body_a) && is_dynamic(c, slot.body_b);
        take(slot, both, std::min(uint32_t(std::countr_one(used_by(slot, both))), kColoursPerKind - 1));
        slot.manifold->colour = slot.colour;
    }
}

/// The island of every manifold that takes part, and how many an island has.
uint32_t assign_contacts(StepContext& c) {
    uint32_t group_count = 0, points = 0;
    for (const ContactRef& contact : c.contact_list) {
        PairSlot& slot = c.pairs[contact.pair];
        slot.island = c.bodies.island[contact.body_b] != kNoIsland ? c.bodies.island[contact.body_b]
                                                                   : c.bodies.island[contact.body_a];
        if (slot.island == kNoIsland) continue;
        ++c.islands[slot.island].group_end;
        ++group_count;
        points += slot.count;
    }
    uint32_t first = 0;
    for (Island& island : c.islands) {
        const uint32_t count = island.group_end;
        island.group_begin = first;
        first += count;
        island.group_end = first;
    }
    c.report.contacts = points;
    return group_count;
}

/// Manifolds by island, inside an island by colour, inside a colour by key: two counting sorts, both stable.
void sort_groups(StepContext& c, uint32_t group_count) {
    c.groups_by_key.clear();
    for (const ContactRef& contact : c.contact_list)
        if (c.pairs[contact.pair].island != kNoIsland) c.groups_by_key.push_back(contact.pair);
    std::sort(c.groups_by_key.begin(), c.groups_by_key.end(),
              [&](uint32_t x, uint32_t y) { return c.pairs[x].key < c.pairs[y].key; });
    uint32_t starts[kColourCount + 1] = {};
    for (const uint32_t k : c.groups_by_key) ++starts[c.pairs[k].colour + 1];
    for (uint32_t k = 0; k < kColourCount; ++k) starts[k + 1] += starts[k];
    c.slot_list.resize(group_count);
    for (const uint32_t k : c.groups_by_key) c.slot_list[starts[c.pairs[k].colour]++] = k;
    c.group_pairs.resize(group_count);
    for (Island& island : c.islands) island.group_end = island.group_begin;
    for (const uint32_t k : c.slot_list) c.group_pairs[c.islands[c.pairs[k].island].group_end++] = k;
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
        if (island.group_begin < island.group_end)
            contacts +=
                c.problem.groups[island.group_end - 1].end - c.problem.groups[island.group_begin].begin;
        if (contacts >= kContactsPerBatch || (i + 1 == c.islands.size() && contacts > 0)) {
            c.batches.push_back({begin, i + 1});
            begin = i + 1;
            contacts = 0;
        }
    }
}

}  // namespace

void build_islands(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::build_islands));
    BodyArrays& bodies = c.bodies;
    for (uint32_t i = 0; i < bodies.size() && !c.contacts_changed; ++i)
        c.contacts_changed = bodies.awake[i] != bodies.was_awake[i] || bodies.placed_anew[i];
    // The general path numbers its contacts every step; the wide one keeps its layout while nothing changed.
    if (!c.contacts_changed && c.goes_wide && c.went_wide) return;
    c.contacts_changed = true;
    c.went_wide = c.goes_wide;
    list_contacts(c);
    join_bodies(c);
    spread_wakefulness(c);
    number_islands(c);
    const uint32_t group_count = assign_contacts(c);
    colour_manifolds(c);
    if (!c.goes_wide) {
        sort_groups(c, group_count);
        number_contacts(c);
        batch_islands(c);
    }
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
