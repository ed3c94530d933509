// SPDX-License-Identifier: MIT
// Makes a run in a process of its own: this program again, with a request that it finds in a file.
#pragma once

#include <string>
#include <vector>

#include "engine/core/result.h"
#include "samples/bench/run_one.h"

namespace proxima::bench {

/// Starts a program and waits for it. The sentence says how it ended when it did not end well.
Result<void> run_program(const std::vector<std::string>& arguments);

/// Makes runs by starting `program bench one REQUEST RESULT`. The files lie in a folder of its own among the
/// system's temporary files and go with the object.
class ChildRuns {
  public:
    explicit ChildRuns(std::string program);
    ~ChildRuns();
    ChildRuns(const ChildRuns&) = delete;
    ChildRuns& operator=(const ChildRuns&) = delete;

    /// Never fails: what went wrong, also a crash, stands in the result.
    RunResult run(const RunRequest& request);

  private:
    std::string program_, folder_;
};

/// The other side: reads the request, makes the run, writes the result.
Result<void> run_request_file(const std::string& request_file, const std::string& result_file);

}  // namespace proxima::bench
