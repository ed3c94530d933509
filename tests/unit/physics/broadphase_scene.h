// SPDX-License-Identifier: MIT
// What the tests of the broadphase share: a broadphase beside a list of what is in it, brute force over that
// list, and random boxes.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "engine/jobs/jobs.h"
#include "physics/broadphase/broadphase.h"

namespace proxima::physics::broadphase_tests {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using OrderPairs = std::vector<std::pair<uint32_t, uint32_t>>;

/// What the test believes is in the broadphase.
struct Entry {
    Aabb box;
    ProxyFilter filter;
    uint32_t order = 0;
    ProxyId id = kNoProxy;
};

struct Scene {
    Broadphase broadphase;
    std::vector<Entry> entries;
    std::unique_ptr<engine::Jobs> jobs = engine::make_serial_jobs();

    void add(const Aabb& box, const ProxyFilter& filter = {}) { add(box, filter, uint32_t(entries.size())); }
    void add(const Aabb& box, const ProxyFilter& filter, uint32_t order) {
        entries.push_back({box, filter, order, broadphase.insert(box, filter, order)});
    }
    void update() { broadphase.update(*jobs); }

    OrderPairs found() const {
        OrderPairs result;
        for (const ProxyPair& pair : broadphase.pairs())
            result.emplace_back(broadphase.order(pair.a), broadphase.order(pair.b));
        return result;
    }
};

inline bool is_somewhere(const Aabb& box) {
    return box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z;
}

inline bool filters_agree(const ProxyFilter& a, const ProxyFilter& b) {
    if ((a.layer & b.mask) == 0 || (b.layer & a.mask) == 0) return false;
    if (a.group != 0 && a.group == b.group) return false;
    return a.moves || b.moves;
}

inline OrderPairs brute_force(const std::vector<Entry>& entries) {
    OrderPairs result;
    for (size_t i = 0; i < entries.size(); ++i) {
        for (size_t j = i + 1; j < entries.size(); ++j) {
            const Entry &a = entries[i], &b = entries[j];
            if (!is_somewhere(a.box) || !is_somewhere(b.box) || !overlaps(a.box, b.box)) continue;
            if (filters_agree(a.filter, b.filter))
                result.emplace_back(std::min(a.order, b.order), std::max(a.order, b.order));
        }
    }
    std::sort(result.begin(), result.end());
    return result;
}

inline std::vector<uint32_t> brute_force_query(const std::vector<Entry>& entries, const Aabb& box) {
    std::vector<uint32_t> result;
    for (const Entry& entry : entries)
        if (is_somewhere(box) && is_somewhere(entry.box) && overlaps(box, entry.box)) result.push_back(entry.order);
    std::sort(result.begin(), result.end());
    return result;
}

inline std::vector<uint32_t> found_query(const Broadphase& broadphase, const Aabb& box) {
    std::vector<ProxyId> ids;
    broadphase.query(box, ids);
    std::vector<uint32_t> result;
    for (const ProxyId id : ids) result.push_back(broadphase.order(id));
    return result;
}

/// Boxes of every size and place; made anew for every test from its own seed.
struct RandomBoxes {
    std::mt19937 random;
    explicit RandomBoxes(uint32_t seed) : random(seed) {}

    float uniform(float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); }
    uint32_t index(size_t count) { return uint32_t(random() % count); }
    Vec3 vector(float low, float high) { return {uniform(low, high), uniform(low, high), uniform(low, high)}; }
    /// Evenly spread over orders of magnitude.
    float magnitude(float low, float high) { return std::exp(uniform(std::log(low), std::log(high))); }
    Aabb box(float space, float smallest, float largest) {
        const Vec3 centre = vector(-space, space);
        const Vec3 half = 0.5f * magnitude(smallest, largest) * vector(0.2f, 1.0f);
        return {centre - half, centre + half};
    }
};

inline void check_against_brute_force(Scene& scene) {
    scene.update();
    const OrderPairs expected = brute_force(scene.entries);
    CHECK(scene.found() == expected);  // the same pairs, each once, in order
}

}  // namespace proxima::physics::broadphase_tests
