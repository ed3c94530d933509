// SPDX-License-Identifier: MIT
// Contacts between manifolds and blocks: lanes are filled from the pool of manifolds and handed back to it.
#include "physics/constraints/contact/contact_kind.h"

#include <algorithm>

#include "physics/constraints/contact/contact_block.h"
#include "physics/constraints/contact/contact_direct.h"
#include "physics/scale.h"
#include "physics/solve/general/island_problem.h"
#include "physics/solve/impacts.h"

namespace proxima::physics {

namespace {

using namespace sweep;

void put(float (*rows)[kBlockLanes], uint32_t lane, const Vec3& v) {
    rows[0][lane] = v.x;
    rows[1][lane] = v.y;
    rows[2][lane] = v.z;
}

Vec3 take(const float (*rows)[kBlockLanes], uint32_t lane) { return {rows[0][lane], rows[1][lane], rows[2][lane]}; }

/// Asks for the manifolds of a block early: they lie anywhere in memory, and eight misses at once cost little
/// more than one.
void prefetch_manifolds([[maybe_unused]] const ManifoldPool& pool, [[maybe_unused]] const BlockHead& head) {
#if defined(__GNUC__)
    for (uint32_t lane = 0; lane < kBlockLanes && head.id[lane] != kNoLane; ++lane) {
        const char* manifold = reinterpret_cast<const char*>(&pool[head.id[lane]]);
        for (int line = 0; line < 4; ++line) __builtin_prefetch(manifold + 64 * line);
    }
#endif
}

/// The part of the motion of b against a along the tangents that the point of contact makes with b. It stays below a
/// ball that rolls; corners touch faces, and take it along.
float contact_follows(const Manifold& m) {
    if (m.rolls == 3) return 0.5f;
    return m.rolls == 2 || (m.rolls == 0 && !m.frame_on_b) ? 1.0f : 0.0f;
}

/// A manifold into its lane.
void fill_lane(const Manifold& m, ContactHead& head, uint32_t points, uint32_t lane, float h, RawContacts& raw,
               Row& restitution) {
    head.friction[lane] = m.friction;
    restitution[lane] = m.restitution;
    head.impacts |= uint32_t(m.restitution > 0.0f) << lane;
    put(raw.frame_normal, lane, m.frame_normal);
    put(raw.frame_tangent, lane, m.frame_tangent);
    head.surface[lane] = float(uint32_t(m.rolls != 0) + 2u * m.frame_on_b);
    head.follows[lane] = contact_follows(m);
    // Impulses belong to a sub-step: another length of it scales them.
    const float scale = m.lambda_dt > 0.0f ? h / m.lambda_dt : 0.0f;
    for (uint32_t i = 0; i < points; ++i) {
        const ManifoldPoint& from = m.points[i];
        RawPointRows& to = raw.point[i];
        put(to.anchor_a, lane, from.anchor_a);
        put(to.anchor_b, lane, from.anchor_b);
        to.impulse[0][lane] = from.lambda.x * scale;
        to.impulse[1][lane] = from.lambda.y * scale;
        to.impulse[2][lane] = from.lambda.z * scale;
    }
}

/// An empty lane: nothing there can move and no impulse is ever made.
void clear_lane(ContactHead& head, uint32_t points, uint32_t lane, RawContacts& raw, Row& restitution) {
    const Vec3 zero(0.0f);
    head.friction[lane] = restitution[lane] = 0.0f;
    put(raw.frame_normal, lane, zero);
    put(raw.frame_tangent, lane, zero);
    head.surface[lane] = head.follows[lane] = head.max_push[lane] = 0.0f;
    for (uint32_t i = 0; i < points; ++i) {
        RawPointRows& to = raw.point[i];
        put(to.anchor_a, lane, zero);
        put(to.anchor_b, lane, zero);
        to.impulse[0][lane] = to.impulse[1][lane] = to.impulse[2][lane] = 0.0f;
    }
}

/// Lanes with a point that closes fast, and may touch in this step.
template <uint32_t N>
uint32_t closing_lanes(const ContactBlock<N>& block, const PrepareParams& params) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < N; ++i)
        for (uint32_t lane = 0; lane < kBlockLanes; ++lane) {
            const float speed = block.point[i].approach_speed[lane];
            const bool closes = speed > params.fast && block.point[i].start_gap[lane] < 1.5f * params.dt * speed;
            lanes |= uint32_t(closes) << lane;
        }
    return lanes;
}

/// Whether a point of a block overlaps so far that being driven apart is no matter of sag.
template <uint32_t N>
bool is_deep(const ContactBlock<N>& block, const PrepareParams& params) {
    constexpr float kDeep = 0.005f;  // m, of bodies of a metre (scale.h)
    bool deep = false;
    for (uint32_t i = 0; i < N; ++i)
        for (uint32_t lane = 0; lane < kBlockLanes; ++lane) {
            const float scale = block.max_push[lane] * block.max_push[lane];
            deep |= -block.point[i].start_gap[lane] * params.max_push_speed * params.max_push_speed > kDeep * scale;
        }
    return deep;
}

template <uint32_t N>
Prepared prepare(const ConstraintStores& stores, const PrepareParams& params, const BodyRecords& bodies,
                 const BlockSpan& span) {
    const ContactKernels& kernels = contact_kernels();
    const auto kernel = (params.swept ? kernels.prepare : kernels.prepare_direct)[N - 1];
    ContactBlock<N>* blocks = static_cast<ContactBlock<N>*>(span.blocks);
    const ManifoldPool& pool = stores.pairs.manifolds;
    RawContacts raw;
    Prepared out;
    for (uint32_t b = 0; b < span.count; ++b) {
        ContactHead& head = blocks[b];
        Row& restitution = span.restitution[b].value;
        if (b + 1 < span.count) prefetch_manifolds(pool, blocks[b + 1]);
        head.impacts = 0;
        for (uint32_t lane = 0; lane < kBlockLanes; ++lane) {
            if (head.id[lane] == kNoLane) {
                clear_lane(head, N, lane, raw, restitution);
                continue;
            }
            fill_lane(pool[head.id[lane]], head, N, lane, params.h, raw, restitution);
            const auto radius = [&](uint32_t body) { return bodies.transform[size_t(body) * kRecord + 7]; };
            head.max_push[lane] =
                params.max_push_speed * speed_scale(moving_radius(radius(head.body_a[lane]), head.moves_a >> lane & 1,
                                                                  radius(head.body_b[lane]), head.moves_b >> lane & 1));
        }
        kernel(&head, raw, bodies);
        if (head.impacts) out.impact_passes = kMaxImpactPasses;
        head.impacts |= closing_lanes(blocks[b], params);
        if (head.impacts) out.impact_passes = std::max(out.impact_passes, kInelasticPasses);
        out.deep |= is_deep(blocks[b], params);
    }
    return out;
}

template <uint32_t N>
void store(ConstraintStores& stores, const StoreParams& params, const BodyRecords& bodies, const BlockSpan& span,
           MeasureSum& sum) {
    const auto kernel = contact_kernels().results[N - 1];
    const ContactBlock<N>* blocks = static_cast<const ContactBlock<N>*>(span.blocks);
    Pairs& pairs = stores.pairs;
    ContactResults results;
    for (uint32_t b = 0; b < span.count; ++b) {
        const ContactBlock<N>& block = blocks[b];
        if (b + 1 < span.count) prefetch_manifolds(pairs.manifolds, blocks[b + 1]);
        kernel(&block, bodies, 1.0f / params.h, params.solved_direct ? 0.0f : params.ramp, results);
        for (uint32_t lane = 0; lane < kBlockLanes && block.id[lane] != kNoLane; ++lane) {
            Manifold& m = pairs.manifolds[block.id[lane]];
            m.lambda_dt = params.h;
            m.normal = take(block.normal, lane);
            m.tangent1 = take(block.tangent1, lane);
            m.tangent2 = take(block.tangent2, lane);
            const float* transform_a = bodies.transform + size_t(block.body_a[lane]) * kRecord;
            const Vec3 middle = Vec3(transform_a[4], transform_a[5], transform_a[6]) + take(block.arm_a, lane);
            float worst = 0.0f;
            for (uint32_t i = 0; i < N; ++i) {
                const PointRows& r = block.point[i];
                ManifoldPoint& p = m.points[i];
                // What was taken back of push-out is no load to begin the next step with.
                p.lambda = {std::max(r.normal[lane], 0.0f), r.tangent1[lane], r.tangent2[lane]};
                p.impulse = {r.total_normal[lane], r.total_tangent1[lane], r.total_tangent2[lane]};
                // sweeps have added theirs up; in there are impacts only
                if (params.solved_direct) p.impulse += p.lambda;
                p.separation = results.gap[i][lane];
                p.approach_speed = r.approach_speed[lane];
                p.point = middle + m.tangent1 * r.x[lane] + m.tangent2 * r.y[lane] + m.normal * r.z[lane];
                worst = std::max(worst, results.residual[i][lane]);
                sum.add_point(results.residual[i][lane], p.separation);
            }
            const uint32_t item = b * kBlockLanes + lane;
            if (params.residual) params.residual[item] = worst;
            params.event_flags[item] = note_results(pairs, block.id[lane], params.hit_speed);
        }
    }
}

uint64_t key(const ConstraintStores& stores, uint32_t id) {
    const Pairs& pairs = stores.pairs;
    const ManifoldSlot& slot = pairs.manifolds.slot(id);
    return pairs.slots[slot.pair].key ^ uint64_t(slot.part) << 20;
}

/// The rows of the points of one manifold.
void add_rows(const ConstraintStores& stores, uint32_t id, IslandProblem& problem) {
    const Manifold& m = stores.pairs.manifolds[id];
    const PairSlot& pair = stores.pairs.slots[stores.pairs.manifolds.slot(id).pair];
    const uint32_t a = problem.index_of(pair.body_a), b = problem.index_of(pair.body_b);
    const float scale = m.lambda_dt > 0.0f ? problem.h / m.lambda_dt : 0.0f;
    const uint32_t first = uint32_t(problem.rows.contacts.size());
    const BodyTransform &ta = problem.transform[a], &tb = problem.transform[b];
    const Quat& turn = m.frame_on_b ? tb.rotation : ta.rotation;
    const Vec3 normal = turn * m.frame_normal, tangent = turn * m.frame_tangent, between = tb.center - ta.center;
    for (uint32_t i = 0; i < m.count; ++i) {
        const ManifoldPoint& p = m.points[i];
        Contact k;
        k.a = a;
        k.b = b;
        k.normal = normal;
        k.tangent1 = tangent;
        k.tangent2 = glm::cross(normal, tangent);
        const Vec3 on_a = ta.rotation * p.anchor_a, at_b = between + tb.rotation * p.anchor_b, reach = at_b - on_a;
        k.arm_a = 0.5f * (on_a + at_b);
        k.arm_b = k.arm_a - between;
        k.friction = m.friction;
        k.lambda = p.lambda * scale;
        problem.rows.compute_blocks(k);
        RowLaw law;
        law.start_gap = law.gap = glm::dot(normal, reach);
        law.restitution = m.restitution;
        law.rolls = m.rolls != 0;
        law.follows = contact_follows(m);
        law.max_push = problem.params->settings.max_push_speed *
                       speed_scale(moving_radius(ta.radius, problem.inverse_mass[a].mass > 0.0f, tb.radius,
                                                 problem.inverse_mass[b].mass > 0.0f));
        law.is_contact = true;
        law.start_arm_a = k.arm_a;
        law.start_arm_b = k.arm_b;
        law.with_static = problem.inverse_mass[a].mass == 0.0f || problem.inverse_mass[b].mass == 0.0f;
        law.approach_speed = -glm::dot(k.normal, relative_motion(k, problem.velocity[a], problem.velocity[b]));
        problem.rows.contacts.push_back(k);
        problem.laws.push_back(law);
    }
    problem.rows.groups.push_back({first, uint32_t(problem.rows.contacts.size())});
    problem.bounces |= m.restitution > 0.0f;
    const ExtendedFriction* extended = stores.pairs.manifolds.extended(id);
    if (!m.extended_friction || !extended || !problem.knows_extended_friction) return;
    for (uint32_t i = 0; i < m.count; ++i) problem.add_extended(first + i, *extended, extended->moment[i] * scale);
}

void store_rows(ConstraintStores& stores, uint32_t id, const IslandProblem& problem, uint32_t group,
                const StoreParams& params) {
    Pairs& pairs = stores.pairs;
    Manifold& m = pairs.manifolds[id];
    ExtendedFriction* extended = pairs.manifolds.extended(id);
    m.lambda_dt = problem.h;
    const uint32_t first = problem.rows.groups[group].begin;
    for (uint32_t i = 0; i < m.count; ++i) {
        const RowLaw& law = problem.laws[first + i];
        ManifoldPoint& p = m.points[i];
        const Contact& k = problem.rows.contacts[first + i];
        m.normal = k.normal;
        m.tangent1 = k.tangent1;
        m.tangent2 = k.tangent2;
        p.point = problem.transform[k.a].center + k.arm_a;
        p.lambda = k.lambda;
        p.impulse = law.total;
        p.separation = law.gap;
        p.approach_speed = law.approach_speed;
        if (extended) problem.store_extended(first + i, extended->moment[i]);
    }
    params.event_flags[0] = note_results(pairs, id, params.hit_speed);
}

}  // namespace

template <uint32_t N>
ConstraintKind contact_row() {
    constexpr std::string_view names[] = {"contact of one point", "contact of two points", "contact of three points",
                                          "contact of four points"};
    ConstraintKind row;
    row.name = names[N - 1];
    row.block_bytes = sizeof(ContactBlock<N>);
    row.key = key;
    row.prepare = prepare<N>;
    row.sweep = contact_kernels().sweep[N - 1];
    row.direct = direct::contact_direct_kernels().points[N - 1];
    row.store = store<N>;
    row.add_rows = add_rows;
    row.store_rows = store_rows;
    return row;
}
template ConstraintKind contact_row<1>();
template ConstraintKind contact_row<2>();
template ConstraintKind contact_row<3>();
template ConstraintKind contact_row<4>();

}  // namespace proxima::physics
