// SPDX-License-Identifier: MIT
#include "render/passes/scene_passes.h"

#include <cmath>

namespace proxima::render {

using engine::GpuFrames;
using engine::GpuImageState;
using engine::GpuPass;

void draw_runs(GpuFrames& frames, const MeshStore& meshes, const SceneData& scene, std::span<const MeshRun> runs,
               bool casters) {
    frames.vertices(1, scene.instances.buffer, scene.instances.offset);
    uint32_t page = ~0u;
    for (const MeshRun& run : runs) {
        const uint32_t first = casters ? run.first_caster : run.first;
        const uint32_t count = casters ? run.casters : run.shown;
        if (count == 0) continue;
        const StoredMesh& mesh = meshes.get(run.mesh);
        if (mesh.page != page) {
            page = mesh.page;
            frames.vertices(0, meshes.vertices(page), 0);
            frames.indices(meshes.indices(page), 0, VK_INDEX_TYPE_UINT32);
        }
        frames.draw_indexed(mesh.index_count, count, mesh.first_index, int32_t(mesh.first_vertex), first);
    }
}

namespace {

enum class Which : uint8_t { all, casters, selected };

/// Only where the world is drawn.
void limit_to_area(GpuFrames& frames, const SceneData& scene) {
    frames.viewport(float(scene.left), float(scene.top), float(scene.width), float(scene.height));
    frames.scissor(scene.left, scene.top, scene.width, scene.height);
}

void draw_dynamic(GpuFrames& frames, const SceneData& scene, Which which) {
    frames.vertices(1, scene.instances.buffer, scene.instances.offset);
    for (const DynamicRun& run : scene.dynamic) {
        if (which == Which::casters && !run.casts) continue;
        if (which == Which::selected && !run.selected) continue;
        frames.vertices(0, run.vertices.buffer, run.vertices.offset);
        frames.indices(run.indices.buffer, run.indices.offset, VK_INDEX_TYPE_UINT32);
        frames.draw_indexed(run.index_count, 1, 0, 0, run.instance);
    }
}

}  // namespace

void record_shadow_pass(GpuFrames& frames, const PositionPipelines& pipelines, const Layouts& layouts,
                        VkDescriptorSet position_set, const MeshStore& meshes, const SceneData& scene,
                        const engine::GpuImage& map) {
    frames.barrier(map, GpuImageState::sampled, GpuImageState::depth, true);
    GpuPass pass;
    pass.width = map.width();
    pass.height = map.height();
    pass.depth = map.view();
    pass.clear_depth = pass.keep_depth = true;
    pass.depth_value = 1.0f;
    frames.begin_pass(pass);
    frames.bind(pipelines.shadow);
    frames.bind(layouts.position, position_set);
    draw_runs(frames, meshes, scene, scene.opaque, true);
    if (!scene.dynamic.empty()) {
        frames.bind(pipelines.shadow_two_sided);
        draw_dynamic(frames, scene, Which::casters);
    }
    frames.end_pass();
    frames.barrier(map, GpuImageState::depth, GpuImageState::sampled);
}

void record_scene_pass(GpuFrames& frames, const ColourPipelines& pipelines, const Layouts& layouts,
                       VkDescriptorSet scene_set, VkDescriptorSet position_set, const MeshStore& meshes,
                       const SceneData& scene, const SceneTargets& targets) {
    GpuPass pass;
    pass.width = scene.target_width;
    pass.height = scene.target_height;
    pass.colour = targets.samples ? targets.samples->view() : targets.target;
    pass.resolve = targets.samples ? targets.target : VK_NULL_HANDLE;
    pass.keep_colour = !targets.samples;
    pass.clear_colour = true;
    pass.colour_value = {{scene.background.x, scene.background.y, scene.background.z, 1.0f}};
    pass.depth = targets.depth->view();
    pass.clear_depth = true;
    frames.begin_pass(pass);
    limit_to_area(frames, scene);
    frames.bind(layouts.scene, scene_set);
    frames.bind(pipelines.mesh);
    draw_runs(frames, meshes, scene, scene.opaque, false);
    if (!scene.dynamic.empty()) {
        frames.bind(pipelines.mesh_two_sided);
        draw_dynamic(frames, scene, Which::all);
    }
    if (scene.show_sky) {
        frames.bind(pipelines.sky);
        frames.draw(3, 1);
    }
    if (scene.show_grid) {
        frames.bind(scene.fill_grid ? pipelines.floor : pipelines.grid);
        frames.draw(4, 1);
    }
    if (!scene.transparent.empty()) {
        frames.bind(pipelines.glass);
        draw_runs(frames, meshes, scene, scene.transparent, false);
    }
    if (scene.line_count + scene.top_line_count > 0) {
        frames.bind(layouts.position, position_set);
        frames.vertices(0, scene.lines.buffer, scene.lines.offset);
        frames.bind(pipelines.line);
        if (scene.line_count > 0) frames.draw(4, scene.line_count);
        frames.bind(pipelines.line_on_top);
        if (scene.top_line_count > 0) frames.draw(4, scene.top_line_count, scene.line_count);
    }
    frames.end_pass();
}

void record_mask_pass(GpuFrames& frames, const PositionPipelines& pipelines, const Layouts& layouts,
                      VkDescriptorSet position_set, const MeshStore& meshes, const SceneData& scene,
                      const engine::GpuImage& mask) {
    frames.barrier(mask, GpuImageState::sampled, GpuImageState::drawn, true);
    GpuPass pass;
    pass.width = mask.width();
    pass.height = mask.height();
    pass.colour = mask.view();
    pass.clear_colour = true;
    frames.begin_pass(pass);
    limit_to_area(frames, scene);
    frames.bind(layouts.position, position_set);
    frames.bind(pipelines.mask);
    draw_runs(frames, meshes, scene, scene.selected, false);
    draw_dynamic(frames, scene, Which::selected);
    frames.end_pass();
    frames.barrier(mask, GpuImageState::drawn, GpuImageState::sampled);
}

void record_pick_pass(GpuFrames& frames, const PositionPipelines& pipelines, const Layouts& layouts,
                      VkDescriptorSet position_set, const MeshStore& meshes, const SceneData& scene, float x, float y,
                      const engine::GpuImage& ids, const engine::GpuImage& depth) {
    frames.barrier(ids, GpuImageState::copied_from, GpuImageState::drawn, true);
    frames.barrier(depth, GpuImageState::copied_from, GpuImageState::depth, true);
    GpuPass pass;
    pass.width = pass.height = 1;
    pass.colour = ids.view();
    pass.clear_colour = true;
    pass.depth = depth.view();
    pass.clear_depth = pass.keep_depth = true;
    frames.begin_pass(pass);
    // The picture as it was, moved so that the pixel is the only one left.
    frames.viewport(float(scene.left) - std::floor(x), float(scene.top) - std::floor(y), float(scene.width),
                    float(scene.height));
    frames.bind(layouts.position, position_set);
    frames.bind(pipelines.pick);
    draw_runs(frames, meshes, scene, scene.opaque, false);
    draw_runs(frames, meshes, scene, scene.transparent, false);
    if (!scene.dynamic.empty()) {
        frames.bind(pipelines.pick_two_sided);
        draw_dynamic(frames, scene, Which::all);
    }
    frames.end_pass();
    frames.barrier(ids, GpuImageState::drawn, GpuImageState::copied_from);
    frames.barrier(depth, GpuImageState::depth, GpuImageState::copied_from);
}

}  // namespace proxima::render
