// SPDX-License-Identifier: MIT
// The compiled kernels of the pair stage, one function per file.
#pragma once

#include <cstdint>
#include <span>

namespace proxima::shaders {

std::span<const uint32_t> pairs_reset();
std::span<const uint32_t> pairs_boxes();
std::span<const uint32_t> pairs_scatter();
std::span<const uint32_t> pairs_find();
std::span<const uint32_t> pairs_write();
std::span<const uint32_t> pairs_order();

}  // namespace proxima::shaders
