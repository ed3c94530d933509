// SPDX-License-Identifier: MIT
// A compound does what the same convex shapes do as colliders of one body.
#include <limits>
#include <string>
#include <vector>

#include "physics/bodies/mass.h"
#include "physics/query.h"
#include "physics/scene/scene.h"
#include "physics/shapes/shape_classes.h"
#include "tests/support/test_world.h"
#include "tests/unit/physics/compound_shapes.h"

using namespace proxima;
using namespace proxima::physics;
using namespace proxima::physics::test;
using proxima::test::TestWorld;

namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

std::string error_of(const ShapeDesc& desc) {
    const Result<Shape> shape = cook(desc);
    REQUIRE_FALSE(shape.ok());
    return shape.error();
}

bool says(const std::string& sentence, const std::string& part) {
    return sentence.find(part) != std::string::npos && sentence.back() == '.';
}

}  // namespace

TEST_CASE("a compound that makes no sense is refused with a sentence that names the child") {
    CHECK(error_of(compound_of({})) == "The compound has no children; it must have at least one.");
    const ChildDesc good = child(TestWorld::sphere(0.5f), {1.0f, 0.0f, 0.0f});
    CHECK(says(error_of(compound_of(std::vector<ChildDesc>(kMaxChildren + 1, good))), "at most 4096"));
    CHECK(cook(compound_of(std::vector<ChildDesc>(20, good))).ok());

    CHECK(error_of(compound_of({good, child(TestWorld::sphere(-2.0f), {})})) ==
          "children[1] of the compound: The radius of the sphere is -2 m; it must be greater than zero.");
    CHECK(error_of(compound_of({child(TestWorld::half_space(), {}), good})) ==
          "children[0] of the compound is of type half_space; children must be convex and bounded, one of "
          "sphere, box, capsule, hull.");
    CHECK(says(error_of(compound_of({child(mixed(), {})})), "children[0] of the compound is of type compound"));
    CHECK(says(error_of(compound_of({child({.type = ShapeType(77)}, {})})), "type unknown"));
    for (const float bad : {kInfinite, std::nanf(""), 2e6f})
        CHECK(says(error_of(compound_of({good, good, child(TestWorld::sphere(1.0f), {0.0f, bad, 0.0f})})),
                   "children[2].position"));
    for (const Quat& bad : {Quat(0, 0, 0, 0), Quat(2, 0, 0, 0), Quat(std::nanf(""), 0, 0, 0)})
        CHECK(says(error_of(compound_of({child(TestWorld::sphere(1.0f), {}, bad)})), "children[0].rotation"));

    // Scaling what will be refused is no harm either.
    ShapeLibrary library;
    CHECK_FALSE(library.add_scaled(compound_of({child(TestWorld::half_space(), {})}), Vec3(2.0f)).ok());
    CHECK_FALSE(library.add_scaled(compound_of({child({.type = ShapeType(77)}, {})}), Vec3(2.0f)).ok());
    CHECK(library.size() == 0);
}

TEST_CASE("a compound weighs what its children weigh as colliders of a body") {
    const ShapeDesc desc = mixed();
    TestWorld t;
    const Entity body = t.world.create_body({}).value();
    for (const ChildDesc& c : desc.children)
        REQUIRE(
            t.world
                .add_collider(body, {.shape = t.shape(c.shape), .local = {c.position, c.rotation}, .density = 700.0f})
                .ok());
    t.step();
    const Mass& apart = t.mass(body);
    MassAccumulator sum;
    sum.add(make_shape(desc).mass, {}, 700.0f);
    const Mass whole = sum.result();
    // The compound's own properties are rounded to floats once more than those of the colliders.
    const auto near = [](float a, float b, float size) { return std::abs(a - b) <= 4e-7f * size; };
    CHECK(near(whole.mass, apart.mass, apart.mass));
    CHECK(glm::length(whole.center - apart.center) < 2e-7f);
    const Sym3 &i = whole.inertia, &j = apart.inertia;
    const float size = std::max({j.xx, j.yy, j.zz});
    CHECK(near(i.xx, j.xx, size));
    CHECK(near(i.yy, j.yy, size));
    CHECK(near(i.zz, j.zz, size));
    CHECK(near(i.xy, j.xy, size));
    CHECK(near(i.xz, j.xz, size));
    CHECK(near(i.yz, j.yz, size));
}

TEST_CASE("two cubes side by side weigh what one long box weighs") {
    const ShapeDesc cube = TestWorld::box(Vec3(0.5f));
    const Shape two = make_shape(compound_of({child(cube, {0.5f, 2.0f, 0.0f}), child(cube, {-0.5f, 2.0f, 0.0f})}));
    const Shape one = make_shape(TestWorld::box({1.0f, 0.5f, 0.5f}));
    CHECK(two.mass.volume == one.mass.volume);
    CHECK(near(two.mass.center, {0.0f, 2.0f, 0.0f}, 1e-7f));
    CHECK(two.mass.inertia.xx == doctest::Approx(double(one.mass.inertia.xx)).epsilon(1e-6));
    CHECK(two.mass.inertia.yy == doctest::Approx(double(one.mass.inertia.yy)).epsilon(1e-6));
    CHECK(std::abs(two.mass.inertia.xy) < 1e-6f);
    CHECK(two.bounding_radius == doctest::Approx(std::sqrt(1.0 + 2.5 * 2.5 + 0.25)));
    CHECK(two.half_extents == Vec3(1.0f, 0.5f, 0.5f));
}

TEST_CASE("the box around a compound is the box around its children") {
    const Shape shape = make_shape(mixed());
    Random random(301);
    for (int i = 0; i < 100; ++i) {
        const Transform pose{random.vector(5.0f), random.rotation()};
        Vec3 lower(1e30f), upper(-1e30f);
        for (const Part& part : parts_of(shape, pose)) {
            const Aabb box = bounding_box(*part.shape, part.pose);
            lower = glm::min(lower, box.lower);
            upper = glm::max(upper, box.upper);
        }
        const Aabb whole = bounding_box(shape, pose);
        CHECK(same_bits(whole.lower, lower));
        CHECK(same_bits(whole.upper, upper));
        const Vec3 reach = glm::max(upper - pose.position, pose.position - lower);
        CHECK(std::max({reach.x, reach.y, reach.z}) <= shape.bounding_radius * 1.00001f);
    }
}

TEST_CASE("a ray meets a compound where it meets one of its children, and says which") {
    const ShapeDesc desc = mixed();
    const Shape shape = make_shape(desc);
    Random random(302);
    int hits = 0, misses = 0, insides = 0;
    for (int i = 0; i < 2000; ++i) {
        const Transform pose{random.vector(1.0f), random.rotation()};
        const Vec3 from = pose.position + random.vector(i % 4 ? 3.0f : 0.6f);
        const Ray ray{from, pose.position + random.vector(0.8f) - from};
        for (const RayStart start : {RayStart::hits, RayStart::passes}) {
            const float limit = i % 5 ? kNoRayLimit : 1.0f;
            std::optional<RayHit> nearest;
            uint32_t part = 0;
            for (const Part& p : parts_of(shape, pose)) {
                const auto hit = ray_cast(*p.shape, p.pose, ray, limit, start);
                if (!hit || (nearest && hit->distance >= nearest->distance)) continue;
                nearest = hit;
                part = p.id;
            }
            const auto hit = ray_cast(shape, pose, ray, limit, start);
            REQUIRE(hit.has_value() == nearest.has_value());
            if (!hit) {
                ++misses;
                continue;
            }
            hit->distance > 0.0f ? ++hits : ++insides;
            // Poses of parts are rounded to floats on their way to the world, here they are not.
            CHECK(std::abs(hit->distance - nearest->distance) < 2e-5f);
            CHECK(hit->part == part);
            CHECK(near(hit->position, nearest->position, 2e-5f));
            CHECK(near(hit->normal, nearest->normal, 2e-4f));
        }
    }
    CHECK(hits > 500);
    CHECK(misses > 500);
    CHECK(insides > 50);
    CHECK_FALSE(ray_cast(shape, {}, {{3.0f, 0.0f, 0.0f}, {-1.0f, 0.0f, 0.0f}}, -1.0f).has_value());
}

TEST_CASE("a scaled compound is one of scaled and moved children") {
    ShapeLibrary library;
    const ShapeDesc desc = mixed();
    const Shape &once = library.get(library.add(desc).value()),
                &thrice = library.get(library.add_scaled(desc, Vec3(3.0f)).value());
    REQUIRE(thrice.parts.size() == once.parts.size());
    for (size_t i = 0; i < once.parts.size(); ++i) {
        CHECK(thrice.parts[i].local.position == 3.0f * once.parts[i].local.position);
        CHECK(thrice.parts[i].local.rotation == once.parts[i].local.rotation);
        CHECK(thrice.parts[i].shape.bounding_radius ==
              doctest::Approx(3.0 * double(once.parts[i].shape.bounding_radius)));
    }
    CHECK_FALSE(library.add_scaled(desc, {1.0f, 1.0f, 2.0f}).ok());
}

TEST_CASE("a library counts the memory of the parts of its compounds") {
    ShapeLibrary one, many;
    const ChildDesc part = child(TestWorld::box(Vec3(0.5f)), {});
    REQUIRE(one.add(compound_of({part})).ok());
    REQUIRE(many.add(compound_of(std::vector<ChildDesc>(11, part))).ok());
    CHECK(many.bytes() > one.bytes() + 10 * (sizeof(ShapePart) + 1000));
}

TEST_CASE("a world refuses a compound as a collider, until its step takes several manifolds of a pair") {
    TestWorld t;
    const ShapeId shape = t.shape(mixed());
    const Entity body = t.world.create_body({}).value();
    const Result<Entity> refused = t.world.add_collider(body, {.shape = shape});
    REQUIRE_FALSE(refused.ok());
    CHECK(says(refused.error(), "A compound cannot be a collider yet"));
    SceneDesc scene;
    scene.shapes = {mixed()};
    scene.bodies.emplace_back().colliders.emplace_back();
    CHECK(check(scene).ok());
    CHECK(says(instantiate(scene, t.world).error(), "bodies[0].colliders[0]: A compound cannot"));
}
