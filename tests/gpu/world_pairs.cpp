// SPDX-License-Identifier: MIT
// The pair stage of a world on the device against a search that looks at all pairs.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <unordered_map>
#include <vector>

#include "physics/narrowphase/collide.h"
#include "physics/scale.h"
#include "physics/scene/scene.h"
#include "samples/scenes/scenes.h"
#include "tests/gpu/pair_rig.h"

using namespace proxima;
using namespace proxima::test;
using namespace proxima::compute::world;

namespace {

Vec3 to_vec3(const vec4& v) { return {v.x, v.y, v.z}; }
Transform pose_of(const FoundPairs& found, uint32_t collider) {
    const vec4 q = found.collider_poses[2 * collider + 1];
    return {to_vec3(found.collider_poses[2 * collider]), Quat(q.w, q.x, q.y, q.z)};
}
const physics::Shape& shape_of(const physics::PhysicsWorld& world, const WorldData& data, uint32_t collider) {
    return world.shapes().get(physics::ShapeId(data.colliders[collider].refs.y));
}

void add(physics::PhysicsWorld& world, physics::BodyDesc desc, const physics::ShapeDesc& shape) {
    desc.colliders = {{.shape = world.shapes().add(shape).value()}};
    REQUIRE(world.create_body(desc).ok());
}

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

/// Unbounded sides agree when both are far away.
bool nearly(float device, float host) {
    if (std::isinf(host)) return device == (host > 0.0f ? 1e30f : -1e30f);
    return std::abs(device - host) <= 1e-5f * (1.0f + std::abs(host));
}

constexpr uint32_t kRoom = 1u << 17;

}  // namespace

TEST_CASE("boxes on the device are those of bounding_box with half the speculative distance around them") {
    PairRig rig;
    if (!rig.gpu) return;
    physics::PhysicsWorld world;
    add_crowd(world, {.bodies = 500, .smallest = 0.01f, .largest = 10.0f}, 1);
    rig.load(world, kRoom);
    const FoundPairs found = rig.run();
    const entt::registry& registry = world.registry();
    uint32_t wrong = 0, kinds = 0;
    for (uint32_t i = 0; i < rig.data.colliders.size(); ++i) {
        const auto& collider = registry.get<physics::Collider>(rig.data.collider_entities[i]);
        const auto& body = registry.get<physics::Pose>(collider.body);
        const Transform pose =
            compose({body.position, body.rotation}, {collider.local.position, collider.local.rotation});
        const physics::Shape& shape = shape_of(world, rig.data, i);
        const Aabb box = physics::bounding_box(shape, pose);
        kinds |= 1u << uint32_t(shape.type);
        const float margin = rig.data.colliders[i].surface.z;
        if (shape.type != physics::ShapeType::half_space)
            CHECK(margin == doctest::Approx(0.01f * physics::length_scale(shape.bounding_radius)));
        for (int k = 0; k < 3; ++k) {
            const float low = (&found.boxes[2 * i].x)[k], high = (&found.boxes[2 * i + 1].x)[k];
            if (!nearly(low, box.lower[k] - margin) || !nearly(high, box.upper[k] + margin)) ++wrong;
            if (std::abs(pose_of(found, i).position[k] - pose.position[k]) >
                1e-5f * (1.0f + std::abs(pose.position[k])))
                ++wrong;
        }
    }
    CHECK(wrong == 0);
    CHECK(kinds == 31u);
}

TEST_CASE("a crowd of one size has the pairs that looking at all of them finds") {
    PairRig rig;
    if (!rig.gpu) return;
    physics::PhysicsWorld world;
    add_crowd(world, {.bodies = 3000, .smallest = 0.5f, .largest = 1.0f, .spread = 8.0f}, 2);
    rig.load(world, kRoom);
    const FoundPairs found = rig.run();
    rig.check(found);
    CHECK(found.status.pairs > 3000);
}

TEST_CASE("a crowd with sizes from a centimetre to ten metres has all its pairs") {
    PairRig rig;
    if (!rig.gpu) return;
    for (uint32_t seed = 10; seed < 13; ++seed) {
        CAPTURE(seed);
        physics::PhysicsWorld world;
        add_crowd(world, {.bodies = 1500, .smallest = 0.01f, .largest = 10.0f, .spread = 6.0f}, seed);
        rig.load(world, kRoom);
        const FoundPairs found = rig.run();
        rig.check(found);
        CHECK(found.status.pairs > 3000);
        std::set<uint32_t> levels;
        for (uint32_t i = 0; i < rig.data.colliders.size(); ++i) levels.insert(found.level(i));
        CHECK(levels.size() > 5);
    }
}

TEST_CASE("layers, masks and bodies that cannot move keep pairs out") {
    PairRig rig;
    if (!rig.gpu) return;
    physics::PhysicsWorld world;
    CrowdOptions options{.bodies = 1500, .smallest = 0.2f, .largest = 2.0f, .spread = 5.0f, .fixed = 0.4f};
    options.kinematic = 0.2f;
    options.layers = true;
    add_crowd(world, options, 3);
    rig.load(world, kRoom);
    const FoundPairs found = rig.run();
    rig.check(found);
    CHECK(found.status.pairs > 500);
}

TEST_CASE("a world of few bodies, of one and of none has its pairs") {
    PairRig rig;
    if (!rig.gpu) return;
    for (const uint32_t bodies : {0u, 1u, 2u, 30u, 70u}) {
        CAPTURE(bodies);
        physics::PhysicsWorld world;
        CrowdOptions options{.bodies = bodies, .spread = 0.5f};
        options.floor = bodies > 1;
        add_crowd(world, options, 4);
        rig.load(world, 10000);
        rig.check(rig.run());
    }
}

TEST_CASE("a dense crowd, where many find more partners than they have room for, has all its pairs") {
    PairRig rig;
    if (!rig.gpu) return;
    physics::PhysicsWorld world;
    add_crowd(world, {.bodies = 600, .smallest = 0.8f, .largest = 1.0f, .spread = 1.0f}, 5);
    rig.load(world, 300000);
    const FoundPairs found = rig.run();
    rig.check(found);
    CHECK(found.status.pairs > 600 * 40);
}

TEST_CASE("pairs are found far from the origin and where cells end") {
    PairRig rig;
    if (!rig.gpu) return;
    physics::PhysicsWorld world;
    add_crowd(world, {.bodies = 800, .smallest = 0.5f, .largest = 1.0f, .spread = 4.0f, .floor = false}, 6);
    for (const float shift : {1e3f, 1e5f, 3e6f, 1e9f}) {
        CAPTURE(shift);
        rig.load(world, 500000);
        for (size_t body = 0; body < rig.data.bodies.size(); ++body) rig.data.poses[2 * body].x += shift;
        rig.check(rig.run());
    }
}

TEST_CASE("the same crowd gives the same bits in every run and in both turns") {
    PairRig rig;
    if (!rig.gpu) return;
    physics::PhysicsWorld world;
    add_crowd(world, {.bodies = 2000, .smallest = 0.1f, .largest = 3.0f, .spread = 6.0f, .speed = 5.0f}, 7);
    rig.load(world, kRoom);
    const FoundPairs first = rig.run(1.0f / 60.0f);
    CHECK(first.status.pairs > 2000);
    for (uint32_t run = 0; run < 6; ++run) {
        const FoundPairs again = rig.run(1.0f / 60.0f, run & 1u);
        CHECK(same_bits(first.a, again.a));
        CHECK(same_bits(first.b, again.b));
        CHECK(same_bits(first.offsets, again.offsets));
        CHECK(same_bits(first.boxes, again.boxes));
    }
}

TEST_CASE("more pairs than room stop the step, say how many there are, and leave the bodies alone") {
    PairRig rig;
    if (!rig.gpu) return;
    physics::PhysicsWorld world;
    add_crowd(world, {.bodies = 600, .smallest = 0.8f, .largest = 1.0f, .spread = 2.0f}, 8);
    rig.load(world, 100);
    const FoundPairs found = rig.run();
    CHECK(found.status.stopped == kStoppedPairs);
    CHECK(found.status.pairs == 0);
    CHECK(found.groups.x == 0);
    CHECK(found.status.pairs_wanted == rig.expected(found).size());
    CHECK(same_bits(found.poses, rig.data.poses));
    // With that much room it goes on, and not with one less.
    rig.prepare(found.status.pairs_wanted - 1);
    CHECK(rig.run().status.stopped == kStoppedPairs);
    rig.prepare(found.status.pairs_wanted);
    rig.check(rig.run());
}

TEST_CASE("the pair stage does nothing after a stop") {
    PairRig rig;
    if (!rig.gpu) return;
    physics::PhysicsWorld world;
    add_crowd(world, {.bodies = 200, .spread = 1.0f}, 9);
    rig.load(world, kRoom);
    const FoundPairs before = rig.run();
    REQUIRE(before.status.pairs > 0);
    for (vec4& pose : rig.data.poses) pose.x *= 0.5f;
    const FoundPairs after = rig.run(0.0f, 0, kStoppedWord);
    CHECK(after.status.stopped == kStoppedWord);
    CHECK(after.status.pairs == 0);
    CHECK(after.groups.x == 0);
    CHECK(same_bits(after.boxes, before.boxes));
    CHECK(same_bits(after.collider_poses, before.collider_poses));
    CHECK(std::all_of(after.offsets.begin(), after.offsets.end(), [](uint32_t x) { return x == 0; }));
}

TEST_CASE("bodies with not-a-number poses and quarantined ones meet nobody, and the others go on") {
    PairRig rig;
    if (!rig.gpu) return;
    physics::PhysicsWorld world;
    add_crowd(world, {.bodies = 1000, .smallest = 0.2f, .largest = 2.0f, .spread = 4.0f}, 11);
    rig.load(world, kRoom);
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    std::set<uint32_t> out;
    for (uint32_t body = 2; body < 1000; body += 37) {
        out.insert(body);
        vec4 *pose = &rig.data.poses[2 * body], *velocity = &rig.data.velocities[2 * body];
        switch (body % 6) {
            case 0:
                pose[0].y = nan;
                break;
            case 1:
                pose[1].w = nan;
                break;
            case 2:
                pose[0].x = -inf;
                break;
            case 3:
                pose[0].z = 3.4e38f;  // finite, and its box is not
                pose[0].x = 3.4e38f;
                velocity[0] = {3e38f, 3e38f, 3e38f, 0.0f};
                pose[1] = {nan, 0.0f, 0.0f, 1.0f};
                break;
            case 4:
                rig.data.bodies[body].inverse1.w =
                    std::bit_cast<float>(std::bit_cast<uint32_t>(rig.data.bodies[body].inverse1.w) | kQuarantined);
                break;
            default:
                velocity[0] = {nan, inf, 0.0f, 0.0f};  // its pose is good: it stays
                velocity[1] = {inf, nan, 0.0f, 0.0f};
                out.erase(body);
                break;
        }
    }
    const FoundPairs found = rig.run(1.0f / 60.0f);
    rig.check(found);
    CHECK(found.status.pairs > 1000);
    uint32_t met = 0;
    for (size_t k = 0; k < found.a.size(); ++k)
        met += uint32_t(out.count(rig.data.colliders[found.a[k]].refs.x) +
                        out.count(rig.data.colliders[found.b[k]].refs.x));
    CHECK(met == 0);
}

TEST_CASE("shapes nearer than the speculative distance are always a pair") {
    PairRig rig;
    if (!rig.gpu) return;
    physics::PhysicsWorld world;
    physics::StepSettings settings;
    settings.speculative_distance = 0.1f;
    REQUIRE(world.set_settings(settings).ok());
    add_crowd(world, {.bodies = 700, .smallest = 0.05f, .largest = 1.5f, .spread = 2.5f}, 12);
    rig.load(world, kRoom);
    const FoundPairs found = rig.run();
    const auto listed = found.pairs();
    uint32_t near = 0, missed = 0;
    for (uint32_t i = 0; i < rig.data.colliders.size(); ++i)
        for (uint32_t j = i + 1; j < rig.data.colliders.size(); ++j) {
            if (rig.data.colliders[i].refs.x == rig.data.colliders[j].refs.x) continue;
            if (!((rig.flags(i) | rig.flags(j)) & kDynamic)) continue;
            physics::RawManifold manifold;
            const float radius =
                std::min(shape_of(world, rig.data, i).bounding_radius, shape_of(world, rig.data, j).bounding_radius);
            if (!physics::collide(shape_of(world, rig.data, i), pose_of(found, i), shape_of(world, rig.data, j),
                                  pose_of(found, j), 0.0999f * physics::length_scale(radius), manifold))
                continue;
            ++near;
            missed += !std::binary_search(listed.begin(), listed.end(), std::pair(i, j));
        }
    CHECK(missed == 0);
    CHECK(near > 700);
}

TEST_CASE("what a step of the cpu brings into contact was a pair before, at any speed") {
    PairRig rig;
    if (!rig.gpu) return;
    constexpr float dt = 1.0f / 60.0f;
    for (const char* name : {"heap300", "hitpyramid10"}) {
        CAPTURE(name);
        const Result<physics::SceneDesc> scene = samples::make_scene(name);
        REQUIRE_MESSAGE(scene.ok(), scene.error());
        physics::PhysicsWorld world;
        REQUIRE(physics::instantiate(scene.value(), world).ok());
        uint32_t touching = 0, missed = 0;
        for (uint32_t step = 0; step < 120; ++step) {
            const bool looked_at = step % 6 == 0;
            FoundPairs found;
            if (looked_at) {
                rig.load(world, kRoom);
                found = rig.run(dt, step & 1u);
            }
            REQUIRE(world.step(dt).ok());
            if (!looked_at) continue;
            const auto listed = found.pairs();
            std::unordered_map<physics::Entity, uint32_t> index_of;
            for (uint32_t i = 0; i < rig.data.collider_entities.size(); ++i)
                index_of.emplace(rig.data.collider_entities[i], i);
            for (const physics::ContactView& pair : world.contacts()) {
                const physics::Manifold& manifold = *pair.manifold;
                bool loaded = false;
                for (uint32_t k = 0; k < manifold.count; ++k) loaded = loaded || manifold.points[k].impulse.x > 0.0f;
                if (!loaded) continue;
                const uint32_t a = index_of.at(pair.collider_a), b = index_of.at(pair.collider_b);
                ++touching;
                missed += !std::binary_search(listed.begin(), listed.end(), std::pair(a, b));
            }
        }
        CHECK(missed == 0);
        CHECK(touching > 1000);
    }
}

TEST_CASE("twenty steps of moving bodies have the pairs of every step") {
    PairRig rig;
    if (!rig.gpu) return;
    physics::PhysicsWorld world;
    add_crowd(world, {.bodies = 500, .smallest = 0.2f, .largest = 1.0f, .spread = 3.0f, .speed = 300.0f}, 14);
    rig.load(world, kRoom);
    std::vector<uint32_t> levels;
    for (uint32_t step = 0; step < 20; ++step) {
        CAPTURE(step);
        const FoundPairs found = rig.run(1.0f / 60.0f, step & 1u);
        rig.check(found);
        std::vector<uint32_t> now;
        for (uint32_t i = 0; i < rig.data.colliders.size(); ++i) now.push_back(found.level(i));
        if (step == 0) levels = now;
        CHECK(now == levels);  // owners do not change
        for (size_t body = 0; body < rig.data.bodies.size(); ++body) {
            vec4 &pose = rig.data.poses[2 * body], &velocity = rig.data.velocities[2 * body];
            for (int k = 0; k < 3; ++k) {
                float &x = (&pose.x)[k], &v = (&velocity.x)[k];
                x += v / 60.0f;
                if (std::abs(x) > 3.0f) v = -v;
            }
        }
    }
}

TEST_CASE("a fast body is paired with what it reaches within the step") {
    PairRig rig;
    if (!rig.gpu) return;
    physics::PhysicsWorld world;
    physics::ShapeDesc ball, wall;
    ball.type = physics::ShapeType::sphere;
    wall.half_extents = Vec3(0.05f, 2.0f, 2.0f);
    // The ball stops 0.2 m before the wall and comes nearer by 12 m/s * 1/60 s = 0.2 m.
    add(world, {.velocity = {.linear = {12.0f, 0.0f, 0.0f}}}, ball);
    add(world, {.type = physics::BodyType::fixed, .pose = {.position = {0.75f, 0.0f, 0.0f}}}, wall);
    rig.load(world, 100);
    CHECK(rig.run(0.0f).status.pairs == 0);
    CHECK(rig.run(1.0f / 60.0f).status.pairs == 1);
    rig.data.velocities[0].x = -12.0f;
    CHECK(rig.run(1.0f / 60.0f).status.pairs == 0);
}

TEST_CASE("what falls fast is paired with the floor however small it is") {
    PairRig rig;
    if (!rig.gpu) return;
    physics::PhysicsWorld world;
    physics::ShapeDesc ball, floor;
    ball.type = physics::ShapeType::sphere;
    ball.radius = 0.05f;
    floor.type = physics::ShapeType::half_space;
    add(world, {.type = physics::BodyType::fixed}, floor);
    add(world, {.pose = {.position = {0.0f, 1.0f, 0.0f}}, .velocity = {.linear = {0.0f, -60.0f, 0.0f}}}, ball);
    rig.load(world, 100);
    CHECK(rig.run(1.0f / 240.0f).status.pairs == 0);
    CHECK(rig.run(1.0f / 60.0f).status.pairs == 1);
}
