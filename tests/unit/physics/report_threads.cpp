// SPDX-License-Identifier: MIT
// Reports, island reports and events do not depend on how many threads made the step: sums are added up in one order.
#include <functional>
#include <string>
#include <vector>

#include "tests/support/step_text.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

using Build = std::function<void(TestWorld&)>;

ShapeDesc shape_number(int i) {
    const ShapeDesc shapes[] = {TestWorld::box({0.3f, 0.25f, 0.2f}), TestWorld::sphere(0.25f),
                                TestWorld::capsule(0.2f, 0.3f)};
    return shapes[i % 3];
}

/// Many small heaps that do not touch each other.
void build_small_islands(TestWorld& t) {
    t.floor(0.6f, 0.2f);
    for (int i = 0; i < 400; ++i) {
        const int heap = i / 4;
        t.body(shape_number(i), {.position = {2.0f * float(heap % 10) - 9.0f, 0.4f + 0.5f * float(i % 4),
                                              2.0f * float(heap / 10) - 9.0f + 0.05f * float(i % 7)},
                                 .rotation = turn({1.0f, float(i % 3), 0.5f}, float(37 * i % 360)),
                                 .restitution = i % 5 ? 0.0f : 0.4f});
    }
}

/// Two layers of boxes that touch at all sides: one island that is cut into slabs.
void build_raft(TestWorld& t) {
    t.floor();
    for (int layer = 0; layer < 2; ++layer)
        for (int x = 0; x < 22; ++x)
            for (int z = 0; z < 22; ++z)
                t.body(TestWorld::box(Vec3(0.25f)),
                       {.position = {0.505f * (float(x) - 10.5f) + 0.25f * float(layer), 0.26f + 0.51f * float(layer),
                                     0.505f * (float(z) - 10.5f) + 0.2f * float(layer)},
                        .rotation = turn({0.2f, 1.0f, 0.0f}, 0.3f * float((7 * x + 5 * z) % 5))});
}

/// What a game reads after each step, as text.
std::vector<std::string> run(const Build& build, const StepSettings& settings, uint32_t threads, int steps) {
    TestWorld t(threads);
    build(t);
    t.set(settings);
    std::vector<std::string> texts;
    uint32_t contacts = 0;
    for (int i = 0; i < steps; ++i) {
        t.step();
        contacts = std::max(contacts, t.world.report().contacts);
        texts.push_back(text_of(t.world.report()) + islands_text(t.world) + events_text(t.world));
    }
    CHECK(contacts > 512);  // more than two blocks of any of the sums
    return texts;
}

void check_threads(const Build& build, const StepSettings& settings, int steps) {
    const std::vector<std::string> one = run(build, settings, 1, steps);
    for (const uint32_t threads : {2u, 3u}) {
        CAPTURE(threads);
        const std::vector<std::string> several = run(build, settings, threads, steps);
        for (int i = 0; i < steps; ++i) {
            CAPTURE(i);
            REQUIRE(several[size_t(i)] == one[size_t(i)]);
        }
    }
}

}  // namespace

TEST_CASE("one, two and three threads report the same of many small islands") {
    check_threads(build_small_islands, StepSettings(), 60);
}

TEST_CASE("one, two and three threads report the same of a large island that is cut into slabs") {
    check_threads(build_raft, StepSettings(), 30);
}

TEST_CASE("one, two and three threads report the same on the general path") {
    StepSettings general;
    general.simd_kernels = false;
    check_threads(build_small_islands, general, 40);
    check_threads(build_raft, general, 12);
    StepSettings box;
    box.solver = "pgs";
    check_threads(build_small_islands, box, 40);
    StepSettings tolerant;
    tolerant.tolerance = 1e-3;
    tolerant.iterations = 10;
    check_threads(build_small_islands, tolerant, 25);
}

TEST_CASE("one, two and three threads report the same where islands of all kinds are in one step") {
    const Build build = [](TestWorld& t) {
        build_small_islands(t);
        for (size_t i = 1; i < t.world.bodies().size(); i += 12)
            REQUIRE(t.world.set_solver(t.world.bodies()[i], i % 24 == 1 ? "nncg" : "pgs", 1e-4f, 8).ok());
        for (int k = 0; k < 6; ++k)  // stacks at rest, which are solved directly
            for (int i = 0; i < 6; ++i)
                t.body(TestWorld::box(Vec3(0.5f)), {.position = {15.0f + 2.0f * float(k), 0.5f + float(i), 0.0f}});
    };
    check_threads(build, StepSettings(), 40);
}
