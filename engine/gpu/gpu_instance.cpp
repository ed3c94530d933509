// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstring>
#include <string_view>

#include "engine/core/log.h"

namespace proxima::engine {

namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";
constexpr uint32_t kApiVersion = VK_API_VERSION_1_3;

VKAPI_ATTR VkBool32 VKAPI_CALL receive_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                               const VkDebugUtilsMessengerCallbackDataEXT* data, void* instance) {
    if (instance && data && data->pMessage) static_cast<GpuInstance*>(instance)->add_message(data->pMessage);
    return VK_FALSE;  // the call goes on: what is wrong is told, not hidden by another error
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info(GpuInstance* instance) {
    VkDebugUtilsMessengerCreateInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    info.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    info.pfnUserCallback = receive_message;
    info.pUserData = instance;
    return info;
}

bool has_layer(PFN_vkGetInstanceProcAddr get, const char* name) {
    const auto enumerate =
        reinterpret_cast<PFN_vkEnumerateInstanceLayerProperties>(get(nullptr, "vkEnumerateInstanceLayerProperties"));
    uint32_t count = 0;
    if (!enumerate || enumerate(&count, nullptr) != VK_SUCCESS) return false;
    std::vector<VkLayerProperties> layers(count);
    if (enumerate(&count, layers.data()) < VK_SUCCESS) return false;
    layers.resize(count);
    return std::any_of(layers.begin(), layers.end(),
                       [&](const VkLayerProperties& l) { return std::strcmp(l.layerName, name) == 0; });
}

bool has_extension(PFN_vkGetInstanceProcAddr get, const char* layer, const char* name) {
    const auto enumerate = reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(
        get(nullptr, "vkEnumerateInstanceExtensionProperties"));
    uint32_t count = 0;
    if (!enumerate || enumerate(layer, &count, nullptr) != VK_SUCCESS) return false;
    std::vector<VkExtensionProperties> found(count);
    if (enumerate(layer, &count, found.data()) < VK_SUCCESS) return false;
    found.resize(count);
    return std::any_of(found.begin(), found.end(),
                       [&](const VkExtensionProperties& e) { return std::strcmp(e.extensionName, name) == 0; });
}

const char* kind_of(VkPhysicalDeviceType type) {
    switch (type) {
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
            return "discrete";
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
            return "integrated";
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
            return "virtual";
        case VK_PHYSICAL_DEVICE_TYPE_CPU:
            return "software";
        default:
            return "other";
    }
}

/// Smaller is better.
int rank_of(const GpuDeviceInfo& device) {
    constexpr std::array<std::string_view, 4> kOrder = {"discrete", "integrated", "virtual", "software"};
    const auto at = std::find(kOrder.begin(), kOrder.end(), device.kind);
    return int(at - kOrder.begin());
}

std::string lower(std::string text) {
    for (char& c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

std::string names_of(const std::vector<GpuDeviceInfo>& devices) {
    std::string out;
    for (const GpuDeviceInfo& d : devices)
        out += fmt::format("{}gpu:{} is {}", out.empty() ? "" : ", ", d.index, d.name);
    return out;
}

}  // namespace

Result<std::shared_ptr<GpuInstance>> GpuInstance::create(const GpuInstanceOptions& options) {
    const std::string library = options.library.empty() ? vulkan_library_name() : options.library;
    const Result<VulkanLibrary> opened = open_vulkan_library(library);
    if (!opened) return Error{opened.error()};
    const PFN_vkGetInstanceProcAddr get = opened->get;
    const auto create_instance = reinterpret_cast<PFN_vkCreateInstance>(get(nullptr, "vkCreateInstance"));
    // A loader older than 1.1 does not even have the function that tells its version.
    const auto enumerate_version =
        reinterpret_cast<PFN_vkEnumerateInstanceVersion>(get(nullptr, "vkEnumerateInstanceVersion"));
    uint32_t version = VK_API_VERSION_1_0;
    if (enumerate_version) enumerate_version(&version);
    if (!create_instance || version < kApiVersion)
        return Error{
            fmt::format("The Vulkan loader {} knows version {}.{} only and 1.3 is needed; update it, "
                        "or compute on the cpu.",
                        library, VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version))};

    const bool validate = options.validation && has_layer(get, kValidationLayer);
    if (options.validation && !validate)
        log_warning(
            "Vulkan's validation layer is not installed (Debian: vulkan-validationlayers); going on "
            "without.");
    std::vector<const char*> layers, extensions;
    if (validate) layers.push_back(kValidationLayer);
    const bool debug_utils = has_extension(get, nullptr, VK_EXT_DEBUG_UTILS_EXTENSION_NAME) ||
                             (validate && has_extension(get, kValidationLayer, VK_EXT_DEBUG_UTILS_EXTENSION_NAME));
    if (debug_utils) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    for (const std::string& wanted : options.extensions) {
        if (!has_extension(get, nullptr, wanted.c_str()))
            return Error{fmt::format(
                "The Vulkan loader {} does not know {}, which the window needs; update it and the driver, or "
                "run without a window.",
                library, wanted)};
        extensions.push_back(wanted.c_str());
    }

    std::shared_ptr<GpuInstance> made(new GpuInstance);
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.pApplicationName = "proxima";
    application.apiVersion = kApiVersion;
    // Synchronisation validation is the only thing that sees a missing barrier: drivers often hide it.
    const VkValidationFeatureEnableEXT enabled[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    VkValidationFeaturesEXT features{VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT};
    features.enabledValidationFeatureCount = 1;
    features.pEnabledValidationFeatures = enabled;
    VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(made.get());
    messenger.pNext = &features;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    info.enabledLayerCount = uint32_t(layers.size());
    info.ppEnabledLayerNames = layers.data();
    info.enabledExtensionCount = uint32_t(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    if (validate && debug_utils) info.pNext = &messenger;
    if (const VkResult result = create_instance(&info, nullptr, &made->instance_); result != VK_SUCCESS) {
        made->instance_ = VK_NULL_HANDLE;
        return Error{
            fmt::format("There is no Vulkan device on this machine ({}); install a driver (Debian: "
                        "mesa-vulkan-drivers has "
                        "one in software), or compute on the cpu.",
                        to_text(result))};
    }
    Result<InstanceApi> api = load_instance_api(get, made->instance_);
    if (!api) {
        // Without the table there is nothing to destroy the instance with but the function itself.
        if (const auto destroy = reinterpret_cast<PFN_vkDestroyInstance>(get(made->instance_, "vkDestroyInstance")))
            destroy(made->instance_, nullptr);
        made->instance_ = VK_NULL_HANDLE;
        return Error{api.error()};
    }
    made->api_ = api.value();
    if (validate && made->api_.vkCreateDebugUtilsMessengerEXT) {
        const VkDebugUtilsMessengerCreateInfoEXT lasting = messenger_info(made.get());
        made->api_.vkCreateDebugUtilsMessengerEXT(made->instance_, &lasting, nullptr, &made->messenger_);
    }
    if (Result<void> found = made->find_devices(); !found) return Error{found.error()};
    return made;
}

GpuInstance::~GpuInstance() {
    if (messenger_) api_.vkDestroyDebugUtilsMessengerEXT(instance_, messenger_, nullptr);
    if (instance_) api_.vkDestroyInstance(instance_, nullptr);
}

Result<void> GpuInstance::find_devices() {
    uint32_t count = 0;
    VkResult result = api_.vkEnumeratePhysicalDevices(instance_, &count, nullptr);
    if (result == VK_SUCCESS) {
        physical_.resize(count);
        result = api_.vkEnumeratePhysicalDevices(instance_, &count, physical_.data());
        physical_.resize(result >= VK_SUCCESS ? count : 0);
    }
    // A loader without any driver may say so here instead of at its start; that is an empty list, not a failure.
    for (uint32_t i = 0; i < uint32_t(physical_.size()); ++i) {
        VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
        VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
        properties.pNext = &driver;
        api_.vkGetPhysicalDeviceProperties2(physical_[i], &properties);
        GpuDeviceInfo info;
        info.index = i;
        info.name = properties.properties.deviceName;
        info.driver = driver.driverInfo[0] ? fmt::format("{} {}", driver.driverName, driver.driverInfo)
                                           : std::string(driver.driverName);
        info.kind = kind_of(properties.properties.deviceType);
        info.api_version = properties.properties.apiVersion;
        VkPhysicalDeviceMemoryProperties memory{};
        api_.vkGetPhysicalDeviceMemoryProperties(physical_[i], &memory);
        for (uint32_t h = 0; h < memory.memoryHeapCount; ++h)
            if (memory.memoryHeaps[h].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
                info.memory = std::max<uint64_t>(info.memory, memory.memoryHeaps[h].size);
        uint32_t families = 0;
        api_.vkGetPhysicalDeviceQueueFamilyProperties(physical_[i], &families, nullptr);
        std::vector<VkQueueFamilyProperties> queues(families);
        api_.vkGetPhysicalDeviceQueueFamilyProperties(physical_[i], &families, queues.data());
        const bool computes = std::any_of(queues.begin(), queues.end(), [](const auto& q) {
            return q.queueCount > 0 && (q.queueFlags & VK_QUEUE_COMPUTE_BIT);
        });
        info.draws = std::any_of(queues.begin(), queues.end(), [](const auto& q) {
            return q.queueCount > 0 && (q.queueFlags & VK_QUEUE_GRAPHICS_BIT) && (q.queueFlags & VK_QUEUE_COMPUTE_BIT);
        });
        info.usable = computes && info.api_version >= kApiVersion;
        devices_.push_back(std::move(info));
    }
    return {};
}

std::vector<std::string> GpuInstance::messages() const {
    const std::lock_guard lock(mutex_);
    return messages_;
}

void GpuInstance::add_message(std::string message) {
    log_error("Vulkan validation: {}", message);
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
}

Result<uint32_t> choose_device(const std::vector<GpuDeviceInfo>& devices, const std::string& choice) {
    if (choice != "gpu" && !choice.starts_with("gpu:"))
        return Error{fmt::format("'{}' is not a device: write gpu, gpu:INDEX or gpu:NAME.", choice)};
    if (devices.empty())
        return Error{
            "There is no Vulkan device on this machine; install a driver (Debian: mesa-vulkan-drivers has "
            "one "
            "in software), or compute on the cpu."};
    if (choice == "gpu" || choice == "gpu:") {
        const GpuDeviceInfo* best = nullptr;
        for (const GpuDeviceInfo& d : devices)
            if (d.usable && (!best || rank_of(d) < rank_of(*best))) best = &d;
        if (best) return best->index;
        return Error{fmt::format("No device here offers Vulkan 1.3 ({}); update its driver, or compute on the cpu.",
                                 names_of(devices))};
    }
    const std::string wanted = choice.substr(4);
    const GpuDeviceInfo* found = nullptr;
    uint32_t index = 0;
    const auto [end, code] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
    if (code == std::errc() && end == wanted.data() + wanted.size()) {
        if (index < devices.size()) found = &devices[index];
    } else {
        for (const GpuDeviceInfo& d : devices)
            if (!found && lower(d.name).find(lower(wanted)) != std::string::npos) found = &d;
    }
    if (!found) return Error{fmt::format("There is no device '{}': {}.", choice, names_of(devices))};
    if (!found->usable)
        return Error{fmt::format(
            "{} offers Vulkan {}.{} and 1.3 is needed; update its driver or choose another "
            "device.",
            found->name, VK_API_VERSION_MAJOR(found->api_version), VK_API_VERSION_MINOR(found->api_version))};
    return found->index;
}

}  // namespace proxima::engine
