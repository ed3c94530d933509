// SPDX-License-Identifier: MIT
// The table of pairs: two colliders whose boxes overlap, with the contact manifolds between them, zero to many.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/core/flat_map.h"
#include "engine/jobs/ordered_lists.h"
#include "physics/bodies/bodies.h"
#include "physics/colliders/colliders.h"
#include "physics/events.h"
#include "physics/joints/joints.h"
#include "physics/narrowphase/collide.h"
#include "physics/pairs/contact_rules.h"
#include "physics/pairs/immovable_neighbours.h"
#include "physics/pairs/manifold_pool.h"

namespace proxima::physics {

/// What happened to a pair in this step, for the events at its end.
enum PairEventFlags : uint8_t { kTouchChanged = 1, kHit = 2, kToBeLookedAt = 4 };

/// A pair of the broadphase, for as long as the two boxes overlap. A slot keeps its place while the pair lasts. A
/// step looks at every slot, so it holds what most steps need and no more.
struct PairSlot {
    uint64_t key = 0;                         // (stable id of a) << 32 | (stable id of b); 0: the slot is free
    uint32_t collider_a = 0, collider_b = 0;  // slots
    uint32_t body_a = 0, body_b = 0;          // slots
    ManifoldId manifold = kNone;              // the first one
    Entity entity = kNoEntity;                // from its first contact points on
    // How far the two bodies may still move before the pair must be looked at: with contact points, until the
    // frozen manifold is too old; without, the distance of the shapes at least.
    float slack = -1.0f;
    SatCache cache;
    uint8_t touching = 0;     // after the last step
    uint8_t event_flags = 0;  // PairEventFlags of this step
    uint8_t reduced = 0;      // 1: its manifold leaves corners of the patch out (kReduced)
    uint8_t rules = 0;        // PairRules

    bool is_free() const { return key == 0; }
};
static_assert(sizeof(PairSlot) == 48);

constexpr uint64_t pair_key(uint32_t id_a, uint32_t id_b) { return uint64_t(id_a) << 32 | id_b; }

/// A manifold that is gone, and what it had in the constraint graph.
struct GoneContact {
    uint32_t edge = kNone;
    uint32_t body_a = 0, body_b = 0;
    uint8_t colour = kNoColour;
};

/// A pair that is gone, with what its last event says.
struct EndedPair {
    uint64_t key = 0;
    Entity entity = kNoEntity;
    ContactPair names;
    uint8_t rules = 0;   // PairRules
    uint8_t events = 0;  // that its colliders ask for
};

/// A slot of the table in a snapshot; its manifolds follow those of the slot before it.
struct SavedPair {
    uint64_t key = 0;  // 0: the slot is free
    Entity entity = kNoEntity;
    float slack = 0.0f;
    SatCache cache;
    uint16_t touching = 0, rules = 0;
    uint32_t manifolds = 0;
};
static_assert(sizeof(SavedPair) == 32);
struct SavedManifold {
    Manifold manifold;
    ExtendedFriction extended;
    uint32_t part = 0;
    uint32_t has_extended = 0;
};

struct Pairs {
    /// Raised when contact points come or go.
    uint64_t version = 0;

    std::vector<PairSlot> slots;
    std::vector<ContactPair> names;     // by slot: the entities of its colliders and bodies
    std::vector<uint8_t> asked_events;  // by slot: bits of Collider::events
    std::vector<uint32_t> free_slots;
    FlatMap slot_of_key;
    std::vector<uint32_t> slot_of_entity;  // by entity index, of pairs with an entity
    ManifoldPool manifolds;
    ContactRuleStore rules;

    // ---- since the last step
    std::vector<ManifoldId> changed;   // manifolds whose points came or went, in the order of the table
    std::vector<uint32_t> lost_touch;  // pairs that lost their last points while they touched
    std::vector<GoneContact> gone;
    std::vector<EndedPair> ended;
    std::vector<uint8_t> rebuilt_of_body;  // by body slot, 1: one of its manifolds was made anew in this step
    std::vector<uint32_t> event_queue;     // pairs with event flags
    std::vector<uint32_t> sensor_changes;  // pairs with a sensor that overlap now, or do so no longer

    // ---- scratch
    std::vector<uint32_t> narrowphase_queue;
    std::vector<uint8_t> narrowphase_result;
    std::vector<float> hit_speed;           // by place in the queue, m/s: of a pair that hits in the coming step
    std::vector<Vec3> velocity_change;      // by body slot, m/s: by the hardest strike of the coming step
    std::vector<uint8_t> hit_of_body;       // 1: it strikes something in the coming step
    std::vector<uint32_t> behind_strikes;   // of the queue: pairs that may touch because one of their bodies is struck
    std::vector<uint32_t> without_contact;  // of the queue, while it is looked behind strikes
    std::vector<float> collider_radius;     // that a pair is judged by; of the colliders of bodies that can move
    uint64_t measured_bodies = ~uint64_t(0);  // version that it was derived from
    ImmovableNeighbours immovable_neighbours;
    // m/s, of their surfaces in the frames of their bodies, by collider; empty where none of them moves along itself
    std::vector<Vec3> surface_velocity;
    // m/s, of b's surface against a's in the frame of b, by manifold: where a contact modifier gave it
    std::vector<Vec3> modified_velocity;
    std::vector<ModifiableContact> modifiable;
    std::vector<ManifoldId> modifiable_ids;
    std::vector<uint8_t> known;
    engine::OrderedPick<uint32_t> pick;

    size_t size() const { return slots.size() - free_slots.size(); }
    /// The slot of a pair's entity; kNone when it is none of this world's.
    uint32_t slot_of(Entity entity) const {
        const size_t index = entt::to_entity(entity);
        const uint32_t slot = index < slot_of_entity.size() ? slot_of_entity[index] : kNone;
        return slot < slots.size() && !slots[slot].is_free() && slots[slot].entity == entity ? slot : kNone;
    }
    /// `pair` has its key, colliders and bodies.
    uint32_t add(const PairSlot& pair, const Bodies& bodies, const Colliders& colliders);
    /// Takes a pair out of the table, with its manifolds.
    void remove(uint32_t slot);
    ManifoldId add_manifold(uint32_t slot);
    void remove_manifold(uint32_t slot, ManifoldId id);
    /// Of all manifolds of a pair.
    uint32_t count_points(const PairSlot& pair) const;
    /// Manifolds whose results are not finite, or beyond all sense, lose them and are made anew: a body that went wrong takes no others
    /// along.
    void drop_bad_results();
    /// What bodies moved in the last step, taken from what pairs allow: before slots of bodies get other meanings.
    void use_up_slack(Bodies& bodies);
    /// Leaves a part of what the impulses of the last step are as a guess of the next.
    void lessen_loads(float part);
    /// Where a pair's colliders and bodies are now; false when one of them is gone.
    bool find_members(uint32_t slot, const Bodies& bodies, const Colliders& colliders);

    /// Slot by slot: constraints are listed in the order of the table, and sums over them follow that order.
    void save(std::vector<SavedPair>& pairs, std::vector<uint32_t>& free, std::vector<SavedManifold>& contents) const;
    /// The table as a snapshot had it, on colliders that are loaded already; pairs without them are left out.
    void load(const std::vector<SavedPair>& pairs, const std::vector<uint32_t>& free,
              const std::vector<SavedManifold>& contents, const Bodies& bodies, const Colliders& colliders);
    void clear();
    /// Lists the pairs of the constraints that have event flags; `manifold_of(k)` is kNone for what is no contact.
    template <class ManifoldOf>
    void queue_events(const std::vector<uint8_t>& flags, const ManifoldOf& manifold_of) {
        // Most have none: eight at a time.
        for (size_t k = 0; k < flags.size(); k += sizeof(uint64_t)) {
            uint64_t eight = 0;
            const size_t end = std::min(k + sizeof(eight), flags.size());
            std::memcpy(&eight, flags.data() + k, end - k);
            for (size_t i = k; eight != 0 && i < end; ++i) {
                const ManifoldId id = flags[i] ? manifold_of(i) : kNone;
                if (id != kNone) event_queue.push_back(manifolds.slot(id).pair);
            }
        }
    }

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(slots, names, asked_events, modified_velocity, modifiable, modifiable_ids, free_slots,
                        slot_of_entity, changed, lost_touch, gone, ended, rebuilt_of_body, event_queue, sensor_changes,
                        narrowphase_queue, narrowphase_result, hit_speed, velocity_change, hit_of_body, behind_strikes,
                        without_contact, collider_radius, surface_velocity, known, immovable_neighbours.immovable,
                        immovable_neighbours.first, immovable_neighbours.colliders, immovable_neighbours.links);
        archive.derived_bytes(slot_of_key.bytes() + pick.bytes());
        rules.visit(archive);
    }
};

/// The manifolds of a pair, first to last: `for (ManifoldId id : ManifoldChain{pairs, slot})`.
struct ManifoldChain {
    const Pairs& pairs;
    uint32_t slot;
    struct Iterator {
        const ManifoldPool* pool;
        ManifoldId id;
        ManifoldId operator*() const { return id; }
        Iterator& operator++() {
            id = pool->slot(id).next;
            return *this;
        }
        bool operator!=(const Iterator& other) const { return id != other.id; }
    };
    Iterator begin() const { return {&pairs.manifolds, pairs.slots[slot].manifold}; }
    Iterator end() const { return {&pairs.manifolds, kNone}; }
};

// ---- stages

/// Boxes of what moved, the broadphase, and the pairs that it says began or ended. What an ended contact held up
/// wakes.
void find_pairs(Bodies& bodies, const StepParams& params, Colliders& colliders, Pairs& pairs, const StepTools& tools);

/// The pairs that the broadphase says began or ended. After a load they are those of the snapshot already.
void match_pairs(const Bodies& bodies, const Colliders& colliders, Pairs& pairs);

/// What pairs are judged by of one collider that changed, where the others are as they were.
void remeasure_collider(const Bodies& bodies, const Colliders& colliders, uint32_t collider, Pairs& pairs);

/// Every pair's manifolds up to date: kept, and following both bodies, while those hardly move against each other,
/// otherwise made anew, with the impulses of the contact points that are still there.
/// Bodies that a joint connects have none, unless the joint says otherwise.
void update_manifolds(Bodies& bodies, const Colliders& colliders, const Joints& joints, const StepParams& params,
                      Pairs& pairs, const StepTools& tools);

/// Takes the manifolds of a pair. What slept on a contact that is gone wakes.
void lose_contact(Bodies& bodies, Pairs& pairs, uint32_t slot);

/// Contacts of modifiable colliders go through the game's modifier.
void modify_contacts(const ContactModifier& modifier, Bodies& bodies, Pairs& pairs, StepReport& report);

/// Whether a pair touches now, and whether it was hit, from the impulses and gaps of all its manifolds. Returns its
/// event flags.
uint8_t update_touching(Pairs& pairs, uint32_t slot, float hit_speed);
/// The same as soon as the results of one manifold are stored; a pair with several is only marked, and looked at when
/// all of them are (publish_events).
uint8_t note_results(Pairs& pairs, ManifoldId id, float hit_speed);

}  // namespace proxima::physics
