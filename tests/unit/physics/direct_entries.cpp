// SPDX-License-Identifier: MIT
// Many stacks that come to rest in the same step: their first direct solves, the dearest, are spread over steps.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

constexpr uint32_t kColumns = 150, kHeight = 6, kMaxEntering = 512;  // as assign_solvers.cpp has it

/// Columns far from each other, each box `gap` above the next one.
struct Columns : TestWorld {
    std::vector<Entity> boxes;

    explicit Columns(float gap) {
        StepSettings s = settings();
        s.sleeping = false;
        set(s);
        floor();
        for (uint32_t i = 0; i < kColumns; ++i)
            for (uint32_t k = 0; k < kHeight; ++k)
                boxes.push_back(
                    body(box(Vec3(0.5f)),
                         {.position = {2.0f * float(i % 12), 0.5f + (1.0f + gap) * float(k), 2.0f * float(i / 12)}}));
    }
};

}  // namespace

TEST_CASE("stacks that come to rest together are solved directly some after the others, and all in the end") {
    Columns t(0.1f);
    uint32_t before = 0, largest = 0, steps_with_entries = 0;
    for (int i = 0; i < 400; ++i) {
        t.step();
        const uint32_t now = t.world.report().direct_bodies;
        if (now > before) {
            largest = std::max(largest, now - before);
            ++steps_with_entries;
        }
        before = now;
    }
    CHECK(before == kColumns * kHeight);
    CHECK(largest <= kMaxEntering);
    CHECK(steps_with_entries >= 2);
    for (uint32_t i = 0; i < t.boxes.size(); ++i) {
        const Vec3& at = t.pose(t.boxes[i]).position;
        CHECK(std::abs(at.y - 0.5f - float(i % kHeight)) < 1e-3f);
        CHECK(glm::length(t.velocity(t.boxes[i]).linear) == 0.0f);
    }
}

TEST_CASE("stacks that are made at rest do not wait for each other") {
    Columns t(0.0f);
    t.step();
    CHECK(t.world.report().direct_bodies == kColumns * kHeight);
}
