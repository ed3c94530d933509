// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_pipeline.h"

#include <utility>
#include <vector>

namespace proxima::engine {

// ---- layout

Result<GpuLayout> GpuLayout::create(std::shared_ptr<GpuDevice> device, uint32_t buffers, uint32_t push_bytes,
                                    const std::string& name) {
    GpuLayout made;
    made.device_ = std::move(device);
    made.buffers_ = buffers;
    made.push_bytes_ = push_bytes;
    const DeviceApi& api = made.device_->api();
    std::vector<VkDescriptorSetLayoutBinding> bindings(buffers);
    for (uint32_t i = 0; i < buffers; ++i)
        bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    set.bindingCount = buffers;
    set.pBindings = bindings.data();
    const VkDevice handle = made.device_->handle();
    if (const VkResult r = api.vkCreateDescriptorSetLayout(handle, &set, nullptr, &made.set_);
        r != VK_SUCCESS) {
        made.set_ = VK_NULL_HANDLE;
        return made.device_->failure("Making the layout '" + name + "'", r);
    }
    const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes};
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &made.set_;
    layout.pushConstantRangeCount = push_bytes > 0 ? 1 : 0;
    layout.pPushConstantRanges = &push;
    if (const VkResult r = api.vkCreatePipelineLayout(handle, &layout, nullptr, &made.pipeline_);
        r != VK_SUCCESS) {
        made.pipeline_ = VK_NULL_HANDLE;
        return made.device_->failure("Making the layout '" + name + "'", r);
    }
    made.device_->set_name(VK_OBJECT_TYPE_PIPELINE_LAYOUT, reinterpret_cast<uint64_t>(made.pipeline_), name);
    return made;
}

void GpuLayout::destroy() {
    if (!device_) return;
    if (pipeline_) device_->api().vkDestroyPipelineLayout(device_->handle(), pipeline_, nullptr);
    if (set_) device_->api().vkDestroyDescriptorSetLayout(device_->handle(), set_, nullptr);
    pipeline_ = VK_NULL_HANDLE;
    set_ = VK_NULL_HANDLE;
    device_.reset();
}

GpuLayout::~GpuLayout() { destroy(); }
GpuLayout::GpuLayout(GpuLayout&& other) noexcept { *this = std::move(other); }
GpuLayout& GpuLayout::operator=(GpuLayout&& other) noexcept {
    if (this == &other) return *this;
    destroy();
    device_ = std::move(other.device_);
    set_ = std::exchange(other.set_, VK_NULL_HANDLE);
    pipeline_ = std::exchange(other.pipeline_, VK_NULL_HANDLE);
    buffers_ = other.buffers_;
    push_bytes_ = other.push_bytes_;
    return *this;
}

// ---- pipeline

Result<GpuPipeline> GpuPipeline::create(std::shared_ptr<GpuDevice> device, const GpuLayout& layout,
                                        std::span<const uint32_t> spirv, std::span<const uint32_t> constants,
                                        const std::string& name) {
    GpuPipeline made;
    made.device_ = std::move(device);
    const DeviceApi& api = made.device_->api();
    const VkDevice handle = made.device_->handle();
    VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = spirv.size_bytes();
    code.pCode = spirv.data();
    VkShaderModule module = VK_NULL_HANDLE;
    if (const VkResult r = api.vkCreateShaderModule(handle, &code, nullptr, &module); r != VK_SUCCESS)
        return made.device_->failure("Loading the kernel '" + name + "'", r);

    std::vector<VkSpecializationMapEntry> entries(constants.size());
    for (uint32_t i = 0; i < entries.size(); ++i)
        entries[i] = {i, uint32_t(i * sizeof(uint32_t)), sizeof(uint32_t)};
    const VkSpecializationInfo special{uint32_t(entries.size()), entries.data(), constants.size_bytes(),
                                       constants.data()};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &special;
    info.layout = layout.handle();
    const VkResult r = api.vkCreateComputePipelines(handle, made.device_->pipeline_cache(), 1, &info, nullptr,
                                                    &made.pipeline_);
    api.vkDestroyShaderModule(handle, module, nullptr);
    if (r != VK_SUCCESS) {
        made.pipeline_ = VK_NULL_HANDLE;
        return made.device_->failure("Compiling the kernel '" + name + "'", r);
    }
    made.device_->set_name(VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<uint64_t>(made.pipeline_), name);
    return made;
}

void GpuPipeline::destroy() {
    if (!device_) return;
    if (pipeline_) device_->api().vkDestroyPipeline(device_->handle(), pipeline_, nullptr);
    pipeline_ = VK_NULL_HANDLE;
    device_.reset();
}

GpuPipeline::~GpuPipeline() { destroy(); }
GpuPipeline::GpuPipeline(GpuPipeline&& other) noexcept { *this = std::move(other); }
GpuPipeline& GpuPipeline::operator=(GpuPipeline&& other) noexcept {
    if (this == &other) return *this;
    destroy();
    device_ = std::move(other.device_);
    pipeline_ = std::exchange(other.pipeline_, VK_NULL_HANDLE);
    return *this;
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
    if (const VkResult r = api.vkAllocateDescriptorSets(made.device_->handle(), &allocate, &made.set_);
        r != VK_SUCCESS)
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
    device_->api().vkUpdateDescriptorSets(device_->handle(), uint32_t(writes.size()), writes.data(), 0,
                                          nullptr);
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
