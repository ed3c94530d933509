// SPDX-License-Identifier: MIT
// Columns that fall onto the floor: what follows a body that is stopped is stopped by it in the same step, and columns of
// small cubes have sub-steps that are short enough for their height.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

struct Column : TestWorld {
    std::vector<Entity> cubes;
    float size;

    Column(float edge, bool sleeps = false) : size(edge) {
        StepSettings s = settings();
        s.sleeping = sleeps;
        set(s);
        floor();
    }
    void add(float x, float bottom, float z, float speed) {
        cubes.push_back(body(box(Vec3(0.5f * size)),
                             {.position = {x, bottom + 0.5f * size, z}, .velocity = {.linear = {0.0f, -speed, 0.0f}}}));
    }
    /// Of neighbours, and of the lowest with the floor, in sizes.
    float deepest() {
        float deep = 0.0f, below = 0.0f;
        for (const Entity cube : cubes) {
            const float y = pose(cube).position.y;
            deep = std::max(deep, (below - (y - 0.5f * size)) / size);
            below = y + 0.5f * size;
        }
        return deep;
    }
};

}  // namespace

TEST_CASE("boxes that fall one above the other do not fall into each other when the lowest is stopped") {
    std::mt19937 random(21);
    const auto draw = [&](float a, float b) { return std::uniform_real_distribution<float>(a, b)(random); };
    for (int k = 0; k < 12; ++k) {
        const float size = std::exp(draw(std::log(0.05f), std::log(2.0f))), gap = draw(0.03f, 0.3f);
        const float speed = draw(0.0f, 0.5f * size / kDt);  // half of its size in a step
        const int count = std::uniform_int_distribution<int>(2, 6)(random);
        CAPTURE(size);
        CAPTURE(gap);
        CAPTURE(speed);
        CAPTURE(count);
        Column t(size);
        for (int i = 0; i < count; ++i) t.add(0.0f, size * (1.0f + float(i) * (1.0f + gap)), 0.0f, speed);
        float deep = 0.0f;
        for (int i = 0; i < 120; ++i) {
            t.step();
            deep = std::max(deep, t.deepest());
        }
        CHECK(deep < 0.05f);
    }
}

TEST_CASE("columns of small cubes that are dropped at sixty steps a second stand") {
    std::mt19937 random(22);
    const auto draw = [&](float a, float b) { return std::uniform_real_distribution<float>(a, b)(random); };
    for (int k = 0; k < 10; ++k) {
        const float size = std::exp(draw(std::log(0.06f), std::log(1.0f)));
        const int count = std::uniform_int_distribution<int>(8, 26)(random);
        CAPTURE(size);
        CAPTURE(count);
        Column t(size, k % 2 == 1);
        float bottom = 0.0f;
        for (int i = 0; i < count; ++i) {
            bottom += draw(0.0f, 0.1f) * size;
            t.add(draw(-0.03f, 0.03f) * size, bottom, draw(-0.03f, 0.03f) * size, 0.0f);
            bottom += size;
        }
        t.run(10.0f);
        for (int i = 0; i < count; ++i)
            CHECK(t.pose(t.cubes[size_t(i)]).position.y == doctest::Approx((0.5f + float(i)) * size).epsilon(0.02));
    }
}
