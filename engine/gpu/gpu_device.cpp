// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "engine/core/atomic_file.h"
#include "engine/core/hash.h"
#include "engine/core/log.h"
#include "engine/gpu/pipeline_cache.h"

namespace proxima::engine {

std::string default_gpu_cache_folder() {
    namespace fs = std::filesystem;
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
        return (fs::path(cache) / "proxima").string();
    if (const char* cache = std::getenv("LOCALAPPDATA"); cache && *cache) return (fs::path(cache) / "proxima").string();
    if (const char* home = std::getenv("HOME"); home && *home) return (fs::path(home) / ".cache" / "proxima").string();
    return {};
}

Result<std::shared_ptr<GpuDevice>> GpuDevice::open(std::shared_ptr<GpuInstance> instance, const std::string& choice,
                                                   const GpuDeviceOptions& options) {
    const Result<uint32_t> index = choose_device(instance->devices(), choice);
    if (!index) return Error{index.error()};
    std::shared_ptr<GpuDevice> made(new GpuDevice);
    made->info_ = instance->devices()[index.value()];
    made->options_ = options;
    const VkPhysicalDevice physical = instance->physical_device(index.value());
    made->instance_ = std::move(instance);
    if (Result<void> ready = made->make_device(physical); !ready) return Error{ready.error()};
    made->load_pipelines();
    return made;
}

GpuDevice::~GpuDevice() {
    if (!device_) return;
    if (api_.vkDestroyDevice) {
        if (!lost_) api_.vkDeviceWaitIdle(device_);
        if (cache_) {
            if (Result<void> saved = save_pipelines(); !saved) log_warning("{}", saved.error());
            api_.vkDestroyPipelineCache(device_, cache_, nullptr);
        }
        api_.vkDestroyDevice(device_, nullptr);
    }
}

Result<void> GpuDevice::check(const GpuRequirements& needed) {
    const auto too_little = [&](const char* what, uint64_t has, uint64_t wants) {
        return Error{
            fmt::format("{} offers {} of {} and {} are needed; choose another device, or compute on the "
                        "cpu.",
                        info_.name, has, what, wants)};
    };
    if (limits_.maxPerStageDescriptorStorageBuffers < needed.storage_buffers)
        return too_little("storage buffers in a kernel", limits_.maxPerStageDescriptorStorageBuffers,
                          needed.storage_buffers);
    const uint32_t workgroup = std::min(limits_.maxComputeWorkGroupInvocations, limits_.maxComputeWorkGroupSize[0]);
    if (workgroup < needed.workgroup_size)
        return too_little("invocations in a workgroup", workgroup, needed.workgroup_size);
    if (limits_.maxPushConstantsSize < needed.push_bytes)
        return too_little("bytes of push constants", limits_.maxPushConstantsSize, needed.push_bytes);
    if (limits_.maxStorageBufferRange < needed.storage_bytes)
        return too_little("bytes in a storage buffer", limits_.maxStorageBufferRange, needed.storage_bytes);
    if (needed.subgroup_arithmetic && !(subgroup_operations_ & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT))
        return Error{
            fmt::format("{} cannot compute maxima over subgroups in kernels, which is needed; choose "
                        "another device, or compute on the cpu.",
                        info_.name)};
    return {};
}

Result<void> GpuDevice::make_device(VkPhysicalDevice physical) {
    const InstanceApi& instance = instance_->api();
    physical_ = physical;
    VkPhysicalDeviceSubgroupProperties subgroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    properties.pNext = &subgroup;
    instance.vkGetPhysicalDeviceProperties2(physical, &properties);
    properties_ = properties.properties;
    limits_ = properties.properties.limits;
    subgroup_size_ = subgroup.subgroupSize;
    if (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) subgroup_operations_ = subgroup.supportedOperations;
    instance.vkGetPhysicalDeviceMemoryProperties(physical, &memory_);
    // Memory that is the device's own and the host's at once, on devices without a bus in between. A discrete
    // GPU may show a window of its memory to the host; writes through it are no faster than copies.
    const uint32_t shared =
        find_memory_type(~0u, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, 0);
    unified_ = shared < VK_MAX_MEMORY_TYPES && (properties_.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ||
                                                properties_.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU);
    if (Result<void> enough = check(options_.requirements); !enough) return enough;

    VkPhysicalDeviceVulkan13Features has13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceFeatures2 has{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    has.pNext = &has13;
    instance.vkGetPhysicalDeviceFeatures2(physical, &has);
    if (!has13.synchronization2 || !has13.maintenance4)
        return Error{
            fmt::format("{} lacks synchronization2 or maintenance4, which Vulkan 1.3 promises; update its driver, or "
                        "compute on the cpu.",
                        info_.name)};

    if (options_.graphics && !has13.dynamicRendering)
        return Error{fmt::format(
            "{} lacks dynamicRendering, which Vulkan 1.3 promises; update its driver, or draw elsewhere.", info_.name)};
    if (Result<void> chosen = choose_queue(); !chosen) return chosen;
    std::vector<const char*> extensions;
    if (options_.present) extensions.push_back(VK_KHR_SWAPCHAIN_EXTENSION_NAME);
    if (Result<void> there = check_extensions(extensions); !there) return there;

    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = family_;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkPhysicalDeviceVulkan13Features wants13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    wants13.synchronization2 = VK_TRUE;
    wants13.maintenance4 = VK_TRUE;  // sizes of workgroups as specialisation constants
    wants13.dynamicRendering = options_.graphics ? VK_TRUE : VK_FALSE;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    info.pNext = &wants13;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = uint32_t(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    if (const VkResult r = instance.vkCreateDevice(physical, &info, nullptr, &device_); r != VK_SUCCESS) {
        device_ = VK_NULL_HANDLE;
        return failure("Opening the device", r);
    }
    Result<DeviceApi> api = load_device_api(instance.vkGetDeviceProcAddr, device_);
    if (!api) {
        if (const auto destroy =
                reinterpret_cast<PFN_vkDestroyDevice>(instance.vkGetDeviceProcAddr(device_, "vkDestroyDevice")))
            destroy(device_, nullptr);
        device_ = VK_NULL_HANDLE;
        return Error{api.error()};
    }
    api_ = api.value();
    api_.vkGetDeviceQueue(device_, family_, 0, &queue_);
    return {};
}

Result<void> GpuDevice::choose_queue() {
    // To compute: a family without graphics where there is one, because games keep the other busy. To draw:
    // one that does both, so that a picture may show what a kernel has made without changing hands.
    const InstanceApi& instance = instance_->api();
    uint32_t count = 0;
    instance.vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    instance.vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, families.data());
    family_ = count;
    for (uint32_t f = 0; f < count; ++f) {
        if (families[f].queueCount == 0 || !(families[f].queueFlags & VK_QUEUE_COMPUTE_BIT)) continue;
        const bool draws = families[f].queueFlags & VK_QUEUE_GRAPHICS_BIT;
        if (options_.graphics && !draws) continue;
        const bool best = options_.graphics || !draws;
        if (family_ == count || best) family_ = f;
        if (best) break;
    }
    if (family_ == count)
        return Error{fmt::format(
            "{} has no queue that draws, only queues that compute; choose another device to draw with.", info_.name)};
    const uint32_t bits = families[family_].timestampValidBits;
    if (bits > 0 && limits_.timestampPeriod > 0.0f) {
        tick_seconds_ = 1e-9 * double(limits_.timestampPeriod);
        tick_mask_ = bits >= 64 ? ~0ull : (1ull << bits) - 1;
    }
    return {};
}

Result<void> GpuDevice::check_extensions(std::span<const char* const> wanted) {
    const InstanceApi& instance = instance_->api();
    uint32_t count = 0;
    std::vector<VkExtensionProperties> found;
    if (instance.vkEnumerateDeviceExtensionProperties(physical_, nullptr, &count, nullptr) == VK_SUCCESS) {
        found.resize(count);
        if (instance.vkEnumerateDeviceExtensionProperties(physical_, nullptr, &count, found.data()) < 0) count = 0;
        found.resize(count);
    }
    for (const char* name : wanted)
        if (std::none_of(found.begin(), found.end(),
                         [&](const VkExtensionProperties& e) { return std::strcmp(e.extensionName, name) == 0; }))
            return Error{fmt::format(
                "{} cannot show pictures in windows (it lacks {}); choose another device, or write pictures "
                "to files.",
                info_.name, name)};
    return {};
}

uint32_t GpuDevice::find_memory_type(uint32_t allowed, VkMemoryPropertyFlags needed,
                                     VkMemoryPropertyFlags wanted) const {
    uint32_t found = VK_MAX_MEMORY_TYPES;
    for (uint32_t t = 0; t < memory_.memoryTypeCount; ++t) {
        const VkMemoryPropertyFlags flags = memory_.memoryTypes[t].propertyFlags;
        if (!(allowed & (1u << t)) || (flags & needed) != needed) continue;
        if ((flags & wanted) == wanted) return t;
        if (found == VK_MAX_MEMORY_TYPES) found = t;
    }
    return found;
}

Error GpuDevice::failure(const std::string& what, VkResult result) {
    if (result == VK_ERROR_DEVICE_LOST) lost_ = true;
    return Error{fmt::format("{} failed on {}: {}.", what, info_.name, to_text(result))};
}

void GpuDevice::set_name(VkObjectType type, uint64_t object, const std::string& name) const {
    const auto set = instance_->api().vkSetDebugUtilsObjectNameEXT;
    if (!set || name.empty()) return;
    VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    info.objectType = type;
    info.objectHandle = object;
    info.pObjectName = name.c_str();
    set(device_, &info);
}

void GpuDevice::load_pipelines() {
    const PipelineCacheKey key = make_cache_key(properties_);
    std::vector<std::byte> data;
    if (!options_.cache_folder.empty()) {
        const std::string file = (std::filesystem::path(options_.cache_folder) / cache_file_name(key)).string();
        std::error_code ignored;
        if (std::filesystem::exists(file, ignored)) {
            const Result<std::string> text = read_file(file);
            Result<std::vector<std::byte>> unpacked = text ? unpack_pipelines(key, text.value()) : Error{text.error()};
            if (unpacked)
                data = std::move(unpacked.value());
            else
                log_warning("{} Pipelines are compiled anew; the file is {}.", unpacked.error(), file);
        }
    }
    StateHash hash;
    hash.add_bytes(data);
    saved_hash_ = hash.value();
    VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    info.initialDataSize = data.size();
    info.pInitialData = data.data();
    // Without a cache everything works, only slower.
    if (api_.vkCreatePipelineCache(device_, &info, nullptr, &cache_) != VK_SUCCESS) cache_ = VK_NULL_HANDLE;
}

Result<void> GpuDevice::save_pipelines() {
    if (options_.cache_folder.empty() || !cache_ || lost_) return {};
    size_t size = 0;
    if (api_.vkGetPipelineCacheData(device_, cache_, &size, nullptr) != VK_SUCCESS) return {};
    std::vector<std::byte> data(size);
    if (api_.vkGetPipelineCacheData(device_, cache_, &size, data.data()) != VK_SUCCESS) return {};
    data.resize(size);
    StateHash hash;
    hash.add_bytes(data);
    if (hash.value() == saved_hash_) return {};
    std::error_code ignored;
    std::filesystem::create_directories(options_.cache_folder, ignored);
    const PipelineCacheKey key = make_cache_key(properties_);
    const std::string file = (std::filesystem::path(options_.cache_folder) / cache_file_name(key)).string();
    if (Result<void> written = write_file(file, pack_pipelines(key, data)); !written) return written;
    saved_hash_ = hash.value();
    return {};
}

}  // namespace proxima::engine
