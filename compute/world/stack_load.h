// SPDX-License-Identifier: MIT
// How much rests on what, as far as that can be said without solving for it: the device has no direct solves, and leaves
// high stacks and heavy loads to the cpu, which has.
#pragma once

#include "engine/core/result.h"
#include "physics/contact/capture.h"
#include "physics/world.h"

namespace proxima::compute::world {

/// The largest load of a contact, in weights of the lighter of its two bodies. Each body hands on its weight and what
/// rests on it in equal parts to what it stands on, along `up`; what leans against each other in a circle is left out.
float largest_load(const physics::ContactDump& contacts, const Vec3& up);

/// A sentence for worlds that stand on more than sweeps hold up without sinking in, unless they go without direct solves
/// (StepSettings::direct_islands) on the cpu as well.
Result<void> check_stacks(const physics::PhysicsWorld& world);

}  // namespace proxima::compute::world
