// SPDX-License-Identifier: MIT
// The contact problem of a world, taken out of its stages before a solver sees it.
#pragma once

#include "engine/core/result.h"
#include "physics/contact/capture.h"

namespace proxima::physics {

struct Simulation;

/// The problem of a single hard step of dt: the stages of a step up to the solver, which is why the simulation is a
/// copy that is thrown away. PhysicsWorld::capture makes one.
Result<ContactDump> capture_contacts(Simulation& s, float dt);

}  // namespace proxima::physics
