// SPDX-License-Identifier: MIT
// Inside engine/profile: time lines of a trace that belong to no thread, and how slices get into them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/profile/zone.h"

namespace proxima::engine::detail {

struct TraceBuffer;

/// A time line of this name, from now on part of every trace that has events of it.
std::shared_ptr<TraceBuffer> open_trace_buffer(const std::string& name);
/// Nothing comes any more; what is recorded stays until its trace is written.
void close_trace_buffer(TraceBuffer& buffer);
/// A slice of the running trace; nothing when there is none, or the slice began before it.
void record_slice(TraceBuffer& buffer, const ZoneSite& site, int64_t begin_ns, int64_t end_ns);

}  // namespace proxima::engine::detail
