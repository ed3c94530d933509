// SPDX-License-Identifier: MIT
// Starts the program `proxima` and looks at what it says and leaves behind. Not for Windows.
#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "tests/support/temporary_folder.h"

namespace proxima::test {

struct Output {
    int exit_code = -1;
    std::string text;
};

/// `which` is "out" or "err": the stream to look at; the other one goes nowhere.
inline Output run_tool(const std::string& arguments, const std::string& which = "err") {
    const std::string streams = which == "err" ? " 2>&1 >/dev/null" : " 2>/dev/null";
    const std::string command = std::string("\"") + PROXIMA_BINARY_DIR + "/bin/proxima\" " + arguments + streams;
    Output output;
    std::FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    char buffer[4096];
    for (size_t n = 0; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) output.text.append(buffer, n);
    const int status = pclose(pipe);
    output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return output;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// One sentence on stderr, with its name in front and the part in it, and exit code 1 (bad input) or 2 (bad usage).
inline void check_refused(const std::string& arguments, const std::string& part, int exit_code = 1) {
    CAPTURE(arguments);
    const Output output = run_tool(arguments);
    CHECK(output.exit_code == exit_code);
    CHECK_MESSAGE(output.text.starts_with("proxima: "), output.text);
    CHECK_MESSAGE(contains(output.text, part), output.text);
    CHECK_MESSAGE(output.text.find('\n') == output.text.size() - 1, "one line: " << output.text);
}

}  // namespace proxima::test
