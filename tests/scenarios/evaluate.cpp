// SPDX-License-Identifier: MIT
// The yardstick itself: overlaps, distances and motions with answers known beforehand.
#include "samples/scenes/evaluate.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "samples/scenes/builder.h"
#include "samples/scenes/convex.h"
#include "samples/scenes/distance.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::samples;

namespace {

std::vector<Pose> poses_of(const SceneDesc& scene) {
    std::vector<Pose> poses;
    for (const SceneBody& body : scene.bodies) poses.push_back({body.position, body.rotation});
    return poses;
}

PenetrationResult penetration_of(SceneBuilder& builder) {
    return Evaluator(builder.scene()).penetration(poses_of(builder.scene()));
}

constexpr double kFloatError = 1e-6;  // of sizes and positions around 1 m

}  // namespace

TEST_CASE("two boxes that overlap by 5 cm along an axis are 5 cm deep") {
    SceneBuilder b("t", "", 0.5);
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    b.dynamic(cube, {0.0, 0.0, 0.0});
    b.dynamic(cube, {0.95, 0.2, 0.1});
    const PenetrationResult r = penetration_of(b);
    CHECK(r.touching_pairs == 1);
    CHECK(r.max == doctest::Approx(0.05).epsilon(1e-4));
    CHECK(r.mean == doctest::Approx(r.max));
}

TEST_CASE("a box standing on its edge is as deep as its lowest edge") {
    SceneBuilder b("t", "", 0.5);
    b.ground();
    b.dynamic(b.box({0.5, 0.5, 0.5}), {3.0, std::sqrt(0.5) - 0.02, 1.0},
              axis_angle({0.0, 0.0, 1.0}, std::numbers::pi / 4.0));
    CHECK(penetration_of(b).max == doctest::Approx(0.02).epsilon(1e-4));
}

TEST_CASE("crossed edges of two boxes touch along the axis across both") {
    SceneBuilder b("t", "", 0.5);
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    // One edge up along z, one edge down along x, their lines 1 cm into each other.
    b.dynamic(cube, {0.0, 0.0, 0.0}, axis_angle({0.0, 0.0, 1.0}, std::numbers::pi / 4.0));
    b.dynamic(cube, {0.0, 2.0 * std::sqrt(0.5) - 0.01, 0.0}, axis_angle({1.0, 0.0, 0.0}, std::numbers::pi / 4.0));
    CHECK(penetration_of(b).max == doctest::Approx(0.01).epsilon(1e-3));
}

TEST_CASE("pairs nearer than a millimetre touch with an overlap of zero and others do not") {
    for (const double gap : {0.0009, 0.0011}) {
        SceneBuilder boxes("t", "", 0.5), round("t", "", 0.5);
        const uint32_t cube = boxes.box({0.5, 0.5, 0.5});
        boxes.dynamic(cube, {0.0, 0.0, 0.0});
        boxes.dynamic(cube, {0.0, 1.0 + gap, 0.0});
        const uint32_t ball = round.sphere(0.5);
        round.dynamic(ball, {0.0, 0.0, 0.0});
        round.dynamic(ball, {0.0, 0.0, 1.0 + gap});
        for (SceneBuilder* b : {&boxes, &round}) {
            const PenetrationResult r = penetration_of(*b);
            CHECK(r.touching_pairs == (gap < 0.001 ? 1 : 0));
            CHECK(r.max == 0.0);
        }
    }
}

TEST_CASE("round shapes overlap by their radii less the distance of their cores") {
    SceneBuilder b("t", "", 0.5);
    b.dynamic(b.capsule(0.2, 0.5), {0.0, 0.0, 0.0});
    b.dynamic(b.sphere(0.3), {0.3, 0.9, 0.0});  // core end at y = 0.5: distance 0.5 by 3-4-5
    CHECK(penetration_of(b).max < kFloatError);
    b.dynamic(b.sphere(0.25), {0.3, 0.0, 0.0});
    CHECK(penetration_of(b).max == doctest::Approx(0.15).epsilon(1e-5));
}

TEST_CASE("a sphere whose centre is inside a box is deeper than its radius") {
    SceneBuilder b("t", "", 0.5);
    b.dynamic(b.box({1.0, 1.0, 1.0}), {0.0, 0.0, 0.0});
    b.dynamic(b.sphere(0.25), {0.9, 0.1, 0.0});
    CHECK(penetration_of(b).max == doctest::Approx(0.35).epsilon(1e-5));
}

TEST_CASE("a tilted half-space is met along its normal") {
    SceneBuilder b("t", "", 0.5);
    const Quatd tilt = axis_angle({0.0, 0.0, 1.0}, 0.3);
    b.fixed(b.half_space(), {0.0, 0.0, 0.0}, tilt);
    b.dynamic(b.sphere(0.5), rotate(tilt, {7.0, 0.48, -3.0}));
    b.dynamic(b.box({0.5, 0.5, 0.5}), rotate(tilt, {2.0, 0.49, 0.0}), tilt);
    const PenetrationResult r = penetration_of(b);
    CHECK(r.touching_pairs == 2);
    CHECK(r.max == doctest::Approx(0.02).epsilon(1e-3));
    CHECK(r.mean == doctest::Approx(0.015).epsilon(1e-3));
}

TEST_CASE("scaled colliders, layers and colliders of one body are respected") {
    SceneBuilder b("t", "", 0.5);
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    SceneBody& first = b.dynamic(cube, {0.0, 0.0, 0.0});
    first.colliders.push_back(first.colliders[0]);  // on top of itself: no pair
    first.colliders[1].scale = {2.0f, 1.0f, 1.0f};
    b.dynamic(cube, {1.45, 0.0, 0.0});
    CHECK(penetration_of(b).touching_pairs == 1);
    CHECK(penetration_of(b).max == doctest::Approx(0.05).epsilon(1e-4));
    b.scene().bodies[1].colliders[0].layer = 2;
    b.scene().bodies[0].colliders[1].mask = 1;
    CHECK(penetration_of(b).touching_pairs == 0);
}

TEST_CASE("bodies that cannot move make no pair") {
    SceneBuilder b("t", "", 0.5);
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    b.fixed(cube, {0.0, 0.0, 0.0});
    b.fixed(cube, {0.1, 0.0, 0.0});
    CHECK(penetration_of(b).touching_pairs == 0);
}

TEST_CASE("the grid finds the same pairs as testing all against all") {
    // A crowd of boxes and balls of very different sizes; the reference puts every pair into a scene of its own.
    SceneBuilder b("t", "", 0.5);
    Random random(5);
    for (int i = 0; i < 60; ++i) {
        const double size = i % 10 == 0 ? 1.5 : 0.1 + 0.3 * random.unit();
        const double x = random.symmetric() * 2.0, y = random.symmetric() * 2.0, z = random.symmetric() * 2.0;
        const uint32_t shape = i % 2 ? b.sphere(size) : b.box({size, size * 0.5, size});
        b.dynamic(shape, {x, y, z}, random.rotation());
    }
    const SceneDesc& all = b.scene();
    uint64_t pairs = 0;
    double deepest = 0.0, sum = 0.0;
    for (size_t i = 0; i < all.bodies.size(); ++i)
        for (size_t j = i + 1; j < all.bodies.size(); ++j) {
            SceneDesc two;
            two.shapes = all.shapes;
            two.bodies = {all.bodies[i], all.bodies[j]};
            const PenetrationResult r = Evaluator(two).penetration(poses_of(two));
            pairs += r.touching_pairs;
            deepest = std::max(deepest, r.max);
            sum += r.mean;
        }
    const PenetrationResult r = penetration_of(b);
    CHECK(pairs > 50);
    CHECK(r.touching_pairs == pairs);
    CHECK(r.max == doctest::Approx(deepest));
    CHECK(r.mean == doctest::Approx(sum / double(pairs)));
}

TEST_CASE("displacement, drift, loss and standing are judged from poses") {
    SceneBuilder b("t", "", 0.5);
    b.ground();
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    b.dynamic(cube, {0.0, 0.5, 0.0});
    b.dynamic(cube, {5.0, 0.5, 0.0});
    const std::vector<Pose> start = poses_of(b.scene());
    CHECK_FALSE(Evaluator(b.scene()).stands(start, start).has_value());
    b.must_stand(0.5);
    const Evaluator evaluator(b.scene());

    std::vector<Pose> end = start;
    end[1].position.x += 0.3f;
    end[1].position.z += 0.4f - 1e-3f;
    CHECK(evaluator.motion(start, end).max == doctest::Approx(0.4992).epsilon(1e-3));
    CHECK(evaluator.motion(start, end).mean == doctest::Approx(0.2496).epsilon(1e-3));
    CHECK(evaluator.stands(start, end) == true);
    end[1].position.z += 0.01f;
    CHECK(evaluator.stands(start, end) == false);

    end = start;
    end[2].position.y = -0.6f;  // below the ground
    CHECK(evaluator.lost(end) == 1);
    CHECK(evaluator.stands(start, end) == false);
    end[2].position.y = std::numeric_limits<float>::quiet_NaN();
    CHECK(evaluator.lost(end) == 1);
    CHECK(evaluator.stands(start, end) == false);
    CHECK(evaluator.motion(start, end).max == 0.0);
    CHECK(evaluator.penetration(end).touching_pairs == 1);
}

TEST_CASE("a hull of many points on a box is that box") {
    std::vector<Vec3d> points;
    for (int i = 0; i <= 4; ++i)
        for (int j = 0; j <= 4; ++j)
            for (int k = 0; k <= 4; ++k) points.push_back({i * 0.25, j * 0.5, k * 0.75});
    const Convex box = make_convex(points);
    CHECK(box.volume == doctest::Approx(6.0));
    CHECK(length(box.centroid - Vec3d{0.5, 1.0, 1.5}) < 1e-9);
    CHECK(box.normals.size() == 6);
    CHECK(box.edge_directions.size() == 3);
    CHECK(make_convex(std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}).volume == 0.0);
}

TEST_CASE("the distance of cores is that of their nearest points") {
    const std::vector<Vec3d> origin{{0, 0, 0}}, segment{{-1, 2, 0}, {5, 2, 0}};
    CHECK(core_distance(origin, segment) == doctest::Approx(2.0));
    const std::vector<Vec3d> triangle{{1, 1, 1}, {1, -3, 1}, {1, 1, -3}};
    CHECK(core_distance(origin, triangle) == doctest::Approx(1.0));
    const std::vector<Vec3d> across{{0, -1, -1}, {2, 1, 0.5}};
    CHECK(core_distance(across, triangle) < 1e-7);
    // Random hulls: a separating axis never claims more than the distance, and the distance is reached by it or more.
    Random random(3);
    for (int i = 0; i < 200; ++i) {
        std::vector<Vec3d> a, b;
        for (int k = 0; k < 10; ++k) a.push_back(random.direction());
        const Vec3d offset = random.direction() * 2.2;
        for (int k = 0; k < 10; ++k) b.push_back(random.direction() + offset);
        const Convex ca = make_convex(a), cb = make_convex(b);
        const double overlap =
            sat_overlap({ca.vertices, ca.normals, ca.edge_directions}, {cb.vertices, cb.normals, cb.edge_directions});
        const double distance = core_distance(a, b);
        if (overlap > kFloatError)
            CHECK(distance < 1e-6);
        else if (overlap < -kFloatError)
            CHECK(distance >= -overlap - 1e-9);
    }
}

TEST_CASE("a compound overlaps where its children do") {
    ShapeDesc table;
    table.type = ShapeType::compound;
    for (const float x : {-1.0f, 1.0f}) {
        ChildDesc& leg = table.children.emplace_back();
        leg.shape.half_extents = {0.1f, 0.5f, 0.1f};
        leg.position = {x, 0.0f, 0.0f};
    }
    ChildDesc& ball = table.children.emplace_back();
    ball.shape.type = ShapeType::sphere;
    ball.shape.radius = 0.25f;
    ball.position = {0.0f, -0.2f, 0.0f};
    SceneDesc scene;
    scene.shapes = {table, {.type = ShapeType::half_space}};
    SceneBody ground, body;
    ground.type = BodyType::fixed;
    ground.colliders.emplace_back().shape = 1;
    body.position = {3.0f, 0.98f, 0.0f};
    body.colliders.emplace_back().scale = {2.0f, 2.0f, 2.0f};
    scene.bodies = {ground, body};
    // Legs of one metre each way, the ball 0.4 + 0.5 below the middle.
    const PenetrationResult upright = Evaluator(scene).penetration(poses_of(scene));
    CHECK(upright.touching_pairs == 2);
    CHECK(upright.max == doctest::Approx(0.02).epsilon(1e-4));
    scene.bodies[1].position.y = 0.87f;
    CHECK(Evaluator(scene).penetration(poses_of(scene)).touching_pairs == 3);
    // On its side the leg at x = -1 is below.
    scene.bodies[1].rotation = Quat(std::sqrt(0.5f), 0.0f, 0.0f, std::sqrt(0.5f));
    scene.bodies[1].position.y = 2.19f;
    const PenetrationResult lying = Evaluator(scene).penetration(poses_of(scene));
    CHECK(lying.touching_pairs == 1);
    CHECK(lying.max == doctest::Approx(0.01).epsilon(1e-3));
}
