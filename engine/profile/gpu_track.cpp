// SPDX-License-Identifier: MIT
#include "engine/profile/gpu_track.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/core/assert.h"
#include "engine/profile/trace_buffer.h"

#if defined(PROXIMA_TRACY)
#include <tracy/TracyC.h>
#endif

namespace proxima::engine {

GpuTrack::~GpuTrack() {
    if (buffer_) detail::close_trace_buffer(*buffer_);
}

void GpuTrack::add(std::span<const GpuMark> marks, int64_t submitted_ns, int64_t finished_ns) {
    if (marks.empty()) return;
    const bool first = !started_;
    count_ticks(marks);
    if (first) offset_ns_ = submitted_ns - marks_.front().ns;
    align(submitted_ns, finished_ns);
    send_to_tracy();
    if (detail::trace_recording.load(std::memory_order_relaxed)) write_to_trace();
}

void GpuTrack::count_ticks(std::span<const GpuMark> marks) {
    if (!started_) last_tick_ = marks.front().ticks;
    started_ = true;
    marks_.clear();
    for (const GpuMark& mark : marks) {
        // Since the last submit any time may have passed. Within one, more than half way round is a step
        // back, which a zone is spared.
        const uint64_t passed = (mark.ticks - last_tick_) & tick_mask_;
        if (marks_.empty() || passed <= tick_mask_ / 2) {
            ticks_passed_ += passed;
            last_tick_ = mark.ticks;
        }
        marks_.push_back({mark.site, std::llround(double(ticks_passed_) * tick_seconds_ * 1e9)});
    }
}

void GpuTrack::align(int64_t submitted_ns, int64_t finished_ns) {
    const int64_t least = submitted_ns - marks_.front().ns;
    const int64_t most = finished_ns - marks_.back().ns;
    offset_ns_ = std::max(offset_ns_, least);
    if (offset_ns_ > most) offset_ns_ = least;
    for (Mark& mark : marks_) mark.ns += offset_ns_;
}

void GpuTrack::write_to_trace() {
    if (!buffer_) buffer_ = detail::open_trace_buffer(name_);
    std::array<const Mark*, 32> open;  // deeper ones are counted and left out
    size_t depth = 0;
    for (const Mark& mark : marks_) {
        if (mark.site) {
            if (depth < open.size()) open[depth] = &mark;
            ++depth;
            continue;
        }
        PX_ASSERT(depth > 0, "GpuTrack: the end of a zone that has not begun");
        if (--depth >= open.size()) continue;
        detail::record_slice(*buffer_, *open[depth]->site, open[depth]->ns, mark.ns);
    }
    PX_ASSERT(depth == 0, "GpuTrack: a zone that has not ended");
}

// Tracy's own zones for Vulkan keep a pool of queries and a calibration of their own. We have read the
// timestamps already, so they go in through Tracy's interface for other languages: begin and end, each
// followed by its time, in nanoseconds of the host's clock.
void GpuTrack::send_to_tracy() {
#if defined(PROXIMA_TRACY)
    constexpr int kMaxContexts = 255;  // Tracy numbers them with a byte
    if (context_ < 0) {
        context_ = tracy::GetGpuCtxCounter().fetch_add(1, std::memory_order_relaxed);
        if (context_ < kMaxContexts) {
            const auto context = uint8_t(context_);
            ___tracy_emit_gpu_new_context_serial({host_ns(), 1.0f, context, 0, uint8_t(tracy::GpuContextType::Vulkan)});
            ___tracy_emit_gpu_context_name_serial({context, name_.c_str(), uint16_t(name_.size())});
        }
    }
    if (context_ >= kMaxContexts) return;
    const auto context = uint8_t(context_);
    for (const Mark& mark : marks_) {
        const uint16_t query = query_++;
        if (mark.site)
            ___tracy_emit_gpu_zone_begin_serial({reinterpret_cast<uint64_t>(mark.site), query, context});
        else
            ___tracy_emit_gpu_zone_end_serial({query, context});
        ___tracy_emit_gpu_time_serial({mark.ns, query, context});
    }
#endif
}

}  // namespace proxima::engine
