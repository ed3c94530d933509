// SPDX-License-Identifier: MIT
// Pictures on the device: what passes draw into, what shaders look things up in, and how they are looked up.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/core/result.h"
#include "engine/gpu/gpu_device.h"

namespace proxima::engine {

/// What an image is for; several together.
enum class GpuImageUse : uint8_t {
    drawn = 1,    // passes draw into it: colour or depth, as its format says
    sampled = 2,  // shaders look things up in it
    copied = 4,   // copies read and write it
};
constexpr GpuImageUse operator|(GpuImageUse a, GpuImageUse b) { return GpuImageUse(uint8_t(a) | uint8_t(b)); }
constexpr bool has(GpuImageUse set, GpuImageUse one) { return (uint8_t(set) & uint8_t(one)) != 0; }

struct GpuImageOptions {
    uint32_t width = 0, height = 0;
    VkFormat format = VK_FORMAT_R8G8B8A8_SRGB;
    uint32_t samples = 1;
    GpuImageUse use = GpuImageUse::drawn;
};

bool is_depth_format(VkFormat format);
/// Bytes of one pixel of the formats that are copied to the host; 0 for all others.
uint32_t pixel_bytes(VkFormat format);

/// Move-only owner of a two-dimensional image, its memory and its view.
class GpuImage {
  public:
    GpuImage() = default;
    static Result<GpuImage> create(std::shared_ptr<GpuDevice> device, const GpuImageOptions& options,
                                   const std::string& name);
    ~GpuImage();
    GpuImage(GpuImage&& other) noexcept;
    GpuImage& operator=(GpuImage&& other) noexcept;

    explicit operator bool() const { return image_ != VK_NULL_HANDLE; }
    uint32_t width() const { return options_.width; }
    uint32_t height() const { return options_.height; }
    VkFormat format() const { return options_.format; }
    uint32_t samples() const { return options_.samples; }
    VkImage handle() const { return image_; }
    VkImageView view() const { return view_; }

  private:
    Result<void> make(const std::string& name);
    void destroy();

    std::shared_ptr<GpuDevice> device_;
    GpuImageOptions options_;
    VkImage image_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    VkImageView view_ = VK_NULL_HANDLE;
};

struct GpuSamplerOptions {
    bool linear = true;
    bool repeat = false;    // otherwise the edge goes on
    bool compares = false;  // answers how much of the neighbourhood is not less than a given depth
};

/// Move-only owner of a sampler.
class GpuSampler {
  public:
    GpuSampler() = default;
    static Result<GpuSampler> create(std::shared_ptr<GpuDevice> device, const GpuSamplerOptions& options,
                                     const std::string& name);
    ~GpuSampler();
    GpuSampler(GpuSampler&& other) noexcept;
    GpuSampler& operator=(GpuSampler&& other) noexcept;

    VkSampler handle() const { return sampler_; }

  private:
    void destroy();
    std::shared_ptr<GpuDevice> device_;
    VkSampler sampler_ = VK_NULL_HANDLE;
};

/// Something to draw into that somebody else owns: an image of a window, or one that is read back.
struct GpuTarget {
    VkImage image = VK_NULL_HANDLE;
    VkImageView view = VK_NULL_HANDLE;
    VkFormat format = VK_FORMAT_UNDEFINED;
    uint32_t width = 0, height = 0;
    VkSemaphore ready = VK_NULL_HANDLE;     // waited for before it is drawn into
    VkSemaphore finished = VK_NULL_HANDLE;  // told when it is drawn
    bool shown = false;                     // in a window, otherwise copied from

    /// A window that is minimised has nothing to draw into.
    bool empty() const { return width == 0 || height == 0; }
};

/// An image of our own to draw into; it must stay.
inline GpuTarget target_of(const GpuImage& image) {
    GpuTarget target;
    target.image = image.handle();
    target.view = image.view();
    target.format = image.format();
    target.width = image.width();
    target.height = image.height();
    return target;
}

}  // namespace proxima::engine
