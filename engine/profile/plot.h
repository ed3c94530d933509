// SPDX-License-Identifier: MIT
// PX_PLOT("name", value): a number over time, drawn as a curve by Tracy and kept as a counter in trace files;
// mark_frame(): where one frame ends and the next begins. With neither reader a plot costs one relaxed load.
#pragma once

#include <cmath>

#include "engine/profile/zone.h"

namespace proxima::engine {

/// Adds a point to the curve of this name. What is not finite is left out: neither reader can draw it.
inline void plot(const ZoneSite& site, double value) {
#if defined(PROXIMA_TRACY)
    if (std::isfinite(value)) tracy::Profiler::PlotData(site.name, value);
#endif
    if (detail::trace_recording.load(std::memory_order_relaxed) && std::isfinite(value))
        detail::record_value(site, value);
}

/// Ends a frame of the program, for instance one picture; called by the program's own loop, not by libraries.
inline void mark_frame() {
#if defined(PROXIMA_TRACY)
    tracy::Profiler::SendFrameMark(nullptr);
#endif
}
/// Ends a frame of another rhythm, for instance one step of a world. The name is a literal. Trace files have
/// no frames: there a zone around the work says the same.
inline void mark_frame([[maybe_unused]] const char* name) {
#if defined(PROXIMA_TRACY)
    tracy::Profiler::SendFrameMark(name);
#endif
}

}  // namespace proxima::engine

#define PX_PLOT(name, value)                                                                           \
    do {                                                                                               \
        static constexpr ::proxima::engine::ZoneSite px_plot_site{name, __FUNCTION__, __FILE__,        \
                                                                  static_cast<uint32_t>(__LINE__), 0}; \
        ::proxima::engine::plot(px_plot_site, static_cast<double>(value));                             \
    } while (false)
