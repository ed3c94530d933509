// SPDX-License-Identifier: MIT
// What the fuzzers found, one case each, with the input that showed it. README.md has the list.
#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "physics/contact/capture.h"
#include "physics/debug/debug_frame.h"
#include "physics/limits.h"
#include "physics/query.h"
#include "samples/editor/model/import.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

TEST_CASE("a ray with a limit that is negative or not a number meets nothing") {
    TestWorld t;
    t.floor();
    t.step();
    const Ray down{{0.0f, 1.0f, 0.0f}, {0.0f, -1.0f, 0.0f}};
    REQUIRE(ray_cast(t.world, down).has_value());
    const Shape& shape = t.world.shapes().get(ShapeId{0});
    for (const float limit :
         {std::numeric_limits<float>::quiet_NaN(), -1.0f, -std::numeric_limits<float>::infinity()}) {
        CHECK_FALSE(ray_cast(t.world, down, limit).has_value());
        CHECK_FALSE(ray_cast(shape, {}, down, limit).has_value());
    }
}

TEST_CASE("a ray passes a collider that has no stable id, as steps do") {
    TestWorld t;
    const Entity body = t.body(TestWorld::sphere(0.5f), {});
    const Entity extra = t.world.registry().create();
    t.world.registry().emplace<Collider>(extra, Collider{.body = body, .shape = ShapeId{0}});
    const auto hit = ray_cast(t.world, {{0.0f, 0.0f, 5.0f}, {0.0f, 0.0f, -1.0f}});
    REQUIRE(hit.has_value());
    CHECK(hit->collider != extra);
}

TEST_CASE("a world can be looked at while a body lacks a component, which comes back with the next step") {
    TestWorld t;
    t.floor();
    const Entity body = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 0.5f, 0.0f}});
    t.step();
    t.world.registry().remove<Velocity>(body);
    t.world.registry().remove<Pose>(body);
    DebugFrame frame;
    collect_debug(t.world, kDebugAll, frame);
    CHECK(frame.bodies.size() == 2);
    (void)t.world.state_hash();
    CHECK(t.world.capture(kDt).ok());
    t.step();
    CHECK(t.world.registry().all_of<Pose, Velocity>(body));
}

TEST_CASE("what is no body is not destroyed, and a contact's entity that the game destroyed is made again") {
    TestWorld t;
    t.floor();
    const Entity body = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 0.5f, 0.0f}});
    for (int k = 0; k < 3; ++k) t.step();
    REQUIRE(t.world.contacts(body).size() == 1);
    const Entity contact = t.world.contacts(body)[0].pair;
    REQUIRE(t.world.registry().valid(contact));
    t.world.destroy_body(contact);
    CHECK(t.world.registry().valid(contact));
    t.world.registry().destroy(contact);
    for (int k = 0; k < 3; ++k) t.step();
    t.world.destroy_body(body);
    t.step();
    CHECK(t.world.contacts().empty());
    CHECK(t.world.registry().storage<ContactPair>().empty());
}

TEST_CASE("an island is not put to sleep while one of its bodies lacks a component") {
    TestWorld t;
    t.floor();
    const Entity lower = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    const Entity upper = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 1.5f, 0.0f}});
    t.step();
    t.world.registry().remove<Pose>(lower);
    const Result<void> asleep = t.world.sleep(upper);
    REQUIRE_FALSE(asleep.ok());
    CHECK(asleep.error().find("lacks a component") != std::string::npos);
}

TEST_CASE("a world can be captured while a body or a collider has no stable id") {
    TestWorld t;
    t.floor();
    const Entity body = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 0.5f, 0.0f}});
    t.step();
    t.world.registry().remove<StableId>(body);
    t.world.registry().emplace<Collider>(t.world.registry().create(), Collider{.body = body, .shape = ShapeId{0}});
    CHECK(t.world.capture(kDt).ok());
}

TEST_CASE("what touches a body that went non-finite goes on without its impulses") {
    TestWorld t;
    t.floor();
    const Entity lower = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    const Entity upper = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 1.5f, 0.0f}});
    t.step();
    t.world.registry().get<Force>(upper).linear.y = -3e38f;
    t.step();
    REQUIRE(t.world.registry().any_of<Quarantined>(upper));
    t.world.registry().remove<Quarantined>(lower);  // both may have gone
    for (int k = 0; k < 60; ++k) t.step();
    CHECK_FALSE(t.world.registry().all_of<Quarantined>(lower));
    engine::Snapshot snapshot;
    t.world.save(snapshot);
    const Result<void> restored = t.world.restore(snapshot);
    CHECK_MESSAGE(restored.ok(), restored.error());
}

TEST_CASE("a centre of mass beyond all sense leaves its body out, and the snapshot is the world's own") {
    for (const float far : {2.0f * kMaxCoordinate, kMaxStepped, 1e30f, std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        CAPTURE(far);
        TestWorld t;
        t.floor();
        const Entity body = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
        const Entity bob = t.body(TestWorld::sphere(0.1f), {.position = {3.0f, 2.0f, 0.0f}});
        REQUIRE(t.world.create_joint(BallJoint{.body_a = body, .body_b = bob, .anchor_a = {3.0f, 1.5f, 0.0f}}).ok());
        for (int k = 0; k < 3; ++k) t.step();
        t.world.registry().patch<Mass>(body, [&](Mass& mass) {
            mass.source = MassSource::given;
            mass.center.y = -far;
        });
        t.step();
        CHECK(!t.world.report().warnings.empty());
        CHECK(is_finite(t.world.pose(bob).position));
        CHECK(t.world.contacts(body).empty());
        engine::Snapshot snapshot;
        t.world.save(snapshot);
        const Result<void> restored = t.world.restore(snapshot);
        CHECK_MESSAGE(restored.ok(), restored.error());
    }
}

TEST_CASE("a collider whose body is written before its first step goes with that body") {
    for (const bool is_stepped : {false, true}) {  // the lists are made anew in the first step, and added to later
        CAPTURE(is_stepped);
        TestWorld t;
        if (is_stepped) t.floor();
        if (is_stepped) t.step();
        const Entity first = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 5.0f, 0.0f}});
        const Entity second = t.body(TestWorld::sphere(0.5f), {.position = {5.0f, 5.0f, 0.0f}});
        REQUIRE(t.world.colliders(first).size() == 1);
        const Entity collider = t.world.colliders(first)[0];
        t.world.registry().get<Collider>(collider).body = second;
        t.step();
        CHECK(t.world.colliders(first).empty());
        CHECK(t.world.colliders(second).size() == 2);
        t.world.destroy_body(second);
        CHECK_FALSE(t.world.registry().valid(collider));
        t.step();
        CHECK(t.world.registry().valid(first));
    }
}

TEST_CASE("a joint in a chain that is given another body of the chain is solved there") {
    TestWorld t;
    const Entity anchor = t.world.create_body({.type = BodyType::fixed}).value();
    Entity links[4];
    Entity joints[4];
    for (int k = 0; k < 4; ++k) {
        links[k] = t.body(TestWorld::sphere(0.1f), {.position = {0.0f, -0.5f - 0.5f * float(k), 0.0f}});
        joints[k] =
            t.world
                .create_joint(BallJoint{
                    .body_a = k == 0 ? anchor : links[k - 1], .body_b = links[k], .anchor_b = {0.0f, 0.5f, 0.0f}})
                .value();
    }
    t.step();
    BallJoint& changed = t.world.registry().get<BallJoint>(joints[3]);
    changed.body_a = links[1];  // the island has the same bodies and the same constraints by name
    changed.anchor_a = {0.0f, -0.5f, 0.0f};
    t.step();
    // The joint was closed where it is now: what is left is rounding over a metre, and what a step's turn bends.
    CHECK(t.world.registry().get<JointState>(joints[3]).error < 1e-4f);
}

TEST_CASE("what a file says wrong at length is told in short") {
    const std::string long_word(100000, 'x');
    const Result<SceneDesc> key = parse_scene(R"({"version": 1, ")" + long_word + R"(": 1})", "scene.json");
    REQUIRE_FALSE(key.ok());
    CHECK(key.error().size() < 300);
    const Result<SceneDesc> value = parse_scene(R"({"version": ")" + long_word + R"("})", "scene.json");
    REQUIRE_FALSE(value.ok());
    CHECK(value.error().size() < 300);
    const Result<SceneDesc> broken = parse_scene("{\"version\": " + long_word, "scene.json");
    REQUIRE_FALSE(broken.ok());
    CHECK(broken.error().size() < 500);
    const Result<std::vector<Vec3>> mesh = editor::read_obj("v 0 0 0\nf " + long_word, "mesh.obj");
    REQUIRE_FALSE(mesh.ok());
    CHECK(mesh.error().size() < 300);
}

TEST_CASE("an object with very many keys is refused at once") {
    std::string text = "{\"version\": 1";
    for (int k = 0; k < 200000; ++k) text += ", \"k" + std::to_string(k) + "\": 0";
    const Result<SceneDesc> scene = parse_scene(text + "}", "scene.json");  // 2e10 comparisons once
    REQUIRE_FALSE(scene.ok());
    CHECK(scene.error().find("is not a key that a scene can have") != std::string::npos);
}

TEST_CASE("parallel capsules that are as far apart as the margin have a point or none, and steps go on") {
    // Rounding may put both ends of their common stretch beyond the margin and the nearest points within it.
    for (int k = 0; k < 400; ++k) {
        TestWorld t;
        const float radius = 0.03f + 0.0007f * float(k);
        const Quat turn = glm::angleAxis(0.0157f * float(k), glm::normalize(Vec3(1.0f, float(k % 7), float(k % 3))));
        const Vec3 apart = turn * Vec3(2.0f * radius + t.settings().speculative_distance, 0.0f, 0.0f);
        t.body(TestWorld::capsule(radius, 2.0f * radius), {.rotation = turn});
        t.body(TestWorld::capsule(radius, 2.0f * radius), {.position = apart, .rotation = turn});
        t.step();
        for (const ContactView& contact : t.world.contacts()) CHECK(contact.manifold->count > 0);
    }
}

TEST_CASE("whatever word of a snapshot is changed, bodies of the restored world can be destroyed") {
    // Lists of a body's colliders that named another body left colliders behind, on a body that was gone.
    TestWorld t;
    t.floor();
    const Entity first = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    const Entity second = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {3.0f, 0.5f, 0.0f}});
    for (int k = 0; k < 3; ++k) t.step();
    engine::Snapshot snapshot;
    t.world.save(snapshot);
    int accepted = 0;
    for (size_t at = 0; at + 4 <= snapshot.bytes.size(); at += 4) {
        engine::Snapshot damaged = snapshot;
        damaged.bytes[at] = std::byte(uint8_t(damaged.bytes[at]) + 1);
        engine::update_checksum(damaged);
        if (!t.world.restore(damaged)) continue;
        ++accepted;
        StepSettings settings = t.settings();
        settings.substeps = std::min(settings.substeps, 8u);
        if (!t.world.set_settings(settings)) continue;
        for (const Entity body : {first, second}) {
            t.world.destroy_body(body);
            (void)t.world.step(kDt);
        }
    }
    CHECK(accepted > 0);
    CHECK(t.world.restore(snapshot).ok());
}

TEST_CASE("a ray that meets a plane farther than floats go meets nothing") {
    TestWorld t;
    t.floor();
    t.step();
    const float most = std::numeric_limits<float>::max();
    CHECK_FALSE(ray_cast(t.world, {{0.0f, 4.0f, 0.0f}, {most, -0.15f, 0.0f}}).has_value());
    CHECK(ray_cast(t.world, {{0.0f, 4.0f, 0.0f}, {1.0f, -0.15f, 0.0f}}).has_value());
}

TEST_CASE("the mass of a body is that of the colliders that steps take") {
    TestWorld t;
    const Entity body = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {});
    const ShapeId shape = t.shape(TestWorld::box({0.5f, 0.5f, 0.5f}));
    const Entity second = t.world.add_collider(body, {.shape = shape}).value();
    t.step();
    for (const float density :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -5.0f}) {
        CAPTURE(density);
        t.world.registry().get<Collider>(second).density = density;
        CHECK(t.world.mass(body).mass == doctest::Approx(1000.0));
        t.step();
        CHECK(t.world.mass(body).mass == doctest::Approx(1000.0));
    }
}
