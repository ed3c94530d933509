// SPDX-License-Identifier: MIT
#include "engine/core/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace proxima {

namespace {

std::atomic<LogLevel> current_level{LogLevel::info};

// Recursive, because a sink may log or replace itself while it is being called.
struct Delivery {
    std::recursive_mutex mutex;
    std::shared_ptr<const LogSink> sink;
};
// Never destroyed: threads may log while static objects go away.
Delivery& delivery() {
    static Delivery& instance = *new Delivery;
    return instance;
}

thread_local bool inside_sink = false;

spdlog::level::level_enum to_spdlog(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return spdlog::level::debug;
        case LogLevel::info:
            return spdlog::level::info;
        case LogLevel::warning:
            return spdlog::level::warn;
        case LogLevel::error:
            return spdlog::level::err;
        case LogLevel::off:
            break;
    }
    return spdlog::level::off;
}

// A logger of our own, not in spdlog's registry: a host that uses spdlog too keeps its loggers and patterns.
// Standard error, because standard output belongs to reports.
spdlog::logger& console() {
    static spdlog::logger& instance = []() -> spdlog::logger& {
        auto* logger = new spdlog::logger("proxima", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
        logger->set_level(spdlog::level::trace);  // the level is decided before a message comes here
        logger->set_pattern("[%H:%M:%S.%e] %^%l%$: %v");
        return *logger;
    }();
    return instance;
}

}  // namespace

void set_log_level(LogLevel level) { current_level.store(level, std::memory_order_relaxed); }
LogLevel log_level() { return current_level.load(std::memory_order_relaxed); }

void set_log_sink(LogSink sink) {
    Delivery& d = delivery();
    const std::lock_guard lock(d.mutex);
    d.sink = sink ? std::make_shared<const LogSink>(std::move(sink)) : nullptr;
}

void detail::log_message(LogLevel level, fmt::string_view format, fmt::format_args args) {
    const std::string message = fmt::vformat(format, args);
    Delivery& d = delivery();
    const std::lock_guard lock(d.mutex);
    const std::shared_ptr<const LogSink> sink = d.sink;
    if (!sink || inside_sink) {
        console().log(to_spdlog(level), spdlog::string_view_t(message));
        return;
    }
    struct Guard {
        Guard() { inside_sink = true; }
        ~Guard() { inside_sink = false; }
    } guard;
    (*sink)(level, message);
}

}  // namespace proxima
