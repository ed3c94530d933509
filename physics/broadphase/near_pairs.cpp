// SPDX-License-Identifier: MIT
#include "physics/broadphase/near_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proxima::physics {

// Whether the boxes overlap now, and how far boxes may travel until that can be otherwise. Boxes overlap when
// none of six differences of bounds, a.upper - b.lower and so on, is below zero. The smallest of them has to
// change its sign; while bounds move by s it changes by s, or by 2 s when both boxes move. A difference has
// the right sign whatever the rounding; that of two infinities is no number, and min passes over it.
inline double NearPairs::look(Pair& pair, const Aabb* boxes) const {
    const Aabb &a = boxes[pair.a], &b = boxes[pair.b];
    float least = std::numeric_limits<float>::infinity();
    for (int axis = 0; axis < 3; ++axis) {
        least = std::min(least, a.upper[axis] - b.lower[axis]);
        least = std::min(least, b.upper[axis] - a.lower[axis]);
    }
    pair.overlaps = least >= 0.0f;
    // A little early: more than all that is lost by rounding, here and in the steps.
    constexpr double kEarly = 1.0 - 1e-14;
    return kEarly * (travel_ + (pair.both_move ? 0.499 : 0.998) * double(std::abs(least)));
}

void NearPairs::begin(std::vector<PairKey>& keys, std::span<const uint32_t> slot_of_rank, std::span<const Aabb> boxes,
                      std::span<const ProxyFilter> filters, std::vector<PairKey>& overlapping) {
    keys_.swap(keys);
    if (pairs_.capacity() < keys_.size()) {
        // With some to spare, so that a search that finds a few more allocates nothing.
        const size_t fat_box = keys_.size() + keys_.size() / 4 + 64;
        pairs_.reserve(fat_box);
        due_.reserve(fat_box);
        for (std::vector<PairKey>* list : {&keys_, &keys, &gone_, &come_, &overlapping}) list->reserve(fat_box);
    }
    pairs_.resize(keys_.size());
    due_.resize(keys_.size());
    travel_ = 0.0;
    overlapping.clear();
    for (size_t i = 0; i < keys_.size(); ++i) {
        Pair& pair = pairs_[i];
        pair.a = slot_of_rank[first_rank(keys_[i])];
        pair.b = slot_of_rank[second_rank(keys_[i])];
        pair.both_move = filters[pair.a].moves && filters[pair.b].moves;
        due_[i] = look(pair, boxes.data());
        if (pair.overlaps) overlapping.push_back(keys_[i]);
    }
}

void NearPairs::advance(double step, std::span<const Aabb> boxes) {
    gone_.clear();
    come_.clear();
    travel_ += step;
    for (size_t i = 0; i < due_.size(); ++i) {
        if (due_[i] > travel_) continue;
        const bool before = pairs_[i].overlaps;
        due_[i] = look(pairs_[i], boxes.data());
        if (pairs_[i].overlaps != before) (before ? gone_ : come_).push_back(keys_[i]);
    }
}

float distance_between(const Aabb& before, const Aabb& now) {
    float most = 0.0f;
    for (int axis = 0; axis < 3; ++axis) {
        // No number when both are infinite, which max passes over.
        most = std::max(most, std::abs(now.lower[axis] - before.lower[axis]));
        most = std::max(most, std::abs(now.upper[axis] - before.upper[axis]));
    }
    return most;
}

Aabb fat_box_around(const Aabb& before, const Aabb& now) {
    // Long enough that searching is rare, short enough that few boxes are near.
    constexpr float kUpdates = 32.0f, kAnyDirection = 4.0f, kOfSize = 0.01f;
    Aabb fat_box = now;
    for (int axis = 0; axis < 3; ++axis) {
        const float size = now.upper[axis] - now.lower[axis];
        const float d = 0.5f * ((now.lower[axis] - before.lower[axis]) + (now.upper[axis] - before.upper[axis]));
        if (!(size >= 0.0f) || !std::isfinite(size) || !std::isfinite(d)) return now;
        // A box that jumps will not jump on.
        const float travel = std::clamp(d, -0.03f * size, 0.03f * size);
        const float margin = kAnyDirection * std::abs(travel) + kOfSize * size;
        fat_box.lower[axis] -= std::max(-kUpdates * travel, margin);
        fat_box.upper[axis] += std::max(kUpdates * travel, margin);
    }
    return fat_box;
}

}  // namespace proxima::physics
