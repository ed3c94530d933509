// SPDX-License-Identifier: MIT
#include "render/extract/extract_world.h"

#include <map>
#include <set>
#include <vector>

#include "physics/shapes/shape_classes.h"
#include "render/camera_control.h"
#include "render/palette.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;
using namespace proxima::render;

namespace {

struct DrawnTest : TestWorld {
    MeshLibrary library;
    ShapeMeshes shape_meshes{library};
    MeshCache cache{shape_meshes};
    PoseHistory history;
    ExtractMemory memory;
    WorldLook look;
    DrawList list;

    void extract(float alpha = 1.0f) { extract_world(history, alpha, world.shapes(), cache, look, memory, list); }
    const Instance& of(Entity body) const {
        for (const Instance& instance : list.opaque)
            if (instance.id == pick_id(body)) return instance;
        FAIL("no instance of the body");
        return list.opaque.front();
    }
};

ShapeDesc pyramid() {
    ShapeDesc hull;
    hull.type = ShapeType::hull;
    hull.points = {
        {-1.0f, 0.0f, -1.0f}, {1.0f, 0.0f, -1.0f}, {1.0f, 0.0f, 1.0f}, {-1.0f, 0.0f, 1.0f}, {0.0f, 1.0f, 0.0f}};
    return hull;
}

}  // namespace

TEST_CASE("batches cover every collider once and each has its own mesh") {
    DrawnTest w;
    std::map<uint32_t, int> wanted;
    for (int i = 0; i < 40; ++i) {
        const ShapeDesc shapes[] = {TestWorld::box({0.5f, 0.5f, 0.5f}), TestWorld::sphere(0.4f),
                                    TestWorld::capsule(0.2f, 0.5f), pyramid(), TestWorld::box({0.1f, 0.7f, 0.3f})};
        ++wanted[pick_id(w.body(shapes[i % 5], {.position = {2.0f * float(i), 0.0f, -float(i * i)}}))];
    }
    const Entity two = w.body(TestWorld::sphere(1.0f), {});
    Collider second;
    second.shape = w.shape(TestWorld::box({1.0f, 1.0f, 1.0f}));
    second.local.position = {0.0f, 3.0f, 0.0f};
    REQUIRE(w.world.add_collider(two, second).ok());
    wanted[pick_id(two)] = 2;
    w.history.begin_anew(w.world.registry());
    w.extract();

    std::map<uint32_t, int> seen;
    std::vector<int> covered(w.list.opaque.size(), 0);
    for (const Batch& batch : w.list.opaque_batches) {
        CHECK(batch.count > 0);
        CHECK(batch.mesh < w.library.size());
        for (uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
            REQUIRE(i < covered.size());
            ++covered[i];
            ++seen[w.list.opaque[i].id];
        }
    }
    CHECK(seen == wanted);
    for (const int count : covered) CHECK(count == 1);
    std::set<MeshId> meshes;
    for (const Batch& batch : w.list.opaque_batches) CHECK(meshes.insert(batch.mesh).second);

    // A second world appends its own.
    const size_t before = w.list.opaque_batches.size();
    w.extract();
    CHECK(w.list.opaque.size() == 2 * covered.size());
    CHECK(w.list.opaque_batches[before].first == covered.size());
}

TEST_CASE("an instance places its mesh where the shape is") {
    DrawnTest w;
    const Quat rotation = turn({1.0f, 2.0f, 3.0f}, 40.0f);
    const Entity body = w.body(pyramid(), {.position = {1.0f, 2.0f, 3.0f}, .rotation = rotation});
    const Entity crate = w.body(TestWorld::box({0.2f, 0.4f, 0.8f}), {.position = {-4.0f, 2.0f, 3.0f}});
    w.history.begin_anew(w.world.registry());
    w.extract();
    CHECK(w.of(body).position == Vec3(1.0f, 2.0f, 3.0f));
    CHECK(w.of(body).rotation == rotation);
    for (const Batch& batch : w.list.opaque_batches)
        for (uint32_t i = batch.first; i < batch.first + batch.count; ++i) {
            const Instance& instance = w.list.opaque[i];
            if (instance.id != pick_id(crate)) continue;
            Vec3 reach(0.0f);
            for (const MeshVertex& v : w.library.get(batch.mesh).vertices)
                reach = glm::max(reach, v.position * instance.scale);
            CHECK(reach.x == doctest::Approx(0.2f));
            CHECK(reach.y == doctest::Approx(0.4f));
            CHECK(reach.z == doctest::Approx(0.8f));
        }
}

TEST_CASE("a compound is drawn where its children are as colliders of the body") {
    const ShapeDesc table = physics::shape_class(physics::ShapeType::compound).example();
    const Pose local{{0.5f, 0.0f, -1.0f}, turn({1.0f, 1.0f, 0.0f}, 30.0f)};
    const Pose place{{1.0f, 2.0f, 3.0f}, turn({0.0f, 2.0f, 3.0f}, 70.0f)};
    DrawnTest apart, whole;
    for (DrawnTest* w : {&apart, &whole}) {
        BodyDesc desc;
        desc.pose = place;
        const Entity body = w->world.create_body(desc).value();
        std::vector<Collider> colliders;
        if (w == &whole) {
            colliders.push_back({.body = body, .shape = w->shape(table), .local = local});
        } else {
            for (const physics::ChildDesc& child : table.children) {
                const Transform at = compose({local.position, local.rotation}, {child.position, child.rotation});
                colliders.push_back(
                    {.body = body, .shape = w->shape(child.shape), .local = {at.position, at.rotation}});
            }
        }
        // By hand: a world refuses compounds while its step cannot take them.
        for (const Collider& collider : colliders) {
            const Entity entity = w->world.registry().create();
            w->world.registry().emplace<Collider>(entity, collider);
        }
        w->history.begin_anew(w->world.registry());
        w->extract();
    }
    REQUIRE(whole.list.opaque.size() == table.children.size());
    REQUIRE(apart.list.opaque.size() == table.children.size());
    const auto match = [&](const Instance& one) {
        for (const Instance& other : apart.list.opaque)
            if (glm::length(one.position - other.position) < 1e-6f && one.scale == other.scale) {
                CHECK(std::abs(glm::dot(one.rotation, other.rotation)) == doctest::Approx(1.0));
                CHECK(one.colour == other.colour);
                CHECK(one.id == other.id);
                return true;
            }
        return false;
    };
    for (const Instance& instance : whole.list.opaque) CHECK(match(instance));
}

TEST_CASE("a picture between two steps shows bodies between their poses") {
    DrawnTest w;
    StepSettings s = w.settings();
    s.gravity = Vec3(0.0f);
    w.set(s);
    const Entity body =
        w.body(TestWorld::box({0.5f, 0.3f, 0.2f}), {.velocity = {{6.0f, 0.0f, 0.0f}, {0.0f, 3.0f, 0.0f}}});
    w.history.begin_anew(w.world.registry());
    const Pose before = w.pose(body);
    w.step();
    w.history.note_step(w.world.registry());
    const Pose after = w.pose(body);
    for (const float alpha : {0.0f, 0.25f, 1.0f}) {
        w.list.clear();
        w.extract(alpha);
        const Instance& instance = w.of(body);
        CHECK(instance.position.x ==
              doctest::Approx(before.position.x + alpha * (after.position.x - before.position.x)));
        CHECK(glm::length(instance.rotation) == doctest::Approx(1.0f));
        CHECK(2.0f * std::acos(std::min(1.0f, instance.rotation.w)) ==
              doctest::Approx(alpha * 3.0f * kDt).epsilon(0.02));
    }
    w.pose(body).position = {100.0f, 0.0f, 0.0f};
    w.history.note_step(w.world.registry());
    w.history.jump(body);
    w.list.clear();
    w.extract(0.1f);
    CHECK(w.of(body).position.x == 100.0f);
}

TEST_CASE("rotations are mixed along the shorter arc") {
    const Quat q = turn({0.0f, 1.0f, 0.0f}, 20.0f);
    const Quat r = turn({0.0f, 1.0f, 0.0f}, 40.0f);
    const Transform middle = interpolate({{}, q}, {{}, r * -1.0f}, 0.5f);
    CHECK(std::abs(glm::dot(middle.rotation, turn({0.0f, 1.0f, 0.0f}, 30.0f))) == doctest::Approx(1.0f));
}

TEST_CASE("bodies that come and go are drawn where they are") {
    DrawnTest w;
    std::vector<Entity> bodies;
    for (int i = 0; i < 5; ++i) bodies.push_back(w.body(TestWorld::sphere(0.2f), {.position = {float(i), 5.0f, 0.0f}}));
    w.history.begin_anew(w.world.registry());
    w.step();
    w.history.note_step(w.world.registry());
    w.world.destroy_body(bodies[1]);
    w.step();
    const Entity fresh = w.body(TestWorld::sphere(0.2f), {.position = {50.0f, 5.0f, 0.0f}});
    w.history.note_step(w.world.registry());
    w.extract(0.0f);
    CHECK(w.list.opaque.size() == 5);
    CHECK(w.of(fresh).position.x == 50.0f);  // nothing to come from
    for (const int i : {0, 2, 3, 4}) CHECK(w.of(bodies[size_t(i)]).position.x == float(i));
}

TEST_CASE("colours are stable, fixed bodies neutral, sleeping ones dimmed, selected ones marked") {
    DrawnTest w;
    const Entity ground = w.floor();
    const Entity low = w.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    const Entity lift =
        w.body(TestWorld::box({0.5f, 0.1f, 0.5f}), {.type = BodyType::kinematic, .position = {5.0f, 0.5f, 0.0f}});
    w.history.begin_anew(w.world.registry());
    const Entity chosen[] = {low};
    w.look.selected = chosen;
    w.extract();
    CHECK(w.of(ground).colour == w.look.fixed);
    CHECK(w.of(lift).colour == w.look.kinematic);
    CHECK(w.of(low).flags == kSelected);
    CHECK((w.of(lift).flags & kChecker) != 0);
    const Colour awake = w.of(low).colour;
    w.run(5.0f);
    REQUIRE(w.world.registry().get<SleepState>(low).asleep == 1);
    w.history.note_step(w.world.registry());
    w.list.clear();
    w.extract();
    CHECK(w.of(low).colour == dimmed(awake));
    const BodyColour own[] = {{low, rgba(1, 2, 3)}};
    w.look.colours = own;
    w.list.clear();
    w.extract();
    CHECK(w.of(low).colour == rgba(1, 2, 3));
    CHECK(picked_entity(w.of(low).id) == low);
}

TEST_CASE("modes colour bodies by island, by solver and by residual") {
    DrawnTest w;
    w.floor();
    const Entity left = w.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    const Entity upper = w.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 1.5f, 0.0f}});
    const Entity air = w.body(TestWorld::sphere(0.5f), {.position = {9.0f, 9.0f, 0.0f}});
    w.step();
    w.history.note_step(w.world.registry());
    DebugFrame frame;
    collect_debug(w.world, kDebugAll, frame);
    w.look.debug = &frame;
    const auto draw = [&](ColourMode mode) {
        w.look.mode = mode;
        w.list.clear();
        w.extract();
    };
    draw(ColourMode::island);
    CHECK(w.of(left).colour == w.of(upper).colour);
    const auto island = [&](Entity body) {
        for (const DebugBody& b : frame.bodies)
            if (b.entity == body) return b.island;
        return kNoDebugIsland;
    };
    CHECK(w.of(air).colour == palette_colour(island(air)));
    CHECK(w.of(left).colour == palette_colour(island(left)));
    draw(ColourMode::residual);
    CHECK(w.of(left).heat >= 0.0f);
    CHECK(w.of(air).heat < 0.0f);
    draw(ColourMode::speed);
    CHECK(w.of(air).heat == doctest::Approx(kG * kDt / 10.0f).epsilon(0.01));
    draw(ColourMode::colour);
    CHECK(w.of(left).colour != w.of(air).colour);
    w.look.debug = nullptr;
    draw(ColourMode::residual);
    CHECK(w.of(left).heat < 0.0f);
}

TEST_CASE("a ghost world is transparent, casts no shadow and cannot be clicked") {
    DrawnTest w;
    w.body(TestWorld::sphere(0.5f), {});
    w.history.begin_anew(w.world.registry());
    w.look.ghost = rgba(80, 200, 255, 90);
    w.extract();
    CHECK(w.list.opaque.empty());
    REQUIRE(w.list.transparent.size() == 1);
    REQUIRE(w.list.transparent_batches.size() == 1);
    CHECK(w.list.transparent[0].colour == w.look.ghost);
    CHECK(w.list.transparent[0].flags == kNoShadow);
    CHECK(w.list.transparent[0].id == 0);
}

TEST_CASE("a body with a colour that is seen through goes to the transparent ones, and can be clicked") {
    DrawnTest w;
    const Entity glass = w.body(TestWorld::sphere(0.5f), {});
    w.body(TestWorld::sphere(0.5f), {.position = {2.0f, 0.0f, 0.0f}});
    w.history.begin_anew(w.world.registry());
    const BodyColour colours[] = {{glass, rgba(200, 220, 240, 60)}};
    w.look.colours = colours;
    w.extract();
    REQUIRE(w.list.opaque.size() == 1);
    REQUIRE(w.list.transparent.size() == 1);
    REQUIRE(w.list.transparent_batches.size() == 1);
    CHECK(w.list.transparent_batches[0].count == 1);
    CHECK(w.list.transparent[0].colour == colours[0].colour);
    CHECK((w.list.transparent[0].flags & kNoShadow) != 0);
    CHECK(w.list.transparent[0].id == pick_id(glass));
    CHECK(w.list.opaque[0].position.x == 2.0f);
}

TEST_CASE("what is far away has fewer triangles") {
    DrawnTest w;
    w.list.camera.eye = {0.0f, 0.0f, 5.0f};
    w.list.camera.target = {0.0f, 0.0f, 0.0f};
    w.body(TestWorld::sphere(1.0f), {});
    w.body(TestWorld::sphere(1.0f), {.position = {0.0f, 0.0f, -50.0f}});
    w.body(TestWorld::sphere(1.0f), {.position = {0.0f, 0.0f, -100.0f}});
    w.body(TestWorld::sphere(1.0f), {.position = {0.0f, 0.0f, -500.0f}});
    w.history.begin_anew(w.world.registry());
    w.extract();
    std::set<size_t> triangles;
    for (const Batch& batch : w.list.opaque_batches) triangles.insert(w.library.get(batch.mesh).indices.size() / 3);
    CHECK(triangles == std::set<size_t>{20, 80, 320, 1280});
}

TEST_CASE("the bounds of a scene leave out the ground and keep what belongs to it") {
    DrawnTest w;
    w.floor();
    w.body(TestWorld::half_space(), {.type = BodyType::fixed});
    w.body(TestWorld::box({1.0f, 0.1f, 1.0f}), {.type = BodyType::fixed, .position = {-3.0f, 1.0f, 0.0f}});
    w.body(TestWorld::sphere(0.5f), {.position = {0.0f, 4.0f, 0.0f}});
    w.body(TestWorld::sphere(0.5f), {.position = {2.0f, 0.5f, 0.0f}});
    DrawnWorld copy;
    copy_world(w.world.registry(), copy);
    const Aabb bounds = scene_bounds(copy, w.world.shapes());
    CHECK(bounds.lower.x == doctest::Approx(-4.0f));
    CHECK(bounds.upper.x == doctest::Approx(2.5f));
    CHECK(bounds.upper.y == doctest::Approx(4.5f));
    CHECK(bounds.lower.y == doctest::Approx(0.0f));
    const Aabb nothing = scene_bounds(DrawnWorld{}, w.world.shapes());
    CHECK(nothing.lower.x > nothing.upper.x);
}

TEST_CASE("bodies that were made one after the other have different colours") {
    for (uint32_t i = 0; i < 1000; ++i) {
        CHECK(palette_colour(i) != palette_colour(i + 1));
        CHECK(palette_colour(i) != palette_colour(i + 2));  // a body and its collider are numbered in turn
    }
    CHECK(heat_colour(-1.0f) == heat_colour(0.0f));
    CHECK(heat_colour(2.0f) == heat_colour(1.0f));
    CHECK(mix(rgba(0, 100, 200, 0), rgba(100, 0, 200, 255), 0.5f) == rgba(50, 50, 200, 128));
}

TEST_CASE("a copy that was made on another thread is taken over without copying again") {
    DrawnTest w;
    const Entity body = w.body(TestWorld::sphere(0.5f), {.velocity = {{6.0f, 0.0f, 0.0f}, {}}});
    DrawnWorld copied;
    for (int i = 0; i < 4; ++i) {
        copy_world(w.world.registry(), copied);
        const DrawnBody* memory = copied.bodies.data();
        w.history.note_step(copied);
        CHECK(w.history.now().bodies.data() == memory);
        if (i < 3) w.step();
    }
    const float step = 6.0f * kDt;
    CHECK(w.history.at(w.history.now().find(body), 0.0f).position.x == doctest::Approx(2.0f * step));
    CHECK(w.history.at(w.history.now().find(body), 1.0f).position.x == doctest::Approx(3.0f * step));
}
