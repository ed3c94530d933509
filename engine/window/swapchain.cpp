// SPDX-License-Identifier: MIT
#include "engine/window/swapchain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace proxima::engine {

Result<std::unique_ptr<Swapchain>> Swapchain::create(std::shared_ptr<GpuDevice> device, Window& window,
                                                     const SwapchainOptions& options) {
    if (!device->draws() || !device->presents())
        return Error{
            fmt::format("{} was not opened to show pictures in windows; open it with graphics and "
                        "present.",
                        device->info().name)};
    std::unique_ptr<Swapchain> made(new Swapchain(std::move(device), window));
    made->options_ = options;
    if (Result<void> r = made->make_surface(); !r) return Error{r.error()};
    if (Result<void> r = made->build(); !r) return Error{r.error()};
    return made;
}

Swapchain::~Swapchain() {
    if (!device_->lost()) device_->api().vkDeviceWaitIdle(device_->handle());
    drop_images();
    drop_surface();
}

Result<void> Swapchain::make_surface() {
    Result<VkSurfaceKHR> made = window_.make_surface(device_->instance());
    if (!made) return Error{made.error()};
    surface_ = made.value();
    VkBool32 can = VK_FALSE;
    const VkResult r = device_->instance().api().vkGetPhysicalDeviceSurfaceSupportKHR(
        device_->physical(), device_->queue_family(), surface_, &can);
    if (r != VK_SUCCESS || !can)
        return Error{
            fmt::format("{} cannot show pictures in this window; choose another device.", device_->info().name)};
    return choose_format();
}

Result<void> Swapchain::choose_format() {
    const InstanceApi& api = device_->instance().api();
    uint32_t count = 0;
    VkResult r = api.vkGetPhysicalDeviceSurfaceFormatsKHR(device_->physical(), surface_, &count, nullptr);
    std::vector<VkSurfaceFormatKHR> formats(count);
    if (r == VK_SUCCESS)
        r = api.vkGetPhysicalDeviceSurfaceFormatsKHR(device_->physical(), surface_, &count, formats.data());
    if (r < VK_SUCCESS) return device_->failure("Asking for the formats of the window", r);
    formats.resize(count);
    // Formats that encode by themselves first: blending is right in them.
    constexpr std::array kWanted = {VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_B8G8R8A8_UNORM,
                                    VK_FORMAT_R8G8B8A8_UNORM};
    for (const VkFormat wanted : kWanted)
        for (const VkSurfaceFormatKHR& f : formats)
            if (f.format == wanted && f.colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR) {
                format_ = wanted;
                space_ = f.colorSpace;
                return {};
            }
    return Error{fmt::format("The window offers {} formats to {} and none has eight bits per colour.", formats.size(),
                             device_->info().name)};
}

VkPresentModeKHR Swapchain::choose_mode() const {
    if (options_.wait_for_screen) return VK_PRESENT_MODE_FIFO_KHR;
    const InstanceApi& api = device_->instance().api();
    uint32_t count = 0;
    std::vector<VkPresentModeKHR> modes;
    if (api.vkGetPhysicalDeviceSurfacePresentModesKHR(device_->physical(), surface_, &count, nullptr) == VK_SUCCESS) {
        modes.resize(count);
        if (api.vkGetPhysicalDeviceSurfacePresentModesKHR(device_->physical(), surface_, &count, modes.data()) <
            VK_SUCCESS)
            count = 0;
        modes.resize(count);
    }
    for (const VkPresentModeKHR wanted : {VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR})
        if (std::find(modes.begin(), modes.end(), wanted) != modes.end()) return wanted;
    return VK_PRESENT_MODE_FIFO_KHR;  // every surface has it
}

Result<VkSemaphore> Swapchain::make_semaphore(const char* name) {
    const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore made = VK_NULL_HANDLE;
    if (const VkResult r = device_->api().vkCreateSemaphore(device_->handle(), &info, nullptr, &made); r != VK_SUCCESS)
        return device_->failure("Making a semaphore of the window", r);
    device_->set_name(VK_OBJECT_TYPE_SEMAPHORE, reinterpret_cast<uint64_t>(made), name);
    return made;
}

void Swapchain::drop_images() {
    const DeviceApi& api = device_->api();
    for (const Image& image : images_) {
        if (image.view) api.vkDestroyImageView(device_->handle(), image.view, nullptr);
        if (image.finished) api.vkDestroySemaphore(device_->handle(), image.finished, nullptr);
    }
    images_.clear();
    for (const VkSemaphore semaphore : ready_) api.vkDestroySemaphore(device_->handle(), semaphore, nullptr);
    ready_.clear();
    if (swapchain_) api.vkDestroySwapchainKHR(device_->handle(), swapchain_, nullptr);
    swapchain_ = VK_NULL_HANDLE;
    acquired_ = false;
}

void Swapchain::drop_surface() {
    if (surface_) device_->instance().api().vkDestroySurfaceKHR(device_->instance().handle(), surface_, nullptr);
    surface_ = VK_NULL_HANDLE;
}

Result<void> Swapchain::build() {
    const DeviceApi& api = device_->api();
    if (device_->lost()) return device_->failure("Showing pictures", VK_ERROR_DEVICE_LOST);
    if (const VkResult r = api.vkDeviceWaitIdle(device_->handle()); r != VK_SUCCESS)
        return device_->failure("Showing pictures", r);
    drop_images();
    stale_ = true;
    width_ = height_ = 0;
    if (lost_ || !surface_) {
        drop_surface();
        if (Result<void> r = make_surface(); !r) return r;
        lost_ = false;
    }
    VkSurfaceCapabilitiesKHR can{};
    VkResult r =
        device_->instance().api().vkGetPhysicalDeviceSurfaceCapabilitiesKHR(device_->physical(), surface_, &can);
    if (r == VK_ERROR_SURFACE_LOST_KHR) {
        lost_ = true;
        return {};
    }
    if (r != VK_SUCCESS) return device_->failure("Asking what the window can do", r);
    VkExtent2D size = can.currentExtent;
    if (size.width == UINT32_MAX) size = {window_.width(), window_.height()};
    if (size.width == 0 || size.height == 0) return {};
    size.width = std::clamp(size.width, can.minImageExtent.width, can.maxImageExtent.width);
    size.height = std::clamp(size.height, can.minImageExtent.height, can.maxImageExtent.height);
    VkSwapchainCreateInfoKHR info{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
    info.surface = surface_;
    info.minImageCount = can.minImageCount + 1;
    if (can.maxImageCount > 0) info.minImageCount = std::min(info.minImageCount, can.maxImageCount);
    info.imageFormat = format_;
    info.imageColorSpace = space_;
    info.imageExtent = size;
    info.imageArrayLayers = 1;
    info.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    info.imageSharingMode = VK_SHARING_MODE_EXCLUSIVE;
    info.preTransform = can.currentTransform;
    info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
    if (!(can.supportedCompositeAlpha & info.compositeAlpha))
        info.compositeAlpha = VkCompositeAlphaFlagBitsKHR(can.supportedCompositeAlpha &
                                                          (~can.supportedCompositeAlpha + 1));  // the lowest
    info.presentMode = choose_mode();
    info.clipped = VK_TRUE;
    r = api.vkCreateSwapchainKHR(device_->handle(), &info, nullptr, &swapchain_);
    if (r != VK_SUCCESS) {
        swapchain_ = VK_NULL_HANDLE;
        if (r == VK_ERROR_SURFACE_LOST_KHR) {
            lost_ = true;
            return {};
        }
        return device_->failure("Making the images of the window", r);
    }
    width_ = size.width;
    height_ = size.height;
    if (Result<void> made = build_images(); !made) return made;
    stale_ = false;
    ++builds_;
    return {};
}

Result<void> Swapchain::build_images() {
    const DeviceApi& api = device_->api();
    uint32_t count = 0;
    VkResult r = api.vkGetSwapchainImagesKHR(device_->handle(), swapchain_, &count, nullptr);
    std::vector<VkImage> handles(count);
    if (r == VK_SUCCESS) r = api.vkGetSwapchainImagesKHR(device_->handle(), swapchain_, &count, handles.data());
    if (r < VK_SUCCESS) return device_->failure("Making the images of the window", r);
    for (const VkImage handle : handles) {
        images_.push_back({handle});
        Image& image = images_.back();
        VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
        view.image = handle;
        view.viewType = VK_IMAGE_VIEW_TYPE_2D;
        view.format = format_;
        view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        r = api.vkCreateImageView(device_->handle(), &view, nullptr, &image.view);
        if (r != VK_SUCCESS) {
            image.view = VK_NULL_HANDLE;
            return device_->failure("Making the images of the window", r);
        }
        const Result<VkSemaphore> finished = make_semaphore("window finished");
        if (!finished) return Error{finished.error()};
        image.finished = finished.value();
    }
    for (uint32_t i = 0; i < kReady; ++i) {
        const Result<VkSemaphore> ready = make_semaphore("window ready");
        if (!ready) return Error{ready.error()};
        ready_.push_back(ready.value());
    }
    return {};
}

Result<GpuTarget> Swapchain::acquire() {
    // A window in the middle of a change may be out of date again at once: a few attempts, then the next frame.
    for (int attempt = 0; attempt < 4; ++attempt) {
        if (window_.minimised()) return GpuTarget{};
        // An image that was acquired and never shown belongs to a frame that failed.
        if (stale_ || lost_ || acquired_ || !swapchain_)
            if (Result<void> built = build(); !built) return Error{built.error()};
        if (lost_) continue;
        if (!swapchain_) return GpuTarget{};
        const VkSemaphore ready = ready_[next_ready_];
        // Some systems hand out no image while the window is hidden: then the program goes on without one.
        constexpr uint64_t kPatience = 1'000'000'000;  // ns
        const VkResult r = device_->api().vkAcquireNextImageKHR(device_->handle(), swapchain_, kPatience, ready,
                                                                VK_NULL_HANDLE, &current_);
        if (r == VK_TIMEOUT || r == VK_NOT_READY) return GpuTarget{};
        if (r == VK_ERROR_OUT_OF_DATE_KHR) {
            stale_ = true;
            continue;
        }
        if (r == VK_ERROR_SURFACE_LOST_KHR) {
            lost_ = true;
            continue;
        }
        if (r != VK_SUCCESS && r != VK_SUBOPTIMAL_KHR) return device_->failure("Asking for an image", r);
        acquired_ = true;
        next_ready_ = (next_ready_ + 1) % kReady;
        GpuTarget target;
        target.image = images_[current_].image;
        target.view = images_[current_].view;
        target.format = format_;
        target.width = width_;
        target.height = height_;
        target.ready = ready;
        target.finished = images_[current_].finished;
        target.shown = true;
        return target;
    }
    return GpuTarget{};
}

Result<void> Swapchain::present() {
    if (!acquired_) return {};  // nothing was drawn: the window is minimised
    acquired_ = false;
    VkPresentInfoKHR info{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
    info.waitSemaphoreCount = 1;
    info.pWaitSemaphores = &images_[current_].finished;
    info.swapchainCount = 1;
    info.pSwapchains = &swapchain_;
    info.pImageIndices = &current_;
    const VkResult r = device_->api().vkQueuePresentKHR(device_->queue(), &info);
    if (r == VK_ERROR_OUT_OF_DATE_KHR || r == VK_SUBOPTIMAL_KHR) {
        stale_ = true;
        return {};
    }
    if (r == VK_ERROR_SURFACE_LOST_KHR) {
        lost_ = true;
        return {};
    }
    if (r != VK_SUCCESS) return device_->failure("Showing a picture", r);
    // Some systems stretch the old picture instead of saying that the size has changed.
    if (!window_.minimised() && (window_.width() != width_ || window_.height() != height_)) stale_ = true;
    return {};
}

void Swapchain::set_wait_for_screen(bool wait) {
    if (options_.wait_for_screen == wait) return;
    options_.wait_for_screen = wait;
    stale_ = true;
}

}  // namespace proxima::engine
