// SPDX-License-Identifier: MIT
#include "physics/state/check_components.h"

#include <algorithm>
#include <string>
#include <vector>

namespace proxima::physics {

using engine::SnapshotView;

Result<void> check_component(const StableId& id) {
    if (id.value == 0 || id.value == 0xFFFFFFFFu) return Error{"Stable ids run from 1 to 4294967294."};
    return {};
}

Result<void> check_identities(const SnapshotView& snapshot, uint32_t next_stable_id) {
    std::vector<uint32_t> ids;
    ids.reserve(snapshot.count<StableId>());
    snapshot.each<StableId>([&](Entity, const StableId& id) { ids.push_back(id.value); });
    std::sort(ids.begin(), ids.end());
    if (const auto twice = std::adjacent_find(ids.begin(), ids.end()); twice != ids.end())
        return Error{"Stable id " + std::to_string(*twice) + " is there twice."};
    if (!ids.empty() && ids.back() >= next_stable_id)
        return Error{"Stable id " + std::to_string(ids.back()) + " is there, but the next new one would be " +
                     std::to_string(next_stable_id) + "."};
    return {};
}

}  // namespace proxima::physics
