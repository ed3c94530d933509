// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_graphics.h"

#include <utility>

namespace proxima::engine {

namespace {

VkPipelineColorBlendAttachmentState blend_of(GpuBlend blend) {
    VkPipelineColorBlendAttachmentState state{};
    state.colorWriteMask =
        VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
    state.blendEnable = blend != GpuBlend::none;
    state.srcColorBlendFactor = blend == GpuBlend::alpha ? VK_BLEND_FACTOR_SRC_ALPHA : VK_BLEND_FACTOR_ONE;
    state.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
    state.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
    state.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
    state.colorBlendOp = state.alphaBlendOp = VK_BLEND_OP_ADD;
    return state;
}

}  // namespace

// ---- layout

Result<GpuDrawLayout> GpuDrawLayout::create(std::shared_ptr<GpuDevice> device, std::span<const GpuSlot> slots,
                                            uint32_t push_bytes, const std::string& name) {
    std::vector<VkDescriptorSetLayoutBinding> bindings(slots.size());
    for (uint32_t i = 0; i < bindings.size(); ++i)
        bindings[i] = {i,
                       slots[i] == GpuSlot::uniforms ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                                     : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                       1, kDrawStages, nullptr};
    Result<GpuLayoutHandles> handles =
        GpuLayoutHandles::create(std::move(device), bindings, kDrawStages, push_bytes, name);
    if (!handles) return Error{handles.error()};
    GpuDrawLayout made;
    made.handles_ = std::move(handles.value());
    made.slots_.assign(slots.begin(), slots.end());
    made.push_bytes_ = push_bytes;
    return made;
}

// ---- pipeline

Result<GpuGraphicsPipeline> GpuGraphicsPipeline::create(std::shared_ptr<GpuDevice> device, const GpuDrawLayout& layout,
                                                        const GpuGraphicsOptions& options, const std::string& name) {
    PX_ASSERT(device->draws(), "pipelines that draw need a device that was opened with graphics");
    GpuShaderModule vertex(*device), fragment(*device);
    if (const VkResult r = vertex.load(options.vertex); r != VK_SUCCESS)
        return device->failure("Loading the shader '" + name + "'", r);
    if (!options.fragment.empty())
        if (const VkResult r = fragment.load(options.fragment); r != VK_SUCCESS)
            return device->failure("Loading the shader '" + name + "'", r);
    const GpuConstants special(options.constants);
    VkPipelineShaderStageCreateInfo stages[2] = {};
    for (VkPipelineShaderStageCreateInfo& stage : stages) {
        stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        stage.pName = "main";
        stage.pSpecializationInfo = special.info();
    }
    stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
    stages[0].module = vertex.get();
    stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    stages[1].module = fragment.get();

    std::vector<VkVertexInputBindingDescription> streams(options.streams.size());
    for (uint32_t i = 0; i < streams.size(); ++i)
        streams[i] = {i, options.streams[i].stride,
                      options.streams[i].per_instance ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX};
    std::vector<VkVertexInputAttributeDescription> fields(options.fields.size());
    for (uint32_t i = 0; i < fields.size(); ++i)
        fields[i] = {options.fields[i].location, options.fields[i].stream, options.fields[i].format,
                     options.fields[i].offset};
    VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    input.vertexBindingDescriptionCount = uint32_t(streams.size());
    input.pVertexBindingDescriptions = streams.data();
    input.vertexAttributeDescriptionCount = uint32_t(fields.size());
    input.pVertexAttributeDescriptions = fields.data();
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = options.topology;
    VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = 1;
    viewport.scissorCount = 1;
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.polygonMode = VK_POLYGON_MODE_FILL;
    raster.cullMode = options.cull;
    raster.frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE;
    raster.lineWidth = 1.0f;
    raster.depthBiasEnable = options.depth_bias != 0.0f || options.depth_bias_slope != 0.0f;
    raster.depthBiasConstantFactor = options.depth_bias;
    raster.depthBiasSlopeFactor = options.depth_bias_slope;
    VkPipelineMultisampleStateCreateInfo multisample{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    multisample.rasterizationSamples = VkSampleCountFlagBits(options.samples);
    VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    depth.depthTestEnable = options.depth_write || options.depth_compare != VK_COMPARE_OP_ALWAYS;
    depth.depthWriteEnable = options.depth_write;
    depth.depthCompareOp = options.depth_compare;
    const VkPipelineColorBlendAttachmentState attachment = blend_of(options.blend);
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = options.colour != VK_FORMAT_UNDEFINED ? 1 : 0;
    blend.pAttachments = &attachment;
    const VkDynamicState dynamic_states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = 2;
    dynamic.pDynamicStates = dynamic_states;
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = blend.attachmentCount;
    rendering.pColorAttachmentFormats = &options.colour;
    rendering.depthAttachmentFormat = options.depth;

    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
    info.pNext = &rendering;
    info.stageCount = fragment.get() ? 2 : 1;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &multisample;
    info.pDepthStencilState = &depth;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic;
    info.layout = layout.handle();
    VkPipeline pipeline = VK_NULL_HANDLE;
    if (const VkResult r = device->api().vkCreateGraphicsPipelines(device->handle(), device->pipeline_cache(), 1, &info,
                                                                   nullptr, &pipeline);
        r != VK_SUCCESS)
        return device->failure("Compiling the pipeline '" + name + "'", r);
    GpuGraphicsPipeline made;
    made.pipeline_ = GpuPipelineHandle(device, pipeline, name);
    return made;
}

}  // namespace proxima::engine
