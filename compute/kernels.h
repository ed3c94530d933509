// SPDX-License-Identifier: MIT
// The compiled kernels of shaders/, one function per file.
#pragma once

#include <cstdint>
#include <span>

namespace proxima::shaders {

std::span<const uint32_t> prox_setup();
std::span<const uint32_t> prox_contacts();
std::span<const uint32_t> prox_manifolds();
std::span<const uint32_t> prox_bodies();
std::span<const uint32_t> prox_answer();
std::span<const uint32_t> extra_setup();
std::span<const uint32_t> power_contacts();
std::span<const uint32_t> power_bodies();
std::span<const uint32_t> gs_start();
std::span<const uint32_t> gs_measure();
std::span<const uint32_t> gs_colour();

}  // namespace proxima::shaders
