// SPDX-License-Identifier: MIT
// The joints of a world in the order of their stable ids, whatever their kind. Each kind has a component of its own
// (constraints/<kind>/), which it turns into one of these.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/core/flat_map.h"
#include "physics/bodies/bodies.h"
#include "physics/constraints/kind_id.h"
#include "physics/events.h"
#include "physics/graph/colours.h"
#include "physics/joints/joint_row.h"

namespace proxima::physics {

/// A joint between two bodies, as the solvers see it.
struct JointData {
    Entity entity = kNoEntity;
    uint32_t stable_id = 0;
    Entity names[2] = {kNoEntity, kNoEntity};  // of the bodies
    uint32_t body_a = 0, body_b = 0;           // their slots
    KindId kind{};
    uint8_t collide_connected = 0;
    uint8_t wakes = 0;      // 1: new or changed since the last step, so its bodies wake
    bool has_axes = false;  // some rows, or what is shown, are about its frames
    uint32_t row_count = 0;
    JointAxis shown = JointAxis::world_x;  // JointState::position is this coordinate; of ball joints nothing
    uint64_t content = 0;                  // a hash of what follows: the same joint with the same content
    JointFrame frame_a, frame_b;           // about the centres of mass
    JointRow rows[kMaxJointRows];          // locked ones first
    float ratio = 1.0f;                    // of gears, racks and pulleys
    Vec3 ground_a{0.0f, 0.0f, 0.0f}, ground_b{0.0f, 0.0f, 0.0f};  // of pulleys, world
    // N and N m, of what it bears
    float break_force = std::numeric_limits<float>::infinity();
    float break_torque = std::numeric_limits<float>::infinity();
    JointState state;  // impulses and errors of the last step

    uint64_t key() const { return uint64_t(1) << 63 | stable_id; }
    std::span<const JointRow> row_list() const { return {rows, row_count}; }
    /// Whether it holds its anchors together, and not as a spring.
    bool is_rigid() const { return row_count > 0 && rows[0].law == JointLaw::locked && rows[0].rigid(); }
    /// One more row; what it is about decides whether the frames have axes.
    JointRow& add(JointAxis axis, JointLaw law) {
        JointRow& row = rows[row_count++];
        row = JointRow{};
        row.axis = axis;
        row.law = law;
        has_axes |= physics::has_axes(axis);
        return row;
    }
};
/// Of all that the game says of it but its bodies, which a restore may give other identifiers.
uint64_t hash_content(const JointData& joint);

/// A joint in a snapshot, as it was last seen.
struct SavedJoint {
    Entity entity = kNoEntity;
    uint32_t stable_id = 0;
    Entity body_a = kNoEntity, body_b = kNoEntity;
    uint64_t content = 0;
    uint32_t kind = 0, collide_connected = 0;
    JointState state;
};
static_assert(sizeof(SavedJoint) == 136);

struct Joints {
    /// Raised when joints come, go or change.
    uint64_t version = 0;
    uint64_t seen_bodies = 0;  // Bodies::version that the slots are of

    std::vector<JointData> data;
    FlatMap connected;              // pairs of body slots whose colliders do not meet
    std::vector<JointData> before;  // scratch
    std::vector<Entity> entities;   //
    std::vector<Entity> released;   // bodies of joints that ended or changed, until they are woken

    size_t size() const { return data.size(); }
    static uint64_t pair_of(uint32_t a, uint32_t b) { return a < b ? uint64_t(a) << 32 | b : uint64_t(b) << 32 | a; }
    /// Whether a joint keeps the colliders of two bodies from meeting.
    bool connects(uint32_t body_a, uint32_t body_b) const {
        return connected.size() > 0 && connected.find(pair_of(body_a, body_b)) != FlatMap::kNone;
    }

    void save(std::vector<SavedJoint>& out) const;
    /// The list as a snapshot had it, on bodies that are loaded already.
    void load(const std::vector<SavedJoint>& saved, const Bodies& bodies);

    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(data, before, entities, released);
        archive.derived_bytes(connected.bytes());
    }
};

// ---- stages

/// The list of joints from their components; joints whose bodies are gone or make no sense are left out with a warning.
/// Stable ids that are not the world's own are replaced.
void sync_joints(entt::registry& registry, const Bodies& bodies, uint32_t& next_stable_id, Joints& joints,
                 const StepTools& tools);

/// Impulses and errors back to the components; those that are not finite are dropped. A rigid joint that has opened is
/// named in a warning, and one whose load was too large breaks.
void write_back_joints(const Bodies& bodies, const StepParams& params, Joints& joints, entt::registry& registry,
                       Events& events, StepReport& report);

}  // namespace proxima::physics
