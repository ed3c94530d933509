// SPDX-License-Identifier: MIT
#include "engine/profile/trace.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/profile/trace_buffer.h"

namespace proxima::engine {

std::atomic<bool> detail::trace_recording{false};

namespace {

// A slice of time, or a value at a moment.
struct Event {
    const ZoneSite* site;
    uint64_t begin_ns : 63;
    uint64_t is_value : 1;
    uint64_t data;  // nanoseconds, or the bits of a double
};
static_assert(sizeof(Event) == 24);

// Events of one thread come in chunks, so that a long trace grows without moving what is already recorded.
constexpr size_t kChunkEvents = 4096;

}  // namespace

// One time line: a thread's or a device's. The lock is contended only while a trace starts or stops.
struct detail::TraceBuffer {
    std::mutex mutex;
    std::string name;
    uint32_t id = 0;
    bool alive = true;
    std::vector<std::unique_ptr<Event[]>> chunks;
    size_t count = 0;
    uint64_t dropped = 0;
};

namespace {

using detail::TraceBuffer;

struct Registry {
    std::mutex mutex;  // guards what follows; taken before a thread's own lock, never after
    std::vector<std::shared_ptr<TraceBuffer>> threads;
    uint32_t next_thread_id = 1;
    std::map<std::string, ZoneSite, std::less<>> sites;  // node based: sites never move

    std::FILE* file = nullptr;
    std::string path;
    TraceSettings settings;

    std::atomic<int64_t> begin_ns{0};
    std::atomic<int64_t> free_chunks{0};
};

// Never destroyed: worker threads may end, and zones close, after the static objects of the program are gone.
Registry& registry() {
    static Registry& instance = *new Registry;
    return instance;
}

// Without a name it is a thread's and numbered.
std::shared_ptr<TraceBuffer> make_buffer(const std::string& name) {
    Registry& r = registry();
    auto buffer = std::make_shared<TraceBuffer>();
    const std::lock_guard lock(r.mutex);
    // Threads that came and went without leaving events make room, so that the list does not grow with time.
    std::erase_if(r.threads, [](const std::shared_ptr<TraceBuffer>& thread) {
        const std::lock_guard thread_lock(thread->mutex);
        return !thread->alive && thread->count == 0 && thread->dropped == 0;
    });
    buffer->id = r.next_thread_id++;
    buffer->name = name.empty() ? "thread " + std::to_string(buffer->id) : name;
    r.threads.push_back(buffer);
    return buffer;
}

// The calling thread's buffer. It stays registered after the thread has ended, until the next trace starts.
struct ThreadHandle {
    std::shared_ptr<TraceBuffer> buffer = make_buffer("");
    ~ThreadHandle() { detail::close_trace_buffer(*buffer); }
};

TraceBuffer& this_thread() {
    thread_local ThreadHandle handle;
    return *handle.buffer;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (code < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof(escape), "\\u%04x", unsigned(code));
            out += escape;
        } else {
            out += c;
        }
    }
    return out += '"';
}

void write_metadata(std::FILE* file, const char* kind, uint32_t thread, std::string_view name) {
    std::fprintf(file, "{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":%s}}", thread, kind,
                 quoted(name).c_str());
}

// A counter: the shortest decimals that give the same double again, whatever the locale.
void write_value(std::FILE* file, const TraceBuffer& thread, const Event& e, long long begin) {
    char digits[32];
    const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), std::bit_cast<double>(e.data));
    std::fprintf(file,
                 ",\n{\"ph\":\"C\",\"pid\":1,\"tid\":%u,\"ts\":%lld.%03lld,\"name\":%s,\"args\":{\"value\":%.*s}}",
                 thread.id, begin / 1000, begin % 1000, quoted(e.site->name).c_str(), int(end.ptr - digits), digits);
}

// Writes the thread's name and its events, oldest end first as they were recorded. Times are microseconds
// with the nanoseconds as decimals, written from integers so that no locale or rounding enters.
void write_thread(std::FILE* file, const TraceBuffer& thread, int64_t trace_begin_ns) {
    std::fputs(",\n", file);
    write_metadata(file, "thread_name", thread.id, thread.name);
    for (size_t i = 0; i < thread.count; ++i) {
        const Event& e = thread.chunks[i / kChunkEvents][i % kChunkEvents];
        const auto begin = static_cast<long long>(int64_t(e.begin_ns) - trace_begin_ns);
        if (e.is_value) {
            write_value(file, thread, e, begin);
            continue;
        }
        const auto duration = static_cast<long long>(e.data);
        std::fprintf(file, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%lld.%03lld,\"dur\":%lld.%03lld,\"name\":%s}",
                     thread.id, begin / 1000, begin % 1000, duration / 1000, duration % 1000,
                     quoted(e.site->name).c_str());
    }
}

// Says in the file itself that it is not the whole story: an instant event at the end, and a field of the document.
void write_end(std::FILE* file, const TraceSummary& summary, int64_t length_ns) {
    if (summary.dropped > 0) {
        std::fprintf(file,
                     ",\n{\"ph\":\"i\",\"s\":\"g\",\"pid\":1,\"tid\":0,\"ts\":%lld,\"name\":\"%llu events "
                     "were dropped "
                     "because the trace was full\"}",
                     static_cast<long long>(length_ns / 1000), static_cast<unsigned long long>(summary.dropped));
    }
    std::fprintf(file,
                 "\n],\n\"displayTimeUnit\":\"ms\",\n\"otherData\":{\"events\":%llu,\"dropped_events\":%llu}\n}\n",
                 static_cast<unsigned long long>(summary.events), static_cast<unsigned long long>(summary.dropped));
}

void append(TraceBuffer& buffer, const Event& event) {
    Registry& r = registry();
    const std::lock_guard lock(buffer.mutex);
    // Looked at again under the lock: stop_trace lowers the flag before it reads the buffers, so nothing arrives
    // after it has read them. An event older than this trace began in another one and does not belong here.
    if (!detail::trace_recording.load(std::memory_order_acquire) ||
        int64_t(event.begin_ns) < r.begin_ns.load(std::memory_order_relaxed))
        return;
    if (buffer.count == buffer.chunks.size() * kChunkEvents) {
        if (r.free_chunks.fetch_sub(1, std::memory_order_relaxed) <= 0) {
            r.free_chunks.fetch_add(1, std::memory_order_relaxed);
            ++buffer.dropped;
            return;
        }
        buffer.chunks.push_back(std::make_unique_for_overwrite<Event[]>(kChunkEvents));
    }
    buffer.chunks[buffer.count / kChunkEvents][buffer.count % kChunkEvents] = event;
    ++buffer.count;
}

}  // namespace

int64_t detail::trace_clock_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void detail::record_zone(const ZoneSite& site, int64_t begin_ns) {
    const int64_t end_ns = trace_clock_ns();
    append(this_thread(), {&site, uint64_t(begin_ns), 0, uint64_t(end_ns - begin_ns)});
}

void detail::record_value(const ZoneSite& site, double value) {
    append(this_thread(), {&site, uint64_t(trace_clock_ns()), 1, std::bit_cast<uint64_t>(value)});
}

void detail::record_slice(TraceBuffer& buffer, const ZoneSite& site, int64_t begin_ns, int64_t end_ns) {
    append(buffer, {&site, uint64_t(begin_ns), 0, uint64_t(std::max(end_ns - begin_ns, int64_t(0)))});
}

std::shared_ptr<TraceBuffer> detail::open_trace_buffer(const std::string& name) { return make_buffer(name); }

void detail::close_trace_buffer(TraceBuffer& buffer) {
    const std::lock_guard lock(buffer.mutex);
    buffer.alive = false;
}

const ZoneSite& make_zone_site(std::string_view name) {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    auto found = r.sites.find(name);
    if (found == r.sites.end()) {
        found = r.sites.emplace(std::string(name), ZoneSite{nullptr, "", "", 0, 0}).first;
        found->second.name = found->first.c_str();
    }
    return found->second;
}

void set_thread_name(std::string_view name) {
    TraceBuffer& thread = this_thread();
    const std::lock_guard lock(thread.mutex);
    thread.name = std::string(name);
#if defined(PROXIMA_TRACY)
    tracy::SetThreadName(thread.name.c_str());
#endif
}

bool trace_active() { return detail::trace_recording.load(std::memory_order_relaxed); }

Result<void> start_trace(const std::string& path, const TraceSettings& settings) {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    if (r.file)
        return Error{"A trace is already being recorded into '" + r.path + "'; stop it before starting another."};
    if (path.empty()) return Error{"A trace needs the name of the file to write; the name given is empty."};
    if (std::error_code error; std::filesystem::is_directory(path, error))
        return Error{"The trace cannot be written to '" + path + "': this is a folder, give the name of a file in it."};
    std::FILE* file = std::fopen((path + ".part").c_str(), "wb");
    if (!file)
        return Error{"The trace file '" + path + "' cannot be created: " + std::strerror(errno) +
                     ". Give a path in a folder that exists and may be written to."};
    r.file = file;
    r.path = path;
    r.settings = settings;

    std::erase_if(r.threads, [](const std::shared_ptr<TraceBuffer>& thread) {
        const std::lock_guard thread_lock(thread->mutex);
        thread->chunks.clear();
        thread->count = 0;
        thread->dropped = 0;
        return !thread->alive;
    });
    r.free_chunks.store(int64_t((settings.max_events + kChunkEvents - 1) / kChunkEvents), std::memory_order_relaxed);
    r.begin_ns.store(detail::trace_clock_ns(), std::memory_order_relaxed);
    detail::trace_recording.store(true, std::memory_order_release);
    return {};
}

Result<TraceSummary> stop_trace() {
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    if (!r.file) return Error{"No trace is being recorded; start one before stopping it."};
    detail::trace_recording.store(false, std::memory_order_release);
    const int64_t begin_ns = r.begin_ns.load(std::memory_order_relaxed);
    const int64_t length_ns = detail::trace_clock_ns() - begin_ns;

    TraceSummary summary;
    summary.path = r.path;
    std::FILE* file = std::exchange(r.file, nullptr);
    std::fputs("{\"traceEvents\":[\n", file);
    write_metadata(file, "process_name", 0, r.settings.process_name);
    for (const std::shared_ptr<TraceBuffer>& thread : r.threads) {
        const std::lock_guard thread_lock(thread->mutex);
        summary.dropped += thread->dropped;
        summary.events += thread->count;
        if (thread->count > 0) {
            write_thread(file, *thread, begin_ns);
            ++summary.threads;
        }
        thread->chunks.clear();
        thread->count = 0;
        thread->dropped = 0;
    }
    write_end(file, summary, length_ns);

    const std::string part = r.path + ".part";
    const bool failed = std::ferror(file) != 0;
    if (std::fclose(file) != 0 || failed) {
        std::remove(part.c_str());
        return Error{"The trace file '" + r.path + "' could not be written completely; is the disk full?"};
    }
    std::error_code error;
    std::filesystem::rename(part, r.path, error);
    if (error) {
        std::remove(part.c_str());
        return Error{"The trace file '" + r.path + "' could not be put in place: " + error.message() + "."};
    }
    return summary;
}

}  // namespace proxima::engine
