// SPDX-License-Identifier: MIT
// The one header a game includes.
#pragma once

#include "physics/components.h"
#include "physics/physics_world.h"
#include "physics/scene/scene.h"
#include "physics/shapes/shape.h"
#include "physics/state/recording.h"
#include "physics/step_settings.h"
