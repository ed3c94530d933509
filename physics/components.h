// SPDX-License-Identifier: MIT
// The plain data of a physics world, as EnTT components. Games read and write these between two steps.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/core/math.h"
#include "engine/ecs/world.h"
#include "physics/narrowphase/collide.h"
#include "physics/shapes/shape.h"

namespace proxima::physics {

using engine::Entity;
using engine::kNoEntity;

// ---- bodies

enum class BodyType : uint32_t {
    fixed,      // never moves; infinite mass
    kinematic,  // moves as its Velocity says; pushes, is not pushed
    dynamic,    // moves under forces and contacts
};

/// Where a body's frame is. The step writes it for kinematic and dynamic bodies.
struct Pose {
    Vec3 position{0.0f, 0.0f, 0.0f};
    Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
};
static_assert(sizeof(Pose) == 28);

/// World-frame velocity of the centre of mass, and angular velocity.
struct Velocity {
    Vec3 linear{0.0f, 0.0f, 0.0f};
    Vec3 angular{0.0f, 0.0f, 0.0f};
};
static_assert(sizeof(Velocity) == 24);

/// Force and torque for the coming step (N, N m, world frame, at the centre of mass); the step clears them.
struct Force {
    Vec3 linear{0.0f, 0.0f, 0.0f};
    Vec3 angular{0.0f, 0.0f, 0.0f};
};
static_assert(sizeof(Force) == 24);

/// Bits of RigidBody::locked_axes: no turning about an axis of the world. Exact, whatever touches the body.
enum LockedAxes : uint32_t { kLockRotationX = 8, kLockRotationY = 16, kLockRotationZ = 32, kLockRotation = 56 };

struct RigidBody {
    BodyType type = BodyType::dynamic;
    float gravity_scale = 1.0f;
    float linear_damping = 0.0f;   // 1/s
    float angular_damping = 0.0f;  // 1/s
    uint32_t allow_sleep = 1;
    // m/s and rad/s, of a dynamic body after a step and at its start; 0: none. A step may move it by what it adds beyond.
    float max_linear_speed = 0.0f, max_angular_speed = 0.0f;
    uint32_t locked_axes = 0;  // LockedAxes, of a dynamic body
};
static_assert(sizeof(RigidBody) == 32);

enum class MassSource : uint32_t {
    densities,  // mass, centre and inertia from the colliders and their densities
    total,      // `mass` is given; centre and inertia as the colliders' densities would have them, scaled to it
    given,      // all of Mass is the game's
};

/// Mass of a dynamic body about its centre of mass. Without colliders or given values: 1 kg, a sphere of
/// radius 0.5 m.
struct Mass {
    float mass = 0.0f;
    Vec3 center{0.0f, 0.0f, 0.0f};  // body frame
    Sym3 inertia;                   // body frame, about the centre
    MassSource source = MassSource::densities;
};
static_assert(sizeof(Mass) == 44);

/// How long a body has been still, whether its island sleeps, and what speaks for or against solving it directly
/// (solve/assign_solvers.cpp). Written by the step; wake a body with PhysicsWorld::wake.
struct SleepState {
    float timer = 0.0f;  // s; of a kinematic body minus the change of its velocity in the last step, m/s
    uint32_t asleep = 0;
    uint8_t direct_steps = 0;       // the last steps in which it was solved directly
    uint8_t over_budget_steps = 0;  // of those, the last that cost more than sweeps
    // The last swept steps that left too much; of what waits for a direct solve: the steps that it has waited.
    uint8_t missed_tolerance_steps = 0;
    uint8_t still_steps = 255;   // the last steps in which it hardly moved; what is new was always still
    uint8_t cooldown_steps = 0;  // until a direct solve is tried again
    uint8_t unused[3] = {};
    Vec3 mean_linear{0.0f, 0.0f, 0.0f};  // velocity, averaged over half a second: where the body is going
    Vec3 mean_angular{0.0f, 0.0f, 0.0f};
};
static_assert(sizeof(SleepState) == 40);

/// Which solver the island of this body is given to, instead of the world's. When several bodies of an island
/// have one, the first in stable order decides. Give it with PhysicsWorld::set_solver.
struct SolverChoice {
    char solver[24] = {};     // name of its row in solver_table(), ended by a zero
    uint32_t iterations = 0;  // sweeps per sub-step; 0: as the world's settings say
    float tolerance = 0.0f;   // m/s, stop sweeping at or below; 0: never

    std::string_view name() const {
        const std::string_view all(solver, sizeof(solver));
        return all.substr(0, all.find('\0'));
    }
};
static_assert(sizeof(SolverChoice) == 32);

/// A body that went non-finite. It is left out of the step, at its last good pose, until the component is removed.
struct Quarantined {
    uint64_t step = 0;
};
static_assert(sizeof(Quarantined) == 8);

// ---- colliders

enum class Combine : uint8_t { average, minimum, maximum, multiply, geometric_mean };

/// Surface properties. When two modes meet, the later one in the list of Combine decides. What stands below
/// the modes is off by default, and costs only where it is used: docs/friction.md.
struct Material {
    float friction = 0.6f;
    float restitution = 0.0f;
    Combine friction_combine = Combine::geometric_mean;
    Combine restitution_combine = Combine::maximum;
    Combine moment_combine = Combine::maximum;  // of torsional and rolling friction
    uint8_t unused = 0;
    /// Of a surface with a grain: `friction` is that along this direction of the collider's frame and
    /// `friction_across` that across it. Zero: no grain, `friction` is that of every direction.
    Vec3 friction_direction{0.0f, 0.0f, 0.0f};
    float friction_across = 0.0f;
    float torsional_friction = 0.0f;  // m: radius of the patch that resists turning about the normal
    float rolling_friction = 0.0f;    // m: lever arm of the normal force that resists rolling
    /// m/s, in the collider's frame: the surface moves along itself and the body stays, as a conveyor belt does. Of a
    /// surface that stands at an angle to it, what lies in the surface.
    Vec3 surface_velocity{0.0f, 0.0f, 0.0f};
};
static_assert(sizeof(Material) == 48);

/// Bits of Collider::events. What happens to two colliders is told when one of them asks for it.
inline constexpr uint8_t kTouchEvents = 1, kHitEvents = 2;

/// A shape on a body. A body has as many as it likes; each is an entity of its own.
struct Collider {
    Entity body = kNoEntity;
    ShapeId shape = kNoShape;
    Pose local{};  // in the body's frame
    Material material{};
    float density = 1000.0f;      // kg/m3
    uint32_t layer = 1;           // bits it is on
    uint32_t mask = 0xFFFFFFFFu;  // bits it collides with
    /// Two colliders of one group meet always when it is positive and never when it is negative, whatever their layers
    /// and masks say. 0: no group.
    int16_t group = 0;
    uint8_t is_sensor = 0;  // 1: finds what overlaps it; has no contacts and no mass (docs/rules.md)
    uint8_t events = kTouchEvents | kHitEvents;  // that it asks for
};
static_assert(sizeof(Collider) == 100);

/// What a collider asks of its contacts beside its surface, as a component of the collider's entity: few have it, and
/// the others pay nothing for it. Give it with PhysicsWorld::set_contact_rules; docs/rules.md says what each field does.
struct ContactRules {
    /// Direction in the collider's frame, of any length, in which others pass through it; they stand on the side that it
    /// points to. Zero: none.
    Vec3 one_way{0.0f, 0.0f, 0.0f};
    float hit_speed = 0.0f;        // m/s: faster impacts are hits, instead of the world's; 0: the world's
    float force_threshold = 0.0f;  // N: contacts with a larger force are told in every step; 0: never
    float break_impulse = 0.0f;    // N s: its contacts give no more together in a step, and it breaks; 0: it does not
    uint8_t modifiable = 0;        // 1: its contacts go through the world's contact modifier
    uint8_t broken = 0;            // 1: it has broken, and has no contacts; the game may set it back
    uint8_t unused[2] = {};

    bool operator==(const ContactRules&) const = default;
};
static_assert(sizeof(ContactRules) == 28);

/// A number that grows with creation and never repeats: the order in which bodies and colliders are visited.
struct StableId {
    uint32_t value = 0;
};
static_assert(sizeof(StableId) == 4);

// ---- contacts

/// Two colliders that have come near enough for contact points; an entity that begins, lasts and ends. a has
/// the smaller StableId. PhysicsWorld::contacts has its contact patches.
struct ContactPair {
    Entity collider_a = kNoEntity, collider_b = kNoEntity;
    Entity body_a = kNoEntity, body_b = kNoEntity;
    uint32_t touching = 0;  // after the last step
};
static_assert(sizeof(ContactPair) == 20);

struct ManifoldPoint {
    // Points of the two surfaces in the frames of their bodies, about the centres of mass: the gap is
    // n . (x_b + R_b anchor_b - x_a - R_a anchor_a).
    Vec3 anchor_a{0.0f, 0.0f, 0.0f}, anchor_b{0.0f, 0.0f, 0.0f};
    Vec3 lambda{0.0f, 0.0f, 0.0f};   // impulse of the last sub-step (normal, tangent 1, tangent 2): the warm start
    Vec3 impulse{0.0f, 0.0f, 0.0f};  // sum over the last step, N s, same axes: what the game reads
    float separation = 0.0f;         // after the last step; negative: overlap
    float approach_speed = 0.0f;     // closing speed before the last step, m/s; negative: separating
    uint32_t feature = 0;
    Vec3 point{0.0f, 0.0f, 0.0f};  // world, where the impulse of the last step acted: the middle of gap or overlap
};
static_assert(sizeof(ManifoldPoint) == 72);

/// Bits of Manifold::rolls. Both are balls about their centres of mass: the normal is the line of the centres. One of them is,
/// and its contact is told as it is when it touches the other, later in the step; the frame is on the other.
inline constexpr uint8_t kBalls = 4, kBallMeets = 8;

/// Further bit of Manifold::moving_surfaces: the velocity is what a contact modifier said.
inline constexpr uint8_t kModifiedSurface = 4;

/// Bits of Manifold::made.
inline constexpr uint8_t kMade = 1, kReduced = 2;

/// The contact patch of a pair: a frame and at most four points. While the two bodies hardly move against each other it
/// is kept, and follows them.
struct Manifold {
    uint32_t count = 0;
    float friction = 0.0f;
    float restitution = 0.0f;
    float lambda_dt = 0.0f;  // the sub-step length that lambda belongs to
    uint8_t made = 0;        // 0: must be generated anew; kMade, and kReduced of a patch of more corners than points
    uint8_t moving_surfaces = 0;    // bits of a surface that moves along itself (Material): 1 a, 2 b
    uint8_t touching = 0;           // 1: its pair touched after the last step
    uint8_t shares_pair = 0;        // 1: its pair has several manifolds
    uint8_t colour = 255;           // of the solver's sweeps; see graph/colours.h
    uint8_t extended_friction = 0;  // 1: friction is more than a disk; ExtendedFriction has the rest
    uint8_t frame_on_b = 0;         // 1: the frame turns with body b
    uint8_t rolls =
        0;  // bits of a surface that is round, and has other points in contact as it rolls: 1 a, 2 b; kBalls, kBallMeets
    // Normal and first tangent in the frame of the body that they turn with: the one whose face touches.
    Vec3 frame_normal{0.0f, 1.0f, 0.0f}, frame_tangent{1.0f, 0.0f, 0.0f};
    Vec3 made_position{0.0f, 0.0f, 0.0f};  // pose of B in A's frame when the manifold was made
    Quat made_rotation{1.0f, 0.0f, 0.0f, 0.0f};
    Vec3 normal{0.0f, 1.0f, 0.0f};  // from a to b, unit; world, in the last step, as the tangents
    Vec3 tangent1{1.0f, 0.0f, 0.0f};
    Vec3 tangent2{0.0f, 0.0f, 1.0f};
    ManifoldPoint points[4];  // last: what has one point is read and written as three cache lines
};
static_assert(sizeof(Manifold) == 112 + 4 * sizeof(ManifoldPoint), "400 bytes, however many points");

/// Beside a Manifold whose surfaces ask for more than one coefficient of friction, which is then that along tangent 1.
/// While Manifold::extended_friction is 0 it means nothing.
struct ExtendedFriction {
    float across = 0.0f;          // coefficient along tangent 2
    float torsion_radius = 0.0f;  // m
    float rolling_radius = 0.0f;  // m
    Vec3 moment[4] = {};          // by point: N m s of the last sub-step about normal, tangent 1, tangent 2; warm start
};
static_assert(sizeof(ExtendedFriction) == 60);

// ---- joints

/// Rows of a joint, at most: coordinates of one frame in the other, each with a law (joints/joint_row.h).
inline constexpr uint32_t kMaxJointRows = 12;

/// What a joint of any kind has beside its own component. Written by the step.
struct JointState {
    Vec3 impulse{0.0f, 0.0f, 0.0f};          // on b, world, over the last step, N s: what the game reads
    Vec3 angular_impulse{0.0f, 0.0f, 0.0f};  // the same of moments about its anchor on b, N m s
    float error = 0.0f;                      // m, from where its locked coordinates should be, after the last step
    float angular_error = 0.0f;              // rad, the same of its turns
    float position = 0.0f;             // of its free coordinate: angle of a hinge, rad; way of a slider or length, m
    float motor_impulse = 0.0f;        // of its motor or friction, over the last step, N s or N m s
    uint32_t broken = 0;               // 1: its load went beyond what it bears; it takes no part until this is 0 again
    float counted = 0.0f;              // of gears: how far they are from their ratio, rad or m
    float lambda[kMaxJointRows] = {};  // by row, of the last sub-step: the warm start
    float lambda_dt = 0.0f;            // the sub-step length that lambda belongs to
    uint32_t colour = 255;             // of the solver's sweeps
};
static_assert(sizeof(JointState) == 104);

}  // namespace proxima::physics
