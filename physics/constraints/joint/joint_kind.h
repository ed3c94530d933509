// SPDX-License-Identifier: MIT
// The row of joints, of whatever type, in the table of kinds.
#pragma once

#include "physics/constraints/kinds.h"

namespace proxima::physics {

ConstraintKind joint_row();

}  // namespace proxima::physics
