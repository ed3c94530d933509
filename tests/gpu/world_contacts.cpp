// SPDX-License-Identifier: MIT
// The contact stage of a world on the device against the CPU's contact generation.
#include <algorithm>
#include <cstring>
#include <string>

#include "tests/gpu/contact_meetings.h"

using namespace proxima;
using namespace proxima::test;
using physics::RawManifold;

namespace {

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
    const float slop = std::min(a.axis_slop > 0.0f ? a.axis_slop : 1.0f, b.axis_slop > 0.0f ? b.axis_slop : 1.0f);
    const float bias = slop < 1.0f ? 3.0f * slop : 0.0f;
    // Four of more points: the deepest is among them, or one that is as deep within a thousandth of the patch.
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
        if (height_above(a, pair.pose_a, f.point[k]) > room || height_above(b, pair.pose_b, f.point[k]) > room)
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
    if (std::abs(area - twin) > 0.35f * std::max(area, twin) + 1e-3f * size * size) j.complaint = "another patch";
    return j;
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
    const std::vector<Meeting> meetings = near_pairs(dice, rig, shapes, 60);
    const std::vector<PlacedShape> placed = shapes_of(meetings, dice);
    const std::vector<PairOf> pairs = pairs_of(meetings);
    rig.begin(placed, uint32_t(pairs.size()));
    const std::vector<FoundContact> found = rig.run(pairs, {kMargin, 0.0f});
    uint32_t touching = 0, same_axis = 0, same_count = 0;
    for (uint32_t p = 0; p < pairs.size(); ++p) {
        const Shape &a = rig.shape(meetings[p].a), &b = rig.shape(meetings[p].b);
        const Judgement j = judge(a, b, meetings[p], margin_of(a, b), found[p]);
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
        const Vec3 shift = placed[2 * p].pose.position + placed[2 * p].centre - placed[2 * p + 1].pose.position -
                           placed[2 * p + 1].centre;
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
    const std::vector<ShapeId> prisms = {rig.add(prism_desc(30, 0.5f, 0.2f)), rig.add(prism_desc(61, 0.7f, 0.2f)),
                                         rig.add(prism_desc(125, 0.6f, 0.3f)), rig.add(box_desc({0.5f, 0.5f, 0.5f}))};
    std::vector<Meeting> meetings;
    for (const ShapeId a : prisms)
        for (const ShapeId b : prisms)
            for (int k = 0; k < 12; ++k) {
                const float top = support(rig.shape(a), {}, {0, 1, 0}) + support(rig.shape(b), {}, {0, 1, 0});
                meetings.push_back(
                    {a, b, at({0, 0, 0}),
                     at({dice.uniform(-0.6f, 0.6f), top + dice.uniform(-0.01f, 0.01f), dice.uniform(-0.6f, 0.6f)},
                        turn(dice.uniform(0, 360), {0, 1, 0}) * turn(dice.uniform(-0.3f, 0.3f), {1, 0, 1}))});
            }
    const std::vector<PairOf> pairs = pairs_of(meetings);
    rig.begin(shapes_of(meetings, dice), uint32_t(pairs.size()));
    const std::vector<FoundContact> found = rig.run(pairs, {kMargin, 0.0f});
    for (uint32_t p = 0; p < pairs.size(); ++p) {
        CAPTURE(p);
        const Meeting& m = meetings[p];
        const Judgement j =
            judge(rig.shape(m.a), rig.shape(m.b), m, margin_of(rig.shape(m.a), rig.shape(m.b)), found[p]);
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
    for (const auto& [below, above] : stacks) rest.push_back({below, above, at({0, 0, 0}), at({0, 0.999f, 0})});
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
            CHECK(spanned(4, up, [&](int i) { return found[p].point[i]; }) == doctest::Approx(2.0f).epsilon(0.01));
            for (uint32_t k = 0; k < 4; ++k) {
                CHECK(found[p].gap[k] == doctest::Approx(-1e-3f).epsilon(0.01).scale(0.05));
                bool known = false;
                for (uint32_t i = 0; i < 4; ++i) known = known || first[p].feature[i] == found[p].feature[k];
                CHECK(known);
            }
        }
    }
}
