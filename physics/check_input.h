// SPDX-License-Identifier: MIT
// Whether numbers that a game gives make sense, each with a sentence that says what would be right.
#pragma once

#include "engine/core/result.h"
#include "physics/components.h"

namespace proxima::physics {

/// `of` names the thing, as in "a body".
Result<void> check_pose(const Pose& pose, const char* of);
Result<void> check_velocity(const Velocity& velocity);
Result<void> check_material(const Material& material);
Result<void> check_density(float density);

}  // namespace proxima::physics
