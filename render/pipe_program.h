// SPDX-License-Identifier: MIT
// Another program that reads bytes from us: found on the PATH, started, fed, and waited for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace proxima::render {

/// The full path of a program on the PATH, or of one that is named with its folder; empty when there is none.
std::string find_program(const std::string& name);

/// A running program whose input we write. What it says on its error output is kept in a temporary file.
class PipeProgram {
  public:
    static Result<PipeProgram> start(const std::string& program, const std::vector<std::string>& arguments);
    /// Ends its input and waits for it.
    ~PipeProgram();
    PipeProgram(PipeProgram&& other) noexcept;
    PipeProgram& operator=(PipeProgram&& other) noexcept;

    /// Waits while the program is busy. False when it reads no more, which is no signal for us.
    bool write(const void* bytes, size_t count);
    /// Ends its input, waits, and returns its exit code; -1 when it was killed.
    int wait();
    /// Its last words.
    std::string errors() const;

  private:
    PipeProgram() = default;

    int input_ = -1, errors_ = -1;
    long process_ = -1;
};

}  // namespace proxima::render
