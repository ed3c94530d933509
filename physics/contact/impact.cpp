// SPDX-License-Identifier: MIT
// Restitution: contacts that close faster than a threshold bounce, one after the other, until none does.
//
// Each impact is Newton's law for one contact, v_n+ = -e v_n-, with Coulomb friction on its impulse. Going
// from contact to contact until nothing closes lets an impact travel through a row of touching bodies
// (Newton's cradle), which asking all contacts for their own e v_n- at once does not. Every single impact
// loses energy or keeps it.
#include "physics/islands/for_each_island.h"
#include "physics/solvers/ellipsoid.h"
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
    const float step = system.tangent_step(local);
    // The friction of a blow has the axes of a grain; torsion and rolling belong to lasting contact.
    const float across = system.is_extra(local) ? float(system.extra_state(local).across) : k.friction;
    system.add_tangent(local, project_ellipse(Real2<float>{-step * v_t.x, -step * v_t.y}, k.friction * normal,
                                              across * normal));
    // The warm start is about lasting forces: a blow is counted in the step's total only.
    law.total += k.lambda - before;
    k.lambda = before;
    return true;
}

}  // namespace

void solve_impacts(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::impacts));
    for_each_island(c, [&](uint32_t n, const Island& island, BodySystem& system) {
        if (!c.island_bounces[n]) return;
        const uint32_t first = c.problem.groups[island.group_begin].begin;
        bool any = true;
        for (int pass = 0; any && pass < kMaxPasses; ++pass) {
            any = false;
            for (uint32_t i = 0; i < system.size(); ++i) any |= bounce(c, system, i, first + i);
        }
    });
}

}  // namespace proxima::physics
