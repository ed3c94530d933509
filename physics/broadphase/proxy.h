// SPDX-License-Identifier: MIT
// What the broadphase deals in: the name of a box, which others it may meet, and two boxes that do.
#pragma once

#include <cstdint>

namespace proxima::physics {

enum class ProxyId : uint32_t {};
inline constexpr ProxyId kNoProxy = ProxyId{0xFFFFFFFFu};

/// Which proxies may meet.
struct ProxyFilter {
    uint32_t layer = 1;           // bits this proxy is on
    uint32_t mask = 0xFFFFFFFFu;  // bits it collides with; both proxies must agree
    uint32_t group = 0;           // proxies of one non-zero group (the colliders of one body) never pair
    bool moves = true;            // two proxies that do not move never pair
};

/// Two proxies whose boxes overlap and whose filters agree; order(a) < order(b).
struct ProxyPair {
    ProxyId a = kNoProxy;
    ProxyId b = kNoProxy;
};

/// A pair that began or ended, with the orders that its proxies had: those of an ended pair may be gone, and
/// their ids given to others.
struct PairChange {
    ProxyId a = kNoProxy;
    ProxyId b = kNoProxy;
    uint32_t order_a = 0;
    uint32_t order_b = 0;
};

}  // namespace proxima::physics
