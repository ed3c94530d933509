// SPDX-License-Identifier: MIT
// Contacts between manifolds and blocks: lanes are filled from the pool of manifolds and handed back to it.
#include "physics/constraints/contact/contact_kind.h"

#include <algorithm>
#include <cmath>

#include "physics/constraints/contact/contact_block.h"
#include "physics/constraints/contact/contact_direct.h"
#include "physics/constraints/contact/contact_measure.h"
#include "physics/scale.h"
#include "physics/solve/general/island_problem.h"

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
    if ((m.rolls & 3) == 3) return 0.5f;
    return (m.rolls & 3) == 2 || ((m.rolls & 3) == 0 && !m.frame_on_b) ? 1.0f : 0.0f;
}

/// Velocities of the two surfaces of a manifold in the frames of their bodies.
struct SurfaceVelocities {
    Vec3 a{0.0f, 0.0f, 0.0f}, b{0.0f, 0.0f, 0.0f};
};
SurfaceVelocities surface_velocities(const ConstraintStores& stores, uint32_t id) {
    const uint8_t moving = stores.pairs.manifolds[id].moving_surfaces;
    const PairSlot& pair = stores.pairs.slots[stores.pairs.manifolds.slot(id).pair];
    SurfaceVelocities out;
    if (moving & kModifiedSurface) {
        if (id < stores.pairs.modified_velocity.size()) out.b = stores.pairs.modified_velocity[id];
        return out;
    }
    if (stores.pairs.surface_velocity.empty()) return out;  // a snapshot may say of a manifold what it likes
    if (moving & 1u) out.a = stores.pairs.surface_velocity[pair.collider_a];
    if (moving & 2u) out.b = stores.pairs.surface_velocity[pair.collider_b];
    return out;
}

/// The lanes of a block whose surfaces move along themselves, when its frames are known.
void fill_surface_velocities(const ConstraintStores& stores, const BodyRecords& bodies, ContactHead& head) {
    for (Row& row : head.surface_velocity) std::fill_n(row, kBlockLanes, 0.0f);
    const auto turned = [&](uint32_t body, const Vec3& velocity) {
        const float* q = bodies.transform + size_t(body) * kRecord;
        return Quat(q[3], q[0], q[1], q[2]) * velocity;
    };
    for (uint32_t lane = 0; lane < kBlockLanes; ++lane) {
        if (!(head.moving_surfaces >> lane & 1u)) continue;
        const Manifold& m = stores.pairs.manifolds[head.id[lane]];
        const SurfaceVelocities local = surface_velocities(stores, head.id[lane]);
        const Vec3 between = turned(head.body_b[lane], local.b) - turned(head.body_a[lane], local.a);
        head.surface_velocity[0][lane] = glm::dot(take(head.tangent1, lane), between);
        head.surface_velocity[1][lane] = glm::dot(take(head.tangent2, lane), between);
        // Two that move turn with the frame: that one of them turns against the other in a step is seen in the next.
        const bool on_b = m.moving_surfaces == 3 ? m.frame_on_b != 0 : m.moving_surfaces != 1;
        head.moving_surfaces = uint16_t(head.moving_surfaces | uint32_t(on_b) << (kSurfaceOnB + lane));
    }
}

/// A manifold into its lane.
void fill_lane(const Manifold& m, ContactHead& head, uint32_t points, uint32_t lane, const PrepareParams& params,
               RawContacts& raw, Row& restitution) {
    head.friction[lane] = m.friction;
    restitution[lane] = m.restitution;
    head.bounces = uint16_t(head.bounces | uint32_t(m.restitution > 0.0f) << lane);
    head.moving_surfaces = uint16_t(head.moving_surfaces | uint32_t(m.moving_surfaces != 0) << lane);
    head.balls = uint16_t(head.balls | uint32_t((m.rolls & kBalls) != 0) << lane |
                          uint32_t((m.rolls & kBallMeets) != 0) << (kMeets + lane));
    put(raw.frame_normal, lane, m.frame_normal);
    put(raw.frame_tangent, lane, m.frame_tangent);
    head.surface[lane] = float(uint32_t((m.rolls & 3) != 0) + 2u * m.frame_on_b);
    head.follows[lane] = contact_follows(m);
    // Impulses belong to a sub-step: another length of it scales them.
    const float scale = params.warm && m.lambda_dt > 0.0f ? params.h / m.lambda_dt : 0.0f;
    head.begins = uint16_t(head.begins | uint32_t(!(m.lambda_dt > 0.0f)) << lane);
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
    head.surface[lane] = head.follows[lane] = 0.0f;
    for (uint32_t i = 0; i < points; ++i) {
        RawPointRows& to = raw.point[i];
        put(to.anchor_a, lane, zero);
        put(to.anchor_b, lane, zero);
        to.impulse[0][lane] = to.impulse[1][lane] = to.impulse[2][lane] = 0.0f;
    }
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
        head.bounces = head.begins = 0;
        head.blows = head.carries = 0;
        head.moving_surfaces = head.balls = 0;
        for (uint32_t lane = 0; lane < kBlockLanes; ++lane) {
            if (head.id[lane] == kNoLane) {
                clear_lane(head, N, lane, raw, restitution);
                continue;
            }
            fill_lane(pool[head.id[lane]], head, N, lane, params, raw, restitution);
        }
        kernel(&head, raw, bodies, params.softness, params.h);
        if (head.moving_surfaces) fill_surface_velocities(stores, bodies, head);
        out.bounces |= head.bounces != 0;
        out.anew |= head.anew != 0;
        out.turns |= head.turns != 0;
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
                p.impulse = {std::max(r.total_normal[lane], 0.0f), r.total_tangent1[lane], r.total_tangent2[lane]};
                // sweeps have added theirs up; in there are impacts only
                if (params.solved_direct) p.impulse += p.lambda;
                // Of bodies that cannot move impulses may be anything, where lever arms are beyond all measure.
                const Vec3 given = p.lambda + p.impulse;
                if (!(std::abs(given.x + given.y + given.z) < 1e30f)) p.lambda = p.impulse = Vec3(0.0f);
                p.separation = results.gap[i][lane];
                p.approach_speed = r.approach_speed[lane];
                p.point = middle + m.tangent1 * r.x[lane] + m.tangent2 * r.y[lane] + m.normal * r.z[lane];
                worst = std::max(worst, results.residual[i][lane]);
                sum.add_end(double(results.residual[i][lane]), p.separation, p.lambda.x > 0.0f);
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
    const float scale_of_speed = speed_scale(
        moving_radius(ta.radius, problem.inverse_mass[a].mass > 0.0f, tb.radius, problem.inverse_mass[b].mass > 0.0f));
    const uint32_t frame_body = m.frame_on_b ? b : a;
    const Quat& turn = problem.transform[frame_body].rotation;
    const Vec3 normal = turn * m.frame_normal, tangent1 = turn * m.frame_tangent,
               tangent2 = glm::cross(normal, tangent1), between = tb.center - ta.center;
    const SurfaceVelocities surfaces = m.moving_surfaces ? surface_velocities(stores, id) : SurfaceVelocities{};
    const auto point = [&](uint32_t i, Vec3& reach) {
        const Vec3 on_a = ta.rotation * m.points[i].anchor_a, at_b = between + tb.rotation * m.points[i].anchor_b;
        reach = at_b - on_a;
        return 0.5f * (on_a + at_b);
    };
    Vec3 middle{0.0f, 0.0f, 0.0f}, reach{0.0f, 0.0f, 0.0f};
    for (uint32_t i = 0; i < m.count; ++i) middle += point(i, reach);
    middle /= float(m.count);
    // What a ball will meet later in the step is told half way to there: c stays below the ball.
    Vec3 aside(0.0f);
    if (m.rolls & kBallMeets) aside = (reach - normal * glm::dot(normal, reach)) * (m.frame_on_b ? -0.5f : 0.5f);
    middle += aside;
    for (uint32_t i = 0; i < m.count; ++i) {
        Contact k;
        k.a = a;
        k.b = b;
        k.normal = normal;
        k.tangent1 = tangent1;
        k.tangent2 = tangent2;
        k.arm_a = point(i, reach) + aside;
        k.arm_b = k.arm_a - between;
        k.friction = m.friction;
        k.lambda = m.points[i].lambda * scale;
        problem.rows.compute_blocks(k);
        RowLaw law;
        law.start_gap = law.gap = glm::dot(normal, reach);
        law.restitution = m.restitution;
        law.rolls = (m.rolls & 3) != 0;
        law.balls = (m.rolls & kBalls) != 0;
        law.follows = contact_follows(m);
        law.with_static = problem.inverse_mass[a].mass == 0.0f || problem.inverse_mass[b].mass == 0.0f;
        law.max_push = problem.params->softness.max_push_speed * scale_of_speed;
        law.softness = soften(problem.params->softness, scale_of_speed, law.with_static, problem.h);
        law.is_contact = true;
        law.begins = !(m.lambda_dt > 0.0f);
        law.frame_body = frame_body;
        law.frame_normal = m.frame_normal;
        law.frame_tangent = m.frame_tangent;
        law.surface_moves = m.moving_surfaces != 0;
        law.surface_a = surfaces.a;
        law.surface_b = surfaces.b;
        const Vec3 offset = k.arm_a - middle;
        law.offset = {glm::dot(tangent1, offset), glm::dot(tangent2, offset), glm::dot(normal, offset)};
        law.start_arm_a = middle;
        law.start_arm_b = middle - between;
        law.approach_speed = -glm::dot(k.normal, relative_motion(k, problem.velocity[a], problem.velocity[b]));
        problem.rows.contacts.push_back(k);
        problem.laws.push_back(law);
    }
    problem.rows.groups.push_back({first, uint32_t(problem.rows.contacts.size())});
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
    row.measure = contact_measure_kernels().measure[N - 1];
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
