// SPDX-License-Identifier: MIT
// Numbers for types, and the context of a registry: at most one object per type, at a fixed address.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "entity.hpp"

namespace entt {
inline namespace proxima_subset {

namespace internal {

inline std::size_t next_type_number() {
    static std::atomic<std::size_t> count{0};
    return count++;
}

/// A small number per type, for table lookup. It differs from run to run and never leaves the program.
template <class Type>
std::size_t type_number() {
    static const std::size_t number = next_type_number();
    return number;
}

}  // namespace internal

class basic_context {
  public:
    /// Makes the object of this type, unless there is one already.
    template <class Type, class... Args>
    Type& emplace(Args&&... args) {
        if (Type* present = find<Type>()) return *present;
        return place<Type>(std::forward<Args>(args)...);
    }
    template <class Type>
    std::remove_cvref_t<Type>& insert_or_assign(Type&& value) {
        using plain = std::remove_cvref_t<Type>;
        if (plain* present = find<plain>()) return *present = std::forward<Type>(value);
        return place<plain>(std::forward<Type>(value));
    }

    template <class Type>
    Type* find() {
        return static_cast<Type*>(address<Type>());
    }
    template <class Type>
    const Type* find() const {
        return static_cast<const Type*>(address<Type>());
    }
    template <class Type>
    Type& get() {
        ENTT_ASSERT(contains<Type>(), "The context has no object of this type");
        return *find<Type>();
    }
    template <class Type>
    const Type& get() const {
        ENTT_ASSERT(contains<Type>(), "The context has no object of this type");
        return *find<Type>();
    }
    template <class Type>
    bool contains() const {
        return address<Type>() != nullptr;
    }
    template <class Type>
    bool erase() {
        const bool present = contains<Type>();
        if (present) objects_[internal::type_number<std::remove_const_t<Type>>()].reset();
        return present;
    }

  private:
    using object = std::unique_ptr<void, void (*)(void*)>;

    template <class Type>
    void* address() const {
        const std::size_t number = internal::type_number<std::remove_const_t<Type>>();
        return number < objects_.size() ? objects_[number].get() : nullptr;
    }
    template <class Type, class... Args>
    Type& place(Args&&... args) {
        const std::size_t number = internal::type_number<Type>();
        while (objects_.size() <= number) objects_.emplace_back(nullptr, [](void*) {});
        Type* made;
        if constexpr (std::is_aggregate_v<Type>)
            made = new Type{std::forward<Args>(args)...};
        else
            made = new Type(std::forward<Args>(args)...);
        objects_[number] = object(made, [](void* gone) { delete static_cast<Type*>(gone); });
        return *made;
    }

    std::vector<object> objects_;  // by number of type
};

}  // namespace proxima_subset
}  // namespace entt
