// SPDX-License-Identifier: MIT
#include "physics/solve/general/island_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/capacity.h"
#include "physics/constraints/contact/contact_block.h"
#include "physics/constraints/joint_errors.h"
#include "physics/contact/residual.h"
#include "physics/solve/impacts.h"
#include "physics/solve/integrate.h"
#include "physics/solvers/ellipsoid.h"

namespace proxima::physics {

namespace {

constexpr std::string_view kStronger = "nncg";  // solver of islands that miss their tolerance
constexpr uint32_t kStrongerIterations = 10;    // times the sweeps of the first attempt
// Deeper overlaps take several passes or steps, so that nothing is thrown.
constexpr float kMaxProjection = 0.2f;  // m in a pass

/// Bias and compliance of a contact whose gap is known. An open gap may close, but no further: v_n >= -s/h.
void set_law(const StepParams& params, const RowLaw& law, bool push, Contact& k) {
    k.compliance = 0.0f;
    if (law.gap > 0.0f) {
        k.bias = law.gap / params.h;
        return;
    }
    k.bias = 0.0f;
    if (!push || !params.softness.soft) return;
    k.bias = std::max(law.softness.push_rate * law.gap, -law.max_push);
    k.compliance = law.softness.compliance_factor * k.normal_block;
}

/// Lever arms, error and law of a joint where its bodies are now.
void refresh_joint(IslandProblem& p, bool push, JointRow& joint) {
    Contact& k = p.rows.contacts[joint.row];
    k.arm_a = p.transform[k.a].rotation * joint.anchor_a;
    k.arm_b = p.transform[k.b].rotation * joint.anchor_b;
    p.rows.compute_blocks(k);
    const Vec3 error = p.error_of(joint);
    joint.error = glm::length(error);
    const bool hard = joint.rigid && !push;
    const float most = kMaxSweptError * judged_radius(p.transform[k.a].radius, p.transform[k.b].radius);
    const float closing = joint.rigid && joint.error > most ? most / joint.error : 1.0f;
    const Vec3 bias = hard ? Vec3(0.0f) : joint.push_rate * error * closing;
    k.bias = bias.x;
    k.compliance =
        hard ? 0.0f : joint.compliance_factor * (k.normal_block + k.tangent_block.t11 + k.tangent_block.t22) / 3.0f;
    p.rows.set_bilateral(joint.row, bias.y, bias.z);
    p.laws[joint.row].gap = 0.0f;
}

/// What a point moves in a time h beyond its velocity times h, as a velocity (contact_lanes.h says why).
Vec3 chord_of(const Vec3& w, const Vec3& arm, float h) {
    const Vec3 once = glm::cross(w, arm), twice = glm::cross(w, once);
    const float angle2 = glm::dot(w, w) * h * h;
    return twice * (h * (0.5f - angle2 / 24.0f)) - once * (angle2 / 6.0f);
}

/// From c to a point of a contact.
Vec3 offset_of(const Contact& k, const RowLaw& law) {
    return k.tangent1 * law.offset.x + k.tangent2 * law.offset.y + k.normal * law.offset.z;
}
/// A contact with the lever arms of the start of the step.
Contact at_start(const IslandProblem& p, uint32_t i) {
    Contact k = p.rows.contacts[i];
    const Vec3 offset = offset_of(k, p.laws[i]);
    k.arm_a = p.laws[i].start_arm_a + offset;
    k.arm_b = p.laws[i].start_arm_b + offset;
    return k;
}

/// The bodies have turned since the last sub-step: their inertia is that of now, and frames have turned with theirs.
void turn_rows(const Bodies& bodies, IslandProblem& p) {
    for (uint32_t i = 0; i < p.dynamic_count; ++i)
        if (const BodyData& data = bodies.data[p.slots[i]]; !data.isotropic)
            p.inverse_mass[i].inertia = rotate(data.inverse_inertia_local, p.transform[i].rotation);
    for (uint32_t i = 0; i < p.laws.size(); ++i) {
        const RowLaw& law = p.laws[i];
        if (!law.is_contact) continue;
        Contact& k = p.rows.contacts[i];
        const Quat& turn = p.transform[law.frame_body].rotation;
        k.normal = turn * law.frame_normal;
        k.tangent1 = turn * law.frame_tangent;
        k.tangent2 = glm::cross(k.normal, k.tangent1);
    }
    for (uint32_t i = 0; i < p.rows.extra_of_contact.size(); ++i)
        if (const uint32_t extra = p.rows.extra_of_contact[i]; extra != kNoExtra)
            p.rows.compute_blocks(p.rows.extras[extra], p.rows.contacts[i]);
}

/// Lever arms of a contact where its bodies are after a time, with the velocities that they have, as the sweeps have them
/// (contact_lanes.h).
void move_arms(IslandProblem& p, uint32_t i, float time) {
    Contact& k = p.rows.contacts[i];
    const RowLaw& law = p.laws[i];
    const auto way = [&](uint32_t body) {
        return p.delta[body].linear + p.shift[body].linear + time * p.velocity[body].linear;
    };
    const auto turned = [&](uint32_t body, const Vec3& arm) {
        if (law.rolls) return Vec3(0.0f);
        return glm::cross(p.delta[body].angular + p.shift[body].angular + time * p.velocity[body].angular, arm);
    };
    const Vec3 turned_a = turned(k.a, law.start_arm_a), turned_b = turned(k.b, law.start_arm_b);
    const Vec3 between = (way(k.b) + turned_b) - (way(k.a) + turned_a), offset = offset_of(k, law);
    const Vec3 with_b = between * law.follows + k.normal * (glm::dot(k.normal, between) * (0.5f - law.follows));
    k.arm_a = law.start_arm_a + turned_a + with_b + offset;
    k.arm_b = law.start_arm_b + turned_b + (with_b - between) + offset;
}

/// Lever arms and tangential bias of a contact for the velocities of a sub-step.
void refresh_contact(IslandProblem& p, uint32_t i, const RowTime& time) {
    constexpr float kMinAngle2 = 1e-10f, kMaxAngle2 = 1.0f;
    Contact& k = p.rows.contacts[i];
    const RowLaw& law = p.laws[i];
    move_arms(p, i, -time.since);
    p.rows.compute_blocks(k);
    const Vec3 &wa = p.velocity[k.a].angular, &wb = p.velocity[k.b].angular;
    const float angle2 = std::max(glm::dot(wa, wa), glm::dot(wb, wb)) * p.h * p.h;
    const bool bends = angle2 > kMinAngle2 && angle2 < kMaxAngle2 && !law.rolls;
    const Vec3 grown = time.ramp * relative_motion(k, p.acceleration[k.a], p.acceleration[k.b]);
    if (!bends && p.rows.kinds.empty() && grown == Vec3(0.0f)) return;
    const Vec3 offset = offset_of(k, law);
    const Vec3 chord = bends ? chord_of(wb, k.arm_b - offset, p.h) - chord_of(wa, k.arm_a - offset, p.h) : Vec3(0.0f);
    p.rows.set_tangent_bias(i, glm::dot(k.tangent1, chord + grown), glm::dot(k.tangent2, chord + grown));
}

/// What flies freely moves on its parabola, as in the sweeps (body_kernels.simd.cpp); the midpoint rule does anyway.
void integrate_positions(const Bodies& bodies, float h, IslandProblem& p) {
    const bool midpoint = p.params->settings.stepping == Stepping::moreau_midpoint;
    for (uint32_t i = 0; i < p.slots.size(); ++i) {
        if (!bodies.awake[p.slots[i]]) continue;
        if (!midpoint && i < p.dynamic_count && p.velocity[i].linear == p.free[i].linear)
            p.delta[i].linear -= 0.5f * h * p.drive[i].linear;
        integrate_position(bodies.data[p.slots[i]], p.params->settings.gyroscopic, h, p.velocity[i], p.delta[i],
                           p.transform[i].rotation);
        p.delta[i].linear += p.shift[i].linear;
        p.delta[i].angular += p.shift[i].angular;
        // Turned without a moment, it keeps its angular momentum and not its angular velocity.
        Quat& q = p.transform[i].rotation;
        const BodyData& data = bodies.data[p.slots[i]];
        const Vec3 momentum = q * (data.inertia_local * (glm::conjugate(q) * p.velocity[i].angular));
        q = integrate_rotation(q, p.shift[i].angular, 1.0f);
        if (i < p.dynamic_count && !data.isotropic)
            p.velocity[i].angular = q * (data.inverse_inertia_local * (glm::conjugate(q) * momentum));
        p.shift[i] = {};
    }
}

/// A contact of a manifold that touches in this sub-step.
struct ImpactPoint {
    uint32_t row = 0;
    float speed = 0.0f;   // along the normal when it touches, negative
    float time = 0.0f;    // from the start of the sub-step until then
    float before = 0.0f;  // normal velocity
    Vec3 impulse{0.0f, 0.0f, 0.0f};
};

/// When and how fast a contact touches in this sub-step; false when it does not, or too slowly to bounce. The equations
/// are those of approach_of in contact_sweep.simd.cpp.
bool find_impact(const IslandProblem& p, const BodySystem& system, bool only_bounces, ImpactPoint& out) {
    const RowLaw& law = p.laws[out.row];
    if (only_bounces && !(law.restitution > 0.0f)) return false;
    const Contact& k = p.rows.contacts[out.row];
    if (!law.is_contact || k.normal_block <= 0.0f) return false;
    const float v = system.normal_velocity(out.row) - k.bias;
    const float gap = law.gap + glm::dot(k.normal, relative_motion(k, p.shift[k.a], p.shift[k.b]));
    const float driven = glm::dot(k.normal, relative_motion(k, p.drive[k.a], p.drive[k.b]));
    const float open = std::max(gap, 0.0f), start = v - driven;
    const float square = start * start - 2.0f * (driven / p.h) * open;
    const float least = law.restitution > 0.0f
                            ? std::max(p.params->settings.restitution_speed, sweep::kBounceDrives * std::abs(driven))
                            : std::max(sweep::slowest_inelastic(glm::length(p.params->settings.gravity), p.h),
                                       sweep::kInelasticDrives * std::abs(driven));
    out.speed = -std::sqrt(std::max(square, 0.0f));
    if (!(start < 0.0f && square > 0.0f && out.speed < -least && gap + p.h * v <= 0.0f)) return false;
    out.time = 2.0f * open / (-start - out.speed);
    out.before = v;
    return true;
}

/// Impulses after which the points of a manifold part with -e times their speeds, where they push; energy is not let
/// grow by what is left of that.
void find_impact_impulses(IslandProblem& p, BodySystem& system, std::span<ImpactPoint> points) {
    const int passes = points.size() > 1 ? 40 : 1;
    const auto gained = [&](const ImpactPoint& point) {
        return system.normal_velocity(point.row) - p.rows.contacts[point.row].bias - point.before;
    };
    for (int pass = 0; pass < passes; ++pass)
        for (ImpactPoint& point : points) {
            const float e = p.laws[point.row].restitution, step = 1.0f / p.rows.contacts[point.row].normal_block;
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

/// Newton's impact law for the points of a manifold that touch first in this sub-step, with Coulomb friction on their
/// impulses. Returns whether there were any.
bool bounce(IslandProblem& p, BodySystem& system, const ContactGroup& group, bool only_bounces) {
    constexpr float kTogether = 0.1f;  // sub-steps between points that count as one impact
    constexpr uint32_t kMaxPoints = 4;
    ImpactPoint points[kMaxPoints];
    uint32_t count = 0;
    float first = std::numeric_limits<float>::max();
    for (uint32_t i = group.begin; i < group.end && count < kMaxPoints; ++i) {
        points[count] = {};
        points[count].row = i;
        if (!find_impact(p, system, only_bounces, points[count])) continue;
        first = std::min(first, points[count++].time);
    }
    if (count == 0) return false;
    const auto later = [&](const ImpactPoint& point) { return point.time > first + kTogether * p.h; };
    const std::span<ImpactPoint> hits(points, std::remove_if(points, points + count, later));
    const Contact& k = p.rows.contacts[group.begin];
    const BodyVelocity before_a = p.velocity[k.a], before_b = p.velocity[k.b];
    Vec3 warm[kMaxPoints];
    for (ImpactPoint& hit : hits) {
        Contact& row = p.rows.contacts[hit.row];
        warm[size_t(&hit - hits.data())] = row.lambda;
        move_arms(p, hit.row, first);  // to where the bodies are when they touch
        p.rows.compute_blocks(row);
        const float there = system.normal_velocity(hit.row) - row.bias;
        hit.speed += there - hit.before;
        hit.before = there;
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
    return true;
}

/// Contacts that close faster than a threshold bounce, one manifold after the other, until none does. Going from
/// manifold to manifold lets an impact travel through a row of touching bodies (Newton's cradle), which asking all
/// contacts for their own e v_n- at once does not. Every single impact loses energy or keeps it.
void solve_impacts(IslandProblem& p, BodySystem& system) {
    uint32_t pass = 0;
    bounce_until_apart([&] {
        const bool only_bounces = pass++ >= kInelasticPasses;
        bool any = false;
        for (uint32_t g = 0; g < system.group_count(); ++g) any |= bounce(p, system, system.group(g), only_bounces);
        return any;
    });
}

/// The load of manifolds that carried nothing so far, in a few passes of their own before the first sweep: one pass finds
/// about half of it, and friction could only hold as much.
void find_loads(const IslandProblem& p, BodySystem& system) {
    constexpr int kPasses = 8;
    for (uint32_t g = 0; g < system.group_count(); ++g) {
        const ContactGroup group = system.group(g);
        bool fresh = true;
        for (uint32_t i = group.begin; i < group.end && fresh; ++i)
            fresh = p.laws[i].is_contact && p.rows.contacts[i].lambda.x <= 0.0f;
        for (int pass = 0; fresh && pass < kPasses; ++pass)
            for (uint32_t i = group.begin; i < group.end; ++i) {
                const Contact& k = p.rows.contacts[i];
                if (k.normal_block <= 0.0f) continue;
                const float v = system.normal_velocity(i) + k.compliance * k.lambda.x;
                const float next = std::max(k.lambda.x - v / (k.normal_block + k.compliance), 0.0f);
                system.add_normal(i, next - k.lambda.x);
            }
    }
}

SolveSettings solve_settings(const IslandProblem& p, const IslandPlan& plan, uint32_t iterations) {
    const StepSettings& settings = p.params->settings;
    SolveSettings s;
    s.iterations = std::max(iterations, plan.row->usual_iterations);
    s.tolerance = double(plan.tolerance);
    s.time_limit = settings.time_limit;
    s.r_strategy = settings.r_strategy;
    // Roll-back keeps the iterate with the best worst contact. A few sweeps often raise the worst residual while they
    // bring all the others down; taking them back would leave a body without support. It is for runs long enough to
    // judge.
    s.rollback = s.tolerance > 0.0 && s.iterations > s.patience;
    return s;
}

/// The rows by the island's solver, and by a stronger one when it does not get there.
SolveReport solve_rows(IslandProblem& p, BodySystem& system, const IslandPlan& plan, uint32_t iterations,
                       IslandOutcome& outcome) {
    SolveSettings settings = solve_settings(p, plan, iterations);
    SolveReport report = plan.row->solve_bodies(system, settings);
    const bool missed = settings.tolerance > 0.0 && report.residual > settings.tolerance;
    const bool can_be_better = plan.row->model == Model::ncp && plan.row->set == FrictionSet::disk &&
                               plan.row->name != kStronger && report.stop != StopReason::time && p.rows.extras.empty();
    if (missed && p.params->settings.escalate && can_be_better) {
        settings.iterations *= kStrongerIterations;
        settings.rollback = settings.iterations > settings.patience;
        report = find_solver(kStronger)->solve_bodies(system, settings);
        outcome.escalated = true;
    }
    return report;
}

/// A contact that pushed in this step pulls by as much as it pushed, until the bodies no longer part. One that is open
/// and carries nothing has not touched yet: it is left to the next step.
void take_back_push(IslandProblem& p, BodySystem& system) {
    for (uint32_t i = 0; i < p.laws.size(); ++i) {
        RowLaw& law = p.laws[i];
        Contact& k = p.rows.contacts[i];
        if (!law.is_contact || k.normal_block <= 0.0f) continue;
        const float v = system.normal_velocity(i) - k.bias;
        if (law.push > 0.0f && (v > 0.0f || law.gap <= 0.0f)) {
            k.bias = 0.0f;
            const float back =
                std::min(std::min(std::max(v, 0.0f), law.push) / k.normal_block, std::max(law.total.x, 0.0f));
            const float before = k.lambda.x;
            system.add_normal(i, -back);
            k.lambda.x = before;
            law.total.x -= back;
        } else if (law.gap > 0.0f && k.lambda.x <= 0.0f) {
            k.bias = law.gap / p.h - std::min(v, 0.0f);
        }
    }
}

/// Push-out speed must not stay in the velocities: sweeps with hard, unbiased contacts take away what is left of it.
void relax(IslandProblem& p, BodySystem& system, const IslandPlan& plan, IslandOutcome& outcome) {
    if (p.params->relax_sweeps() == 0) return;
    take_back_push(p, system);
    for (uint32_t i = 0; i < p.laws.size(); ++i) p.laws[i].total -= p.rows.contacts[i].lambda;
    solve_rows(p, system, plan, p.params->relax_sweeps(), outcome);
    for (uint32_t i = 0; i < p.laws.size(); ++i) p.laws[i].total += p.rows.contacts[i].lambda;
}

/// Distance from the exact law: the rows have the biases and compliances of the hard one by now.
void measure(const IslandProblem& p, const BodySystem& system, IslandOutcome& outcome, MeasureSum& sum) {
    for (uint32_t i = 0; i < p.laws.size(); ++i) {
        const double residual = contact_residual(system, i).total();
        if (system.is_bilateral(i)) {
            outcome.residual = std::max(outcome.residual, float(residual));
            sum.joint_residual_max = std::max(sum.joint_residual_max, float(residual));
            continue;
        }
        outcome.residual = std::max(outcome.residual, float(residual));
        sum.residual_sum += residual;
        sum.residual_max = std::max(sum.residual_max, residual);
        const float overlap = -p.laws[i].gap;
        if (overlap <= 0.0f) continue;
        ++sum.overlaps;
        sum.overlap_sum += double(overlap);
        sum.overlap_max = std::max(sum.overlap_max, overlap);
    }
}

/// Post-step projection: moves bodies apart where they overlap and leaves velocities untouched.
///     0 <= W d + phi + slop  _|_  d >= 0,   q <- q + M^-1 J^T d        [course 3.4.6]
/// Normals only, zero start, Gauss-Seidel passes in which the gaps follow every move.
void project_positions(IslandProblem& p) {
    p.scratch.velocity.assign(p.delta.begin(), p.delta.end());
    p.scratch.work.assign(p.laws.size(), 0.0f);
    for (uint32_t pass = 0; pass < p.params->settings.projection_passes; ++pass)
        for (uint32_t i = 0; i < p.laws.size(); ++i) {
            const Contact& k = p.rows.contacts[i];
            if (k.normal_block <= 0.0f || (!p.rows.kinds.empty() && p.rows.kinds[i].kind == RowKind::bilateral))
                continue;
            const float gap =
                p.laws[i].start_gap + glm::dot(k.normal, relative_motion(at_start(p, i), p.delta[k.a], p.delta[k.b]));
            p.laws[i].gap = gap;
            const float wanted = std::max(gap + p.params->settings.projection_slop, -kMaxProjection);
            float& d = p.scratch.work[i];
            const float next = std::max(0.0f, d - wanted / k.normal_block);
            const Vec3 impulse = k.normal * (next - d);
            d = next;
            apply_impulse(k, impulse, p.inverse_mass, p.delta);
        }
    // The turn that the passes added to `delta` goes into the rotations.
    for (uint32_t i = 0; i < p.dynamic_count; ++i)
        p.transform[i].rotation =
            integrate_rotation(p.transform[i].rotation, p.delta[i].angular - p.scratch.velocity[i].angular, 1.0f);
}

}  // namespace

Vec3 IslandProblem::error_of(const JointRow& joint) const {
    const Contact& k = rows.contacts[joint.row];
    const Vec3 center_a = transform[k.a].center + delta[k.a].linear,
               center_b = transform[k.b].center + delta[k.b].linear;
    return center_b - center_a + (transform[k.b].rotation * joint.anchor_b - transform[k.a].rotation * joint.anchor_a);
}

ExtraFriction to_extra(const ExtendedFriction& friction, const Vec3& moment) {
    const auto over = [](float m, float radius) { return radius > 0.0f ? m / radius : 0.0f; };
    ExtraFriction extra;
    extra.across = friction.across;
    extra.torsion_radius = friction.torsion_radius;
    extra.rolling_radius = friction.rolling_radius;
    extra.lambda = {over(moment.x, friction.torsion_radius), over(moment.y, friction.rolling_radius),
                    over(moment.z, friction.rolling_radius)};
    return extra;
}

void IslandProblem::add_extended(uint32_t contact, const ExtendedFriction& friction, const Vec3& moment) {
    ExtraFriction extra = to_extra(friction, moment);
    rows.compute_blocks(extra, rows.contacts[contact]);
    rows.add_extra(contact, extra);
}

void IslandProblem::store_extended(uint32_t contact, Vec3& moment) const {
    if (rows.extra_of_contact.size() <= contact || rows.extra_of_contact[contact] == kNoExtra) return;
    const ExtraFriction& extra = rows.extras[rows.extra_of_contact[contact]];
    moment = extra.lambda * Vec3(extra.torsion_radius, extra.rolling_radius, extra.rolling_radius);
}

size_t IslandProblem::bytes() const {
    return capacity_bytes(slots, transform, velocity, delta, free, drive, shift, acceleration, inverse_mass, laws,
                          joints, index_of_slot, numbers) +
           capacity_bytes(rows.contacts, rows.groups, rows.extras, rows.extra_of_contact, rows.kinds) +
           capacity_bytes(scratch.lambda, scratch.spin, scratch.velocity, scratch.lambda_before, scratch.spin_before,
                          scratch.velocity_before, scratch.lambda_next, scratch.work, scratch.body_count);
}

void IslandProblem::reserve(size_t bodies, size_t points, size_t groups, size_t all_bodies) {
    const auto grow = [](auto& list, size_t size) {
        if (list.capacity() < size) list.reserve(size + size / 2);
    };
    grow(slots, bodies);
    grow(transform, bodies);
    grow(velocity, bodies);
    grow(delta, bodies);
    grow(free, bodies);
    grow(drive, bodies);
    grow(shift, bodies);
    grow(acceleration, bodies);
    grow(inverse_mass, bodies);
    grow(rows.contacts, points);
    grow(laws, points);
    grow(rows.groups, groups);
    grow(rows.kinds, points);
    grow(joints, groups);
    grow(index_of_slot, all_bodies);
    index_of_slot.resize(all_bodies, kNone);
    while (numbers.size() < bodies) numbers.push_back(uint32_t(numbers.size()));
}

void gather_island(const ConstraintStores& stores, const Bodies& bodies, std::span<const uint32_t> island_bodies,
                   std::span<const Edge> edges, const Solver& solver, const StepParams& params, IslandProblem& p) {
    p.params = &params;
    p.h = params.h;
    p.knows_extended_friction = solver.extra_friction;
    p.slots.assign(island_bodies.begin(), island_bodies.end());
    p.dynamic_count = uint32_t(p.slots.size());
    p.index_of_slot.resize(bodies.size(), kNone);
    for (uint32_t i = 0; i < p.dynamic_count; ++i) p.index_of_slot[p.slots[i]] = i;
    // Bodies that constraints cannot move stand behind the island's own; whether a number is theirs is seen by
    // looking back.
    const auto is_listed = [&](uint32_t slot) {
        const uint32_t index = p.index_of_slot[slot];
        return index < p.slots.size() && p.slots[index] == slot;
    };
    for (const Edge& edge : edges)
        for (const uint32_t slot : {edge.body_a, edge.body_b}) {
            if (is_listed(slot)) continue;
            p.index_of_slot[slot] = uint32_t(p.slots.size());
            p.slots.push_back(slot);
        }
    const size_t n = p.slots.size();
    p.transform.resize(n);
    p.velocity.resize(n);
    p.delta.assign(n, BodyVelocity{});
    p.inverse_mass.resize(n);
    p.free.resize(n);
    p.acceleration.resize(n);
    p.drive.assign(n, BodyVelocity{});
    p.shift.assign(n, BodyVelocity{});
    for (size_t i = 0; i < n; ++i) {
        p.transform[i] = bodies.transform[p.slots[i]];
        p.velocity[i] = bodies.velocity[p.slots[i]];
        p.inverse_mass[i] = bodies.inverse_mass[p.slots[i]];
        p.acceleration[i] = acceleration_of(bodies, p.slots[i], params);
    }
    while (p.numbers.size() < n) p.numbers.push_back(uint32_t(p.numbers.size()));
    p.rows.velocity = p.velocity;
    p.rows.inverse_mass = p.inverse_mass;
    p.rows.contacts.clear();
    p.rows.groups.clear();
    p.rows.extras.clear();
    p.rows.extra_of_contact.clear();
    p.rows.kinds.clear();
    p.joints.clear();
    p.laws.clear();
    for (const Edge& edge : edges) kind_row(edge.kind).add_rows(stores, edge.id, p);
    if (!p.rows.kinds.empty()) p.rows.kinds.resize(p.rows.contacts.size());
    if (!p.rows.extras.empty()) p.rows.extra_of_contact.resize(p.rows.contacts.size(), kNoExtra);
}

void integrate_velocities(const Bodies& bodies, IslandProblem& p) {
    for (uint32_t i = 0; i < p.dynamic_count; ++i) {
        const BodyVelocity before = p.velocity[i];
        integrate_velocity(bodies.data[p.slots[i]], p.inverse_mass[i], p.params->settings.gravity, p.h, p.velocity[i]);
        p.drive[i].linear = p.velocity[i].linear - before.linear;
        p.drive[i].angular = p.velocity[i].angular - before.angular;
    }
}

void refresh_rows(IslandProblem& p, bool push, const RowTime& time) {
    for (uint32_t i = 0; i < p.laws.size(); ++i) {
        Contact& k = p.rows.contacts[i];
        RowLaw& law = p.laws[i];
        if (law.is_contact) {
            law.gap = law.start_gap + glm::dot(k.normal, relative_motion(at_start(p, i), p.delta[k.a], p.delta[k.b]));
            refresh_contact(p, i, time);
        }
        set_law(*p.params, law, push, k);
    }
    for (JointRow& joint : p.joints) refresh_joint(p, push, joint);
}

IslandOutcome solve_island(const ConstraintStores& stores, const Bodies& bodies,
                           std::span<const uint32_t> island_bodies, std::span<const Edge> edges, const IslandPlan& plan,
                           const StepParams& params, IslandProblem& p, MeasureSum& sum) {
    gather_island(stores, bodies, island_bodies, edges, *plan.row, params, p);
    const uint32_t groups = uint32_t(p.rows.groups.size());
    BodySystem system(p.rows, 0, groups, {p.numbers.data(), p.dynamic_count}, p.scratch);
    const bool midpoint = params.settings.stepping == Stepping::moreau_midpoint;
    IslandOutcome outcome;
    for (uint32_t k = 0; k < params.settings.substeps; ++k) {
        if (midpoint && k > 0) integrate_positions(bodies, 0.5f * p.h, p);
        if (k > 0) turn_rows(bodies, p);
        integrate_velocities(bodies, p);
        if (groups > 0) {
            refresh_rows(p, true, {0.0f, (float(k) + 0.5f) * p.h - 0.5f * params.dt});
            solve_impacts(p, system);
        }
        std::copy(p.velocity.begin(), p.velocity.end(), p.free.begin());
        if (groups > 0) {
            p.rows.apply_warm_start(0, system.size());
            if (plan.row->usual_iterations == 1) find_loads(p, system);
            const SolveReport report = solve_rows(p, system, plan, plan.iterations, outcome);
            outcome.iterations = report.iterations;
            outcome.stop = report.stop;
            for (uint32_t i = 0; i < p.laws.size(); ++i) {
                const Contact& row = p.rows.contacts[i];
                RowLaw& law = p.laws[i];
                law.total += row.lambda;
                if (law.is_contact && row.lambda.x > 0.0f) law.push = std::max(law.push, -row.bias);
            }
        }
        integrate_positions(bodies, midpoint ? 0.5f * p.h : p.h, p);
    }
    if (groups == 0) return outcome;
    refresh_rows(p, false, {p.h, 0.5f * params.dt});
    relax(p, system, plan, outcome);
    measure(p, system, outcome, sum);
    if (params.settings.stabilisation == Stabilisation::projection) project_positions(p);
    for (JointRow& joint : p.joints) {
        joint.error = glm::length(p.error_of(joint));
        if (joint.rigid) sum.joint_error_max = std::max(sum.joint_error_max, joint.error);
    }
    return outcome;
}

}  // namespace proxima::physics
