// SPDX-License-Identifier: MIT
// Whether anybody wrote a component since it was last looked at, told by comparing bytes: the registry has no signal
// for what is written through a reference.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/capacity.h"
#include "engine/ecs/world.h"
#include "engine/jobs/jobs.h"

namespace proxima::engine {

/// A copy of all components of a kind, in the order of their storage. Comparing a whole storage with it costs a tenth
/// of looking every entity up, so that the looking is left for the steps in which something changed.
template <class Component>
class ComponentWatch {
  public:
    static_assert(std::is_trivially_copyable_v<Component>, "components are compared bit by bit");
    using Storage = std::remove_reference_t<decltype(std::declval<entt::registry&>().storage<Component>())>;
    static constexpr uint32_t kBlock = 1024;  // components; a page of EnTT

    /// Remembers what is there now.
    void remember(const Storage& storage) {
        entities_.assign(storage.data(), storage.data() + storage.size());
        components_.clear();
        components_.reserve(storage.size());
        for (size_t i = 0; i < storage.size(); ++i) components_.push_back(storage.rbegin()[std::ptrdiff_t(i)]);
        known_ = true;
    }
    /// Takes over what one entity has now, where it is the one that had it before.
    void update(const Storage& storage, Entity entity) {
        if (!known_ || !storage.contains(entity)) return;
        const size_t at = storage.index(entity);
        if (at < entities_.size() && entities_[at] == entity) components_[at] = storage.get(entity);
    }
    /// Calls visit(entity) for each component that is not as it was, of a storage of the same size with the same entities;
    /// returns false, before any call, where it has others.
    template <class Visit>
    bool for_each_other(const Storage& storage, const Visit& visit) const {
        if (!has_same_size(storage)) return false;
        if (!entities_.empty() && std::memcmp(storage.data(), entities_.data(), entities_.size() * sizeof(Entity)) != 0)
            return false;
        for (size_t begin = 0; begin < entities_.size(); begin += kBlock)
            visit_others(storage, begin, std::min(entities_.size(), begin + kBlock), visit);
        return true;
    }
    /// What is there is new, whatever it is.
    void forget() { known_ = false; }

    uint32_t block_count() const { return uint32_t((entities_.size() + kBlock - 1) / kBlock); }
    bool has_same_size(const Storage& storage) const { return known_ && storage.size() == entities_.size(); }
    /// Whether a block of a storage of the same size holds what it held, of the same entities.
    bool is_same_block(const Storage& storage, uint32_t block) const {
        const size_t begin = size_t(block) * kBlock, end = std::min(entities_.size(), begin + kBlock);
        return begin >= end || is_same_range(storage, begin, end);
    }

    size_t bytes() const { return capacity_bytes(entities_, components_); }

  private:
    bool is_same_range(const Storage& storage, size_t begin, size_t end) const {
        const Component* now = &storage.rbegin()[std::ptrdiff_t(begin)];
        if (&storage.rbegin()[std::ptrdiff_t(end - 1)] == now + (end - 1 - begin))
            return is_same(storage, begin, end, now);
        for (size_t i = begin; i < end; ++i)  // a storage with other pages
            if (!is_same(storage, i, i + 1, &storage.rbegin()[std::ptrdiff_t(i)])) return false;
        return true;
    }
    /// Halves what is not the same until it is one component: few differ.
    template <class Visit>
    void visit_others(const Storage& storage, size_t begin, size_t end, const Visit& visit) const {
        if (is_same_range(storage, begin, end)) return;
        if (end - begin == 1) return visit(entities_[begin]);
        const size_t middle = begin + (end - begin) / 2;
        visit_others(storage, begin, middle, visit);
        visit_others(storage, middle, end, visit);
    }
    /// The components [begin, end), which lie one after the other from `now` on.
    bool is_same(const Storage& storage, size_t begin, size_t end, const Component* now) const {
        return std::memcmp(storage.data() + begin, &entities_[begin], (end - begin) * sizeof(Entity)) == 0 &&
               std::memcmp(static_cast<const void*>(now), &components_[begin], (end - begin) * sizeof(Component)) == 0;
    }

    std::vector<Entity> entities_;
    std::vector<Component> components_;
    bool known_ = false;
};

/// Whether all of the watched components are as they were when they were remembered.
template <class... Component>
bool are_unchanged(entt::registry& registry, Jobs& jobs, const ComponentWatch<Component>&... watches) {
    return [&](const auto&... storages) {
        if (!(watches.has_same_size(storages) && ...)) return false;
        std::atomic<bool> same{true};
        const uint32_t blocks = std::max({watches.block_count()...});
        jobs.parallel_for(blocks, 1, [&](const JobBlock& job) {
            if (!(watches.is_same_block(storages, job.block) && ...)) same.store(false, std::memory_order_relaxed);
        });
        return same.load(std::memory_order_relaxed);
    }(registry.storage<Component>()...);
}

}  // namespace proxima::engine
