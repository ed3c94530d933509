// SPDX-License-Identifier: MIT
#include "physics/joints/joints.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "physics/constraints/joint_errors.h"
#include "physics/joints/joint_classes.h"

namespace proxima::physics {

namespace {

/// Whether two are the same joint with the same content; what the step writes does not count.
bool is_same(const JointData& x, const JointData& y) {
    return x.entity == y.entity && x.content == y.content && x.names[0] == y.names[0] && x.names[1] == y.names[1] &&
           x.body_a == y.body_a && x.body_b == y.body_b;
}

/// Whether a step can start from it.
bool is_sensible(const JointState& s) {
    float sum = s.error + s.angular_error + s.lambda_dt + s.position + s.motor_impulse + s.counted;
    for (const float lambda : s.lambda) sum += lambda;
    return is_finite(s.impulse) && is_finite(s.angular_impulse) && std::isfinite(sum) && s.lambda_dt >= 0.0f &&
           s.error >= 0.0f && s.angular_error >= 0.0f;
}
/// What is left of one that is not.
JointState begin_anew(const JointState& s) {
    JointState state;
    state.colour = s.colour;
    state.broken = s.broken;
    return state;
}

/// The same joint in another list, which is in the order of stable ids; nullptr: it is not there.
const JointData* find_joint(const std::vector<JointData>& list, const JointData& joint) {
    const auto at = std::lower_bound(list.begin(), list.end(), joint.stable_id,
                                     [](const JointData& x, uint32_t id) { return x.stable_id < id; });
    return at != list.end() && at->stable_id == joint.stable_id && at->entity == joint.entity ? &*at : nullptr;
}

/// Pairs of bodies whose colliders a joint keeps from meeting.
void list_connected(Joints& joints) {
    joints.connected.clear();
    for (uint32_t k = 0; k < joints.data.size(); ++k)
        if (!joints.data[k].collide_connected)
            joints.connected.set(Joints::pair_of(joints.data[k].body_a, joints.data[k].body_b), k);
}

void warn_torn(Entity joint, float error, StepReport& report) {
    char text[240];
    std::snprintf(
        text, sizeof(text),
        "The joint does not hold: its anchors are %.3g m apart, more than a twentieth of the radius of its "
        "smaller body. The load is too large for its mass at this length of sub-steps, or a body was put elsewhere.",
        double(error));
    report.warn(joint, text);
}

/// Joints in the order of their stable ids, each with one of the world's own: the registry's order depends on history.
void put_in_order(entt::registry& registry, uint32_t& next_stable_id, Joints& joints, StepReport& report) {
    const auto is_before = [](const JointData& x, const JointData& y) {
        return x.stable_id != y.stable_id ? x.stable_id < y.stable_id : x.entity < y.entity;
    };
    std::sort(joints.data.begin(), joints.data.end(), is_before);
    const uint32_t known = next_stable_id;
    bool any = false;
    uint32_t last = 0;
    for (JointData& joint : joints.data) {
        const bool good = joint.stable_id > last && joint.stable_id < known;
        last = std::max(last, joint.stable_id);
        if (good) continue;
        any = true;
        // The id of a body or collider is fixed by its own list.
        const bool is_more = registry.any_of<RigidBody, Collider>(joint.entity);
        joint.stable_id = is_more ? 0 : next_stable_id++;
        if (!is_more) registry.get<StableId>(joint.entity).value = joint.stable_id;
        report.warn(joint.entity, is_more
                                      ? "The stable id of the joint is that of another one; it is left out."
                                      : "The stable id of the joint was not one of the world's own; it has a new one.");
    }
    if (!any) return;
    std::erase_if(joints.data, [](const JointData& joint) { return joint.stable_id == 0; });
    std::sort(joints.data.begin(), joints.data.end(), is_before);
}

}  // namespace

uint64_t hash_content(const JointData& joint) {
    uint64_t hash = 14695981039346656037ull;
    const auto add = [&](auto value) {
        uint32_t bits = 0;
        static_assert(sizeof(value) <= sizeof(bits));
        std::memcpy(&bits, &value, sizeof(value));
        hash = (hash ^ bits) * 1099511628211ull;
        hash ^= hash >> 29;
    };
    const auto add_vector = [&](const Vec3& v) { add(v.x), add(v.y), add(v.z); };
    for (const JointFrame* frame : {&joint.frame_a, &joint.frame_b}) {
        add_vector(frame->origin);
        const Quat& q = frame->rotation;
        add(q.x), add(q.y), add(q.z), add(q.w);
    }
    for (const JointRow& row : joint.row_list()) {
        add(uint8_t(row.axis)), add(uint8_t(row.law));
        for (const float x : {row.lower, row.upper, row.speed, row.hertz, row.damping_ratio, row.max_force}) add(x);
    }
    add(joint.ratio);
    add_vector(joint.ground_a), add_vector(joint.ground_b);
    add(joint.break_force), add(joint.break_torque);
    add(uint8_t(joint.kind)), add(joint.collide_connected);
    return hash;
}

void sync_joints(entt::registry& registry, const Bodies& bodies, uint32_t& next_stable_id, Joints& joints,
                 const StepTools& tools) {
    joints.before.swap(joints.data);
    joints.data.clear();
    for (const JointClass& row : joint_classes()) {
        joints.entities.clear();
        row.list(registry, joints.entities);
        for (const Entity entity : joints.entities) {
            JointData joint;
            joint.entity = entity;
            joint.stable_id = registry.get<StableId>(entity).value;
            JointState& state = registry.get_or_emplace<JointState>(entity);
            if (!is_sensible(state)) {
                state = begin_anew(state);
                tools.report.warn(entity, "The impulses of the joint were not finite; it starts from none.");
            }
            joint.state = state;
            if (state.broken) continue;
            if (const char* fault = check_joint(row, registry, entity)) {
                tools.report.warn(entity, std::string(fault) + " This one is left out.");
                continue;
            }
            const JointBodies names = row.bodies(registry, entity);
            joint.names[0] = names.a;
            joint.names[1] = names.b;
            joint.body_a = bodies.slot_of(names.a);
            joint.body_b = bodies.slot_of(names.b);
            if (joint.body_a == kNone || joint.body_b == kNone) continue;
            row.describe(registry, entity, joint);
            joint.has_axes |= has_axes(joint.shown);
            joint.frame_a.origin -= bodies.data[joint.body_a].center_local;
            joint.frame_b.origin -= bodies.data[joint.body_b].center_local;
            if (!is_finite(joint.frame_a.origin) ||
                !is_finite(joint.frame_b.origin)) {  // of a body that is left out of steps too
                tools.report.warn(entity,
                                  "The joint's anchors cannot be told from a centre of mass that is not finite; "
                                  "it is left out.");
                continue;
            }
            joint.content = hash_content(joint);
            joints.data.push_back(joint);
        }
    }
    put_in_order(registry, next_stable_id, joints, tools.report);
    // The colour is the graph's: whatever the game writes into the component, an edge keeps the one that it has.
    for (JointData& joint : joints.data)
        if (const JointData* old = find_joint(joints.before, joint)) joint.state.colour = old->state.colour;
    const bool same = joints.seen_bodies == bodies.version && joints.data.size() == joints.before.size() &&
                      std::equal(joints.data.begin(), joints.data.end(), joints.before.begin(), is_same);
    if (same) return;
    for (JointData& joint : joints.data) {
        const JointData* old = find_joint(joints.before, joint);
        const bool known = old != nullptr;
        JointData moved = known ? *old : joint;
        moved.body_a = joint.body_a;  // slots follow the bodies' lists
        moved.body_b = joint.body_b;
        joint.wakes = !known || !is_same(moved, joint);
    }
    // What hung on a joint that is gone, or names other bodies now, must look where it hangs.
    for (const JointData& old : joints.before) {
        const JointData* now = find_joint(joints.data, old);
        const bool lasts = now && now->names[0] == old.names[0] && now->names[1] == old.names[1];
        if (!lasts) joints.released.insert(joints.released.end(), {old.names[0], old.names[1]});
    }
    ++joints.version;
    joints.seen_bodies = bodies.version;
    list_connected(joints);
}

void Joints::save(std::vector<SavedJoint>& out) const {
    out.clear();
    for (const JointData& j : data)
        out.push_back(
            {j.entity, j.stable_id, j.names[0], j.names[1], j.content, uint32_t(j.kind), j.collide_connected, j.state});
}

void Joints::load(const std::vector<SavedJoint>& saved, const Bodies& bodies) {
    data.clear();
    released.clear();
    for (const SavedJoint& from : saved) {
        JointData& joint = data.emplace_back();
        joint.entity = from.entity;
        joint.stable_id = from.stable_id;
        joint.names[0] = from.body_a;
        joint.names[1] = from.body_b;
        joint.body_a = bodies.slot_of(from.body_a);
        joint.body_b = bodies.slot_of(from.body_b);
        joint.content = from.content;
        joint.kind = KindId(from.kind);
        joint.collide_connected = uint8_t(from.collide_connected);
        joint.state = from.state;
    }
    list_connected(*this);
    ++version;
    seen_bodies = bodies.version;
}

void write_back_joints(const Bodies& bodies, const StepParams& params, Joints& joints, entt::registry& registry,
                       Events& events, StepReport& report) {
    for (JointData& joint : joints.data) {
        JointState& s = joint.state;
        // A body that went wrong takes no others along.
        if (!is_sensible(s)) s = begin_anew(s);
        JointState& component = registry.get<JointState>(joint.entity);
        const float most =
            kTornError * judged_radius(bodies.transform[joint.body_a].radius, bodies.transform[joint.body_b].radius);
        // Once, when it opens: what stays open has been named.
        if (joint.is_rigid() && s.error > most && component.error <= most) warn_torn(joint.entity, s.error, report);
        const float force = glm::length(s.impulse) / params.dt, torque = glm::length(s.angular_impulse) / params.dt;
        if (force > joint.break_force || torque > joint.break_torque) {
            s.broken = 1;
            events.joint_breaks.push_back({joint.entity, joint.names[0], joint.names[1], force, torque});
        }
        component = s;
    }
}

}  // namespace proxima::physics
