// SPDX-License-Identifier: MIT
// The ECS world: an EnTT registry, plus the list of what belongs to its saved state.
#pragma once

#include <cstddef>
#include <entt/entt.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/core/bytes.h"
#include "engine/core/result.h"

namespace proxima::engine {

using Entity = entt::entity;
inline constexpr Entity kNoEntity = entt::entity{0xFFFFFFFFu};

/// A resource outside the registry (caches, counters) that travels with every snapshot.
class StatePart {
  public:
    virtual ~StatePart() = default;
    virtual void save(ByteWriter& out) const = 0;
    /// Reads back what save() wrote. On failure the world is left as it was before the restore.
    virtual Result<void> load(ByteReader& in) = 0;
};

/// One moment of a world, as bytes: equal snapshots mean equal futures.
struct Snapshot {
    std::vector<std::byte> bytes;
};

class World {
  public:
    World();
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    entt::registry& registry() { return registry_; }
    const entt::registry& registry() const { return registry_; }

    /// Declares component T part of the saved state, under a name that must be unique and the same in every run.
    template <class T>
    void persist(std::string_view name);

    /// Declares a resource part of the saved state. The part must outlive the world or be removed first.
    void add_part(std::string_view name, StatePart& part);
    void remove_part(StatePart& part);

    /// Writes every persisted component and part; `out` keeps its capacity, so repeated saves do not allocate.
    void save(Snapshot& out) const;
    /// Brings back entities (identifiers, versions and recycling order included), components in their storage order,
    /// and parts. Entities made since are gone. A snapshot of another layout is refused and nothing changes.
    /// Components that are not persisted are dropped; on_construct / on_destroy signals fire for persisted ones.
    Result<void> restore(const Snapshot& snapshot);

  private:
    struct PersistedType;
    void persist_type(PersistedType type);

    entt::registry registry_;
    std::vector<PersistedType> types_;
    std::vector<std::pair<std::string, StatePart*>> parts_;
};

}  // namespace proxima::engine
