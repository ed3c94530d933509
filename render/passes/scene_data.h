// SPDX-License-Identifier: MIT
// A draw list as the device reads it: what is neither seen nor casts a shadow into the picture is left out,
// the rest is copied once, in an order in which every pass finds its part of a batch in one piece.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/core/result.h"
#include "engine/gpu/gpu_frames.h"
#include "render/draw_list.h"
#include "render/passes/camera_view.h"
#include "render/passes/frame_constants.h"
#include "render/passes/mesh_store.h"
#include "render/passes/shadow_fit.h"

namespace proxima::render {

/// Instances of one mesh: first those that are seen, the last of which also cast shadows, then those that
/// only cast shadows. Seen ones are roughly ordered from near to far: what is behind is then not shaded.
struct MeshRun {
    MeshId mesh = 0;
    uint32_t first = 0, shown = 0;
    uint32_t first_caster = 0, casters = 0;
    float largest = 0.0f;  // radius, m
};

struct DynamicRun {
    engine::GpuSlice vertices, indices;
    uint32_t index_count = 0, instance = 0;
    bool casts = true, selected = false;
};

/// A rectangle of the picture.
struct PixelBox {
    int32_t left = 0, top = 0, right = 0, bottom = 0;
    bool empty() const { return left >= right || top >= bottom; }
};

class SceneData {
  public:
    /// Fills everything below for one frame. A sentence when the list does not fit its meshes or itself.
    Result<void> prepare(engine::GpuFrames& frames, const DrawList& list, const MeshStore& meshes, uint32_t whole_width,
                         uint32_t whole_height, uint32_t shadow_size, uint64_t uniform_alignment);

    uint32_t width = 0, height = 0;  // of the area that the world is drawn into
    int32_t left = 0, top = 0;       // its corner in the target
    uint32_t target_width = 0, target_height = 0;
    CameraView view;
    ShadowFit shadow;
    engine::GpuSlice uniforms, instances, lines;
    std::vector<MeshRun> opaque, transparent, selected;
    std::vector<DynamicRun> dynamic;
    uint32_t line_count = 0, top_line_count = 0;  // one list, the second kind after the first
    PixelBox outline;                             // around everything selected
    bool show_sky = true, show_grid = true, fill_grid = false;
    Vec3 background{0.0f};  // linear; where no sky is shown

  private:
    Result<void> check(const DrawList& list, const MeshStore& meshes) const;
    void find_visible(const DrawList& list, const MeshStore& meshes, SunSpace& sun);
    void sort_transparent(const DrawList& list, const MeshStore& meshes);
    Result<void> copy_instances(engine::GpuFrames& frames, const DrawList& list, const MeshStore& meshes,
                                const SunSpace& sun);
    void copy_batch(const DrawList& list, const Batch& batch, float radius, const SunSpace& sun, std::byte* into,
                    uint32_t& used);
    Result<void> copy_dynamic(engine::GpuFrames& frames, const DrawList& list, std::byte* into, uint32_t& used);
    Result<void> copy_lines(engine::GpuFrames& frames, const DrawList& list);
    Result<void> write_constants(engine::GpuFrames& frames, const DrawList& list, const SunSpace& sun,
                                 uint32_t shadow_size, uint64_t alignment);
    void take_area(const PictureArea& area);
    void add_selected(const Vec3& centre, float radius);

    /// Of list.opaque: 0 is not seen, otherwise 1 more than its place in the order from near to far.
    std::vector<uint8_t> seen_;
    std::vector<std::pair<float, uint32_t>> by_depth_;  // transparent ones, and where they stand in the list
    std::vector<MeshId> transparent_mesh_;
    std::vector<std::pair<MeshId, const Instance*>> selection_;
};

}  // namespace proxima::render
