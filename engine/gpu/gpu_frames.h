// SPDX-License-Identifier: MIT
// Frames of pictures: while the device draws one, the host records the next. Each frame in flight has its own
// commands, its own memory for data that are new in every frame, its own descriptors and its own clock, and
// all of them are used again as soon as its picture is finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/gpu/gpu_buffer.h"
#include "engine/gpu/gpu_device.h"
#include "engine/gpu/gpu_graphics.h"
#include "engine/gpu/gpu_image.h"
#include "engine/gpu/gpu_zones.h"

namespace proxima::engine {

/// What an image was or will be used for; decides its layout, and which stages wait for which.
enum class GpuImageState : uint8_t { drawn, depth, sampled, copied_from, copied_to, shown };

/// A piece of a buffer that lives as long as its frame. The host writes it, never reads it.
struct GpuSlice {
    VkBuffer buffer = VK_NULL_HANDLE;
    uint64_t offset = 0, bytes = 0;
    std::byte* host = nullptr;
};

/// What stands behind one number of a GpuDrawLayout.
struct GpuSlotValue {
    GpuSlice uniforms;
    const GpuImage* image = nullptr;
    const GpuSampler* sampler = nullptr;
};

/// The attachments of one pass.
struct GpuPass {
    uint32_t width = 0, height = 0;
    VkImageView colour = VK_NULL_HANDLE;
    VkImageView resolve = VK_NULL_HANDLE;  // gets the mean of the samples of colour
    bool clear_colour = false, keep_colour = true;
    VkClearColorValue colour_value{};
    VkImageView depth = VK_NULL_HANDLE;
    bool clear_depth = false, keep_depth = false;
    float depth_value = 0.0f;
};

class GpuFrames {
  public:
    /// `in_flight`: frames that the host may be ahead of the device.
    static Result<std::unique_ptr<GpuFrames>> create(std::shared_ptr<GpuDevice> device, uint32_t in_flight,
                                                     const std::string& name);
    ~GpuFrames();
    GpuFrames(const GpuFrames&) = delete;
    GpuFrames& operator=(const GpuFrames&) = delete;

    /// Starts the next frame. Waits until the device has finished the one that used its memory before.
    Result<void> begin();
    /// Memory of this frame that the host writes before submit and that vertices, indices, uniforms and
    /// copies are read from. Goes through staging copies where device memory is not the host's.
    Result<GpuSlice> upload(uint64_t bytes, uint64_t alignment = 16);
    /// Descriptors that live as long as the frame.
    Result<VkDescriptorSet> bindings(const GpuDrawLayout& layout, std::span<const GpuSlotValue> values);

    /// Orders two uses of an image. `discard`: what was in it is not needed any more.
    void barrier(VkImage image, bool depth_format, GpuImageState before, GpuImageState after, bool discard);
    void barrier(const GpuImage& image, GpuImageState before, GpuImageState after, bool discard = false) {
        barrier(image.handle(), is_depth_format(image.format()), before, after, discard);
    }
    /// Copies into a buffer are seen by everything that draws after this.
    void barrier_after_copies();

    void begin_pass(const GpuPass& pass);
    void end_pass();
    void viewport(float x, float y, float width, float height);
    void scissor(int32_t x, int32_t y, uint32_t width, uint32_t height);
    void bind(const GpuGraphicsPipeline& pipeline);
    void bind(const GpuDrawLayout& layout, VkDescriptorSet set);
    void push(const GpuDrawLayout& layout, const void* data, uint32_t bytes);
    void vertices(uint32_t stream, VkBuffer buffer, uint64_t offset);
    void indices(VkBuffer buffer, uint64_t offset, VkIndexType type);
    void draw(uint32_t vertices, uint32_t instances, uint32_t first_instance = 0);
    void draw_indexed(uint32_t indices, uint32_t instances, uint32_t first_index, int32_t first_vertex,
                      uint32_t first_instance);

    void copy(const GpuSlice& from, const GpuBuffer& to, uint64_t offset);
    /// The whole image, from tightly packed rows; it must be in the state copied_to.
    void copy(const GpuSlice& from, const GpuImage& to);
    /// A rectangle into tightly packed rows of a readback buffer; the image must be in the state copied_from.
    void copy(VkImage from, bool depth_format, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
              const GpuBuffer& to, uint64_t offset = 0);

    /// The device's clock when everything recorded so far is done; the number is for seconds_between.
    uint32_t timestamp();
    /// A zone of the device's time line in profiles; may lie in another one. PX_GPU_ZONE does both.
    void begin_zone(const ZoneSite& site) { slots_[current_].zones.open(*device_, slots_[current_].draws, site); }
    void end_zone() { slots_[current_].zones.close(*device_, slots_[current_].draws); }
    /// Hands the frame to the device. `wait` is waited for before anything is drawn; `signal` when done.
    Result<void> submit(VkSemaphore wait = VK_NULL_HANDLE, VkSemaphore signal = VK_NULL_HANDLE);
    /// Until everything that was submitted is finished.
    Result<void> wait();

    /// Of the youngest frame whose times are known: after wait the last one, else an older one. 0 before.
    double seconds_between(uint32_t first, uint32_t second) const;
    /// Bytes that uploads of the last submitted frame took.
    uint64_t uploaded_bytes() const { return uploaded_; }
    bool recording() const { return recording_; }

  private:
    struct Chunk {
        GpuBuffer host;    // mapped; where the device has no memory in common with the host: staging
        GpuBuffer device;  // empty without staging
        uint64_t used = 0;
    };
    struct Slot {
        VkCommandPool pool = VK_NULL_HANDLE;
        VkCommandBuffer copies = VK_NULL_HANDLE, draws = VK_NULL_HANDLE;
        VkFence fence = VK_NULL_HANDLE;
        VkQueryPool queries = VK_NULL_HANDLE;
        std::vector<Chunk> chunks;
        std::vector<VkDescriptorPool> descriptors;
        uint32_t descriptor_pool = 0;  // the one in use
        uint32_t timestamps = 0;
        GpuZones zones;
        bool submitted = false;
    };

    GpuFrames() = default;
    Result<void> make(Slot& slot, const std::string& name);
    Result<void> finish(Slot& slot);
    Result<void> record_copies(Slot& slot);
    Result<VkDescriptorPool> add_descriptor_pool(Slot& slot);

    static constexpr uint32_t kMaxTimestamps = 32;

    std::shared_ptr<GpuDevice> device_;
    std::string name_;
    std::vector<Slot> slots_;
    uint32_t current_ = 0;
    bool recording_ = false;
    uint64_t uploaded_ = 0;
    std::vector<uint64_t> ticks_;
    std::unique_ptr<GpuTrack> track_;
};

}  // namespace proxima::engine
