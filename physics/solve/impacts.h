// SPDX-License-Identifier: MIT
// Impacts travel: a blow that one contact passes on makes another one hit, so all are asked again until none does.
#pragma once

#include <cstdint>

namespace proxima::physics {

inline constexpr uint32_t kMaxImpactPasses = 64;
/// Where nothing has restitution: what is left after them is as good for the sweeps as it was before.
inline constexpr uint32_t kInelasticPasses = 8;

/// Calls pass(), which lets every contact that hits bounce once and says whether any did, until none does, or as often
/// as is said. Returns whether any ever did.
template <class Pass>
bool bounce_until_apart(uint32_t passes, const Pass& pass) {
    for (uint32_t k = 0; k < passes; ++k)
        if (!pass()) return k > 0;
    return passes > 0;
}

}  // namespace proxima::physics
