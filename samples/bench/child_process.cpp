// SPDX-License-Identifier: MIT
#include "samples/bench/child_process.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#if defined(__unix__) || defined(__APPLE__)
#include <spawn.h>
#include <sys/wait.h>
extern char** environ;
#endif

#include "engine/core/atomic_file.h"

namespace proxima::bench {

namespace fs = std::filesystem;

#if defined(__unix__) || defined(__APPLE__)
Result<void> run_program(const std::vector<std::string>& arguments) {
    std::vector<std::string> copies = arguments;
    std::vector<char*> argv;
    for (std::string& argument : copies) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    if (const int error = posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environ); error != 0)
        return Error{fmt::format("{} could not be started: {}.", arguments[0], std::strerror(error))};
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return Error{fmt::format("{} was lost: {}.", arguments[0], std::strerror(errno))};
    if (WIFSIGNALED(status))
        return Error{fmt::format("It was ended by signal {} ({}).", WTERMSIG(status), strsignal(WTERMSIG(status)))};
    if (WEXITSTATUS(status) != 0) return Error{fmt::format("It ended with code {}.", WEXITSTATUS(status))};
    return {};
}
#else
Result<void> run_program(const std::vector<std::string>& arguments) {
    std::string command;
    for (const std::string& argument : arguments)
        command += fmt::format("{}\"{}\"", command.empty() ? "" : " ", argument);
#if defined(_WIN32)
    command = "\"" + command + "\"";  // cmd takes off the outer pair
#endif
    const int code = std::system(command.c_str());
    if (code != 0) return Error{fmt::format("It ended with code {}.", code)};
    return {};
}
#endif

ChildRuns::ChildRuns(std::string program) : program_(std::move(program)) {
    std::random_device random;
    folder_ = (fs::temp_directory_path() / fmt::format("proxima_bench_{:08x}{:08x}", random(), random())).string();
    std::error_code error;
    fs::create_directories(folder_, error);  // a failure shows when the first request is written
}

ChildRuns::~ChildRuns() {
    std::error_code error;
    fs::remove_all(folder_, error);
}

RunResult ChildRuns::run(const RunRequest& request) {
    const std::string request_file = (fs::path(folder_) / "request.json").string();
    const std::string result_file = (fs::path(folder_) / "result.json").string();
    RunResult failed;
    std::error_code ignored;
    fs::remove(result_file, ignored);
    if (const Result<void> written = write_file(request_file, to_json(request)); !written) {
        failed.error = written.error();
        return failed;
    }
    if (const Result<void> ran = run_program({program_, "bench", "one", request_file, result_file}); !ran) {
        failed.error = ran.error();
        return failed;
    }
    const Result<std::string> text = read_file(result_file);
    if (!text) {
        failed.error = text.error();
        return failed;
    }
    const Result<RunResult> result = parse_result(text.value());
    if (result) return result.value();
    failed.error = result.error();
    return failed;
}

Result<void> run_request_file(const std::string& request_file, const std::string& result_file) {
    const Result<std::string> text = read_file(request_file);
    if (!text) return Error{text.error()};
    const Result<RunRequest> request = parse_request(text.value());
    if (!request) return Error{request.error()};
    return write_file(result_file, to_json(run_here(request.value())));
}

}  // namespace proxima::bench
