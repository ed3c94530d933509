// SPDX-License-Identifier: MIT
#include "physics/state/state_image.h"

#include <algorithm>
#include <string>

#include "engine/ecs/component_cursor.h"
#include "physics/simulation.h"
#include "physics/state/rename_entities.h"

namespace proxima::physics {

namespace {

template <class... T>
constexpr uint32_t bits_of(TypeList<T...>) {
    return (0u | ... | (1u << kTypeOf<T>));
}

/// Only what has one of these belongs to the physics: a game may use a Pose for what is no body.
constexpr uint32_t kOwning = bits_of(TypeList<StableId, RigidBody, Collider, ContactPair>{}) | bits_of(JointTypes{});

template <class... T, class Function>
void for_each_type(TypeList<T...>, Function&& function) {
    (function(std::type_identity<T>{}), ...);
}

/// Entities with any of these components, and which they have, by index.
void list_entities(const entt::registry& registry, StateImage& out) {
    std::vector<uint32_t>& type_of_index = out.place_of_index;  // until the rows are indexed
    type_of_index.clear();
    std::vector<Entity>& entity_of_index = out.entities;
    entity_of_index.clear();
    const auto mark = [&]<class T>(std::type_identity<T>) {
        const auto* storage = registry.storage<T>();
        if (!storage) return;
        for (size_t i = 0; i < storage->size(); ++i) {
            const Entity entity = storage->data()[i];
            const size_t index = entt::to_entity(entity);
            if (index >= type_of_index.size()) {
                if (!(kOwning >> kTypeOf<T> & 1)) continue;
                type_of_index.resize(index + 1, 0);
                entity_of_index.resize(index + 1, kNoEntity);
            }
            type_of_index[index] |= 1u << kTypeOf<T>;
            entity_of_index[index] = entity;
        }
    };
    // Those that own come first, so that the lists are as long as they need be when the others are looked at.
    for_each_type(TypeList<StableId, RigidBody, Collider, ContactPair>{}, mark);
    for_each_type(JointTypes{}, mark);
    for_each_type(PersistedComponents{}, mark);
    out.types.clear();
    size_t kept = 0;
    for (size_t index = 0; index < type_of_index.size(); ++index) {
        if ((type_of_index[index] & kOwning) == 0) continue;
        out.types.push_back(type_of_index[index]);
        out.entities[kept++] = entity_of_index[index];
    }
    out.entities.resize(kept);
}

/// Fingerprints of the shapes that the colliders need. A number that the library does not have is none: steps leave such
/// a collider out.
void list_shapes(const ShapeLibrary& library, StateImage& out) {
    out.shapes.clear();
    const auto add = [&](const Collider& collider) {
        const size_t shape = size_t(collider.shape);
        if (shape >= library.size()) return;
        if (shape >= out.shapes.size()) out.shapes.resize(shape + 1, 0);
        out.shapes[shape] = library.get(collider.shape).fingerprint;
    };
    out.each<Collider>([&](Entity, const Collider& collider) { add(collider); });
    for (const SavedCollider& collider : out.history.colliders) add(collider.seen);
}

}  // namespace

void StateImage::index_rows() {
    place_of_index.clear();
    if (!entities.empty()) place_of_index.resize(entt::to_entity(entities.back()) + 1, kNone);
    for (uint32_t place = 0; place < entities.size(); ++place) place_of_index[entt::to_entity(entities[place])] = place;
    for (uint32_t type = 0; type < kComponentTypes; ++type) {
        rows[type].clear();
        if (values[type].empty()) continue;
        rows[type].resize(entities.size(), kNone);
        uint32_t row = 0;
        for (uint32_t place = 0; place < entities.size(); ++place)
            if (types[place] >> type & 1) rows[type][place] = row++;
    }
}

void StateImage::index_colliders() {
    const std::vector<SavedCollider>& list = history.colliders;
    collider_of_id.clear();
    if (list.empty()) return;
    const uint32_t first = list.front().stable_id, last = list.back().stable_id;
    // Ids that lie far apart, and those of damaged bytes, are searched for.
    if (last < first || last - first > 16 * list.size()) return;
    collider_of_id.resize(last - first + 1, kNone);
    for (uint32_t k = 0; k < list.size(); ++k)
        if (list[k].stable_id >= first && list[k].stable_id <= last) collider_of_id[list[k].stable_id - first] = k;
}

const SavedCollider* StateImage::collider_with_id(uint32_t stable_id) const {
    const std::vector<SavedCollider>& list = history.colliders;
    if (list.empty() || stable_id < list.front().stable_id) return nullptr;
    if (!collider_of_id.empty()) {
        const size_t at = stable_id - list.front().stable_id;
        return at < collider_of_id.size() && collider_of_id[at] != kNone ? &list[collider_of_id[at]] : nullptr;
    }
    const auto at = std::lower_bound(list.begin(), list.end(), stable_id,
                                     [](const SavedCollider& c, uint32_t id) { return c.stable_id < id; });
    return at != list.end() && at->stable_id == stable_id ? &*at : nullptr;
}

void capture_image(const Simulation& s, StateImage& out) {
    out.step = s.step_number;
    out.next_stable_id = s.next_stable_id;
    out.settings = s.settings;
    list_entities(std::as_const(s.registry), out);
    const auto copy = [&]<class T>(std::type_identity<T>) {
        std::vector<std::byte>& values = out.values[kTypeOf<T>];
        const auto* storage = std::as_const(s.registry).storage<T>();
        if (!storage || storage->empty()) return values.clear();
        values.resize(storage->size() * sizeof(T));
        size_t size = 0;
        for (size_t place = 0; place < out.entities.size(); ++place) {
            if (!(out.types[place] >> kTypeOf<T> & 1)) continue;
            engine::detail::copy_component(values.data() + size, storage->get(out.entities[place]));
            size += sizeof(T);
        }
        values.resize(size);
    };
    for_each_type(PersistedComponents{}, copy);
    out.history.written_ids.clear();
    save_history(s, out.history);
    list_shapes(s.shapes, out);
    out.index_rows();
}

Result<void> match_shapes(const ShapeLibrary& library, StateImage& image) {
    bool same = image.shapes.size() <= library.size();
    for (uint32_t k = 0; same && k < image.shapes.size(); ++k)
        same = image.shapes[k] == 0 || library.get(ShapeId(k)).fingerprint == image.shapes[k];
    if (same) return {};
    std::vector<std::pair<uint64_t, uint32_t>> known;
    for (uint32_t k = 0; k < library.size(); ++k) known.emplace_back(library.get(ShapeId(k)).fingerprint, k);
    std::sort(known.begin(), known.end());
    std::vector<ShapeId> now(image.shapes.size(), kNoShape);
    for (uint32_t k = 0; k < image.shapes.size(); ++k) {
        if (image.shapes[k] == 0) continue;
        const auto at = std::lower_bound(known.begin(), known.end(), std::pair(image.shapes[k], 0u));
        if (at == known.end() || at->first != image.shapes[k])
            return Error{"The snapshot uses a shape that this world does not have (its number was " +
                         std::to_string(k) + "): add all shapes before you restore."};
        now[k] = ShapeId(at->second);
    }
    const auto renumber = [&](ShapeId& shape) {
        if (size_t(shape) < now.size()) shape = now[size_t(shape)];
    };
    std::vector<std::byte>& colliders = image.values[kTypeOf<Collider>];
    for (size_t at = 0; at < colliders.size(); at += sizeof(Collider)) {
        Collider collider = engine::detail::read_component<Collider>(colliders.data() + at);
        renumber(collider.shape);
        std::memcpy(colliders.data() + at, &collider, sizeof(collider));
    }
    for (SavedCollider& collider : image.history.colliders) renumber(collider.seen.shape);
    return {};
}

namespace {

/// What the image has under each of its identifiers in this world; kNoEntity: it must be made. The stable id says who is
/// who: an earlier restore may have given another identifier, and so may another world.
void match_entities(const StateImage& image, const entt::registry& registry, std::vector<Entity>& now) {
    const uint32_t count = uint32_t(image.entities.size());
    now.assign(count, kNoEntity);
    const auto* ids = registry.storage<StableId>();
    const auto id_of = [&](uint32_t place) {
        const std::byte* id = image.value(kTypeOf<StableId>, place);
        return id ? engine::detail::read_component<StableId>(id).value : 0;
    };
    std::vector<uint8_t> is_taken;  // by index
    const auto take = [&](uint32_t place, Entity entity) {
        const size_t index = entt::to_entity(entity);
        if (is_taken.size() <= index) is_taken.resize(index + 1, 0);
        if (!is_taken[index]) now[place] = entity;
        is_taken[index] = 1;
    };
    bool all = true;
    for (uint32_t place = 0; place < count; ++place) {
        const Entity entity = image.entities[place];
        const bool known = registry.valid(entity) && ids && ids->contains(entity);
        if (known && id_of(place) == ids->get(entity).value) take(place, entity);
        all = all && now[place] != kNoEntity;
    }
    if (all) return;
    std::vector<std::pair<uint32_t, Entity>> by_id;
    for (size_t i = 0; ids && i < ids->size(); ++i) by_id.emplace_back(ids->get(ids->data()[i]).value, ids->data()[i]);
    std::sort(by_id.begin(), by_id.end());
    for (uint32_t place = 0; place < count; ++place) {
        const uint32_t wanted = now[place] == kNoEntity ? id_of(place) : 0;
        if (wanted == 0) continue;
        const auto at = std::lower_bound(by_id.begin(), by_id.end(), std::pair(wanted, Entity{}));
        if (at != by_id.end() && at->first == wanted) take(place, at->second);
    }
    // Contact pairs, and what the game has taken the stable id from.
    const auto* pairs = registry.storage<ContactPair>();
    for (uint32_t place = 0; place < count; ++place) {
        const Entity entity = image.entities[place];
        if (now[place] != kNoEntity || !registry.valid(entity)) continue;
        const bool is_pair = image.types[place] >> kTypeOf<ContactPair> & 1;
        if (!is_pair || (pairs && pairs->contains(entity))) take(place, entity);
    }
}

/// What the physics has made since, or the game of it: the newest index first, so that the next ones made get them in
/// the order in which they were given before.
void destroy_others(const std::vector<Entity>& kept, entt::registry& registry) {
    std::vector<uint8_t> is_kept;
    for (const Entity entity : kept) {
        if (entity == kNoEntity) continue;
        const size_t index = entt::to_entity(entity);
        if (is_kept.size() <= index) is_kept.resize(index + 1, 0);
        is_kept[index] = 1;
    }
    std::vector<Entity> gone, stripped;
    const auto look = [&]<class T>(std::type_identity<T>) {
        constexpr bool ends = std::is_same_v<T, StableId> || std::is_same_v<T, ContactPair>;
        const auto& storage = registry.storage<T>();
        for (size_t i = 0; i < storage.size(); ++i) {
            const Entity entity = storage.data()[i];
            const size_t index = entt::to_entity(entity);
            if (index < is_kept.size() && is_kept[index]) continue;
            (ends ? gone : stripped).push_back(entity);
        }
    };
    for_each_type(TypeList<StableId, RigidBody, Collider, ContactPair>{}, look);
    for_each_type(JointTypes{}, look);
    std::sort(gone.begin(), gone.end(), [](Entity a, Entity b) { return entt::to_entity(a) > entt::to_entity(b); });
    gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
    for (const Entity entity : gone) registry.destroy(entity);
    // What the game made by hand and no step has seen is its own entity.
    for (const Entity entity : stripped)
        if (registry.valid(entity))
            for_each_type(PersistedComponents{}, [&]<class T>(std::type_identity<T>) { registry.remove<T>(entity); });
}

/// Components as the image has them: written in place where they are, made and taken away where not.
void write_components(const StateImage& image, entt::registry& registry) {
    const auto take = [&]<class T>(std::type_identity<T>) {
        auto& storage = registry.storage<T>();
        for (uint32_t place = 0; place < image.entities.size(); ++place)
            if (!(image.types[place] >> kTypeOf<T> & 1) && storage.contains(image.entities[place]))
                storage.remove(image.entities[place]);
    };
    for_each_type(PersistedComponents{}, take);
    const auto write = [&]<class T>(std::type_identity<T>) {
        auto& storage = registry.storage<T>();
        const std::byte* from = image.values[kTypeOf<T>].data();
        for (uint32_t place = 0; place < image.entities.size(); ++place) {
            if (!(image.types[place] >> kTypeOf<T> & 1)) continue;
            const Entity entity = image.entities[place];
            if (!storage.contains(entity)) storage.emplace(entity, engine::detail::read_component<T>(from));
            std::memcpy(static_cast<void*>(&storage.get(entity)), from, sizeof(T));
            from += sizeof(T);
        }
    };
    for_each_type(PersistedComponents{}, write);
}

/// All bodies in stable order, as the components say; what a history says of ids comes later.
void list_bodies(const StateImage& image, BodyList& list) {
    std::vector<std::pair<uint32_t, Entity>> bodies;
    image.each<StableId>([&](Entity entity, const StableId& id) {
        if (image.has<RigidBody>(entity)) bodies.emplace_back(id.value, entity);
    });
    std::sort(bodies.begin(), bodies.end());
    bool same = bodies.size() == list.ids().size();
    for (size_t k = 0; same && k < bodies.size(); ++k) same = bodies[k] == std::pair(list.ids()[k], list.entities()[k]);
    if (same) return;
    list = BodyList{};
    for (const auto& [id, entity] : bodies) list.add(entity, id);
}

}  // namespace

void apply_image(StateImage& image, Simulation& s, std::vector<RenamedEntity>& renamed) {
    renamed.clear();
    std::vector<Entity> now;
    match_entities(image, std::as_const(s.registry), now);
    destroy_others(now, s.registry);
    for (uint32_t place = 0; place < now.size(); ++place) {
        if (now[place] == kNoEntity) now[place] = s.registry.create(image.entities[place]);
        if (now[place] != image.entities[place]) renamed.push_back({image.entities[place], now[place]});
    }
    if (!renamed.empty()) rename_entities(renamed, image);
    write_components(image, s.registry);
    list_bodies(image, s.body_list);
    s.step_number = image.step;
    s.next_stable_id = image.next_stable_id;
    s.settings = image.settings;
    load_history(image.history, s);
    // What the last step said was about another time.
    s.events.clear();
    s.report = StepReport{};
    s.report.step = s.step_number;
}

}  // namespace proxima::physics
