// SPDX-License-Identifier: MIT
#include "samples/bench/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#if defined(_WIN32)
#include <windows.h>
// after windows.h
#include <psapi.h>
#else
#include <sys/resource.h>
#include <sys/utsname.h>
#endif

#include "engine/simd/simd_level.h"
#include "samples/bench/engines.h"

namespace proxima::bench {

namespace {

/// What stands behind `key` and a colon or equals sign in the first line of a file that begins with it.
std::string value_in_file(const std::string& file, const std::string& key, char separator) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with(key)) continue;
        const size_t at = line.find(separator);
        if (at == std::string::npos) continue;
        size_t first = at + 1, last = line.size();
        const auto is_padding = [](char c) { return std::isspace(static_cast<unsigned char>(c)) || c == '"'; };
        while (first < last && is_padding(line[first])) ++first;
        while (last > first && is_padding(line[last - 1])) --last;
        return line.substr(first, last - first);
    }
    return {};
}

std::string first_line(const std::string& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

std::string processor() {
    std::string name = value_in_file("/proc/cpuinfo", "model name", ':');
    return name.empty() ? "unknown" : name;
}

/// As Linux lists them for the first processor: "L1 data 32K, L2 512K, ...".
std::string caches() {
    std::string out;
    for (int i = 0; i < 8; ++i) {
        const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", i);
        const std::string level = first_line(folder + "level"), type = first_line(folder + "type"),
                          size = first_line(folder + "size");
        if (level.empty()) break;
        out += fmt::format("{}L{} {}{}", out.empty() ? "" : ", ", level, type == "Unified" ? "" : type + " ", size);
    }
    return out.empty() ? "unknown" : out;
}

std::string memory() {
    const std::string total = value_in_file("/proc/meminfo", "MemTotal", ':');
    std::istringstream in(total);
    double kilobytes = 0.0;
    return in >> kilobytes ? fmt::format("{:.1f} GB", kilobytes / 1048576.0) : "unknown";
}

std::string operating_system() {
#if defined(_WIN32)
    return "Windows";
#else
    utsname name{};
    if (uname(&name) != 0) return "unknown";
    const std::string pretty = value_in_file("/etc/os-release", "PRETTY_NAME", '=');
    return fmt::format("{}{}{} {} ({})", pretty, pretty.empty() ? "" : ", ", name.sysname, name.release, name.machine);
#endif
}

std::string compiler() {
#if defined(__clang__)
    return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
    return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#elif defined(_MSC_VER)
    return fmt::format("MSVC {}", _MSC_VER);
#else
    return "unknown";
#endif
}

std::string build_flags() {
    std::string out = PROXIMA_BUILD_FLAGS;
#if !defined(NDEBUG)
    out += ", assertions on";
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    out += ", sanitizers on";
#endif
    return out;
}

std::string now() {
    const std::time_t seconds = std::time(nullptr);
    std::tm utc{};
#if defined(_WIN32)
    gmtime_s(&utc, &seconds);
#else
    gmtime_r(&seconds, &utc);
#endif
    char text[32];
    std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &utc);
    return text;
}

}  // namespace

MachineCard make_machine_card(std::span<const std::string> engines, const std::string& command) {
    MachineCard card = {
        {"date", now()},
        {"command", command},
        {"processor", processor()},
        {"hardware threads", std::to_string((std::max)(1u, std::thread::hardware_concurrency()))},
        {"caches", caches()},
        {"memory", memory()},
        {"system", operating_system()},
        {"compiler of proxima", compiler()},
        {"flags of proxima", build_flags()},
        {"vector kernels of proxima", engine::to_string(engine::simd_level())},
    };
    for (const std::string& name : engines) {
        const Peer* peer = find_peer(name);
        if (name != kProxima && (!peer || !peer->describe)) continue;
        const EngineDescription d = peer ? peer->describe() : describe_proxima();
        card.emplace_back(name, fmt::format("version {}; {}", d.version, d.settings));
    }
    return card;
}

CacheSizes cache_sizes() {
    CacheSizes out;
    for (int i = 0; i < 8; ++i) {
        const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", i);
        const std::string level = first_line(folder + "level");
        if (first_line(folder + "type") == "Instruction") continue;
        std::istringstream in(first_line(folder + "size"));  // "48K"
        size_t kilobytes = 0;
        char unit = 0;
        if (!(in >> kilobytes >> unit) || unit != 'K' || kilobytes == 0) continue;
        if (level == "1") out.l1 = kilobytes << 10;
        if (level == "2") out.l2 = kilobytes << 10;
        if (level == "3") out.l3 = kilobytes << 10;
    }
    return out;
}

double peak_memory_mb() {
#if defined(_WIN32)
    PROCESS_MEMORY_COUNTERS counters{};
    if (!GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof(counters))) return 0.0;
    return double(counters.PeakWorkingSetSize) / 1048576.0;
#else
    // The kernel's own figure for this program; getrusage would count that of the program that started it.
    std::istringstream in(value_in_file("/proc/self/status", "VmHWM", ':'));
    double kilobytes = 0.0;
    if (in >> kilobytes) return kilobytes / 1024.0;
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0.0;
#if defined(__APPLE__)
    return double(usage.ru_maxrss) / 1048576.0;
#else
    return double(usage.ru_maxrss) / 1024.0;
#endif
#endif
}

std::string path_of_this_program(const std::string& fallback) {
#if defined(_WIN32)
    char buffer[MAX_PATH] = {};
    const DWORD length = GetModuleFileNameA(nullptr, buffer, MAX_PATH);
    return length > 0 && length < MAX_PATH ? std::string(buffer, length) : fallback;
#else
    std::error_code error;
    const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? fallback : path.string();
#endif
}

}  // namespace proxima::bench
