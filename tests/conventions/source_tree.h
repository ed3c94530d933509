// SPDX-License-Identifier: MIT
// The project's own files as text, for tests that check how they are written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace proxima::conventions {

/// A file, with its path from the root of the project, written with forward slashes.
struct SourceFile {
    std::string path;
    std::string text;
};

/// Every text file of the project, in the order of their paths; build trees, outputs and git's own files left out.
std::vector<SourceFile> read_project();

/// A broken rule: where, and what would be right.
struct Finding {
    std::string path;
    int line = 0;
    std::string message;
};

/// The findings as lines "path:line: message", ready to be read in a failed test.
std::string to_text(const std::vector<Finding>& findings);

/// The lines of a text without their line ends.
std::vector<std::string_view> lines_of(std::string_view text);

/// Whether a file holds C++ or a shader.
bool is_code(std::string_view path);

}  // namespace proxima::conventions
