// SPDX-License-Identifier: MIT
// A small game as one who knows only the installed package writes it: every task is a function with a small level of its own, does
// one thing that games want of physics, and checks what came of it. The exit code is 0 when all tasks went well.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "physics/physics.h"

namespace {

using namespace proxima::physics;
using proxima::kPi;
using proxima::Quat;
using proxima::Result;
using proxima::Vec3;

constexpr float kStep = 1.0f / 60.0f, kGravity = 9.81f;
constexpr Vec3 kX{1.0f, 0.0f, 0.0f}, kY{0.0f, 1.0f, 0.0f}, kZ{0.0f, 0.0f, 1.0f};

int failures = 0;

/// Says what does not hold, and where.
void check(bool holds, const char* what, std::source_location where = std::source_location::current()) {
    if (holds) return;
    ++failures;
    std::printf("%s:%u: failed: %s\n", where.file_name(), unsigned(where.line()), what);
}
/// The same of a number, which may be off by so much.
void check_near(float value, float expected, float tolerance, const char* what,
                std::source_location where = std::source_location::current()) {
    check(std::abs(value - expected) <= tolerance, what, where);
    if (!(std::abs(value - expected) <= tolerance))
        std::printf("    it is %g, and should be %g within %g\n", double(value), double(expected), double(tolerance));
}

/// What Proxima refuses is a mistake in this game: it says the sentence and ends.
void must(const Result<void>& result) {
    if (result) return;
    std::printf("%s\n", result.error().c_str());
    std::exit(1);
}
template <class T>
T must(Result<T> result) {
    if (!result) must(Result<void>(proxima::Error{result.error()}));
    return std::move(result).value();
}

struct Level {
    entt::registry registry;  // the game's; it outlives the world
    PhysicsWorld world;

    explicit Level(uint32_t threads = 1) : world(registry, proxima::engine::make_threaded_jobs(threads)) {}

    void step() { must(world.step(kStep)); }
    void run(float seconds) {
        for (int i = 0; i < int(std::lround(seconds / kStep)); ++i) step();
    }

    /// A body of one shape; `collider` is all but the shape.
    Entity add(const ShapeDesc& shape, BodyDesc body, Collider collider = {}) {
        collider.shape = must(world.shapes().add(shape));
        body.colliders = {collider};
        return must(world.create_body(body));
    }
    Entity fixed_box(const Vec3& center, const Vec3& half, const Collider& collider = {}) {
        return add(box(half), {.type = BodyType::fixed, .pose = {.position = center}}, collider);
    }
    /// Solid below y = 0.
    Entity ground() { return add({.type = ShapeType::half_space}, {.type = BodyType::fixed}); }
    Entity crate(const Vec3& center, float half = 0.25f, float mass = 20.0f) {
        return add(box(Vec3(half)), {.pose = {.position = center}, .mass = mass});
    }
    Entity ball(const Vec3& center, float radius = 0.25f, float mass = 20.0f) {
        return add(sphere(radius), {.pose = {.position = center}, .mass = mass});
    }

    static ShapeDesc box(const Vec3& half) { return {.type = ShapeType::box, .half_extents = half}; }
    static ShapeDesc sphere(float radius) { return {.type = ShapeType::sphere, .radius = radius}; }
    static ShapeDesc capsule(float radius, float half_height) {
        return {.type = ShapeType::capsule, .radius = radius, .half_height = half_height};
    }

    /// A joint of any type at a point of the world, between two bodies as they are placed now. Hinges turn about `axis`, wheels
    /// too, whose suspension goes along `up`; the cone of a spherical joint opens along it.
    template <class Joint>
    Entity join(Joint joint, Entity a, Entity b, const Vec3& point, const Vec3& axis, const Vec3& up) {
        const JointAnchors frames = must(joint_anchors(world.pose(a), world.pose(b), point, axis, up));
        joint.body_a = a;
        joint.body_b = b;
        joint.anchor_a = frames.anchor_a;
        joint.anchor_b = frames.anchor_b;
        joint.rotation_a = frames.rotation_a;
        joint.rotation_b = frames.rotation_b;
        return must(world.create_joint(joint));
    }

    Vec3 position(Entity body) const { return world.pose(body).position; }
    Vec3 velocity(Entity body) const { return world.velocity(body).linear; }
    /// How far the locked coordinates of a joint are off, m and rad; its angle or way.
    const JointState& joint(Entity joint) const { return registry.get<JointState>(joint); }
};

// ---- ground

/// Twenty flush tiles are one floor to a ball: no seam lifts it, turns it aside or takes from its speed.
void ball_rolls_over_tiles() {
    Level level;
    for (int i = 0; i < 20; ++i) level.fixed_box({float(i), -0.25f, 0.0f}, {0.5f, 0.25f, 1.0f});
    const float radius = 0.2f, speed = 6.0f;
    const Entity ball = level.ball({0.0f, radius, 0.0f}, radius);
    must(level.world.set_velocity(ball, {.linear = speed * kX, .angular = -speed / radius * kZ}));
    float highest = 0.0f;
    for (int i = 0; i < 180; ++i) {
        level.step();
        highest = std::max(highest, level.position(ball).y - radius);
    }
    check(highest < 1e-3f, "no seam lifts the ball");
    check_near(level.position(ball).x, speed * 3.0f, 0.05f, "it comes as far as on one floor");
    check_near(level.position(ball).z, 0.0f, 1e-3f, "it rolls straight");
}

/// Crates fall a little onto each other, stand as a tower, and go to sleep.
void crates_stack_and_stand() {
    Level level;
    level.ground();
    std::vector<Entity> crates;
    for (int i = 0; i < 8; ++i) crates.push_back(level.crate({0.0f, 0.25f + 0.52f * float(i), 0.0f}));
    level.run(4.0f);
    for (size_t i = 0; i < crates.size(); ++i) {
        const Vec3 at = level.position(crates[i]);
        check_near(at.y, 0.25f + 0.5f * float(i), 2e-3f, "a crate lies on the one below");
        check_near(std::hypot(at.x, at.z), 0.0f, 2e-3f, "and straight above it");
        check(level.world.is_asleep(crates[i]), "the tower sleeps");
    }
}

/// The surface of a belt moves and its body stays: a crate that is put on it soon goes along, and stays on the floor behind.
void conveyor_carries() {
    Level level;
    level.fixed_box({0.0f, -0.25f, 0.0f}, {4.0f, 0.25f, 1.0f}, {.material = {.surface_velocity = 1.5f * kX}});
    level.fixed_box({8.0f, -0.25f, 0.0f}, {4.0f, 0.25f, 1.0f});
    const Entity crate = level.crate({-3.0f, 0.25f, 0.0f});
    level.run(2.0f);
    check_near(level.velocity(crate).x, 1.5f, 0.01f, "the crate is as fast as the belt");
    // It slides until then: v / (mu g) seconds, of whose way it loses a half.
    const float slide = 1.5f / (0.6f * kGravity);
    check_near(level.position(crate).x, -3.0f + 1.5f * (2.0f - 0.5f * slide), 0.03f, "friction takes it along");
    level.run(6.0f);
    check(level.position(crate).x > 4.0f, "it leaves the belt");
    check(level.world.is_asleep(crate), "and stops on the floor behind it");
}

/// A crate asleep on a trap door wakes when its filter no longer has the layer of the door, and falls freely from that step on.
void crate_falls_through_filtered_floor() {
    constexpr uint32_t kWorld = 1, kTrapDoor = 2;
    Level level;
    level.fixed_box({0.0f, -0.1f, 0.0f}, {2.0f, 0.1f, 2.0f}, {.layer = kTrapDoor});
    level.fixed_box({0.0f, -4.1f, 0.0f}, {2.0f, 0.1f, 2.0f}, {.layer = kWorld});
    const Entity crate = level.crate({0.0f, 0.25f, 0.0f});
    level.run(2.0f);
    check(level.world.is_asleep(crate), "it sleeps on the trap door");
    must(level.world.set_filter(crate, kWorld, kWorld));
    level.run(0.5f);
    check_near(level.position(crate).y, 0.25f - 0.5f * kGravity * 0.25f, 0.02f, "it falls freely, and at once");
    level.run(2.0f);
    check_near(level.position(crate).y, -3.75f, 2e-3f, "the floor below holds it");
}

// ---- player

constexpr float kRadius = 0.3f, kHalfHeight = 0.5f, kFeet = kRadius + kHalfHeight;  // origin above the soles

Entity add_player(Level& level, const Vec3& feet) {
    return level.add(Level::capsule(kRadius, kHalfHeight),
                     {.pose = {.position = feet + kFeet * kY}, .mass = 80.0f, .locked_axes = kLockRotation});
}

float feet(const Level& level, Entity player) { return level.position(player).y - kFeet; }

/// Walks with a speed along x, whatever the speed of a fall.
void walk(Level& level, Entity player, float speed, float seconds) {
    for (int i = 0; i < int(std::lround(seconds / kStep)); ++i) {
        must(level.world.set_velocity(player, {.linear = {speed, level.velocity(player).y, 0.0f}}));
        level.step();
    }
}

/// Whether something below bears the player: a contact whose normal leans by less than 45 degrees.
bool is_grounded(const Level& level, Entity player) {
    for (const ContactView& contact : level.world.contacts(player)) {
        const float up = contact.body_b == player ? contact.manifold->normal.y : -contact.manifold->normal.y;
        if (contact.touching && up > 0.7f) return true;
    }
    return false;
}

void jump(Level& level, Entity player, float height) {
    check(is_grounded(level, player), "who jumps stands");
    must(level.world.set_velocity(player, {.linear = std::sqrt(2.0f * kGravity * height) * kY}));
}

/// Walks over tiles at the speed that is asked for, and no farther than to the wall, without climbing it or falling over.
void player_walks_to_a_wall() {
    Level level;
    for (int i = 0; i < 12; ++i) level.fixed_box({0.5f * float(i), -0.25f, 0.0f}, {0.25f, 0.25f, 1.0f});
    level.fixed_box({5.0f, 1.5f, 0.0f}, {0.25f, 1.5f, 1.0f});
    const Entity player = add_player(level, Vec3(0.0f));
    walk(level, player, 3.0f, 1.0f);
    // Friction takes mu g dt of the speed in every step, which begins with it.
    check_near(level.position(player).x, 3.0f - 0.5f * 0.6f * kGravity * kStep, 0.01f, "walks at 3 m/s");
    check(is_grounded(level, player), "on the tiles");
    walk(level, player, 3.0f, 2.0f);
    check_near(level.position(player).x, 4.75f - kRadius, 0.02f, "the wall stops the player");
    check_near(feet(level, player), 0.0f, 0.01f, "who stays on the ground");
    check(level.world.pose(player).rotation == Quat(1.0f, 0.0f, 0.0f, 0.0f), "and upright");
}

/// A platform that is open from below: a low jump falls back, a high one ends on it.
void player_jumps_through_a_platform() {
    Level level;
    level.ground();
    const float top = 1.5f;
    const Entity platform = level.fixed_box({0.0f, top - 0.1f, 0.0f}, {1.0f, 0.1f, 1.0f});
    must(level.world.set_contact_rules(platform, {.one_way = kY}));
    const Entity player = add_player(level, Vec3(0.0f));
    level.run(0.5f);
    jump(level, player, 1.2f);
    float highest = 0.0f;
    for (int i = 0; i < 90; ++i) {
        level.step();
        highest = std::max(highest, feet(level, player));
    }
    check_near(highest, 1.2f, 0.05f, "the platform does not stop a jump from below");
    check_near(feet(level, player), 0.0f, 5e-3f, "one that is too low ends on the ground");
    jump(level, player, 2.0f);
    level.run(2.0f);
    check_near(feet(level, player), top, 5e-3f, "one that is high enough on the platform");
    check(is_grounded(level, player), "which bears the player");
}

/// A lift that moves up and aside takes the player along.
void player_rides_a_platform() {
    Level level;
    level.ground();
    const Entity lift = level.add(Level::box({1.0f, 0.1f, 1.0f}),
                                  {.type = BodyType::kinematic, .pose = {.position = {0.0f, 0.5f, 0.0f}}});
    const Entity player = add_player(level, {0.3f, 0.6f, 0.0f});
    level.run(0.5f);
    const Vec3 before = level.position(player) - level.position(lift);
    float off = 0.0f;
    for (int i = 1; i <= 240; ++i) {
        const float turn = 0.5f * kPi * float(i) * kStep;  // a circle in four seconds, which begins and ends at rest
        const float way = turn - std::sin(turn);
        must(level.world.move_kinematic(lift, {.position = {0.5f * way, 0.5f + 0.3f * way, 0.0f}}, kStep));
        level.step();
        off = std::max(off, glm::length(level.position(player) - level.position(lift) - before));
    }
    check_near(level.position(lift).y, 0.5f + 0.6f * kPi, 1e-3f, "the lift arrives");
    check(off < 0.02f, "and the player stays where they stood on it");
}

// ---- machines

/// A door of 30 kg in the plane z = 0 that hangs on the y axis, and turns by 1.5 rad to both sides.
struct Door {
    Entity frame, leaf, hinge;
};
Door add_door(Level& level) {
    Door door;
    door.frame = level.fixed_box({-0.06f, 1.0f, 0.0f}, {0.05f, 1.0f, 0.05f});
    door.leaf = level.add(Level::box({0.4f, 1.0f, 0.03f}), {.pose = {.position = {0.4f, 1.0f, 0.0f}}, .mass = 30.0f});
    RevoluteJoint hinge;
    hinge.limit = {.enabled = 1, .lower = -1.5f, .upper = 1.5f};
    hinge.friction = 0.5f;
    door.hinge = level.join(hinge, door.frame, door.leaf, {0.0f, 1.0f, 0.0f}, kY, kX);
    return door;
}

/// A push on the handle swings a door to its limit, which it does not pass, and the hinge stays closed.
void door_swings_to_its_limit() {
    Level level;
    const Door door = add_door(level);
    must(level.world.apply_impulse_at(door.leaf, -50.0f * kZ, {0.75f, 1.0f, 0.0f}));
    float farthest = 0.0f, open = 0.0f;
    for (int i = 0; i < 180; ++i) {
        level.step();
        farthest = std::max(farthest, level.joint(door.hinge).position);
        open = std::max(open, level.joint(door.hinge).error);
    }
    check_near(farthest, 1.5f, 0.01f, "the door comes to its limit and no farther");
    check_near(level.joint(door.hinge).position, 1.5f, 0.05f, "where it stays");
    check(open < 1e-3f, "the hinge does not open");
}

/// A weld is a lock: it bears a hand and not a kick, after which the world names it once and the door swings.
void lock_breaks() {
    Level level;
    const Door door = add_door(level);
    const Entity lock = level.join(WeldJoint{.break_force = 600.0f}, door.frame, door.leaf, {0.8f, 1.0f, 0.0f}, kX, kY);
    const auto push = [&](float force, float seconds) {
        int breaks = 0;
        for (int i = 0; i < int(std::lround(seconds / kStep)); ++i) {
            must(level.world.apply_force_at(door.leaf, -force * kZ, {0.75f, 1.0f, 0.0f}));
            level.step();
            for (const JointBreak& event : level.world.joint_breaks()) breaks += event.joint == lock;
        }
        return breaks;
    };
    check(push(300.0f, 1.0f) == 0, "a hand does not break the lock");
    check_near(level.joint(door.hinge).position, 0.0f, 2e-3f, "which holds the door");
    check(push(1500.0f, 0.1f) == 1, "a kick breaks it once");
    check(level.joint(lock).broken == 1, "it is broken since");
    level.run(1.0f);
    check_near(level.joint(door.hinge).position, 1.5f, 0.05f, "and the door is open");
}

/// Planks on hinges between two posts sag, and carry a crate that is dropped on them.
void bridge_carries_a_crate() {
    Level level;
    constexpr int kPlanks = 12;
    const float length = 0.5f, end = 0.5f * length * float(kPlanks);
    Entity before = level.fixed_box({-end - 0.5f, 0.0f, 0.0f}, {0.5f, 0.05f, 0.6f});
    std::vector<Entity> planks, hinges;
    for (int i = 0; i < kPlanks; ++i) {
        const float x = -end + length * (float(i) + 0.5f);
        planks.push_back(
            level.add(Level::box({0.24f, 0.04f, 0.6f}), {.pose = {.position = {x, 0.0f, 0.0f}}, .mass = 15.0f}));
        hinges.push_back(level.join(RevoluteJoint{}, before, planks.back(), {x - 0.5f * length, 0.0f, 0.0f}, kZ, kY));
        before = planks.back();
    }
    const Entity post = level.fixed_box({end + 0.5f, 0.0f, 0.0f}, {0.5f, 0.05f, 0.6f});
    hinges.push_back(level.join(RevoluteJoint{}, before, post, {end, 0.0f, 0.0f}, kZ, kY));
    level.run(2.0f);
    const Entity crate = level.crate({0.1f, 1.0f, 0.0f}, 0.25f, 40.0f);
    float open = 0.0f;
    for (int i = 0; i < 480; ++i) {
        level.step();
        for (const Entity hinge : hinges) open = std::max(open, level.joint(hinge).error);
    }
    float lowest = 0.0f;
    for (const Entity plank : planks) lowest = std::min(lowest, level.position(plank).y);
    check(level.position(crate).y > lowest + 0.2f, "the crate lies on the planks");
    check(std::abs(level.position(crate).x) < end, "between the posts");
    check_near(glm::length(level.velocity(crate)), 0.0f, 0.05f, "at rest");
    check(open < 0.02f, "no hinge opens by more than two centimetres");
}

/// Four wheels on springs, driven behind and steered in front: straight on as far as they roll, and then round a circle that
/// wheelbase and steering make.
void car_drives_and_steers() {
    Level level;
    level.ground();
    const float radius = 0.35f, base = 2.6f, track = 1.6f, speed = 6.0f;
    const Entity chassis =
        level.add(Level::box({2.0f, 0.25f, 0.7f}), {.pose = {.position = {0.0f, 0.75f, 0.0f}}, .mass = 1000.0f});
    std::vector<Entity> wheels, axles;
    for (const float x : {-0.5f * base, 0.5f * base})
        for (const float z : {-0.5f * track, 0.5f * track}) {
            const Vec3 hub{x, radius, z};
            wheels.push_back(level.add(Level::sphere(radius), {.pose = {.position = hub}, .mass = 25.0f},
                                       {.material = {.friction = 1.0f}}));
            WheelJoint wheel{.hertz = 2.0f, .damping_ratio = 0.7f};
            wheel.travel = {.enabled = 1, .lower = -0.2f, .upper = 0.2f};
            if (x < 0.0f) wheel.motor = {.enabled = 1, .speed = speed / radius, .max_force = 400.0f};
            axles.push_back(level.join(wheel, chassis, wheels.back(), hub, -kZ, kY));  // it turns forwards about -z
        }
    level.run(4.0f);
    check_near(level.velocity(chassis).x, speed, 0.02f * speed, "the car is as fast as its wheels turn");
    check_near(level.position(chassis).z, 0.0f, 0.05f, "and drives straight");
    for (const size_t front : {2, 3}) level.registry.get<WheelJoint>(axles[front]).steering = 0.2f;
    level.run(1.0f);
    float heading = 0.0f, open = 0.0f;
    for (int i = 0; i < 180; ++i) {
        const Vec3 before = level.world.pose(chassis).rotation * kX;
        level.step();
        heading += std::asin(glm::dot(glm::cross(before, level.world.pose(chassis).rotation * kX), kY));
        for (const Entity axle : axles) open = std::max(open, level.joint(axle).error);
    }
    // Wheels that do not slip turn it by v tan(steering) / base; these slip a little, and the one axle drives both alike.
    check_near(heading, 3.0f * speed * std::tan(0.2f) / base, 0.2f, "it goes round the circle of its steering");
    check(open < 1e-3f, "the wheels stay on their struts");
    for (const Entity axle : axles) {
        WheelJoint& wheel = level.registry.get<WheelJoint>(axle);
        wheel.motor.enabled = 0;
        wheel.friction = 2000.0f;
    }
    level.run(3.0f);
    check_near(glm::length(level.velocity(chassis)), 0.0f, 0.02f, "the brakes stop it");
}

/// Ten parts that hang together; `joints` has all joints, elbows and knees last.
struct Ragdoll {
    std::vector<Entity> parts, joints;
    size_t hinges = 0;  // the last so many
};
Ragdoll add_ragdoll(Level& level, const Vec3& feet) {
    Ragdoll doll;
    const auto part = [&](const ShapeDesc& shape, const Vec3& center, float mass) {
        doll.parts.push_back(level.add(shape, {.pose = {.position = feet + center}, .mass = mass}));
        return doll.parts.back();
    };
    const auto socket = [&](Entity a, Entity b, const Vec3& point, const Vec3& axis, float cone) {
        SphericalJoint joint{
            .cone_angle = cone, .twist = {.enabled = 1, .lower = -0.5f, .upper = 0.5f}, .friction = 0.5f};
        doll.joints.push_back(level.join(joint, a, b, feet + point, axis, kZ));
    };
    const Entity hips = part(Level::box({0.16f, 0.1f, 0.1f}), {0.0f, 0.95f, 0.0f}, 14.0f);
    const Entity chest = part(Level::box({0.17f, 0.2f, 0.1f}), {0.0f, 1.27f, 0.0f}, 24.0f);
    const Entity head = part(Level::sphere(0.11f), {0.0f, 1.61f, 0.0f}, 5.0f);
    socket(hips, chest, {0.0f, 1.06f, 0.0f}, kY, 0.5f);
    socket(chest, head, {0.0f, 1.49f, 0.0f}, kY, 0.6f);
    std::vector<std::pair<Entity, Entity>> bends;
    for (const float side : {-1.0f, 1.0f}) {
        const Entity arm = part(Level::capsule(0.05f, 0.1f), {side * 0.25f, 1.27f, 0.0f}, 2.5f);
        const Entity forearm = part(Level::capsule(0.04f, 0.1f), {side * 0.25f, 0.97f, 0.0f}, 2.0f);
        const Entity thigh = part(Level::capsule(0.07f, 0.12f), {side * 0.1f, 0.64f, 0.0f}, 8.0f);
        const Entity shin = part(Level::capsule(0.05f, 0.14f), {side * 0.1f, 0.24f, 0.0f}, 5.0f);
        socket(chest, arm, {side * 0.25f, 1.42f, 0.0f}, -kY, 1.2f);
        socket(hips, thigh, {side * 0.1f, 0.84f, 0.0f}, -kY, 0.9f);
        bends.push_back({arm, forearm});
        bends.push_back({thigh, shin});
    }
    for (size_t i = 0; i < bends.size(); ++i) {
        const bool knee = i % 2 == 1;
        const float side = i < 2 ? -1.0f : 1.0f;
        RevoluteJoint joint;
        joint.limit = {.enabled = 1, .lower = knee ? 0.0f : -2.2f, .upper = knee ? 2.2f : 0.0f};
        joint.friction = 0.3f;
        const Vec3 point = knee ? Vec3(side * 0.1f, 0.44f, 0.0f) : Vec3(side * 0.25f, 1.12f, 0.0f);
        doll.joints.push_back(level.join(joint, bends[i].first, bends[i].second, feet + point, kX, kY));
    }
    doll.hinges = bends.size();
    return doll;
}

/// A ragdoll is hit in the chest, falls from a height and comes to rest; no joint opens, no knee bends forwards.
void ragdoll_falls_and_rests() {
    Level level;
    level.ground();
    const Ragdoll doll = add_ragdoll(level, {0.0f, 1.0f, 0.0f});
    must(level.world.apply_impulse(doll.parts[1], {15.0f, 0.0f, 60.0f}));
    float open = 0.0f, bent = 0.0f;
    for (int i = 0; i < 600; ++i) {
        level.step();
        for (const Entity joint : doll.joints) open = std::max(open, level.joint(joint).error);
        for (size_t k = doll.joints.size() - doll.hinges; k < doll.joints.size(); ++k) {
            const JointLimit& limit = level.registry.get<RevoluteJoint>(doll.joints[k]).limit;
            const float angle = level.joint(doll.joints[k]).position;
            bent = std::max({bent, angle - limit.upper, limit.lower - angle});
        }
    }
    check(open < 1e-3f, "no joint opens");
    check(bent < 0.01f, "no elbow or knee goes beyond its limits");
    for (const Entity part : doll.parts) {
        check(level.position(part).y > 0.0f && level.position(part).y < 0.8f, "every part lies on the ground");
        check(level.world.is_asleep(part), "and sleeps");
    }
}

// ---- trigger, blast, glass

/// A sensor counts what enters and leaves it, and knows what is in it.
void trigger_counts() {
    Level level;
    const Entity zone = level.fixed_box({0.0f, 3.0f, 0.0f}, {2.0f, 0.5f, 2.0f}, {.is_sensor = 1});
    const Entity trigger = level.world.colliders(zone)[0];
    std::vector<Entity> balls;
    for (int i = 0; i < 3; ++i) balls.push_back(level.ball({0.6f * float(i), 5.0f + 3.0f * float(i), 0.0f}, 0.2f));
    int entered = 0, left = 0;
    size_t most = 0;
    for (int i = 0; i < 150; ++i) {
        level.step();
        for (const SensorBegin& event : level.world.events().sensor_begin) entered += event.sensor == trigger;
        for (const SensorEnd& event : level.world.events().sensor_end) left += event.sensor == trigger;
        const size_t inside = level.world.overlaps_of(trigger).size();
        check(int(inside) == entered - left, "the trigger holds who entered and has not left");
        most = std::max(most, inside);
    }
    check(entered == 3 && left == 3, "three balls fall through");
    check(most == 1, "one after the other");
    check(level.world.report().contacts == 0, "and touch nothing");
}

/// A blast gives each body an impulse that ends at its radius, and passes by what is on another layer.
void explosion_pushes_by_distance() {
    constexpr uint32_t kDebris = 1, kGhost = 2;
    Level level;
    must(level.world.set_settings({.gravity = Vec3(0.0f)}));
    std::vector<Entity> crates;
    for (const float distance : {1.0f, 2.0f, 3.0f, 6.0f})
        crates.push_back(level.crate({distance, 0.0f, 0.0f}, 0.2f, 10.0f));
    const Entity ghost = level.crate({0.0f, 1.0f, 0.0f});
    must(level.world.set_filter(ghost, kGhost, kGhost));
    const RadialPush blast{.radius = 4.0f, .strength = 100.0f, .falloff = Falloff::linear, .mask = kDebris};
    check(must(explode(level.world, blast)) == 3, "three crates are in reach");
    for (const Entity crate : crates) {
        const float share = std::max(0.0f, 1.0f - level.position(crate).x / blast.radius);
        check_near(level.velocity(crate).x, blast.strength * share / 10.0f, 1e-4f, "pushed by distance");
    }
    check(level.velocity(ghost) == Vec3(0.0f), "the ghost feels nothing");
    level.run(0.5f);
    check_near(level.position(crates[3]).x, 6.0f, 0.0f, "what is out of reach stays");
}

/// A pane holds a slow ball; a fast one breaks it and goes on with the momentum that is left.
void glass_breaks() {
    Level level;
    must(level.world.set_settings({.gravity = Vec3(0.0f)}));
    const float strength = 40.0f, mass = 20.0f;
    const Entity pane = level.fixed_box({0.0f, 0.0f, 0.0f}, {0.02f, 1.0f, 1.0f});
    must(level.world.set_contact_rules(pane, {.break_impulse = strength}));
    const Entity slow = level.ball({-1.0f, 0.0f, 0.0f}, 0.2f, mass);
    must(level.world.set_velocity(slow, {.linear = 1.5f * kX}));
    level.run(2.0f);
    check(level.position(slow).x < -0.2f, "a slow ball is stopped");
    level.world.destroy_body(slow);

    const Entity fast = level.ball({-1.0f, 0.0f, 0.0f}, 0.2f, mass);
    must(level.world.set_velocity(fast, {.linear = 10.0f * kX}));
    int broken = 0;
    for (int i = 0; i < 60; ++i) {
        level.step();
        for (const ContactBreak& event : level.world.events().broken) {
            broken += event.body == pane && event.other_body == fast;
            level.world.destroy_body(pane);  // shards would come here
        }
    }
    check(broken == 1, "a fast one breaks the pane once");
    check_near(level.velocity(fast).x, 10.0f - strength / mass, 1e-3f, "and loses what the pane could give");
}

// ---- rollback

struct Health {
    float points = 100.0f;
};
struct Name {
    std::string text;
};

/// A heap of crates that balls are shot at; every hit costs health, which belongs to the saved state.
struct Battle : Level {
    std::vector<Entity> crates;

    explicit Battle(uint32_t threads = 1) : Level(threads) {
        world.world().persist<Health>("Health");
        ground();
        for (int i = 0; i < 5; ++i)
            for (int k = i; k < 5; ++k) {
                crates.push_back(crate({0.0f, 0.25f + 0.5f * float(i), 0.52f * (float(k) - 0.5f * float(i))}));
                registry.emplace<Health>(crates.back());
                registry.emplace<Name>(crates.back(), "crate " + std::to_string(crates.size()));
            }
    }
    /// One step with what the players do in it.
    void play(int frame) {
        if (frame % 20 == 0) {
            const Entity shot = ball({-4.0f, 1.0f, 0.1f * float(frame % 7) + 1.0f}, 0.15f, 8.0f);
            must(world.set_velocity(shot, {.linear = {18.0f, 2.0f, 0.0f}}));
        }
        step();
        for (const ContactHit& hit : world.events().hit)
            for (const Entity body : {hit.body_a, hit.body_b})
                if (Health* health = registry.try_get<Health>(body)) health->points -= 0.1f * hit.normal_impulse;
    }
    float health() const {
        float sum = 0.0f;
        for (const Entity crate : crates) sum += registry.get<Health>(crate).points;
        return sum;
    }
};

/// A snapshot of the game is taken back: the same inputs give the same future, bit for bit, health included; names, which are
/// not saved, stay on their crates.
void rollback_repeats_the_future() {
    Battle battle;
    int frame = 0;
    for (; frame < 50; ++frame) battle.play(frame);
    proxima::engine::Snapshot snapshot;
    battle.world.save(snapshot);
    const uint64_t then = battle.world.state_hash();
    const float health = battle.health();
    std::vector<uint64_t> future;
    for (int i = frame; i < 200; ++i) {
        battle.play(i);
        future.push_back(battle.world.state_hash());
    }
    const float health_later = battle.health();
    check(health_later < health, "hits cost health");

    must(battle.world.restore(snapshot));
    check(battle.world.state_hash() == then, "the world is as it was");
    check(battle.health() == health, "and so is the game");
    bool equal = true;
    for (int i = frame; i < 200; ++i) {
        battle.play(i);
        equal &= battle.world.state_hash() == future[size_t(i - frame)];
    }
    check(equal, "every step is the same again");
    check(battle.health() == health_later, "health too");
    check(battle.registry.get<Name>(battle.crates[3]).text == "crate 4", "the game's own components stay");
}

/// Two worlds with the same inputs are equal in every step, also when they step on one and on three threads.
void two_runs_are_equal() {
    Battle one(1), three(3);
    bool equal = true;
    for (int i = 0; i < 200; ++i) {
        one.play(i);
        three.play(i);
        equal &= one.world.state_hash() == three.world.state_hash();
    }
    check(equal, "the hashes of every step are equal");
    check(one.health() == three.health(), "and what the game made of the events");
}

// ---- all tasks

/// What is run, and the words that say whether it went well.
struct Task {
    const char* name;
    void (*run)();
};
constexpr Task kTasks[] = {
    {"a ball rolls over tiles", ball_rolls_over_tiles},
    {"crates stack and stand", crates_stack_and_stand},
    {"a conveyor carries", conveyor_carries},
    {"a crate falls through a floor that it no longer meets", crate_falls_through_filtered_floor},
    {"the player walks to a wall", player_walks_to_a_wall},
    {"the player jumps through a platform and stands on it", player_jumps_through_a_platform},
    {"the player rides a platform", player_rides_a_platform},
    {"a door swings to its limit", door_swings_to_its_limit},
    {"a lock breaks", lock_breaks},
    {"a bridge carries a crate", bridge_carries_a_crate},
    {"a car drives and steers", car_drives_and_steers},
    {"a ragdoll falls and rests", ragdoll_falls_and_rests},
    {"a trigger counts", trigger_counts},
    {"an explosion pushes by distance", explosion_pushes_by_distance},
    {"glass breaks", glass_breaks},
    {"a rollback repeats the future", rollback_repeats_the_future},
    {"two runs are equal", two_runs_are_equal},
};

bool asked_for(std::string_view name, int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        if (name.find(argv[i]) != name.npos) return true;
    return argc == 1;
}

}  // namespace

int main(int argc, char** argv) {
    int done = 0, failed = 0;
    for (const Task& task : kTasks) {
        if (!asked_for(task.name, argc, argv)) continue;
        const int before = failures;
        task.run();
        ++done;
        failed += failures > before;
        std::printf("%s  %s\n", failures > before ? "FAILED" : "ok    ", task.name);
    }
    std::printf("%d tasks, %d failed\n", done, failed);
    return failed == 0 && done > 0 ? 0 : 1;
}
