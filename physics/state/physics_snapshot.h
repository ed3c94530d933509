// SPDX-License-Identifier: MIT
// A moment of a physics world without the rest of its registry, as PhysicsWorld::save_state makes it.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/ecs/world.h"

namespace proxima::physics {

/// Equal snapshots mean equal futures of the physics. Full, or the difference to a full one.
struct PhysicsSnapshot {
    std::vector<std::byte> bytes;
};

/// An entity of a snapshot whose identifier was in use by another one when it was made again.
struct RenamedEntity {
    engine::Entity saved = engine::kNoEntity, now = engine::kNoEntity;
};
static_assert(sizeof(RenamedEntity) == 8);

/// Makes the checksum of a snapshot right again, for tools and tests that change its bytes.
void update_checksum(PhysicsSnapshot& snapshot);

}  // namespace proxima::physics
