// SPDX-License-Identifier: MIT
// GpuTrack: zones that a device measured with its own clock, as a time line of their own in Tracy and in
// trace files. Knows nothing of Vulkan: it is given marks and the moments between which the device worked.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/profile/zone.h"

namespace proxima::engine {

namespace detail {
struct TraceBuffer;
}

/// Begin or end of a zone on the device.
struct GpuMark {
    const ZoneSite* site = nullptr;  ///< nullptr: the end of the youngest zone that is open
    uint64_t ticks = 0;              ///< the device's clock
};

/// One time line. Used by one thread at a time; what it is given comes in the order the device worked in.
///
/// Device and host have different clocks. Vulkan compares them through an extension that not every driver
/// has; what every program knows is that the device began after the submit and had ended when the wait was
/// over. The difference of the clocks is therefore at least submitted - first mark, and at most finished -
/// last mark. The largest of the lower bounds is used: it belongs to the submit that started fastest. When
/// clocks drift apart until the bounds exclude it, the latest bound takes its place.
class GpuTrack {
  public:
    /// The clock counts `tick_seconds` at a time and starts again at zero after `tick_mask`.
    GpuTrack(std::string name, double tick_seconds, uint64_t tick_mask)
        : name_(std::move(name)), tick_seconds_(tick_seconds), tick_mask_(tick_mask) {}
    ~GpuTrack();
    GpuTrack(const GpuTrack&) = delete;
    GpuTrack& operator=(const GpuTrack&) = delete;

    /// Whether anybody looks: always with Tracy, otherwise while a trace is recorded.
    static bool wanted() {
#if defined(PROXIMA_TRACY)
        return true;
#else
        return detail::trace_recording.load(std::memory_order_relaxed);
#endif
    }

    /// The marks of one submit. Times of the host are those of host_ns(). Begins and ends must match.
    void add(std::span<const GpuMark> marks, int64_t submitted_ns, int64_t finished_ns);

    /// Nanoseconds of the host's clock that zones are measured with.
    static int64_t host_ns() { return detail::trace_clock_ns(); }

  private:
    struct Mark {
        const ZoneSite* site;
        int64_t ns;  // of the device, later of the host
    };
    void count_ticks(std::span<const GpuMark> marks);
    void align(int64_t submitted_ns, int64_t finished_ns);
    void send_to_tracy();
    void write_to_trace();

    std::string name_;
    double tick_seconds_;
    uint64_t tick_mask_;
    std::shared_ptr<detail::TraceBuffer> buffer_;  // made when first needed
    std::vector<Mark> marks_;                      // of this submit
    bool started_ = false;
    uint64_t last_tick_ = 0, ticks_passed_ = 0;  // since the first mark: goes on where the clock starts again
    int64_t offset_ns_ = 0;                      // host minus device
#if defined(PROXIMA_TRACY)
    int context_ = -1;  // of Tracy; -1: not made yet
    uint16_t query_ = 0;
#endif
};

/// One zone of recorded work, from construction to destruction. The recorder has
/// begin_zone(site) and end_zone().
template <class Recorder>
class GpuZone {
  public:
    GpuZone(Recorder& recorder, const ZoneSite& site) : recorder_(recorder) { recorder_.begin_zone(site); }
    ~GpuZone() { recorder_.end_zone(); }
    GpuZone(const GpuZone&) = delete;
    GpuZone& operator=(const GpuZone&) = delete;

  private:
    Recorder& recorder_;
};

}  // namespace proxima::engine

// Like PX_ZONE, for what is recorded until the end of the scope.
#define PX_GPU_ZONE(recorder, name)                                                         \
    static constexpr ::proxima::engine::ZoneSite PX_ZONE_JOIN(px_gpu_zone_site_, __LINE__){ \
        name, __FUNCTION__, __FILE__, static_cast<uint32_t>(__LINE__), 0};                  \
    const ::proxima::engine::GpuZone PX_ZONE_JOIN(px_gpu_zone_, __LINE__)(recorder,         \
                                                                          PX_ZONE_JOIN(px_gpu_zone_site_, __LINE__))
