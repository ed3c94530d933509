// SPDX-License-Identifier: MIT
// What can be shown of the inside of a step, as plain lists. Filled from a world after a step by
// collect_debug; code that draws, measures or inspects needs nothing else of physics.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/math.h"
#include "physics/components.h"
#include "physics/joints/joint_row.h"

namespace proxima::physics {

class PhysicsWorld;

/// What is collected. What is not asked for costs nothing.
enum DebugFlags : uint32_t {
    kDebugContacts = 1,   // contact points with frame, impulses and friction set
    kDebugResiduals = 2,  // of contacts: how far each is from the exact law; contacts come with it
    kDebugBodies = 4,     // centres of mass, velocities, sleeping bodies
    kDebugIslands = 8,    // islands; and of every body the one it is in
    kDebugBoxes = 16,     // of colliders, as the broadphase has them
    kDebugJoints = 32,    // where joints hold, with what force, and what bounds and drives them
    kDebugRules = 64,     // sensors and one-way surfaces, in the layer "rules"
    kDebugAll = 127,
};

inline constexpr uint32_t kNoDebugIsland = 0xFFFFFFFFu;

/// A contact point. Axes of impulses and velocities: normal, tangent 1, tangent 2.
struct DebugContact {
    Vec3 point;                       // world
    Vec3 normal, tangent1, tangent2;  // from a to b
    Vec3 impulse{0.0f, 0.0f, 0.0f};   // on b, over the last step, N s
    /// The friction set at this point: half axes of its ellipse along the tangents, N s over the step.
    /// Both are friction times the normal impulse; equal for a disk.
    Vec2 friction_reach{0.0f, 0.0f};
    float friction = 0.0f;    // coefficient along tangent 1
    float separation = 0.0f;  // m; negative: overlap
    float residual =
        -1.0f;  // of the velocities that the step ended with, m/s; negative: not measured, as of sleeping bodies
    float slip = 0.0f;  // m/s, length of the tangent velocity; 0 where nothing is measured
    uint32_t island = kNoDebugIsland;
    uint16_t colour = 0;  // of the solver's sweeps
    bool asleep = false;  // of an island that takes no part
    Entity pair = kNoEntity, body_a = kNoEntity, body_b = kNoEntity;

    float tangent_impulse() const { return std::sqrt(impulse.y * impulse.y + impulse.z * impulse.z); }
    /// Force on b in the world, for the length of the step that made the impulses.
    Vec3 force(float dt) const { return (normal * impulse.x + tangent1 * impulse.y + tangent2 * impulse.z) / dt; }
};

/// The solver of an island.
enum class DebugSolver : uint8_t {
    none,     // takes no part: asleep, fixed, or not stepped yet
    swept,    // sweeps over contacts, eight at a time
    direct,   // a direct solve in one step
    general,  // a solver of the laboratory
};
const char* to_string(DebugSolver solver);

struct DebugBody {
    Entity entity = kNoEntity;
    BodyType type = BodyType::fixed;
    DebugSolver solver = DebugSolver::none;
    bool asleep = false;
    bool quarantined = false;
    uint32_t island = kNoDebugIsland;
    Vec3 center{0.0f, 0.0f, 0.0f};  // of mass, world
    Velocity velocity{};
};

struct DebugIsland {
    Aabb bounds;  // of the centres of mass of its bodies
    uint32_t bodies = 0, constraints = 0;
    DebugSolver kind = DebugSolver::none;
    std::string_view solver;
    float residual = 0.0f;  // worst contact, m/s
    uint32_t iterations = 0;
    bool escalated = false;
};

/// The box of a collider. Bounds may be infinite.
struct DebugBox {
    Aabb box;
    Entity collider = kNoEntity, body = kNoEntity;
    bool awake = false;
};

/// A joint. Anchors coincide but for the error where its rows lock all three ways.
struct DebugJoint {
    Vec3 center_a, anchor_a, anchor_b, center_b;  // world: centres of mass, and where the joint holds each body
    Vec3 impulse{0.0f, 0.0f, 0.0f};               // on b, over the last step, N s
    float error = 0.0f;                           // m between the anchors after the last step
    Vec3 angular_impulse{0.0f, 0.0f, 0.0f};       // the same of moments, N m s
    std::string_view type;                        // as in scene files
    bool broken = false;                          // it takes no part until it is mended
    bool has_axes = false;                        // the rotations are those of its frames
    Quat rotation_a{1.0f, 0.0f, 0.0f, 0.0f}, rotation_b{1.0f, 0.0f, 0.0f, 0.0f};  // world; of a wheel as it is steered
    Vec3 ground_a{0.0f, 0.0f, 0.0f}, ground_b{0.0f, 0.0f, 0.0f};                  // world; of pulleys
    /// Its coordinates with their laws, and where each is now. Of numbers that make no sense there are none.
    uint32_t row_count = 0;
    JointRow rows[kMaxJointRows];
    float values[kMaxJointRows] = {};
    Entity joint = kNoEntity, body_a = kNoEntity, body_b = kNoEntity;
};

// ---- what parts of physics that are not known here contribute: four bytes of colour are r, g, b, a in
// memory

struct DebugLine {
    Vec3 from, to;
    uint32_t colour = 0xFFFFFFFFu;
};
struct DebugPoint {
    Vec3 position;
    uint32_t colour = 0xFFFFFFFFu;
};
struct DebugText {
    Vec3 position;
    std::string text;
    uint32_t colour = 0xFFFFFFFFu;
};
struct DebugLayer {
    std::string name;
    std::vector<DebugLine> lines;
    std::vector<DebugPoint> points;
    std::vector<DebugText> texts;
};

struct DebugFrame {
    uint32_t flags = 0;  // what was asked for
    uint64_t step = 0;   // after which
    float dt = 0.0f;     // of that step; 0: none yet
    std::vector<DebugContact> contacts;
    std::vector<DebugBody> bodies;  // in stable order
    std::vector<DebugIsland> islands;
    std::vector<DebugBox> boxes;
    std::vector<DebugJoint> joints;
    std::deque<DebugLayer> layers;

    /// The layer of that name; an empty one is made when there is none. References stay good.
    DebugLayer& layer(std::string_view name);
    /// Keeps memory and the names of layers.
    void clear();
};

/// Fills the frame with what the flags ask for, as it is after the last step; layers are emptied. Reads
/// only: the world and its future stay as they are. A world that was restored has no islands and residuals
/// until its next step.
void collect_debug(const PhysicsWorld& world, uint32_t flags, DebugFrame& frame);

}  // namespace proxima::physics
