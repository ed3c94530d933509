// SPDX-License-Identifier: MIT
// One Vulkan device with one queue that computes, and draws where asked to, and what buffers, pipelines and
// commands need of it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/core/result.h"
#include "engine/gpu/gpu_instance.h"
#include "engine/gpu/vulkan_api.h"

namespace proxima::engine {

/// What a program needs of its device beyond Vulkan 1.3; checked when the device is opened.
struct GpuRequirements {
    uint32_t storage_buffers = 4;      // seen by one kernel
    uint32_t workgroup_size = 128;     // invocations
    uint32_t push_bytes = 128;         // push constants
    uint64_t storage_bytes = 1 << 27;  // of one buffer
    bool subgroup_arithmetic = false;
};

struct GpuDeviceOptions {
    /// Device memory is not mapped even where it could be: all data go through staging copies, as they do on
    /// a GPU with memory of its own.
    bool force_staging = false;
    /// The queue draws as well as it computes; without, the device computes only.
    bool graphics = false;
    /// Pictures can be shown in windows.
    bool present = false;
    /// Folder for compiled pipelines; empty: they are compiled by every program anew.
    std::string cache_folder;
    GpuRequirements requirements;
};

/// The folder of a user's caches where the system says one, with /proxima; empty otherwise.
std::string default_gpu_cache_folder();

class GpuDevice {
  public:
    /// `choice`: see choose_device. A sentence when there is none, or it offers too little.
    static Result<std::shared_ptr<GpuDevice>> open(std::shared_ptr<GpuInstance> instance, const std::string& choice,
                                                   const GpuDeviceOptions& options = {});
    ~GpuDevice();
    GpuDevice(const GpuDevice&) = delete;
    GpuDevice& operator=(const GpuDevice&) = delete;

    const GpuDeviceInfo& info() const { return info_; }
    /// Whether it was opened to draw, and to show what it draws.
    bool draws() const { return options_.graphics; }
    bool presents() const { return options_.present; }
    const VkPhysicalDeviceLimits& limits() const { return limits_; }
    uint32_t subgroup_size() const { return subgroup_size_; }
    /// Whether device memory is written and read through staging copies.
    bool stages() const { return options_.force_staging || !unified_; }
    /// Seconds of one tick of a timestamp; 0: the queue has none.
    double tick_seconds() const { return tick_seconds_; }
    uint64_t tick_mask() const { return tick_mask_; }
    /// After this every call fails; the owner makes a new device or computes elsewhere.
    bool lost() const { return lost_; }

    GpuInstance& instance() { return *instance_; }
    VkPhysicalDevice physical() const { return physical_; }
    VkDevice handle() const { return device_; }
    VkQueue queue() const { return queue_; }
    uint32_t queue_family() const { return family_; }
    VkPipelineCache pipeline_cache() const { return cache_; }
    const DeviceApi& api() const { return api_; }
    /// Tests put functions that fail into it.
    DeviceApi& api_for_tests() { return api_; }

    /// The first memory type among `allowed` bits with all of `needed`, preferring one with `wanted` as well;
    /// VK_MAX_MEMORY_TYPES when there is none.
    uint32_t find_memory_type(uint32_t allowed, VkMemoryPropertyFlags needed, VkMemoryPropertyFlags wanted) const;
    VkMemoryPropertyFlags memory_flags(uint32_t type) const { return memory_.memoryTypes[type].propertyFlags; }
    uint64_t heap_bytes(uint32_t type) const { return memory_.memoryHeaps[memory_.memoryTypes[type].heapIndex].size; }

    /// A sentence about a call that failed: "What failed on DEVICE: why." Remembers a lost device.
    Error failure(const std::string& what, VkResult result);
    /// Gives an object the name that tools and validation messages show.
    void set_name(VkObjectType type, uint64_t object, const std::string& name) const;
    /// Writes compiled pipelines to the cache folder, when there is one; done at the end as well.
    Result<void> save_pipelines();

  private:
    GpuDevice() = default;
    Result<void> check(const GpuRequirements& needed);
    Result<void> make_device(VkPhysicalDevice physical);
    Result<void> choose_queue();
    Result<void> check_extensions(std::span<const char* const> wanted);
    void load_pipelines();

    std::shared_ptr<GpuInstance> instance_;
    GpuDeviceOptions options_;
    GpuDeviceInfo info_;
    VkPhysicalDeviceLimits limits_{};
    VkPhysicalDeviceProperties properties_{};
    VkPhysicalDeviceMemoryProperties memory_{};
    VkSubgroupFeatureFlags subgroup_operations_ = 0;
    uint32_t subgroup_size_ = 1;
    bool unified_ = false;
    bool lost_ = false;
    double tick_seconds_ = 0.0;
    uint64_t tick_mask_ = 0;
    uint32_t family_ = 0;
    VkPhysicalDevice physical_ = VK_NULL_HANDLE;
    DeviceApi api_;
    VkDevice device_ = VK_NULL_HANDLE;
    VkQueue queue_ = VK_NULL_HANDLE;
    VkPipelineCache cache_ = VK_NULL_HANDLE;
    uint64_t saved_hash_ = 0;  // of the pipelines as they are on disk
};

}  // namespace proxima::engine
