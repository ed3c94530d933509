// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_pipeline.h"

#include <utility>
#include <vector>

namespace proxima::engine {

// ---- layout

Result<GpuLayout> GpuLayout::create(std::shared_ptr<GpuDevice> device, uint32_t buffers, uint32_t push_bytes,
                                    const std::string& name) {
    constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_COMPUTE_BIT;
    std::vector<VkDescriptorSetLayoutBinding> bindings(buffers);
    for (uint32_t i = 0; i < buffers; ++i) bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kStages, nullptr};
    Result<GpuLayoutHandles> handles = GpuLayoutHandles::create(std::move(device), bindings, kStages, push_bytes, name);
    if (!handles) return Error{handles.error()};
    GpuLayout made;
    made.handles_ = std::move(handles.value());
    made.buffers_ = buffers;
    made.push_bytes_ = push_bytes;
    return made;
}

// ---- pipeline

Result<GpuPipeline> GpuPipeline::create(std::shared_ptr<GpuDevice> device, const GpuLayout& layout,
                                        std::span<const uint32_t> spirv, std::span<const uint32_t> constants,
                                        const std::string& name) {
    GpuShaderModule module(*device);
    if (const VkResult r = module.load(spirv); r != VK_SUCCESS)
        return device->failure("Loading the kernel '" + name + "'", r);
    const GpuConstants special(constants);
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module.get();
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = special.info();
    info.layout = layout.handle();
    VkPipeline pipeline = VK_NULL_HANDLE;
    if (const VkResult r = device->api().vkCreateComputePipelines(device->handle(), device->pipeline_cache(), 1, &info,
                                                                  nullptr, &pipeline);
        r != VK_SUCCESS)
        return device->failure("Compiling the kernel '" + name + "'", r);
    GpuPipeline made;
    made.pipeline_ = GpuPipelineHandle(device, pipeline, name);
    return made;
}

// ---- bindings

Result<GpuBindings> GpuBindings::create(std::shared_ptr<GpuDevice> device, const GpuLayout& layout,
                                        const std::string& name) {
    GpuBindings made;
    made.device_ = std::move(device);
    made.count_ = layout.buffers();
    const DeviceApi& api = made.device_->api();
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, layout.buffers()};
    VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = 1;
    pool.poolSizeCount = 1;
    pool.pPoolSizes = &size;
    if (const VkResult r = api.vkCreateDescriptorPool(made.device_->handle(), &pool, nullptr, &made.pool_);
        r != VK_SUCCESS) {
        made.pool_ = VK_NULL_HANDLE;
        return made.device_->failure("Making the bindings '" + name + "'", r);
    }
    const VkDescriptorSetLayout set_layout = layout.set_layout();
    VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorPool = made.pool_;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &set_layout;
    if (const VkResult r = api.vkAllocateDescriptorSets(made.device_->handle(), &allocate, &made.set_); r != VK_SUCCESS)
        return made.device_->failure("Making the bindings '" + name + "'", r);
    made.device_->set_name(VK_OBJECT_TYPE_DESCRIPTOR_SET, reinterpret_cast<uint64_t>(made.set_), name);
    return made;
}

void GpuBindings::set(std::span<const GpuBuffer* const> buffers) {
    PX_ASSERT(buffers.size() == count_, "one buffer per number of the layout");
    std::vector<VkDescriptorBufferInfo> infos(buffers.size());
    std::vector<VkWriteDescriptorSet> writes(buffers.size());
    for (uint32_t i = 0; i < buffers.size(); ++i) {
        infos[i] = {buffers[i]->handle(), 0, VK_WHOLE_SIZE};
        writes[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        writes[i].dstSet = set_;
        writes[i].dstBinding = i;
        writes[i].descriptorCount = 1;
        writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        writes[i].pBufferInfo = &infos[i];
    }
    device_->api().vkUpdateDescriptorSets(device_->handle(), uint32_t(writes.size()), writes.data(), 0, nullptr);
}

void GpuBindings::destroy() {
    if (!device_) return;
    if (pool_) device_->api().vkDestroyDescriptorPool(device_->handle(), pool_, nullptr);
    pool_ = VK_NULL_HANDLE;
    set_ = VK_NULL_HANDLE;
    device_.reset();
}

GpuBindings::~GpuBindings() { destroy(); }
GpuBindings::GpuBindings(GpuBindings&& other) noexcept { *this = std::move(other); }
GpuBindings& GpuBindings::operator=(GpuBindings&& other) noexcept {
    if (this == &other) return *this;
    destroy();
    device_ = std::move(other.device_);
    pool_ = std::exchange(other.pool_, VK_NULL_HANDLE);
    set_ = std::exchange(other.set_, VK_NULL_HANDLE);
    count_ = other.count_;
    return *this;
}

}  // namespace proxima::engine
