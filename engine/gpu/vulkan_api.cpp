// SPDX-License-Identifier: MIT
#include "engine/gpu/vulkan_api.h"

#include <fmt/format.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace proxima::engine {

const char* vulkan_library_name() {
#if defined(_WIN32)
    return "vulkan-1.dll";
#elif defined(__APPLE__)
    return "libvulkan.1.dylib";
#else
    return "libvulkan.so.1";
#endif
}

Result<VulkanLibrary> open_vulkan_library(const std::string& library) {
    void* entry = nullptr;
    std::string why = "it has no vkGetInstanceProcAddr";
#ifdef _WIN32
    if (HMODULE opened = LoadLibraryA(library.c_str()))
        entry = reinterpret_cast<void*>(GetProcAddress(opened, "vkGetInstanceProcAddr"));
    else
        why = "it could not be opened";
#else
    if (void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL))
        entry = dlsym(opened, "vkGetInstanceProcAddr");
    else if (const char* said = dlerror())
        why = said;
#endif
    if (!entry)
        return Error{
            fmt::format("There is no Vulkan loader on this machine ({}: {}); install one (Debian: libvulkan1) with a "
                        "driver, or compute on the cpu.",
                        library, why)};
    return VulkanLibrary{reinterpret_cast<PFN_vkGetInstanceProcAddr>(entry)};
}

namespace {

/// Fills members of a table and remembers the first name that is not there.
template <class Get, class Handle>
struct Finder {
    Get get;
    Handle handle;
    const char* missing = nullptr;

    template <class Function>
    void operator()(Function& function, const char* name, bool needed = true) {
        function = reinterpret_cast<Function>(get(handle, name));
        if (!function && needed && !missing) missing = name;
    }
};

Error missing_function(const char* name) {
    return Error{
        fmt::format("The Vulkan driver lacks the function {}, which Vulkan 1.3 promises; update the driver, or compute "
                    "on the cpu.",
                    name)};
}

}  // namespace

Result<InstanceApi> load_instance_api(PFN_vkGetInstanceProcAddr get, VkInstance instance) {
    InstanceApi api;
    Finder<PFN_vkGetInstanceProcAddr, VkInstance> find{get, instance};
    find(api.vkDestroyInstance, "vkDestroyInstance");
    find(api.vkEnumeratePhysicalDevices, "vkEnumeratePhysicalDevices");
    find(api.vkGetPhysicalDeviceProperties2, "vkGetPhysicalDeviceProperties2");
    find(api.vkGetPhysicalDeviceFeatures2, "vkGetPhysicalDeviceFeatures2");
    find(api.vkGetPhysicalDeviceMemoryProperties, "vkGetPhysicalDeviceMemoryProperties");
    find(api.vkGetPhysicalDeviceQueueFamilyProperties, "vkGetPhysicalDeviceQueueFamilyProperties");
    find(api.vkCreateDevice, "vkCreateDevice");
    find(api.vkGetDeviceProcAddr, "vkGetDeviceProcAddr");
    find(api.vkGetPhysicalDeviceFormatProperties, "vkGetPhysicalDeviceFormatProperties");
    find(api.vkEnumerateDeviceExtensionProperties, "vkEnumerateDeviceExtensionProperties");
    find(api.vkCreateDebugUtilsMessengerEXT, "vkCreateDebugUtilsMessengerEXT", false);
    find(api.vkDestroyDebugUtilsMessengerEXT, "vkDestroyDebugUtilsMessengerEXT", false);
    find(api.vkSetDebugUtilsObjectNameEXT, "vkSetDebugUtilsObjectNameEXT", false);
    find(api.vkDestroySurfaceKHR, "vkDestroySurfaceKHR", false);
    find(api.vkGetPhysicalDeviceSurfaceSupportKHR, "vkGetPhysicalDeviceSurfaceSupportKHR", false);
    find(api.vkGetPhysicalDeviceSurfaceCapabilitiesKHR, "vkGetPhysicalDeviceSurfaceCapabilitiesKHR", false);
    find(api.vkGetPhysicalDeviceSurfaceFormatsKHR, "vkGetPhysicalDeviceSurfaceFormatsKHR", false);
    find(api.vkGetPhysicalDeviceSurfacePresentModesKHR, "vkGetPhysicalDeviceSurfacePresentModesKHR", false);
    if (find.missing) return missing_function(find.missing);
    return api;
}

Result<DeviceApi> load_device_api(PFN_vkGetDeviceProcAddr get, VkDevice device) {
    DeviceApi api;
    Finder<PFN_vkGetDeviceProcAddr, VkDevice> find{get, device};
    find(api.vkDestroyDevice, "vkDestroyDevice");
    find(api.vkGetDeviceQueue, "vkGetDeviceQueue");
    find(api.vkDeviceWaitIdle, "vkDeviceWaitIdle");
    find(api.vkCreateBuffer, "vkCreateBuffer");
    find(api.vkDestroyBuffer, "vkDestroyBuffer");
    find(api.vkGetBufferMemoryRequirements, "vkGetBufferMemoryRequirements");
    find(api.vkAllocateMemory, "vkAllocateMemory");
    find(api.vkFreeMemory, "vkFreeMemory");
    find(api.vkBindBufferMemory, "vkBindBufferMemory");
    find(api.vkMapMemory, "vkMapMemory");
    find(api.vkFlushMappedMemoryRanges, "vkFlushMappedMemoryRanges");
    find(api.vkInvalidateMappedMemoryRanges, "vkInvalidateMappedMemoryRanges");
    find(api.vkCreateShaderModule, "vkCreateShaderModule");
    find(api.vkDestroyShaderModule, "vkDestroyShaderModule");
    find(api.vkCreateDescriptorSetLayout, "vkCreateDescriptorSetLayout");
    find(api.vkDestroyDescriptorSetLayout, "vkDestroyDescriptorSetLayout");
    find(api.vkCreatePipelineLayout, "vkCreatePipelineLayout");
    find(api.vkDestroyPipelineLayout, "vkDestroyPipelineLayout");
    find(api.vkCreatePipelineCache, "vkCreatePipelineCache");
    find(api.vkDestroyPipelineCache, "vkDestroyPipelineCache");
    find(api.vkGetPipelineCacheData, "vkGetPipelineCacheData");
    find(api.vkCreateComputePipelines, "vkCreateComputePipelines");
    find(api.vkDestroyPipeline, "vkDestroyPipeline");
    find(api.vkCreateDescriptorPool, "vkCreateDescriptorPool");
    find(api.vkDestroyDescriptorPool, "vkDestroyDescriptorPool");
    find(api.vkResetDescriptorPool, "vkResetDescriptorPool");
    find(api.vkAllocateDescriptorSets, "vkAllocateDescriptorSets");
    find(api.vkUpdateDescriptorSets, "vkUpdateDescriptorSets");
    find(api.vkCreateCommandPool, "vkCreateCommandPool");
    find(api.vkDestroyCommandPool, "vkDestroyCommandPool");
    find(api.vkResetCommandPool, "vkResetCommandPool");
    find(api.vkAllocateCommandBuffers, "vkAllocateCommandBuffers");
    find(api.vkBeginCommandBuffer, "vkBeginCommandBuffer");
    find(api.vkEndCommandBuffer, "vkEndCommandBuffer");
    find(api.vkCmdBindPipeline, "vkCmdBindPipeline");
    find(api.vkCmdBindDescriptorSets, "vkCmdBindDescriptorSets");
    find(api.vkCmdPushConstants, "vkCmdPushConstants");
    find(api.vkCmdDispatch, "vkCmdDispatch");
    find(api.vkCmdDispatchIndirect, "vkCmdDispatchIndirect");
    find(api.vkCmdPipelineBarrier2, "vkCmdPipelineBarrier2");
    find(api.vkCmdCopyBuffer, "vkCmdCopyBuffer");
    find(api.vkCmdFillBuffer, "vkCmdFillBuffer");
    find(api.vkCreateQueryPool, "vkCreateQueryPool");
    find(api.vkDestroyQueryPool, "vkDestroyQueryPool");
    find(api.vkCmdResetQueryPool, "vkCmdResetQueryPool");
    find(api.vkCmdWriteTimestamp2, "vkCmdWriteTimestamp2");
    find(api.vkGetQueryPoolResults, "vkGetQueryPoolResults");
    find(api.vkCreateFence, "vkCreateFence");
    find(api.vkDestroyFence, "vkDestroyFence");
    find(api.vkResetFences, "vkResetFences");
    find(api.vkWaitForFences, "vkWaitForFences");
    find(api.vkQueueSubmit2, "vkQueueSubmit2");
    find(api.vkCreateImage, "vkCreateImage");
    find(api.vkDestroyImage, "vkDestroyImage");
    find(api.vkGetImageMemoryRequirements, "vkGetImageMemoryRequirements");
    find(api.vkBindImageMemory, "vkBindImageMemory");
    find(api.vkCreateImageView, "vkCreateImageView");
    find(api.vkDestroyImageView, "vkDestroyImageView");
    find(api.vkCreateSampler, "vkCreateSampler");
    find(api.vkDestroySampler, "vkDestroySampler");
    find(api.vkCreateGraphicsPipelines, "vkCreateGraphicsPipelines");
    find(api.vkCreateSemaphore, "vkCreateSemaphore");
    find(api.vkDestroySemaphore, "vkDestroySemaphore");
    find(api.vkQueueWaitIdle, "vkQueueWaitIdle");
    find(api.vkCmdBeginRendering, "vkCmdBeginRendering");
    find(api.vkCmdEndRendering, "vkCmdEndRendering");
    find(api.vkCmdSetViewport, "vkCmdSetViewport");
    find(api.vkCmdSetScissor, "vkCmdSetScissor");
    find(api.vkCmdBindVertexBuffers, "vkCmdBindVertexBuffers");
    find(api.vkCmdBindIndexBuffer, "vkCmdBindIndexBuffer");
    find(api.vkCmdDraw, "vkCmdDraw");
    find(api.vkCmdDrawIndexed, "vkCmdDrawIndexed");
    find(api.vkCmdCopyBufferToImage, "vkCmdCopyBufferToImage");
    find(api.vkCmdCopyImageToBuffer, "vkCmdCopyImageToBuffer");
    find(api.vkCreateSwapchainKHR, "vkCreateSwapchainKHR", false);
    find(api.vkDestroySwapchainKHR, "vkDestroySwapchainKHR", false);
    find(api.vkGetSwapchainImagesKHR, "vkGetSwapchainImagesKHR", false);
    find(api.vkAcquireNextImageKHR, "vkAcquireNextImageKHR", false);
    find(api.vkQueuePresentKHR, "vkQueuePresentKHR", false);
    if (find.missing) return missing_function(find.missing);
    return api;
}

std::string to_text(VkResult result) {
    switch (result) {
        case VK_SUCCESS:
            return "success";
        case VK_TIMEOUT:
            return "it took too long";
        case VK_ERROR_OUT_OF_HOST_MEMORY:
            return "the machine is out of memory";
        case VK_ERROR_OUT_OF_DEVICE_MEMORY:
            return "the device is out of memory";
        case VK_ERROR_INITIALIZATION_FAILED:
            return "the driver could not start";
        case VK_ERROR_DEVICE_LOST:
            return "the device was lost";
        case VK_ERROR_MEMORY_MAP_FAILED:
            return "its memory could not be mapped";
        case VK_ERROR_LAYER_NOT_PRESENT:
            return "a layer is not there";
        case VK_ERROR_EXTENSION_NOT_PRESENT:
            return "an extension is not there";
        case VK_ERROR_FEATURE_NOT_PRESENT:
            return "a feature is not there";
        case VK_ERROR_INCOMPATIBLE_DRIVER:
            return "no driver was found that fits";
        case VK_ERROR_TOO_MANY_OBJECTS:
            return "there are too many objects";
        case VK_ERROR_FORMAT_NOT_SUPPORTED:
            return "it does not know the format";
        case VK_ERROR_SURFACE_LOST_KHR:
            return "the window's surface was lost";
        case VK_ERROR_NATIVE_WINDOW_IN_USE_KHR:
            return "the window is in use elsewhere";
        case VK_ERROR_OUT_OF_DATE_KHR:
            return "the window has changed";
        default:
            return fmt::format("Vulkan's error {}", int(result));
    }
}

}  // namespace proxima::engine
