// SPDX-License-Identifier: MIT
#include "physics/constraints/ball_joint/ball_joint_kind.h"

namespace proxima::physics {

ConstraintKind ball_joint_row() { return {}; }

}  // namespace proxima::physics
