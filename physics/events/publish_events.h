// SPDX-License-Identifier: MIT
// The last stage: contacts into events, and into entities that games can see.
#pragma once

#include "physics/pairs/pairs.h"

namespace proxima::physics {

/// Begin, end and hit events in the order of the pairs' keys, and those of sensors and of large forces; entities for pairs
/// with their first contact points, and the end of those of pairs that are gone.
void publish_events(const StepParams& params, const Bodies& bodies, Pairs& pairs, Events& events,
                    entt::registry& registry, const StepTools& tools);

}  // namespace proxima::physics
