// SPDX-License-Identifier: MIT
#include "compute/world/world_buffers.h"

#include <algorithm>
#include <string>

namespace proxima::compute::world {

using engine::GpuBuffer;
using engine::GpuMemory;

namespace {

/// Calls fn(buffer, bytes, name) for each; no buffer is empty.
template <class Buffers, class Function>
void for_each_buffer(Buffers& b, const WorldSizes& s, const Function& fn) {
    const auto visit = [&](auto& buffer, uint64_t bytes, const char* name) {
        fn(buffer, std::max(bytes, kVec4), std::string("world ") + name);
    };
    visit(b.bodies, s.bodies * sizeof(WorldBody), "bodies");
    visit(b.colliders, s.colliders * sizeof(WorldCollider), "colliders");
    visit(b.shapes, s.shapes * sizeof(WorldShape), "shapes");
    visit(b.vertices, s.vertices * kVec4, "vertices");
    visit(b.faces, 2 * s.faces * kVec4, "faces");
    visit(b.loops, s.loop_words * kWord, "loops");
    visit(b.edges, 2 * s.edges * kWord, "edges");
    visit(b.poses, 2 * s.bodies * kVec4, "poses");
    visit(b.velocities, 2 * s.bodies * kVec4, "velocities");
    visit(b.status, sizeof(WorldStatus), "status");
    visit(b.collider_poses, 2 * s.colliders * kVec4, "collider poses");
    visit(b.boxes, 2 * s.colliders * kVec4, "boxes");
    visit(b.arguments, kArguments * kVec4, "arguments");
    for (auto& turn : b.turns) {
        visit(turn.offsets, (s.colliders + uint64_t(1)) * kWord, "pair offsets");
        visit(turn.a, s.pairs * kWord, "pairs a");
        visit(turn.b, s.pairs * kWord, "pairs b");
        visit(turn.manifolds, kManifoldPlanes * s.pairs * kVec4, "manifolds");
        visit(turn.points, kMaxPoints * s.pairs * kVec4, "points");
        visit(turn.lambda, kMaxPoints * s.pairs * kVec4, "lambda");
        visit(turn.colours, s.pairs * kWord, "colours");
    }
}

}  // namespace

Result<bool> WorldBuffers::prepare(const std::shared_ptr<engine::GpuDevice>& device, const WorldSizes& sizes) {
    bool changed = false;
    std::string failed;
    for_each_buffer(*this, sizes, [&](GpuBuffer& buffer, uint64_t bytes, const std::string& name) {
        if (!failed.empty()) return;
        const Result<bool> grown = engine::grow_buffer(buffer, device, bytes, GpuMemory::device, name);
        if (!grown)
            failed = grown.error();
        else
            changed = changed || grown.value();
    });
    if (!failed.empty()) return Error{failed};
    return changed;
}

uint64_t WorldBuffers::bytes() const {
    uint64_t sum = 0;
    for_each_buffer(*this, WorldSizes{},
                    [&](const GpuBuffer& buffer, uint64_t, const std::string&) { sum += buffer.bytes(); });
    return sum;
}

}  // namespace proxima::compute::world
