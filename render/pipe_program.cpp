// SPDX-License-Identifier: MIT
#include "render/pipe_program.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#if !defined(_WIN32)
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace proxima::render {

#if defined(_WIN32)

// Programs are not fed on Windows; VideoWriter keeps pictures as files there.
std::string find_program(const std::string&) { return {}; }
Result<PipeProgram> PipeProgram::start(const std::string& program, const std::vector<std::string>&) {
    return Error{"Cannot start '" + program + "': programs cannot be fed on this system."};
}
PipeProgram::~PipeProgram() = default;
PipeProgram::PipeProgram(PipeProgram&&) noexcept = default;
PipeProgram& PipeProgram::operator=(PipeProgram&&) noexcept = default;
bool PipeProgram::write(const void*, size_t) { return false; }
int PipeProgram::wait() { return -1; }
std::string PipeProgram::errors() const { return {}; }

#else

namespace {

bool is_program(const std::string& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

/// A file without a name, for what a program says on its error output.
int open_nameless_file() {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    if (error) return -1;
    std::string name = (folder / "proxima_XXXXXX").string();
    const int file = mkstemp(name.data());
    if (file < 0) return -1;
    unlink(name.c_str());
    fcntl(file, F_SETFD, FD_CLOEXEC);
    return file;
}

}  // namespace

std::string find_program(const std::string& name) {
    if (name.empty()) return {};
    if (name.find('/') != std::string::npos) return is_program(name) ? name : std::string();
    const char* path = std::getenv("PATH");
    std::string_view rest = path ? path : "";
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        std::string file = (folder.empty() ? std::string(".") : std::string(folder)) + "/" + name;
        if (is_program(file)) return file;
    }
    return {};
}

Result<PipeProgram> PipeProgram::start(const std::string& program, const std::vector<std::string>& arguments) {
    PipeProgram out;
    // A pair of sockets, not a pipe: writing to one that nobody reads any more can be asked not to send a
    // signal, without touching what the whole process does with signals.
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return Error{"Cannot start '" + program + "': " + std::strerror(errno) + "."};
    out.input_ = ends[0];
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#if defined(SO_NOSIGPIPE)
    const int on = 1;
    setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
#endif
    out.errors_ = open_nameless_file();

    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (out.errors_ >= 0)
        posix_spawn_file_actions_adddup2(&actions, out.errors_, STDERR_FILENO);
    else
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t process = -1;
    const int failed = posix_spawn(&process, program.c_str(), &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed) return Error{"Cannot start '" + program + "': " + std::strerror(failed) + "."};
    out.process_ = process;
    return out;
}

PipeProgram::~PipeProgram() {
    wait();
    if (errors_ >= 0) close(errors_);
}

PipeProgram::PipeProgram(PipeProgram&& other) noexcept { *this = std::move(other); }

PipeProgram& PipeProgram::operator=(PipeProgram&& other) noexcept {
    std::swap(input_, other.input_);
    std::swap(errors_, other.errors_);
    std::swap(process_, other.process_);
    return *this;
}

bool PipeProgram::write(const void* bytes, size_t count) {
#if defined(MSG_NOSIGNAL)
    constexpr int kFlags = MSG_NOSIGNAL;
#else
    constexpr int kFlags = 0;
#endif
    const char* at = static_cast<const char*>(bytes);
    while (count > 0) {
        const ssize_t sent = send(input_, at, count, kFlags);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        count -= size_t(sent);
    }
    return true;
}

int PipeProgram::wait() {
    if (input_ >= 0) close(std::exchange(input_, -1));
    if (process_ < 0) return -1;
    int status = 0;
    pid_t ended = -1;
    do ended = waitpid(pid_t(process_), &status, 0);
    while (ended < 0 && errno == EINTR);
    process_ = -1;
    return ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string PipeProgram::errors() const {
    constexpr off_t kMaxErrorText = 2000;
    if (errors_ < 0) return {};
    const off_t size = lseek(errors_, 0, SEEK_END);
    if (size <= 0) return {};
    std::string text(size_t(std::min(size, kMaxErrorText)), '\0');
    const ssize_t got = pread(errors_, text.data(), text.size(), size - off_t(text.size()));
    text.resize(got > 0 ? size_t(got) : 0);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    return text;
}

#endif

}  // namespace proxima::render
