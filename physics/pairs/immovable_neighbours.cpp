// SPDX-License-Identifier: MIT
#include "physics/pairs/immovable_neighbours.h"

#include "physics/narrowphase/ghost_contacts.h"
#include "physics/pairs/pairs.h"

namespace proxima::physics {

void ImmovableNeighbours::find_immovable(const Bodies& bodies, const Colliders& all) {
    if (seen_bodies == bodies.version && immovable.size() == all.size()) return;
    seen_bodies = bodies.version;
    immovable.resize(all.size());
    immovable_count = 0;
    for (size_t i = 0; i < all.size(); ++i) {
        const ColliderData& collider = all.data[i];
        immovable[i] = bodies.data[collider.body].type != BodyType::dynamic && has_faces(*collider.shape) &&
                       !all.seen[i].is_sensor;
        immovable_count += immovable[i];
    }
}

void ImmovableNeighbours::update(const Bodies& bodies, const Colliders& all, const std::vector<PairSlot>& pairs) {
    find_immovable(bodies, all);
    first.clear();
    if (immovable_count < 2) return;
    // Counted at the place after the next, so that filling in leaves each list's begin at its own.
    const size_t n = all.size();
    first.assign(n + 2, 0);
    links.reserve(pairs.capacity());  // so that a step in which many come allocates nothing
    links.clear();
    for (const PairSlot& pair : pairs) {
        if (pair.is_free() || has_no_contacts(pair.rules) || (pair.rules & kPassing) != 0) continue;
        if (immovable[pair.collider_a] == immovable[pair.collider_b]) continue;
        const bool a_moves = immovable[pair.collider_b] != 0;
        const Link link{a_moves ? pair.collider_a : pair.collider_b, a_moves ? pair.collider_b : pair.collider_a};
        ++first[link.mover + 2];
        links.push_back(link);
    }
    for (size_t i = 2; i < n + 2; ++i) first[i] += first[i - 1];
    colliders.reserve(pairs.capacity());
    colliders.resize(links.size());
    for (const Link& link : links) colliders[first[link.mover + 1]++] = link.other;
    first.pop_back();
}

}  // namespace proxima::physics
