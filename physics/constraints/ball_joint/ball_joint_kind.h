// SPDX-License-Identifier: MIT
// The row of ball joints in the table of kinds.
#pragma once

#include "physics/constraints/kinds.h"

namespace proxima::physics {

ConstraintKind ball_joint_row();

}  // namespace proxima::physics
