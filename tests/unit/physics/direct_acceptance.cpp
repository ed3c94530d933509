// SPDX-License-Identifier: MIT
// What a direct solve may call solved: an answer within 5 mm/s of the exact law. Worse ones are failures,
// counted, and swept instead.
#include <algorithm>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

// m/s, natural map: the limit of acceptance, and what single precision adds when the report measures it again.
constexpr double kAccepted = 5e-3 * 1.01;

struct Outcomes {
    int accepted = 0, failed = 0;
    double worst = 0.0;                         // residual of what was accepted
    float least_load = 1e9f, most_load = 0.0f;  // on the floor in a step that failed, in weights of the stack
};

/// What the floor gave the stack in the last step, over the weight of the stack in a step.
float load_on(TestWorld& t, Entity floor, const std::vector<Entity>& stack) {
    float given = 0.0f, weight = 0.0f;
    for (const ContactView& c : t.world.contacts(floor))
        for (uint32_t i = 0; i < c.manifold->count; ++i) given += c.manifold->points[i].impulse.x;
    for (const Entity body : stack) weight += t.mass(body).mass * kG * kDt;
    return given / weight;
}

/// A stack at rest, solved directly, one body of which is pushed sideways now and then: the next solve begins
/// from impulses that are wrong, has friction to find that slides, and not always the budget for it.
void push_a_stack(uint32_t seed, bool flat, float friction, Outcomes& out) {
    Random random{seed};
    TestWorld t;
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
    const Entity floor = t.floor(0.5f);
    const float half = flat ? 0.1f : 0.5f;
    std::vector<Entity> bodies;
    for (uint32_t i = 0; i < 4 + seed % 5; ++i)
        bodies.push_back(t.body(
            TestWorld::box({0.5f, half, 0.5f}),
            {.position = {0.0f, half * (1.0f + 2.0f * float(i)), 0.0f}, .friction = friction, .density = 500.0f}));
    for (int i = 0; i < 200; ++i) {
        const bool push = i % 40 == 20;
        if (push)
            t.velocity(bodies[random.below(uint32_t(bodies.size()))]).linear +=
                Vec3(random.between(-0.8f, 0.8f), 0.0f, random.between(-0.8f, 0.8f));
        t.step();
        // Of the step after a push all contacts are closed before and after: the law that the solver had and
        // the law that the report measures are the same.
        const auto island = t.world.island(bodies[0]);
        if (!push || !island || island->solver != "direct") continue;
        if (island->stop == StopReason::tolerance) {
            CHECK(t.world.report().direct_failures == 0);
            ++out.accepted;
            out.worst = std::max(out.worst, island->residual);
        } else {
            CHECK(island->stop == StopReason::failed);
            CHECK(t.world.report().direct_failures == 1);
            ++out.failed;
            const float load = load_on(t, floor, bodies);
            out.least_load = std::min(out.least_load, load);
            out.most_load = std::max(out.most_load, load);
        }
    }
}

}  // namespace

TEST_CASE("a direct solve of a pushed stack is within 5 mm/s of the exact law, or it is called a failure") {
    Outcomes out;
    for (const bool flat : {false, true})
        for (const float friction : {0.6f, 0.2f})
            for (uint32_t seed = 1; seed <= 12; ++seed) push_a_stack(seed, flat, friction, out);
    CHECK(out.worst <= kAccepted);
    // The scenes are hard enough to fail, and not so hard that nothing is left to be judged.
    CHECK(out.accepted > 10);
    CHECK(out.failed > 10);
    // Nothing was pushed up or down: what is swept instead carries the weight of one step. One step of sweeps from
    // wrong impulses may leave the bottom of a stack that is pulled sideways less than that, 0.58 of it at worst, and
    // the rest to the next.
    CHECK(out.least_load > 0.5f);
    CHECK(out.most_load < 1.3f);
}
