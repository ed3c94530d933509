// SPDX-License-Identifier: MIT
// Restitution: contacts that close faster than a threshold bounce, one after the other, until none does.
//
// Each impact is Newton's law for one contact, v_n+ = -e v_n-, with Coulomb friction on its impulse. Going
// from contact to contact until nothing closes lets an impact travel through a row of touching bodies
// (Newton's cradle), which asking all contacts for their own e v_n- at once does not. Every single impact
// loses energy or keeps it.
#include <algorithm>
#include <cmath>

#include "physics/step.h"

namespace proxima::physics {

namespace {

constexpr int kMaxPasses = 64;

/// Impact of one contact. Returns whether it closed fast enough to bounce.
bool bounce(StepContext& c, BodySystem& system, uint32_t local, uint32_t contact) {
    ContactLaw& law = c.laws[contact];
    Contact& k = c.problem.contacts[contact];
    if (law.restitution <= 0.0f || k.normal_block <= 0.0f) return false;
    const float v_n = system.normal_velocity(local) - k.bias;
    if (v_n >= -c.settings.restitution_speed || law.gap + c.h * v_n > 0.0f) return false;

    const Vec3 before = k.lambda;
    const float normal = -(1.0f + law.restitution) * v_n / k.normal_block;
    system.add_normal(local, normal);
    const Real2<float> v_t = system.tangent_velocity(local);
    const TangentBlock<float>& w = k.tangent_block;
    const float spread = std::sqrt((w.t11 - w.t22) * (w.t11 - w.t22) + 4.0f * w.t12 * w.t12);
    const float step = 2.0f / (w.t11 + w.t22 + spread);
    Real2<float> friction{-step * v_t.x, -step * v_t.y};
    const float size = std::sqrt(friction.x * friction.x + friction.y * friction.y);
    const float limit = k.friction * normal;
    if (size > limit) {
        friction.x *= limit / size;
        friction.y *= limit / size;
    }
    system.add_tangent(local, friction);
    // The warm start is about lasting forces: a blow is counted in the step's total only.
    law.total += k.lambda - before;
    k.lambda = before;
    return true;
}

}  // namespace

void solve_impacts(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::impacts));
    c.jobs->parallel_for(uint32_t(c.batches.size()), 1, [&](const engine::JobBlock& block) {
        for (uint32_t n = c.batches[block.begin].begin; n < c.batches[block.begin].end; ++n) {
            const Island& island = c.islands[n];
            if (island.group_begin == island.group_end || !c.island_bounces[n]) continue;
            const uint32_t first = c.problem.groups[island.group_begin].begin;
            const uint32_t last = c.problem.groups[island.group_end - 1].end;
            BodySystem system(c.problem, island.group_begin, island.group_end, {},
                              c.scratch[block.worker].solver);
            bool any = true;
            for (int pass = 0; any && pass < kMaxPasses; ++pass) {
                any = false;
                for (uint32_t i = first; i < last; ++i) any |= bounce(c, system, i - first, i);
            }
        }
    });
}

}  // namespace proxima::physics
