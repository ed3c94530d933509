// SPDX-License-Identifier: MIT
// Zones of one command buffer: timestamps around pieces of work, shown by Tracy and in trace files as a time
// line of the device. When neither looks, nothing is recorded and no query pool is made.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/gpu/gpu_device.h"
#include "engine/profile/gpu_track.h"

namespace proxima::engine {

/// begin, open and close as often as needed, submitted, collect; used again after that. The owner calls
/// release at the end, as for its other handles.
class GpuZones {
  public:
    /// A recording starts; decides whether it is measured. Without a pool of queries it is not.
    void begin(const GpuDevice& device, VkCommandBuffer commands);
    /// A zone begins when all work recorded before is done, and ends when all recorded in it is done. Zones
    /// beyond kMaxZones of a recording are left out.
    void open(const GpuDevice& device, VkCommandBuffer commands, const ZoneSite& site);
    void close(const GpuDevice& device, VkCommandBuffer commands);
    /// Just before the work is handed to the device.
    void submitted() { submitted_ns_ = measures_ ? GpuTrack::host_ns() : 0; }
    /// After the device has finished: reads the clocks and shows the zones. Measuring is not worth an error:
    /// what cannot be read is left out.
    void collect(const GpuDevice& device, GpuTrack& track);
    /// Gives the queries back; the device is idle.
    void release(const GpuDevice& device);

    static constexpr uint32_t kMaxZones = 256;

  private:
    void stamp(const GpuDevice& device, VkCommandBuffer commands, const ZoneSite* site);

    VkQueryPool queries_ = VK_NULL_HANDLE;
    bool measures_ = false;
    uint32_t zones_ = 0;                 // of this recording
    uint32_t depth_ = 0, left_out_ = 0;  // open zones; those of them that are left out
    int64_t submitted_ns_ = 0;
    std::vector<const ZoneSite*> sites_;  // by timestamp; nullptr: an end
    std::vector<uint64_t> ticks_;
    std::vector<GpuMark> marks_;
};

}  // namespace proxima::engine
