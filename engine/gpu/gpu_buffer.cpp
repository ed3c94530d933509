// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace proxima::engine {

namespace {

struct Wishes {
    VkMemoryPropertyFlags needed, wanted;
};

Wishes wishes_of(GpuMemory memory, bool stages) {
    constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    constexpr VkMemoryPropertyFlags kVisible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    if (memory == GpuMemory::upload) return {kVisible, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT};
    if (memory == GpuMemory::readback) return {kVisible, VK_MEMORY_PROPERTY_HOST_CACHED_BIT};
    return stages
               ? Wishes{0, kLocal}
               : Wishes{kLocal | kVisible, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT};
}

}  // namespace

Result<GpuBuffer> GpuBuffer::create(std::shared_ptr<GpuDevice> device, uint64_t bytes, GpuMemory memory,
                                    const std::string& name) {
    GpuBuffer made;
    made.device_ = std::move(device);
    if (Result<void> ready = made.make(std::max<uint64_t>(bytes, 16), memory, name); !ready)
        return Error{ready.error()};
    return made;
}

Result<void> GpuBuffer::make(uint64_t bytes, GpuMemory memory, const std::string& name) {
    const DeviceApi& api = device_->api();
    const std::string what = fmt::format("Making the buffer '{}' of {} bytes", name, bytes);
    if (memory == GpuMemory::device && bytes > device_->limits().maxStorageBufferRange)
        return Error{fmt::format("{} failed on {}: a kernel there sees at most {} bytes of a buffer.", what,
                                 device_->info().name, device_->limits().maxStorageBufferRange)};
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (memory == GpuMemory::device)
        info.usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                      VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                      VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
    info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
    if (const VkResult r = api.vkCreateBuffer(device_->handle(), &info, nullptr, &buffer_); r != VK_SUCCESS) {
        buffer_ = VK_NULL_HANDLE;
        return device_->failure(what, r);
    }
    VkMemoryRequirements needs{};
    api.vkGetBufferMemoryRequirements(device_->handle(), buffer_, &needs);
    const Wishes wishes = wishes_of(memory, device_->stages());
    const uint32_t type = device_->find_memory_type(needs.memoryTypeBits, wishes.needed, wishes.wanted);
    if (type >= VK_MAX_MEMORY_TYPES)
        return Error{fmt::format("{} failed on {}: it has no memory of that kind.", what, device_->info().name)};
    if (needs.size > device_->heap_bytes(type))
        return Error{fmt::format("{} failed on {}: its memory has {} bytes in all.", what, device_->info().name,
                                 device_->heap_bytes(type))};
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = type;
    if (const VkResult r = api.vkAllocateMemory(device_->handle(), &allocate, nullptr, &memory_); r != VK_SUCCESS) {
        memory_ = VK_NULL_HANDLE;
        return device_->failure(what, r);
    }
    if (const VkResult r = api.vkBindBufferMemory(device_->handle(), buffer_, memory_, 0); r != VK_SUCCESS)
        return device_->failure(what, r);
    if (memory != GpuMemory::device || !device_->stages()) {
        void* address = nullptr;
        if (const VkResult r = api.vkMapMemory(device_->handle(), memory_, 0, VK_WHOLE_SIZE, 0, &address);
            r != VK_SUCCESS)
            return device_->failure(what, r);
        mapped_ = static_cast<std::byte*>(address);
        coherent_ = device_->memory_flags(type) & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    }
    bytes_ = bytes;
    device_->set_name(VK_OBJECT_TYPE_BUFFER, reinterpret_cast<uint64_t>(buffer_), name);
    device_->set_name(VK_OBJECT_TYPE_DEVICE_MEMORY, reinterpret_cast<uint64_t>(memory_), name);
    return {};
}

void GpuBuffer::destroy() {
    if (!device_) return;
    const DeviceApi& api = device_->api();
    if (buffer_) api.vkDestroyBuffer(device_->handle(), buffer_, nullptr);
    if (memory_) api.vkFreeMemory(device_->handle(), memory_, nullptr);  // ends its mapping too
    buffer_ = VK_NULL_HANDLE;
    memory_ = VK_NULL_HANDLE;
    mapped_ = nullptr;
    bytes_ = 0;
    device_.reset();
}

GpuBuffer::~GpuBuffer() { destroy(); }

GpuBuffer::GpuBuffer(GpuBuffer&& other) noexcept { *this = std::move(other); }

GpuBuffer& GpuBuffer::operator=(GpuBuffer&& other) noexcept {
    if (this == &other) return *this;
    destroy();
    device_ = std::move(other.device_);
    buffer_ = std::exchange(other.buffer_, VK_NULL_HANDLE);
    memory_ = std::exchange(other.memory_, VK_NULL_HANDLE);
    mapped_ = std::exchange(other.mapped_, nullptr);
    coherent_ = other.coherent_;
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
}

Result<void> GpuBuffer::flush() const {
    if (coherent_ || !mapped_) return {};
    const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory_, 0, VK_WHOLE_SIZE};
    if (const VkResult r = device_->api().vkFlushMappedMemoryRanges(device_->handle(), 1, &range); r != VK_SUCCESS)
        return device_->failure("Writing to the device", r);
    return {};
}

Result<void> GpuBuffer::invalidate() const {
    if (coherent_ || !mapped_) return {};
    const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory_, 0, VK_WHOLE_SIZE};
    if (const VkResult r = device_->api().vkInvalidateMappedMemoryRanges(device_->handle(), 1, &range); r != VK_SUCCESS)
        return device_->failure("Reading from the device", r);
    return {};
}

Result<bool> grow_buffer(GpuBuffer& buffer, const std::shared_ptr<GpuDevice>& device, uint64_t bytes, GpuMemory memory,
                         const std::string& name) {
    if (buffer.handle() && buffer.bytes() >= bytes) return false;
    uint64_t wanted = bytes + bytes / 2;
    if (memory == GpuMemory::device)
        wanted = std::max(bytes, std::min<uint64_t>(wanted, device->limits().maxStorageBufferRange));
    buffer = GpuBuffer();  // the old one goes first: both may not fit
    Result<GpuBuffer> made = GpuBuffer::create(device, wanted, memory, name);
    if (!made) return Error{made.error()};
    buffer = std::move(made.value());
    return true;
}

}  // namespace proxima::engine
