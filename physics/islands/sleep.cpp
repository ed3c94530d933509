// SPDX-License-Identifier: MIT
// Sleeping: an island whose bodies have all been quiet long enough stops taking part.
#include <algorithm>

#include "physics/step.h"

namespace proxima::physics {

void update_sleep(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::sleep));
    BodyArrays& bodies = c.bodies;
    for (const Island& island : c.islands) {
        float least_quiet = c.settings.sleep_time;
        for (uint32_t k = island.body_begin; k < island.body_end; ++k) {
            const uint32_t i = c.island_bodies[k];
            const BodyVelocity& v = bodies.velocity[i];
            const float speed = glm::length(v.linear) + glm::length(v.angular) * bodies.place[i].radius;
            const bool quiet = speed < c.settings.sleep_speed && bodies.facts[i].allow_sleep;
            bodies.quiet_time[i] = quiet ? bodies.quiet_time[i] + c.dt : 0.0f;
            least_quiet = std::min(least_quiet, bodies.quiet_time[i]);
        }
        // A body in the air has no contact: at the top of its flight it is slow, and must not stay there.
        const bool supported = island.group_begin < island.group_end;
        if (!c.settings.sleeping || !supported || least_quiet < c.settings.sleep_time) continue;
        for (uint32_t k = island.body_begin; k < island.body_end; ++k)
            bodies.falls_asleep[c.island_bodies[k]] = 1;
    }
}

}  // namespace proxima::physics
