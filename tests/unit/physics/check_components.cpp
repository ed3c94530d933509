// SPDX-License-Identifier: MIT
// Snapshots whose checksum is right and whose content is not: the world says which component is wrong and goes on.
#include "physics/state/check_components.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>

#include "physics/state/recording.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

/// A box on a floor, and one that does not sleep beside it, after some steps.
struct Scene : TestWorld {
    Entity ground = floor(), box_body, collider_of_box, pair;
    Scene() {
        box_body = body(box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
        run(0.2f);
        for (const Entity entity : world.registry().view<Collider>())
            if (world.registry().get<Collider>(entity).body == box_body) collider_of_box = entity;
        for (const Entity entity : world.registry().view<ContactPair>()) pair = entity;
        REQUIRE(world.registry().valid(pair));
    }
    engine::Snapshot saved() const {
        engine::Snapshot snapshot;
        world.save(snapshot);
        return snapshot;
    }
};

/// The damage is written into the registry, as nobody may, saved and taken back: what a snapshot with a right
/// checksum and wrong content is.
template <class Component>
void check_refused(Entity Scene::*entity, const std::function<void(Component&)>& damage, const std::string& words) {
    Scene scene, twin;
    Component& component = scene.world.registry().get<Component>(scene.*entity);
    const Component before = component;
    damage(component);
    const engine::Snapshot bad = scene.saved();
    component = before;
    const engine::Snapshot good = scene.saved();

    const Result<void> restored = scene.world.restore(bad);
    CHECK_FALSE(restored.ok());
    INFO(restored.error());
    CHECK(restored.error().find(words) != std::string::npos);
    CHECK(restored.error().back() == '.');
    CHECK(scene.saved().bytes == good.bytes);
    scene.run(0.5f);
    twin.run(0.5f);
    CHECK(scene.world.state_hash() == twin.world.state_hash());
}

}  // namespace

TEST_CASE("a snapshot with a component that makes no sense is refused, and the world has the future it had") {
    check_refused<Pose>(
        &Scene::box_body, [](Pose& p) { p.position.y = kNan; }, "'Pose'");
    check_refused<Pose>(
        &Scene::box_body,
        [](Pose& p) {
            p.rotation = {0.0f, 0.0f, 0.0f, 0.0f};
        },
        "unit quaternion");
    check_refused<Velocity>(
        &Scene::box_body, [](Velocity& v) { v.angular.x = kInf; }, "'Velocity'");
    check_refused<Force>(
        &Scene::box_body, [](Force& f) { f.linear.x = kNan; }, "'Force'");
    check_refused<RigidBody>(
        &Scene::box_body, [](RigidBody& b) { b.type = BodyType(3); }, "fixed, kinematic or dynamic");
    check_refused<RigidBody>(
        &Scene::box_body, [](RigidBody& b) { b.linear_damping = -1.0f; }, "Damping");
    check_refused<Mass>(
        &Scene::box_body, [](Mass& m) { m.source = MassSource(7); }, "source of a mass");
    check_refused<StableId>(
        &Scene::box_body, [](StableId& id) { id.value = 0; }, "Stable ids");
    check_refused<StableId>(
        &Scene::box_body, [](StableId& id) { id.value = 1; }, "there twice");
    check_refused<StableId>(
        &Scene::box_body, [](StableId& id) { id.value = 1000; }, "next new one");
    check_refused<StableId>(
        &Scene::box_body, [](StableId& id) { id.value = 5; }, "next new one");  // the very next one
    check_refused<Collider>(
        &Scene::collider_of_box, [](Collider& c) { c.density = 0.0f; }, "density");
    check_refused<Collider>(
        &Scene::collider_of_box, [](Collider& c) { c.shape = ShapeId(99); }, "99");
    check_refused<Collider>(
        &Scene::collider_of_box, [](Collider& c) { c.local.position.x = kInf; }, "position");
    check_refused<Collider>(
        &Scene::collider_of_box, [](Collider& c) { c.material.friction = -1.0f; }, "Friction");
    check_refused<Collider>(
        &Scene::collider_of_box, [](Collider& c) { c.material.restitution = 2.0f; }, "Restitution");
    check_refused<Collider>(
        &Scene::collider_of_box, [](Collider& c) { c.material.friction_combine = Combine(9); }, "combine mode");
    check_refused<ContactPair>(
        &Scene::pair, [](ContactPair& p) { p.touching = 2; }, "touch");
    check_refused<ContactPair>(
        &Scene::pair, [](ContactPair& p) { p.collider_b = p.collider_a; }, "two colliders");
}

TEST_CASE("a snapshot with a state of rest or a contact patch that makes no sense is refused") {
    check_refused<SleepState>(
        &Scene::box_body, [](SleepState& r) { r.asleep = 2; }, "sleeps");
    check_refused<SleepState>(
        &Scene::box_body, [](SleepState& r) { r.timer = -1.0f; }, "time of rest");
    check_refused<SleepState>(
        &Scene::box_body, [](SleepState& r) { r.mean_linear.x = kNan; }, "mean velocity");
}

TEST_CASE("a solver that does not exist is refused") {
    Scene scene;
    REQUIRE(scene.world.set_solver(scene.box_body, "nncg").ok());
    SolverChoice& choice = scene.world.registry().get<SolverChoice>(scene.box_body);
    const SolverChoice before = choice;
    choice.solver[0] = '?';
    const engine::Snapshot bad = scene.saved();
    choice = before;
    CHECK(scene.world.restore(bad).error().find("no solver called") != std::string::npos);
    scene.run(0.2f);
}

TEST_CASE("what only waits for the next step to be tidied up is restored") {
    const auto restores = [](const char* what, const std::function<void(Scene&)>& change) {
        CAPTURE(what);
        Scene scene;
        change(scene);
        const Result<void> restored = scene.world.restore(scene.saved());
        CHECK_MESSAGE(restored.ok(), restored.error());
        scene.run(0.1f);
    };
    restores("a body that lacks a component", [](Scene& s) { s.world.registry().remove<Velocity>(s.box_body); });
    restores("a collider without a body", [](Scene& s) { s.world.registry().destroy(s.box_body); });
    restores("a contact without a collider", [](Scene& s) { s.world.registry().destroy(s.collider_of_box); });
    restores("a body without its colliders", [](Scene& s) { s.world.registry().remove<Collider>(s.collider_of_box); });
    restores("a rotation that is not of length 1", [](Scene& s) { s.pose(s.box_body).rotation *= 1.2f; });
    restores("a mass that a step would leave out", [](Scene& s) {
        s.world.registry().patch<Mass>(s.box_body, [](Mass& m) { m = {.mass = -1.0f, .source = MassSource::given}; });
    });
}

TEST_CASE("a recording that is damaged, cut, of another version or nonsense gets a sentence") {
    SceneDesc scene;
    scene.shapes = {TestWorld::sphere(0.5f)};
    scene.bodies.resize(2);
    for (SceneBody& body : scene.bodies) body.colliders.resize(1);
    PhysicsWorld world;
    REQUIRE(instantiate(scene, world).ok());
    Recording recording;
    recording.begin(scene, kDt);
    for (int k = 0; k < 3; ++k) {
        REQUIRE(world.step(kDt).ok());
        recording.add_step(world);
    }
    const std::string good = format_recording(recording);
    REQUIRE(parse_recording(good, "good").ok());
    CHECK(format_recording(parse_recording(good, "good").value()) == good);

    const auto says = [](const std::string& bytes, const char* words) {
        const Result<Recording> parsed = parse_recording(bytes, "bad");
        CHECK_FALSE(parsed.ok());
        CHECK_MESSAGE(parsed.error().find(words) != std::string::npos, parsed.error());
    };
    for (size_t bit = 0; bit < 8 * good.size(); bit += 7) {
        std::string bad = good;
        bad[bit / 8] = char(bad[bit / 8] ^ 1 << bit % 8);
        REQUIRE_FALSE(parse_recording(bad, "bad").ok());
    }
    for (size_t length = 0; length < good.size(); ++length) {
        std::string cut = good.substr(0, length);
        REQUIRE_FALSE(parse_recording(cut, "cut").ok());
        update_recording_checksum(cut);
        REQUIRE_FALSE(parse_recording(cut, "cut").ok());
    }
    says("hello", "is not a recording");
    says("PXREC001" + good.substr(8), "another version");
    says(good.substr(0, 12), "cut short");
    std::string changed = good;
    changed[20] ^= 1;
    says(changed, "checksum");
    const auto with = [&](const std::function<void(Recording&)>& change) {
        Recording copy = recording;
        change(copy);
        return format_recording(copy);
    };
    says(with([](Recording& r) { r.dt = 0.0f; }), "no positive finite length");
    says(with([](Recording& r) { r.body_count = 3; }), "counts 3 bodies, but its scene has 2");
    says(with([](Recording& r) { r.body_hashes.pop_back(); }), "as many hashes");
}
