// SPDX-License-Identifier: MIT
// Triangle meshes that are drawn many times, by number. Made on the host; the renderer copies the new ones to the
// device.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <utility>
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
    /// Different for every library of a program, so that meshes of one are not taken for those of another.
    uint64_t serial() const { return serial_.value; }

  private:
    struct Serial {
        Serial() : value(next()) {}
        Serial(const Serial&) : value(next()) {}
        Serial(Serial&& other) noexcept : value(std::exchange(other.value, next())) {}
        Serial& operator=(const Serial& other) {
            if (this != &other) value = next();
            return *this;
        }
        Serial& operator=(Serial&& other) noexcept {
            value = std::exchange(other.value, next());
            return *this;
        }
        static uint64_t next() {
            static std::atomic<uint64_t> last{0};
            return ++last;
        }
        uint64_t value;
    };

    Serial serial_;
    std::deque<Mesh> meshes_;
};

}  // namespace proxima::render
