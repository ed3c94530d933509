// SPDX-License-Identifier: MIT
#include "samples/tool/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#ifdef PROXIMA_GPU
#include "engine/gpu/gpu_instance.h"
#endif

namespace proxima::tool {

namespace {

#ifdef PROXIMA_GPU
/// Without the validation layers, which only slow down the making of a list.
Result<std::vector<engine::GpuDeviceInfo>> find_gpus() {
    const Result<std::shared_ptr<engine::GpuInstance>> instance = engine::GpuInstance::create({{}, false});
    if (!instance) return Error{instance.error()};
    return instance.value()->devices();
}

std::string describe(const engine::GpuDeviceInfo& d) {
    return fmt::format("{}: {}, Vulkan {}.{}.{}, {} MB, {}{}", d.name, d.kind, VK_API_VERSION_MAJOR(d.api_version),
                       VK_API_VERSION_MINOR(d.api_version), VK_API_VERSION_PATCH(d.api_version), d.memory >> 20,
                       d.driver, d.usable ? "" : "; not usable: Vulkan 1.3 with compute is needed");
}
#endif

}  // namespace

DeviceList list_devices() {
    DeviceList list;
    list.devices.push_back(
        {"cpu", std::to_string(std::max(1u, std::thread::hardware_concurrency())) + " hardware threads"});
#ifdef PROXIMA_GPU
    const Result<std::vector<engine::GpuDeviceInfo>> gpus = find_gpus();
    if (!gpus)
        list.note = gpus.error();
    else if (gpus->empty())
        list.note = "There is no Vulkan device on this machine.";
    else
        for (const engine::GpuDeviceInfo& d : gpus.value())
            list.devices.push_back({fmt::format("gpu:{}", d.index), describe(d)});
#else
    list.note = "This build of proxima was made without Vulkan.";
#endif
    return list;
}

Result<void> check_run_device(const std::string& device) {
    if (device == "cpu") return {};
#ifdef PROXIMA_GPU
    // Without any device the run itself says so and computes on the cpu; a name that means nothing is a mistake.
    const Result<std::vector<engine::GpuDeviceInfo>> gpus = find_gpus();
    const bool any = gpus && !gpus->empty();
    if (any) {
        const Result<uint32_t> chosen = engine::choose_device(gpus.value(), device);
        if (!chosen) return Error{chosen.error() + " Or use --device cpu, or leave the flag out."};
        return {};
    }
#endif
    if (device == "gpu" || device.starts_with("gpu:")) return {};
    return Error{"There is no device '" + device + "'; use --device cpu, gpu, gpu:INDEX or gpu:NAME."};
}

}  // namespace proxima::tool
