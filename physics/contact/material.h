// SPDX-License-Identifier: MIT
// What two surfaces make of their friction and restitution.
#pragma once

#include "physics/components.h"

namespace proxima::physics {

float combine(float a, float b, Combine mode);
/// Of two modes the later one in the list of Combine decides.
float combine_friction(const Material& a, const Material& b);
float combine_restitution(const Material& a, const Material& b);

}  // namespace proxima::physics
