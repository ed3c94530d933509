// SPDX-License-Identifier: MIT
// Triangle meshes that are drawn many times, by number. Made on the host; who draws copies the new ones to
// the device.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "engine/core/math.h"
#include "render/draw_list.h"

namespace proxima::render {

struct MeshVertex {
    Vec3 position, normal;
};
static_assert(sizeof(MeshVertex) == 24);

struct Mesh {
    std::vector<MeshVertex> vertices;
    std::vector<uint32_t> indices;  // triangles, counter-clockwise seen from outside
};

/// Meshes are never changed or removed: ids stay good, and the device needs to look at new ones only.
class MeshLibrary {
  public:
    MeshId add(Mesh mesh) {
        meshes_.push_back(std::move(mesh));
        return MeshId(meshes_.size() - 1);
    }
    const Mesh& get(MeshId id) const { return meshes_[id]; }
    uint32_t size() const { return uint32_t(meshes_.size()); }

  private:
    std::deque<Mesh> meshes_;
};

}  // namespace proxima::render
