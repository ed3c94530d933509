// SPDX-License-Identifier: MIT
#include "samples/editor/model/fields.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "physics/scene/scene_fields.h"
#include "tests/editor/editor_test.h"
#include "tests/support/random.h"

using namespace proxima;
using namespace proxima::test;

namespace {

const Field& field(std::string_view key) {
    const Field* found = find_field(key);
    REQUIRE_MESSAGE(found != nullptr, key);
    return *found;
}

/// Collects the names of the keys that a scene file has.
struct KeyList {
    std::set<std::string> keys;
    std::string prefix;
    template <class T>
    void field(std::string_view name, const T&, const T&) {
        keys.insert(prefix + std::string(name));
    }
    template <class T>
    void required(std::string_view, const T&) {}
    template <class Inner>
    void object(std::string_view name, Inner&& inner) {
        const std::string outer = prefix;
        prefix = std::string(name) + ".";
        inner(*this);
        prefix = outer;
    }
    template <class List, class Visit>
    void list(std::string_view, const List&, Visit&&) {}
};

}  // namespace

TEST_CASE("every key of a scene file has a row, and every row is complete") {
    KeyList list;
    const physics::StepSettings settings;
    const physics::SceneRun run;
    const SceneCollider collider;
    const SceneBody body;
    list.prefix = "settings.";
    physics::scene_fields::visit_settings(list, settings);
    list.prefix = "run.";
    physics::scene_fields::visit_run(list, run);
    list.prefix = "collider.";
    physics::scene_fields::visit_collider(list, collider);
    list.prefix = "body.";
    physics::scene_fields::visit_body(list, body);
    for (const std::string& key : list.keys) CHECK_MESSAGE(find_field(key) != nullptr, key);
    CHECK(list.keys.size() > 50);

    std::set<std::string_view> keys;
    for (const Field& row : field_table()) {
        CAPTURE(row.key);
        CHECK(keys.insert(row.key).second);
        CHECK_FALSE(row.group.empty());
        CHECK_FALSE(row.label.empty());
        CHECK(row.tooltip.size() > 5);
        CHECK(row.tooltip.ends_with('.'));
        CHECK(bool(row.get));
        CHECK(bool(row.set));
        CHECK((row.kind == FieldKind::choice) == (row.choices != nullptr));
        const bool slides = row.kind == FieldKind::number || row.kind == FieldKind::whole ||
                            row.kind == FieldKind::vector || row.kind == FieldKind::rotation;
        CHECK((row.high > row.low) == slides);
        CHECK((row.step > 0.0) == slides);
    }
    CHECK(find_field("body.colour") == nullptr);
}

TEST_CASE("every row reads back what was set, in one command that can be undone") {
    for (const Field& row : field_table()) {
        CAPTURE(row.key);
        Document document;
        const ItemId id = take(document.create_body({.name = "it"}, {{capsule_shape(), {}}, {box_shape(), {}}}));
        if (row.key == "material.friction_across")
            done(set_field(document, field("material.friction_direction"), std::span(&id, 1), Vec3(1.0f, 0.0f, 0.0f)));
        if (row.key == "collider.scale")  // round shapes take uniform ones
            done(document.remove(std::vector<ItemId>{document.body(id)->collider_ids[0]}));
        const std::string before = text_of(document);
        const bool wide = document.facts().settings.wide_kernels;
        const FieldReading old = read_field(document, row, std::span(&id, 1));
        REQUIRE(old.applies);
        FieldValue value = old.value;
        switch (row.kind) {
            case FieldKind::number:
                value = double(float(row.low + 0.37 * (row.high - row.low)));
                break;
            case FieldKind::whole:
            case FieldKind::bits:
                value = int64_t(std::get<int64_t>(value) == 3 ? 4 : 3);
                break;
            case FieldKind::toggle:
                value = !std::get<bool>(value);
                break;
            case FieldKind::vector:
                value = Vec3(0.25f, 0.5f, 0.75f);
                break;
            case FieldKind::rotation:
                value = from_degrees({10.0f, 20.0f, 30.0f});
                break;
            case FieldKind::text:
                value = std::string("something else");
                break;
            case FieldKind::choice:
                value = std::string(row.choices()[row.choices()[0] == std::get<std::string>(value) ? 1 : 0]);
                break;
        }
        if (row.key == "run.steps") value = int64_t(5000);
        REQUIRE(value != old.value);
        const size_t commands = document.history().undo_count();
        done(set_field(document, row, std::span(&id, 1), value));
        CHECK(document.history().undo_count() == commands + 1);
        const FieldReading now = read_field(document, row, std::span(&id, 1));
        if (row.kind == FieldKind::number)
            CHECK(std::get<double>(now.value) == doctest::Approx(std::get<double>(value)));
        else
            CHECK(now.value == value);
        CHECK_FALSE(now.mixed);
        check_mirror(document);
        done(document.undo());
        CHECK(text_of(document) == before);
        CHECK(document.facts().settings.wide_kernels == wide);
    }
}

TEST_CASE("several things show mixed values, and take one together") {
    Document document;
    const auto ids = make_tower(document, 3);
    const std::vector<ItemId> boxes{ids[1], ids[2], ids[3]};
    FieldReading position = read_field(document, field("body.position"), boxes);
    CHECK(position.mixed);
    CHECK_FALSE(position.mixed_axis[0]);
    CHECK(position.mixed_axis[1]);
    CHECK(std::get<Vec3>(position.value).y == 2.5f);
    done(set_field_axis(document, field("body.position"), boxes, 0, 7.0f));
    CHECK(document.undo_name() == "Set position of 3 bodies");
    for (int i = 0; i < 3; ++i)
        CHECK(document.body(boxes[size_t(i)])->desc.position == Vec3(7.0f, 0.5f + float(i), 0.0f));

    const Field& friction = field("material.friction");
    done(set_field(document, friction, std::span(&boxes[0], 1), 0.1));
    CHECK(document.undo_name() == "Set friction of 'box 2'");
    CHECK(read_field(document, friction, boxes).mixed);
    done(set_field(document, friction, boxes, 0.3));
    CHECK(document.undo_name() == "Set friction of 3 colliders");
    CHECK_FALSE(read_field(document, friction, boxes).mixed);
    check_mirror(document);
}

TEST_CASE("a shape that is shared changes for the selected only") {
    Document document;
    const auto ids = make_tower(document, 2);
    CHECK(document.body(ids[1])->desc.colliders[0].shape == document.body(ids[2])->desc.colliders[0].shape);
    done(set_field(document, field("shape.half_extents"), std::span(&ids[2], 1), Vec3(0.2f, 0.5f, 0.2f)));
    CHECK(std::get<Vec3>(read_field(document, field("shape.half_extents"), std::span(&ids[1], 1)).value) == Vec3(0.5f));
    CHECK(document.mass_of(ids[2]).mass == doctest::Approx(0.4 * 1.0 * 0.4 * 1000.0));
    CHECK_FALSE(read_field(document, field("shape.radius"), ids).applies);
    CHECK(has(set_field(document, field("shape.radius"), ids, 1.0).error(), "radius"));
}

TEST_CASE("a field of a shape applies to the classes that have it") {
    Document document;
    for (const physics::ShapeClass& row : physics::kShapeClasses) {
        if (row.category != physics::ShapeCategory::convex) continue;
        CAPTURE(row.name);
        const BodyType type = row.may_move ? BodyType::dynamic : BodyType::fixed;
        const ItemId id = take(document.create_body(row.example(), type, Vec3(0.0f)));
        CHECK(document.body(id)->desc.name == row.label);
        for (const char* key : {"half_extents", "radius", "half_height"}) {
            const auto has_key = [&](const physics::ShapeField& f) { return f.key == key; };
            CHECK(read_field(document, field(std::string("shape.") + key), std::span(&id, 1)).applies ==
                  std::any_of(row.fields.begin(), row.fields.end(), has_key));
        }
    }
    CHECK(field("shape.half_height").label == "Half height");
    CHECK(field("shape.half_height").unit == "m");
    CHECK(find_field("shape.points") == nullptr);
    CHECK(find_field("shape.children") == nullptr);
}

TEST_CASE("shapes are told apart by their children") {
    const ShapeDesc one = physics::shape_class(ShapeType::compound).example();
    ShapeDesc other = one;
    CHECK(same(one, other));
    other.children[2].position.x += 0.01f;
    CHECK_FALSE(same(one, other));
    other = one;
    other.children[2].shape.half_extents.y += 0.01f;
    CHECK_FALSE(same(one, other));
    other = one;
    other.children.pop_back();
    CHECK_FALSE(same(one, other));
}

TEST_CASE("a scene with a compound is refused by the document as long as worlds refuse it") {
    Document document;
    const Result<ItemId> made =
        document.create_body(physics::shape_class(ShapeType::compound).example(), BodyType::dynamic, Vec3(0.0f));
    REQUIRE_FALSE(made.ok());
    CHECK(has(made.error(), "A compound cannot be a collider yet"));
    CHECK(document.bodies().empty());
}

TEST_CASE("values that make no sense are refused with the field's own words") {
    Document document;
    const auto ids = make_tower(document, 1);
    const std::string before = text_of(document);
    CHECK(has(set_field(document, field("material.restitution"), ids, 1.5).error(), "between 0 and 1"));
    CHECK(has(set_field(document, field("material.friction"), ids, std::nan("")).error(), "friction"));
    CHECK(has(set_field(document, field("shape.half_extents"), ids, Vec3(0.0f, 1.0f, 1.0f)).error(), "box"));
    CHECK(has(set_field(document, field("settings.substeps"), {}, int64_t(-1)).error(), "whole number"));
    CHECK(has(set_field(document, field("settings.substeps"), {}, int64_t(0)).error(), "substeps"));
    CHECK(has(set_field(document, field("settings.solver"), {}, std::string("magic")).error(), "prox_gs"));
    CHECK(has(set_field(document, field("settings.substeps"), {}, true).error(), "another kind"));
    CHECK(text_of(document) == before);
    // A solver that does not know the materials of the scene.
    done(set_field(document, field("material.rolling_friction"), std::span(&ids[1], 1), 0.01));
    CHECK(has(set_field(document, field("settings.solver"), {}, std::string("pgs")).error(), "rolling"));
    check_mirror(document);
}

TEST_CASE("angles and rotations turn into each other") {
    test::Random random{3};
    for (int i = 0; i < 200; ++i) {
        const Vec3 angles(random.between(-179.0f, 179.0f), random.between(-89.0f, 89.0f),
                          random.between(-179.0f, 179.0f));
        const Vec3 back = to_degrees(from_degrees(angles));
        CHECK(glm::length(back - angles) < 0.01f);
    }
    CHECK(glm::length(from_degrees({90.0f, 0.0f, 0.0f}) * Vec3(0.0f, 1.0f, 0.0f) - Vec3(0.0f, 0.0f, 1.0f)) < 1e-6f);
    for (const float y : {90.0f, -90.0f}) {  // where two axes fall together the rotation is still the same
        const Quat q = from_degrees({30.0f, y, 20.0f});
        const Quat back = from_degrees(to_degrees(q));
        CHECK(std::abs(glm::dot(q, back)) == doctest::Approx(1.0).epsilon(1e-5));
    }
}
