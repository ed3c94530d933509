// SPDX-License-Identifier: MIT
// Which colliders of fixed and kinematic bodies each moving collider is near, from the table of pairs: what can hide contacts with
// another of them (narrowphase/ghost_contacts.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace proxima::physics {

struct Bodies;
struct Colliders;
struct PairSlot;

struct ImmovableNeighbours {
    std::vector<uint8_t> immovable;   // by collider slot, 1: of a body that contacts do not move, and made of faces
    std::vector<uint32_t> first;      // by collider slot, and one more: into `colliders`; empty: nobody has two
    std::vector<uint32_t> colliders;  // slots, in the order of the table of pairs
    struct Link {
        uint32_t mover = 0, other = 0;
    };
    std::vector<Link> links;  // pairs of a collider that can move and one that cannot
    size_t immovable_count = 0;
    void forget() { seen_bodies = ~uint64_t(0); }

    uint64_t seen_bodies = ~uint64_t(0);  // version that `immovable` was derived from

    /// In every step: pairs come and go. Does nothing where there are no two immovable colliders.
    void update(const Bodies& bodies, const Colliders& all, const std::vector<PairSlot>& pairs);

    void find_immovable(const Bodies& bodies, const Colliders& all);

    std::span<const uint32_t> of(uint32_t collider) const {
        if (first.empty()) return {};
        return std::span(colliders).subspan(first[collider], first[collider + 1] - first[collider]);
    }
};

}  // namespace proxima::physics
