// SPDX-License-Identifier: MIT
#include "tests/fuzz/snapshots.h"

#include <fmt/format.h>

#include <cstring>

#include "physics/joints/ball_joint.h"
#include "physics/physics.h"
#include "tests/fuzz/mutate.h"

namespace proxima::fuzz {

using namespace proxima::physics;

namespace {

constexpr float kDt = 1.0f / 60.0f;
constexpr int kFutureSteps = 3;

/// Everything that snapshots hold: every kind of body and shape, stacks that are solved directly, sleepers, a solver
/// of an island's own, friction beyond the disk, a quarantined body, joints, identifiers that wait for recycling.
std::unique_ptr<PhysicsWorld> make_victim(uint32_t kind) {
    auto world = std::make_unique<PhysicsWorld>();
    StepSettings settings;
    settings.sleep_time = 0.2f;
    if (kind == 1) settings.simd_kernels = false;
    (void)world->set_settings(settings);
    ShapeLibrary& shapes = world->shapes();
    const ShapeId plane = shapes.add({.type = ShapeType::half_space}).value();
    const ShapeId list[] = {
        shapes.add({.type = ShapeType::box, .half_extents = {0.25f, 0.25f, 0.25f}}).value(),
        shapes.add({.type = ShapeType::sphere, .radius = 0.25f}).value(),
        shapes.add({.type = ShapeType::capsule, .radius = 0.15f, .half_height = 0.2f}).value(),
        shapes
            .add({.type = ShapeType::hull,
                  .points = {{-0.3f, -0.2f, -0.3f}, {0.3f, -0.2f, -0.3f}, {0.0f, -0.2f, 0.3f}, {0.0f, 0.3f, 0.0f}}})
            .value()};
    const Entity floor = world->create_body({.type = BodyType::fixed}).value();
    (void)world->add_collider(floor, {.shape = plane});
    Source source(uint64_t(kind) + 1);
    const auto add = [&](const Vec3& position, ShapeId shape, BodyType type = BodyType::dynamic) {
        const Entity body = world->create_body({.type = type, .pose = {.position = position}}).value();
        Collider collider{.shape = shape};
        if (kind == 2 && source.once_in(3)) collider.material.rolling_friction = 0.01f;
        (void)world->add_collider(body, collider);
        return body;
    };
    for (int k = 0; k < 6; ++k) add({2.0f, 0.25f + 0.5f * float(k), 0.0f}, list[0]);
    for (int k = 0; k < 14; ++k) add(source.vector(0.7f) + Vec3(0.0f, 1.5f, 0.0f), list[k % 4]);
    const Entity pusher = add({-3.0f, 0.5f, 0.0f}, list[0], BodyType::kinematic);
    world->registry().get<Velocity>(pusher).linear.x = 0.5f;
    const Entity sick = add({5.0f, 2.0f, 0.0f}, list[1]);
    const Entity special = add({-5.0f, 0.25f, 0.0f}, list[0]);
    (void)world->set_solver(special, "nncg", 1e-4f);
    Entity above = world->create_body({.type = BodyType::fixed, .pose = {.position = {-8.0f, 3.0f, 0.0f}}}).value();
    for (int k = 0; k < 3; ++k) {
        const Entity link = add({-7.5f + 0.6f * float(k), 3.0f, 0.0f}, list[2]);
        (void)world->create_joint(BallJoint{.body_a = above,
                                            .body_b = link,
                                            .anchor_a = {k == 0 ? 0.0f : 0.3f, 0.0f, 0.0f},
                                            .anchor_b = {-0.3f, 0.0f, 0.0f},
                                            .hertz = k == 1 ? 5.0f : 0.0f});
        above = link;
    }
    const Entity gone = add({9.0f, 0.25f, 0.0f}, list[0]);
    for (int k = 0; k < 30; ++k) (void)world->step(kDt);
    world->registry().get<Velocity>(sick).linear.x = std::numeric_limits<float>::quiet_NaN();
    world->destroy_body(gone);
    for (int k = 0; k < 10 + 20 * int(kind); ++k) (void)world->step(kDt);
    return world;
}

/// Changes of every kind that wait for the next step, which a snapshot has too.
void change(PhysicsWorld& world) {
    entt::registry& registry = world.registry();
    const std::vector<Entity> bodies(world.bodies().begin(), world.bodies().end());
    const Entity fresh = world.create_body({.pose = {.position = {12.0f, 1.0f, 0.0f}}}).value();
    (void)world.add_collider(fresh, {.shape = ShapeId{1}});
    world.destroy_body(bodies[2]);
    registry.destroy(bodies[4]);
    registry.remove<Velocity>(bodies[5]);
    registry.get<Pose>(bodies[6]).position.y += 0.1f;
}

std::string check_finite(PhysicsWorld& world) {
    for (const Entity body : world.bodies()) {
        if (world.registry().all_of<Quarantined>(body)) continue;
        const Pose& pose = world.registry().get<Pose>(body);
        const Velocity& velocity = world.registry().get<Velocity>(body);
        if (!is_finite(pose.position) || !is_finite(pose.rotation) || !is_finite(velocity.linear) ||
            !is_finite(velocity.angular))
            return "A body is not finite and not quarantined.";
    }
    return {};
}

template <class Any>
std::string to_string(const Any& snapshot) {
    return {reinterpret_cast<const char*>(snapshot.bytes.data()), snapshot.bytes.size()};
}
template <class Any = engine::Snapshot>
Any to_snapshot(const std::string& bytes) {
    Any snapshot;
    snapshot.bytes.resize(bytes.size());
    if (!bytes.empty()) std::memcpy(snapshot.bytes.data(), bytes.data(), bytes.size());
    return snapshot;
}

}  // namespace

SnapshotFuzzer::SnapshotFuzzer() {
    for (uint32_t kind = 0; kind < 3; ++kind) {
        Victim& victim = victims_.emplace_back();
        victim.world = make_victim(kind);
        victim.world->save(victim.snapshot);
        bytes_.push_back(to_string(victim.snapshot));
        PhysicsSnapshot state;
        victim.world->save_state(victim.base);
        full_states_.push_back(to_string(victim.base));
        for (int k = 0; k < kFutureSteps; ++k) {
            (void)victim.world->step(kDt);
            victim.future.push_back(victim.world->state_hash());
        }
        engine::Snapshot later;
        victim.world->save(later);
        bytes_.push_back(to_string(later));
        const auto save_difference = [&] {
            (void)victim.world->save_state_since(victim.base, state);
            differences_.push_back(to_string(state));
        };
        save_difference();
        change(*victim.world);
        victim.world->save(later);
        bytes_.push_back(to_string(later));
        save_difference();
        victim.world->save_state(state);
        full_states_.push_back(to_string(state));
        (void)victim.world->restore(victim.snapshot);
    }
}

std::string SnapshotFuzzer::restore(Victim& victim, const engine::Snapshot& snapshot) {
    PhysicsWorld& world = *victim.world;
    const uint64_t hash = world.state_hash();
    return judge(victim, world.restore(snapshot), hash);
}

std::string SnapshotFuzzer::restore_state(Victim& victim, const PhysicsSnapshot& snapshot, bool difference) {
    PhysicsWorld& world = *victim.world;
    const uint64_t hash = world.state_hash();
    return judge(victim, difference ? world.restore_state(victim.base, snapshot) : world.restore_state(snapshot), hash);
}

std::string SnapshotFuzzer::judge(Victim& victim, const Result<void>& restored, uint64_t hash) {
    PhysicsWorld& world = *victim.world;
    if (!restored) {
        ++refused_;
        if (restored.error().size() < 10 || restored.error().back() != '.')
            return "It was refused without a sentence: '" + restored.error() + "'.";
        if (world.state_hash() != hash) return "It was refused, and the world is another one.";
        return {};
    }
    ++accepted_;
    // Work that the snapshot asks for is done, but these cases are many.
    StepSettings settings = world.settings();
    settings.substeps = std::min(settings.substeps, 8u);
    settings.iterations = std::min(settings.iterations, 4u);
    settings.relax_iterations = std::min(settings.relax_iterations, 4u);
    settings.projection_passes = std::min(settings.projection_passes, 4u);
    (void)world.set_settings(settings);
    for (int k = 0; k < kFutureSteps; ++k) {
        if (const Result<void> stepped = world.step(kDt); !stepped) return "A step was refused: " + stepped.error();
        if (std::string wrong = check_finite(world); !wrong.empty()) return wrong;
    }
    engine::Snapshot after;
    world.save(after);
    const std::vector<Entity> bodies(world.bodies().begin(), world.bodies().end());
    for (size_t k = 0; k < bodies.size(); k += 1 + bodies.size() / 4) {
        world.destroy_body(bodies[k]);
        (void)world.step(kDt);
    }
    if (const Result<void> back = world.restore(victim.snapshot); !back)
        return "The world does not take its own snapshot any more: " + back.error();
    return {};
}

std::string SnapshotFuzzer::run(Source& source) {
    Victim& victim = source.pick_of(victims_);
    if (source.once_in(2)) return run_state(victim, source);
    std::string bytes = mutate_bytes(source.pick_of(bytes_), bytes_, source);
    engine::Snapshot snapshot = to_snapshot(bytes);
    if (!source.once_in(6)) engine::update_checksum(snapshot);
    return restore(victim, snapshot);
}

std::string SnapshotFuzzer::run_state(Victim& victim, Source& source) {
    const bool difference = source.once_in(2);
    const std::vector<std::string>& from = difference ? differences_ : full_states_;
    auto snapshot = to_snapshot<PhysicsSnapshot>(mutate_bytes(source.pick_of(from), from, source));
    if (difference && !source.once_in(6) && snapshot.bytes.size() >= 24)  // of whichever victim
        std::memcpy(snapshot.bytes.data() + 16, victim.base.bytes.data() + 8, sizeof(uint64_t));
    if (!source.once_in(6)) physics::update_checksum(snapshot);
    return restore_state(victim, snapshot, difference);
}

std::string SnapshotFuzzer::run_bytes(std::string bytes) {
    engine::Snapshot snapshot = to_snapshot(bytes);
    engine::update_checksum(snapshot);
    return restore(victims_[0], snapshot);
}

std::string SnapshotFuzzer::check_futures() {
    for (Victim& victim : victims_) {
        engine::Snapshot now;
        victim.world->save(now);
        if (now.bytes != victim.snapshot.bytes) return "A world is not what it was before the damaged snapshots.";
        for (const uint64_t hash : victim.future) {
            if (const Result<void> stepped = victim.world->step(kDt); !stepped) return stepped.error();
            if (victim.world->state_hash() != hash) return "Damaged snapshots gave a world another future.";
        }
        if (const Result<void> back = victim.world->restore(victim.snapshot); !back) return back.error();
    }
    return {};
}

std::string run_snapshot_cases(uint64_t first, uint64_t count) {
    SnapshotFuzzer fuzzer;
    for (uint64_t number = first; number < first + count; ++number) {
        Source source(number);
        if (std::string wrong = fuzzer.run(source); !wrong.empty()) return wrong;
    }
    return fuzzer.check_futures();
}

}  // namespace proxima::fuzz
