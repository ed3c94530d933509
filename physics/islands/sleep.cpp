// SPDX-License-Identifier: MIT
// Sleeping: an island whose bodies have all been quiet long enough stops taking part.
//
// What counts is where a body is going, not how it trembles: its velocity averaged over about two seconds.
// Round bodies in the hollows of a pile swing to and fro for minutes, because rolling costs them nothing, and
// spheres spin where they lie; neither gets anywhere, and one of them would keep thousands awake.
// An average over two seconds knows little after half a second: a ball that begins to roll down a gentle
// slope has a small one for long. Quiet by the average alone therefore counts slower than being still.
#include <algorithm>

#include "physics/step.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kBodiesPerBlock = 512;
constexpr float kAveragingTime = 2.0f;  // s
constexpr float kCountedOfAverage = 0.25f;
constexpr float kMostTrembling = 10.0f;  // times the sleep speed: faster is never quiet, whatever the average

/// Speed of the fastest point. Spin that nobody can see does not count.
float point_speed(const StepContext& c, uint32_t body, const BodyVelocity& v) {
    const BodyFacts& facts = c.bodies.facts[body];
    Vec3 turning = v.angular;
    if (facts.symmetry == Symmetry::point) {
        turning = Vec3(0.0f);
    } else if (facts.symmetry == Symmetry::axis) {
        const Vec3 axis = c.bodies.place[body].rotation * facts.symmetry_axis;
        turning -= glm::dot(turning, axis) * axis;
    }
    return glm::length(v.linear) + glm::length(turning) * c.bodies.place[body].radius;
}

}  // namespace

void update_sleep(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::sleep));
    if (!c.settings.sleeping) return;
    BodyArrays& bodies = c.bodies;
    const float weight = c.dt / (kAveragingTime + c.dt);
    c.jobs->parallel_for(uint32_t(c.island_bodies.size()), kBodiesPerBlock,
                         [&](const engine::JobBlock& block) {
                             for (uint32_t k = block.begin; k < block.end; ++k) {
                                 const uint32_t i = c.island_bodies[k];
                                 const BodyVelocity& v = bodies.velocity[i];
                                 BodyVelocity& mean = bodies.mean_velocity[i];
                                 mean.linear += weight * (v.linear - mean.linear);
                                 mean.angular += weight * (v.angular - mean.angular);
                                 const float speed = point_speed(c, i, v);
                                 const bool still = speed < c.settings.sleep_speed;
                                 const bool stays = point_speed(c, i, mean) < c.settings.sleep_speed &&
                                                    speed < kMostTrembling * c.settings.sleep_speed;
                                 const bool quiet = (still || stays) && bodies.facts[i].allow_sleep;
                                 const float counted = still ? c.dt : kCountedOfAverage * c.dt;
                                 bodies.quiet_time[i] = quiet ? bodies.quiet_time[i] + counted : 0.0f;
                             }
                         });
    for (const Island& island : c.islands) {
        float least_quiet = c.settings.sleep_time;
        for (uint32_t k = island.body_begin; k < island.body_end; ++k)
            least_quiet = std::min(least_quiet, bodies.quiet_time[c.island_bodies[k]]);
        // A body in the air has no contact: at the top of its flight it is slow, and must not stay there.
        const bool supported = island.group_begin < island.group_end;
        if (!supported || least_quiet < c.settings.sleep_time) continue;
        for (uint32_t k = island.body_begin; k < island.body_end; ++k)
            bodies.falls_asleep[c.island_bodies[k]] = 1;
    }
}

}  // namespace proxima::physics
