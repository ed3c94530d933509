// SPDX-License-Identifier: MIT
// Snapshots of worlds that hold nonsense which the game wrote: they are restored, and the next step says what is wrong.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

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
    ShapeId plane{};
    Scene() {
        box_body = body(box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
        plane = shape(half_space());
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

/// Nonsense that the game wrote into a component: the world takes its own snapshot back, saves the same bytes again and
/// has the future of its twin that was not saved. `words` are in the warning of the next step; empty: there is none.
template <class Component>
void check_restored(Entity Scene::*entity, const std::function<void(Component&)>& damage, const std::string& words) {
    Scene scene, twin;
    for (Scene* s : {&scene, &twin}) {
        if (!s->world.registry().all_of<Component>(s->*entity))
            s->world.registry().template emplace<Component>(s->*entity);
        damage(s->world.registry().template get<Component>(s->*entity));
    }
    CAPTURE(words);
    const engine::Snapshot now = scene.saved();
    const Result<void> restored = scene.world.restore(now);
    REQUIRE_MESSAGE(restored.ok(), restored.error());
    CHECK(scene.saved().bytes == now.bytes);
    for (int k = 0; k < 30; ++k) {
        scene.step();
        twin.step();
        if (k == 0) {
            std::string all;
            for (const StepWarning& warning : scene.world.report().warnings) all += warning.message + " ";
            CHECK_MESSAGE((words.empty() ? all.empty() : all.find(words) != std::string::npos), all);
        }
        REQUIRE(scene.saved().bytes == twin.saved().bytes);
    }
}

/// Whether an id is the one that the scene's world gave: floor 1, its collider 2, box 3, its collider 4.
bool now_own(Entity Scene::*entity, uint32_t id) { return entity == &Scene::ground && id == 1; }

}  // namespace

TEST_CASE(
    "a world restores its own snapshot whatever was written into a stable id, which is back after the next step") {
    for (const uint32_t id : {0u, 1u, 2u, 5u, 1000u, 0xFFFFFFFEu, 0xFFFFFFFFu})
        for (Entity Scene::*entity : {&Scene::box_body, &Scene::collider_of_box, &Scene::ground})
            check_restored<StableId>(
                entity, [&](StableId& now) { now.value = id; }, now_own(entity, id) ? "" : "it is back");
}

TEST_CASE(
    "bodies, colliders and joints that were given ids by hand are numbered anew where those are not the world's own") {
    for (const uint32_t id : {0u, 1u, 3u, 4u, 77u, 0xFFFFFFFFu})
        for (const bool written : {false, true}) {  // over the one that the world gave, or with the entity
            CAPTURE(id);
            CAPTURE(written);
            Scene scene, twin;
            for (Scene* s : {&scene, &twin}) {
                entt::registry& r = s->world.registry();
                const Entity anchor = s->world.create_body({.type = BodyType::fixed}).value();
                const Entity ball = s->body(TestWorld::sphere(0.2f), {.position = {3.0f, 1.0f, 0.0f}});
                const BallJoint joint{.body_a = anchor, .body_b = ball, .anchor_a = {3.0f, 2.0f, 0.0f}};
                const Entity first = s->world.create_joint(joint).value();
                if (written) {
                    for (const Entity e : {ball, s->world.colliders(ball)[0], first}) r.get<StableId>(e).value = id;
                } else {
                    const Entity made = r.create(), collider = r.create(), second = r.create();
                    for (const Entity e : {made, collider, second}) r.emplace<StableId>(e, StableId{id});
                    r.emplace<RigidBody>(made);
                    r.emplace<Collider>(collider, Collider{.body = made, .shape = ShapeId{1}});
                    r.emplace<BallJoint>(second, joint);
                }
            }
            const engine::Snapshot now = scene.saved();
            const Result<void> restored = scene.world.restore(now);
            REQUIRE_MESSAGE(restored.ok(), restored.error());
            REQUIRE(scene.saved().bytes == now.bytes);
            for (int k = 0; k < 20; ++k) {
                scene.step();
                twin.step();
                REQUIRE(scene.saved().bytes == twin.saved().bytes);
                if (k == 10) REQUIRE(scene.world.restore(scene.saved()).ok());
                if (k > 0) CHECK(scene.world.report().warnings.empty());
            }
            // Each body, collider and joint has an id of its own.
            std::vector<uint32_t> ids;
            for (const Entity e : scene.world.registry().view<RigidBody, StableId>())
                ids.push_back(scene.world.registry().get<StableId>(e).value);
            std::sort(ids.begin(), ids.end());
            CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
            CHECK(ids.front() > 0);
            CHECK(ids.back() < 100);
            const Entity next = scene.world.create_body({}).value();
            CHECK(scene.world.registry().get<StableId>(next).value > ids.back());
        }
}

TEST_CASE("a world restores its own snapshot whatever was written into a body, and the next step says what is wrong") {
    check_restored<Pose>(
        &Scene::box_body, [](Pose& p) { p.position.y = kNan; }, "pose is not finite");
    check_restored<Pose>(
        &Scene::box_body,
        [](Pose& p) {
            p.rotation = {0.0f, 0.0f, 0.0f, 0.0f};
        },
        "pose is not finite");
    check_restored<Velocity>(
        &Scene::box_body, [](Velocity& v) { v.angular.x = kInf; }, "velocity or force is not finite");
    check_restored<Force>(
        &Scene::box_body, [](Force& f) { f.linear.x = kNan; }, "velocity or force is not finite");
    check_restored<RigidBody>(
        &Scene::box_body, [](RigidBody& b) { b.type = BodyType(3); }, "type was none that there is");
    check_restored<RigidBody>(
        &Scene::box_body, [](RigidBody& b) { b.linear_damping = -1.0f; }, "damping");
    check_restored<RigidBody>(
        &Scene::box_body, [](RigidBody& b) { b.gravity_scale = kNan; }, "gravity scale");
    check_restored<Mass>(
        &Scene::box_body, [](Mass& m) { m.source = MassSource(7); }, "source of the body's mass");
    check_restored<Mass>(
        &Scene::box_body, [](Mass& m) { m = {.mass = kNan, .source = MassSource::given}; }, "mass or inertia");
    check_restored<SleepState>(
        &Scene::box_body, [](SleepState& r) { r.asleep = 2; }, "");
    check_restored<SleepState>(
        &Scene::box_body, [](SleepState& r) { r.timer = -1.0f; }, "");
    check_restored<SleepState>(
        &Scene::box_body, [](SleepState& r) { r.timer = kNan; }, "");
    check_restored<SleepState>(
        &Scene::box_body, [](SleepState& r) { r.mean_linear.x = kNan; }, "");
}

TEST_CASE("a world restores its own snapshot whatever was written into a collider or a contact") {
    check_restored<Collider>(
        &Scene::collider_of_box, [](Collider& c) { c.density = 0.0f; }, "density makes no sense");
    check_restored<Collider>(
        &Scene::collider_of_box, [](Collider& c) { c.shape = ShapeId(99); }, "not in the world's library");
    check_restored<Collider>(
        &Scene::collider_of_box, [](Collider& c) { c.shape = kNoShape; }, "not in the world's library");
    check_restored<Collider>(
        &Scene::collider_of_box, [](Collider& c) { c.local.position.x = kInf; }, "pose");
    check_restored<Collider>(
        &Scene::collider_of_box, [](Collider& c) { c.material.friction = -1.0f; }, "material");
    check_restored<Collider>(
        &Scene::collider_of_box, [](Collider& c) { c.material.restitution = 2.0f; }, "material");
    check_restored<Collider>(
        &Scene::collider_of_box, [](Collider& c) { c.material.friction_combine = Combine(9); }, "material");
    check_restored<Collider>(
        &Scene::collider_of_box, [](Collider& c) { c.shape = ShapeId{2}; }, "fixed bodies only");  // the plane
    check_restored<ContactPair>(
        &Scene::pair, [](ContactPair& p) { p.touching = 2; }, "");
    check_restored<ContactPair>(
        &Scene::pair, [](ContactPair& p) { p.collider_b = p.collider_a; }, "");
    check_restored<ContactPair>(
        &Scene::pair, [](ContactPair& p) { p = {}; }, "");
}

TEST_CASE("a world restores its own snapshot whatever was written into a solver choice") {
    for (const uint32_t what : {0u, 1u, 2u, 3u})
        check_restored<SolverChoice>(
            &Scene::box_body,
            [&](SolverChoice& c) {
                std::snprintf(c.solver, sizeof(c.solver), "%s", what == 0 ? "?" : "nncg");
                if (what == 1) c.tolerance = kNan;
                if (what == 2) c.iterations = 0xFFFFFFFFu;
                if (what == 3) std::memset(c.solver, 'x', sizeof(c.solver));  // a name without an end
            },
            "SolverChoice");
}

TEST_CASE("a half-space on a body that moves is left out, however it came there") {
    for (const BodyType type : {BodyType::kinematic, BodyType::dynamic})
        for (const bool stepped : {false, true})
            for (const bool in_place : {false, true}) {
                CAPTURE(stepped);
                CAPTURE(in_place);
                TestWorld t, twin;
                for (TestWorld* w : {&t, &twin}) {
                    const Entity ground = w->body(TestWorld::half_space(), {.type = BodyType::fixed});
                    w->body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
                    if (stepped) w->step();
                    if (in_place)
                        w->world.registry().get<RigidBody>(ground).type = type;
                    else
                        w->world.registry().patch<RigidBody>(ground, [&](RigidBody& b) { b.type = type; });
                    w->step();
                    REQUIRE(w->world.report().warnings.size() == 1);
                    CHECK(w->world.report().warnings[0].message.find("fixed bodies only") != std::string::npos);
                }
                engine::Snapshot now, again;
                t.world.save(now);
                const Result<void> restored = t.world.restore(now);
                REQUIRE_MESSAGE(restored.ok(), restored.error());
                t.world.save(again);
                CHECK(again.bytes == now.bytes);
                t.run(0.2f);
                twin.run(0.2f);
                CHECK(t.world.state_hash() == twin.world.state_hash());
            }
}

TEST_CASE("a quarantined body that is put where no number is can be saved and restored") {
    for (const int what : {0, 1, 2}) {
        CAPTURE(what);
        Scene scene, twin;
        for (Scene* s : {&scene, &twin}) {
            s->world.registry().emplace<Quarantined>(s->box_body);
            s->step();
            Pose& pose = s->pose(s->box_body);
            if (what == 0) pose.rotation.w = kInf;
            if (what == 1) pose.position.x = kNan;
            if (what == 2) pose.position = Vec3(kInf, -kInf, 3e38f);
            s->step();
        }
        const engine::Snapshot now = scene.saved();
        const Result<void> restored = scene.world.restore(now);
        REQUIRE_MESSAGE(restored.ok(), restored.error());
        CHECK(scene.saved().bytes == now.bytes);
        for (Scene* s : {&scene, &twin}) {
            s->step();
            s->pose(s->box_body) = {.position = {0.0f, 0.5f, 0.0f}};
            s->world.registry().remove<Quarantined>(s->box_body);
            s->run(0.2f);
        }
        CHECK(scene.saved().bytes == twin.saved().bytes);
    }
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

TEST_CASE("a snapshot whose settings would make a step last for minutes is refused") {
    Scene scene;
    StepSettings settings = scene.settings();
    settings.substeps = 8;
    settings.iterations = 12345;
    scene.set(settings);
    engine::Snapshot bad = scene.saved();
    // A bit of the iterations is turned: 12345 becomes 536633, times eight sub-steps.
    const auto find = [&](uint32_t value) {
        std::vector<size_t> places;
        for (size_t at = 0; at + 4 <= bad.bytes.size(); ++at)
            if (std::memcmp(bad.bytes.data() + at, &value, 4) == 0) places.push_back(at);
        return places;
    };
    const std::vector<size_t> places = find(12345);
    REQUIRE(places.size() == 1);
    bad.bytes[places[0] + 2] ^= std::byte(8);
    engine::update_checksum(bad);
    const Result<void> restored = scene.world.restore(bad);
    REQUIRE_FALSE(restored.ok());
    CHECK_MESSAGE(restored.error().find("sweeps a step") != std::string::npos, restored.error());
    settings.iterations = 100000;
    CHECK_FALSE(scene.world.set_settings(settings).ok());
    CHECK_FALSE(scene.world.set_solver(scene.box_body, "nncg", 0.0f, 100000).ok());
    CHECK(scene.world.set_solver(scene.box_body, "nncg", 0.0f, 10000).ok());
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
