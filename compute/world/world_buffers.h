// SPDX-License-Identifier: MIT
// The buffers that all stages of a world on the device see. What a step finds about pairs is kept in two sets
// that take turns, so that a step can look up what the one before has found.
#pragma once

#include <cstdint>
#include <memory>

#include "compute/world/world_layout.h"
#include "engine/core/result.h"
#include "engine/gpu/gpu_buffer.h"
#include "engine/gpu/gpu_device.h"

namespace proxima::compute::world {

/// Bytes of what buffers are counted in.
inline constexpr uint64_t kVec4 = sizeof(vec4), kWord = sizeof(uint32_t);

struct WorldSizes {
    uint32_t bodies = 0, colliders = 0, shapes = 0;
    uint32_t vertices = 0, faces = 0, loop_words = 0, edges = 0;  // of the pools of polytopes
    uint32_t pairs = 0;                                           // capacity
    bool operator==(const WorldSizes&) const = default;
};

/// What a step finds about pairs of colliders, a < b. Each stands in the list of its owner, one of the two
/// (pairs/pair_owner.glsl): those of collider o are [offsets[o], offsets[o + 1]), sorted by the other's index.
struct PairBuffers {
    engine::GpuBuffer offsets;    // uint, colliders + 1
    engine::GpuBuffer a, b;       // uint a pair: colliders
    engine::GpuBuffer manifolds;  // vec4, kManifoldPlanes planes
    engine::GpuBuffer points;     // vec4, kMaxPoints planes
    engine::GpuBuffer lambda;     // vec4, kMaxPoints planes
    engine::GpuBuffer colours;    // uint a pair: colour, or kNone
};

struct WorldBuffers {
    // the host's
    engine::GpuBuffer bodies;     // WorldBody
    engine::GpuBuffer colliders;  // WorldCollider
    engine::GpuBuffer shapes;     // WorldShape
    engine::GpuBuffer vertices, faces, loops, edges;
    // both sides'
    engine::GpuBuffer poses;       // 2 vec4 a body: centre of mass, rotation xyzw
    engine::GpuBuffer velocities;  // 2 vec4 a body: linear, angular
    engine::GpuBuffer status;      // WorldStatus
    // the device's
    engine::GpuBuffer collider_poses;  // 2 vec4 a collider: position, rotation, in the world
    engine::GpuBuffer boxes;           // 2 vec4 a collider: low, high; with the margin
    engine::GpuBuffer arguments;       // workgroup counts, kArguments x 16 bytes
    PairBuffers turns[2];

    /// Those that the step with this parity writes, and those that the step before it wrote.
    const PairBuffers& now(uint32_t parity) const { return turns[parity & 1u]; }
    const PairBuffers& before(uint32_t parity) const { return turns[1u - (parity & 1u)]; }

    /// Makes what is too small larger; its content is lost then. True: some buffer is another one now.
    Result<bool> prepare(const std::shared_ptr<engine::GpuDevice>& device, const WorldSizes& sizes);
    /// All of them, in bytes.
    uint64_t bytes() const;
};

}  // namespace proxima::compute::world
