// SPDX-License-Identifier: MIT
#include "samples/scenes/goal.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace proxima::samples {

using namespace physics;

namespace {

Vec3d to_double(const Vec3& v) { return {double(v.x), double(v.y), double(v.z)}; }

}  // namespace

GoalJudge::GoalJudge(const SceneDesc& scene, Goal goal)
    : goal_(std::move(goal)), run_(scene.run), gravity_(to_double(scene.settings.gravity)), evaluator_(scene) {
    for (const SceneBody& body : scene.bodies) dynamic_.push_back(body.type == BodyType::dynamic);
}

/// E = 1/2 m v.v + 1/2 w.I w - m g.x over dynamic bodies.
double GoalJudge::energy(const PhysicsWorld& world, std::span<const Entity> bodies) const {
    double sum = 0.0;
    for (size_t i = 0; i < bodies.size(); ++i) {
        if (!dynamic_[i]) continue;
        const auto& mass = world.registry().get<Mass>(bodies[i]);
        const auto& velocity = world.registry().get<Velocity>(bodies[i]);
        const auto& pose = world.registry().get<Pose>(bodies[i]);
        const Vec3 spin = glm::conjugate(pose.rotation) * velocity.angular;
        const Vec3d v = to_double(velocity.linear);
        sum += double(mass.mass) * (0.5 * dot(v, v) - dot(gravity_, to_double(pose.position))) +
               0.5 * double(glm::dot(spin, mass.inertia * spin));
    }
    return sum;
}

void GoalJudge::watch(const PhysicsWorld& world, std::span<const Entity> bodies) {
    PX_ASSERT(bodies.size() == dynamic_.size(), "the bodies of the scene, in its order");
    now_.clear();
    for (const Entity e : bodies) now_.push_back(world.registry().get<Pose>(e));
    const uint32_t step = seen_++;
    if (step > 0) {
        const ContactEvents events = world.events();
        sensor_begins_ += int(events.sensor_begin.size());
        sensor_ends_ += int(events.sensor_end.size());
        breaks_ += int(events.broken.size());
    }
    if (step == 0) start_ = settled_ = now_;
    for (const TargetPosition& target : goal_.targets)
        overshoot_ = std::max(overshoot_, double(now_[target.body].position.y) - target.position.y);
    joints_.clear();
    std::vector<std::pair<uint32_t, JointState>> order;
    for (const auto [entity, state, id] : world.registry().view<const JointState, const StableId>().each())
        order.emplace_back(id.value, state);
    std::sort(order.begin(), order.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    for (const auto& [id, state] : order) joints_.push_back(state);
    if (step > 1) {
        joint_error_ = std::max(joint_error_, double(world.report().joint_error_max));
        for (const JointState& joint : joints_) joint_turn_ = std::max(joint_turn_, double(joint.angular_error));
    }
    if (step == run_.settled_from) {
        settled_ = now_;
        settled_energy_ = energy(world, bodies);
        weight_ = 0.0;  // asked for late: masses are worked out by the first step
        for (size_t i = 0; i < bodies.size(); ++i)
            if (dynamic_[i]) weight_ += double(world.registry().get<Mass>(bodies[i]).mass) * length(gravity_);
    }
    if (step > run_.settled_from && weight_ > 0.0)
        lift_ = std::max(lift_, (energy(world, bodies) - settled_energy_) / weight_);
    if (double(step) * double(run_.dt) > double(run_.steps) * double(run_.dt) - 1.0)
        for (size_t i = 0; i < bodies.size(); ++i)
            if (dynamic_[i])
                speed_ = std::max(speed_, length(to_double(world.registry().get<Velocity>(bodies[i]).linear)));
}

GoalResult GoalJudge::result() const {
    GoalResult r;
    r.overshoot = overshoot_;
    r.speed = speed_;
    r.lift = lift_;
    r.joint_error = joint_error_;
    r.joint_turn = joint_turn_;
    for (const JointState& joint : joints_) r.joints_broken += joint.broken;
    r.lost = evaluator_.lost(now_);
    r.penetration = evaluator_.penetration(now_).max;
    r.moved = evaluator_.motion(start_, now_).max;
    r.drift = goal_.targets.empty() ? evaluator_.motion(settled_, now_).max : 0.0;
    for (const TargetPosition& target : goal_.targets) {
        const Vec3d at = to_double(now_[target.body].position);
        r.position_error = std::max(r.position_error, length(at - target.position));
        r.drift = std::max(r.drift, length(at - to_double(settled_[target.body].position)));
    }
    // Written so that a value that is no number breaks its bound.
    const auto most = [&](double value, double limit, const char* what, const char* unit) {
        if (limit == kNoLimit || value <= limit) return;
        char text[160];
        std::snprintf(text, sizeof(text), "%s is %.4g %s, more than %.4g %s", what, value, unit, limit, unit);
        r.broken.push_back(text);
    };
    most(r.position_error, goal_.position_error, "the largest distance of a body from its place", "m");
    most(r.drift, goal_.drift, "the drift of a body", "m");
    most(r.overshoot, goal_.overshoot, "the height of a body above its place", "m");
    most(r.penetration, goal_.penetration, "the deepest penetration", "m");
    most(r.speed, goal_.speed, "the speed of a body in the last second", "m/s");
    most(r.lift, goal_.lift, "the energy won, as a height,", "m");
    most(r.joint_error, goal_.joint_error, "the largest distance of the anchors of a joint", "m");
    most(r.joint_turn, goal_.joint_turn, "the largest turn by which a joint was off", "rad");
    if (r.joints_broken != goal_.joints_broken)
        r.broken.push_back(std::to_string(r.joints_broken) + " joints are broken, and " +
                           std::to_string(goal_.joints_broken) + " should be");
    for (const JointTarget& target : goal_.joint_targets) {
        const double at = target.joint < joints_.size() ? double(joints_[target.joint].position) : NAN;
        if (std::abs(at - target.position) <= target.tolerance) continue;
        char text[120];
        std::snprintf(text, sizeof(text), "joint %u is at %.4g, and should be at %.4g", target.joint, at,
                      target.position);
        r.broken.push_back(text);
    }
    const auto exactly = [&](int count, int wanted, const char* what) {
        if (wanted >= 0 && count != wanted)
            r.broken.push_back(std::to_string(count) + " " + what + ", not " + std::to_string(wanted));
    };
    r.sensor_begins = sensor_begins_;
    r.sensor_ends = sensor_ends_;
    r.breaks = breaks_;
    exactly(r.sensor_begins, goal_.sensor_begins, "bodies came into a sensor");
    exactly(r.sensor_ends, goal_.sensor_ends, "bodies left a sensor");
    exactly(r.breaks, goal_.breaks, "colliders broke");
    if (r.lost > 0) r.broken.push_back(std::to_string(r.lost) + " bodies are lost");
    if (!(r.moved >= goal_.min_travel)) {
        char text[120];
        std::snprintf(text, sizeof(text), "nothing moved farther than %.4g m, but something must by %.4g m", r.moved,
                      goal_.min_travel);
        r.broken.push_back(text);
    }
    return r;
}

}  // namespace proxima::samples
