// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_handles.h"

#include <utility>

namespace proxima::engine {

// ---- layouts

Result<GpuLayoutHandles> GpuLayoutHandles::create(std::shared_ptr<GpuDevice> device,
                                                  std::span<const VkDescriptorSetLayoutBinding> bindings,
                                                  VkShaderStageFlags stages, uint32_t push_bytes,
                                                  const std::string& name) {
    GpuLayoutHandles made;
    made.device_ = std::move(device);
    const DeviceApi& api = made.device_->api();
    const VkDevice handle = made.device_->handle();
    VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    set.bindingCount = uint32_t(bindings.size());
    set.pBindings = bindings.data();
    if (const VkResult r = api.vkCreateDescriptorSetLayout(handle, &set, nullptr, &made.set_); r != VK_SUCCESS) {
        made.set_ = VK_NULL_HANDLE;
        return made.device_->failure("Making the layout '" + name + "'", r);
    }
    const VkPushConstantRange push{stages, 0, push_bytes};
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &made.set_;
    layout.pushConstantRangeCount = push_bytes > 0 ? 1 : 0;
    layout.pPushConstantRanges = &push;
    if (const VkResult r = api.vkCreatePipelineLayout(handle, &layout, nullptr, &made.pipeline_); r != VK_SUCCESS) {
        made.pipeline_ = VK_NULL_HANDLE;
        return made.device_->failure("Making the layout '" + name + "'", r);
    }
    made.device_->set_name(VK_OBJECT_TYPE_PIPELINE_LAYOUT, reinterpret_cast<uint64_t>(made.pipeline_), name);
    return made;
}

void GpuLayoutHandles::destroy() {
    if (!device_) return;
    if (pipeline_) device_->api().vkDestroyPipelineLayout(device_->handle(), pipeline_, nullptr);
    if (set_) device_->api().vkDestroyDescriptorSetLayout(device_->handle(), set_, nullptr);
    pipeline_ = VK_NULL_HANDLE;
    set_ = VK_NULL_HANDLE;
    device_.reset();
}

GpuLayoutHandles::~GpuLayoutHandles() { destroy(); }
GpuLayoutHandles::GpuLayoutHandles(GpuLayoutHandles&& other) noexcept { *this = std::move(other); }
GpuLayoutHandles& GpuLayoutHandles::operator=(GpuLayoutHandles&& other) noexcept {
    if (this == &other) return *this;
    destroy();
    device_ = std::move(other.device_);
    set_ = std::exchange(other.set_, VK_NULL_HANDLE);
    pipeline_ = std::exchange(other.pipeline_, VK_NULL_HANDLE);
    return *this;
}

// ---- pipelines

GpuPipelineHandle::GpuPipelineHandle(std::shared_ptr<GpuDevice> device, VkPipeline pipeline, const std::string& name)
    : device_(std::move(device)), pipeline_(pipeline) {
    device_->set_name(VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<uint64_t>(pipeline_), name);
}

void GpuPipelineHandle::destroy() {
    if (!device_) return;
    if (pipeline_) device_->api().vkDestroyPipeline(device_->handle(), pipeline_, nullptr);
    pipeline_ = VK_NULL_HANDLE;
    device_.reset();
}

GpuPipelineHandle::~GpuPipelineHandle() { destroy(); }
GpuPipelineHandle::GpuPipelineHandle(GpuPipelineHandle&& other) noexcept { *this = std::move(other); }
GpuPipelineHandle& GpuPipelineHandle::operator=(GpuPipelineHandle&& other) noexcept {
    if (this == &other) return *this;
    destroy();
    device_ = std::move(other.device_);
    pipeline_ = std::exchange(other.pipeline_, VK_NULL_HANDLE);
    return *this;
}

// ---- while a pipeline is compiled

GpuShaderModule::~GpuShaderModule() {
    if (module_) device_.api().vkDestroyShaderModule(device_.handle(), module_, nullptr);
}

VkResult GpuShaderModule::load(std::span<const uint32_t> spirv) {
    VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = spirv.size_bytes();
    code.pCode = spirv.data();
    return device_.api().vkCreateShaderModule(device_.handle(), &code, nullptr, &module_);
}

GpuConstants::GpuConstants(std::span<const uint32_t> values) : entries_(values.size()) {
    for (uint32_t i = 0; i < entries_.size(); ++i) entries_[i] = {i, uint32_t(i * sizeof(uint32_t)), sizeof(uint32_t)};
    info_ = {uint32_t(entries_.size()), entries_.data(), values.size_bytes(), values.data()};
}

}  // namespace proxima::engine
