// SPDX-License-Identifier: MIT
#include "physics/state/rename_entities.h"

#include <algorithm>
#include <numeric>

namespace proxima::physics {

namespace {

struct Renamer {
    std::vector<RenamedEntity> list;  // by what was saved

    void operator()(Entity& entity) const {
        const auto at = std::lower_bound(list.begin(), list.end(), entity,
                                         [](const RenamedEntity& one, Entity e) { return one.saved < e; });
        if (at != list.end() && at->saved == entity) entity = at->now;
    }
    template <class... E>
    void operator()(Entity& first, E&... others) const {
        (*this)(first);
        (*this)(others...);
    }
    void operator()(std::vector<Entity>& entities) const {
        for (Entity& entity : entities) (*this)(entity);
    }
};

template <class T>
constexpr bool kNamesOthers = requires(T component) {
    component.body_a;
};

/// What components of other entities name.
template <class... T>
void rename_values(const Renamer& rename, StateImage& image, TypeList<T...>) {
    const auto one = [&]<class C>(std::type_identity<C>) {
        std::vector<std::byte>& values = image.values[kTypeOf<C>];
        for (size_t at = 0; at < values.size(); at += sizeof(C)) {
            C component = engine::detail::read_component<C>(values.data() + at);
            if constexpr (std::is_same_v<C, Collider>)
                rename(component.body);
            else if constexpr (std::is_same_v<C, ContactPair>)
                rename(component.collider_a, component.collider_b, component.body_a, component.body_b);
            else if constexpr (kNamesOthers<C>)
                rename(component.body_a, component.body_b);
            std::memcpy(values.data() + at, &component, sizeof(C));
        }
    };
    (one(std::type_identity<T>{}), ...);
}

/// The entities ascending again, and the components with them.
void sort_entities(StateImage& image) {
    std::vector<uint32_t> order(image.entities.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) {
        return entt::to_entity(image.entities[x]) < entt::to_entity(image.entities[y]);
    });
    const std::vector<Entity> entities = image.entities;
    const std::vector<uint32_t> types = image.types;
    for (size_t k = 0; k < order.size(); ++k) {
        image.entities[k] = entities[order[k]];
        image.types[k] = types[order[k]];
    }
    for (uint32_t type = 0; type < kComponentTypes; ++type) {
        std::vector<std::byte> values;
        for (const uint32_t place : order) {
            if (!(types[place] >> type & 1)) continue;
            const std::byte* value = image.value(type, place);
            values.insert(values.end(), value, value + kComponentSizes[type]);
        }
        image.values[type] = std::move(values);
    }
    image.index_rows();
}

}  // namespace

void rename_entities(const std::vector<RenamedEntity>& renamed, StateImage& image) {
    Renamer rename{renamed};
    std::sort(rename.list.begin(), rename.list.end(),
              [](const RenamedEntity& x, const RenamedEntity& y) { return x.saved < y.saved; });
    rename_values(rename, image, PersistedComponents{});
    rename(image.entities);
    sort_entities(image);

    History& h = image.history;
    for (std::vector<Entity>* list : {&h.log.new_bodies, &h.log.new_colliders, &h.log.gone_bodies,
                                      &h.log.gone_colliders, &h.log.reshaped_bodies, &h.log.stripped_bodies})
        rename(*list);
    for (WrittenId& body : h.written_ids) rename(body.entity);
    for (SavedBody& body : h.bodies) rename(body.entity);
    for (SavedCollider& collider : h.colliders) rename(collider.entity, collider.seen.body);
    for (ColliderLink& link : h.links) rename(link.collider, link.body);
    for (SavedPair& pair : h.pairs) rename(pair.entity);
    for (SeenRules& own : h.rules) rename(own.collider);
    for (SavedJoint& joint : h.joints) rename(joint.entity, joint.body_a, joint.body_b);
    for (IgnoredPair& pair : h.ignored) {
        rename(pair.a, pair.b);
        if (pair.b < pair.a) std::swap(pair.a, pair.b);
    }
    std::sort(h.ignored.begin(), h.ignored.end());
}

}  // namespace proxima::physics
