// SPDX-License-Identifier: MIT
// Messages for people: log_info("{} bodies", n). They go to standard error, or to the host's sink.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <string_view>
#include <utility>

namespace proxima {

enum class LogLevel { debug, info, warning, error, off };

/// Messages below this level are neither formatted nor delivered. The level at the start is info.
void set_log_level(LogLevel level);
LogLevel log_level();

/// Receives every message at or above the level: one at a time, on the thread that logs. What a sink logs
/// itself goes to standard error.
using LogSink = std::function<void(LogLevel level, std::string_view message)>;

/// Replaces where messages go; an empty sink brings standard error back. When this returns, the sink before
/// is not running on another thread and will not be called again.
void set_log_sink(LogSink sink);

namespace detail {
void log_message(LogLevel level, fmt::string_view format, fmt::format_args args);
}

inline bool log_enabled(LogLevel level) { return level != LogLevel::off && level >= log_level(); }

template <class... Args>
void log_at(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
    if (log_enabled(level)) detail::log_message(level, format, fmt::make_format_args(args...));
}
template <class... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
    log_at(LogLevel::debug, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
    log_at(LogLevel::info, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
    log_at(LogLevel::warning, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
    log_at(LogLevel::error, format, std::forward<Args>(args)...);
}

}  // namespace proxima
