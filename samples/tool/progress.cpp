// SPDX-License-Identifier: MIT
#include "samples/tool/progress.h"

#include <cstdio>

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace proxima::tool {

namespace {

bool stderr_is_terminal() {
#if defined(_WIN32)
    return _isatty(_fileno(stderr)) != 0;
#else
    return isatty(STDERR_FILENO) != 0;
#endif
}

constexpr std::chrono::milliseconds kOnTerminal{100}, kInLog{10000};

}  // namespace

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(stderr_is_terminal()) {}

ProgressLine::~ProgressLine() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
}

bool ProgressLine::due() const { return !quiet_ && Clock::now() - last_ >= (terminal_ ? kOnTerminal : kInLog); }

void ProgressLine::say(const std::string& text) {
    last_ = Clock::now();
    if (!terminal_) {
        std::fprintf(stderr, "%s\n", text.c_str());
        return;
    }
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
    shown_ = true;
}

}  // namespace proxima::tool
