// SPDX-License-Identifier: MIT
// A physics world as plain lists, without the rest of its registry: what is read from a world to be saved, and what a
// saved one is brought back from.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "physics/persisted_components.h"
#include "physics/settings.h"
#include "physics/state/history.h"
#include "physics/state/physics_snapshot.h"

namespace proxima::physics {

struct Simulation;

namespace detail {

template <class... T>
constexpr uint32_t count_types(TypeList<T...>) {
    return uint32_t(sizeof...(T));
}
template <class Wanted, class... T>
constexpr uint32_t index_of(TypeList<T...>) {
    uint32_t index = 0, found = ~0u;
    ((std::is_same_v<Wanted, T> ? void(found = index++) : void(++index)), ...);
    return found;
}
template <class... T>
constexpr std::array<uint32_t, sizeof...(T)> sizes_of(TypeList<T...>) {
    return {uint32_t(sizeof(T))...};
}

}  // namespace detail

inline constexpr uint32_t kComponentTypes = detail::count_types(PersistedComponents{});
/// Number of a persisted component, and its bit in StateImage::types.
template <class T>
inline constexpr uint32_t kTypeOf = detail::index_of<T>(PersistedComponents{});
inline constexpr auto kComponentSizes = detail::sizes_of(PersistedComponents{});
static_assert(kComponentTypes <= 32);

struct StateImage {
    uint64_t step = 0;
    uint32_t next_stable_id = 0;
    StepSettings settings;
    std::vector<uint64_t> shapes;  // fingerprints of those in use, by number; 0: not in use
    // Entities that are bodies, colliders, joints or contact pairs, or were: ascending by index.
    std::vector<Entity> entities;
    std::vector<uint32_t> types;                                 // of each, bits of PersistedComponents
    std::array<std::vector<std::byte>, kComponentTypes> values;  // by type, in the order of the entities
    History history;

    // ---- derived by index_rows()
    std::array<std::vector<uint32_t>, kComponentTypes> rows;  // by place of the entity; kNone; empty: nobody has it
    std::vector<uint32_t> place_of_index;                     // by index of the entity

    std::vector<uint32_t> collider_of_id;  // by stable id from the first one on

    void index_rows();
    /// Colliders of the history by their stable ids.
    void index_colliders();
    const SavedCollider* collider_with_id(uint32_t stable_id) const;
    /// Where an entity is in the list; kNone when it is not.
    uint32_t place_of(Entity entity) const {
        const size_t index = entt::to_entity(entity);
        const uint32_t place = index < place_of_index.size() ? place_of_index[index] : kNone;
        return place != kNone && entities[place] == entity ? place : kNone;
    }
    const std::byte* value(uint32_t type, uint32_t place) const {
        if (place == kNone || rows[type].empty() || rows[type][place] == kNone) return nullptr;
        return values[type].data() + size_t(rows[type][place]) * kComponentSizes[type];
    }

    // ---- as a SnapshotView, for the checks of a history
    template <class T>
    bool has(Entity entity) const {
        return value(kTypeOf<T>, place_of(entity)) != nullptr;
    }
    template <class T>
    std::optional<T> get(Entity entity) const {
        const std::byte* from = value(kTypeOf<T>, place_of(entity));
        if (!from) return std::nullopt;
        return engine::detail::read_component<T>(from);
    }
    template <class T, class Function>
    void each(Function&& function) const {
        const std::byte* from = values[kTypeOf<T>].data();
        for (uint32_t place = 0; place < entities.size(); ++place) {
            if (!(types[place] >> kTypeOf<T> & 1)) continue;
            function(entities[place], engine::detail::read_component<T>(from));
            from += sizeof(T);
        }
    }
};

/// What the world is now.
void capture_image(const Simulation& s, StateImage& out);

/// Gives every shape the number that it has in this library; a sentence when one is missing, and nothing has changed.
Result<void> match_shapes(const ShapeLibrary& library, StateImage& image);

/// Makes the physics of the world what the image says; the image was checked. Its entities are those of the world
/// afterwards: `renamed` lists the ones whose own identifier was in use.
void apply_image(StateImage& image, Simulation& s, std::vector<RenamedEntity>& renamed);

}  // namespace proxima::physics
