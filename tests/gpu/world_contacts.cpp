// SPDX-License-Identifier: MIT
// The contact stage of a world on the device against the CPU's contact generation.
#include <algorithm>
#include <limits>
#include <string>

#include "physics/contact/material.h"
#include "tests/gpu/contact_rig.h"
#include "tests/unit/physics/shape_poses.h"

using namespace proxima;
using namespace proxima::test;
using physics::RawManifold;
using physics::Shape;
using physics::ShapeDesc;
using physics::ShapeId;
using physics::ShapeType;
using physics::test::turn;
using Dice = physics::test::Random;

namespace {

constexpr float kMargin = 0.02f;

ShapeDesc round_desc(ShapeType type, float radius, float half_height = 0.0f) {
    ShapeDesc d;
    d.type = type;
    d.radius = radius;
    d.half_height = half_height;
    return d;
}
ShapeDesc box_desc(const Vec3& half_extents) {
    ShapeDesc d;
    d.half_extents = half_extents;
    return d;
}
ShapeDesc hull_desc(std::vector<Vec3> points) {
    ShapeDesc d;
    d.type = ShapeType::hull;
    d.points = std::move(points);
    return d;
}
ShapeDesc cloud_desc(Dice& dice, int count, float size) {
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i) points.push_back(dice.direction() * dice.uniform(0.6f * size, size));
    return hull_desc(points);
}
ShapeDesc prism_desc(int sides, float radius, float half_height) {
    std::vector<Vec3> points;
    for (int i = 0; i < sides; ++i)
        for (float y : {-half_height, half_height})
            points.emplace_back(radius * std::cos(2.0f * kPi * float(i) / float(sides)), y,
                                radius * std::sin(2.0f * kPi * float(i) / float(sides)));
    return hull_desc(points);
}

/// Farthest place of a shape along a direction of the world.
float support(const Shape& s, const Transform& pose, const Vec3& n) {
    const Vec3 local = glm::conjugate(pose.rotation) * n;
    float most = s.polytope.vertices.empty() ? std::abs(local.y) * s.half_height + s.radius : -1e30f;
    if (s.type == ShapeType::half_space) most = glm::length(local - Vec3(0, 1, 0)) < 1e-3f ? 0.0f : 1e30f;
    for (const Vec3& v : s.polytope.vertices) most = std::max(most, glm::dot(local, v));
    return most + glm::dot(pose.position, n);
}
/// The gap from a to b along a unit direction.
float gap_along(const Shape& a, const Transform& pa, const Shape& b, const Transform& pb, const Vec3& n) {
    return -support(b, pb, -n) - support(a, pa, n);
}
/// How far a point is outside a shape, negative inside; for polytopes by their planes, hence at most.
float height_above(const Shape& s, const Transform& pose, const Vec3& x) {
    const Vec3 local = to_local(pose, x);
    if (s.type == ShapeType::half_space) return local.y;
    if (s.polytope.vertices.empty())
        return glm::length(local - Vec3(0.0f, std::clamp(local.y, -s.half_height, s.half_height), 0.0f)) -
               s.radius;
    float most = -1e30f;
    for (const physics::Polytope::Face& f : s.polytope.faces)
        most = std::max(most, glm::dot(f.normal, local) - f.offset);
    return most;
}

/// Twice the area that points of a plane span, in any order.
template <class Point>
float spanned(int count, const Vec3& n, const Point& p) {
    if (count < 3) return 0.0f;
    if (count == 3) return std::abs(glm::dot(glm::cross(p(1) - p(0), p(2) - p(0)), n));
    return std::max({std::abs(glm::dot(glm::cross(p(1) - p(0), p(3) - p(2)), n)),
                     std::abs(glm::dot(glm::cross(p(2) - p(0), p(3) - p(1)), n)),
                     std::abs(glm::dot(glm::cross(p(3) - p(0), p(2) - p(1)), n))});
}

struct Meeting {
    ShapeId a{}, b{};
    Transform pose_a, pose_b;
};

/// Two shapes near each other: turned at random, or nearly along the axes so that faces meet faces.
Meeting near_pair(Dice& dice, const ContactRig& rig, ShapeId a, ShapeId b) {
    const Shape &sa = rig.shape(a), &sb = rig.shape(b);
    const auto rotation = [&](bool aligned) {
        if (!aligned) return dice.rotation();
        Quat q(1.0f, 0.0f, 0.0f, 0.0f);
        for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0)})
            q = turn(90.0f * std::floor(dice.uniform(0.0f, 4.0f)), axis) * q;
        return glm::normalize(
            turn(dice.uniform(0.0f, 1.0f) < 0.5f ? dice.uniform(-45.0f, 45.0f) : 0.0f, Vec3(0, 1, 0)) *
            turn(dice.uniform(-0.2f, 0.2f), dice.direction()) * q);
    };
    const bool aligned = dice.uniform(0.0f, 1.0f) < 0.5f;
    Meeting p;
    p.a = a;
    p.b = b;
    p.pose_a.rotation = rotation(aligned);
    p.pose_b.rotation = rotation(aligned);
    Vec3 n = aligned ? Vec3(0, 1, 0) : dice.direction();
    if (sa.type == ShapeType::half_space) n = p.pose_a.rotation * Vec3(0, 1, 0);
    if (sb.type == ShapeType::half_space) n = p.pose_b.rotation * Vec3(0, -1, 0);
    const float small = std::min(std::min(sa.bounding_radius, sb.bounding_radius), 1.0f);
    p.pose_a.position = dice.vector(5.0f);
    p.pose_b.position =
        p.pose_a.position +
        (aligned ? Vec3(dice.uniform(-1, 1), 0.0f, dice.uniform(-1, 1)) : dice.vector(0.6f)) * small;
    const float kind = dice.uniform(0.0f, 4.0f);
    const float gap = kind < 1.0f   ? dice.uniform(0.0f, 1.2f * kMargin)
                      : kind < 2.0f ? dice.uniform(-2e-3f, 2e-3f)
                      : kind < 3.0f ? dice.uniform(-0.02f, 0.0f)
                                    : dice.uniform(-0.5f * small, 0.0f);
    p.pose_b.position += n * (gap - gap_along(sa, p.pose_a, sb, p.pose_b, n));
    return p;
}

/// What must hold of a pair, as a sentence of what does not; empty when all does.
struct Judgement {
    std::string complaint;
    bool touching = false, same_axis = false, same_count = true;
};
Judgement judge(const Shape& a, const Shape& b, const Meeting& pair, float margin, const FoundContact& f) {
    constexpr float kTolerance = 1e-4f;
    RawManifold raw;
    const bool touching = physics::collide(a, pair.pose_a, b, pair.pose_b, margin, raw);
    Judgement j;
    j.touching = touching;
    const auto deepest = [&] { return physics::test::deepest(raw); };
    if (touching != (f.count > 0)) {
        if ((touching ? deepest() : f.deepest()) < margin - kTolerance)
            j.complaint = touching ? "missed contact" : "contact of shapes apart";
        return j;
    }
    if (!touching) return j;
    if (!(std::abs(glm::length(f.normal) - 1.0f) < 1e-4f)) j.complaint = "normal is not a unit";
    const float slop =
        std::min(a.axis_slop > 0.0f ? a.axis_slop : 1.0f, b.axis_slop > 0.0f ? b.axis_slop : 1.0f);
    const float bias = slop < 1.0f ? 3.0f * slop : 0.0f;
    // Four of more points: the deepest is among them, or one that is as deep within a thousandth of the
    // patch.
    float choice = 0.0f;
    for (uint32_t k = 1; k < f.count && f.count == 4; ++k)
        choice = std::max(choice, 1.2e-3f * glm::length(f.point[k] - f.point[0]));
    j.same_axis = glm::length(f.normal - raw.normal) < 1e-3f;
    if (!j.same_axis) {
        const float here = gap_along(a, pair.pose_a, b, pair.pose_b, f.normal);
        const float there = gap_along(a, pair.pose_a, b, pair.pose_b, raw.normal);
        // An axis along which they overlap less is as good, if the gap is that along it.
        const float expected = here > there + bias + kTolerance ? here : deepest();
        if (here < there - bias - kTolerance) j.complaint = "another axis, which is not as good";
        if (std::abs(f.deepest() - expected) > bias + choice + kTolerance)
            j.complaint = "another axis with another gap";
    } else if (std::abs(f.deepest() - deepest()) > kTolerance + choice) {
        j.complaint = "another gap";
    }
    // The nearest points of outlines may lie beside the shapes; then those of the CPU do as well.
    float beside = 0.0f;
    for (int k = 0; k < raw.count; ++k)
        beside = std::max({beside, height_above(a, pair.pose_a, raw.points[k].point),
                           height_above(b, pair.pose_b, raw.points[k].point)});
    for (uint32_t k = 0; k < f.count; ++k) {
        const float room = std::max(0.5f * std::abs(f.gap[k]) + bias, beside) + kTolerance;
        if (f.gap[k] > margin + 1e-6f) j.complaint = "a point beyond the margin";
        if (height_above(a, pair.pose_a, f.point[k]) > room ||
            height_above(b, pair.pose_b, f.point[k]) > room)
            j.complaint = "a point outside of the shapes";
        for (uint32_t i = 0; i < k; ++i)
            if (f.feature[i] == f.feature[k]) j.complaint = "two points with one feature";
    }
    if (!j.same_axis) return j;
    j.same_count = int(f.count) == raw.count;
    // A point near the margin may be left out on one side.
    for (uint32_t k = 0; k < f.count; ++k)
        if (!j.same_count && f.gap[k] > margin - 1e-3f) return j;
    for (int k = 0; k < raw.count; ++k)
        if (!j.same_count && raw.points[k].separation > margin - 1e-3f) return j;
    const float area = spanned(int(f.count), f.normal, [&](int i) { return f.point[i]; });
    const float twin = spanned(raw.count, f.normal, [&](int i) { return raw.points[i].point; });
    const float size = std::min(a.bounding_radius, b.bounding_radius);
    if (std::abs(area - twin) > 0.35f * std::max(area, twin) + 1e-3f * size * size)
        j.complaint = "another patch";
    return j;
}

std::vector<ShapeId> add_shapes(ContactRig& rig, Dice& dice) {
    return {rig.add(round_desc(ShapeType::sphere, 0.3f)),
            rig.add(round_desc(ShapeType::capsule, 0.2f, 0.5f)),
            rig.add(box_desc({0.5f, 0.7f, 0.4f})),
            rig.add(cloud_desc(dice, 16, 0.7f)),
            rig.add(round_desc(ShapeType::half_space, 0.0f)),
            rig.add(round_desc(ShapeType::sphere, 0.8f)),
            rig.add(round_desc(ShapeType::capsule, 0.4f, 0.1f)),
            rig.add(box_desc({1.5f, 0.05f, 1.0f})),
            rig.add(cloud_desc(dice, 8, 0.5f)),
            rig.add(box_desc({0.25f, 0.25f, 0.25f})),
            rig.add(cloud_desc(dice, 40, 0.9f)),
            rig.add(prism_desc(9, 0.5f, 0.3f))};
}

/// Colliders 2 k and 2 k + 1 are those of meeting k.
std::vector<PlacedShape> shapes_of(const std::vector<Meeting>& meetings, Dice& dice) {
    std::vector<PlacedShape> placed;
    for (const Meeting& m : meetings) {
        placed.push_back({m.a, m.pose_a, dice.vector(0.3f)});
        placed.push_back({m.b, m.pose_b, dice.vector(0.3f)});
    }
    return placed;
}
std::vector<PairOf> pairs_of(const std::vector<Meeting>& meetings) {
    std::vector<PairOf> pairs;
    for (uint32_t k = 0; k < meetings.size(); ++k) pairs.push_back({2 * k, 2 * k + 1});
    return pairs;
}

Transform at(const Vec3& position, const Quat& rotation = Quat(1.0f, 0.0f, 0.0f, 0.0f)) {
    return {position, rotation};
}

bool same_bits(const FoundContact& a, const FoundContact& b) {
    if (a.count != b.count || std::memcmp(&a.normal, &b.normal, sizeof a.normal) != 0) return false;
    for (uint32_t k = 0; k < a.count; ++k)
        if (std::memcmp(&a.point[k], &b.point[k], sizeof(Vec3)) != 0 ||
            std::memcmp(&a.gap[k], &b.gap[k], sizeof(float)) != 0 || a.feature[k] != b.feature[k])
            return false;
    return true;
}

}  // namespace

TEST_CASE("contacts on the device are those of the CPU for every pair of shapes") {
    GpuRig gpu;
    if (!gpu) return;
    ContactRig rig(gpu);
    Dice dice(7);
    const std::vector<ShapeId> shapes = add_shapes(rig, dice);
    std::vector<Meeting> meetings;
    for (const ShapeId a : shapes)
        for (const ShapeId b : shapes) {
            if (rig.shape(a).type == ShapeType::half_space && rig.shape(b).type == ShapeType::half_space)
                continue;
            for (int k = 0; k < 60; ++k) meetings.push_back(near_pair(dice, rig, a, b));
        }
    const std::vector<PlacedShape> placed = shapes_of(meetings, dice);
    const std::vector<PairOf> pairs = pairs_of(meetings);
    rig.begin(placed, uint32_t(pairs.size()));
    const std::vector<FoundContact> found = rig.run(pairs, {kMargin, 0.0f});
    uint32_t touching = 0, same_axis = 0, same_count = 0;
    for (uint32_t p = 0; p < pairs.size(); ++p) {
        const Shape &a = rig.shape(meetings[p].a), &b = rig.shape(meetings[p].b);
        const Judgement j = judge(a, b, meetings[p], kMargin, found[p]);
        CAPTURE(p);
        CAPTURE(std::string(to_string(a.type)));
        CAPTURE(std::string(to_string(b.type)));
        REQUIRE(j.complaint == "");
        touching += j.touching;
        same_axis += j.same_axis;
        same_count += j.same_axis && j.same_count;
        REQUIRE(found[p].body_a == 2 * p);
        REQUIRE(found[p].body_b == 2 * p + 1);
        REQUIRE(found[p].colour == world::kNone);
        const Vec3 shift = placed[2 * p].pose.position + placed[2 * p].centre -
                           placed[2 * p + 1].pose.position - placed[2 * p + 1].centre;
        REQUIRE(glm::length(found[p].shift - shift) < 1e-5f);
        for (uint32_t k = 0; k < found[p].count; ++k) REQUIRE(found[p].lambda[k] == Vec3(0.0f));
    }
    CHECK(touching > pairs.size() / 3);
    CHECK(same_axis > touching - touching / 100);
    CHECK(same_count > same_axis - same_axis / 200);

    // The order in which the device takes them does not show.
    for (int again = 0; again < 2; ++again) {
        rig.begin(placed, uint32_t(pairs.size()));
        const std::vector<FoundContact> twin = rig.run(pairs, {kMargin, 0.0f});
        for (uint32_t p = 0; p < pairs.size(); ++p) REQUIRE(same_bits(found[p], twin[p]));
    }
}

TEST_CASE("faces with many corners are clipped soundly on the device") {
    GpuRig gpu;
    if (!gpu) return;
    ContactRig rig(gpu);
    Dice dice(11);
    const std::vector<ShapeId> prisms = {
        rig.add(prism_desc(30, 0.5f, 0.2f)), rig.add(prism_desc(61, 0.7f, 0.2f)),
        rig.add(prism_desc(125, 0.6f, 0.3f)), rig.add(box_desc({0.5f, 0.5f, 0.5f}))};
    std::vector<Meeting> meetings;
    for (const ShapeId a : prisms)
        for (const ShapeId b : prisms)
            for (int k = 0; k < 12; ++k) {
                const float top = support(rig.shape(a), {}, {0, 1, 0}) + support(rig.shape(b), {}, {0, 1, 0});
                meetings.push_back(
                    {a, b, at({0, 0, 0}),
                     at({dice.uniform(-0.6f, 0.6f), top + dice.uniform(-0.01f, 0.01f),
                         dice.uniform(-0.6f, 0.6f)},
                        turn(dice.uniform(0, 360), {0, 1, 0}) * turn(dice.uniform(-0.3f, 0.3f), {1, 0, 1}))});
            }
    const std::vector<PairOf> pairs = pairs_of(meetings);
    rig.begin(shapes_of(meetings, dice), uint32_t(pairs.size()));
    const std::vector<FoundContact> found = rig.run(pairs, {kMargin, 0.0f});
    for (uint32_t p = 0; p < pairs.size(); ++p) {
        CAPTURE(p);
        const Meeting& m = meetings[p];
        const Judgement j = judge(rig.shape(m.a), rig.shape(m.b), m, kMargin, found[p]);
        CHECK(j.complaint == "");
        CHECK(j.touching);
        CHECK(j.same_count);
        CHECK(found[p].count >= 3);
    }
}

TEST_CASE("a box on a box has four corners on the device, and keeps their names while it rests") {
    GpuRig gpu;
    if (!gpu) return;
    ContactRig rig(gpu);
    Dice dice(3);
    const ShapeId small = rig.add(box_desc({0.5f, 0.5f, 0.5f})), wide = rig.add(box_desc({5.0f, 0.5f, 5.0f}));
    const ShapeId plane = rig.add(round_desc(ShapeType::half_space, 0.0f));
    const ShapeId cut = rig.add(hull_desc(physics::box_polytope({0.5f, 0.5f, 0.5f}).vertices));
    const std::vector<std::pair<ShapeId, ShapeId>> stacks = {{wide, small}, {small, small}, {small, wide},
                                                             {wide, cut},   {cut, cut},     {small, cut}};
    std::vector<Meeting> rest;
    for (const auto& [below, above] : stacks)
        rest.push_back({below, above, at({0, 0, 0}), at({0, 0.999f, 0})});
    rest.push_back({plane, small, at({0, 0, 0}), at({3, 0.499f, 2})});
    rest.push_back({cut, plane, at({3, 0.499f, 2}), at({0, 0, 0})});
    const std::vector<PairOf> pairs = pairs_of(rest);
    rig.begin(shapes_of(rest, dice), uint32_t(pairs.size()));
    std::vector<FoundContact> first;
    for (int step = 0; step < 10; ++step) {
        std::vector<Meeting> moved = rest;
        if (step > 0)
            for (Meeting& m : moved) {
                Transform& t = rig.shape(m.b).type == ShapeType::half_space ? m.pose_a : m.pose_b;
                t.position += dice.vector(2e-4f);
                t.rotation = glm::normalize(turn(dice.uniform(-0.01f, 0.01f), dice.direction()) * t.rotation);
            }
        rig.place(shapes_of(moved, dice));
        const std::vector<FoundContact> found = rig.run(pairs, {kMargin, 0.0f});
        if (step == 0) first = found;
        for (uint32_t p = 0; p < pairs.size(); ++p) {
            CAPTURE(p);
            CAPTURE(step);
            REQUIRE(found[p].count == 4);
            const Vec3 up(0.0f, rig.shape(rest[p].b).type == ShapeType::half_space ? -1.0f : 1.0f, 0.0f);
            CHECK(glm::length(found[p].normal - up) < 1e-3f);
            CHECK(spanned(4, up, [&](int i) { return found[p].point[i]; }) ==
                  doctest::Approx(2.0f).epsilon(0.01));
            for (uint32_t k = 0; k < 4; ++k) {
                CHECK(found[p].gap[k] == doctest::Approx(-1e-3f).epsilon(0.01).scale(0.05));
                bool known = false;
                for (uint32_t i = 0; i < 4; ++i) known = known || first[p].feature[i] == found[p].feature[k];
                CHECK(known);
            }
        }
    }
}

TEST_CASE("impulses and colours of the step before stay with their contacts on the device") {
    GpuRig gpu;
    if (!gpu) return;
    ContactRig rig(gpu);
    Dice dice(5);
    const std::vector<ShapeId> shapes = add_shapes(rig, dice);
    std::vector<Meeting> meetings;
    for (const ShapeId a : shapes)
        for (const ShapeId b : shapes)
            if (rig.shape(a).type != ShapeType::half_space || rig.shape(b).type != ShapeType::half_space)
                for (int k = 0; k < 4; ++k) meetings.push_back(near_pair(dice, rig, a, b));
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
    // A quarter turn: the same four corners by other names, so only the places are left.
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
    std::vector<physics::Surface> surfaces(2 * pairs.size());
    for (uint32_t p = 0; p < pairs.size(); ++p)
        for (uint32_t side = 0; side < 2; ++side) {
            physics::Surface& s = surfaces[2 * p + side];
            const uint32_t modes = side == 0 ? p % 25 : p / 25;
            s.friction = dice.uniform(0.0f, 1.5f);
            s.restitution = p % 3 == 0 ? 0.5f : dice.uniform(0.0f, 1.0f);
            s.friction_combine = physics::Combine(modes % 5);
            s.restitution_combine = physics::Combine(modes / 5);
        }
    rig.begin(shapes_of(meetings, dice), uint32_t(pairs.size()), [&](world::WorldData& data) {
        for (size_t i = 0; i < surfaces.size(); ++i) {
            const physics::Surface& s = surfaces[i];
            data.colliders[i].place.w = s.friction;
            data.colliders[i].surface = {
                s.restitution,
                std::bit_cast<float>(uint32_t(s.friction_combine) | uint32_t(s.restitution_combine) << 8), 0,
                0};
        }
    });
    const std::vector<FoundContact> found = rig.run(pairs, {kMargin, 0.0f});
    for (uint32_t p = 0; p < pairs.size(); ++p) {
        const physics::Surface &a = surfaces[2 * p], &b = surfaces[2 * p + 1];
        CHECK(found[p].friction == doctest::Approx(physics::combine_friction(a, b)).epsilon(1e-6));
        CHECK(found[p].restitution == doctest::Approx(physics::combine_restitution(a, b)).epsilon(1e-6));
    }
}

TEST_CASE("fast bodies have a wider margin on the device, up to half their size") {
    GpuRig gpu;
    if (!gpu) return;
    ContactRig rig(gpu);
    Dice dice(15);
    const ShapeId ball = rig.add(round_desc(ShapeType::sphere, 0.5f)),
                  plane = rig.add(round_desc(ShapeType::half_space, 0));
    std::vector<Meeting> meetings;
    for (const float gap : {0.01f, 0.1f, 0.2f, 0.3f})
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
    CHECK(counts(10.0f) == "11110000");   // 0.02 + 0.1
    CHECK(counts(100.0f) == "11111100");  // 0.02 + 0.25, no more
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
    const std::vector<FoundContact> stopped =
        rig.run(pairs_of(meetings), {kMargin, 0.0f}, world::kStoppedPairs);
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
    std::vector<Meeting> meetings;
    for (const ShapeId a : shapes)
        for (const ShapeId b : shapes) {
            if (rig.shape(a).type == ShapeType::half_space && rig.shape(b).type == ShapeType::half_space)
                continue;
            Meeting m = near_pair(dice, rig, a, b);
            const float bad = std::numeric_limits<float>::quiet_NaN();
            if (meetings.size() % 2 == 0)
                m.pose_b.position.x = bad;
            else
                m.pose_a.rotation.y = bad;
            meetings.push_back(m);
        }
    const std::vector<PairOf> pairs = pairs_of(meetings);
    rig.begin(shapes_of(meetings, dice), uint32_t(pairs.size()));
    for (const FoundContact& f : rig.run(pairs, {kMargin, 0.0f})) CHECK(f.count <= 4);
}
