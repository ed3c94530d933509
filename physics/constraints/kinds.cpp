// SPDX-License-Identifier: MIT
// The table of kinds. A new kind is one folder beside this file, one name in kind_id.h and one row here.
#include "physics/constraints/kinds.h"

#include <array>

#include "physics/constraints/ball_joint/ball_joint_kind.h"
#include "physics/constraints/contact/contact_kind.h"
#include "physics/constraints/joint/joint_kind.h"

namespace proxima::physics {

const ConstraintKind& kind_row(KindId kind) {
    static const std::array<ConstraintKind, kKindCount> table = {
        contact_row<1>(), contact_row<2>(), contact_row<3>(), contact_row<4>(), ball_joint_row(), joint_row(),
    };
    return table[size_t(kind)];
}

}  // namespace proxima::physics
