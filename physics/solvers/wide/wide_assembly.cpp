// SPDX-License-Identifier: MIT
// From the bodies and manifolds of a step to the records and blocks of the wide solver.
#include "physics/solvers/wide/wide_assembly.h"

#include <cstring>

#include "physics/solvers/wide/wide_parts.h"

namespace proxima::physics::wide {

namespace {

constexpr uint32_t kBodiesPerJob = 256;

static_assert(sizeof(BodyVelocity) == sizeof(BodyRecord) && sizeof(BodyInverseMass) == sizeof(BodyRecord) &&
              sizeof(BodyPlace) == sizeof(BodyRecord));

template <class From>
BodyRecord record_of(const From& from) {
    static_assert(sizeof(From) == sizeof(BodyRecord));
    BodyRecord to;
    std::memcpy(to.value, &from, sizeof(to));
    return to;
}

/// A body with the forces and damping of a sub-step of length h and the tensors that turning bodies need.
void gather_body(StepContext& c, uint32_t i, float h) {
    Problem& p = c.wide;
    const uint32_t body = p.bodies[i];
    const BodyFacts& facts = c.bodies.facts[body];
    const BodyInverseMass& inverse = c.bodies.inverse_mass[body];
    p.velocity[i] = record_of(c.bodies.velocity[body]);
    p.moved[i] = {};
    p.inverse_mass[i] = record_of(inverse);
    p.place[i] = record_of(c.bodies.place[body]);
    const Sym3 &t = facts.inertia_local, &s = facts.inverse_inertia_local;
    const bool uneven = inverse.mass > 0.0f && !facts.isotropic;
    p.inertia[i] = {{t.xx, t.yy, t.zz, t.xy, t.xz, t.yz, uneven ? 1.0f : 0.0f, 0.0f}};
    p.inverse_inertia[i] = {{s.xx, s.yy, s.zz, s.xy, s.xz, s.yz, 0.0f, 0.0f}};
    if (inverse.mass == 0.0f) {
        p.drive[i] = {{0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f}};
        return;
    }
    const Vec3 linear = h * (facts.gravity_scale * c.settings.gravity + inverse.mass * facts.force);
    const Vec3 angular = h * (inverse.inertia * facts.torque);
    p.drive[i] = {{linear.x, linear.y, linear.z, 1.0f / (1.0f + h * facts.linear_damping), angular.x,
                   angular.y, angular.z, 1.0f / (1.0f + h * facts.angular_damping)}};
}

void put(float (*rows)[kBlockLanes], uint32_t lane, const Vec3& v) {
    rows[0][lane] = v.x;
    rows[1][lane] = v.y;
    rows[2][lane] = v.z;
}

/// A manifold into its lane.
void fill_lane(StepContext& c, BlockHead& head, uint32_t points, uint32_t lane, float h, RawBlock& raw,
               Row& restitution) {
    const Manifold& m = *c.pairs[head.pair[lane]].manifold;
    head.friction[lane] = m.friction;
    restitution[lane] = m.restitution;
    head.bounces |= uint32_t(m.restitution > 0.0f) << lane;
    put(head.normal, lane, m.normal);
    put(head.tangent1, lane, m.tangent1);
    put(head.tangent2, lane, m.tangent2);
    put(raw.arm_shift, lane, m.arm_shift);
    // Impulses belong to a sub-step: another length of it scales them.
    const float scale = m.lambda_dt > 0.0f ? h / m.lambda_dt : 0.0f;
    for (uint32_t i = 0; i < points; ++i) {
        const ManifoldPoint& from = m.points[i];
        RawPointRows& to = raw.point[i];
        put(to.arm_a, lane, from.arm_a);
        put(to.anchor_a, lane, from.anchor_a);
        put(to.anchor_b, lane, from.anchor_b);
        to.base_gap[lane] = from.base_gap;
        to.impulse[0][lane] = from.lambda.x * scale;
        to.impulse[1][lane] = from.lambda.y * scale;
        to.impulse[2][lane] = from.lambda.z * scale;
    }
}

/// An empty lane: nothing there can move and no impulse is ever made.
void empty_lane(BlockHead& head, uint32_t points, uint32_t lane, RawBlock& raw, Row& restitution) {
    const Vec3 zero(0.0f);
    head.friction[lane] = restitution[lane] = 0.0f;
    put(head.normal, lane, zero);
    put(head.tangent1, lane, zero);
    put(head.tangent2, lane, zero);
    put(raw.arm_shift, lane, zero);
    for (uint32_t i = 0; i < points; ++i) {
        RawPointRows& to = raw.point[i];
        put(to.arm_a, lane, zero);
        put(to.anchor_a, lane, zero);
        put(to.anchor_b, lane, zero);
        to.base_gap[lane] = to.impulse[0][lane] = to.impulse[1][lane] = to.impulse[2][lane] = 0.0f;
    }
}

void assemble_run(StepContext& c, Run& run, float h, bool sweeps, const BodyRecords& bodies) {
    Problem& p = c.wide;
    const ContactKernels& kernels = contact_kernels();
    const auto prepare = (sweeps ? kernels.prepare : kernels.prepare_alone)[run.points - 1];
    RawBlock raw;
    run.bounces = false;
    for (uint32_t b = 0; b < run.blocks; ++b) {
        BlockHead& head = p.head(run.block(b));
        Row& restitution = p.restitution[run.first_block + b].value;
        if (b + 1 < run.blocks) fetch_manifolds(c, p.head(run.block(b + 1)));
        head.bounces = 0;
        for (uint32_t lane = 0; lane < kBlockLanes; ++lane) {
            if (head.pair[lane] != kNoLane)
                fill_lane(c, head, run.points, lane, h, raw, restitution);
            else
                empty_lane(head, run.points, lane, raw, restitution);
        }
        run.bounces |= head.bounces != 0;
        prepare(&head, raw, bodies);
    }
}

/// Whether the blocks of a part that is solved directly are those of the last step but for the gaps. What
/// turns unevenly has another inertia now, which the blocks have in them.
bool is_as_before(const StepContext& c, const Part& part) {
    if (!part.in_one_step || part.h != c.dt) return false;
    for (uint32_t i = part.body_begin; i < part.body_begin + part.body_count; ++i) {
        const uint32_t body = c.wide.bodies[i];
        if (c.bodies.has_new_manifold[body] || !c.bodies.facts[body].isotropic) return false;
    }
    return true;
}

/// In the order of the layout a batch or a slab has its bodies for itself: two workers never write to one
/// cache line.
void gather_bodies(StepContext& c) {
    Problem& p = c.wide;
    const size_t n = p.bodies.size();
    for (std::vector<BodyRecord>* list : {&p.velocity, &p.moved, &p.inverse_mass, &p.place, &p.free_velocity,
                                          &p.drive, &p.inertia, &p.inverse_inertia})
        list->resize(n);
    if (p.numbers.directs > 0) p.wrench.resize(n);
    const uint32_t direct_end =
        p.numbers.directs < p.numbers.with_bodies() ? p.parts[p.numbers.directs].body_begin : p.drivers_begin;
    c.jobs->parallel_for(uint32_t(n), kBodiesPerJob, [&](const engine::JobBlock& block) {
        for (uint32_t i = block.begin; i < block.end; ++i) gather_body(c, i, i < direct_end ? c.dt : c.h);
    });
}

}  // namespace

void assemble_part(StepContext& c, Part& part, float h, bool sweeps) {
    const BodyRecords bodies = records_of(c);
    part.h = h;
    part.bounces = false;
    for (uint32_t r = part.run_begin; r < part.run_end; ++r) {
        assemble_run(c, c.wide.runs[r], h, sweeps, bodies);
        part.bounces |= c.wide.runs[r].bounces;
    }
}

void refresh_part(StepContext& c, const Part& part) {
    const BodyRecords bodies = records_of(c);
    for (uint32_t r = part.run_begin; r < part.run_end; ++r) {
        const Run& run = c.wide.runs[r];
        contact_kernels().refresh[run.points - 1](&c.wide.head(run.offset), run.blocks, bodies);
    }
}

void gather_again(StepContext& c, const Part& part, float h) {
    for (uint32_t i = 0; i < part.body_count; ++i) gather_body(c, part.body_begin + i, h);
}

BodyRecords records_of(StepContext& c) {
    Problem& p = c.wide;
    BodyRecords r;
    r.velocity = p.velocity.data()->value;
    r.moved = p.moved.data()->value;
    r.inverse_mass = p.inverse_mass.data()->value;
    r.place = p.place.data()->value;
    r.free_velocity = p.free_velocity.data()->value;
    r.drive = p.drive.data()->value;
    r.inertia = p.inertia.data()->value;
    r.inverse_inertia = p.inverse_inertia.data()->value;
    return r;
}

}  // namespace proxima::physics::wide

namespace proxima::physics {

using namespace wide;

void assemble_wide(StepContext& c) {
    const engine::StageTimer timer(c.times, engine::StageIndex(Stage::assemble));
    Problem& p = c.wide;
    if (c.contacts_changed || c.ways_changed) {
        make_layout(c);
        find_direct_islands(c);
    }
    gather_bodies(c);
    const Part* first_swept = p.parts.data() + p.numbers.directs;
    for_all_parts(c, [&](Part& part) {
        if (&part >= first_swept)
            assemble_part(c, part, c.h, true);
        else if (is_as_before(c, part))
            refresh_part(c, part);
        else
            assemble_part(c, part, c.dt, false);
    });
    p.slabs_bounce = false;
    for (uint32_t k = p.numbers.batches; k < p.parts.size(); ++k) p.slabs_bounce |= p.parts[k].bounces;
}

}  // namespace proxima::physics
