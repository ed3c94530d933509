// SPDX-License-Identifier: MIT
// The passes that show the scene: shadow map, colours, and the mask of what is selected.
#pragma once

#include "engine/gpu/gpu_frames.h"
#include "render/passes/mesh_store.h"
#include "render/passes/pipelines.h"
#include "render/passes/scene_data.h"

namespace proxima::render {

/// Instances of meshes as one pass draws them: `casters` picks the part of a run that throws shadows.
void draw_runs(engine::GpuFrames& frames, const MeshStore& meshes, const SceneData& scene,
               std::span<const MeshRun> runs, bool casters);

/// Into a map that is in the state sampled before and after.
void record_shadow_pass(engine::GpuFrames& frames, const PositionPipelines& pipelines, const Layouts& layouts,
                        VkDescriptorSet position_set, const MeshStore& meshes, const SceneData& scene,
                        const engine::GpuImage& map);

struct SceneTargets {
    const engine::GpuImage* samples = nullptr;  // several samples per pixel; nullptr: drawn into the target
    const engine::GpuImage* depth = nullptr;
    VkImageView target = VK_NULL_HANDLE;
};
/// Everything with light, then sky, grid, glass and lines. The images must be ready to be drawn into.
void record_scene_pass(engine::GpuFrames& frames, const ColourPipelines& pipelines, const Layouts& layouts,
                       VkDescriptorSet scene_set, VkDescriptorSet position_set, const MeshStore& meshes,
                       const SceneData& scene, const SceneTargets& targets);

/// Where something selected is; the mask is in the state sampled before and after.
void record_mask_pass(engine::GpuFrames& frames, const PositionPipelines& pipelines, const Layouts& layouts,
                      VkDescriptorSet position_set, const MeshStore& meshes, const SceneData& scene,
                      const engine::GpuImage& mask);

/// Ids and depths of one pixel into images of 1 x 1, which are left ready to be copied from.
void record_pick_pass(engine::GpuFrames& frames, const PositionPipelines& pipelines, const Layouts& layouts,
                      VkDescriptorSet position_set, const MeshStore& meshes, const SceneData& scene, float x, float y,
                      const engine::GpuImage& ids, const engine::GpuImage& depth);

}  // namespace proxima::render
