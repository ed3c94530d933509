// SPDX-License-Identifier: MIT
// How far long work is, on stderr: on a terminal one line that is written over, ten times a second; in a log
// a line every ten seconds.
#pragma once

#include <chrono>
#include <string>

namespace proxima::tool {

class ProgressLine {
  public:
    explicit ProgressLine(bool quiet);
    /// Takes the line away.
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// Whether it is time to say something; ask before making the text.
    bool due() const;
    void say(const std::string& text);

  private:
    using Clock = std::chrono::steady_clock;
    bool quiet_, terminal_, shown_ = false;
    Clock::time_point last_ = Clock::now();
};

}  // namespace proxima::tool
