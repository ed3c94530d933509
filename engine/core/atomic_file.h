// SPDX-License-Identifier: MIT
// Whole files, read and written: a file that is written appears complete under its name or not at all.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/result.h"

namespace proxima {

/// Tries whether write_file could create the file, without leaving anything behind. For the start of a long run.
Result<void> check_writable(const std::string& file);

/// Writes to a temporary file in the same folder and renames it, so that a file of that name is never half written.
Result<void> write_file(const std::string& file, std::string_view bytes);

Result<std::string> read_file(const std::string& file);

}  // namespace proxima
