// SPDX-License-Identifier: MIT
// Ball joints between the list of joints and blocks.
#include "physics/constraints/ball_joint/ball_joint_kind.h"

#include <algorithm>
#include <cmath>

#include "engine/simd/simd_level.h"
#include "physics/constraints/ball_joint/ball_joint_block.h"
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

/// The warm start, of a sub-step of length h: another length of it scales impulses.
Vec3 impulse_of(const JointState& state, float h) {
    if (!(state.lambda_dt > 0.0f)) return Vec3(0.0f);
    return Vec3(state.lambda[0], state.lambda[1], state.lambda[2]) * (h / state.lambda_dt);
}
void set_lambda(JointState& state, const Vec3& lambda) {
    for (int c = 0; c < 3; ++c) state.lambda[c] = lambda[c];
}

Prepared prepare(const ConstraintStores& stores, const PrepareParams& params, const BodyRecords& bodies,
                 const BlockSpan& span) {
    BallJointBlock* blocks = static_cast<BallJointBlock*>(span.blocks);
    const JointData none;
    for (uint32_t b = 0; b < span.count; ++b)
        for (uint32_t lane = 0; lane < kBlockLanes; ++lane) {
            BallJointBlock& block = blocks[b];
            const bool used = block.id[lane] != kNoLane;
            const JointData& joint = used ? stores.joints.data[block.id[lane]] : none;
            put(block.anchor_a, lane, joint.frame_a.origin);
            put(block.anchor_b, lane, joint.frame_b.origin);
            const bool rigid = joint.rows[0].hertz <= 0.0f;
            const SoftContact soft =
                rigid ? params.rigid : make_soft_contact(joint.rows[0].hertz, joint.rows[0].damping_ratio, params.h);
            block.push_rate[lane] = soft.push_rate;
            block.compliance[lane] = soft.compliance_factor;
            block.rigid[lane] = rigid && used ? 1.0f : 0.0f;
            put(block.impulse, lane, impulse_of(joint.state, params.h));
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
            set_lambda(state, get(blocks[b].impulse, lane));
            state.impulse = get(blocks[b].total, lane);
            state.lambda_dt = params.h;
            state.error = results.error[lane];
            const float residual = results.residual[lane];
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
    k.lambda = impulse_of(joint.state, problem.h);
    problem.rows.contacts.push_back(k);
    problem.laws.push_back(RowLaw{});
    problem.rows.groups.push_back({row, row + 1});
    problem.rows.set_bilateral(row);
    const bool rigid = joint.rows[0].hertz <= 0.0f;
    const SoftContact soft = rigid ? rigid_softness(problem.h)
                                   : make_soft_contact(joint.rows[0].hertz, joint.rows[0].damping_ratio, problem.h);
    problem.joints.push_back(
        {row, joint.frame_a.origin, joint.frame_b.origin, soft.push_rate, soft.compliance_factor, rigid, 0.0f});
}

void store_rows(ConstraintStores& stores, uint32_t id, const IslandProblem& problem, uint32_t group,
                const StoreParams&) {
    const uint32_t row = problem.rows.groups[group].begin;
    JointState& state = stores.joints.data[id].state;
    set_lambda(state, problem.rows.contacts[row].lambda);
    state.impulse = problem.laws[row].total;
    state.lambda_dt = problem.h;
    for (const ProblemJoint& joint : problem.joints)
        if (joint.row == row) state.error = joint.error;
}

}  // namespace

ConstraintKind ball_joint_row() {
    ConstraintKind row;
    row.name = "ball_joint";
    row.block_bytes = sizeof(BallJointBlock);
    row.key = key;
    row.prepare = prepare;
    row.sweep = ball_joint_kernels().sweep;
    row.store = store;
    row.add_rows = add_rows;
    row.store_rows = store_rows;
    return row;
}

}  // namespace proxima::physics
