// SPDX-License-Identifier: MIT
// Measures a full update of the broadphase on crowds of boxes. Every box moves a little before every update,
// so nothing is skipped; printed is the fastest and the middle of many updates.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/jobs/jobs.h"
#include "physics/broadphase/broadphase.h"

namespace {

using namespace proxima;
using namespace proxima::physics;

struct Crowd {
    std::string name;
    std::vector<Aabb> boxes;
    std::vector<bool> moves;
};

void add_cube(Crowd& crowd, const Vec3& centre, float half) {
    crowd.boxes.push_back({centre - Vec3(half), centre + Vec3(half)});
    crowd.moves.push_back(true);
}

void add_ground(Crowd& crowd) {
    crowd.boxes.push_back({Vec3(-100.0f, -2.0f, -100.0f), Vec3(100.0f, 0.0f, 100.0f)});
    crowd.moves.push_back(false);
}

// Cubes of 1 m with a margin of 20 mm each side, touching all neighbours.
Crowd make_grid(uint32_t columns, uint32_t layers) {
    Crowd crowd{"grid of " + std::to_string(columns * columns * layers) +
                    " unit cubes, layers: " + std::to_string(layers),
                {},
                {}};
    for (uint32_t y = 0; y < layers; ++y)
        for (uint32_t z = 0; z < columns; ++z)
            for (uint32_t x = 0; x < columns; ++x)
                add_cube(
                    crowd,
                    Vec3(float(x) - 0.5f * float(columns), float(y) + 0.5f, float(z) - 0.5f * float(columns)),
                    0.52f);
    add_ground(crowd);
    return crowd;
}

// Turned cubes lying anyhow: boxes of 1 to 1.7 m in a heap that is as dense as a settled pile.
Crowd make_pile(uint32_t count) {
    Crowd crowd{"pile of " + std::to_string(count) + " turned cubes on a ground", {}, {}};
    std::mt19937 random(1);
    const float side = std::cbrt(float(count) * 1.6f);
    std::uniform_real_distribution<float> place(0.0f, side), extent(0.5f, 0.87f);
    for (uint32_t i = 0; i < count; ++i) {
        const Vec3 half(extent(random), extent(random), extent(random));
        const Vec3 centre(place(random), place(random), place(random));
        crowd.boxes.push_back({centre - half, centre + half});
        crowd.moves.push_back(true);
    }
    add_ground(crowd);
    return crowd;
}

// Eight sizes from 0.1 to 12.8 m, the same number of each, in a space that they fill to about a tenth.
Crowd make_mixed(uint32_t count) {
    Crowd crowd{std::to_string(count) + " cubes of eight sizes, 0.1 m to 12.8 m", {}, {}};
    std::mt19937 random(2);
    const float side = std::cbrt(float(count) / 8.0f * 2100.0f * 1.15f * 10.0f);
    std::uniform_real_distribution<float> place(-0.5f * side, 0.5f * side);
    for (uint32_t i = 0; i < count; ++i)
        add_cube(crowd, Vec3(place(random), place(random), place(random)), 0.05f * float(1u << (i % 8)));
    return crowd;
}

void measure(const Crowd& crowd, engine::Jobs& jobs) {
    Broadphase broadphase;
    std::vector<ProxyId> ids;
    for (uint32_t i = 0; i < crowd.boxes.size(); ++i) {
        ProxyFilter filter;
        filter.moves = crowd.moves[i];
        ids.push_back(broadphase.insert(crowd.boxes[i], filter, i));
    }
    std::vector<Aabb> boxes = crowd.boxes;
    std::vector<double> times;
    for (int round = 0; round < 200; ++round) {
        const Vec3 shift(0.001f * float(round % 7), 0.001f * float(round % 3), 0.001f * float(round % 5));
        for (size_t i = 0; i < boxes.size(); ++i) {
            if (!crowd.moves[i]) continue;
            boxes[i] = {crowd.boxes[i].lower + shift, crowd.boxes[i].upper + shift};
        }
        broadphase.set_boxes(ids, boxes);
        const auto begin = std::chrono::steady_clock::now();
        broadphase.update(jobs);
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    std::printf("%-48s %8zu pairs   best %6.3f ms   median %6.3f ms\n", crowd.name.c_str(),
                broadphase.pairs().size(), times.front(), times[times.size() / 2]);
}

}  // namespace

/// broadphase_bench [threads] [part of a name]: all crowds, or those whose name contains the part.
int main(int argc, char** argv) {
    const uint32_t threads = argc > 1 ? uint32_t(std::max(1, std::atoi(argv[1]))) : 1u;
    const std::string part = argc > 2 ? argv[2] : "";
    const std::unique_ptr<engine::Jobs> jobs = engine::make_threaded_jobs(threads);
    std::printf("threads: %u\n", threads);
    for (const Crowd& crowd : {make_grid(16, 16), make_grid(100, 1), make_grid(32, 10), make_pile(4096),
                               make_pile(10000), make_mixed(10000)})
        if (crowd.name.find(part) != std::string::npos) measure(crowd, *jobs);
    return 0;
}
