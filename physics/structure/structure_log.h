// SPDX-License-Identifier: MIT
// What came, went and changed in the registry since the last step, as its signals told it. It waits for the next step,
// so a snapshot has it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "physics/components.h"

namespace proxima::physics {

/// A collider that makes no sense, and is in no list until it is another one.
struct LeftOutCollider {
    Entity entity = kNoEntity;
    Collider content;
};
static_assert(sizeof(LeftOutCollider) == 104);

struct StructureLog {
    /// Raised by every change of bodies and colliders.
    uint64_t version = 1;
    /// The version at the last change that cannot be made to the lists as they are: everything is made anew.
    uint64_t rebuild_version = 1;
    // What the lists of bodies and colliders know of these two.
    uint64_t seen_version = 0, seen_rebuild = 0;

    std::vector<Entity> new_bodies, new_colliders;  // in the order in which they came
    std::vector<Entity> gone_bodies, gone_colliders;
    // Listed ones with another content; of a body RigidBody, Mass or Quarantined.
    std::vector<Entity> changed_bodies, changed_colliders;
    // Made by the game without a StableId, in the order in which they came: the next step gives them one.
    std::vector<Entity> unnumbered;
    // Colliders, mass, type or settings changed: their contacts are made anew, and they wake. They stay here until
    // then.
    std::vector<Entity> reshaped_bodies;
    std::vector<Entity> stripped_bodies;  // lost one of the components that a body needs, perhaps because they end

    std::vector<LeftOutCollider> left_out;
    bool numbering = false;  // a step is giving stable ids

    bool is_seen() const { return seen_version == version; }
    bool needs_rebuild() const { return seen_rebuild != rebuild_version; }
    void request_rebuild() { rebuild_version = ++version; }
    void note(std::vector<Entity>& list, Entity entity) {
        ++version;
        if (!needs_rebuild()) list.push_back(entity);
    }
    void change_body(Entity body) {
        ++version;
        changed_bodies.push_back(body);
    }
    void change_collider(Entity collider) {
        ++version;
        changed_colliders.push_back(collider);
    }
    /// Nothing came or went.
    bool has_changes_only() const {
        return !needs_rebuild() && new_bodies.empty() && new_colliders.empty() && gone_bodies.empty() &&
               gone_colliders.empty();
    }
    void reshape(Entity body) {
        ++version;
        reshaped_bodies.push_back(body);
    }
    /// The lists have everything now.
    void mark_seen() {
        seen_version = version;
        seen_rebuild = rebuild_version;
        for (std::vector<Entity>* list :
             {&new_bodies, &new_colliders, &gone_bodies, &gone_colliders, &changed_bodies, &changed_colliders})
            list->clear();
    }

    template <class Archive>
    void visit(Archive& archive) {
        // What the numbers say, not how far they have counted: that depends on what was looked at how often.
        uint32_t waits = is_seen() ? 0 : needs_rebuild() ? 2 : 1;
        archive.value(waits);
        seen_version = seen_rebuild = 1;
        version = waits > 0 ? 2 : 1;
        rebuild_version = waits > 1 ? 2 : 1;
        archive.state(new_bodies, new_colliders, gone_bodies, gone_colliders, changed_bodies, changed_colliders,
                      unnumbered, reshaped_bodies, stripped_bodies, left_out);
    }
};

/// All bodies in stable order, kept up while they come and go, so that reading it changes nothing.
class BodyList {
  public:
    const std::vector<Entity>& entities() const { return entities_; }

    void add(Entity body, uint32_t stable_id) {
        const auto at = std::lower_bound(ids_.begin(), ids_.end(), stable_id);
        entities_.insert(entities_.begin() + (at - ids_.begin()), body);
        ids_.insert(at, stable_id);
    }
    /// By its id, or by looking for it where the game has written another one into its StableId.
    void remove(Entity body, uint32_t stable_id) {
        size_t at = size_t(std::lower_bound(ids_.begin(), ids_.end(), stable_id) - ids_.begin());
        if (at == ids_.size() || entities_[at] != body)
            at = size_t(std::find(entities_.begin(), entities_.end(), body) - entities_.begin());
        if (at == entities_.size()) return;
        entities_.erase(entities_.begin() + std::ptrdiff_t(at));
        ids_.erase(ids_.begin() + std::ptrdiff_t(at));
    }
    /// Another id for a body.
    void renumber(Entity body, uint32_t from, uint32_t to) {
        remove(body, from);
        add(body, to);
    }
    /// The stable ids of the same.
    const std::vector<uint32_t>& ids() const { return ids_; }

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(entities_, ids_);
    }

  private:
    std::vector<Entity> entities_;
    std::vector<uint32_t> ids_;  // of the same
};

}  // namespace proxima::physics
