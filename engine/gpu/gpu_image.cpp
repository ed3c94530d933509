// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_image.h"

#include <fmt/format.h>

#include <utility>

namespace proxima::engine {

bool is_depth_format(VkFormat format) { return format == VK_FORMAT_D32_SFLOAT || format == VK_FORMAT_D16_UNORM; }

uint32_t pixel_bytes(VkFormat format) {
    switch (format) {
        case VK_FORMAT_R8_UNORM:
            return 1;
        case VK_FORMAT_D16_UNORM:
            return 2;
        case VK_FORMAT_R8G8B8A8_SRGB:
        case VK_FORMAT_R8G8B8A8_UNORM:
        case VK_FORMAT_B8G8R8A8_SRGB:
        case VK_FORMAT_B8G8R8A8_UNORM:
        case VK_FORMAT_R32_UINT:
        case VK_FORMAT_D32_SFLOAT:
            return 4;
        default:
            return 0;
    }
}

Result<GpuImage> GpuImage::create(std::shared_ptr<GpuDevice> device, const GpuImageOptions& options,
                                  const std::string& name) {
    GpuImage made;
    made.device_ = std::move(device);
    made.options_ = options;
    if (Result<void> ready = made.make(name); !ready) return Error{ready.error()};
    return made;
}

Result<void> GpuImage::make(const std::string& name) {
    const DeviceApi& api = device_->api();
    const VkDevice handle = device_->handle();
    const std::string what =
        fmt::format("Making the image '{}' of {} x {} pixels", name, options_.width, options_.height);
    const uint32_t most = device_->limits().maxImageDimension2D;
    if (options_.width == 0 || options_.height == 0 || options_.width > most || options_.height > most)
        return Error{fmt::format("{} failed on {}: sides must be 1 to {} pixels.", what, device_->info().name, most)};
    const bool depth = is_depth_format(options_.format);
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = options_.format;
    info.extent = {options_.width, options_.height, 1};
    info.mipLevels = 1;
    info.arrayLayers = 1;
    info.samples = VkSampleCountFlagBits(options_.samples);
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    if (has(options_.use, GpuImageUse::drawn))
        info.usage |= depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    if (has(options_.use, GpuImageUse::sampled)) info.usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
    if (has(options_.use, GpuImageUse::copied))
        info.usage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
    info.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    if (const VkResult r = api.vkCreateImage(handle, &info, nullptr, &image_); r != VK_SUCCESS) {
        image_ = VK_NULL_HANDLE;
        return device_->failure(what, r);
    }
    VkMemoryRequirements needs{};
    api.vkGetImageMemoryRequirements(handle, image_, &needs);
    const uint32_t type = device_->find_memory_type(needs.memoryTypeBits, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (type >= VK_MAX_MEMORY_TYPES)
        return Error{fmt::format("{} failed on {}: it has no memory of that kind.", what, device_->info().name)};
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = type;
    if (const VkResult r = api.vkAllocateMemory(handle, &allocate, nullptr, &memory_); r != VK_SUCCESS) {
        memory_ = VK_NULL_HANDLE;
        return device_->failure(what, r);
    }
    if (const VkResult r = api.vkBindImageMemory(handle, image_, memory_, 0); r != VK_SUCCESS)
        return device_->failure(what, r);
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = image_;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = options_.format;
    view.subresourceRange = {VkImageAspectFlags(depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT), 0, 1, 0,
                             1};
    if (const VkResult r = api.vkCreateImageView(handle, &view, nullptr, &view_); r != VK_SUCCESS) {
        view_ = VK_NULL_HANDLE;
        return device_->failure(what, r);
    }
    device_->set_name(VK_OBJECT_TYPE_IMAGE, reinterpret_cast<uint64_t>(image_), name);
    device_->set_name(VK_OBJECT_TYPE_IMAGE_VIEW, reinterpret_cast<uint64_t>(view_), name);
    device_->set_name(VK_OBJECT_TYPE_DEVICE_MEMORY, reinterpret_cast<uint64_t>(memory_), name);
    return {};
}

void GpuImage::destroy() {
    if (!device_) return;
    const DeviceApi& api = device_->api();
    if (view_) api.vkDestroyImageView(device_->handle(), view_, nullptr);
    if (image_) api.vkDestroyImage(device_->handle(), image_, nullptr);
    if (memory_) api.vkFreeMemory(device_->handle(), memory_, nullptr);
    view_ = VK_NULL_HANDLE;
    image_ = VK_NULL_HANDLE;
    memory_ = VK_NULL_HANDLE;
    options_ = {};
    device_.reset();
}

GpuImage::~GpuImage() { destroy(); }
GpuImage::GpuImage(GpuImage&& other) noexcept { *this = std::move(other); }
GpuImage& GpuImage::operator=(GpuImage&& other) noexcept {
    if (this == &other) return *this;
    destroy();
    device_ = std::move(other.device_);
    options_ = std::exchange(other.options_, {});
    image_ = std::exchange(other.image_, VK_NULL_HANDLE);
    memory_ = std::exchange(other.memory_, VK_NULL_HANDLE);
    view_ = std::exchange(other.view_, VK_NULL_HANDLE);
    return *this;
}

Result<GpuSampler> GpuSampler::create(std::shared_ptr<GpuDevice> device, const GpuSamplerOptions& options,
                                      const std::string& name) {
    GpuSampler made;
    made.device_ = std::move(device);
    VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    info.magFilter = info.minFilter = options.linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_NEAREST;
    info.addressModeU = info.addressModeV = info.addressModeW =
        options.repeat ? VK_SAMPLER_ADDRESS_MODE_REPEAT : VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    info.compareEnable = options.compares;
    info.compareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
    if (const VkResult r = made.device_->api().vkCreateSampler(made.device_->handle(), &info, nullptr, &made.sampler_);
        r != VK_SUCCESS) {
        made.sampler_ = VK_NULL_HANDLE;
        return made.device_->failure("Making the sampler '" + name + "'", r);
    }
    made.device_->set_name(VK_OBJECT_TYPE_SAMPLER, reinterpret_cast<uint64_t>(made.sampler_), name);
    return made;
}

void GpuSampler::destroy() {
    if (!device_) return;
    if (sampler_) device_->api().vkDestroySampler(device_->handle(), sampler_, nullptr);
    sampler_ = VK_NULL_HANDLE;
    device_.reset();
}

GpuSampler::~GpuSampler() { destroy(); }
GpuSampler::GpuSampler(GpuSampler&& other) noexcept { *this = std::move(other); }
GpuSampler& GpuSampler::operator=(GpuSampler&& other) noexcept {
    if (this == &other) return *this;
    destroy();
    device_ = std::move(other.device_);
    sampler_ = std::exchange(other.sampler_, VK_NULL_HANDLE);
    return *this;
}

}  // namespace proxima::engine
