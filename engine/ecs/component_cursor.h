// SPDX-License-Identifier: MIT
// Components of many entities, one after the other, without looking each of them up.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "engine/ecs/world.h"

namespace proxima::engine {

/// Walks over a storage along a list of entities. Storages mostly have their components in the order in which
/// the entities were made, as most lists have, so the next component is next to the last one; where it is
/// not, it is looked up. Use one cursor per worker or block.
template <class Component>
class ComponentCursor {
  public:
    using Storage = std::remove_reference_t<decltype(std::declval<entt::registry&>().storage<Component>())>;

    explicit ComponentCursor(Storage& storage) : storage_(storage) {}

    /// The component of an entity that has one.
    Component& operator()(Entity entity) {
        if (next_ >= storage_.size() || storage_.data()[next_] != entity) next_ = storage_.index(entity);
        return storage_.rbegin()[std::ptrdiff_t(next_++)];
    }

  private:
    Storage& storage_;
    size_t next_ = 0;
};

}  // namespace proxima::engine
