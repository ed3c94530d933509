// SPDX-License-Identifier: MIT
#include "physics/solve/general/island_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/capacity.h"
#include "physics/constraints/contact/contact_block.h"
#include "physics/constraints/joint_errors.h"
#include "physics/solve/general/island_impacts.h"
#include "physics/solve/general/island_measure.h"
#include "physics/solve/general/solve_rows.h"
#include "physics/solve/integrate.h"
#include "physics/solvers/ellipsoid.h"

namespace proxima::physics {

namespace {

// Deeper overlaps take several passes or steps, so that nothing is thrown.
constexpr float kMaxProjection = 0.2f;  // m in a pass

/// Bias and compliance of a contact whose gap is known. An open gap may close, but no further: v_n >= -s/h. An overlap that
/// carries something pushes; others are moved apart (soft_law of contact_sweep.simd.cpp).
void set_law(const StepParams& params, float h, bool push, RowLaw& law, Contact& k) {
    k.compliance = 0.0f;
    law.apart = false;
    if (law.gap > 0.0f) {
        k.bias = law.gap / h;
        return;
    }
    k.bias = 0.0f;
    if (!push || !params.softness.soft) return;
    k.compliance = law.softness.compliance_factor * k.normal_block;
    const float speed = std::max(law.softness.push_rate * law.gap, -law.max_push);
    law.apart = k.lambda.x * k.normal_block <= -sweep::kMinLoad * speed;
    if (!law.apart) k.bias = speed;
}

/// Lever arms, error and law of a joint where its bodies are now.
void refresh_joint(IslandProblem& p, bool push, ProblemJoint& joint) {
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

/// By how much the gap of a contact has grown since the start of the step (gap_motion of contact_lanes.h).
float gap_growth(const IslandProblem& p, uint32_t i) {
    const Contact& k = p.rows.contacts[i];
    const RowLaw& law = p.laws[i];
    const BodyVelocity &a = p.delta[k.a], &b = p.delta[k.b];
    if (law.balls) return glm::dot(k.normal, b.linear - a.linear);
    const Vec3 offset = offset_of(k, law);
    const auto way = [&](const BodyVelocity& motion, const Vec3& arm) {
        return motion.linear + (law.rolls ? glm::cross(motion.angular, arm) : change_of_arm(motion.angular, arm));
    };
    return glm::dot(k.normal, way(b, law.start_arm_b + offset) - way(a, law.start_arm_a + offset));
}

/// The normal of two balls, once they touch, is the line of their centres, and the gap what is between them.
Vec3 line_of_balls(const IslandProblem& p, RowLaw& law, const Contact& k) {
    constexpr float kTouch = 1e-6f;
    const Vec3 before = law.start_arm_a - law.start_arm_b, now = before + p.delta[k.b].linear - p.delta[k.a].linear;
    const float radii = glm::dot(k.normal, before) - law.start_gap, squared = glm::dot(now, now);
    if (!(squared < radii * radii * (1.0f + kTouch)) || !(squared > 0.0f)) return k.normal;
    const Vec3 normal = now / std::sqrt(squared);
    law.start_gap += glm::dot(normal - k.normal, before);
    return normal;
}

/// The bodies have turned since the last sub-step: their inertia is that of now, and frames have turned with theirs.
void turn_rows(const Bodies& bodies, IslandProblem& p) {
    for (uint32_t i = 0; i < p.dynamic_count; ++i)
        if (const BodyData& data = bodies.data[p.slots[i]]; !data.isotropic)
            p.inverse_mass[i].inertia = rotate(data.inverse_inertia_local, p.transform[i].rotation);
    for (uint32_t i = 0; i < p.laws.size(); ++i) {
        RowLaw& law = p.laws[i];
        if (!law.is_contact) continue;
        Contact& k = p.rows.contacts[i];
        if (law.balls) {
            k.normal = line_of_balls(p, law, k);
            k.tangent1 = glm::normalize(k.tangent1 - k.normal * glm::dot(k.normal, k.tangent1));
            k.tangent2 = glm::cross(k.normal, k.tangent1);
            continue;
        }
        const Quat& turn = p.transform[law.frame_body].rotation;
        k.normal = turn * law.frame_normal;
        k.tangent1 = turn * law.frame_tangent;
        k.tangent2 = glm::cross(k.normal, k.tangent1);
    }
    for (uint32_t i = 0; i < p.rows.extra_of_contact.size(); ++i)
        if (const uint32_t extra = p.rows.extra_of_contact[i]; extra != kNoExtra)
            p.rows.compute_blocks(p.rows.extras[extra], p.rows.contacts[i]);
}

/// What the surfaces of a contact move along themselves, b's against a's, at the end of the sub-step: add_surface_velocity
/// of contact_lanes.h.
Vec3 surface_velocity(const IslandProblem& p, const Contact& k, const RowLaw& law, float since) {
    const auto turned = [&](uint32_t body, const Vec3& local) {
        const Vec3 velocity = p.transform[body].rotation * local;
        return velocity + (p.h - since) * glm::cross(p.velocity[body].angular, velocity);
    };
    return turned(k.b, law.surface_b) - turned(k.a, law.surface_a);
}

/// Lever arms and tangential bias of a contact for the velocities of a sub-step.
void refresh_contact(IslandProblem& p, uint32_t i, float since) {
    constexpr float kMinAngle2 = 1e-10f, kMaxAngle2 = 1.0f;
    Contact& k = p.rows.contacts[i];
    const RowLaw& law = p.laws[i];
    move_arms(p, i, -since);
    p.rows.compute_blocks(k);
    const Vec3 &wa = p.velocity[k.a].angular, &wb = p.velocity[k.b].angular;
    const float angle2 = std::max(glm::dot(wa, wa), glm::dot(wb, wb)) * p.h * p.h;
    const bool bends = angle2 > kMinAngle2 && angle2 < kMaxAngle2 && !law.rolls;
    const Vec3 grown = law.surface_moves ? surface_velocity(p, k, law, since) : Vec3(0.0f);
    if (!bends && p.rows.kinds.empty() && grown == Vec3(0.0f)) return;
    const Vec3 offset = offset_of(k, law);
    const Vec3 chord = bends ? chord_of(wb, k.arm_b - offset, p.h) - chord_of(wa, k.arm_a - offset, p.h) : Vec3(0.0f);
    p.rows.set_tangent_bias(i, glm::dot(k.tangent1, chord + grown), glm::dot(k.tangent2, chord + grown));
}

/// Displaces bodies by what impacts or overlaps want.
void take_shifts(const Bodies& bodies, IslandProblem& p) {
    for (uint32_t i = 0; i < p.dynamic_count; ++i) {
        displace(bodies.data[p.slots[i]], p.shift[i], p.velocity[i], p.delta[i], p.transform[i].rotation);
        p.shift[i] = {};
    }
}

/// What flies freely moves on its parabola, as in the sweeps (body_kernels.simd.cpp); the midpoint rule does anyway.
void integrate_positions(const Bodies& bodies, float h, IslandProblem& p) {
    const bool midpoint = p.params->settings.stepping == Stepping::moreau_midpoint;
    take_shifts(bodies, p);
    for (uint32_t i = 0; i < p.slots.size(); ++i) {
        if (!bodies.awake[p.slots[i]]) continue;
        if (!midpoint && i < p.dynamic_count && p.velocity[i].linear == p.free[i].linear)
            p.delta[i].linear -= 0.5f * h * p.drive[i].linear;
        integrate_position(bodies.data[p.slots[i]], p.params->settings.gyroscopic, h, p.velocity[i], p.delta[i],
                           p.transform[i].rotation);
    }
}

/// Velocities of what no constraint moves, so long after the middle of the step (integrate.h).
void ramp_drivers(const Bodies& bodies, float time, IslandProblem& p) {
    for (size_t i = p.dynamic_count; i < p.slots.size(); ++i) {
        const BodyVelocity &v = bodies.velocity[p.slots[i]], &a = p.acceleration[i];
        p.velocity[i].linear = v.linear + time * a.linear;
        p.velocity[i].angular = v.angular + time * a.angular;
        p.drive[i].linear = p.h * a.linear;
        p.drive[i].angular = p.h * a.angular;
    }
}

/// Normals have the last word of a sweep. Friction follows them back into its disk.
void keep_in_disks(const IslandProblem& p, BodySystem& system) {
    for (uint32_t i = 0; i < p.laws.size(); ++i) {
        if (!p.laws[i].is_contact || system.is_extra(i)) continue;
        const Contact& k = p.rows.contacts[i];
        const float radius = k.friction * std::max(k.lambda.x, 0.0f), friction = std::hypot(k.lambda.y, k.lambda.z);
        if (!(friction > radius)) continue;
        const float less = radius / friction - 1.0f;
        system.add_tangent(i, Real2<float>{less * k.lambda.y, less * k.lambda.z});
    }
}

/// Moves the bodies of overlaps apart, beside their motion of this sub-step (move_apart of contact_sweep.simd.cpp).
void move_apart(IslandProblem& p) {
    constexpr float kMinPush = 2e-3f;  // of the fastest push
    const auto push_of = [&](uint32_t i) {
        const Contact& k = p.rows.contacts[i];
        const RowLaw& law = p.laws[i];
        if (!law.is_contact || !law.apart) return 0.0f;
        const float parts = glm::dot(k.normal, relative_motion(k, p.velocity[k.a], p.velocity[k.b]));
        const float left = law.gap + p.h * std::max(parts, 0.0f);
        return std::clamp(-law.softness.push_rate * left, 0.0f, law.max_push);
    };
    for (const ContactGroup& group : p.rows.groups) {
        bool deep = false;
        for (uint32_t i = group.begin; i < group.end; ++i) deep |= push_of(i) > kMinPush * p.laws[i].max_push;
        for (uint32_t i = group.begin; deep && i < group.end; ++i) {
            const Contact& k = p.rows.contacts[i];
            const RowLaw& law = p.laws[i];
            if (k.normal_block <= 0.0f) continue;
            const float open = law.gap > 0.0f ? law.gap / p.h : 0.0f;
            const float v =
                glm::dot(k.normal, relative_motion(k, p.shift[k.a], p.shift[k.b])) / p.h + open - push_of(i);
            if (v < 0.0f) apply_impulse(k, k.normal * (-v * p.h / k.normal_block), p.inverse_mass, p.shift);
        }
    }
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
RowsReport relax(IslandProblem& p, BodySystem& system, const IslandPlan& plan) {
    if (p.params->relax_sweeps() == 0) return {};
    take_back_push(p, system);
    for (uint32_t i = 0; i < p.laws.size(); ++i) p.laws[i].total -= p.rows.contacts[i].lambda;
    const RowsReport report = solve_rows(p, system, plan, {p.params->relax_sweeps(), false});
    for (uint32_t i = 0; i < p.laws.size(); ++i) p.laws[i].total += p.rows.contacts[i].lambda;
    return report;
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
            const float gap = p.laws[i].start_gap + gap_growth(p, i);
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

Vec3 IslandProblem::error_of(const ProblemJoint& joint) const {
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
                          joints, index_of_slot, numbers, kept_lambda, kept_velocity) +
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
    grow(kept_lambda, 2 * points);
    grow(kept_velocity, bodies);
    grow(index_of_slot, all_bodies);
    index_of_slot.resize(all_bodies, kNone);
    while (numbers.size() < bodies) numbers.push_back(uint32_t(numbers.size()));
}

void gather_island(const ConstraintStores& stores, const Bodies& bodies, std::span<const uint32_t> island_bodies,
                   std::span<const Edge> edges, const Solver& solver, const StepParams& params, float h,
                   IslandProblem& p) {
    p.params = &params;
    p.h = h;
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

void refresh_rows(IslandProblem& p, bool push, float since) {
    for (uint32_t i = 0; i < p.laws.size(); ++i) {
        Contact& k = p.rows.contacts[i];
        RowLaw& law = p.laws[i];
        if (law.is_contact) {
            law.gap = law.start_gap + gap_growth(p, i);
            refresh_contact(p, i, since);
        }
        set_law(*p.params, p.h, push, law, k);
    }
    for (ProblemJoint& joint : p.joints) refresh_joint(p, push, joint);
}

IslandOutcome solve_island(const ConstraintStores& stores, const Bodies& bodies,
                           std::span<const uint32_t> island_bodies, std::span<const Edge> edges, const IslandPlan& plan,
                           const StepParams& params, IslandProblem& p, MeasureSum& sum, FailedSolver& failure) {
    const Substeps substeps = params.substeps(false, plan.halvings);
    gather_island(stores, bodies, island_bodies, edges, *plan.row, params, substeps.h, p);
    const uint32_t groups = uint32_t(p.rows.groups.size());
    BodySystem system(p.rows, 0, groups, {p.numbers.data(), p.dynamic_count}, p.scratch);
    const bool midpoint = params.settings.stepping == Stepping::moreau_midpoint;
    const bool is_large = edges.size() > kMaxSmallIsland;
    IslandOutcome outcome;
    IslandPlan own = plan;
    const auto note = [&](const RowsReport& report) {
        outcome.escalated |= report.escalated;
        if (report.failure == SolverFailure::none) return;
        failure = {plan.row, report.failure, report.note};
        own.row = &sweeping_solver();  // for the rest of the step
    };
    for (uint32_t k = 0; k < substeps.count; ++k) {
        if (midpoint && k > 0) integrate_positions(bodies, 0.5f * p.h, p);
        if (k > 0) turn_rows(bodies, p);
        integrate_velocities(bodies, p);
        if (groups > 0) {
            ramp_drivers(bodies, (float(k) + 1.0f) * p.h - 0.5f * params.dt, p);
            refresh_rows(p, true, 0.0f);
            const bool bounced = solve_impacts(p, system);
            ramp_drivers(bodies, (float(k) + 0.5f) * p.h - 0.5f * params.dt, p);
            if (bounced) {
                take_shifts(bodies, p);
                turn_rows(bodies, p);
                refresh_rows(p, true, 0.0f);
            }
        }
        std::copy(p.velocity.begin(), p.velocity.end(), p.free.begin());
        if (groups > 0) {
            p.rows.apply_warm_start(0, system.size());
            mark_blows(p, system);
            const RowsReport report =
                solve_rows(p, system, own, {params.sweeps(own.iterations, is_large, plan.strain, k), true});
            note(report);
            outcome.iterations = report.solve.iterations;
            outcome.stop = report.solve.stop;
            if (own.row == &sweeping_solver()) keep_in_disks(p, system);
            for (uint32_t i = 0; i < p.laws.size(); ++i) {
                const Contact& row = p.rows.contacts[i];
                RowLaw& law = p.laws[i];
                law.total += row.lambda;
                if (law.is_contact && row.lambda.x > 0.0f) law.push = std::max(law.push, -row.bias);
            }
            if (params.measures(k, substeps.count))
                measure_substep(p, system, 1.0 / params.measured_substeps(substeps.count), outcome, sum);
            forget_blows(p);
            move_apart(p);
        }
        integrate_positions(bodies, midpoint ? 0.5f * p.h : p.h, p);
    }
    if (groups == 0) return outcome;
    ramp_drivers(bodies, 0.5f * params.dt, p);
    refresh_rows(p, false, p.h);
    note(relax(p, system, own));
    if (params.settings.stabilisation == Stabilisation::projection) project_positions(p);
    measure_end(p, system, outcome, sum);
    for (ProblemJoint& joint : p.joints) {
        joint.error = glm::length(p.error_of(joint));
        if (joint.rigid) sum.joint_error_max = std::max(sum.joint_error_max, joint.error);
    }
    return outcome;
}

}  // namespace proxima::physics
