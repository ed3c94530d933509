// SPDX-License-Identifier: MIT
#include "physics/solve/general/island_impacts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "physics/constraints/contact/contact_block.h"
#include "physics/solve/impacts.h"
#include "physics/solvers/ellipsoid.h"

namespace proxima::physics {

namespace {

/// A contact of a manifold that touches in this sub-step.
struct ImpactPoint {
    uint32_t row = 0;
    bool hits = false;   // touches in this sub-step, and not a little after it
    float speed = 0.0f;  // along the normal when it touches, negative
    float time = 0.0f;   // from the start of the sub-step until then
    Vec3 impulse{0.0f, 0.0f, 0.0f};
};

/// When a contact touches, in this sub-step or later; false when it does not, or too slowly to bounce. The equations are those of
/// approach_of in contact_impact.simd.cpp.
bool find_impact(const IslandProblem& p, const BodySystem& system, ImpactPoint& out) {
    const RowLaw& law = p.laws[out.row];
    const Contact& k = p.rows.contacts[out.row];
    if (!law.is_contact || !(law.restitution > 0.0f) || k.normal_block <= 0.0f) return false;
    const float v = system.normal_velocity(out.row) - k.bias;
    const float gap = law.gap + glm::dot(k.normal, relative_motion(k, p.shift[k.a], p.shift[k.b]));
    const float driven = glm::dot(k.normal, relative_motion(k, p.drive[k.a], p.drive[k.b]));
    const float open = std::max(gap, 0.0f), start = v - driven;
    const float square = start * start - 2.0f * (driven / p.h) * open;
    const float least = std::max(p.params->settings.restitution_speed, sweep::kBounceDrives * std::abs(driven));
    const float speed = -std::sqrt(std::max(square, 0.0f));
    if (!(start < 0.0f && square > 0.0f && speed < -least)) return false;
    out.hits = gap + p.h * v <= 0.0f;
    out.time = 2.0f * open / (-start - speed);
    return true;
}

/// Impulses after which the points of a manifold part with -e times their speeds, where they push; energy is not let
/// grow by what is left of that.
void find_impact_impulses(IslandProblem& p, BodySystem& system, std::span<ImpactPoint> points) {
    const int passes = points.size() > 1 ? 40 : 1;
    const auto gained = [&](const ImpactPoint& point) {
        return system.normal_velocity(point.row) - p.rows.contacts[point.row].bias - point.speed;
    };
    for (int pass = 0; pass < passes; ++pass)
        for (ImpactPoint& point : points) {
            const float e = p.laws[point.row].restitution * (1.0f - sweep::kRoundedOff),
                        step = 1.0f / p.rows.contacts[point.row].normal_block;
            const float next = std::max(point.impulse.x - step * ((1.0f + e) * point.speed + gained(point)), 0.0f);
            system.add_normal(point.row, next - point.impulse.x);
            point.impulse.x = next;
        }
    float given = 0.0f, kept = 0.0f;
    for (const ImpactPoint& point : points) {
        given += point.impulse.x * point.speed;
        kept += 0.5f * point.impulse.x * gained(point);
    }
    if (!(given + kept > 0.0f)) return;
    const float scale = std::max(-given, 0.0f) / kept;
    for (ImpactPoint& point : points) {
        system.add_normal(point.row, (scale - 1.0f) * point.impulse.x);
        point.impulse.x *= scale;
    }
}

/// What stops the points from sliding, within mu times their impulses.
void find_impact_friction(IslandProblem& p, BodySystem& system, std::span<ImpactPoint> points) {
    const int passes = points.size() > 1 ? 10 : 1;
    for (int pass = 0; pass < passes; ++pass)
        for (ImpactPoint& point : points) {
            const Contact& k = p.rows.contacts[point.row];
            const Real2<float> v = system.tangent_velocity(point.row);
            const float step = system.tangent_step(point.row), normal = point.impulse.x;
            // The friction of a blow has the axes of a grain; torsion and rolling belong to lasting contact.
            const float across = system.is_extra(point.row) ? float(system.extra_state(point.row).across) : k.friction;
            const Real2<float> next =
                project_ellipse(Real2<float>{point.impulse.y - step * v.x, point.impulse.z - step * v.y},
                                k.friction * normal, across * normal);
            system.add_tangent(point.row, Real2<float>{next.x - point.impulse.y, next.y - point.impulse.z});
            point.impulse.y = next.x;
            point.impulse.z = next.y;
        }
}

/// Gives the bodies of a contact so much of what forces give in a sub-step.
void add_drive(IslandProblem& p, const Contact& k, float part) {
    for (const uint32_t body : {k.a, k.b}) {
        p.velocity[body].linear += part * p.drive[body].linear;
        p.velocity[body].angular += part * p.drive[body].angular;
    }
}

/// Newton's impact law for the points of a manifold that touch first in this sub-step, with Coulomb friction on their
/// impulses and the velocities of that time. Returns whether there were any.
bool bounce(IslandProblem& p, BodySystem& system, const ContactGroup& group) {
    constexpr float kTogether = 0.1f;  // sub-steps between points that count as one impact
    constexpr uint32_t kMaxPoints = 4;
    ImpactPoint points[kMaxPoints];
    uint32_t count = 0;
    float first = std::numeric_limits<float>::max();
    for (uint32_t i = group.begin; i < group.end && count < kMaxPoints; ++i) {
        points[count] = {};
        points[count].row = i;
        if (!find_impact(p, system, points[count])) continue;
        if (points[count].hits) first = std::min(first, points[count].time);
        ++count;
    }
    if (first == std::numeric_limits<float>::max()) return false;
    const auto later = [&](const ImpactPoint& point) { return point.time > first + kTogether * p.h; };
    const std::span<ImpactPoint> hits(points, std::remove_if(points, points + count, later));
    const Contact& k = p.rows.contacts[group.begin];
    const float left = 1.0f - first / p.h;
    add_drive(p, k, -left);
    const BodyVelocity before_a = p.velocity[k.a], before_b = p.velocity[k.b];
    Vec3 warm[kMaxPoints];
    for (ImpactPoint& hit : hits) {
        Contact& row = p.rows.contacts[hit.row];
        warm[size_t(&hit - hits.data())] = row.lambda;
        move_arms(p, hit.row, first);  // to where the bodies are when they touch
        p.rows.compute_blocks(row);
        hit.speed = system.normal_velocity(hit.row) - row.bias;
    }
    find_impact_impulses(p, system, hits);
    find_impact_friction(p, system, hits);
    for (const ImpactPoint& hit : hits) {
        move_arms(p, hit.row, 0.0f);
        p.rows.compute_blocks(p.rows.contacts[hit.row]);
    }
    // The warm start is about lasting forces: a blow is counted in the step's total only.
    for (size_t i = 0; i < hits.size(); ++i) {
        p.laws[hits[i].row].total += hits[i].impulse;
        p.rows.contacts[hits[i].row].lambda = warm[i];
    }
    const auto shift = [&](uint32_t body, const BodyVelocity& before) {
        p.shift[body].linear -= first * (p.velocity[body].linear - before.linear);
        p.shift[body].angular -= first * (p.velocity[body].angular - before.angular);
    };
    shift(k.a, before_a);
    shift(k.b, before_b);
    add_drive(p, k, left);
    return true;
}

/// Friction of one point, within the ellipse that its normal impulse allows. Torsion and rolling belong to lasting contact.
void step_friction(BodySystem& system, uint32_t row, const Contact& k, float normal) {
    const Real2<float> v = system.tangent_velocity(row);
    const float step = system.tangent_step(row);
    const float across = system.is_extra(row) ? float(system.extra_state(row).across) : k.friction;
    const Real2<float> next = project_ellipse(Real2<float>{k.lambda.y - step * v.x, k.lambda.z - step * v.y},
                                              k.friction * normal, across * normal);
    system.add_tangent(row, Real2<float>{next.x - k.lambda.y, next.y - k.lambda.z});
}

/// The load of a manifold that carried nothing, and its friction, in passes of their own: find_load of
/// contact_sweep.simd.cpp.
void find_load(const IslandProblem& p, BodySystem& system, const ContactGroup& group) {
    constexpr int kPasses = 40;
    float mean = 0.0f;  // velocity of c along the normal
    for (uint32_t i = group.begin; i < group.end; ++i) mean += system.normal_velocity(i) - p.rows.contacts[i].bias;
    const float points = float(group.end - group.begin);
    const Contact& first = p.rows.contacts[group.begin];
    const Vec3 offset = offset_of(first, p.laws[group.begin]);
    const auto response = [&](uint32_t body, const Vec3& arm) {
        const Vec3 turn = glm::cross(arm, first.normal);
        return p.inverse_mass[body].mass + glm::dot(turn, p.inverse_mass[body].inertia * turn);
    };
    const float w = response(first.a, first.arm_a - offset) + response(first.b, first.arm_b - offset);
    const float even = w > 0.0f ? std::max(-mean / points, 0.0f) / (w * points) : 0.0f;
    for (uint32_t i = group.begin; i < group.end; ++i) {
        const Contact& k = p.rows.contacts[i];
        if (k.normal_block > 0.0f) system.add_normal(i, even * k.normal_block / (k.normal_block + k.compliance));
    }
    for (int pass = 0; pass < kPasses; ++pass) {
        for (uint32_t i = group.begin; i < group.end; ++i) {
            const Contact& k = p.rows.contacts[i];
            if (k.normal_block <= 0.0f) continue;
            const float v = system.normal_velocity(i) + k.compliance * k.lambda.x;
            const float next = std::max(k.lambda.x - v / (k.normal_block + k.compliance), 0.0f);
            system.add_normal(i, next - k.lambda.x);
        }
        for (uint32_t i = group.begin; i < group.end; ++i)
            step_friction(system, i, p.rows.contacts[i], p.rows.contacts[i].lambda.x);
    }
}

}  // namespace

Vec3 change_of_arm(const Vec3& turn, const Vec3& arm) {
    constexpr float kMaxAngle = 3.0f;  // rad
    const float whole = glm::dot(turn, turn), square = std::min(whole, kMaxAngle * kMaxAngle);
    const Vec3 angle = whole > square ? turn * (kMaxAngle / std::sqrt(whole)) : turn;
    const float once = 1.0f - square * (1.0f / 6.0f - square / 120.0f),
                twice = 0.5f - square * (1.0f / 24.0f - square / 720.0f);
    const Vec3 across = glm::cross(angle, arm);
    return once * across + twice * glm::cross(angle, across);
}

Vec3 offset_of(const Contact& k, const RowLaw& law) {
    return k.tangent1 * law.offset.x + k.tangent2 * law.offset.y + k.normal * law.offset.z;
}

void move_arms(IslandProblem& p, uint32_t i, float time) {
    Contact& k = p.rows.contacts[i];
    const RowLaw& law = p.laws[i];
    const auto way = [&](uint32_t body) {
        return p.delta[body].linear + p.shift[body].linear + time * p.velocity[body].linear;
    };
    const auto turned = [&](uint32_t body, const Vec3& arm) {
        if (law.rolls) return Vec3(0.0f);
        return change_of_arm(p.delta[body].angular + p.shift[body].angular + time * p.velocity[body].angular, arm);
    };
    const Vec3 turned_a = turned(k.a, law.start_arm_a), turned_b = turned(k.b, law.start_arm_b);
    const Vec3 between = (way(k.b) + turned_b) - (way(k.a) + turned_a), offset = offset_of(k, law);
    const Vec3 with_b = between * law.follows + k.normal * (glm::dot(k.normal, between) * (0.5f - law.follows));
    if (law.balls) {  // c lies on the line of the centres
        const Vec3 now = law.start_arm_a - law.start_arm_b + between, sum = law.start_arm_a + law.start_arm_b;
        const float difference = std::copysign(glm::length(sum), glm::dot(sum, k.normal));
        k.arm_a = 0.5f * (now + difference * k.normal);
        k.arm_b = k.arm_a - now;
        return;
    }
    k.arm_a = law.start_arm_a + turned_a + with_b + offset;
    k.arm_b = law.start_arm_b + turned_b + (with_b - between) + offset;
}

bool solve_impacts(IslandProblem& p, BodySystem& system) {
    return bounce_until_apart([&] {
        bool any = false;
        for (uint32_t g = 0; g < system.group_count(); ++g) any |= bounce(p, system, system.group(g));
        return any;
    });
}

void mark_blows(IslandProblem& p, BodySystem& system) {
    constexpr float kPushPart = 0.1f;  // of the fastest push
    const float gravity = glm::length(p.params->settings.gravity) * p.h;
    for (uint32_t g = 0; g < system.group_count(); ++g) {
        const ContactGroup group = system.group(g);
        RowLaw& state = p.laws[group.begin];  // of the manifold
        state.finds_load = false;
        if (!state.is_contact) continue;
        float carried = 0.0f, speed = 0.0f, driven = 0.0f;
        bool touches = false;
        for (uint32_t i = group.begin; i < group.end; ++i) {
            const Contact& k = p.rows.contacts[i];
            const float v = system.normal_velocity(i);
            carried = std::max(carried, k.lambda.x);
            touches |= v < 0.0f;
            speed = std::min(speed, v - k.bias);
            driven = std::max(driven, std::abs(glm::dot(k.normal, relative_motion(k, p.drive[k.a], p.drive[k.b]))));
        }
        if (carried > 0.0f || !touches) continue;
        const float least = std::max(sweep::kBounceDrives * std::max(gravity, driven), kPushPart * state.max_push);
        const bool again = state.struck, fast = !state.struck && !state.struck_before && speed < -least;
        state.strikes = fast;
        state.blow = fast || again;
        state.finds_load = state.blow || state.begins;
        state.begins = false;
        for (uint32_t i = group.begin; state.blow && i < group.end; ++i) p.rows.contacts[i].compliance = 0.0f;
    }
}

void find_loads(const IslandProblem& p, BodySystem& system) {
    for (uint32_t g = 0; g < system.group_count(); ++g)
        if (p.laws[system.group(g).begin].finds_load) find_load(p, system, system.group(g));
}

void forget_blows(IslandProblem& p) {
    for (const ContactGroup& group : p.rows.groups) {
        RowLaw& state = p.laws[group.begin];
        for (uint32_t i = group.begin; state.blow && i < group.end; ++i) p.rows.contacts[i].lambda = Vec3(0.0f);
        state.struck_before = state.struck;
        state.struck = state.strikes;
        state.strikes = state.blow = false;
    }
}

}  // namespace proxima::physics
