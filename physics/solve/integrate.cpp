// SPDX-License-Identifier: MIT
#include "physics/solve/integrate.h"

#include <algorithm>
#include <cmath>

namespace proxima::physics {

namespace {

constexpr uint32_t kBodiesPerBlock = 256;
constexpr float kSlowTurn = 0.03f;  // rad per sub-step, that need no correction

/// Adds a turn to the one before: the vector of both is their sum and half of the cross product, up to the third order. What
/// turns by more than a series can follow gets the sum.
void add_turn(const Vec3& turn, Vec3& before) {
    constexpr float kMaxTurn2 = 1.0f, kMaxAngle2 = 9.0f;  // rad^2, of the sub-step and before
    const bool follows = glm::dot(turn, turn) < kMaxTurn2 && glm::dot(before, before) < kMaxAngle2;
    const Vec3 half = 0.5f * glm::cross(turn, before);
    before += follows ? turn + half : turn;
}

/// Angular velocity of what is turned like that and has the momentum L; and the rotation nearest to it with which twice the
/// energy, w . L, is `energy`: a turn by d changes it by 2 d . (w x L).
Vec3 spin_with_energy(const Sym3& inverse_inertia_local, const Vec3& momentum, float energy, Quat& rotation) {
    constexpr int kSteps = 2;                                           // Newton's
    constexpr float kMaxTurn = 0.5f, kTiny = 1e-4f, kRounding = 1e-5f;  // rad; of (w . L)^2; of w . L
    const auto spin_at = [&](const Quat& at) { return at * (inverse_inertia_local * (glm::conjugate(at) * momentum)); };
    Vec3 spin = spin_at(rotation);
    for (int step = 0; step < kSteps; ++step) {
        const Vec3 steepest = glm::cross(spin, momentum);
        const float square = glm::dot(steepest, steepest);
        if (!(square > kTiny * energy * energy)) break;
        const float most = kMaxTurn / std::sqrt(square);
        const float by = std::clamp((energy - glm::dot(spin, momentum)) / (2.0f * square), -most, most);
        rotation = integrate_rotation(rotation, by * steepest, 1.0f);
        spin = spin_at(rotation);
    }
    const float next = glm::dot(spin, momentum);  // where no rotation has so little; rounding goes either way
    return next > energy * (1.0f + kRounding) ? spin * std::sqrt(energy / next) : spin;
}

/// One rotation of a body that keeps its angular momentum L = I w: the half-way angular velocity turns it
/// (second order), and the new one is I^-1 L in the new orientation. Exact for L whatever the step, where the
/// usual explicit term w x I w gains energy and the implicit one loses it.
void turn_keeping_momentum(const BodyData& data, float h, Quat& rotation, Vec3& angular_velocity) {
    const Vec3 local = glm::conjugate(rotation) * angular_velocity;
    const Vec3 momentum = rotation * (data.inertia_local * local);
    angular_velocity = turn_with_momentum(data.inverse_inertia_local, momentum, angular_velocity, h, rotation);
}

/// The rotation after a turn about a fixed axis of the world: exp(turn / 2) q, with the angle as the length of `turn`.
/// In double precision, so that what is rounded is the result.
Quat turned_by(const Quat& q, const Vec3& turn) {
    const double x = turn.x, y = turn.y, z = turn.z;
    const double angle = std::sqrt(x * x + y * y + z * z);
    const double cosine = std::cos(0.5 * angle), sine = angle > 0.0 ? std::sin(0.5 * angle) / angle : 0.5;
    const double a = sine * x, b = sine * y, c = sine * z;
    const double w = cosine * q.w - a * q.x - b * q.y - c * q.z, i = cosine * q.x + a * q.w + b * q.z - c * q.y,
                 j = cosine * q.y + b * q.w + c * q.x - a * q.z, k = cosine * q.z + c * q.w + a * q.y - b * q.x;
    const double scale = 1.0 / std::sqrt(w * w + i * i + j * j + k * k);
    return Quat(float(scale * w), float(scale * i), float(scale * j), float(scale * k));
}

}  // namespace

Vec3 turn_with_momentum(const Sym3& inverse_inertia_local, const Vec3& momentum, const Vec3& before, float h,
                        Quat& rotation) {
    const auto spin_at = [&](const Quat& at) { return at * (inverse_inertia_local * (glm::conjugate(at) * momentum)); };
    const Quat half_turned = integrate_rotation(rotation, before, 0.5f * h);
    const Vec3 start = spin_at(rotation);
    rotation = integrate_rotation(rotation, spin_at(half_turned), h);
    // The change alone: what rounding makes of I^-1 I w is not taken for motion, thousands of times a second.
    Vec3 after = before + (spin_at(rotation) - start);

    // A sub-step that turns the body far leaves its path: with L fixed, w drifts to an axis of less inertia, with more
    // energy (w . L / 2), four fifths of it in ten seconds for a stick that spins at 130 rad/s. There the rotation is
    // corrected until energy is what it was; slower ones would only get the rounding of that.
    const bool slow = glm::dot(before, before) * h * h < kSlowTurn * kSlowTurn;
    if (slow) return after;
    return before + (spin_with_energy(inverse_inertia_local, momentum, glm::dot(start, momentum), rotation) - start);
}

void displace(const BodyData& data, const BodyVelocity& shift, BodyVelocity& v, BodyVelocity& delta, Quat& rotation) {
    delta.linear += shift.linear;
    add_turn(shift.angular, delta.angular);
    if (shift.angular == Vec3(0.0f)) return;
    const Vec3 momentum = rotation * (data.inertia_local * (glm::conjugate(rotation) * v.angular));
    rotation = integrate_rotation(rotation, shift.angular, 1.0f);
    if (data.type == BodyType::dynamic && !data.isotropic)
        v.angular = spin_with_energy(data.inverse_inertia_local, momentum, glm::dot(v.angular, momentum), rotation);
}

void integrate_position(const BodyData& data, bool gyroscopic, float h, BodyVelocity& v, BodyVelocity& delta,
                        Quat& rotation) {
    if (data.type == BodyType::kinematic) return move_uniformly(h, v, delta, rotation);
    delta.linear += h * v.linear;
    add_turn(h * v.angular, delta.angular);
    if (gyroscopic && data.type == BodyType::dynamic && !data.isotropic)
        turn_keeping_momentum(data, h, rotation, v.angular);
    else
        rotation = integrate_rotation(rotation, v.angular, h);
}

void move_uniformly(float time, const BodyVelocity& v, BodyVelocity& delta, Quat& rotation) {
    delta.linear += time * v.linear;
    delta.angular += time * v.angular;
    rotation = turned_by(rotation, time * v.angular);
}

BodyVelocity acceleration_of(const Bodies& bodies, uint32_t body, const StepParams& params) {
    constexpr float kMaxGravities = 4.0f;
    const BodyVelocity &v = bodies.velocity[body], &before = bodies.mean_velocity[body];
    if (bodies.data[body].type != BodyType::kinematic || !bodies.awake[body]) return {};
    const float change = change_of_velocity(bodies, body), steady = std::min(change, bodies.sleep_timer[body]);
    if (!(steady > 0.0f) || change > kMaxGravities * glm::length(params.settings.gravity) * params.dt) return {};
    const float rate = steady / (change * params.dt);
    BodyVelocity a;
    a.linear = rate * (v.linear - before.linear);
    a.angular = rate * (v.angular - before.angular);
    return a;
}

void advance_half_step(const StepParams& params, Bodies& bodies, engine::Jobs& jobs) {
    jobs.parallel_for(uint32_t(bodies.size()), kBodiesPerBlock, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i) {
            if (!bodies.awake[i]) continue;
            const BodyData& data = bodies.data[i];
            BodyTransform& transform = bodies.transform[i];
            integrate_position(data, params.settings.gyroscopic, 0.5f * params.h, bodies.velocity[i], bodies.delta[i],
                               transform.rotation);
            transform.center += bodies.delta[i].linear;
            bodies.delta[i] = {};
            if (data.type == BodyType::dynamic && !data.isotropic)
                bodies.inverse_mass[i].inertia = rotate(data.inverse_inertia_local, transform.rotation);
        }
    });
}

void move_kinematic_bodies(const StepParams& params, Bodies& bodies) {
    const bool midpoint = params.settings.stepping == Stepping::moreau_midpoint;
    for (uint32_t i = 0; i < bodies.size(); ++i) {
        if (!bodies.awake[i] || bodies.dynamic[i]) continue;
        move_uniformly(midpoint ? params.dt - 0.5f * params.h : params.dt, bodies.velocity[i], bodies.delta[i],
                       bodies.transform[i].rotation);
    }
}

}  // namespace proxima::physics
