// SPDX-License-Identifier: MIT
// The rows of contacts in the table of kinds: one for each number of points of a manifold.
#pragma once

#include "physics/constraints/kinds.h"

namespace proxima::physics {

template <uint32_t N>
ConstraintKind contact_row();
extern template ConstraintKind contact_row<1>();
extern template ConstraintKind contact_row<2>();
extern template ConstraintKind contact_row<3>();
extern template ConstraintKind contact_row<4>();

}  // namespace proxima::physics
