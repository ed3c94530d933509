// SPDX-License-Identifier: MIT
// Names of the kinds of constraints: the rows of kinds.cpp, in their order.
#pragma once

#include <cstdint>

namespace proxima::physics {

enum class KindId : uint8_t {
    contact1,  // a manifold with one point
    contact2,
    contact3,
    contact4,
    ball_joint,
    joint,  // of any other type, as rows (joints/joint_row.h)
    count
};
inline constexpr uint32_t kKindCount = uint32_t(KindId::count);

constexpr bool is_contact(KindId kind) { return kind <= KindId::contact4; }
constexpr uint32_t points_of(KindId kind) { return is_contact(kind) ? uint32_t(kind) + 1 : 0; }
constexpr KindId contact_kind(uint32_t points) { return KindId(points - 1); }

}  // namespace proxima::physics
