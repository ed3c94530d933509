// SPDX-License-Identifier: MIT
// How files are written: licence lines, where macros may live, the words of the field, and no trace of one machine.
#pragma once

#include <vector>

#include "tests/conventions/source_tree.h"

namespace proxima::conventions {

/// Source files, build files and scripts whose first lines lack the SPDX line, and headers without `#pragma once`.
std::vector<Finding> check_first_lines(const std::vector<SourceFile>& files);

/// Source files with a header of the same name beside them that include something else first: with the header
/// first, compiling the file shows that the header needs nothing before it.
std::vector<Finding> check_first_includes(const std::vector<SourceFile>& files);

/// Macros outside engine/core and engine/profile, or without the prefix PX_. Switches of a library that must
/// be defined before its header are allowed.
std::vector<Finding> check_macros(const std::vector<SourceFile>& files);

/// Addresses of package servers, and absolute paths of a machine.
std::vector<Finding> check_portable_text(const std::vector<SourceFile>& files);

/// Tests that write into the temporary folder of the system, where another run of the same test may be
/// writing too, instead of a TemporaryFolder of their own.
std::vector<Finding> check_temporary_files(const std::vector<SourceFile>& files);

/// Words that only this project used for things that have a name in the field, and files named with them. The
/// changelog may name what is gone.
std::vector<Finding> check_vocabulary(const std::vector<SourceFile>& files);

}  // namespace proxima::conventions
