// SPDX-License-Identifier: MIT
#include "samples/bench/child_process.h"

#include <doctest/doctest.h>

#include <string>

using namespace proxima;
using namespace proxima::bench;

#if !defined(_WIN32)

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a program that ends well is no error") { CHECK(run_program({"/bin/sh", "-c", "exit 0"}).ok()); }

TEST_CASE("a program that crashes or fails is reported, and nothing else happens") {
    CHECK(contains(run_program({"/bin/sh", "-c", "kill -SEGV $$"}).error(), "signal 11"));
    CHECK(contains(run_program({"/bin/sh", "-c", "exit 3"}).error(), "code 3"));
    CHECK(contains(run_program({"/bin/no_such_program"}).error(), "/bin/no_such_program"));
}

TEST_CASE("a run by a program that leaves no result says so in its result") {
    ChildRuns runs("/bin/true");  // ignores its arguments
    RunRequest request;
    request.scene = "tower1";
    request.engine = "proxima";
    CHECK(contains(runs.run(request).error, "result.json"));
    ChildRuns failing("/bin/false");
    CHECK(contains(failing.run(request).error, "code 1"));
}

TEST_CASE("a request that cannot be read is refused with its file") {
    CHECK(contains(run_request_file("missing/request.json", "missing/result.json").error(), "missing/request.json"));
}

#endif
