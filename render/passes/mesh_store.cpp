// SPDX-License-Identifier: MIT
#include "render/passes/mesh_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace proxima::render {

namespace {

constexpr uint32_t kPageVertices = 1 << 16, kPageIndices = 3 << 16;

}  // namespace

void MeshStore::clear() {
    pages_.clear();
    meshes_.clear();
    serial_ = 0;
}

Result<uint32_t> MeshStore::find_page(uint32_t vertices, uint32_t indices) {
    for (uint32_t i = 0; i < pages_.size(); ++i) {
        const Page& page = pages_[i];
        if (page.vertices.bytes() / sizeof(MeshVertex) - page.vertices_used >= vertices &&
            page.indices.bytes() / sizeof(uint32_t) - page.indices_used >= indices)
            return i;
    }
    Page page;
    Result<engine::GpuBuffer> v =
        engine::GpuBuffer::create(device_, uint64_t(std::max(vertices, kPageVertices)) * sizeof(MeshVertex),
                                  engine::GpuMemory::device, "mesh vertices");
    if (!v) return Error{v.error()};
    Result<engine::GpuBuffer> i =
        engine::GpuBuffer::create(device_, uint64_t(std::max(indices, kPageIndices)) * sizeof(uint32_t),
                                  engine::GpuMemory::device, "mesh indices");
    if (!i) return Error{i.error()};
    page.vertices = std::move(v.value());
    page.indices = std::move(i.value());
    pages_.push_back(std::move(page));
    return uint32_t(pages_.size() - 1);
}

Result<void> MeshStore::update(engine::GpuFrames& frames, const MeshLibrary& library) {
    PX_ASSERT(!is_other(library), "a store is cleared before it sees another library");
    serial_ = library.serial();
    if (meshes_.size() >= library.size()) return {};
    while (meshes_.size() < library.size()) {
        const MeshId id = MeshId(meshes_.size());
        const Mesh& mesh = library.get(id);
        StoredMesh stored;
        for (const uint32_t index : mesh.indices)
            if (index >= mesh.vertices.size())
                return Error{fmt::format("Mesh {} cannot be drawn: an index is {} and it has {} vertices.", id, index,
                                         mesh.vertices.size())};
        float squared = 0.0f;
        for (const MeshVertex& v : mesh.vertices) squared = std::max(squared, glm::dot(v.position, v.position));
        stored.radius = std::sqrt(squared);
        stored.index_count = uint32_t(mesh.indices.size() / 3 * 3);
        if (stored.index_count > 0) {
            const Result<uint32_t> found = find_page(uint32_t(mesh.vertices.size()), uint32_t(mesh.indices.size()));
            if (!found) return Error{found.error()};
            Page& page = pages_[found.value()];
            stored.page = found.value();
            stored.first_vertex = page.vertices_used;
            stored.first_index = page.indices_used;
            const uint64_t vertex_bytes = mesh.vertices.size() * sizeof(MeshVertex);
            const uint64_t index_bytes = mesh.indices.size() * sizeof(uint32_t);
            const Result<engine::GpuSlice> v = frames.upload(vertex_bytes);
            if (!v) return Error{v.error()};
            const Result<engine::GpuSlice> i = frames.upload(index_bytes);
            if (!i) return Error{i.error()};
            std::memcpy(v->host, mesh.vertices.data(), vertex_bytes);
            std::memcpy(i->host, mesh.indices.data(), index_bytes);
            frames.copy(v.value(), page.vertices, uint64_t(stored.first_vertex) * sizeof(MeshVertex));
            frames.copy(i.value(), page.indices, uint64_t(stored.first_index) * sizeof(uint32_t));
            page.vertices_used += uint32_t(mesh.vertices.size());
            page.indices_used += uint32_t(mesh.indices.size());
        }
        meshes_.push_back(stored);
    }
    frames.barrier_after_copies();
    return {};
}

}  // namespace proxima::render
