// SPDX-License-Identifier: MIT
// A piece of memory that kernels read and write. Each buffer has an allocation of its own: programs here have
// tens of large buffers, not thousands of small ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/core/result.h"
#include "engine/gpu/gpu_device.h"

namespace proxima::engine {

enum class GpuMemory : uint8_t {
    device,    // where kernels are fast; mapped only where that is the host's memory too
    upload,    // the host writes, copies read
    readback,  // copies write, the host reads: cached where possible
};

/// Move-only owner of a buffer. An empty one (default) may be asked for its size only.
class GpuBuffer {
  public:
    GpuBuffer() = default;
    static Result<GpuBuffer> create(std::shared_ptr<GpuDevice> device, uint64_t bytes, GpuMemory memory,
                                    const std::string& name);
    ~GpuBuffer();
    GpuBuffer(GpuBuffer&& other) noexcept;
    GpuBuffer& operator=(GpuBuffer&& other) noexcept;

    uint64_t bytes() const { return bytes_; }
    VkBuffer handle() const { return buffer_; }
    /// The memory as the host sees it; nullptr when it does not.
    std::byte* mapped() const { return mapped_; }
    /// After the host has written: for memory that is not coherent, does nothing otherwise.
    Result<void> flush() const;
    /// Before the host reads what the device has written.
    Result<void> invalidate() const;

  private:
    Result<void> make(uint64_t bytes, GpuMemory memory, const std::string& name);
    void destroy();

    std::shared_ptr<GpuDevice> device_;
    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    std::byte* mapped_ = nullptr;
    bool coherent_ = true;
    uint64_t bytes_ = 0;
};

/// Makes the buffer larger when it holds less than `bytes`, by half as much again as needed; what was in it
/// is lost then. True in the result: it is another buffer now, and descriptors must follow.
Result<bool> grow_buffer(GpuBuffer& buffer, const std::shared_ptr<GpuDevice>& device, uint64_t bytes, GpuMemory memory,
                         const std::string& name);

}  // namespace proxima::engine
