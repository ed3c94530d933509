// SPDX-License-Identifier: MIT
// What of a saved state follows from other parts of it in almost every world: the tables of a snapshot hold only the
// differences to this (state_format.cpp). Bit by bit: a prediction that fails costs bytes, never exactness.
#pragma once

#include <utility>
#include <vector>

#include "physics/state/state_image.h"

namespace proxima::physics {

/// Bodies, colliders and joints of an image, ascending by the stable ids that their components have.
struct StableOrder {
    std::vector<std::pair<uint32_t, Entity>> bodies, colliders, joints;
    void list(const StateImage& image);
};

/// Row `i` of the history's lists. Where one has a base, it is of the same stable id; nullptr otherwise.
SavedBody predict_body(const StateImage& image, const StableOrder& order, size_t i);
SavedCollider predict_collider(const StateImage& image, const StableOrder& order, size_t i, const SavedCollider* base);
SavedJoint predict_joint(const StateImage& image, const StableOrder& order, size_t i, const SavedJoint* base);
void predict_links(const StateImage& image, const StableOrder& order, std::vector<ColliderLink>& out);
/// Component of a pair's entity, from the list of pairs and the colliders' list.
struct PairNames {
    std::vector<std::pair<Entity, uint32_t>> pair_of_entity;  // ascending
    void list(const StateImage& image);
    ContactPair of(const StateImage& image, Entity entity) const;
};
/// Takes what follows from the frame and the poses of its two bodies out of a manifold, or puts it back.
void toggle_world_frame(const StateImage& image, const SavedPair& pair, bool take_out, Manifold& m);

}  // namespace proxima::physics
