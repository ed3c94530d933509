// SPDX-License-Identifier: MIT
// A stack that nothing holds any more carries no load: what stood on it a step ago is no impulse to begin with.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

/// A column of cubes that rests, and is solved directly where it has four and more.
struct Column : TestWorld {
    std::vector<Entity> cubes;
    float dt;

    Column(int count, float size) : dt(kDt * std::sqrt(std::min(size, 1.0f))) {
        StepSettings s = settings();
        s.sleeping = false;
        set(s);
        floor();
        for (int i = 0; i < count; ++i)
            cubes.push_back(body(box(Vec3(0.5f * size)), {.position = {0.0f, (0.5f + float(i)) * size, 0.0f}}));
        for (int i = 0; i < 240; ++i) step(dt);
        REQUIRE((count < 4 || world.report().direct_islands == 1));
    }
};

}  // namespace

TEST_CASE("the boxes of a column whose lowest one is taken away all fall as gravity says") {
    std::mt19937 random(11);
    for (int k = 0; k < 12; ++k) {
        const int count = std::uniform_int_distribution<int>(5, 25)(random);
        const float size = std::exp(std::uniform_real_distribution<float>(std::log(0.2f), std::log(10.0f))(random));
        CAPTURE(count);
        CAPTURE(size);
        Column t(count, size);
        t.world.destroy_body(t.cubes[0]);
        t.step(t.dt);
        for (int i = 1; i < count; ++i) {
            const Velocity& v = t.velocity(t.cubes[size_t(i)]);
            CHECK(v.linear.y == doctest::Approx(-kG * t.dt).epsilon(1e-4));
            CHECK(glm::length(v.angular) * size < 1e-4f * kG * t.dt);
        }
    }
}

TEST_CASE("a column stays where it is when gravity is switched off") {
    std::mt19937 random(12);
    for (int k = 0; k < 16; ++k) {
        // The first ones are swept, with sub-steps that are long for them; the others are solved directly.
        const bool small = k < 8;
        const int count = small ? 1 + k % 2 : std::uniform_int_distribution<int>(5, 25)(random);
        const float low = std::log(small ? 0.01f : 0.2f), high = std::log(small ? 1.0f : 10.0f),
                    size = std::exp(std::uniform_real_distribution<float>(low, high)(random));
        CAPTURE(count);
        CAPTURE(size);
        Column t(count, size);
        StepSettings s = t.settings();
        s.gravity = Vec3(0.0f);
        t.set(s);
        for (int i = 0; i < 30; ++i) {
            t.step(t.dt);
            for (const Entity cube : t.cubes)
                CHECK(glm::length(t.velocity(cube).linear) < (small ? 1e-3f : 1e-4f) * kG * t.dt);
        }
    }
}

TEST_CASE("what presses on a column without gravity is carried through it") {
    Column t(8, 1.0f);
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f);
    t.set(s);
    const float force = 5000.0f;
    for (int i = 0; i < 120; ++i) {
        REQUIRE(t.world.apply_force(t.cubes.back(), {0.0f, -force, 0.0f}).ok());
        t.step(t.dt);
    }
    CHECK(std::abs(t.pose(t.cubes.back()).position.y - 7.5f) < 1e-3f);
    float carried = 0.0f;
    for (const ContactView& pair : t.world.contacts(t.cubes[0]))
        for (uint32_t i = 0; i < pair.manifold->count; ++i) carried += pair.manifold->points[i].impulse.x;
    CHECK(carried == doctest::Approx(2.0f * force * t.dt).epsilon(1e-2));  // from above, and to the floor
}
