// SPDX-License-Identifier: MIT
// The components of all kinds of joints, listed once: snapshots, scene files and the editor walk this list.
#pragma once

#include <variant>

#include "physics/joints/ball_joint.h"
#include "physics/joints/distance_joint.h"
#include "physics/joints/gear_joint.h"
#include "physics/joints/prismatic_joint.h"
#include "physics/joints/pulley_joint.h"
#include "physics/joints/revolute_joint.h"
#include "physics/joints/six_dof_joint.h"
#include "physics/joints/spherical_joint.h"
#include "physics/joints/weld_joint.h"
#include "physics/joints/wheel_joint.h"

namespace proxima::physics {

template <class... T>
struct TypeList {};

using JointTypes = TypeList<BallJoint, DistanceJoint, SphericalJoint, RevoluteJoint, PrismaticJoint, WeldJoint,
                            WheelJoint, SixDofJoint, GearJoint, PulleyJoint>;

namespace detail {
template <class List>
struct VariantOf;
template <class... T>
struct VariantOf<TypeList<T...>> {
    using type = std::variant<T...>;
};
}  // namespace detail

/// A joint of any kind, as plain data.
using AnyJoint = detail::VariantOf<JointTypes>::type;

}  // namespace proxima::physics
