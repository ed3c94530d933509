// SPDX-License-Identifier: MIT
// What the components of a snapshot must fulfil before a world takes them over. A game may write any number into any
// component, and a step leaves out or sets right what makes no sense, with a warning: a snapshot may hold all of it,
// as the world that was saved did. Only identities must be right, because the lists are found by them.
#pragma once

#include <cstdint>

#include "engine/core/result.h"
#include "engine/ecs/world.h"
#include "physics/components.h"

namespace proxima::physics {

/// One component, for World::persist.
Result<void> check_component(const StableId& id);

/// The check of whatever type, as an object that persist takes; types that can hold anything have none.
struct CheckComponent {
    template <class T>
    Result<void> operator()(const T& component, Entity, const engine::SnapshotView&) const {
        if constexpr (requires { check_component(component); })
            return check_component(component);
        else
            return {};
    }
};

/// All of them together, for StatePart::validate: stable ids that come twice, or that the next body would get again.
Result<void> check_identities(const engine::SnapshotView& snapshot, uint32_t next_stable_id);

}  // namespace proxima::physics
