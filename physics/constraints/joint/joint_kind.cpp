// SPDX-License-Identifier: MIT
// Joints between the list of joints and blocks. Most joints are no blocks: those that hang together are solved as one
// (solve/articulation), and only those of nets and of loops of many bodies come here.
#include "physics/constraints/joint/joint_kind.h"

#include <algorithm>
#include <cmath>

#include "engine/simd/simd_level.h"
#include "physics/constraints/joint/joint_block.h"
#include "physics/constraints/joint_errors.h"
#include "physics/joints/joint_coordinates.h"
#include "physics/joints/row_law.h"

namespace proxima::physics {

namespace sweep {

PX_DECLARE_LEVELS(JointKernels, joint_kernels_);
const JointKernels& joint_kernels() { return PX_PICK_LEVEL(joint_kernels_); }

namespace {

struct SweptBody {
    JointBody at;
    DVec3 linear, angular;
    DMat3 inverse_inertia{0.0};
    double inverse_mass = 0.0;
    float radius = 0.0f;
};
SweptBody load_body(const BodyRecords& bodies, uint32_t record, bool moves, const FollowLaw& law) {
    const size_t at = size_t(record) * kRecord;
    const float *t = bodies.transform + at, *d = bodies.delta + at, *v = bodies.velocity + at;
    SweptBody body;
    const double x = t[0], y = t[1], z = t[2], w = t[3], scale = 1.0 / std::sqrt(x * x + y * y + z * z + w * w);
    body.at.axes = to_axes(x * scale, y * scale, z * scale, w * scale);
    body.at.center = DVec3(t[4], t[5], t[6]) + DVec3(d[0], d[1], d[2]);
    body.linear = DVec3(v[0], v[1], v[2]);
    body.angular = DVec3(v[4], v[5], v[6]);
    body.radius = t[7];
    if (moves) {
        const float* m = bodies.inverse_mass + at;
        body.inverse_mass = m[6];
        body.inverse_inertia = DMat3(m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]);
    } else {
        // Kinematic bodies belong to no worker and have not moved yet: where they are follows from the time.
        body.at.center += body.linear * double(law.elapsed);
        body.at.axes = turned_by(body.angular * double(law.elapsed), body.at.axes);
    }
    return body;
}

void put(Row* rows, uint32_t lane, const DVec3& linear_a, const DVec3& angular_a, const DVec3& linear_b,
         const DVec3& angular_b) {
    for (int c = 0; c < 3; ++c) {
        rows[c][lane] = float(linear_a[c]);
        rows[3 + c][lane] = float(angular_a[c]);
        rows[6 + c][lane] = float(linear_b[c]);
        rows[9 + c][lane] = float(angular_b[c]);
    }
}

}  // namespace

void refresh_joints(JointBlock& block, const BodyRecords& bodies, const FollowLaw& law) {
    const double h = double(block.h);
    const SoftContact rigid = rigid_softness(block.h);
    for (uint32_t lane = 0; lane < kBlockLanes && block.id[lane] != kNoLane; ++lane) {
        const JointData& joint = *block.joint[lane];
        const bool moves_a = block.moves_a >> lane & 1, moves_b = block.moves_b >> lane & 1;
        const SweptBody a = load_body(bodies, block.body_a[lane], moves_a, law),
                        b = load_body(bodies, block.body_b[lane], moves_b, law);
        const JointFrames frames = frames_of(joint, a.at, b.at);
        const float radius = judged_radius(a.radius, b.radius);
        for (uint32_t r = 0; r < joint.row_count; ++r) {
            const JointRow& row = joint.rows[r];
            JointRowBlock& to = block.row[r];
            JointJacobian j;
            double value = coordinate(joint, row.axis, frames, a.at, b.at, j);
            if (is_counted(row.axis)) {
                // What it has moved by since the last sub-step.
                const double speed = glm::dot(j.linear_a, a.linear) + glm::dot(j.angular_a, a.angular) +
                                     glm::dot(j.linear_b, b.linear) + glm::dot(j.angular_b, b.angular);
                if (law.elapsed > 0.0f) block.counted[lane] += float(speed * h);
                value = block.counted[lane];
            }
            const DVec3 turn_a = a.inverse_inertia * j.angular_a, turn_b = b.inverse_inertia * j.angular_b;
            put(to.j, lane, j.linear_a, j.angular_a, j.linear_b, j.angular_b);
            put(to.y, lane, j.linear_a * a.inverse_mass, turn_a, j.linear_b * b.inverse_mass, turn_b);
            const double response = glm::dot(j.linear_a, j.linear_a) * a.inverse_mass + glm::dot(j.angular_a, turn_a) +
                                    glm::dot(j.linear_b, j.linear_b) * b.inverse_mass + glm::dot(j.angular_b, turn_b);
            const RowAim aim = aim_of(row, value, response, h);
            double error = aim.error;
            const double most = kMaxSweptError * (is_turn(row.axis) ? 1.0 : double(radius));
            error = std::clamp(error, -most, most);
            // What is rigid is a spring that follows, for stability only; sweeps without push leave it out.
            const bool springs = aim.keeps_place && (row.law == JointLaw::locked || aim.closed);
            to.response[lane] = float(response);
            to.bias[lane] = float(springs ? double(rigid.push_rate) * error : aim.bias);
            to.compliance[lane] = float(springs ? double(rigid.compliance_factor) * response : aim.compliance);
            to.hard_bias[lane] = float(springs ? 0.0 : aim.bias);
            to.hard_compliance[lane] = float(springs ? 0.0 : aim.compliance);
            constexpr double kMaxImpulse = 1e30;
            to.lowest[lane] = float(std::max(aim.lowest, -kMaxImpulse));
            to.highest[lane] = float(std::min(aim.highest, kMaxImpulse));
            to.impulse[lane] = std::clamp(to.impulse[lane], to.lowest[lane], to.highest[lane]);
        }
        for (uint32_t r = joint.row_count; r < block.rows; ++r) block.row[r].response[lane] = 0.0f;
    }
}

}  // namespace sweep

namespace {

using namespace sweep;

static_assert(kJointBlockRows == kMaxJointRows);

Prepared prepare(const ConstraintStores& stores, const PrepareParams& params, const BodyRecords&,
                 const BlockSpan& span) {
    JointBlock* blocks = static_cast<JointBlock*>(span.blocks);
    for (uint32_t b = 0; b < span.count; ++b) {
        JointBlock& block = blocks[b];
        block.h = params.h;
        block.rows = 0;
        for (JointRowBlock& row : block.row) row = JointRowBlock{};
        for (uint32_t lane = 0; lane < kBlockLanes; ++lane) {
            if (block.id[lane] == kNoLane) continue;
            const JointData& joint = stores.joints.data[block.id[lane]];
            block.joint[lane] = &joint;
            block.rows = std::max(block.rows, joint.row_count);
            block.counted[lane] = joint.state.counted;
            const float scale = joint.state.lambda_dt > 0.0f ? params.h / joint.state.lambda_dt : 0.0f;
            for (uint32_t r = 0; r < joint.row_count; ++r) block.row[r].impulse[lane] = joint.state.lambda[r] * scale;
        }
    }
    return {};
}

void store(ConstraintStores& stores, const StoreParams& params, const BodyRecords& bodies, const BlockSpan& span,
           MeasureSum& sum) {
    JointBlock* blocks = static_cast<JointBlock*>(span.blocks);
    for (uint32_t b = 0; b < span.count; ++b)
        for (uint32_t lane = 0; lane < kBlockLanes && blocks[b].id[lane] != kNoLane; ++lane) {
            const JointBlock& block = blocks[b];
            JointData& joint = stores.joints.data[block.id[lane]];
            JointState& state = joint.state;
            const SweptBody a = load_body(bodies, block.body_a[lane], block.moves_a >> lane & 1, {params.h, params.dt}),
                            at_b =
                                load_body(bodies, block.body_b[lane], block.moves_b >> lane & 1, {params.h, params.dt});
            const JointFrames frames = frames_of(joint, a.at, at_b.at);
            DVec3 impulse(0.0), moment(0.0);
            double way = 0.0, turn = 0.0, open = 0.0, residual = 0.0;
            state.motor_impulse = 0.0f;
            state.lambda_dt = params.h;
            state.counted = block.counted[lane];
            for (uint32_t r = 0; r < joint.row_count; ++r) {
                const JointRowBlock& row = block.row[r];
                JointJacobian j;
                const double value = coordinate(joint, joint.rows[r].axis, frames, a.at, at_b.at, j);
                state.lambda[r] = row.impulse[lane];
                impulse += j.linear_b * double(row.total[lane]);
                moment += (j.angular_b - glm::cross(frames.arm_b, j.linear_b)) * double(row.total[lane]);
                if (joint.rows[r].law == JointLaw::motor) state.motor_impulse += row.total[lane];
                if (is_counted(joint.rows[r].axis)) continue;
                const RowAim aim = aim_of(joint.rows[r], value, 0.0, 1.0);
                (is_turn(joint.rows[r].axis) ? turn : way) += aim.error * aim.error;
                if (!aim.keeps_place || joint.rows[r].law != JointLaw::locked) continue;
                if (!is_turn(joint.rows[r].axis)) open += aim.error * aim.error;
                const double speed = glm::dot(j.linear_a, a.linear) + glm::dot(j.angular_a, a.angular) +
                                     glm::dot(j.linear_b, at_b.linear) + glm::dot(j.angular_b, at_b.angular);
                residual = std::max(residual, std::abs(speed));
            }
            state.impulse = Vec3(impulse);
            state.angular_impulse = Vec3(moment);
            state.error = float(std::sqrt(way));
            state.angular_error = float(std::sqrt(turn));
            if (joint.shown != JointAxis::world_x && !is_counted(joint.shown)) {
                JointJacobian unused;
                state.position = float(coordinate(joint, joint.shown, frames, a.at, at_b.at, unused));
            }
            sum.joint_error_max = std::max(sum.joint_error_max, float(std::sqrt(open)));
            sum.joint_residual_max = std::max(sum.joint_residual_max, float(residual));
            const uint32_t item = b * kBlockLanes + lane;
            if (params.residual) params.residual[item] = float(residual);
            params.event_flags[item] = 0;
        }
}

uint64_t key(const ConstraintStores& stores, uint32_t id) { return stores.joints.data[id].key(); }

}  // namespace

ConstraintKind joint_row() {
    ConstraintKind row;
    row.name = "joint";
    row.block_bytes = sizeof(JointBlock);
    row.key = key;
    row.prepare = prepare;
    row.sweep = joint_kernels().sweep;
    row.store = store;
    return row;
}

}  // namespace proxima::physics
