// SPDX-License-Identifier: MIT
// The registry: identifiers, one storage per component type, signals and context.
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "context.hpp"
#include "storage.hpp"
#include "view.hpp"

namespace entt {
inline namespace proxima_subset {

class basic_registry {
  public:
    using entity_type = entity;
    using version_type = entt_traits<entity>::version_type;
    using size_type = std::size_t;
    using common_type = basic_sparse_set;
    using context = basic_context;

    basic_registry() : entities_(*this) {}
    basic_registry(const basic_registry&) = delete;
    basic_registry& operator=(const basic_registry&) = delete;

    // ---- entities
    // -------------------------------------------------------------------------------------------
    entity create() { return entities_.generate(); }
    entity create(entity hint) { return entities_.generate(hint); }
    bool valid(entity e) const { return entities_.contains(e) && entities_.index(e) < entities_.free_list(); }
    /// Version in which the index of this entity is alive, or will come back.
    version_type current(entity e) const { return entities_.current(e); }
    /// Whether a living entity has no components.
    bool orphan(entity e) const {
        for (const auto& pool : pools_)
            if (pool->contains(e)) return false;
        return true;
    }

    /// Removes the components, the newest storage first, then the entity. Returns the version of its successor.
    version_type destroy(entity e) {
        ENTT_ASSERT(valid(e), "The entity is not alive");
        for (size_type i = pools_.size(); i > 0; --i) pools_[i - 1]->remove(e);
        entities_.erase(e);
        return entities_.current(e);
    }

    // ---- components
    // -----------------------------------------------------------------------------------------
    template <class Type, class... Args>
    decltype(auto) emplace(entity e, Args&&... args) {
        ENTT_ASSERT(valid(e), "The entity is not alive");
        return pool<Type>().emplace(e, std::forward<Args>(args)...);
    }
    template <class Type, class... Args>
    decltype(auto) emplace_or_replace(entity e, Args&&... args) {
        if (pool<Type>().contains(e)) return replace<Type>(e, std::forward<Args>(args)...);
        return emplace<Type>(e, std::forward<Args>(args)...);
    }
    template <class Type, class... Args>
    decltype(auto) replace(entity e, Args&&... args) {
        return pool<Type>().patch(e, [&](auto&... value) { ((value = Type{std::forward<Args>(args)...}), ...); });
    }
    template <class Type, class... Function>
    decltype(auto) patch(entity e, Function&&... change) {
        return pool<Type>().patch(e, std::forward<Function>(change)...);
    }
    template <class Type, class... Args>
    decltype(auto) get_or_emplace(entity e, Args&&... args) {
        auto& storage = pool<Type>();
        return storage.contains(e) ? storage.get(e) : emplace<Type>(e, std::forward<Args>(args)...);
    }

    template <class First, class... Other>
    decltype(auto) get(entity e) {
        if constexpr (sizeof...(Other) == 0)
            return static_cast<internal::storage_of<First>&>(pool<std::remove_const_t<First>>()).get(e);
        else
            return std::tuple<decltype(get<First>(e)), decltype(get<Other>(e))...>(get<First>(e), get<Other>(e)...);
    }
    template <class First, class... Other>
    decltype(auto) get(entity e) const {
        if constexpr (sizeof...(Other) == 0)
            return find_pool<std::remove_const_t<First>>()->get(e);
        else
            return std::tuple<decltype(get<First>(e)), decltype(get<Other>(e))...>(get<First>(e), get<Other>(e)...);
    }
    template <class First, class... Other>
    auto try_get(entity e) {
        if constexpr (sizeof...(Other) == 0) {
            internal::storage_of<First>* storage = find_pool<std::remove_const_t<First>>();
            return storage && storage->contains(e) ? &storage->get(e) : nullptr;
        } else {
            return std::make_tuple(try_get<First>(e), try_get<Other>(e)...);
        }
    }
    template <class First, class... Other>
    auto try_get(entity e) const {
        if constexpr (sizeof...(Other) == 0) {
            const auto* storage = find_pool<std::remove_const_t<First>>();
            return storage && storage->contains(e) ? &storage->get(e) : nullptr;
        } else {
            return std::make_tuple(try_get<First>(e), try_get<Other>(e)...);
        }
    }
    template <class... Type>
    bool all_of(entity e) const {
        return (has<std::remove_const_t<Type>>(e) && ...);
    }
    template <class... Type>
    bool any_of(entity e) const {
        return (has<std::remove_const_t<Type>>(e) || ...);
    }

    /// Takes away those of the components that are there; returns how many.
    template <class First, class... Other>
    size_type remove(entity e) {
        return (size_type(pool<First>().remove(e)) + ... + size_type(pool<Other>().remove(e)));
    }
    /// Takes away components that must be there.
    template <class First, class... Other>
    void erase(entity e) {
        (pool<First>().erase(e), ..., pool<Other>().erase(e));
    }
    /// Takes the given components from everyone; without a list, removes all components and destroys all entities.
    template <class... Type>
    void clear() {
        if constexpr (sizeof...(Type) > 0) {
            (pool<Type>().clear(), ...);
        } else {
            for (size_type i = pools_.size(); i > 0; --i) pools_[i - 1]->clear();
            for (size_type i = entities_.free_list(); i > 0; --i) entities_.erase(entities_[i - 1]);
        }
    }

    // ---- storages and views
    // ---------------------------------------------------------------------------------
    /// Made on first use; on a const registry nullptr where it has not been made.
    template <class Type>
    basic_storage<Type>& storage() {
        return pool<Type>();
    }
    template <class Type>
    const basic_storage<Type>* storage() const {
        return find_pool<Type>();
    }
    /// All storages of components, in the order in which they were made, with a number of theirs.
    std::vector<std::pair<size_type, const basic_sparse_set&>> storage() const {
        std::vector<std::pair<size_type, const basic_sparse_set&>> all;
        for (size_type i = 0; i < pools_.size(); ++i) all.emplace_back(i, *pools_[i]);
        return all;
    }
    template <class... Type, class... Exclude>
    auto view(exclude_t<Exclude...> = {}) {
        return basic_view<get_t<Type...>, exclude_t<Exclude...>>(&pool<std::remove_const_t<Type>>()...,
                                                                 &pool<std::remove_const_t<Exclude>>()...);
    }
    template <class... Type, class... Exclude>
    auto view(exclude_t<Exclude...> = {}) const {
        return basic_view<get_t<const Type...>, exclude_t<const Exclude...>>(
            find_pool<std::remove_const_t<Type>>()..., find_pool<std::remove_const_t<Exclude>>()...);
    }

    // ---- signals and context
    // --------------------------------------------------------------------------------
    template <class Type>
    auto on_construct() {
        return pool<Type>().on_construct();
    }
    template <class Type>
    auto on_update() {
        return pool<Type>().on_update();
    }
    template <class Type>
    auto on_destroy() {
        return pool<Type>().on_destroy();
    }
    context& ctx() noexcept { return context_; }
    const context& ctx() const noexcept { return context_; }

  private:
    template <class Type>
    basic_storage<Type>& pool() {
        if constexpr (std::is_same_v<Type, entity>) {
            return entities_;
        } else {
            if (auto* present = find_pool<Type>()) return *present;
            auto made = std::make_unique<basic_storage<Type>>(*this);
            auto& storage = *made;
            const size_type number = internal::type_number<Type>();
            if (by_type_.size() <= number) by_type_.resize(number + 1, nullptr);
            pools_.push_back(std::move(made));
            by_type_[number] = &storage;
            return storage;
        }
    }
    template <class Type>
    basic_storage<Type>* find_pool() {
        if constexpr (std::is_same_v<Type, entity>) return &entities_;
        const size_type number = internal::type_number<Type>();
        return number < by_type_.size() ? static_cast<basic_storage<Type>*>(by_type_[number]) : nullptr;
    }
    template <class Type>
    const basic_storage<Type>* find_pool() const {
        if constexpr (std::is_same_v<Type, entity>) return &entities_;
        const size_type number = internal::type_number<Type>();
        return number < by_type_.size() ? static_cast<const basic_storage<Type>*>(by_type_[number]) : nullptr;
    }
    template <class Type>
    bool has(entity e) const {
        const auto* storage = find_pool<Type>();
        return storage && storage->contains(e);
    }

    context context_;
    basic_storage<entity> entities_;
    std::vector<std::unique_ptr<basic_sparse_set>> pools_;  // in the order in which they were made
    std::vector<basic_sparse_set*> by_type_;                // by number of type
};

using registry = basic_registry;

}  // namespace proxima_subset
}  // namespace entt
