// SPDX-License-Identifier: MIT
// The connection to Vulkan: the devices that there are, and what the validation layers say.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/gpu/vulkan_api.h"

namespace proxima::engine {

/// One line of the list of devices.
struct GpuDeviceInfo {
    uint32_t index = 0;  // of `gpu:INDEX`
    std::string name;
    std::string driver;
    std::string kind;          // "discrete", "integrated", "virtual", "software", "other"
    uint32_t api_version = 0;  // VK_MAKE_API_VERSION
    uint64_t memory = 0;       // of its largest local heap, bytes
    bool usable = false;       // Vulkan 1.3 and a queue that computes
    bool draws = false;        // a queue that draws and computes
};

#ifdef NDEBUG
inline constexpr bool kValidateByDefault = false;
#else
inline constexpr bool kValidateByDefault = true;
#endif

struct GpuInstanceOptions {
    std::string library;                   // of the loader; empty: the usual one of this system
    bool validation = kValidateByDefault;  // core and synchronisation, where the layer is installed
    std::vector<std::string> extensions;   // that must be there: a window names those it is shown with
};

/// Keeps the loader's instance, and every message of the validation layers.
class GpuInstance {
  public:
    /// A sentence when there is no loader, or it cannot make an instance.
    static Result<std::shared_ptr<GpuInstance>> create(const GpuInstanceOptions& options = {});
    ~GpuInstance();
    GpuInstance(const GpuInstance&) = delete;
    GpuInstance& operator=(const GpuInstance&) = delete;

    /// In the order of `gpu:INDEX`, which is the loader's.
    const std::vector<GpuDeviceInfo>& devices() const { return devices_; }
    /// Whether the layers were found and are watching.
    bool validating() const { return messenger_ != VK_NULL_HANDLE; }
    /// Warnings and errors of the layers so far, oldest first.
    std::vector<std::string> messages() const;

    const InstanceApi& api() const { return api_; }
    VkInstance handle() const { return instance_; }
    VkPhysicalDevice physical_device(uint32_t index) const { return physical_[index]; }

    /// For the callback of the layers.
    void add_message(std::string message);

  private:
    GpuInstance() = default;
    Result<void> find_devices();

    InstanceApi api_;
    VkInstance instance_ = VK_NULL_HANDLE;
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    std::vector<VkPhysicalDevice> physical_;
    std::vector<GpuDeviceInfo> devices_;
    mutable std::mutex mutex_;  // layers speak on the thread of the call, whichever that is
    std::vector<std::string> messages_;
};

/// The index in the list that a choice means: "gpu" the fastest kind of device, "gpu:2" by its index,
/// "gpu:NAME" by a part of its name in any case.
Result<uint32_t> choose_device(const std::vector<GpuDeviceInfo>& devices, const std::string& choice);

}  // namespace proxima::engine
