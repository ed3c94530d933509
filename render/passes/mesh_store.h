// SPDX-License-Identifier: MIT
// Meshes on the device: many in one buffer, copied once when the library has grown.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/core/result.h"
#include "engine/gpu/gpu_buffer.h"
#include "engine/gpu/gpu_frames.h"
#include "render/mesh.h"

namespace proxima::render {

struct StoredMesh {
    uint32_t page = 0;
    uint32_t first_vertex = 0, first_index = 0, index_count = 0;
    float radius = 0.0f;  // of the ball around the origin that holds it
};

class MeshStore {
  public:
    explicit MeshStore(std::shared_ptr<engine::GpuDevice> device) : device_(std::move(device)) {}

    /// Records copies of the meshes that are new. A sentence when a mesh points to vertices it does not have.
    Result<void> update(engine::GpuFrames& frames, const MeshLibrary& library);
    /// Another library than before: everything must be finished before this, and is copied anew after it.
    bool is_other(const MeshLibrary& library) const { return serial_ != 0 && serial_ != library.serial(); }
    void clear();

    uint32_t size() const { return uint32_t(meshes_.size()); }
    const StoredMesh& get(MeshId id) const { return meshes_[id]; }
    VkBuffer vertices(uint32_t page) const { return pages_[page].vertices.handle(); }
    VkBuffer indices(uint32_t page) const { return pages_[page].indices.handle(); }

  private:
    struct Page {
        engine::GpuBuffer vertices, indices;
        uint32_t vertices_used = 0, indices_used = 0;
    };
    Result<uint32_t> find_page(uint32_t vertices, uint32_t indices);

    std::shared_ptr<engine::GpuDevice> device_;
    std::vector<Page> pages_;
    std::vector<StoredMesh> meshes_;
    uint64_t serial_ = 0;
};

}  // namespace proxima::render
