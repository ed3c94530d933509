// SPDX-License-Identifier: MIT
#include "physics/solve/general/island_problem.h"

#include <algorithm>

#include "engine/core/capacity.h"
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
    if (!push || !params.soft_contacts()) return;
    const SoftContact& soft = law.with_static ? params.soft_static : params.soft;
    k.bias = std::max(soft.push_rate * law.gap, -params.settings.max_push_speed);
    k.compliance = soft.compliance_factor * k.normal_block;
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

void integrate_positions(const Bodies& bodies, float h, IslandProblem& p) {
    for (uint32_t i = 0; i < p.slots.size(); ++i) {
        if (!bodies.awake[p.slots[i]]) continue;
        integrate_position(bodies.data[p.slots[i]], p.params->settings.gyroscopic, h, p.velocity[i], p.delta[i],
                           p.transform[i].rotation);
    }
}

/// Newton's impact of one contact, v_n+ = -e v_n-, with Coulomb friction on its impulse. Returns whether it closed fast
/// enough to bounce.
bool bounce(IslandProblem& p, BodySystem& system, uint32_t i) {
    RowLaw& law = p.laws[i];
    Contact& k = p.rows.contacts[i];
    if (law.restitution <= 0.0f || k.normal_block <= 0.0f) return false;
    const float v_n = system.normal_velocity(i) - k.bias;
    if (v_n >= -p.params->settings.restitution_speed || law.gap + p.h * v_n > 0.0f) return false;

    const Vec3 before = k.lambda;
    const float normal = -(1.0f + law.restitution) * v_n / k.normal_block;
    system.add_normal(i, normal);
    const Real2<float> v_t = system.tangent_velocity(i);
    const float step = system.tangent_step(i);
    // The friction of a blow has the axes of a grain; torsion and rolling belong to lasting contact.
    const float across = system.is_extra(i) ? float(system.extra_state(i).across) : k.friction;
    system.add_tangent(
        i, project_ellipse(Real2<float>{-step * v_t.x, -step * v_t.y}, k.friction * normal, across * normal));
    // The warm start is about lasting forces: a blow is counted in the step's total only.
    law.total += k.lambda - before;
    k.lambda = before;
    return true;
}

/// Contacts that close faster than a threshold bounce, one after the other, until none does. Going from contact to
/// contact lets an impact travel through a row of touching bodies (Newton's cradle), which asking all contacts for
/// their own e v_n- at once does not. Every single impact loses energy or keeps it.
void solve_impacts(IslandProblem& p, BodySystem& system) {
    if (!p.bounces) return;
    bounce_until_apart([&] {
        bool any = false;
        for (uint32_t i = 0; i < system.size(); ++i) any |= bounce(p, system, i);
        return any;
    });
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

/// Push-out speed must not stay in the velocities: sweeps with hard, unbiased contacts take it away.
void relax(IslandProblem& p, BodySystem& system, const IslandPlan& plan, IslandOutcome& outcome) {
    if (p.params->relax_sweeps() == 0) return;
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
            const float gap = p.laws[i].start_gap + glm::dot(k.normal, relative_motion(k, p.delta[k.a], p.delta[k.b]));
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
    return capacity_bytes(slots, transform, velocity, delta, inverse_mass, laws, joints, index_of_slot, numbers) +
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
    p.bounces = false;
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
    for (size_t i = 0; i < n; ++i) {
        p.transform[i] = bodies.transform[p.slots[i]];
        p.velocity[i] = bodies.velocity[p.slots[i]];
        p.inverse_mass[i] = bodies.inverse_mass[p.slots[i]];
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
    for (uint32_t i = 0; i < p.dynamic_count; ++i)
        integrate_velocity(bodies.data[p.slots[i]], p.inverse_mass[i], p.params->settings.gravity, p.h, p.velocity[i]);
}

void refresh_rows(IslandProblem& p, bool push) {
    for (uint32_t i = 0; i < p.laws.size(); ++i) {
        Contact& k = p.rows.contacts[i];
        RowLaw& law = p.laws[i];
        const Vec3 moved = relative_motion(k, p.delta[k.a], p.delta[k.b]);
        law.gap = law.start_gap + glm::dot(k.normal, moved);
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
        integrate_velocities(bodies, p);
        if (groups > 0) {
            refresh_rows(p, true);
            solve_impacts(p, system);
            p.rows.apply_warm_start(0, system.size());
            const SolveReport report = solve_rows(p, system, plan, plan.iterations, outcome);
            outcome.iterations = report.iterations;
            outcome.stop = report.stop;
            for (uint32_t i = 0; i < p.laws.size(); ++i) p.laws[i].total += p.rows.contacts[i].lambda;
        }
        integrate_positions(bodies, midpoint ? 0.5f * p.h : p.h, p);
    }
    if (groups == 0) return outcome;
    refresh_rows(p, false);
    solve_impacts(p, system);
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
