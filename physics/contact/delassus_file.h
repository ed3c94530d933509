// SPDX-License-Identifier: MIT
// Reads and writes contact problems in the plain text layout that collections of such problems use:
//   3, number of contacts, storage (0 dense, 1 sparse blocks), rows and columns of W,
//   dense:  rows and columns again, then all values column by column
//   sparse: number of blocks, block rows, block columns; the end row of each block row and end column of each
//   block
//           column (3 6 9 ...); the lengths of two index arrays and the arrays (compressed rows: start of
//           each block row, block column of each block); then per block its number and 9 values column by
//           column
//   q (3 per contact), mu (1 per contact), and maybe one more number, which is read over.
// White space separates; each contact has its normal row first, then two tangents.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/result.h"
#include "physics/contact/delassus.h"

namespace proxima::physics {

enum class MatrixStorage : uint8_t { dense = 0, sparse = 1 };

/// Errors name the file, the line, what was expected and what stood there.
Result<DelassusProblem> read_problem(const std::filesystem::path& path);
/// The same from text in memory; `name` stands for the file in errors.
Result<DelassusProblem> parse_problem(std::string_view text, std::string_view name);

/// Text that parse_problem reads back bit for bit. Compliance and groups have no place in the layout and are left
/// out. Bilateral blocks have none either, and there must be none: as contacts they would be another problem.
std::string format_problem(const DelassusProblem& problem, MatrixStorage storage);
/// The file appears complete or not at all. A problem with bilateral blocks is refused.
Result<void> write_problem(const std::filesystem::path& path, const DelassusProblem& problem, MatrixStorage storage);

}  // namespace proxima::physics
