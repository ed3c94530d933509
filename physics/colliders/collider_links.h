// SPDX-License-Identifier: MIT
// Which colliders a body has, kept up while colliders come, go and change, so that removing a body does not
// look at everybody else's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/ecs/world.h"

namespace proxima::physics {

/// A collider and the body that it was added to.
struct ColliderLink {
    engine::Entity collider = engine::kNoEntity, body = engine::kNoEntity;
};

/// One list per body, linked through an array by entity index. An index is used again by later entities: a
/// list may then hold colliders of an earlier body, so each one names its body in full.
class ColliderLinks {
  public:
    using Entity = engine::Entity;

    void add(Entity collider, Entity body) {
        const size_t body_index = entt::to_entity(body), index = entt::to_entity(collider);
        const size_t most = body_index > index ? body_index : index;
        if (links_.size() <= most) links_.resize(most + 1);
        links_[index].body = body;
        links_[index].next = links_[body_index].first;
        links_[body_index].first = collider;
    }

    void remove(Entity collider) {
        const size_t index = entt::to_entity(collider);
        if (index >= links_.size() || links_[index].body == engine::kNoEntity) return;
        Entity* link = &links_[entt::to_entity(links_[index].body)].first;
        while (*link != collider && *link != engine::kNoEntity) link = &links_[entt::to_entity(*link)].next;
        if (*link != collider) return;  // the index is that of another collider
        *link = links_[index].next;
        links_[index].body = links_[index].next = engine::kNoEntity;
    }

    /// Puts a collider under another body; one that is there already keeps its place.
    void move(Entity collider, Entity body) {
        const size_t index = entt::to_entity(collider);
        if (index < links_.size() && links_[index].body == body) return;
        remove(collider);
        add(collider, body);
    }

    /// Calls visit(collider) for each collider of the body, the newest first. `visit` adds and removes none.
    template <class Visit>
    void for_each(Entity body, Visit&& visit) const {
        if (entt::to_entity(body) >= links_.size()) return;
        Entity collider = links_[entt::to_entity(body)].first;
        while (collider != engine::kNoEntity) {
            const Link& link = links_[entt::to_entity(collider)];
            if (link.body == body) visit(collider);
            collider = link.next;
        }
    }
    bool has_any(Entity body) const {
        bool any = false;
        for_each(body, [&](Entity) { any = true; });
        return any;
    }

    /// All of them, so that adding them one after the other makes the same lists.
    void save(std::vector<ColliderLink>& out) const {
        out.clear();
        for (const Link& body : links_) {
            const size_t first = out.size();
            for (Entity at = body.first; at != engine::kNoEntity; at = links_[entt::to_entity(at)].next)
                out.push_back({at, links_[entt::to_entity(at)].body});
            std::reverse(out.begin() + std::ptrdiff_t(first), out.end());
        }
    }
    void load(const std::vector<ColliderLink>& saved) {
        links_.clear();
        for (const ColliderLink& link : saved) add(link.collider, link.body);
    }

    size_t bytes() const { return links_.capacity() * sizeof(Link); }

  private:
    struct Link {
        Entity first = engine::kNoEntity;  // of the entity as a body
        Entity body = engine::kNoEntity;   // of the entity as a collider
        Entity next = engine::kNoEntity;   //
    };
    static_assert(sizeof(Link) == 12);

    std::vector<Link> links_;
};

}  // namespace proxima::physics
