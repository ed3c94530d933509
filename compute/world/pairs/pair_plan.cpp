// SPDX-License-Identifier: MIT
#include "compute/world/pairs/pair_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "compute/world/pairs/pairs_layout.h"

namespace proxima::compute::world {

namespace {

// Sizes are counted by octave, as on the cpu. A cell is a part of the largest diameter of its level: smaller
// cells have fewer colliders that are looked at in vain, larger ones make fewer rows to look into.
constexpr int kLowestOctave = -32;
constexpr float kCellPart = 0.9f;
// A level with no more than these costs less when everybody looks at all of them than when everybody looks for them.
constexpr uint32_t kMaxLargeOfLevel = 24;
constexpr uint32_t kMaxLarge = 48;

// How far a body in motion may be thrown off its path within a step and still meet its pairs: as on the cpu.
constexpr float kMaxAside = 0.03f;  // m
constexpr float kAsidePartOfSize = 0.1f;

float length(const vec4& v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

/// No box of the shape is longer along any axis, however it turns.
float diameter(const WorldShape& shape) {
    if (shape.kind.x == kSphere) return 2.0f * shape.size.w;
    if (shape.kind.x == kCapsule) return 2.0f * (shape.size.w + shape.more.x);
    return 2.0f * length(shape.size);
}

uint32_t octave_of(float size) {
    return uint32_t(std::clamp(std::ilogb(size) - kLowestOctave, 0, int(pairs::kMaxLevels) - 1));
}

struct Octave {
    uint32_t count = 0, level = 0;
    float largest = 0.0f;
};

/// Way and turning of a step that boxes cover: as far as contacts get points (contacts_sort.comp), and never more than
/// the size of the collider, so that its box fits its level at any speed.
void set_travel_limits(const WorldData& data, std::vector<vec4>& limits) {
    std::vector<float> radius(data.bodies.size(), 0.0f);
    for (const WorldCollider& c : data.colliders) {
        const WorldShape& shape = data.shapes[c.refs.y];
        if (shape.kind.x == kHalfSpace) continue;
        radius[c.refs.x] = std::max(radius[c.refs.x], length(c.offset) + shape.more.y);
    }
    for (size_t i = 0; i < limits.size(); ++i) {
        const WorldCollider& c = data.colliders[i];
        const WorldShape& shape = data.shapes[c.refs.y];
        if (shape.kind.x == kHalfSpace) continue;
        const bool is_round = shape.kind.x == kSphere || shape.kind.x == kCapsule;
        limits[i].y = std::min((is_round ? 2.0f : 1.0f) * radius[c.refs.x], diameter(shape));
        limits[i].z = length(c.offset) + (shape.kind.x == kSphere ? 0.0f : shape.more.y);
        limits[i].w = std::min(kMaxAside, kAsidePartOfSize * 0.5f * diameter(shape));
    }
}

}  // namespace

PairPlan plan_pairs(const WorldData& data) {
    PairPlan plan;
    plan.limits.resize(data.colliders.size());
    set_travel_limits(data, plan.limits);

    std::array<Octave, pairs::kMaxLevels> octaves;
    std::vector<uint8_t> octave_of_collider(data.colliders.size(), uint8_t(pairs::kMaxLevels));
    for (size_t i = 0; i < data.colliders.size(); ++i) {
        const WorldShape& shape = data.shapes[data.colliders[i].refs.y];
        if (shape.kind.x == kHalfSpace) {
            ++plan.large;
            continue;
        }
        const float size = diameter(shape) + 2.0f * data.colliders[i].surface.z;
        const uint32_t k = octave_of(size);
        octave_of_collider[i] = uint8_t(k);
        ++octaves[k].count;
        octaves[k].largest = std::max(octaves[k].largest, size);
    }
    // From coarse to fine: few enough are large ones.
    int last = int(pairs::kMaxLevels) - 1;
    uint32_t few = 0;
    for (; last >= 0; --last) {
        const uint32_t count = octaves[size_t(last)].count;
        if (count > kMaxLargeOfLevel || few + count > kMaxLarge) break;
        few += count;
    }
    plan.large += few;
    for (int k = 0; k <= last; ++k) {
        Octave& octave = octaves[size_t(k)];
        if (octave.count == 0) continue;
        octave.level = uint32_t(plan.levels.size());
        const float cell = kCellPart * octave.largest;
        plan.levels.push_back({1.0f / cell, cell, 0.0f, 0.0f});
    }
    const uint32_t behind = uint32_t(plan.levels.size());
    for (size_t i = 0; i < data.colliders.size(); ++i) {
        const int k = octave_of_collider[i];
        plan.limits[i].x = std::bit_cast<float>(k <= last ? octaves[size_t(k)].level : behind);
    }
    // Large colliders are measured coarsely, so that worlds of kilometres have units.
    const float coarse = plan.levels.empty() ? 16.0f : 8.0f * plan.levels[0].y;
    plan.levels.push_back({1.0f / coarse, coarse, 0.0f, 0.0f});
    return plan;
}

}  // namespace proxima::compute::world
