// SPDX-License-Identifier: MIT
// The images of a window, one after the other. Everything that windows do to them is met here: other sizes,
// none while minimised, surfaces that are out of date or lost.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/core/result.h"
#include "engine/gpu/gpu_device.h"
#include "engine/gpu/gpu_image.h"
#include "engine/window/window.h"

namespace proxima::engine {

struct SwapchainOptions {
    bool wait_for_screen = true;  // as many pictures as the screen shows; otherwise as many as are drawn
};

class Swapchain {
  public:
    /// The device must have been opened with graphics and present; the window must live longer.
    static Result<std::unique_ptr<Swapchain>> create(std::shared_ptr<GpuDevice> device, Window& window,
                                                     const SwapchainOptions& options = {});
    ~Swapchain();
    Swapchain(const Swapchain&) = delete;
    Swapchain& operator=(const Swapchain&) = delete;

    /// The image to draw into next; empty when the window has no size now. Whoever draws waits for
    /// GpuTarget::ready and signals GpuTarget::finished, at most two frames ahead of the device.
    Result<GpuTarget> acquire();
    /// Shows the image that was acquired and drawn.
    Result<void> present();

    VkFormat format() const { return format_; }
    void set_wait_for_screen(bool wait);
    /// How often the images were made: after every change of size, and so on.
    uint32_t builds() const { return builds_; }

  private:
    Swapchain(std::shared_ptr<GpuDevice> device, Window& window) : device_(std::move(device)), window_(window) {}
    Result<void> make_surface();
    Result<void> choose_format();
    VkPresentModeKHR choose_mode() const;
    /// Leaves no images where the window has no size.
    Result<void> build();
    Result<void> build_images();
    Result<VkSemaphore> make_semaphore(const char* name);
    void drop_images();
    void drop_surface();

    struct Image {
        VkImage image = VK_NULL_HANDLE;
        VkImageView view = VK_NULL_HANDLE;
        VkSemaphore finished = VK_NULL_HANDLE;
    };

    /// One more than frames that may be under way, and one for the image that is asked for.
    static constexpr uint32_t kReady = 4;

    std::shared_ptr<GpuDevice> device_;
    Window& window_;
    SwapchainOptions options_;
    VkSurfaceKHR surface_ = VK_NULL_HANDLE;
    VkSwapchainKHR swapchain_ = VK_NULL_HANDLE;
    VkFormat format_ = VK_FORMAT_UNDEFINED;
    VkColorSpaceKHR space_ = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
    uint32_t width_ = 0, height_ = 0;
    std::vector<Image> images_;
    std::vector<VkSemaphore> ready_;
    uint32_t next_ready_ = 0;
    uint32_t current_ = 0;
    bool acquired_ = false, stale_ = true, lost_ = false;
    uint32_t builds_ = 0;
};

}  // namespace proxima::engine
