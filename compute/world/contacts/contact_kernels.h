// SPDX-License-Identifier: MIT
// The compiled kernels of the contact stage, one function per file.
#pragma once

#include <cstdint>
#include <span>

namespace proxima::shaders {

std::span<const uint32_t> contacts_begin();
std::span<const uint32_t> contacts_sort();
std::span<const uint32_t> contacts_round();
std::span<const uint32_t> contacts_core();
std::span<const uint32_t> contacts_core_box();
std::span<const uint32_t> contacts_boxes();
std::span<const uint32_t> contacts_hulls();
std::span<const uint32_t> contacts_hull_edges();
std::span<const uint32_t> contacts_planes();
std::span<const uint32_t> contacts_faces();
std::span<const uint32_t> contacts_box_faces();
std::span<const uint32_t> contacts_edges();
std::span<const uint32_t> contacts_match();

}  // namespace proxima::shaders
