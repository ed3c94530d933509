// SPDX-License-Identifier: MIT
#include "tests/fuzz/isolate.h"

#include <algorithm>

#if defined(__unix__)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#endif

namespace proxima::fuzz {

#if defined(__unix__)

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

/// The line of a program's last words that says why it died: of an assertion or of a sanitizer.
std::string reason_in(std::FILE* words) {
    std::rewind(words);
    std::string reason;
    char line[1024];
    while (std::fgets(line, sizeof(line), words)) {
        const std::string_view text(line);
        for (const char* mark : {"Assertion", "assertion failed", "runtime error:", "SUMMARY:"})
            if (text.find(mark) != std::string_view::npos) reason = text.substr(0, text.find('\n'));
    }
    return reason;
}

}  // namespace

std::string isolated(const std::function<std::string()>& work, unsigned seconds) {
    int ends[2];
    if (pipe(ends) != 0) return "There is no pipe to be had.";
    std::FILE* words = std::tmpfile();
    if (!words) return "There is no temporary file to be had.";
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) return "There is no process to be had.";
    if (child == 0) {
        close(ends[0]);
        dup2(fileno(words), STDERR_FILENO);
        // Handlers of the test program would report the crash as theirs.
        for (const int number : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGTERM}) std::signal(number, SIG_DFL);
        // Of its own time: the machine may be busy with others.
        const rlimit limit{seconds, seconds + 1};
        setrlimit(RLIMIT_CPU, &limit);
        const rlimit memory{kMaxMemory, kMaxMemory};
        if (!kSanitized) setrlimit(RLIMIT_AS, &memory);
        const std::string said = work();
        for (size_t at = 0; at < said.size();) {
            const ssize_t written = write(ends[1], said.data() + at, said.size() - at);
            if (written <= 0) break;
            at += size_t(written);
        }
        _exit(0);
    }
    close(ends[1]);
    std::string said;
    char buffer[4096];
    for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof(buffer))) > 0;) said.append(buffer, size_t(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    const std::string reason = reason_in(words);
    std::fclose(words);
    const std::string tail = reason.empty() ? "." : ": " + reason;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return "It took longer than " + std::to_string(seconds) + " s.";
    if (WIFSIGNALED(status)) return std::string("It crashed: ") + strsignal(WTERMSIG(status)) + tail;
    if (WEXITSTATUS(status) != 0) return "It ended with exit code " + std::to_string(WEXITSTATUS(status)) + tail;
    return said;
}

#else

std::string isolated(const std::function<std::string()>& work, unsigned) { return work(); }

#endif

std::vector<FailedCase> run_cases(uint64_t first, uint64_t count, size_t most,
                                  const std::function<std::string(uint64_t first, uint64_t count)>& run) {
    constexpr uint64_t kTogether = 500;
    std::vector<FailedCase> failed;
    const std::function<void(uint64_t, uint64_t)> look = [&](uint64_t begin, uint64_t size) {
        if (failed.size() >= most) return;
        const std::string failure = isolated([&] { return run(begin, size); });
        if (failure.empty()) return;
        if (size == 1) {
            failed.push_back({begin, failure});
            return;
        }
        const size_t before = failed.size();
        look(begin, size / 2);
        look(begin + size / 2, size - size / 2);
        // None fails alone: what one leaves behind is what another fails on.
        if (failed.size() == before && failed.size() < most)
            failed.push_back({begin, "with the " + std::to_string(size - 1) + " cases after it: " + failure});
    };
    for (uint64_t at = 0; at < count; at += kTogether) look(first + at, std::min(kTogether, count - at));
    return failed;
}

}  // namespace proxima::fuzz
