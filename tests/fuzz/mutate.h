// SPDX-License-Identifier: MIT
// Damages bytes in the ways that disks, networks and hands do it.
#pragma once

#include <span>
#include <string>

#include "tests/fuzz/source.h"

namespace proxima::fuzz {

/// One to four times: bits turned over, bytes cut off, left out, doubled or taken from another file, numbers
/// put in their place that are large, negative or not finite.
std::string mutate_bytes(std::string bytes, std::span<const std::string> others, Source& source);
/// The same for text, which also has words, numbers and brackets to be replaced.
std::string mutate_text(std::string text, std::span<const std::string> others, Source& source);

}  // namespace proxima::fuzz
