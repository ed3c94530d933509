// SPDX-License-Identifier: MIT
// Runs something in a process of its own, so that a crash is a finding like any other and the rest goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace proxima::fuzz {

/// What `work` returned, or a sentence that names the signal or the exit code that ended it, or that it took
/// more than so many seconds of processor time or more memory than kMaxMemory. Where there is no fork() it
/// runs in this process.
std::string isolated(const std::function<std::string()>& work, unsigned seconds = 60);

inline constexpr size_t kMaxMemory = size_t(4) << 30;  // bytes of addresses; sanitizers need more and have no limit

/// Cases by number, so that each can be run again alone.
struct FailedCase {
    uint64_t number = 0;
    std::string failure;
};
/// Runs the cases [first, first + count), many in one process; when that fails, the halves of them, down to
/// the cases that fail. `run` runs a range and says what is wrong. At most `most` failures are looked for.
std::vector<FailedCase> run_cases(uint64_t first, uint64_t count, size_t most,
                                  const std::function<std::string(uint64_t first, uint64_t count)>& run);

}  // namespace proxima::fuzz
