// SPDX-License-Identifier: MIT
// The ECS world: an EnTT registry, plus the list of what belongs to its saved state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <entt/entt.hpp>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/bytes.h"
#include "engine/core/result.h"

namespace proxima::engine {

using Entity = entt::entity;
inline constexpr Entity kNoEntity = entt::entity{0xFFFFFFFFu};

/// Every file that includes this asks the linker for the value that goes with its registry, and the library has that of
/// its own. A program that is compiled with EnTT and linked with a Proxima that was built with the subset in third_party/,
/// or the other way round, would share a registry whose parts lie elsewhere; it is not linked instead: build both with
/// the same one.
template <class Registry>
struct LibraryIsBuiltWith {
    static const char this_registry;
};
template <>
const char LibraryIsBuiltWith<entt::registry>::this_registry;
namespace {
[[gnu::used]] const char* const kSameRegistry = &LibraryIsBuiltWith<entt::registry>::this_registry;
}  // namespace

/// Entities and components of a snapshot that nothing was restored from yet: what checks look at.
class SnapshotView {
  public:
    /// Whether the entity is alive in the snapshot, with this version.
    bool alive(Entity entity) const;
    /// Whether the entity has a component of this persisted type.
    template <class T>
    bool has(Entity entity) const;
    /// That component; nothing when there is none.
    template <class T>
    std::optional<T> get(Entity entity) const;
    /// Calls `function(Entity, const T&)` for each component of a type, in the order of its storage.
    template <class T, class Function>
    void each(Function&& function) const;
    template <class T>
    size_t count() const;

  private:
    friend class World;
    static constexpr uint32_t kNoRow = 0xFFFFFFFFu;
    struct Type {
        const void* storage = nullptr;  // of the world: tells types apart
        const std::byte* entities = nullptr;
        const std::byte* values = nullptr;
        size_t count = 0;
        std::vector<uint32_t> row;  // by index of the entity: where its component is, or kNoRow
    };
    template <class T>
    const Type* find() const;
    uint32_t row_of(const Type* type, Entity entity) const;

    const entt::registry* registry_ = nullptr;
    std::vector<uint32_t> living_;  // by index: the identifier, or that of no entity
    std::vector<Type> types_;       // as they were declared
};

/// A resource outside the registry (caches, counters) that travels with every snapshot.
class StatePart {
  public:
    virtual ~StatePart() = default;
    virtual void save(ByteWriter& out) const = 0;
    /// Says in a sentence what is wrong with bytes that load() would be given, or with the snapshot around
    /// them; nothing changes.
    virtual Result<void> validate(ByteReader& in, const SnapshotView& snapshot) const;
    /// Whether load() takes whatever validate() let pass. Such a part is loaded once in a restore, at its end.
    virtual bool validates_all() const { return false; }
    /// Reads back what save() wrote, all of it, or says in a sentence what is wrong with it. A restore calls it
    /// twice: on trial before anything else changes, when a failure leaves the world as it was (parts that did load
    /// get back what they saved just before), and again when entities and components are there, so that what
    /// listeners did to the part meanwhile is undone. It must look at the bytes, not at the registry.
    virtual Result<void> load(ByteReader& in) = 0;
};

/// One moment of a world, as bytes: equal snapshots mean equal futures.
struct Snapshot {
    std::vector<std::byte> bytes;
};

/// Makes the checksum of a snapshot right again, for tools and tests that change its bytes.
void update_checksum(Snapshot& snapshot);

class World {
  public:
    World();
    /// In a registry of the game's, which must outlive it.
    explicit World(entt::registry& registry);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    entt::registry& registry() { return registry_; }
    const entt::registry& registry() const { return registry_; }

    /// Declares component T part of the saved state, under a name that must be unique and the same in every
    /// run. T is saved byte by byte, so it must be trivially copyable and hold no pointers. Snapshots fit
    /// worlds that declare the same types and parts in the same order. Bytes between the members of T are
    /// saved as zeros where the compiler can tell (GCC), otherwise as they are: leave none in types whose
    /// snapshots are to be compared.
    template <class T>
    void persist(std::string_view name) {
        persist<T>(name, nullptr);
    }
    /// With a check that a restore calls for every component of a snapshot before anything changes: `Result<void>
    /// check(const T& component, Entity entity, const SnapshotView& snapshot)`. Bytes of a file or a network may hold
    /// any numbers: the check refuses those that code elsewhere relies on never to meet. It must accept whatever this
    /// world can come to hold, or the world could not restore its own snapshots.
    template <class T, class Check>
    void persist(std::string_view name, Check check);

    /// Declares a resource part of the saved state. The part must outlive the world or be removed first.
    void add_part(std::string_view name, StatePart& part);
    void remove_part(StatePart& part);

    /// Writes every persisted component and part; `out` keeps its capacity, so repeated saves do not allocate.
    void save(Snapshot& out) const;
    /// Brings back entities (identifiers, versions and recycling order included), components in their storage
    /// order, and parts. Entities made since are gone. A snapshot of another layout, a damaged one and one
    /// that a check refuses change nothing: the sentence says what is wrong. Components that are not
    /// persisted are dropped. New indices are again the smallest that were never used; a start_from() of
    /// one's own on the identifier storage is not remembered.
    ///
    /// Signals, in this order: on_destroy for every component there was, persisted or not, the newest storage
    /// first; then on_destroy<Entity> for every entity there was; then on_construct<Entity> for every
    /// identifier of the snapshot, those that wait for recycling included; then on_construct for every
    /// persisted component, type by type as they were declared, each type in its storage order. Listeners
    /// must not make or destroy entities or persisted components, and what they write into the component at
    /// hand is overwritten by what was saved.
    ///
    /// In a registry of the game's, what is not persisted stays: every entity that has such a component, or none at all,
    /// and the components themselves. Entities come back as far as the snapshot has persisted components of them; one
    /// whose index is another living entity's by now is named, and nothing changes. Which identifiers come next is the
    /// registry's own matter.
    Result<void> restore(const Snapshot& snapshot);

  private:
    /// What save and restore need to know of a component type.
    struct PersistedType {
        std::string name;
        uint32_t size = 0;                     // bytes of one component; 0 for tags
        const void* storage = nullptr;         // tells types apart
        entt::sparse_set* entities = nullptr;  // that have one
        void (*save)(const entt::registry& registry, ByteWriter& out) = nullptr;
        void (*load)(entt::registry& registry, const std::byte* entities, const std::byte* values,
                     size_t count) = nullptr;
        size_t (*count)(const entt::registry& registry) = nullptr;
        void (*clear)(entt::registry& registry) = nullptr;
        std::function<Result<void>(const std::byte* value, Entity entity, const SnapshotView& snapshot)> check;
    };
    struct Content;  // where things lie in a snapshot

    template <class T>
    static void save_type(const entt::registry& registry, ByteWriter& out);
    template <class T>
    static void load_type(entt::registry& registry, const std::byte* entities, const std::byte* values, size_t count);
    void persist_type(PersistedType type);

    Result<void> read_header(ByteReader& in) const;
    Result<void> read_entities(ByteReader& in, Content& content) const;
    Result<void> read_components(ByteReader& in, Content& content) const;
    Result<void> read_parts(ByteReader& in, Content& content) const;
    Result<void> check_content(const Content& content) const;
    void save_parts(std::vector<std::byte>& bytes) const;
    Result<void> try_parts(const Content& content);
    bool is_ours_alone(Entity entity) const;
    Result<void> check_identifiers(const Content& content) const;
    void rebuild_entities(const Content& content);
    void make_room(const Content& content);
    void rebuild(const Content& content);

    std::unique_ptr<entt::registry> own_;  // null in a registry of the game's
    entt::registry& registry_;
    std::vector<PersistedType> types_;
    std::vector<std::pair<std::string, StatePart*>> parts_;
};

// ---- templates

namespace detail {

// Where the compiler can, the bytes between the members of a component are saved as zeros, so that equal
// components give equal snapshots.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
inline constexpr bool kClearsPadding = true;
template <class T>
void clear_padding(T* component) {
    __builtin_clear_padding(component);
}
#else
inline constexpr bool kClearsPadding = false;
template <class T>
void clear_padding(T*) {}
#endif

template <class T>
void copy_component(std::byte* to, const T& from) {
    alignas(T) std::byte copy[sizeof(T)];
    std::memcpy(copy, &from, sizeof(T));
    clear_padding(reinterpret_cast<T*>(copy));
    std::memcpy(to, copy, sizeof(T));
}

template <class T>
T read_component(const std::byte* from) {
    alignas(T) std::byte copy[sizeof(T)];
    std::memcpy(copy, from, sizeof(T));
    return *std::launder(reinterpret_cast<const T*>(copy));
}

}  // namespace detail

template <class T>
void World::save_type(const entt::registry& registry, ByteWriter& out) {
    const auto* storage = registry.storage<T>();
    const size_t count = storage->size();
    out.value(uint64_t(count));
    out.raw(storage->data(), count * sizeof(Entity));
    if constexpr (!std::is_empty_v<T>) {
        std::byte* to = out.append(count * sizeof(T));
        for (auto value = storage->rbegin(); value != storage->rend(); ++value, to += sizeof(T))
            detail::copy_component(to, *value);  // rbegin: dense order
    }
}

template <class T>
void World::load_type(entt::registry& registry, const std::byte* entities, const std::byte* values, size_t count) {
    auto& storage = registry.storage<T>();
    storage.reserve(count);
    for (size_t i = 0; i < count; ++i) {
        const auto entity = detail::read_component<Entity>(entities + i * sizeof(Entity));
        if constexpr (std::is_empty_v<T>) {
            storage.emplace(entity);
        } else {
            const std::byte* saved = values + i * sizeof(T);
            T& value = storage.emplace(entity, detail::read_component<T>(saved));
            // Once more as bytes: a copy by value need not carry what lies between the members.
            std::memcpy(static_cast<void*>(&value), saved, sizeof(T));
        }
    }
    (void)values;
}

template <class T, class Check>
void World::persist(std::string_view name, Check check) {
    static_assert(std::is_trivially_copyable_v<T>, "A persisted component is saved byte by byte.");
    static_assert(std::is_move_constructible_v<T> && std::is_move_assignable_v<T>,
                  "A persisted component lies in a dense storage, which has to move it.");
    if constexpr (requires { T::in_place_delete; })
        static_assert(!T::in_place_delete, "A persisted component lies in a dense storage, without gaps.");
    // The storage exists from now on: storages, and so their signals, are in the order of declaration.
    const void* storage = &registry_.storage<T>();
    PersistedType type{std::string(name),
                       std::is_empty_v<T> ? 0u : uint32_t(sizeof(T)),
                       storage,
                       &registry_.storage<T>(),
                       &save_type<T>,
                       &load_type<T>,
                       [](const entt::registry& registry) { return size_t(registry.storage<T>()->size()); },
                       [](entt::registry& registry) { registry.clear<T>(); },
                       nullptr};
    if constexpr (!std::is_null_pointer_v<Check>) {
        static_assert(!std::is_empty_v<T>, "A tag has nothing to be checked.");
        type.check = [check = std::move(check)](const std::byte* value, Entity entity,
                                                const SnapshotView& snapshot) -> Result<void> {
            return check(detail::read_component<T>(value), entity, snapshot);
        };
    }
    persist_type(std::move(type));
}

template <class T>
const SnapshotView::Type* SnapshotView::find() const {
    const void* storage = registry_->storage<T>();
    for (const Type& type : types_)
        if (type.storage == storage) return &type;
    return nullptr;
}

template <class T>
bool SnapshotView::has(Entity entity) const {
    return row_of(find<T>(), entity) != kNoRow;
}

template <class T>
std::optional<T> SnapshotView::get(Entity entity) const {
    const Type* type = find<T>();
    const uint32_t row = row_of(type, entity);
    if (row == kNoRow) return std::nullopt;
    return detail::read_component<T>(type->values + row * sizeof(T));
}

template <class T, class Function>
void SnapshotView::each(Function&& function) const {
    const Type* type = find<T>();
    for (size_t i = 0; type && i < type->count; ++i)
        function(detail::read_component<Entity>(type->entities + i * sizeof(Entity)),
                 detail::read_component<T>(type->values + i * sizeof(T)));
}

template <class T>
size_t SnapshotView::count() const {
    const Type* type = find<T>();
    return type ? type->count : 0;
}

}  // namespace proxima::engine
