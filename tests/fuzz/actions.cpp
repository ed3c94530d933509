// SPDX-License-Identifier: MIT
#include "tests/fuzz/actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "physics/contact/capture.h"
#include "physics/debug/debug_frame.h"
#include "physics/limits.h"
#include "physics/physics.h"
#include "physics/query.h"
#include "physics/solvers/solver.h"
#include "tests/fuzz/inputs.h"

namespace proxima::fuzz {

using namespace proxima::physics;

namespace {

constexpr size_t kMaxBodies = 36;  // alive at the same time: what a step costs stays small
constexpr size_t kMaxSnapshots = 4;
constexpr size_t kMaxShapes = 24;
constexpr float kDt = 1.0f / 60.0f;

// ---- making and unmaking

Entity add_body(Rig& rig, const BodyDesc& desc) {
    const Result<Entity> made = rig.world->create_body(desc);
    check_sentence(rig, made, "A body");
    rig.note(fmt::format("  create_body type {} at {} mass {} velocity {} {}: {}", int(desc.type), text(desc.pose),
                         desc.mass, text(desc.velocity.linear), text(desc.velocity.angular),
                         made.ok() ? text(made.value()) : text(made)));
    if (!made.ok()) return kNoEntity;
    rig.bodies.push_back({made.value(), rig.next_label()});
    return made.value();
}

Entity add_collider(Rig& rig, Entity body, const Collider& desc) {
    const Result<Entity> made = rig.world->add_collider(body, desc);
    check_sentence(rig, made, "A collider");
    rig.note(fmt::format("  add_collider to {} shape {} friction {} density {}: {}", text(body), uint32_t(desc.shape),
                         desc.material.friction, desc.density, made.ok() ? text(made.value()) : text(made)));
    if (!made.ok()) return kNoEntity;
    rig.colliders.push_back({made.value(), rig.next_label()});
    return made.value();
}

void create_body(Rig& rig, Source& source) {
    if (living_bodies(rig) >= kMaxBodies) return;
    BodyDesc desc;
    desc.type = goes_wrong(rig, source) ? BodyType(source.byte()) : body_type(source);
    desc.pose = pose(rig, source);
    if (source.once_in(2)) desc.velocity = velocity(rig, source);
    if (source.once_in(6)) desc.mass = number(rig, source, source.size(1e-3f, 1e4f));
    if (source.once_in(8)) desc.linear_damping = number(rig, source, source.unit());
    if (source.once_in(8)) desc.angular_damping = number(rig, source, source.unit());
    if (source.once_in(8)) desc.gravity_scale = number(rig, source, source.between(-1.0f, 2.0f));
    if (source.once_in(8)) desc.allow_sleep = false;
    const Entity body = add_body(rig, desc);
    const uint32_t colliders = source.once_in(12) ? 0 : source.once_in(4) ? 3 : 1;
    for (uint32_t k = 0; body != kNoEntity && k < colliders; ++k) add_collider(rig, body, collider(rig, source));
}

/// What the direct solver takes: boxes that rest on each other.
void create_stack(Rig& rig, Source& source) {
    const uint32_t count = 2 + source.below(8);
    if (living_bodies(rig) + count > kMaxBodies) return;
    const Vec3 base = source.vector(3.0f);
    const bool on_something_heavy = source.once_in(4);
    Collider desc;
    desc.shape = rig.shapes[0];
    for (uint32_t k = 0; k < count; ++k) {
        BodyDesc body;
        body.pose.position = {base.x, 0.25f + 0.5f * float(k), base.z};
        if (on_something_heavy && k + 1 == count) body.mass = 10000.0f;
        const Entity made = add_body(rig, body);
        if (made != kNoEntity) add_collider(rig, made, desc);
    }
}

void create_collider(Rig& rig, Source& source) {
    const Entity body = pick_body(rig, source);
    add_collider(rig, body, collider(rig, source));
}

void create_joint(Rig& rig, Source& source) {
    const BallJoint desc = ball_joint(rig, source);
    const Result<Entity> made = rig.world->create_joint(desc);
    check_sentence(rig, made, "A joint");
    rig.note("  create_joint " + text(desc) + ": " + (made.ok() ? text(made.value()) : text(made)));
    if (made.ok()) rig.joints.push_back({made.value(), rig.next_label()});
}

/// Links from the first body to the last, and the last is heavy once in a while.
void create_chain(Rig& rig, Source& source) {
    const uint32_t count = 2 + source.below(5);
    if (living_bodies(rig) + count > kMaxBodies) return;
    const Vec3 base = source.vector(2.0f) + Vec3(0.0f, 3.0f, 0.0f);
    const bool heavy_end = source.once_in(3);
    const bool hangs = !source.once_in(3);
    Entity before = kNoEntity;
    for (uint32_t k = 0; k < count; ++k) {
        BodyDesc body;
        body.pose.position = base + Vec3(0.6f * float(k), 0.0f, 0.0f);
        if (k == 0 && hangs) body.type = BodyType::fixed;
        if (heavy_end && k + 1 == count) body.mass = 5000.0f;
        const Entity made = add_body(rig, body);
        if (made == kNoEntity) return;
        add_collider(rig, made, {.shape = rig.shapes[1]});
        BallJoint desc;
        desc.body_a = before;
        desc.body_b = made;
        desc.anchor_a = {0.3f, 0.0f, 0.0f};
        desc.anchor_b = {-0.3f, 0.0f, 0.0f};
        if (before != kNoEntity)
            if (const Result<Entity> joint = rig.world->create_joint(desc); joint)
                rig.joints.push_back({joint.value(), rig.next_label()});
        before = made;
    }
}

void destroy_joint(Rig& rig, Source& source) {
    const Entity joint = source.once_in(8) ? pick_body(rig, source) : pick_joint(rig, source);
    rig.note("  destroy_joint " + text(joint));
    rig.world->destroy_joint(joint);
}

void destroy_joint_entity(Rig& rig, Source& source) {
    const Entity joint = pick_joint(rig, source);
    if (!has<BallJoint>(rig, joint)) return;
    rig.note("  registry.destroy joint " + text(joint));
    rig.world->registry().destroy(joint);
}

/// What belongs to the world: it makes another.
void destroy_contact_entity(Rig& rig, Source& source) {
    const Entity contact = pick_contact(rig, source);
    if (!has<ContactPair>(rig, contact)) return;
    rig.note("  registry.destroy contact " + text(contact));
    rig.world->registry().destroy(contact);
}

void destroy_body(Rig& rig, Source& source) {
    const Entity body = pick_body(rig, source);
    rig.note("  destroy_body " + text(body));
    rig.world->destroy_body(body);
}

/// As a game does that knows EnTT: colliders of the body stay behind.
void destroy_body_entity(Rig& rig, Source& source) {
    const Entity body = pick_body(rig, source);
    if (!has<RigidBody>(rig, body)) return;
    rig.note("  registry.destroy body " + text(body));
    rig.world->registry().destroy(body);
}

void destroy_collider_entity(Rig& rig, Source& source) {
    const Entity entity = pick_collider(rig, source);
    if (!has<Collider>(rig, entity)) return;
    rig.note("  registry.destroy collider " + text(entity));
    rig.world->registry().destroy(entity);
}

template <class Component>
void remove_from(Rig& rig, Entity entity, const char* name) {
    if (!has<Component>(rig, entity)) return;
    rig.note(fmt::format("  remove<{}> {}", name, text(entity)));
    rig.world->registry().remove<Component>(entity);
}

void remove_component(Rig& rig, Source& source) {
    switch (source.below(12)) {
        case 0:
        case 1:
            return remove_from<Collider>(rig, pick_collider(rig, source), "Collider");
        case 2:
        case 3:
            return remove_from<RigidBody>(rig, pick_body(rig, source), "RigidBody");
        case 4:
            return remove_from<Pose>(rig, pick_body(rig, source), "Pose");
        case 5:
            return remove_from<Velocity>(rig, pick_body(rig, source), "Velocity");
        case 6:
            return remove_from<Mass>(rig, pick_body(rig, source), "Mass");
        case 7:
            return remove_from<SleepState>(rig, pick_body(rig, source), "SleepState");
        case 8:
            return remove_from<BallJoint>(rig, pick_joint(rig, source), "BallJoint");
        case 9:
            return remove_from<JointState>(rig, pick_joint(rig, source), "JointState");
        case 10:
            return remove_from<StableId>(rig, source.once_in(2) ? pick_body(rig, source) : pick_collider(rig, source),
                                         "StableId");
        default:
            return remove_from<ContactPair>(rig, pick_contact(rig, source), "ContactPair");
    }
}

/// Components that a game gives to entities itself, where the world does not expect them.
void emplace_component(Rig& rig, Source& source) {
    entt::registry& registry = rig.world->registry();
    const uint32_t what = source.below(6);
    const Entity body = pick_body(rig, source);
    if (!has<RigidBody>(rig, body)) return;
    rig.note(fmt::format("  emplace number {} to {}", what, text(body)));
    Collider desc = collider(rig, source);
    desc.body = body;
    const BallJoint joint = ball_joint(rig, source);
    if (what == 0) registry.emplace_or_replace<Quarantined>(body);
    if (what == 1) registry.emplace_or_replace<Collider>(body, desc);  // a body that is its own collider
    if (what == 2) registry.emplace<Collider>(registry.create(), desc);
    if (what == 3) registry.emplace_or_replace<BallJoint>(body, joint);
    if (what == 4) registry.emplace<BallJoint>(registry.create(), joint);
    const Entity ruled = pick_collider(rig, source);
    if (what == 5 && registry.valid(ruled))
        registry.emplace_or_replace<ContactRules>(ruled, contact_rules(rig, source));
    if (what == 1) rig.colliders.push_back({body, rig.next_label()});
    if (what == 3) rig.joints.push_back({body, rig.next_label()});
}

void end_quarantine(Rig& rig, Source& source) {
    const Entity body = pick_body(rig, source);
    if (!has<Quarantined>(rig, body)) return;
    rig.note("  remove<Quarantined> " + text(body));
    rig.world->registry().remove<Quarantined>(body);
}

// ---- writing components

/// Writes a component in place, or through patch(), which tells the world of it.
template <class Component, class Change>
void write(Rig& rig, Source& source, Entity entity, const char* name, Change&& change) {
    if (!has<Component>(rig, entity)) return;
    entt::registry& registry = rig.world->registry();
    constexpr bool is_structure =
        std::is_same_v<Component, RigidBody> || std::is_same_v<Component, Mass> || std::is_same_v<Component, Collider>;
    const bool tells = source.once_in(2) || (is_structure && !rig.writes_in_place);
    rig.note(fmt::format("  {} {} of {}", tells ? "patch" : "write", name, text(entity)));
    if (tells)
        registry.patch<Component>(entity, change);
    else
        change(registry.get<Component>(entity));
}

void write_pose(Rig& rig, Source& source) {
    const Entity body = pick_body(rig, source);
    const Pose to = pose(rig, source);
    const bool nudge = source.once_in(2);
    const Vec3 by = source.vector(source.once_in(2) ? 0.001f : 0.1f);
    write<Pose>(rig, source, body, "Pose", [&](Pose& p) {
        if (nudge)
            p.position += by;
        else
            p = to;
        rig.note("    " + text(p));
    });
}

void write_velocity(Rig& rig, Source& source) {
    const Entity body = pick_body(rig, source);
    const Velocity to = source.once_in(4) ? Velocity{} : velocity(rig, source);
    rig.note("    " + text(to.linear) + " " + text(to.angular));
    write<Velocity>(rig, source, body, "Velocity", [&](Velocity& v) { v = to; });
}

void write_force(Rig& rig, Source& source) {
    const Entity body = pick_body(rig, source);
    const float strength = source.size(0.1f, 1e5f);
    const Vec3 linear = source.vector(strength), angular = source.vector(strength);
    const Force to{numbers(rig, source, linear), numbers(rig, source, angular)};
    rig.note("    " + text(to.linear) + " " + text(to.angular));
    write<Force>(rig, source, body, "Force", [&](Force& f) { f = to; });
}

void write_rigid_body(Rig& rig, Source& source) {
    const Entity body = pick_body(rig, source);
    RigidBody to;
    to.type = goes_wrong(rig, source) ? BodyType(source.word()) : body_type(source);
    to.gravity_scale = number(rig, source, source.between(-1.0f, 2.0f));
    to.linear_damping = number(rig, source, source.once_in(2) ? 0.0f : source.between(0.0f, 5.0f));
    to.angular_damping = number(rig, source, source.once_in(2) ? 0.0f : source.between(0.0f, 5.0f));
    to.allow_sleep = source.below(2);
    rig.note(fmt::format("    type {} gravity {} damping {} {} sleep {}", uint32_t(to.type), to.gravity_scale,
                         to.linear_damping, to.angular_damping, to.allow_sleep));
    write<RigidBody>(rig, source, body, "RigidBody", [&](RigidBody& b) { b = to; });
}

void write_mass(Rig& rig, Source& source) {
    const Entity body = pick_body(rig, source);
    const Mass to = mass(rig, source);
    rig.note(fmt::format("    mass {} center {} inertia {} source {}", to.mass, text(to.center), to.inertia.xx,
                         uint32_t(to.source)));
    write<Mass>(rig, source, body, "Mass", [&](Mass& m) { m = to; });
}

void write_collider(Rig& rig, Source& source) {
    const Entity entity = pick_collider(rig, source);
    Collider to = collider(rig, source);
    const uint32_t what = source.below(6);
    const Entity other = pick_body(rig, source);
    write<Collider>(rig, source, entity, "Collider", [&](Collider& c) {
        if (what == 0) c.shape = to.shape;
        if (what == 1) c.local = to.local;
        if (what == 2) c.material = to.material;
        if (what == 3) c.layer = to.layer, c.mask = to.mask, c.density = to.density;
        if (what == 4) c.body = other;
        if (what == 5) c.group = to.group, c.is_sensor = to.is_sensor, c.events = to.events;
        rig.note(
            fmt::format("    {}: body {} shape {} local {}", what, text(c.body), uint32_t(c.shape), text(c.local)));
    });
}

void write_joint(Rig& rig, Source& source) {
    const Entity entity = pick_joint(rig, source);
    const BallJoint to = ball_joint(rig, source);
    const uint32_t what = source.below(4);
    write<BallJoint>(rig, source, entity, "BallJoint", [&](BallJoint& joint) {
        if (what == 0) joint.body_a = to.body_a;
        if (what == 1) joint.body_b = to.body_b;
        if (what == 2) joint.anchor_a = to.anchor_a, joint.anchor_b = to.anchor_b;
        if (what == 3) joint.hertz = to.hertz, joint.collide_connected = to.collide_connected;
        rig.note("    " + text(joint));
    });
}

/// What the step writes of a body and of a joint; a game that writes it itself is not stopped.
void write_step_state(Rig& rig, Source& source) {
    const Entity body = pick_body(rig, source), joint = pick_joint(rig, source);
    const float value = number(rig, source, source.between(0.0f, 2.0f));
    const uint32_t what = source.below(4);
    write<SleepState>(rig, source, body, "SleepState", [&](SleepState& sleep) {
        if (what == 0) sleep.asleep = 1;
        if (what == 1) sleep.timer = value;
        if (what == 2) sleep.direct_steps = uint8_t(source.below(3));
        if (what == 3) sleep.mean_linear.x = value;
        rig.note(fmt::format("    {}: {}", what, value));
    });
    write<JointState>(rig, source, joint, "JointState", [&](JointState& state) {
        if (what < 2) state = {};
        if (what == 2) state.colour = source.byte();
        if (what == 3) state.lambda[1] = value;
    });
}

void wake(Rig& rig, Source& source) {
    const Entity body = pick_body(rig, source);
    rig.note("  wake " + text(body));
    check_sentence(rig, rig.world->wake(body), "Waking");
}

/// One of the calls that change a body; each is refused with a sentence or done.
void change_body(Rig& rig, Source& source) {
    PhysicsWorld& world = *rig.world;
    const Entity body = pick_body(rig, source);
    const Vec3 point = numbers(rig, source, source.vector(1.0f));
    const Vec3 push = numbers(rig, source, source.vector(source.size(0.01f, 1e4f)));
    const uint32_t what = source.below(19);
    const auto change = [&]() -> Result<void> {
        switch (what) {
            case 0:
                return world.set_type(body, goes_wrong(rig, source) ? BodyType(source.byte()) : body_type(source));
            case 1:
                return world.set_mass(body, mass(rig, source));
            case 2:
                return world.set_material(body, material(rig, source));
            case 3:
                return world.set_material(pick_collider(rig, source), material(rig, source));
            case 4:
                return world.set_pose(body, pose(rig, source));
            case 5:
                return world.set_velocity(body, velocity(rig, source));
            case 6:
                return world.move_kinematic(body, pose(rig, source), number(rig, source, kDt));
            case 7:
                return world.apply_force(body, push);
            case 8:
                return world.apply_torque(body, push);
            case 9:
                return world.apply_force_at(body, push, point);
            case 10:
                return world.apply_impulse(body, push);
            case 11:
                return world.apply_angular_impulse(body, push);
            case 12:
                return world.apply_impulse_at(body, push, point);
            case 13:
                return world.remove_collider(pick_collider(rig, source));
            case 14:
                return world.set_contact_rules(source.once_in(2) ? body : pick_collider(rig, source),
                                               contact_rules(rig, source));
            case 15:
            case 16:
                return world.ignore_pair(source.once_in(2) ? body : pick_collider(rig, source),
                                         source.once_in(2) ? pick_body(rig, source) : pick_collider(rig, source));
            case 17:
                return world.stop_ignoring_pair(
                    source.once_in(2) ? body : pick_collider(rig, source),
                    source.once_in(2) ? pick_body(rig, source) : pick_collider(rig, source));
            default:
                return world.sleep(body);
        }
    };
    const Result<void> changed = change();
    check_sentence(rig, changed, "A change of a body");
    rig.note(fmt::format("  change number {} of {}: {}", what, text(body), text(changed)));
}

void sleep(Rig& rig, Source& source) {
    const Entity body = pick_body(rig, source);
    const Result<void> asleep = rig.world->sleep(body);
    check_sentence(rig, asleep, "Sleep");
    rig.note("  sleep " + text(body) + ": " + text(asleep));
}

// ---- settings and solvers

std::string_view solver_name(Rig& rig, Source& source) {
    if (goes_wrong(rig, source)) return "gauss";
    static constexpr std::string_view usual[] = {"prox_gs", "prox_gs", "prox_jacobi", "pgs"};
    if (!rig.laboratory || !source.once_in(2)) return source.pick(usual);
    // Pivoting takes seconds for dozens of contacts, and a world has a minute: conformance and failed_solvers have it.
    const Solver& row = source.pick_of(solver_table());
    return row.family == Family::pivoting ? source.pick(usual) : row.name;
}

void set_settings(Rig& rig, Source& source) {
    StepSettings s = rig.world->settings();
    const uint32_t changes = 1 + source.below(3);
    for (uint32_t k = 0; k < changes; ++k) {
        switch (source.below(16)) {
            case 0:
            case 1:
                s.solver = solver_name(rig, source);
                break;
            case 2:
                s.substeps = 1 + source.below(goes_wrong(rig, source) ? 2000 : 8);
                break;
            case 3:
                s.stabilisation = Stabilisation(source.below(goes_wrong(rig, source) ? 256 : 3));
                break;
            case 4:
                s.stepping = Stepping(source.below(goes_wrong(rig, source) ? 256 : 2));
                break;
            case 5:
                s.simd_kernels = source.once_in(2);
                break;
            case 6:
                s.direct_islands = source.once_in(2);
                break;
            case 7:
                s.sleeping = source.once_in(2);
                break;
            case 8:
                s.tolerance = source.once_in(2) ? 0.0 : double(number(rig, source, source.size(1e-6f, 1.0f)));
                break;
            case 9:
                s.iterations = source.below(6);
                break;  // 0 is refused
            case 10:
                s.relax_iterations = source.below(4);
                break;
            case 11:
                s.r_strategy = RStrategy(source.below(goes_wrong(rig, source) ? 256 : 3));
                break;
            case 12:
                s.gravity = numbers(rig, source, source.once_in(2) ? Vec3(0.0f, -9.81f, 0.0f) : source.vector(20.0f));
                break;
            case 13:
                s.sleep_time = number(rig, source, source.between(0.0f, 0.3f));
                break;
            case 14:
                s.manifold_reuse_distance = number(rig, source, source.between(0.0f, 0.1f));
                break;
            case 15:
                s.gyroscopic = source.once_in(2);
                s.escalate = source.once_in(2);
                s.speculative_distance = number(rig, source, source.between(0.0f, 0.1f));
                break;
        }
    }
    const Result<void> set = rig.world->set_settings(s);
    check_sentence(rig, set, "A setting");
    rig.note(
        fmt::format("  settings solver {} substeps {} iterations {} relax {} tolerance {} stabilisation {} stepping {} "
                    "wide {} direct {} sleeping {} r {} gravity {} sleep_time {} reuse {} escalate {}: {}",
                    s.solver, s.substeps, s.iterations, s.relax_iterations, s.tolerance, int(s.stabilisation),
                    int(s.stepping), s.simd_kernels, s.direct_islands, s.sleeping, int(s.r_strategy), text(s.gravity),
                    s.sleep_time, s.manifold_reuse_distance, s.escalate, text(set)));
}

void set_solver(Rig& rig, Source& source) {
    const Entity body = pick_body(rig, source);
    const std::string_view name = solver_name(rig, source);
    const float tolerance = source.once_in(2) ? 0.0f : number(rig, source, source.size(1e-6f, 1.0f));
    const uint32_t iterations = source.once_in(2) ? 0 : source.below(20);
    const Result<void> set = rig.world->set_solver(body, name, tolerance, iterations);
    check_sentence(rig, set, "A solver");
    rig.note(fmt::format("  set_solver {} {} tolerance {} iterations {}: {}", text(body), name, tolerance, iterations,
                         text(set)));
}

void clear_solver(Rig& rig, Source& source) {
    const Entity body = pick_body(rig, source);
    rig.note("  clear_solver " + text(body));
    rig.world->clear_solver(body);
}

/// A library may grow while worlds use it.
void add_shape(Rig& rig, Source& source) {
    if (rig.shapes.size() >= kMaxShapes) return;
    const Result<ShapeId> made = rig.world->shapes().add(random_shape(rig, source));
    check_sentence(rig, made, "A shape");
    rig.note("  add_shape: " + text(made));
    if (made) rig.shapes.push_back(made.value());
}

void set_jobs(Rig& rig, Source& source) {
    const uint32_t threads = 1 + source.below(rig.variant.threads);
    rig.world->set_jobs(engine::make_threaded_jobs(threads));
    rig.note("  set_jobs");
}

// ---- snapshots

/// A world takes its own snapshots back, whatever was written into it.
void check_own(Rig& rig, const Result<void>& restored) {
    check_sentence(rig, restored, "A snapshot");
    if (!restored) rig.fail("A world refused a snapshot of its own: " + restored.error());
}

void save(Rig& rig, Source&) {
    engine::Snapshot snapshot;
    rig.world->save(snapshot);
    rig.note(fmt::format("  save, {} bytes", snapshot.bytes.size()));
    if (rig.snapshots.size() >= kMaxSnapshots) rig.snapshots.erase(rig.snapshots.begin());
    rig.snapshots.push_back({std::move(snapshot), rig.next_label()});
}

void restore(Rig& rig, Source& source) {
    const engine::Snapshot* snapshot = find_above(rig.snapshots, source.word(), [](const auto&) { return true; });
    if (!snapshot) return;
    const Result<void> restored = rig.world->restore(*snapshot);
    rig.note(fmt::format("  restore what has {} bytes: {}", snapshot->bytes.size(), text(restored)));
    check_own(rig, restored);
}

// ---- looking

void capture(Rig& rig, Source& source) {
    const float dt = number(rig, source, kDt);
    const Result<ContactDump> dump = rig.world->capture(dt);
    check_sentence(rig, dump, "A capture");
    rig.note("  capture: " + text(dump));
}

void look(Rig& rig, Source& source) {
    DebugFrame frame;
    rig.note("  collect_debug, memory, island");
    collect_debug(*rig.world, source.once_in(2) ? uint32_t(kDebugAll) : source.below(128), frame);
    if (rig.world->memory().total() > (size_t(1) << 30))
        rig.fail("A world of some thirty bodies holds more than 1 GiB.");
    for (const auto& body : rig.bodies) {
        (void)rig.world->island(body.thing);
        if (!has<RigidBody>(rig, body.thing)) continue;
        // Asking for what the game took away is a mistake of the game.
        if (has<Pose>(rig, body.thing)) (void)rig.world->pose(body.thing);
        if (has<Velocity>(rig, body.thing)) (void)rig.world->velocity(body.thing);
        if (has<Mass>(rig, body.thing)) (void)rig.world->mass(body.thing);
        (void)rig.world->is_asleep(body.thing);
        for (const Entity collider : rig.world->colliders(body.thing))
            if (!has<Collider>(rig, collider)) rig.fail("colliders() lists one that is gone.");
        for (const ContactView& contact : rig.world->contacts(body.thing))
            if (contact.body_a != body.thing && contact.body_b != body.thing && contact.pair != body.thing)
                rig.fail("contacts() lists one of somebody else.");
    }
    for (const ContactView& contact : rig.world->contacts())
        if (contact.manifold->count < 1 || contact.manifold->count > 4)
            rig.fail("A contact has no points, or too many.");
}

void list_bodies(Rig& rig, Source&) {
    rig.note("  bodies");
    for (const Entity body : rig.world->bodies())
        if (!has<RigidBody>(rig, body)) rig.fail("bodies() lists one that is gone.");
}

void cast_ray(Rig& rig, Source& source) {
    Ray ray;
    ray.origin = numbers(rig, source, source.vector(4.0f));
    ray.direction = numbers(rig, source, source.vector(1.0f));
    const float limit = source.once_in(2) ? kNoRayLimit : number(rig, source, source.between(0.0f, 10.0f));
    rig.note(fmt::format("  ray from {} along {} limit {}", text(ray.origin), text(ray.direction), limit));
    const auto hit = ray_cast(*rig.world, ray, limit, source.once_in(4) ? source.word() : 0xFFFFFFFFu,
                              source.once_in(2) ? RayStart::hits : RayStart::passes);
    if (hit && !(has<Collider>(rig, hit->collider) && std::isfinite(hit->hit.distance) && hit->hit.distance >= 0.0f))
        rig.fail(fmt::format("A ray hit collider {} at distance {}.", text(hit->collider), hit->hit.distance));
}

// ---- stepping

bool is_finite_body(const Pose& pose, const Velocity& velocity) {
    return is_finite(pose.position) && is_finite(pose.rotation) && is_finite(velocity.linear) &&
           is_finite(velocity.angular);
}

void check_after_step(Rig& rig) {
    const entt::registry& registry = rig.world->registry();
    for (const Entity body : rig.world->bodies()) {
        if (!registry.all_of<Pose, Velocity>(body) || registry.all_of<Quarantined>(body)) continue;
        const Pose& pose = registry.get<Pose>(body);
        const Velocity& velocity = registry.get<Velocity>(body);
        if (is_finite_body(pose, velocity)) continue;
        rig.fail(fmt::format("Body {} is not finite after step {}, and not quarantined: {}, velocity {} {}.",
                             text(body), rig.world->report().step, text(pose), text(velocity.linear),
                             text(velocity.angular)));
    }
    for (const StepWarning& warning : rig.world->report().warnings) {
        rig.note("    warns of " + text(warning.entity) + ": " + warning.message);
        if (warning.message.empty()) rig.fail("A step warned without a word.");
    }
}

/// All that the world is and says after a step: its snapshot byte by byte, which has every identifier and the history,
/// and the events.
uint64_t hash_of(const PhysicsWorld& world) {
    StateHash hash;
    engine::Snapshot snapshot;
    world.save(snapshot);
    hash.add_bytes(snapshot.bytes);
    const auto add = [&](auto... entities) { (hash.add(uint32_t(entt::to_integral(entities))), ...); };
    for (const ContactBegin& e : world.events().begin) add(e.pair, e.collider_a, e.collider_b, e.body_a, e.body_b);
    for (const ContactEnd& e : world.events().end) add(e.collider_a, e.collider_b, e.body_a, e.body_b);
    for (const ContactHit& e : world.events().hit) {
        add(e.pair, e.collider_a, e.collider_b, e.body_a, e.body_b);
        hash.add(e.point);
        hash.add(e.normal);
        hash.add(e.approach_speed);
        hash.add(e.normal_impulse);
        hash.add(e.tangent_impulse);
    }
    return hash.value();
}

void step_by(Rig& rig, float dt) {
    const Result<void> stepped = rig.world->step(dt);
    check_sentence(rig, stepped, "A step");
    const bool sensible = std::isfinite(dt) && dt > 1e-6f && dt <= kMaxStepTime;
    if (sensible && !stepped) rig.fail(fmt::format("A step of {} s was refused: {}", dt, stepped.error()));
    if (!std::isfinite(dt) || dt <= 0.0f || dt > kMaxStepTime)
        if (stepped) rig.fail(fmt::format("A step of {} s was made.", dt));
    if (stepped) check_after_step(rig);
    if (stepped) rig.hashes.push_back(hash_of(*rig.world));
    const StepReport& report = rig.world->report();
    rig.note(
        fmt::format("  step {} of {} s: {} bodies, {} sleep, {} pairs, {} contacts, {} islands, {} direct, "
                    "{} apart, hash {:016x}",
                    report.step, dt, report.bodies, report.sleeping, report.pairs, report.contacts, report.islands,
                    report.direct_islands, report.general_islands, rig.world->state_hash()));
}

void step(Rig& rig, Source& source) {
    float dt = kDt;
    if (source.once_in(6)) dt = source.size(1e-4f, 0.1f);
    if (goes_wrong(rig, source)) dt = source.nonsense();
    step_by(rig, dt);
}

/// Long enough for bodies to come to rest and to sleep.
void step_on(Rig& rig, Source& source) {
    const uint32_t count = 2 + source.below(20);
    for (uint32_t k = 0; k < count && rig.failure.empty(); ++k) step_by(rig, kDt);
}

constexpr Action kActions[] = {
    {"create_body", 12, create_body},
    {"create_stack", 3, create_stack},
    {"create_collider", 4, create_collider},
    {"create_joint", 5, create_joint},
    {"create_chain", 2, create_chain},
    {"destroy_joint", 2, destroy_joint},
    {"destroy_joint_entity", 1, destroy_joint_entity},
    {"destroy_contact_entity", 1, destroy_contact_entity},
    {"destroy_body", 4, destroy_body},
    {"destroy_body_entity", 2, destroy_body_entity},
    {"destroy_collider_entity", 3, destroy_collider_entity},
    {"remove_component", 3, remove_component},
    {"emplace_component", 2, emplace_component},
    {"end_quarantine", 3, end_quarantine},
    {"write_pose", 6, write_pose},
    {"write_velocity", 6, write_velocity},
    {"write_force", 3, write_force},
    {"write_rigid_body", 3, write_rigid_body},
    {"write_mass", 3, write_mass},
    {"write_collider", 4, write_collider},
    {"write_joint", 3, write_joint},
    {"write_step_state", 2, write_step_state},
    {"change_body", 12, change_body},
    {"sleep", 2, sleep},
    {"wake", 2, wake},
    {"set_settings", 8, set_settings},
    {"set_solver", 4, set_solver},
    {"clear_solver", 3, clear_solver},
    {"add_shape", 1, add_shape},
    {"set_jobs", 1, set_jobs},
    {"save", 4, save},
    {"restore", 4, restore},
    {"capture", 1, capture},
    {"look", 2, look},
    {"list_bodies", 1, list_bodies},
    {"cast_ray", 3, cast_ray},
    {"step", 40, step},
    {"step_on", 4, step_on},
};

}  // namespace

std::span<const Action> actions() { return kActions; }

void set_up(Rig& rig, Source& source) {
    rig.nonsense_once_in = source.once_in(2) ? 0 : 10 + source.below(40);
    rig.laboratory = source.once_in(4);
    rig.writes_in_place = source.once_in(4);
    const auto add_shape = [&](const ShapeDesc& desc) {
        const Result<ShapeId> made = rig.world->shapes().add(desc);
        check_sentence(rig, made, "A shape");
        if (made) rig.shapes.push_back(made.value());
    };
    add_shape({.type = ShapeType::box, .half_extents = {0.25f, 0.25f, 0.25f}});
    add_shape({.type = ShapeType::sphere, .radius = 0.25f});
    add_shape({.type = ShapeType::half_space});
    for (int k = 0; k < 6; ++k) add_shape(random_shape(rig, source));
    rig.note(fmt::format("nonsense once in {}, writes in place {}, laboratory {}, {} shapes", rig.nonsense_once_in,
                         rig.writes_in_place, rig.laboratory, rig.shapes.size()));
    if (source.once_in(8)) return;
    const bool is_plane = source.once_in(2);
    BodyDesc desc{.type = source.once_in(8) && !is_plane ? BodyType::kinematic : BodyType::fixed};
    if (!is_plane) {
        add_shape({.type = ShapeType::box, .half_extents = {20.0f, 0.5f, 20.0f}});
        desc.pose.position.y = -0.5f;
    }
    const Entity floor = add_body(rig, desc);
    add_collider(rig, floor, {.shape = is_plane ? rig.shapes[2] : rig.shapes.back()});
}

void save_and_restore(Rig& rig, bool in_new_world) {
    if (!rig.variant.restores) return;
    engine::Snapshot snapshot;
    rig.world->save(snapshot);
    rig.note(in_new_world ? "  (save, restore in a new world)" : "  (save, restore)");
    std::unique_ptr<PhysicsWorld> other;
    if (in_new_world) {
        other = rig.make_world();
        other->shapes() = rig.world->shapes();
    }
    const Result<void> restored = (other ? other : rig.world)->restore(snapshot);
    check_own(rig, restored);
    if (restored && other) rig.world = std::move(other);
    engine::Snapshot again;
    rig.world->save(again);
    if (again.bytes != snapshot.bytes) rig.fail("A restored world saves other bytes than it was given.");
}

}  // namespace proxima::fuzz
