// SPDX-License-Identifier: MIT
// Sleeping: an island whose bodies would all stay where they are stops taking part.
//
// Slow is not at rest: what begins to roll or to slide is slow, too. Gravity that is not held accelerates a box that is
// b past the limit of friction by g sin(b) or more and a ball on a slope of b by 5/7 g sin(b), whatever their size.
// What gets faster by a >= a0 = 0.0012 g, a ball on 0.1 degrees, never sleeps. A timer counts evidence of rest up to
// the sleep time S. There are three kinds of it, and a steady acceleration gets 0.82 S from all of them together,
// whatever the body did before. With m the velocity averaged over T = 0.5 s, m' = (v - m) / T:
//
// Still: |v| < v0 = a0 S / 8, 0.7 mm/s at 9.81 m/s2 and 0.5 s. Along a the speed passes from -v0 to v0 within S / 4.
//
// At a steady pace: |v - m| < u0 = a0 T / 2, and slower than the sleep speed. Friction against rolling is not modelled,
// and a ball that was left with a centimetre a second would keep a pile awake until it meets something. u = v - m obeys
// u' = a - u / T, tends to a T >= 2 u0, and passes from -u0 to u0 within T ln 3; that time counts 0.35 S.
//
// Coming back: v . m < 0. Round bodies in the hollows of a pile swing to and fro for minutes, because rolling costs
// them nothing, and soft contacts tremble; neither gets anywhere, and one of them would keep thousands awake. A swing
// comes back twice a period whatever its phase. Under a steady acceleration v . m is |v|^2 - T a . v, plus what dies
// out like exp(-t / T): negative once, around a turning point, at most twice; from rest never. So one return counts no
// more than S / 9, however long it takes, and the next one when the body has gone away in between.
//
// The timer begins anew when the average passes twice the sleep speed, so what gets faster is not helped later by what
// it was; at two fifths of it a body that was at rest before keeps its island awake while it goes away. While a body is
// fast the average is zero: a landing is soon forgotten.
//
// What hangs on a joint swings as well, but may not sleep before it hangs still. A swing is slow at its turning points
// and has an average of zero: neither means rest. Of v = V sin(w t) the average m lags behind, and v - m = T dm/dt is a
// quarter of a period ahead of m: when one of them vanishes the other is largest. A body with a joint rests while both
// are small. That is asked of turning too, because a short pendulum turns far before its end is fast.
//
// Overlaps are parted by positions, without a velocity: what goes on moving like that, by a twentieth of the sleep speed, has not
// come to rest.
//
// What presses on a surface that moves along itself never sleeps: a belt of a millimetre a second carries its load as far
// as any other.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "physics/graph/graph.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kBodiesPerBlock = 512;
constexpr float kAveragingTime = 0.5f;       // s
constexpr float kLog3 = 1.0986123f;          // written out: what a library makes of it may differ in the last bit
constexpr float kMinAcceleration = 1.2e-3f;  // of gravity: what gets faster by more never sleeps
constexpr float kMinStill = 1e-3f;           // of the sleep speed: still without gravity
constexpr float kMaxTrembling = 10.0f;       // times the sleep speed: faster is never at rest, whatever the average
constexpr float kMaxDrift = 2.0f;            // times the sleep speed: what has a faster average goes somewhere
constexpr float kMinParting = 0.05f;   // the same: what is moved apart faster, beside its velocity, is not at rest
constexpr float kLeavingDrift = 0.4f;  // the same: what has it and does not come back may be leaving
// As much as each kind of evidence counts for what gets steadily faster, of the sleep time; a return may come twice.
constexpr float kStillShare = 0.25f, kSteadyShare = 0.35f, kReturnShare = 0.11f;
constexpr float kReturnEdge = 1e-3f;  // of what a return counts: more than rounding

constexpr float kJointShare = 0.2f;  // of the sleep speed: what hangs on a joint rests when it is slower than this
constexpr float kTurnLever = 0.1f;   // m: ... and its turn would move the end of a lever as long by no more

/// Speed at which the fastest point is turned. Spin that nobody can see does not count.
Vec3 turn_speed(const Bodies& bodies, uint32_t body, const BodyVelocity& v) {
    const BodyData& data = bodies.data[body];
    if (data.symmetry == Symmetry::point) return Vec3(0.0f);
    Vec3 turning = v.angular;
    if (data.symmetry == Symmetry::axis) {
        const Vec3 axis = bodies.transform[body].rotation * data.symmetry_axis;
        turning -= glm::dot(turning, axis) * axis;
    }
    return turning * bodies.transform[body].radius;
}

/// Speed of the fastest point.
float point_speed(const Bodies& bodies, uint32_t body, const BodyVelocity& v) {
    return glm::length(v.linear) + glm::length(turn_speed(bodies, body, v));
}

/// Speed of the fastest point, as seen from the average: no more than T a under a steady acceleration a.
float change_of_pace(const Bodies& bodies, uint32_t body) {
    const BodyVelocity &v = bodies.velocity[body], &mean = bodies.mean_velocity[body];
    BodyVelocity ahead;
    ahead.linear = v.linear - mean.linear;
    ahead.angular = v.angular - mean.angular;
    return point_speed(bodies, body, ahead);
}

/// Whether a body is on its way back to where it came from.
bool comes_back(const Bodies& bodies, uint32_t body) {
    const BodyVelocity &v = bodies.velocity[body], &mean = bodies.mean_velocity[body];
    return glm::dot(v.linear, mean.linear) + glm::dot(turn_speed(bodies, body, v), turn_speed(bodies, body, mean)) <
           0.0f;
}

/// The timer of a body that trembles: it runs while the body comes back, to the end of a share, and enters the next one
/// when the body goes away.
float count_tremble(const Bodies& bodies, uint32_t body, float dt, const StepSettings& settings) {
    const float drift = point_speed(bodies, body, bodies.mean_velocity[body]), timer = bodies.sleep_timer[body];
    if (!(drift < kMaxDrift * settings.sleep_speed)) return 0.0f;
    const float share = std::max(kReturnShare * settings.sleep_time, std::numeric_limits<float>::min());
    const float end = share * std::ceil(timer / share - kReturnEdge);
    if (comes_back(bodies, body)) return std::max(timer, std::min(timer + dt, end));
    // What was at rest for long and goes somewhere now is not.
    if (drift > kLeavingDrift * settings.sleep_speed && timer >= settings.sleep_time)
        return settings.sleep_time - 0.5f * share;
    return timer < end ? timer : end + 2.0f * kReturnEdge * share;
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
             {std::pair(joint.body_a, joint.frame_a.origin), std::pair(joint.body_b, joint.frame_b.origin)}) {
            if (!bodies.dynamic[body] || !bodies.awake[body]) continue;
            const BodyVelocity &v = bodies.velocity[body], &mean = bodies.mean_velocity[body];
            BodyVelocity ahead;
            ahead.linear = v.linear - mean.linear;
            ahead.angular = v.angular - mean.angular;
            if (!is_slow(bodies, body, anchor, mean, limit) || !is_slow(bodies, body, anchor, ahead, limit))
                bodies.sleep_timer[body] = 0.0f;
        }
}

/// What a belt carries, or rubs against, has not been still, however slow the belt is.
void watch_moving_surfaces(const Graph& graph, const Pairs& pairs, Bodies& bodies) {
    for (const Edge& edge : graph.edges) {
        if (!is_contact(edge.kind)) continue;
        const Manifold& m = pairs.manifolds[edge.id];
        if (!m.moving_surfaces || !(m.friction > 0.0f)) continue;
        bool presses = false;
        for (uint32_t i = 0; i < m.count; ++i) presses |= m.points[i].impulse.x > 0.0f;
        if (!presses) continue;
        for (const uint32_t body : {edge.body_a, edge.body_b})
            if (bodies.dynamic[body] && bodies.awake[body]) bodies.sleep_timer[body] = 0.0f;
    }
}

}  // namespace

bool everything_sleeps(const Bodies& bodies, const Graph& graph, const Joints& joints) {
    if (graph.seen_bodies != bodies.version || graph.seen_joints != joints.version) return false;
    for (uint32_t i = 0; i < bodies.size(); ++i)
        if (bodies.awake[i] || bodies.teleported[i] || bodies.was_awake[i]) return false;
    return true;
}

void update_sleep(const Graph& graph, const Pairs& pairs, const Joints& joints, const StepParams& params,
                  Bodies& bodies, const StepTools& tools) {
    const StageScope scope(tools, Stage::update_sleep);
    const StepSettings& settings = params.settings;
    if (!settings.sleeping) return;
    const float weight = params.dt / (kAveragingTime + params.dt);
    const float min_acceleration = kMinAcceleration * glm::length(settings.gravity);
    const float still = std::clamp(0.5f * min_acceleration * kStillShare * settings.sleep_time,
                                   kMinStill * settings.sleep_speed, settings.sleep_speed);
    const float steady = 0.5f * min_acceleration * kAveragingTime, parting = kMinParting * settings.sleep_speed;
    const float steady_rate = std::min(1.0f, kSteadyShare * settings.sleep_time / (kAveragingTime * kLog3));
    tools.jobs.parallel_for(uint32_t(graph.island_bodies.size()), kBodiesPerBlock, [&](const engine::JobBlock& block) {
        for (uint32_t k = block.begin; k < block.end; ++k) {
            const uint32_t i = graph.island_bodies[k];
            const BodyVelocity& v = bodies.velocity[i];
            BodyVelocity& mean = bodies.mean_velocity[i];
            float& timer = bodies.sleep_timer[i];
            const float speed = point_speed(bodies, i, v);
            if (!(speed < kMaxTrembling * settings.sleep_speed)) {
                mean = {};
                timer = 0.0f;
                continue;
            }
            mean.linear += weight * (v.linear - mean.linear);
            mean.angular += weight * (v.angular - mean.angular);
            if (!is_finite(mean.linear) || !is_finite(mean.angular)) mean = v;  // what the game wrote there
            if (!bodies.data[i].allow_sleep)
                timer = 0.0f;
            else if (point_speed(bodies, i, bodies.delta[i]) > params.dt * (speed + parting))
                timer = 0.0f;
            else if (speed < still)
                timer += params.dt;
            else if (speed < settings.sleep_speed && change_of_pace(bodies, i) < steady)
                timer += steady_rate * params.dt;
            else
                timer = count_tremble(bodies, i, params.dt, settings);
        }
    });
    watch_swings(joints, settings, bodies);
    if (!pairs.surface_velocity.empty() || !pairs.modified_velocity.empty())
        watch_moving_surfaces(graph, pairs, bodies);
    for (const Island& island : graph.islands) {
        float least = settings.sleep_time;
        for (const uint32_t body : graph.bodies_of(island)) least = std::min(least, bodies.sleep_timer[body]);
        // A body in the air has no contact: at the top of its flight it is slow, and must not stay there.
        if (island.supports == 0 || least < settings.sleep_time) continue;
        for (const uint32_t body : graph.bodies_of(island)) bodies.falls_asleep[body] = 1;
    }
}

}  // namespace proxima::physics
