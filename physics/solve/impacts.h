// SPDX-License-Identifier: MIT
// Impacts travel: a blow that one contact passes on makes another one hit, so all are asked again until none does.
#pragma once

#include <cstdint>

namespace proxima::physics {

inline constexpr uint32_t kMaxImpactPasses = 64;

/// Calls pass(), which lets every contact that hits bounce once and says whether any did, until none does. Returns
/// whether any ever did.
template <class Pass>
bool bounce_until_apart(const Pass& pass) {
    for (uint32_t k = 0; k < kMaxImpactPasses; ++k)
        if (!pass()) return k > 0;
    return true;
}

}  // namespace proxima::physics
