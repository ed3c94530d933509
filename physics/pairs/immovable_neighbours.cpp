// SPDX-License-Identifier: MIT
#include "physics/pairs/immovable_neighbours.h"

#include "physics/narrowphase/ghost_contacts.h"
#include "physics/pairs/pairs.h"

namespace proxima::physics {

void ImmovableNeighbours::update(const Bodies& bodies, const Colliders& all, const std::vector<PairSlot>& pairs) {
    const size_t n = all.size();
    immovable.resize(n);
    size_t count = 0;
    for (size_t i = 0; i < n; ++i) {
        const ColliderData& collider = all.data[i];
        immovable[i] = bodies.data[collider.body].type != BodyType::dynamic && has_faces(*collider.shape);
        count += immovable[i];
    }
    first.clear();
    if (count < 2) return;
    // Counted at the place after the next, so that filling in leaves each list's begin at its own.
    first.assign(n + 2, 0);
    const auto for_each = [&](auto&& visit) {
        for (const PairSlot& pair : pairs) {
            if (pair.is_free() || immovable[pair.collider_a] == immovable[pair.collider_b]) continue;
            const bool a_moves = immovable[pair.collider_b] != 0;
            visit(a_moves ? pair.collider_a : pair.collider_b, a_moves ? pair.collider_b : pair.collider_a);
        }
    };
    size_t total = 0;
    for_each([&](uint32_t mover, uint32_t) { ++first[mover + 2], ++total; });
    for (size_t i = 2; i < n + 2; ++i) first[i] += first[i - 1];
    colliders.reserve(pairs.capacity());  // so that a step in which many come allocates nothing
    colliders.resize(total);
    for_each([&](uint32_t mover, uint32_t other) { colliders[first[mover + 1]++] = other; });
    first.pop_back();
}

}  // namespace proxima::physics
