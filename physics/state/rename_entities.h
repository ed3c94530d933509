// SPDX-License-Identifier: MIT
// Other identifiers for entities of a saved state, wherever one of them is named.
#pragma once

#include <vector>

#include "physics/state/state_image.h"

namespace proxima::physics {

/// The list of entities is in order again afterwards, and so is what was sorted by identifiers.
void rename_entities(const std::vector<RenamedEntity>& renamed, StateImage& image);

}  // namespace proxima::physics
