// SPDX-License-Identifier: MIT
// The one header a game includes.
#pragma once

#include "physics/components.h"
#include "physics/contact/capture.h"
#include "physics/effects/effects.h"
#include "physics/events.h"
#include "physics/query.h"
#include "physics/report.h"
#include "physics/scene/scene.h"
#include "physics/settings.h"
#include "physics/shapes/shape.h"
#include "physics/state/recording.h"
#include "physics/world.h"
