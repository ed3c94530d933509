// SPDX-License-Identifier: MIT
#include "render/passes/pipelines.h"

#include <cstddef>

#include "render/draw_list.h"
#include "render/mesh.h"
#include "render/passes/shader_list.h"
#include "render/ui_draw.h"

namespace proxima::render {

namespace {

using engine::GpuBlend;
using engine::GpuDrawLayout;
using engine::GpuGraphicsOptions;
using engine::GpuGraphicsPipeline;
using engine::GpuSlot;
using engine::GpuVertexField;
using engine::GpuVertexStream;

constexpr GpuVertexStream kMeshStreams[] = {{sizeof(MeshVertex), false}, {sizeof(Instance), true}};
constexpr GpuVertexField kMeshFields[] = {
    {0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(MeshVertex, position)},
    {1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(MeshVertex, normal)},
    {2, 1, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Instance, position)},
    {3, 1, VK_FORMAT_R8G8B8A8_UNORM, offsetof(Instance, colour)},
    {4, 1, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(Instance, rotation)},
    {5, 1, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Instance, scale)},
    {6, 1, VK_FORMAT_R32_UINT, offsetof(Instance, flags)},
    {7, 1, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Instance, roughness)},
    {8, 1, VK_FORMAT_R32_UINT, offsetof(Instance, id)},
};
/// What position.vert and pick.vert read of the same streams.
constexpr GpuVertexField kPositionFields[] = {kMeshFields[0], kMeshFields[2], kMeshFields[4], kMeshFields[5]};
constexpr GpuVertexField kPickFields[] = {kMeshFields[0], kMeshFields[2], kMeshFields[4], kMeshFields[5],
                                          kMeshFields[8]};
constexpr GpuVertexStream kLineStreams[] = {{sizeof(Line), true}};
constexpr GpuVertexField kLineFields[] = {
    {0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Line, from)},
    {1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Line, to)},
    {2, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof(Line, colour)},
    {3, 0, VK_FORMAT_R32_SFLOAT, offsetof(Line, width)},
};
constexpr GpuVertexStream kUiStreams[] = {{sizeof(UiVertex), false}};
constexpr GpuVertexField kUiFields[] = {
    {0, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(UiVertex, x)},
    {1, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(UiVertex, u)},
    {2, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof(UiVertex, colour)},
};

bool encodes_by_itself(VkFormat format) {
    return format == VK_FORMAT_R8G8B8A8_SRGB || format == VK_FORMAT_B8G8R8A8_SRGB;
}

/// Makes pipelines one after the other and keeps the first failure.
struct Maker {
    const std::shared_ptr<engine::GpuDevice>& device;
    Result<void> all;

    void operator()(GpuGraphicsPipeline& into, const GpuDrawLayout& layout, const GpuGraphicsOptions& options,
                    const char* name) {
        if (!all) return;
        Result<GpuGraphicsPipeline> made = GpuGraphicsPipeline::create(device, layout, options, name);
        if (made)
            into = std::move(made.value());
        else
            all = Error{made.error()};
    }
};

}  // namespace

Result<Layouts> Layouts::create(const std::shared_ptr<engine::GpuDevice>& device) {
    const GpuSlot scene[] = {GpuSlot::uniforms, GpuSlot::image};
    const GpuSlot position[] = {GpuSlot::uniforms};
    const GpuSlot image[] = {GpuSlot::image};
    Layouts made;
    const struct {
        GpuDrawLayout& into;
        std::span<const GpuSlot> slots;
        uint32_t push;
        const char* name;
    } wanted[] = {{made.scene, scene, 0, "scene"},
                  {made.position, position, 0, "position"},
                  {made.ui, image, 8, "ui"},
                  {made.outline, image, sizeof(OutlinePush), "outline"}};
    for (const auto& w : wanted) {
        Result<GpuDrawLayout> layout = GpuDrawLayout::create(device, w.slots, w.push, w.name);
        if (!layout) return Error{layout.error()};
        w.into = std::move(layout.value());
    }
    return made;
}

Result<PositionPipelines> PositionPipelines::create(const std::shared_ptr<engine::GpuDevice>& device,
                                                    const Layouts& layouts) {
    PositionPipelines made;
    Maker make{device, {}};
    const uint32_t sun[] = {1}, eye[] = {0};
    GpuGraphicsOptions o;
    o.vertex = shaders::position_vert();
    o.constants = sun;
    o.streams = kMeshStreams;
    o.fields = kPositionFields;
    o.depth = kDepthFormat;
    o.depth_write = true;
    o.depth_compare = VK_COMPARE_OP_LESS_OR_EQUAL;
    // Away from the sun by the depth that the surface gains over a texel; the rest is done when the map is looked up.
    o.depth_bias_slope = 1.5f;
    o.cull = VK_CULL_MODE_BACK_BIT;
    make(made.shadow, layouts.position, o, "shadow");
    o.cull = VK_CULL_MODE_NONE;
    make(made.shadow_two_sided, layouts.position, o, "shadow two-sided");

    o.constants = eye;
    o.fragment = shaders::mask_frag();
    o.depth_bias_slope = 0.0f;
    o.colour = kMaskFormat;
    o.depth = VK_FORMAT_UNDEFINED;
    o.depth_write = false;
    o.depth_compare = VK_COMPARE_OP_ALWAYS;
    make(made.mask, layouts.position, o, "mask");

    o.vertex = shaders::pick_vert();
    o.fragment = shaders::pick_frag();
    o.fields = kPickFields;
    o.colour = kIdFormat;
    o.depth = kDepthFormat;
    o.depth_write = true;
    o.depth_compare = VK_COMPARE_OP_GREATER;
    make(made.pick_two_sided, layouts.position, o, "pick two-sided");
    o.cull = VK_CULL_MODE_BACK_BIT;
    make(made.pick, layouts.position, o, "pick");
    if (!make.all) return Error{make.all.error()};
    return made;
}

Result<ColourPipelines> ColourPipelines::create(const std::shared_ptr<engine::GpuDevice>& device,
                                                const Layouts& layouts, VkFormat format, uint32_t samples,
                                                uint32_t shadow_taps) {
    ColourPipelines made;
    made.format = format;
    Maker make{device, {}};
    const uint32_t encode = encodes_by_itself(format) ? 0u : 1u;
    const uint32_t constants[] = {encode, shadow_taps, 0}, filled[] = {encode, shadow_taps, 1};
    GpuGraphicsOptions o;
    o.constants = constants;
    o.colour = format;
    o.depth = kDepthFormat;
    o.samples = samples;

    o.vertex = shaders::mesh_vert();
    o.fragment = shaders::mesh_frag();
    o.streams = kMeshStreams;
    o.fields = std::span(kMeshFields).first(8);  // all but the id
    o.cull = VK_CULL_MODE_BACK_BIT;
    o.depth_write = true;
    o.depth_compare = VK_COMPARE_OP_GREATER;
    make(made.mesh, layouts.scene, o, "mesh");
    o.cull = VK_CULL_MODE_NONE;
    make(made.mesh_two_sided, layouts.scene, o, "mesh two-sided");
    o.cull = VK_CULL_MODE_BACK_BIT;
    o.depth_write = false;
    o.blend = GpuBlend::premultiplied;
    make(made.glass, layouts.scene, o, "glass");

    o.streams = {};
    o.fields = {};
    o.cull = VK_CULL_MODE_NONE;
    o.vertex = shaders::screen_vert();
    o.fragment = shaders::sky_frag();
    o.blend = GpuBlend::none;
    o.depth_compare = VK_COMPARE_OP_GREATER_OR_EQUAL;
    make(made.sky, layouts.scene, o, "sky");

    o.vertex = shaders::grid_vert();
    o.fragment = shaders::grid_frag();
    o.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    o.blend = GpuBlend::premultiplied;
    // In front of a floor of the same height, behind everything that stands on it.
    o.depth_bias = 8.0f;
    o.depth_bias_slope = 0.5f;
    make(made.grid, layouts.scene, o, "grid");
    o.constants = filled;
    make(made.floor, layouts.scene, o, "floor");
    o.constants = constants;

    o.vertex = shaders::line_vert();
    o.fragment = shaders::line_frag();
    o.streams = kLineStreams;
    o.fields = kLineFields;
    o.depth_bias = 32.0f;
    o.depth_bias_slope = 1.0f;
    make(made.line, layouts.position, o, "line");
    o.depth_bias = o.depth_bias_slope = 0.0f;
    o.depth_compare = VK_COMPARE_OP_ALWAYS;
    make(made.line_on_top, layouts.position, o, "line on top");

    o.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    o.depth = VK_FORMAT_UNDEFINED;
    o.samples = 1;
    o.vertex = shaders::ui_vert();
    o.fragment = shaders::ui_frag();
    o.streams = kUiStreams;
    o.fields = kUiFields;
    o.blend = GpuBlend::alpha;
    make(made.ui, layouts.ui, o, "ui");
    o.vertex = shaders::screen_vert();
    o.fragment = shaders::outline_frag();
    o.streams = {};
    o.fields = {};
    o.blend = GpuBlend::premultiplied;
    make(made.outline, layouts.outline, o, "outline");
    if (!make.all) return Error{make.all.error()};
    return made;
}

}  // namespace proxima::render
