// SPDX-License-Identifier: MIT
// What the contact stage of a world on the device keeps from step to step, and what else it says of a pair.
#include <limits>
#include <string>

#include "physics/contact/material.h"
#include "tests/gpu/contact_meetings.h"

using namespace proxima;
using namespace proxima::test;

TEST_CASE("impulses and colours of the step before stay with their contacts on the device") {
    GpuRig gpu;
    if (!gpu) return;
    ContactRig rig(gpu);
    Dice dice(5);
    const std::vector<ShapeId> shapes = add_shapes(rig, dice);
    const std::vector<Meeting> meetings = near_pairs(dice, rig, shapes, 4);
    const std::vector<PairOf> pairs = pairs_of(meetings);
    std::vector<PlacedShape> placed = shapes_of(meetings, dice);
    // Every second pair belongs to its second collider.
    std::vector<uint32_t> levels;
    for (uint32_t p = 0; p < pairs.size(); ++p) levels.insert(levels.end(), {p % 2 * 3, 1});
    rig.begin(
        placed, uint32_t(pairs.size()) + 7, [](world::WorldData&) {}, levels);
    const std::vector<FoundContact> before = rig.run(pairs, {kMargin, 0.0f});
    const auto impulse = [](uint32_t p, uint32_t k) {
        return Vec3(1.0f + float(p), 0.1f * float(k + 1), -0.2f * float(p % 5));
    };
    rig.solve(before, impulse, [](uint32_t p) { return p % 32; });

    // All bodies move alike, so contacts stay what they are; the whole turns a little.
    const Quat turned = turn(2.0f, {0.3f, 1.0f, -0.2f});
    for (PlacedShape& s : placed) {
        s.pose.position = turned * s.pose.position + Vec3(0.5f, 0.25f, -1.0f);
        s.pose.rotation = glm::normalize(turned * s.pose.rotation);
        s.centre = turned * s.centre;
    }
    rig.place(placed);
    const std::vector<FoundContact> after = rig.run(pairs, {kMargin, 0.0f});
    uint32_t carried = 0, lost = 0;
    for (uint32_t p = 0; p < pairs.size(); ++p) {
        if (before[p].count == 0 || after[p].count == 0) {
            CHECK(after[p].colour == world::kNone);
            continue;
        }
        CHECK(after[p].colour == p % 32);
        Vec3 old_t1, old_t2, t1, t2;
        make_tangents(before[p].normal, old_t1, old_t2);
        make_tangents(after[p].normal, t1, t2);
        for (uint32_t k = 0; k < after[p].count; ++k) {
            uint32_t from = 4;
            for (uint32_t i = 0; i < before[p].count; ++i)
                if (before[p].feature[i] == after[p].feature[k]) from = i;
            if (from == 4) {
                ++lost;
                continue;
            }
            ++carried;
            const Vec3 old = impulse(p, from), now = after[p].lambda[k];
            CHECK(now.x == old.x);
            const Vec3 world_old = old_t1 * old.y + old_t2 * old.z, world_now = t1 * now.y + t2 * now.z;
            // What lies along the new normal cannot be friction any more.
            const Vec3 flat = world_old - after[p].normal * glm::dot(after[p].normal, world_old);
            CHECK(glm::length(world_now - flat) < 1e-5f);
        }
    }
    CHECK(carried > 400);
    CHECK(lost < carried / 50);
}

TEST_CASE("points that lost their feature take the impulse of the nearest one on the device") {
    GpuRig gpu;
    if (!gpu) return;
    ContactRig rig(gpu);
    Dice dice(9);
    const ShapeId floor = rig.add(box_desc({2.0f, 0.5f, 2.0f})), box = rig.add(box_desc({0.5f, 0.5f, 0.5f}));
    std::vector<PlacedShape> placed = {{floor, at({0, 0, 0})}, {box, at({0, 1, 0})}, {box, at({1.5f, 1, 0})}};
    const std::vector<PairOf> pairs = {{0, 1}, {0, 2}, {1, 2}};
    rig.begin(placed, 3);
    const std::vector<FoundContact> before = rig.run(pairs, {kMargin, 0.0f});
    REQUIRE(before[0].count == 4);
    REQUIRE(before[1].count == 4);
    REQUIRE(before[2].count == 0);
    rig.solve(
        before, [](uint32_t p, uint32_t k) { return Vec3(10.0f * float(p) + float(k) + 1.0f, 0.0f, 0.0f); },
        [](uint32_t) { return 3u; });
    // A quarter turn: the same four corners by other names, so only the positions are left.
    placed[1].pose.rotation = turn(90.0f, {0, 1, 0});
    placed[2].pose.position.y = 1.5f;
    rig.place(placed);
    const std::vector<FoundContact> after = rig.run(pairs, {kMargin, 0.0f});
    REQUIRE(after[0].count == 4);
    CHECK(after[1].count == 0);
    CHECK(after[1].colour == world::kNone);
    float sum = 0.0f;
    for (uint32_t k = 0; k < 4; ++k) sum += after[0].lambda[k].x;
    CHECK(sum == 10.0f);
    rig.solve(
        after, [](uint32_t, uint32_t) { return Vec3(1.0f, 0.0f, 0.0f); }, [](uint32_t) { return 2u; });
    // Pairs come and go, and bodies that were apart bring nothing back.
    placed[2].pose.position.y = 1.0f;
    rig.place(placed);
    const std::vector<FoundContact> later = rig.run({{0, 2}, {1, 2}}, {kMargin, 0.0f});
    REQUIRE(later[0].count == 4);
    CHECK(later[0].colour == world::kNone);
    for (uint32_t k = 0; k < 4; ++k) CHECK(later[0].lambda[k] == Vec3(0.0f));
}

TEST_CASE("materials meet on the device as on the CPU") {
    GpuRig gpu;
    if (!gpu) return;
    ContactRig rig(gpu);
    Dice dice(13);
    const ShapeId ball = rig.add(round_desc(ShapeType::sphere, 0.5f));
    std::vector<Meeting> meetings;
    for (int i = 0; i < 25 * 25; ++i) meetings.push_back({ball, ball, at({0, 0, 0}), at({0, 1, 0})});
    const std::vector<PairOf> pairs = pairs_of(meetings);
    std::vector<physics::ContactMaterial> surfaces(2 * pairs.size());
    for (uint32_t p = 0; p < pairs.size(); ++p)
        for (uint32_t side = 0; side < 2; ++side) {
            physics::ContactMaterial& s = surfaces[2 * p + side];
            const uint32_t modes = side == 0 ? p % 25 : p / 25;
            s.friction = dice.uniform(0.0f, 1.5f);
            s.restitution = p % 3 == 0 ? 0.5f : dice.uniform(0.0f, 1.0f);
            s.friction_combine = physics::Combine(modes % 5);
            s.restitution_combine = physics::Combine(modes / 5);
        }
    rig.begin(shapes_of(meetings, dice), uint32_t(pairs.size()), [&](world::WorldData& data) {
        for (size_t i = 0; i < surfaces.size(); ++i) {
            const physics::ContactMaterial& s = surfaces[i];
            data.colliders[i].offset.w = s.friction;
            data.colliders[i].surface = {
                s.restitution,
                std::bit_cast<float>(uint32_t(s.friction_combine) | uint32_t(s.restitution_combine) << 8), 0, 0};
        }
    });
    const std::vector<FoundContact> found = rig.run(pairs, {kMargin, 0.0f});
    for (uint32_t p = 0; p < pairs.size(); ++p) {
        const physics::ContactMaterial &a = surfaces[2 * p], &b = surfaces[2 * p + 1];
        CHECK(found[p].friction == doctest::Approx(physics::combine_friction(a, b)).epsilon(1e-6));
        CHECK(found[p].restitution == doctest::Approx(physics::combine_restitution(a, b)).epsilon(1e-6));
    }
}

TEST_CASE("fast bodies have a wider margin on the device, up to their size, and without end above a floor") {
    GpuRig gpu;
    if (!gpu) return;
    ContactRig rig(gpu);
    Dice dice(15);
    const ShapeId ball = rig.add(round_desc(ShapeType::sphere, 0.5f)),
                  plane = rig.add(round_desc(ShapeType::half_space, 0));
    std::vector<Meeting> meetings;
    for (const float gap : {0.01f, 0.1f, 0.9f, 1.2f})
        for (const bool on_plane : {false, true})
            meetings.push_back(
                {on_plane ? plane : ball, ball, at({0, 0, 0}), at({0, gap + (on_plane ? 0.5f : 1.0f), 0})});
    const std::vector<PairOf> pairs = pairs_of(meetings);
    const auto counts = [&](float speed) {
        std::vector<PlacedShape> placed = shapes_of(meetings, dice);
        rig.begin(placed, uint32_t(pairs.size()), [&](world::WorldData& data) {
            for (uint32_t p = 0; p < pairs.size(); ++p) {
                data.velocities[4 * p + 2].y = -speed;  // linear, of b
                if (p % 2 == 1) data.bodies[2 * p].inverse1.w = 0.0f;
            }
        });
        std::string text;
        for (const FoundContact& f : rig.run(pairs, {kMargin, 0.01f})) text += f.count > 0 ? '1' : '0';
        return text;
    };
    CHECK(counts(0.0f) == "11000000");
    CHECK(counts(10.0f) == "11110000");   // 0.0115 + 0.1
    CHECK(counts(200.0f) == "11111101");  // 0.0115 + 1 between balls, no more
}

TEST_CASE("a stopped step leaves contacts on the device alone, and no pairs are no trouble") {
    GpuRig gpu;
    if (!gpu) return;
    ContactRig rig(gpu);
    Dice dice(17);
    const ShapeId box = rig.add(box_desc({0.5f, 0.5f, 0.5f}));
    const std::vector<Meeting> meetings = {{box, box, at({0, 0, 0}), at({0, 1, 0})}};
    rig.begin(shapes_of(meetings, dice), 1);
    const std::vector<FoundContact> first = rig.run(pairs_of(meetings), {kMargin, 0.0f});
    REQUIRE(first[0].count == 4);
    rig.run(pairs_of(meetings), {kMargin, 0.0f});
    // Now the third, which would overwrite what the first has written.
    rig.place(shapes_of({{box, box, at({0, 0, 0}), at({0, 3, 0})}}, dice));
    const std::vector<FoundContact> stopped = rig.run(pairs_of(meetings), {kMargin, 0.0f}, world::kStoppedPairs);
    CHECK(stopped[0].count == 4);
    CHECK(stopped[0].normal == first[0].normal);
    CHECK(rig.run(pairs_of(meetings), {kMargin, 0.0f})[0].count == 0);
    CHECK(rig.run({}, {kMargin, 0.0f}).empty());
}

TEST_CASE("poses that are not numbers make no contacts on the device and end in time") {
    GpuRig gpu;
    if (!gpu) return;
    ContactRig rig(gpu);
    Dice dice(19);
    const std::vector<ShapeId> shapes = add_shapes(rig, dice);
    std::vector<Meeting> meetings = near_pairs(dice, rig, shapes, 1);
    constexpr float kBad = std::numeric_limits<float>::quiet_NaN();
    for (size_t i = 0; i < meetings.size(); ++i)
        (i % 2 == 0 ? meetings[i].pose_b.position.x : meetings[i].pose_a.rotation.y) = kBad;
    const std::vector<PairOf> pairs = pairs_of(meetings);
    rig.begin(shapes_of(meetings, dice), uint32_t(pairs.size()));
    for (const FoundContact& f : rig.run(pairs, {kMargin, 0.0f})) CHECK(f.count <= 4);
}
