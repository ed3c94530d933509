// SPDX-License-Identifier: MIT
// Work for the device: begin, record, finish. One submit, then the host waits; data go up before and come
// down after it, through staging copies where device memory is not the host's.
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
#include "engine/gpu/gpu_pipeline.h"
#include "engine/gpu/gpu_zones.h"

namespace proxima::engine {

/// What touches memory before or after a barrier.
enum class GpuAccess : uint8_t { kernels = 1, copies = 2, arguments = 4 };  // arguments: of indirect dispatches
constexpr GpuAccess operator|(GpuAccess a, GpuAccess b) { return GpuAccess(uint8_t(a) | uint8_t(b)); }
constexpr bool has(GpuAccess set, GpuAccess one) { return (uint8_t(set) & uint8_t(one)) != 0; }

/// What was recorded since begin.
struct GpuCounts {
    uint32_t submits = 0, dispatches = 0, barriers = 0, copies = 0;
    uint64_t bytes_up = 0, bytes_down = 0;

    GpuCounts& operator+=(const GpuCounts& more) {
        submits += more.submits;
        dispatches += more.dispatches;
        barriers += more.barriers;
        copies += more.copies;
        bytes_up += more.bytes_up;
        bytes_down += more.bytes_down;
        return *this;
    }
};

class GpuCommands {
  public:
    static Result<std::unique_ptr<GpuCommands>> create(std::shared_ptr<GpuDevice> device, const std::string& name);
    ~GpuCommands();
    GpuCommands(const GpuCommands&) = delete;
    GpuCommands& operator=(const GpuCommands&) = delete;

    Result<void> begin();
    /// Host data into a buffer, before everything that is recorded after the next barrier from `copies`.
    /// The bytes are taken at once. Not for a buffer that kernels recorded before this have used.
    Result<void> upload(const GpuBuffer& buffer, uint64_t offset, std::span<const std::byte> bytes);
    /// The same for data that are made on the way: where the host writes them, before finish. Never read
    /// from it, it may be memory that is slow to read.
    Result<std::span<std::byte>> stage(const GpuBuffer& buffer, uint64_t offset, uint64_t bytes);
    template <class T>
    Result<void> upload(const GpuBuffer& buffer, std::span<const T> values) {
        return upload(buffer, 0, std::as_bytes(values));
    }
    void fill(const GpuBuffer& buffer, uint64_t offset, uint64_t bytes, uint32_t word);
    void bind(const GpuLayout& layout, const GpuBindings& bindings);
    void push(const GpuLayout& layout, const void* data, uint32_t bytes);
    void dispatch(const GpuPipeline& pipeline, uint32_t workgroups);
    /// The device reads the number of workgroups (three words) from the buffer.
    void dispatch_indirect(const GpuPipeline& pipeline, const GpuBuffer& arguments, uint64_t offset);
    /// What `before` has written is seen by `after`, and what `before` has read may be overwritten by it.
    void barrier(GpuAccess before, GpuAccess after);
    /// Fills `into` when finish returns, with what the buffer holds here; wants a barrier to `copies` first.
    Result<void> download(const GpuBuffer& buffer, uint64_t offset, std::span<std::byte> into);
    template <class T>
    Result<void> download(const GpuBuffer& buffer, std::span<T> into) {
        return download(buffer, 0, std::as_writable_bytes(into));
    }
    /// Notes the device's clock when everything so far is done; the number is for seconds_between. Where the
    /// queue has no clock all times are 0.
    uint32_t timestamp();
    /// A zone of the device's time line in profiles; may lie in another one. PX_GPU_ZONE does both.
    void begin_zone(const ZoneSite& site) { zones_.open(*device_, commands_, site); }
    void end_zone() { zones_.close(*device_, commands_); }
    /// Submits, waits, and copies the downloads to the host. After a failure nothing has been downloaded.
    Result<void> finish();

    double seconds_between(uint32_t first, uint32_t second) const;
    const GpuCounts& counts() const { return counts_; }

  private:
    /// Staging memory that grows in pieces and is used again by the next recording.
    struct Chunk {
        GpuBuffer buffer;
        uint64_t used = 0;
    };
    struct Download {
        const GpuBuffer* buffer;  // mapped: the buffer itself
        uint64_t offset;
        std::span<std::byte> into;
        uint32_t chunk;  // else where in staging
        uint64_t chunk_offset;
    };
    struct Allocation {
        uint32_t chunk;
        uint64_t offset;
    };

    GpuCommands() = default;
    Result<void> make(const std::string& name);
    Result<Allocation> reserve(std::vector<Chunk>& chunks, uint64_t bytes, GpuMemory memory);
    Result<void> collect();

    static constexpr uint32_t kMaxTimestamps = 256;

    std::shared_ptr<GpuDevice> device_;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    VkFence fence_ = VK_NULL_HANDLE;
    VkQueryPool queries_ = VK_NULL_HANDLE;
    bool recording_ = false;
    uint32_t timestamps_ = 0;
    GpuZones zones_;
    std::unique_ptr<GpuTrack> track_;
    std::vector<uint64_t> ticks_;
    std::vector<Chunk> uploads_, readbacks_;
    std::vector<Download> downloads_;
    std::vector<const GpuBuffer*> written_;  // mapped buffers that the host wrote to
    GpuCounts counts_;
};

}  // namespace proxima::engine
