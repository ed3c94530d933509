// SPDX-License-Identifier: MIT
// The components that belong to the saved state of a world, listed once: snapshots, copies and checks walk this list.
#pragma once

#include <string_view>

#include "physics/components.h"
#include "physics/joints/joint_types.h"

namespace proxima::physics {

template <class... A, class... B>
TypeList<A..., B...> joined(TypeList<A...>, TypeList<B...>);

using PersistedComponents =
    decltype(joined(TypeList<StableId, Pose, Velocity, Force, RigidBody, Mass, SleepState, Quarantined, SolverChoice,
                             Collider, ContactRules, ContactPair, JointState>{},
                    JointTypes{}));

/// The name of a component in snapshots: that of its type.
template <class T>
constexpr std::string_view component_name() {
    const std::string_view all = __PRETTY_FUNCTION__;
    const size_t begin = all.find("T = ") + 4;
    const std::string_view full = all.substr(begin, all.find_first_of(";]", begin) - begin);
    return full.substr(full.rfind(':') + 1);
}

}  // namespace proxima::physics
