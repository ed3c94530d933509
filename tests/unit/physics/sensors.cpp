// SPDX-License-Identifier: MIT
// Sensors: what overlaps them is told, truly and whatever sleeps, and nothing else of the world knows that they are there.
#include <algorithm>
#include <set>

#include "tests/support/random.h"
#include "tests/support/test_world.h"
#include "tests/unit/physics/exact_distance.h"

using namespace proxima;
using namespace proxima::test;

namespace {

Entity sensor_body(TestWorld& t, const ShapeDesc& desc, BodyType type, const Vec3& at,
                   const Velocity& velocity = Velocity{}) {
    BodyDesc b;
    b.type = type;
    b.pose.position = at;
    b.velocity = velocity;
    b.colliders = {{.shape = t.shape(desc), .is_sensor = 1}};
    const auto made = t.world.create_body(b);
    REQUIRE_MESSAGE(made.ok(), made.error());
    return made.value();
}
Entity first_collider(TestWorld& t, Entity body) { return t.world.colliders(body)[0]; }

/// What events of sensors add up to.
struct Watcher {
    std::set<std::pair<Entity, Entity>> inside;  // sensor, other
    int begins = 0, ends = 0;
    void watch(TestWorld& t) {
        for (const SensorEnd& e : t.world.events().sensor_end) {
            CHECK(inside.erase({e.sensor, e.other}) == 1);
            ++ends;
        }
        for (const SensorBegin& e : t.world.events().sensor_begin) {
            CHECK(inside.insert({e.sensor, e.other}).second);
            ++begins;
        }
    }
};

}  // namespace

TEST_CASE("a ball falls through a sensor as through air, which tells when it came and when it went") {
    for (const BodyType type : {BodyType::fixed, BodyType::kinematic}) {
        TestWorld t, without;
        const Entity zone = sensor_body(t, TestWorld::box({1.0f, 0.5f, 1.0f}), type, {0.0f, 3.0f, 0.0f});
        const Entity sensor = first_collider(t, zone);
        const Entity ball = t.body(TestWorld::sphere(0.2f), {.position = {0.1f, 6.0f, 0.0f}});
        const Entity alone = without.body(TestWorld::sphere(0.2f), {.position = {0.1f, 6.0f, 0.0f}});
        Watcher w;
        for (int i = 0; i < 80; ++i) {
            const float y = t.pose(ball).position.y;
            t.step();
            without.step();
            w.watch(t);
            CHECK(t.pose(ball).position == without.pose(alone).position);
            const bool inside = y - 0.2f <= 3.5f && y + 0.2f >= 2.5f;
            CHECK(t.world.overlaps_of(sensor).size() == size_t(inside));
            CHECK(t.world.overlaps_of(ball).size() == size_t(inside));
            CHECK(t.world.overlaps_of(first_collider(t, ball)).size() == size_t(inside));
            CHECK(t.world.events().begin.empty());
        }
        CHECK(w.begins == 1);
        CHECK(w.ends == 1);
        CHECK(t.world.report().contacts == 0);
        CHECK(t.world.contacts().empty());
    }
}

TEST_CASE("a body asleep in a sensor stays in it, and nothing wakes for a sensor") {
    TestWorld t;
    t.floor();
    const Entity zone = sensor_body(t, TestWorld::box({1.0f, 1.0f, 1.0f}), BodyType::fixed, {0.0f, 1.0f, 0.0f});
    const Entity sensor = first_collider(t, zone);
    const Entity box = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
    Watcher w;
    for (int i = 0; i < 240; ++i) {
        t.step();
        w.watch(t);
    }
    CHECK(t.world.is_asleep(box));
    CHECK(w.begins == 1);  // the floor is fixed as the sensor is, and is not seen
    CHECK(w.ends == 0);
    REQUIRE(t.world.overlaps_of(sensor).size() == 1);
    CHECK(t.world.overlaps_of(sensor)[0] == first_collider(t, box));
    CHECK(t.world.overlaps_of(box) == std::vector<Entity>{sensor});

    // A snapshot has it, and what is restored tells nothing twice.
    engine::Snapshot snapshot;
    t.world.save(snapshot);
    REQUIRE(t.world.restore(snapshot).ok());
    CHECK(t.world.overlaps_of(box) == std::vector<Entity>{sensor});
    t.step();
    CHECK(t.world.events().sensor_begin.empty());
    CHECK(t.world.events().sensor_end.empty());

    // One that moves over a sleeping body finds it and leaves it, and does not wake it.
    const Entity probe = sensor_body(t, TestWorld::sphere(0.3f), BodyType::kinematic, {-2.0f, 0.2f, 0.0f},
                                     {.linear = {1.0f, 0.0f, 0.0f}, .angular = {}});
    const Entity eye = first_collider(t, probe);
    for (int i = 0; i < 240; ++i) {
        t.step();
        w.watch(t);
        CHECK(t.world.is_asleep(box));
    }
    CHECK(w.begins == 3);  // the box and, as it moves, the floor; but not the other sensor
    CHECK(w.ends == 1);
    CHECK(w.inside.count({eye, first_collider(t, box)}) == 0);
}

TEST_CASE("what ends a sensor, or what is in it, ends the overlap in the next step") {
    for (const int how : {0, 1, 2, 3, 4, 5, 6}) {
        CAPTURE(how);
        TestWorld t;
        t.floor();
        const Entity zone = sensor_body(t, TestWorld::box({1.0f, 1.0f, 1.0f}), BodyType::fixed, {0.0f, 1.0f, 0.0f});
        const Entity sensor = first_collider(t, zone);
        const Entity box = t.body(TestWorld::box({0.5f, 0.5f, 0.5f}), {.position = {0.0f, 0.5f, 0.0f}});
        const Entity solid = first_collider(t, box);
        t.run(3.0f);
        REQUIRE(t.world.is_asleep(box));
        REQUIRE(t.world.overlaps_of(sensor).size() == 1);
        if (how == 0) t.world.destroy_body(zone);
        if (how == 1) t.world.destroy_body(box);
        if (how == 2) REQUIRE(t.world.set_pose(box, {.position = {5.0f, 0.5f, 0.0f}}).ok());
        if (how == 3) t.pose(zone).position.x = 7.0f;
        if (how == 4) REQUIRE(t.world.ignore_pair(zone, solid).ok());
        if (how == 5) t.world.registry().get<Collider>(sensor).mask = 0;
        if (how == 6) t.world.registry().get<Collider>(solid).is_sensor = 1;
        t.step();
        REQUIRE(t.world.events().sensor_end.size() == 1);
        CHECK(t.world.events().sensor_end[0].sensor == sensor);
        CHECK(t.world.events().sensor_end[0].other == solid);
        CHECK(t.world.events().sensor_end[0].sensor_body == zone);
        CHECK(t.world.events().sensor_end[0].other_body == box);
        if (how != 0) CHECK(t.world.overlaps_of(sensor).empty());
        if (how != 1) CHECK(t.world.overlaps_of(box).empty());
    }
}

TEST_CASE("a sensor that becomes solid holds up, and what becomes a sensor lets go and sees") {
    TestWorld t;
    const Entity slab = sensor_body(t, TestWorld::box({2.0f, 0.5f, 2.0f}), BodyType::fixed, {0.0f, -0.5f, 0.0f});
    const Entity top = first_collider(t, slab);
    const Entity ball = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 0.49f, 0.0f}});
    t.step();
    CHECK(t.world.events().sensor_begin.size() == 1);
    t.world.registry().get<Collider>(top).is_sensor = 0;
    t.step();
    CHECK(t.world.events().sensor_end.size() == 1);
    CHECK(t.world.events().begin.size() == 1);
    t.run(3.0f);
    CHECK(t.world.is_asleep(ball));
    CHECK(t.pose(ball).position.y == doctest::Approx(0.5f).epsilon(0.01));
    t.world.registry().get<Collider>(top).is_sensor = 1;
    t.step();
    CHECK(t.world.events().end.size() == 1);
    CHECK_FALSE(t.world.is_asleep(ball));
    t.step();
    CHECK(t.world.events().sensor_begin.size() == 1);
    t.run(1.0f);
    CHECK(t.pose(ball).position.y < -1.0f);
}

TEST_CASE("a sensor on a body changes neither its mass, nor its motion, nor what it counts as") {
    for (const float reach : {0.3f, 3.0f, 30.0f}) {
        CAPTURE(reach);
        TestWorld with, without;
        Entity bodies[2];
        for (TestWorld* t : {&with, &without}) {
            t->floor();
            BodyDesc b;
            b.pose = {{0.0f, 2.0f, 0.0f}, turn({1.0f, 2.0f, 0.5f}, 40.0f)};
            b.velocity = {.linear = {1.0f, 0.0f, 0.0f}, .angular = {3.0f, -2.0f, 1.0f}};
            b.colliders = {{.shape = t->shape(TestWorld::box({0.3f, 0.4f, 0.5f}))}};
            if (t == &with)
                b.colliders.push_back({.shape = t->shape(TestWorld::capsule(0.2f, reach)),
                                       .local = {{reach, 0.0f, 0.0f}, Quat(1.0f, 0.0f, 0.0f, 0.0f)},
                                       .density = 1e5f,
                                       .is_sensor = 1});
            bodies[t == &with ? 0 : 1] = t->world.create_body(b).value();
        }
        CHECK(with.world.mass(bodies[0]).mass == without.world.mass(bodies[1]).mass);
        for (int i = 0; i < 240; ++i) {
            with.step();
            without.step();
            REQUIRE(with.pose(bodies[0]).position == without.pose(bodies[1]).position);
            REQUIRE(with.pose(bodies[0]).rotation == without.pose(bodies[1]).rotation);
        }
        CHECK(with.world.is_asleep(bodies[0]) == without.world.is_asleep(bodies[1]));
        CHECK(with.mass(bodies[0]).mass == without.mass(bodies[1]).mass);
    }
}

TEST_CASE("rays go through sensors") {
    TestWorld t;
    sensor_body(t, TestWorld::box({1.0f, 1.0f, 1.0f}), BodyType::fixed, {0.0f, 0.0f, 0.0f});
    const Entity wall =
        t.body(TestWorld::box({0.5f, 3.0f, 3.0f}), {.type = BodyType::fixed, .position = {5.0f, 0.0f, 0.0f}});
    t.step();
    const auto hit = ray_cast(t.world, {{-5.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}}, 100.0f);
    REQUIRE(hit.has_value());
    CHECK(hit->body == wall);
}

TEST_CASE("sensors of all shapes, on bodies of all types, hold what a brute force in double precision says") {
    constexpr double kBand = 2e-4;  // m: nearer to touching than this, rounding may decide
    for (const uint32_t seed : {1u, 2u, 3u, 4u}) {
        CAPTURE(seed);
        Random random{seed};
        TestWorld t(seed % 2 ? 1 : 3);
        t.floor(0.6f, 0.3f);
        ShapeDesc wedge;
        wedge.type = ShapeType::hull;
        wedge.points = {
            {-0.4f, -0.2f, -0.3f}, {0.4f, -0.2f, -0.3f}, {0.4f, -0.2f, 0.3f}, {-0.4f, -0.2f, 0.3f}, {0.0f, 0.5f, 0.1f}};
        const ShapeDesc shapes[] = {TestWorld::box({0.3f, 0.25f, 0.6f}), TestWorld::sphere(0.35f),
                                    TestWorld::capsule(0.2f, 0.5f), wedge};
        const auto spot = [&] {
            return Vec3(random.between(-2.0f, 2.0f), random.between(0.5f, 4.0f), random.between(-2.0f, 2.0f));
        };
        for (int i = 0; i < 30; ++i) {
            BodyDesc b;
            const uint32_t type = random.below(6);
            b.type = type == 0 ? BodyType::fixed : type == 1 ? BodyType::kinematic : BodyType::dynamic;
            b.pose = {spot(), turn({1.0f, random.between(-1.0f, 1.0f), 0.3f}, random.between(0.0f, 360.0f))};
            b.velocity = {.linear = 2.0f * (spot() - spot()), .angular = spot() - spot()};
            const uint32_t count = 1 + random.below(2);
            for (uint32_t k = 0; k < count; ++k) {
                const Vec3 at = k == 0 ? Vec3(0.0f) : 0.3f * (spot() - spot());
                b.colliders.push_back({.shape = t.shape(shapes[random.below(4)]),
                                       .local = {at, turn({0.2f, 1.0f, 0.0f}, random.between(0.0f, 360.0f))},
                                       .is_sensor = uint8_t(random.below(3) == 0)});
            }
            REQUIRE(t.world.create_body(b).ok());
        }
        const Entity ground = sensor_body(t, TestWorld::half_space(), BodyType::fixed, {0.0f, 1.2f, 0.0f});
        Watcher w;
        int looked = 0, found = 0;
        for (int step = 0; step < 150; ++step) {
            if (step % 40 == 20)  // somebody is put elsewhere
                t.pose(t.world.bodies()[1 + random.below(30)]).position = spot();
            struct Placed {
                Entity entity, body;
                const Shape* shape;
                Transform pose;
                bool sensor, moves;
            };
            std::vector<Placed> all;
            for (const Entity body : t.world.bodies())
                for (const Entity e : t.world.colliders(body)) {
                    const Collider& c = t.world.registry().get<Collider>(e);
                    const Pose& p = t.pose(body);
                    all.push_back({e, body, &t.world.shapes().get(c.shape),
                                   compose({p.position, p.rotation}, {c.local.position, c.local.rotation}),
                                   c.is_sensor != 0, t.world.registry().get<RigidBody>(body).type != BodyType::fixed});
                }
            t.step();
            w.watch(t);
            for (const Placed& s : all) {
                if (!s.sensor) continue;
                const std::vector<Entity> inside = t.world.overlaps_of(s.entity);
                for (const Placed& o : all) {
                    const bool is_in = std::find(inside.begin(), inside.end(), o.entity) != inside.end();
                    CHECK(is_in == (w.inside.count({s.entity, o.entity}) == 1));
                    if (o.sensor || o.body == s.body || (!o.moves && !s.moves)) {
                        CHECK_FALSE(is_in);
                        continue;
                    }
                    const bool plane = s.shape->type == ShapeType::half_space;
                    const double d =
                        physics::test::exact_distance(plane ? *o.shape : *s.shape, plane ? o.pose : s.pose,
                                                      plane ? *s.shape : *o.shape, plane ? s.pose : o.pose);
                    if (std::abs(d) < kBand) continue;
                    ++looked;
                    found += d < 0.0;
                    CHECK_MESSAGE(is_in == (d < 0.0), "step " << step << ", distance " << d);
                }
            }
        }
        CHECK(looked > 10000);
        CHECK(found > 200);
        CHECK_FALSE(t.world.overlaps_of(first_collider(t, ground)).empty());
    }
}
