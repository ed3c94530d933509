// SPDX-License-Identifier: MIT
#include "samples/bench/crowds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/core/assert.h"
#include "engine/core/suggest.h"
#include "samples/bench/lists.h"
#include "samples/scenes/builder.h"

namespace proxima::bench {

namespace {

using samples::Random;

constexpr CrowdInfo kCrowds[] = {
    {"static", "boxes of 1 to 1.7 m lying anyhow, fixed, but for one in a hundred that moves"},
    {"moving", "boxes of 1 to 1.7 m lying anyhow, all of them moving"},
    {"clustered", "boxes of 1 m in dense clusters of about a thousand, far apart, all moving"},
    {"mixed", "cubes of eight sizes from 0.1 to 12.8 m, thinly spread, all moving"},
    {"touching", "cubes of 1 m in a block, each touching its neighbours, on a ground, all moving"},
};

constexpr float kSpeed = 1.0f / 60.0f;  // m per update: 1 m/s at 60 updates a second

Vec3 random_vector(Random& random, float size) {
    const double x = random.symmetric();
    const double y = random.symmetric();
    const double z = random.symmetric();
    return size * Vec3(float(x), float(y), float(z));
}

void add(Crowd& crowd, Random& random, const Vec3& centre, const Vec3& half, bool moves = true) {
    crowd.boxes.push_back({centre - half, centre + half});
    crowd.velocities.push_back(moves ? random_vector(random, kSpeed) : Vec3(0.0f));
    crowd.moves.push_back(moves ? 1 : 0);
}

/// As dense as a settled pile: one box to 1.6 cubic metres.
void fill_pile(Crowd& crowd, uint32_t count, uint32_t moving_one_in) {
    Random random(1);
    const float half_side = 0.5f * std::cbrt(float(count) * 1.6f);
    for (uint32_t i = 0; i < count; ++i) {
        const Vec3 centre = random_vector(random, half_side);
        const Vec3 half = Vec3(0.685f) + random_vector(random, 0.185f);
        add(crowd, random, centre, half, i % moving_one_in == 0);
    }
}

void fill_clusters(Crowd& crowd, uint32_t count) {
    Random random(2);
    const uint32_t clusters = std::max(1u, count / 1000);
    const float half_side = 20.0f * std::cbrt(float(clusters));
    std::vector<Vec3> centres;
    for (uint32_t i = 0; i < clusters; ++i) centres.push_back(random_vector(random, half_side));
    for (uint32_t i = 0; i < count; ++i) {
        // The mean of three uniform numbers: denser towards the middle.
        const Vec3 a = random_vector(random, 7.0f);
        const Vec3 b = random_vector(random, 7.0f);
        const Vec3 c = random_vector(random, 7.0f);
        add(crowd, random, centres[i % clusters] + (a + b + c) / 3.0f, Vec3(0.5f));
    }
}

/// The same number of every size, filling about a tenth of the space.
void fill_mixed(Crowd& crowd, uint32_t count) {
    Random random(3);
    const float volume_of_eight = 2397.0f;  // cubic metres of one cube of each size
    const float half_side = 0.5f * std::cbrt(float(count) / 8.0f * volume_of_eight * 10.0f);
    for (uint32_t i = 0; i < count; ++i)
        add(crowd, random, random_vector(random, half_side), Vec3(0.05f * float(1u << (i % 8))));
}

/// 20 mm of margin on each side, as a speculative distance asks for, so that neighbours pair.
void fill_block(Crowd& crowd, uint32_t count) {
    Random random(4);
    const auto side = uint32_t(std::ceil(std::cbrt(double(count))));
    for (uint32_t i = 0; i + 1 < count; ++i) {
        const Vec3 cell(float(i % side), float(i / (side * side)), float(i / side % side));
        add(crowd, random, cell + Vec3(-0.5f * float(side), 0.5f, -0.5f * float(side)), Vec3(0.52f));
    }
    add(crowd, random, Vec3(0.0f, -1.0f, 0.0f), Vec3(100.0f, 1.0f, 100.0f), false);
}

}  // namespace

std::span<const CrowdInfo> crowd_table() { return kCrowds; }

Crowd make_crowd(std::string_view name, uint32_t count) {
    Crowd crowd;
    crowd.name = std::string(name);
    if (name == "static")
        fill_pile(crowd, count, 100);
    else if (name == "moving")
        fill_pile(crowd, count, 1);
    else if (name == "clustered")
        fill_clusters(crowd, count);
    else if (name == "mixed")
        fill_mixed(crowd, count);
    else {
        PX_ASSERT(name == "touching", "a name of the table");
        fill_block(crowd, count);
    }
    return crowd;
}

Result<std::vector<std::string>> parse_crowds(const std::string& list) {
    std::vector<std::string_view> known;
    for (const CrowdInfo& info : kCrowds) known.push_back(info.name);
    std::vector<std::string> out;
    if (list == "all") return std::vector<std::string>(known.begin(), known.end());
    for (const std::string& name : split_list(list)) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            return Error{fmt::format("There is no crowd called '{}'; did you mean '{}'? Known are: {}.", name,
                                     nearest_word(name, known), join_list(known))};
        if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
    if (out.empty()) return Error{fmt::format("--crowds is empty; known are: {}.", join_list(known))};
    return out;
}

CrowdMotion::CrowdMotion(const Crowd& crowd) : crowd_(crowd) {
    for (uint32_t i = 0; i < crowd.boxes.size(); ++i)
        if (crowd.velocities[i] != Vec3(0.0f)) movers_.push_back(i);
    boxes_.resize(movers_.size());
}

std::span<const Aabb> CrowdMotion::at(uint32_t update) {
    constexpr uint32_t kTurn = 32;  // updates until the boxes turn back
    const uint32_t phase = update % (2 * kTurn);
    const float travel = float(phase < kTurn ? phase : 2 * kTurn - phase);
    for (size_t k = 0; k < movers_.size(); ++k) {
        const Aabb& box = crowd_.boxes[movers_[k]];
        const Vec3 shift = travel * crowd_.velocities[movers_[k]];
        boxes_[k] = {box.lower + shift, box.upper + shift};
    }
    return boxes_;
}

}  // namespace proxima::bench
