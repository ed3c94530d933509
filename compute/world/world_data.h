// SPDX-License-Identifier: MIT
// A physics world as the records that the device reads: gathered on the host, sent once, then the device goes
// on by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/world/world_buffers.h"
#include "compute/world/world_layout.h"
#include "engine/core/result.h"
#include "engine/gpu/gpu_commands.h"
#include "physics/world.h"

namespace proxima::compute::world {

struct WorldData {
    std::vector<WorldBody> bodies;
    std::vector<vec4> poses, velocities;    // 2 a body
    std::vector<vec4> centres;              // centre of mass in the body's frame, where poses are read back
    std::vector<physics::Entity> entities;  // of the bodies
    std::vector<physics::Mass> masses;      // of the bodies, as a step on the cpu would find them
    std::vector<WorldCollider> colliders;   // in the order of stable ids
    std::vector<physics::Entity> collider_entities;
    std::vector<WorldShape> shapes;      // as in the world's library
    std::vector<vec4> vertices, faces;   // faces: 2 each
    std::vector<uint32_t> loops, edges;  // edges: 2 each
    bool bounces = false;                // some collider has restitution

    /// Sizes of the buffers that hold it, with room for so many pairs.
    WorldSizes sizes(uint32_t pairs) const;
};

/// Everything of the world that a step needs. A sentence when the device cannot do what the world asks for:
/// friction beyond the disk, surfaces that move along themselves, Moreau's stepping, projection instead of soft contacts.
Result<WorldData> gather(const physics::PhysicsWorld& world);
/// Sweeps carry what is a hundred times as heavy as its support, and not a thousand times: the cpu solves islands of such
/// bodies directly. A sentence for worlds that ask for that and may need it.
Result<void> check_masses(const physics::StepSettings& settings, const WorldData& data);

/// Copies all of it into the buffers, which are large enough; status and arguments become zero, and the pairs
/// of the steps before are forgotten.
Result<void> upload(engine::GpuCommands& commands, const WorldBuffers& buffers, const WorldData& data);

/// Poses and velocities (2 vec4 a body each) into the components of the world they were gathered from, and
/// the masses, which a world that has not stepped does not have yet.
void scatter(const WorldData& data, const std::vector<vec4>& poses, const std::vector<vec4>& velocities,
             physics::PhysicsWorld& world);

}  // namespace proxima::compute::world
