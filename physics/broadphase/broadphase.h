// SPDX-License-Identifier: MIT
// Finds pairs of overlapping boxes without a tree: boxes are sorted into a grid of several levels, so that sizes may
// differ by any factor. Proxies live as long as their colliders; pairs come out sorted by the proxies' stable order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/math.h"
#include "engine/jobs/jobs.h"

namespace proxima::physics {

enum class ProxyId : uint32_t {};
inline constexpr ProxyId kNoProxy = ProxyId{0xFFFFFFFFu};

/// Who may meet whom.
struct ProxyFilter {
    uint32_t layer = 1;            // bits this proxy is on
    uint32_t mask = 0xFFFFFFFFu;   // bits it collides with; both proxies must agree
    uint32_t group = 0;            // proxies of one non-zero group (the colliders of one body) never pair
    bool moves = true;             // two proxies that do not move never pair
};

/// Two proxies whose boxes overlap and whose filters agree; order(a) < order(b).
struct ProxyPair {
    ProxyId a = kNoProxy;
    ProxyId b = kNoProxy;
};

class Broadphase {
  public:
    /// `order` is a stable number of the caller (unique among live proxies) that fixes the order of pairs.
    ProxyId insert(const Aabb& box, const ProxyFilter& filter, uint32_t order);
    void remove(ProxyId id);
    void set_box(ProxyId id, const Aabb& box);
    void set_filter(ProxyId id, const ProxyFilter& filter);

    const Aabb& box(ProxyId id) const;
    const ProxyFilter& filter(ProxyId id) const;
    uint32_t order(ProxyId id) const;
    size_t size() const;

    /// Brings pairs() up to date with the boxes. Boxes touching in a face count as overlapping. Bounds may be
    /// infinite (half-spaces); a box with a NaN bound, or inverted, pairs with nothing. The result does not depend on the number of workers or on history.
    void update(engine::Jobs& jobs);

    /// All overlapping pairs, each once, sorted by (order(a), order(b)).
    std::span<const ProxyPair> pairs() const;

    /// Appends every proxy whose box overlaps `box`, sorted by order. Sees boxes as of the last update().
    void query(const Aabb& box, std::vector<ProxyId>& out) const;
};

}  // namespace proxima::physics
