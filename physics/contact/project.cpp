// SPDX-License-Identifier: MIT
// Post-step projection: moves bodies apart where they overlap and leaves velocities untouched.
//     0 <= W d + phi + slop  _|_  d >= 0,   q <- q + M^-1 J^T d        [course 3.4.6]
// Normals only, zero start, Gauss-Seidel passes in which the gaps follow every move.
#include <algorithm>

#include "physics/islands/for_each_island.h"
#include "physics/step.h"

namespace proxima::physics {

namespace {

constexpr float kMaxMovePerPass =
    0.2f;  // m; deeper overlaps take several passes or steps, so nothing is thrown

/// One pass over an island; `moved` is to positions what velocity is to a sweep.
void project_pass(StepContext& c, const Island& island, std::vector<float>& d) {
    const uint32_t begin = c.problem.groups[island.group_begin].begin;
    const uint32_t end = c.problem.groups[island.group_end - 1].end;
    for (uint32_t i = begin; i < end; ++i) {
        const Contact& k = c.problem.contacts[i];
        if (k.normal_block <= 0.0f) continue;
        const Vec3 shift = relative_motion(k, c.bodies.moved[k.a], c.bodies.moved[k.b]);
        const float gap = c.laws[i].start_gap + glm::dot(k.normal, shift);
        c.laws[i].gap = gap;
        const float wanted = std::max(gap + c.settings.projection_slop, -kMaxMovePerPass);
        const float next = std::max(0.0f, d[i - begin] - wanted / k.normal_block);
        const Vec3 impulse = k.normal * (next - d[i - begin]);
        d[i - begin] = next;
        apply_impulse(k, impulse, c.bodies.inverse_mass, c.bodies.moved);
    }
}

}  // namespace

void correct_positions(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::correct_positions));
    if (c.settings.stabilisation != Stabilisation::projection) return;
    for_each_island(c, [&](uint32_t, const Island& island, BodySystem& system) {
        BodySystem::Scratch& scratch = system.scratch();
        scratch.velocity.clear();
        for (uint32_t k = island.body_begin; k < island.body_end; ++k)
            scratch.velocity.push_back(c.bodies.moved[c.island_bodies[k]]);
        scratch.work.assign(system.size(), 0.0f);
        for (uint32_t pass = 0; pass < c.settings.projection_passes; ++pass)
            project_pass(c, island, scratch.work);
        // The turn that the passes added to `moved` goes into the rotations.
        for (uint32_t k = island.body_begin; k < island.body_end; ++k) {
            const uint32_t i = c.island_bodies[k];
            const Vec3 turn = c.bodies.moved[i].angular - scratch.velocity[k - island.body_begin].angular;
            c.bodies.place[i].rotation = integrate_rotation(c.bodies.place[i].rotation, turn, 1.0f);
        }
    });
}

}  // namespace proxima::physics
