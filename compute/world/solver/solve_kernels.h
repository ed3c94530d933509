// SPDX-License-Identifier: MIT
// The compiled kernels of this folder, one function per file.
#pragma once

#include <cstdint>
#include <span>

namespace proxima::shaders {

std::span<const uint32_t> solve_begin();
std::span<const uint32_t> solve_list();
std::span<const uint32_t> solve_round();
std::span<const uint32_t> solve_count();
std::span<const uint32_t> solve_scan();
std::span<const uint32_t> solve_offsets();
std::span<const uint32_t> solve_pack();
std::span<const uint32_t> solve_first();
std::span<const uint32_t> solve_bodies();
std::span<const uint32_t> solve_sweep();
std::span<const uint32_t> solve_jacobi();
std::span<const uint32_t> solve_place();
std::span<const uint32_t> solve_closing();
std::span<const uint32_t> solve_few_impacts();
std::span<const uint32_t> solve_impact();
std::span<const uint32_t> solve_measure();
std::span<const uint32_t> solve_finish();
std::span<const uint32_t> solve_status();

}  // namespace proxima::shaders
