// SPDX-License-Identifier: MIT
// Sleeping: an island whose bodies have all been at rest long enough stops taking part.
//
// What counts is where a body is going, not how it trembles: its velocity averaged over about two seconds.
// Round bodies in the hollows of a pile swing to and fro for minutes, because rolling costs them nothing, and
// spheres spin where they lie; neither gets anywhere, and one of them would keep thousands awake.
// An average over two seconds knows little after half a second: a ball that begins to roll down a gentle
// slope has a small one for long. Rest by the average alone therefore counts slower than being still.
//
// What hangs on a joint swings, and a swing is slow at its turning points and has an average of zero: neither means
// rest. Of a swing v = V sin(w t) the average m lags behind, and v - m = T dm/dt, T the averaging time, is a quarter of
// a period ahead of m: when one of them vanishes the other is largest. A body with a joint rests while both are small.
// That is asked of turning too, because a short pendulum turns far before its end is fast.
#include <algorithm>
#include <utility>

#include "physics/graph/graph.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kBodiesPerBlock = 512;
constexpr float kAveragingTime = 2.0f;  // s
constexpr float kCountedOfAverage = 0.25f;
constexpr float kMaxTrembling = 10.0f;  // times the sleep speed: faster is never at rest, whatever the average

constexpr float kJointShare = 0.2f;  // of the sleep speed: what hangs on a joint rests when it is slower than this
constexpr float kTurnLever = 0.1f;   // m: ... and its turn would move the end of a lever as long by no more

/// Speed of the fastest point. Spin that nobody can see does not count.
float point_speed(const Bodies& bodies, uint32_t body, const BodyVelocity& v) {
    const BodyData& data = bodies.data[body];
    Vec3 turning = v.angular;
    if (data.symmetry == Symmetry::point) {
        turning = Vec3(0.0f);
    } else if (data.symmetry == Symmetry::axis) {
        const Vec3 axis = bodies.transform[body].rotation * data.symmetry_axis;
        turning -= glm::dot(turning, axis) * axis;
    }
    return glm::length(v.linear) + glm::length(turning) * bodies.transform[body].radius;
}

/// Whether a body with a joint at this anchor, in its frame, moves slower than the limit. Spin about the line to the
/// anchor swings nothing.
bool is_slow(const Bodies& bodies, uint32_t body, const Vec3& anchor, const BodyVelocity& v, float limit) {
    if (point_speed(bodies, body, v) >= limit) return false;
    const Vec3 lever = bodies.transform[body].rotation * anchor;
    return kTurnLever * glm::length(glm::cross(v.angular, lever)) <= limit * glm::length(lever);
}

/// What hangs on joints and swings has not been still, however slow it is now.
void watch_swings(const Joints& joints, const StepSettings& settings, Bodies& bodies) {
    const float limit = kJointShare * settings.sleep_speed;
    for (const JointData& joint : joints.data)
        for (const auto& [body, anchor] :
             {std::pair(joint.body_a, joint.anchor_a), std::pair(joint.body_b, joint.anchor_b)}) {
            if (!bodies.dynamic[body] || !bodies.awake[body]) continue;
            const BodyVelocity &v = bodies.velocity[body], &mean = bodies.mean_velocity[body];
            BodyVelocity ahead;
            ahead.linear = v.linear - mean.linear;
            ahead.angular = v.angular - mean.angular;
            if (!is_slow(bodies, body, anchor, mean, limit) || !is_slow(bodies, body, anchor, ahead, limit))
                bodies.sleep_timer[body] = 0.0f;
        }
}

}  // namespace

bool everything_sleeps(const Bodies& bodies, const Graph& graph, const Joints& joints) {
    if (graph.seen_bodies != bodies.version || graph.seen_joints != joints.version) return false;
    for (uint32_t i = 0; i < bodies.size(); ++i)
        if (bodies.awake[i] || bodies.teleported[i] || bodies.was_awake[i]) return false;
    return true;
}

void update_sleep(const Graph& graph, const Joints& joints, const StepParams& params, Bodies& bodies,
                  const StepTools& tools) {
    const StageScope scope(tools, Stage::update_sleep);
    const StepSettings& settings = params.settings;
    if (!settings.sleeping) return;
    const float weight = params.dt / (kAveragingTime + params.dt);
    tools.jobs.parallel_for(uint32_t(graph.island_bodies.size()), kBodiesPerBlock, [&](const engine::JobBlock& block) {
        for (uint32_t k = block.begin; k < block.end; ++k) {
            const uint32_t i = graph.island_bodies[k];
            const BodyVelocity& v = bodies.velocity[i];
            BodyVelocity& mean = bodies.mean_velocity[i];
            mean.linear += weight * (v.linear - mean.linear);
            mean.angular += weight * (v.angular - mean.angular);
            if (!is_finite(mean.linear) || !is_finite(mean.angular)) mean = v;  // speeds at the end of what floats hold
            const float speed = point_speed(bodies, i, v);
            const bool still = speed < settings.sleep_speed;
            const bool stays =
                point_speed(bodies, i, mean) < settings.sleep_speed && speed < kMaxTrembling * settings.sleep_speed;
            const bool rests = (still || stays) && bodies.data[i].allow_sleep;
            const float counted = still ? params.dt : kCountedOfAverage * params.dt;
            bodies.sleep_timer[i] = rests ? bodies.sleep_timer[i] + counted : 0.0f;
        }
    });
    watch_swings(joints, settings, bodies);
    for (const Island& island : graph.islands) {
        float least = settings.sleep_time;
        for (const uint32_t body : graph.bodies_of(island)) least = std::min(least, bodies.sleep_timer[body]);
        // A body in the air has no contact: at the top of its flight it is slow, and must not stay there.
        if (island.supports == 0 || least < settings.sleep_time) continue;
        for (const uint32_t body : graph.bodies_of(island)) bodies.falls_asleep[body] = 1;
    }
}

}  // namespace proxima::physics
