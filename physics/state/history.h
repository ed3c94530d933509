// SPDX-License-Identifier: MIT
// What a snapshot has of a physics world beside its components: all that the next step knows of the steps before it.
// That is what the lists were made from when they were last looked at, gone bodies and colliders included, and what
// changed since and waits for its step. A restored world is then the world that was saved: there is nothing that its
// next step would have to treat otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ecs/world.h"
#include "physics/colliders/colliders.h"
#include "physics/joints/joints.h"
#include "physics/pairs/pairs.h"
#include "physics/solve/direct/direct_solver.h"
#include "physics/structure/structure_log.h"

namespace proxima::physics {

/// The stable id of a body whose component the game has written over; the next step puts it back.
struct WrittenId {
    Entity entity = kNoEntity;
    uint32_t stable_id = 0;
};
static_assert(sizeof(WrittenId) == 8);

struct StateImage;

struct History {
    StructureLog log;
    std::vector<WrittenId> written_ids;
    std::vector<SavedBody> bodies;  // by slot
    std::vector<SavedCollider> colliders;
    std::vector<ColliderLink> links;
    std::vector<SavedPair> pairs;      // by slot
    std::vector<uint32_t> free_pairs;  // slots, in the order in which they were freed
    std::vector<SavedManifold> manifolds;
    std::vector<IgnoredPair> ignored;  // ascending
    std::vector<SeenRules> rules;      // ascending by stable id
    std::vector<SavedJoint> joints;
    std::vector<uint32_t> edges;  // of the graph: manifolds by their number in here, then joints
    uint64_t graph_changed_in_step = 0;
    sweep::Slabs slabs;
    direct::SavedFactors factors;

    template <class Archive>
    void visit(Archive& archive) {
        log.visit(archive);
        archive.state(written_ids, bodies, colliders, links, pairs, free_pairs, manifolds, ignored, rules, joints,
                      edges);
        archive.value(graph_changed_in_step);
        slabs.visit(archive);
        factors.visit(archive);
    }
};

/// A sentence when parts do not fit together or a number makes no sense: nothing that load_history() relies on is
/// left unchecked.
Result<void> check_history(const History& history, const ShapeLibrary& shapes, uint32_t next_stable_id);
/// The same of the entities and components beside it: who is listed and not said to be gone must be there.
Result<void> check_history(const History& history, const engine::SnapshotView& snapshot);
Result<void> check_history(const History& history, const StateImage& image);

}  // namespace proxima::physics
