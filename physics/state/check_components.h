// SPDX-License-Identifier: MIT
// What the components of a snapshot must fulfil before a world takes them over: bytes of a file or a network may hold
// any numbers, also under a right checksum. All that a world can come to hold by its own calls is accepted, also what
// only waits for the next step to be tidied up: colliders without a body, contacts without colliders.
#pragma once

#include <cstdint>

#include "engine/core/result.h"
#include "engine/ecs/world.h"
#include "physics/components.h"
#include "physics/shapes/shape.h"

namespace proxima::physics {

// ---- one component each, for World::persist

Result<void> check_component(const Pose& pose, Entity entity, const engine::SnapshotView& snapshot);
Result<void> check_component(const Velocity& velocity, Entity entity, const engine::SnapshotView& snapshot);
Result<void> check_component(const Force& force, Entity entity, const engine::SnapshotView& snapshot);
Result<void> check_component(const RigidBody& body, Entity entity, const engine::SnapshotView& snapshot);
Result<void> check_component(const Mass& mass, Entity entity, const engine::SnapshotView& snapshot);
Result<void> check_component(const SleepState& sleep, Entity entity, const engine::SnapshotView& snapshot);
Result<void> check_component(const SolverChoice& choice, Entity entity, const engine::SnapshotView& snapshot);
Result<void> check_component(const StableId& id, Entity entity, const engine::SnapshotView& snapshot);
Result<void> check_component(const ContactPair& pair, Entity entity, const engine::SnapshotView& snapshot);
Result<void> check_component(const JointState& joint, Entity entity, const engine::SnapshotView& snapshot);
Result<void> check_component(const Collider& collider, const ShapeLibrary& shapes);

/// The check of whatever type, as an object that persist takes; types that can hold anything have none.
struct CheckComponent {
    const ShapeLibrary& shapes;  // of the world

    template <class T>
    Result<void> operator()(const T& component, Entity entity, const engine::SnapshotView& snapshot) const {
        if constexpr (requires { check_component(component, shapes); })
            return check_component(component, shapes);
        else if constexpr (requires { check_component(component, entity, snapshot); })
            return check_component(component, entity, snapshot);
        else
            return {};
    }
};

// ---- all of them together, for StatePart::validate

/// Stable ids that come twice, or that the next body would get again; contacts of the same two colliders.
Result<void> check_identities(const engine::SnapshotView& snapshot, uint32_t next_stable_id);

}  // namespace proxima::physics
