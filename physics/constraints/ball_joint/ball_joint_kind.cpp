// SPDX-License-Identifier: MIT
// Ball joints between their component, the list of joints, and blocks.
#include "physics/constraints/ball_joint/ball_joint_kind.h"

#include <algorithm>
#include <cmath>

#include "engine/simd/simd_level.h"
#include "physics/constraints/ball_joint/ball_joint.h"
#include "physics/constraints/ball_joint/ball_joint_block.h"
#include "physics/limits.h"
#include "physics/solve/general/island_problem.h"

namespace proxima::physics {

namespace sweep {

PX_DECLARE_LEVELS(BallJointKernels, ball_joint_kernels_);
const BallJointKernels& ball_joint_kernels() { return PX_PICK_LEVEL(ball_joint_kernels_); }

}  // namespace sweep

namespace {

using namespace sweep;

void put(Row* rows, uint32_t lane, const Vec3& v) {
    rows[0][lane] = v.x;
    rows[1][lane] = v.y;
    rows[2][lane] = v.z;
}
Vec3 get(const Row* rows, uint32_t lane) { return {rows[0][lane], rows[1][lane], rows[2][lane]}; }

Prepared prepare(const ConstraintStores& stores, const PrepareParams& params, const BodyRecords& bodies,
                 const BlockSpan& span) {
    BallJointBlock* blocks = static_cast<BallJointBlock*>(span.blocks);
    const JointData none;
    for (uint32_t b = 0; b < span.count; ++b)
        for (uint32_t lane = 0; lane < kBlockLanes; ++lane) {
            BallJointBlock& block = blocks[b];
            const bool used = block.id[lane] != kNoLane;
            const JointData& joint = used ? stores.joints.data[block.id[lane]] : none;
            put(block.anchor_a, lane, joint.anchor_a);
            put(block.anchor_b, lane, joint.anchor_b);
            const bool rigid = joint.hertz <= 0.0f;
            const SoftContact soft =
                rigid ? params.rigid : make_soft_contact(joint.hertz, joint.damping_ratio, params.h);
            block.push_rate[lane] = soft.push_rate;
            block.compliance[lane] = soft.compliance_factor;
            block.rigid[lane] = rigid && used ? 1.0f : 0.0f;
            // Impulses belong to a sub-step: another length of it scales them.
            const JointState& state = joint.state;
            put(block.impulse, lane, state.lambda_dt > 0.0f ? state.lambda * (params.h / state.lambda_dt) : Vec3(0.0f));
        }
    ball_joint_kernels().prepare(span.blocks, span.count, bodies);
    return {};
}

void store(ConstraintStores& stores, const StoreParams& params, const BodyRecords& bodies, const BlockSpan& span,
           MeasureSum& sum) {
    const BallJointBlock* blocks = static_cast<const BallJointBlock*>(span.blocks);
    BallJointResults results;
    for (uint32_t b = 0; b < span.count; ++b) {
        ball_joint_kernels().results(&blocks[b], bodies, results);
        for (uint32_t lane = 0; lane < kBlockLanes && blocks[b].id[lane] != kNoLane; ++lane) {
            JointState& state = stores.joints.data[blocks[b].id[lane]].state;
            state.lambda = get(blocks[b].impulse, lane);
            state.impulse = get(blocks[b].total, lane);
            state.lambda_dt = params.h;
            if (params.solved_direct) {
                state.impulse += state.lambda;  // direct solves have not added the last sub-step up
                // Exact impulses of taut nets differ much from one sub-step to the next; sweeps that take over would
                // be thrown by any one of them.
                state.lambda = state.impulse;
                state.lambda_dt = params.dt;
            }
            state.error = results.error[lane];
            const float residual = params.solved_direct ? blocks[b].residual[lane] : results.residual[lane];
            sum.joint_residual_max = std::max(sum.joint_residual_max, residual);
            if (blocks[b].rigid[lane] > 0.0f) sum.joint_error_max = std::max(sum.joint_error_max, state.error);
            const uint32_t item = b * kBlockLanes + lane;
            if (params.residual) params.residual[item] = residual;
            params.event_flags[item] = 0;
        }
    }
}

uint64_t key(const ConstraintStores& stores, uint32_t id) { return stores.joints.data[id].key(); }

// ---- rows of the laboratory

/// Three rows along the axes of the world.
void add_rows(const ConstraintStores& stores, uint32_t id, IslandProblem& problem) {
    const JointData& joint = stores.joints.data[id];
    const uint32_t row = uint32_t(problem.rows.contacts.size());
    Contact k;
    k.a = problem.index_of(joint.body_a);
    k.b = problem.index_of(joint.body_b);
    k.normal = {1.0f, 0.0f, 0.0f};
    k.tangent1 = {0.0f, 1.0f, 0.0f};
    k.tangent2 = {0.0f, 0.0f, 1.0f};
    k.lambda = joint.state.lambda_dt > 0.0f ? joint.state.lambda * (problem.h / joint.state.lambda_dt) : Vec3(0.0f);
    problem.rows.contacts.push_back(k);
    problem.laws.push_back(RowLaw{});
    problem.rows.groups.push_back({row, row + 1});
    problem.rows.set_bilateral(row);
    const bool rigid = joint.hertz <= 0.0f;
    const SoftContact soft =
        rigid ? rigid_softness(problem.h) : make_soft_contact(joint.hertz, joint.damping_ratio, problem.h);
    problem.joints.push_back(
        {row, joint.anchor_a, joint.anchor_b, soft.push_rate, soft.compliance_factor, rigid, 0.0f});
}

void store_rows(ConstraintStores& stores, uint32_t id, const IslandProblem& problem, uint32_t group,
                const StoreParams&) {
    const uint32_t row = problem.rows.groups[group].begin;
    JointState& state = stores.joints.data[id].state;
    state.lambda = problem.rows.contacts[row].lambda;
    state.impulse = problem.laws[row].total;
    state.lambda_dt = problem.h;
    for (const JointRow& joint : problem.joints)
        if (joint.row == row) state.error = joint.error;
}

// ---- component and list

void list(const entt::registry& registry, std::vector<Entity>& out) {
    for (const Entity entity : registry.view<const BallJoint, const StableId>()) out.push_back(entity);
}

bool owns(const entt::registry& registry, Entity entity) { return registry.all_of<BallJoint>(entity); }

JointBodies bodies_of(const entt::registry& registry, Entity entity) {
    const BallJoint& joint = registry.get<BallJoint>(entity);
    return {joint.body_a, joint.body_b};
}

const char* check(const entt::registry& registry, Entity entity) {
    return check_fields(registry.get<BallJoint>(entity));
}

void gather(const entt::registry& registry, const Bodies& bodies, Entity entity, JointData& out) {
    const BallJoint& joint = registry.get<BallJoint>(entity);
    out.anchor_a = joint.anchor_a - bodies.data[out.body_a].center_local;
    out.anchor_b = joint.anchor_b - bodies.data[out.body_b].center_local;
    out.hertz = joint.hertz;
    out.damping_ratio = joint.damping_ratio;
    out.collide_connected = joint.collide_connected != 0;
}

}  // namespace

const char* check_fields(const BallJoint& joint) {
    if (!is_finite(joint.anchor_a) || !is_finite(joint.anchor_b)) return "The anchors of a joint must be finite.";
    for (const Vec3& anchor : {joint.anchor_a, joint.anchor_b})
        if (std::max({std::abs(anchor.x), std::abs(anchor.y), std::abs(anchor.z)}) > kMaxCoordinate)
            return "The anchors of a joint must lie within 10,000 km of their bodies.";
    if (!(joint.hertz >= 0.0f && joint.hertz <= 1e5f))
        return "The frequency of a joint must lie between 0, for rigid, and 100000 Hz.";
    if (!(joint.damping_ratio >= 0.0f && joint.damping_ratio <= 1e4f))
        return "The damping ratio of a joint must lie between 0 and 10000.";
    return nullptr;
}

ConstraintKind ball_joint_row() {
    ConstraintKind row;
    row.name = "ball_joint";
    row.block_bytes = sizeof(BallJointBlock);
    row.key = key;
    row.prepare = prepare;
    row.sweep = ball_joint_kernels().sweep;
    row.direct = ball_joint_kernels().direct;
    row.store = store;
    row.add_rows = add_rows;
    row.store_rows = store_rows;
    row.list = list;
    row.owns = owns;
    row.bodies = bodies_of;
    row.check = check;
    row.gather = gather;
    return row;
}

}  // namespace proxima::physics
