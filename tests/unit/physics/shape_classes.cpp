// SPDX-License-Identifier: MIT
// What holds for every row of the table of shapes, so that a new one is tested by being there.
#include "physics/shapes/shape_classes.h"

#include <set>
#include <string>

#include "physics/query.h"
#include "physics/scene/scene.h"
#include "tests/unit/physics/shape_poses.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;

namespace {

/// The tightest box of a solid, in double precision.
void check_tight(const ConvexCore& core, const Transform& pose, const Aabb& box) {
    const glm::dquat q = glm::normalize(glm::dquat(pose.rotation));
    glm::dvec3 lower(1e300), upper(-1e300);
    for (const Vec3& p : core.points) {
        const glm::dvec3 x = q * glm::dvec3(p) + glm::dvec3(pose.position);
        lower = glm::min(lower, x - double(core.radius));
        upper = glm::max(upper, x + double(core.radius));
    }
    // A few roundings of positions up to 5 m.
    CHECK(glm::length(glm::dvec3(box.lower) - lower) < 3e-6);
    CHECK(glm::length(glm::dvec3(box.upper) - upper) < 3e-6);
}

SceneDesc scene_of(const ShapeDesc& shape) {
    SceneDesc scene;
    scene.shapes = {shape};
    return scene;
}

}  // namespace

TEST_CASE("every type of shape has one row, with a name and a label of its own") {
    std::set<std::string> names, labels;
    for (const ShapeClass& row : kShapeClasses) {
        CHECK(names.insert(row.name).second);
        CHECK(labels.insert(row.label).second);
        CHECK(&shape_class(row.type) == &row);
        CHECK(std::string(to_string(row.type)) == row.name);
        CHECK((row.walk != nullptr) == (row.category == ShapeCategory::composite));
        CHECK((row.core != nullptr) == is_part_class(row));
        CHECK((row.mass == nullptr) == row.unbounded);
        CHECK((row.scale == nullptr) == (row.scaling == ShapeScaling::ignored));
        CHECK(row.example().type == row.type);
        std::set<std::string_view> keys;
        for (const ShapeField& field : row.fields) CHECK(keys.insert(field.key).second);
    }
    CHECK(std::string(to_string(ShapeType(99))) == "unknown");
    ShapeLibrary library;
    CHECK(library.add({.type = ShapeType(99)}).error() ==
          "The type of the shape is unknown; it must be sphere, box, capsule, hull, half_space or compound.");
    CHECK(library.add_scaled({.type = ShapeType(99)}, Vec3(2.0f)).error() ==
          library.add({.type = ShapeType(99)}).error());
}

TEST_CASE("the example of every class is cooked, written and read back") {
    for (const ShapeClass& row : kShapeClasses) {
        CAPTURE(row.name);
        const Result<Shape> shape = cook(row.example());
        REQUIRE_MESSAGE(shape.ok(), shape.error());
        CHECK(shape->type == row.type);
        const std::string text = write_scene(scene_of(row.example()));
        const Result<SceneDesc> read = parse_scene(text, "test.json");
        REQUIRE_MESSAGE(read.ok(), read.error());
        CHECK(write_scene(*read) == text);
    }
}

TEST_CASE("the key of every field is asked for in files, and that of another class is refused") {
    for (const ShapeClass& row : kShapeClasses) {
        CAPTURE(row.name);
        const std::string start = std::string("{\"version\": 1, \"shapes\": [{\"type\": \"") + row.name + "\"";
        const Result<SceneDesc> bare = parse_scene(start + "}]}", "test.json");
        CHECK(bare.ok() == row.fields.empty());
        if (!row.fields.empty()) {
            const bool named = bare.error().find(row.fields[0].key) != std::string::npos;
            CHECK_MESSAGE(named, bare.error());
        }
        const Result<SceneDesc> odd = parse_scene(start + ", \"corners\": 8}]}", "test.json");
        REQUIRE_FALSE(odd.ok());
    }
    CHECK(parse_scene(R"({"version": 1, "shapes": [{"type": "sphere", "radius": 1, "half_height": 1}]})", "f")
              .error()
              .find("shapes[0].half_height") != std::string::npos);
}

TEST_CASE("boxes around the shapes of every class are the tightest, and the bounding radius holds them") {
    Random random(17);
    for (const ShapeClass& row : kShapeClasses) {
        if (!is_part_class(row)) continue;
        CAPTURE(row.name);
        const ShapeDesc desc = row.example();
        const Shape shape = make_shape(desc);
        for (int i = 0; i < 100; ++i) {
            const Transform pose{random.vector(4.0f), random.rotation()};
            check_tight(row.core(desc), pose, bounding_box(shape, pose));
        }
        float farthest = 0.0f;
        for (const Vec3& p : row.core(desc).points) farthest = std::max(farthest, glm::length(p));
        CHECK(shape.bounding_radius == doctest::Approx(farthest + row.core(desc).radius));
    }
}

TEST_CASE("bounded shapes of every class have the mass of their inside") {
    for (const ShapeClass& row : kShapeClasses) {
        if (row.unbounded) continue;
        CAPTURE(row.name);
        const Shape shape = make_shape(row.example());
        const Aabb box = bounding_box(shape, {});
        // Inside or not, counted on a grid: a ray that starts inside says so. Volumes of the examples come
        // out within a grid cell of their surface.
        const int n = 40;
        const Vec3 cell = (box.upper - box.lower) / float(n);
        glm::dvec3 sum(0.0);
        int inside = 0;
        for (int k = 0; k < n * n * n; ++k) {
            const Vec3 p = box.lower + cell * (Vec3(float(k % n), float(k / n % n), float(k / (n * n))) + Vec3(0.5f));
            const auto hit = ray_cast(shape, {}, {p, {0.3f, 1.0f, 0.2f}});
            if (!hit || hit->distance != 0.0f) continue;
            ++inside;
            sum += glm::dvec3(p);
        }
        const double counted = double(inside) * double(cell.x) * double(cell.y) * double(cell.z);
        CHECK(double(shape.mass.volume) == doctest::Approx(counted).epsilon(0.05));
        CHECK(glm::length(Vec3(sum / double(inside)) - shape.mass.center) < glm::length(cell));
        CHECK(shape.mass.inertia.xx > 0.0f);
    }
}

TEST_CASE("shapes of every class obey a scale as their row says") {
    for (const ShapeClass& row : kShapeClasses) {
        CAPTURE(row.name);
        ShapeLibrary library;
        const ShapeDesc desc = row.example();
        const Vec3 stretch(1.0f, 2.0f, 3.0f);
        const Result<ShapeId> stretched = library.add_scaled(desc, stretch);
        CHECK(stretched.ok() == (row.scaling != ShapeScaling::uniform));
        if (!stretched.ok()) CHECK(stretched.error().find("is not uniform") != std::string::npos);
        const Shape once = make_shape(desc), twice = library.get(library.add_scaled(desc, Vec3(2.0f)).value());
        if (row.scaling == ShapeScaling::ignored) {
            CHECK(bounding_box(twice, {}).upper == bounding_box(once, {}).upper);
            continue;
        }
        CHECK(twice.bounding_radius == doctest::Approx(2.0 * double(once.bounding_radius)));
        CHECK(twice.mass.volume == doctest::Approx(8.0 * double(once.mass.volume)));
        CHECK(twice.mass.inertia.yy == doctest::Approx(32.0 * double(once.mass.inertia.yy)));
        if (row.scaling == ShapeScaling::free)
            CHECK(library.get(*stretched).mass.volume == doctest::Approx(6.0 * double(once.mass.volume)));
    }
}

TEST_CASE("a symmetry that a row claims is one of the inertia") {
    for (const ShapeClass& row : kShapeClasses) {
        if (row.symmetry == ShapeSymmetry::none) continue;
        CAPTURE(row.name);
        const Sym3 i = make_shape(row.example()).mass.inertia;
        CHECK(i.xx == i.zz);
        if (row.symmetry == ShapeSymmetry::point) CHECK(i.xx == i.yy);
    }
}

TEST_CASE("what a row says of bodies is what the world and the scene check") {
    for (const ShapeClass& row : kShapeClasses)
        for (const BodyType type : {BodyType::fixed, BodyType::kinematic, BodyType::dynamic}) {
            CAPTURE(row.name);
            const bool moves = type != BodyType::fixed;
            SceneDesc scene = scene_of(row.example());
            scene.bodies.emplace_back().type = type;
            scene.bodies[0].colliders.emplace_back();
            CHECK(check(scene).ok() == (row.may_move || !moves));
            const bool carried = (row.may_move || !moves) && row.category == ShapeCategory::convex;
            CHECK(check_on_body(make_shape(row.example()), moves).ok() == carried);
        }
}
