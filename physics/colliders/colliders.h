// SPDX-License-Identifier: MIT
// The colliders of a world in stable order, with their boxes in the broadphase.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/bodies/bodies.h"
#include "physics/broadphase/broadphase.h"
#include "physics/colliders/collider_links.h"
#include "physics/contact/material.h"

namespace proxima::physics {

struct ColliderData {
    Entity entity = kNoEntity;
    uint32_t stable_id = 0;
    uint32_t body = 0;  // slot
    ProxyId proxy = kNoProxy;
    const Shape* shape = nullptr;
    Transform local;  // about the body's centre of mass
    Transform world;
    ContactMaterial material;
    float box_slack = -1.0f;  // how far the body may still move before its box in the broadphase is too small
};
static_assert(sizeof(ColliderData) == 96);

/// A collider in a snapshot: the component that its slot was made from, and its box, which depends on the past.
struct SavedCollider {
    Entity entity = kNoEntity;
    uint32_t stable_id = 0;
    Collider seen;
    float box_slack = 0.0f;
    Aabb box;
    uint32_t moves = 0;  // 1: for the broadphase
};
static_assert(sizeof(SavedCollider) == 140);

/// Whether pairs of a collider may have other rules than their layers and masks (pairs/contact_rules.h).
inline bool has_pair_rules(const Collider& collider) {
    return collider.is_sensor != 0 || collider.group != 0 || collider.events != Collider{}.events;
}

struct Colliders {
    std::vector<ColliderData> data;          // in stable order
    std::vector<Collider> seen;              // the component of each as the lists were made from it
    engine::ComponentWatch<Collider> watch;  // over all of them
    std::vector<Aabb> boxes;                 // of those that changed in this step
    std::vector<uint8_t> box_changed;        //
    std::vector<uint32_t> slot_of_entity;    // by entity index
    std::vector<uint32_t> slot_of_proxy;
    ColliderLinks links;  // which body has which
    Broadphase broadphase;
    uint32_t extended_friction_count = 0;  // with friction that is more than a disk
    uint32_t moving_surface_count = 0;     // with a surface that moves along itself
    uint32_t ruled_count = 0;              // sensors, those of a group, and those that ask for other events
    uint64_t version = 1;                  // raised when the list is made anew
    uint64_t boxes_of_version = 0;         // that all boxes were looked at for

    size_t size() const { return data.size(); }
    /// The slot of a collider; kNone when it is not there.
    uint32_t slot_of(Entity collider) const {
        const size_t index = entt::to_entity(collider);
        const uint32_t slot = index < slot_of_entity.size() ? slot_of_entity[index] : kNone;
        return slot < size() && data[slot].entity == collider ? slot : kNone;
    }
    /// The slot of the collider with this stable id; kNone when there is none.
    uint32_t slot_with_id(uint32_t stable_id) const;

    void save(std::vector<SavedCollider>& out) const;
    /// The slots as a snapshot had them, on bodies that are loaded already.
    void load(const std::vector<SavedCollider>& saved, const ShapeLibrary& shapes,
              Bodies& bodies);  // structure/sync_structure.cpp

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(data, seen, boxes, box_changed, slot_of_entity, slot_of_proxy);
        archive.derived_bytes(links.bytes() + watch.bytes());
    }
};

/// World poses of the colliders that moved, and the boxes of those that may leave their box within the step.
void update_boxes(const Bodies& bodies, const StepParams& params, Colliders& colliders, engine::Jobs& jobs);

/// What the bodies moved in this step is taken from what their boxes allow; pairs do the same when they are next
/// looked through.
void age_boxes(Bodies& bodies, Colliders& colliders, engine::Jobs& jobs);

}  // namespace proxima::physics
