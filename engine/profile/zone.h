// SPDX-License-Identifier: MIT
// PX_ZONE("name"): the time from here to the end of the scope, shown by Tracy where the build has it and
// written to the trace file while one is being recorded. With neither, a zone costs one relaxed atomic load.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#if defined(PROXIMA_TRACY)
#include <tracy/Tracy.hpp>
#endif

namespace proxima::engine {

// Where a zone stands in the source. Both readers keep the pointer and look at it later, so a site lives as
// long as the program: PX_ZONE makes it static, make_zone_site interns it. Same fields as Tracy's, so that
// Tracy's own type can take its place.
#if defined(PROXIMA_TRACY)
using ZoneSite = tracy::SourceLocationData;
#else
struct ZoneSite {
    const char* name = nullptr;
    const char* function = nullptr;
    const char* file = nullptr;
    uint32_t line = 0;
    uint32_t color = 0;
};
#endif

/// A site for a name known only at run time (a stage, a scene). The same name always gives the same site.
/// Takes a lock: for start-up, not for the hot path.
const ZoneSite& make_zone_site(std::string_view name);

/// Names the calling thread in Tracy and in trace files.
void set_thread_name(std::string_view name);

namespace detail {
extern std::atomic<bool> trace_recording;
int64_t trace_clock_ns();
void record_zone(const ZoneSite& site, int64_t begin_ns);
void record_value(const ZoneSite& site, double value);
}  // namespace detail

/// One zone, from construction to destruction, on one thread.
class Zone {
  public:
    explicit Zone(const ZoneSite& site)
        :
#if defined(PROXIMA_TRACY)
          tracy_zone_(&site),
#endif
          site_(site),
          begin_ns_(detail::trace_recording.load(std::memory_order_relaxed) ? detail::trace_clock_ns() : kNotRecorded) {
    }
    ~Zone() {
        if (begin_ns_ != kNotRecorded) detail::record_zone(site_, begin_ns_);
    }
    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;

  private:
    static constexpr int64_t kNotRecorded = INT64_MIN;

#if defined(PROXIMA_TRACY)
    tracy::ScopedZone tracy_zone_;
#endif
    const ZoneSite& site_;
    int64_t begin_ns_;
};

}  // namespace proxima::engine

#define PX_ZONE_JOIN_(a, b) a##b
#define PX_ZONE_JOIN(a, b) PX_ZONE_JOIN_(a, b)

// The variable names carry the line, so that a zone inside another zone's scope shadows nothing.
#define PX_ZONE(name)                                                                   \
    static constexpr ::proxima::engine::ZoneSite PX_ZONE_JOIN(px_zone_site_, __LINE__){ \
        name, __FUNCTION__, __FILE__, static_cast<uint32_t>(__LINE__), 0};              \
    const ::proxima::engine::Zone PX_ZONE_JOIN(px_zone_, __LINE__)(PX_ZONE_JOIN(px_zone_site_, __LINE__))
