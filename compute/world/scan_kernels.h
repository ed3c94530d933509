// SPDX-License-Identifier: MIT
// The compiled kernels of a prefix sum, one function per file.
#pragma once

#include <cstdint>
#include <span>

namespace proxima::shaders {

std::span<const uint32_t> scan_sums();
std::span<const uint32_t> scan_write();

}  // namespace proxima::shaders
