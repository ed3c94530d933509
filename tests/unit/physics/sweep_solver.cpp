// SPDX-License-Identifier: MIT
// The sweep solver against the general path, against itself at every vector width, and against physics.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/simd/simd_level.h"
#include "physics/graph/colours.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

using engine::SimdLevel;

/// Puts the level back at the end of a test.
struct LevelGuard {
    SimdLevel before = engine::simd_level();
    ~LevelGuard() { engine::set_simd_level(before); }
};

ShapeDesc wedge() {
    ShapeDesc d;
    d.type = ShapeType::hull;
    d.points = {
        {-0.3f, -0.2f, -0.3f}, {0.3f, -0.2f, -0.3f}, {0.3f, -0.2f, 0.3f}, {-0.3f, -0.2f, 0.3f}, {0.0f, 0.4f, 0.0f}};
    return d;
}

ShapeDesc shape_number(int i) {
    const ShapeDesc shapes[] = {TestWorld::box({0.3f, 0.25f, 0.2f}), TestWorld::sphere(0.25f),
                                TestWorld::capsule(0.2f, 0.3f), wedge()};
    return shapes[i % 4];
}

/// Boxes, balls, capsules and hulls that fall on a heap.
void build_heap(TestWorld& t, int count, float restitution = 0.0f, float spread = 1.0f) {
    t.floor(0.6f, restitution);
    for (int i = 0; i < count; ++i)
        t.body(shape_number(i),
               {.position = {spread * (0.31f * float(i % 4) - 0.45f), 0.8f + 0.5f * spread * float(i / 8),
                             spread * (0.33f * float((i / 4) % 2) - 0.2f)},
                .rotation = turn({1.0f, float(i % 3), 0.5f}, float(37 * i % 360)),
                .restitution = restitution});
}

void allow_simd(TestWorld& t, bool simd) {
    StepSettings s = t.settings();
    s.simd_kernels = simd;
    s.direct_islands = false;  // sweeps are compared with sweeps
    t.set(s);
}
void without_sleep(TestWorld& t) {
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
}

float speed(const Velocity& v) { return std::max(glm::length(v.linear), glm::length(v.angular)); }

/// How far two paths are from each other after the same step. Allowed are 1e-3 of a body's speed and 1e-4 m/s or
/// rad/s.
struct Difference {
    float worst = 0.0f;  // as a part of what is allowed
    uint32_t bodies = 0, outside = 0;

    void add(TestWorld& x, TestWorld& y) {
        REQUIRE(x.world.bodies().size() == y.world.bodies().size());
        for (size_t i = 0; i < x.world.bodies().size(); ++i) {
            const Velocity& u = x.velocity(x.world.bodies()[i]);
            const Velocity& v = y.velocity(y.world.bodies()[i]);
            const float allowed = 1e-4f + 1e-3f * std::max(speed(u), speed(v));
            const float off = std::max(glm::length(u.linear - v.linear), glm::length(u.angular - v.angular));
            worst = std::max(worst, off / allowed);
            ++bodies;
            outside += off <= allowed ? 0 : 1;
        }
    }
    void add(const Difference& other) {
        worst = std::max(worst, other.worst);
        bodies += other.bodies;
        outside += other.outside;
    }
};
float height_difference(TestWorld& x, TestWorld& y) {
    float worst = 0.0f;
    for (size_t i = 0; i < x.world.bodies().size(); ++i)
        worst =
            std::max(worst, std::abs(x.pose(x.world.bodies()[i]).position.y - y.pose(y.world.bodies()[i]).position.y));
    return worst;
}

/// One step by both paths from the same state, at several moments of a scene. Both have the same laws and different
/// ways to their solution: with enough sweeps it does not matter any more which.
Difference compare_steps(const std::function<void(TestWorld&)>& build, int steps, int every, uint32_t substeps = 8) {
    TestWorld simd, general;
    build(simd);
    build(general);
    StepSettings s = simd.settings();
    s.sleeping = false;
    s.substeps = substeps;
    s.iterations = 50;
    s.relax_iterations = 0;
    s.simd_kernels = true;
    s.direct_islands = false;
    simd.set(s);
    Difference difference;
    uint32_t contacts = 0;
    for (int i = 0; i < steps; ++i) {
        CAPTURE(i);
        const bool look = i % every == 0;
        if (look) {
            engine::Snapshot state;
            simd.world.save(state);
            REQUIRE(general.world.restore(state).ok());
            s.simd_kernels = false;
            general.set(s);
            general.step();
        }
        simd.step();
        contacts = std::max(contacts, simd.world.report().contacts);
        if (!look) continue;
        CHECK(general.world.report().contacts == simd.world.report().contacts);
        difference.add(simd, general);
    }
    CHECK(contacts > 0);
    return difference;
}

/// Sixty steps by each path on its own, to the same heights.
void compare_heights(const std::function<void(TestWorld&)>& build) {
    TestWorld simd, general;
    for (TestWorld* t : {&simd, &general}) {
        build(*t);
        without_sleep(*t);
        allow_simd(*t, t == &simd);
        for (int i = 0; i < 60; ++i) t->step();
    }
    CHECK(height_difference(simd, general) < 0.001f);
}

/// A few of one shape, one on the floor and others falling onto it.
std::function<void(TestWorld&)> some_of(const ShapeDesc& desc, float size, float restitution,
                                        const Quat& rotation = Quat(1.0f, 0.0f, 0.0f, 0.0f)) {
    return [=](TestWorld& t) {
        t.floor(0.6f, restitution);
        for (int i = 0; i < 6; ++i)
            t.body(desc, {.position = {1.5f * float(i % 2), size + 2.1f * size * float(i / 2), 0.0f},
                          .rotation = rotation,
                          .restitution = restitution});
    };
}

/// 60 boxes under a plate and 90 on it: more contacts than there are colours.
void build_plate(TestWorld& t) {
    t.floor();
    const ShapeDesc cube = TestWorld::box(Vec3(0.1f));
    for (int i = 0; i < 60; ++i)
        t.body(cube, {.position = {0.4f * float(i % 10) - 1.8f, 0.1f, 0.4f * float(i / 10) - 1.0f}});
    t.body(TestWorld::box({2.2f, 0.1f, 1.4f}), {.position = {0.0f, 0.3f, 0.0f}});
    for (int i = 0; i < 90; ++i)
        t.body(cube, {.position = {0.4f * float(i % 10) - 1.8f, 0.5f, 0.28f * float(i / 10) - 1.12f}});
}

/// A kinematic belt that runs under two boxes, a ball and a hull.
void build_belt(TestWorld& t) {
    t.floor();
    t.body(TestWorld::box({5.0f, 0.1f, 1.0f}),
           {.type = BodyType::kinematic, .position = {0.0f, 0.3f, 0.0f}, .velocity = {.linear = {1.0f, 0.0f, 0.0f}}});
    const float heights[] = {0.25f, 0.25f, 0.31f, 0.2f};
    for (int i = 0; i < 4; ++i)
        t.body(i == 2 ? TestWorld::box(Vec3(0.3f)) : shape_number(i),
               {.position = {float(i) - 1.5f, 0.4f + heights[i], 0.0f}});
}

struct Momentum {
    Vec3 linear{0.0f}, angular{0.0f};             // about the origin
    float linear_sum = 0.0f, angular_sum = 0.0f;  // of the lengths, to compare with
};

Momentum momentum(TestWorld& t) {
    Momentum sum;
    for (const Entity e : t.world.bodies()) {
        const Vec3 linear = t.mass(e).mass * t.velocity(e).linear;
        const Vec3 centre = t.pose(e).position + t.pose(e).rotation * t.mass(e).center;
        const Vec3 angular = glm::cross(centre, linear) + t.spin_momentum(e);
        sum.linear += linear;
        sum.angular += angular;
        sum.linear_sum += glm::length(linear);
        sum.angular_sum += glm::length(angular);
    }
    return sum;
}

struct Colours {
    std::map<std::pair<Entity, Entity>, uint32_t> by_pair;  // of all manifolds with points
    uint32_t overflows = 0;
};

/// Reads all colours; no two manifolds of one colour may share a body that can move.
Colours read_colours(TestWorld& t) {
    const entt::registry& registry = t.world.registry();
    Colours colours;
    std::set<std::pair<Entity, uint32_t>> taken;
    uint32_t shared = 0, wrong_kind = 0;
    for (const ContactView& pair : t.world.contacts()) {
        const Manifold& m = *pair.manifold;
        colours.by_pair[{pair.collider_a, pair.collider_b}] = m.colour;
        const bool both = registry.get<RigidBody>(pair.body_a).type == BodyType::dynamic &&
                          registry.get<RigidBody>(pair.body_b).type == BodyType::dynamic;
        if (m.colour >= kColourCount || is_immovable(m.colour) == both) ++wrong_kind;
        if (is_overflow(m.colour)) {
            ++colours.overflows;
            continue;
        }
        for (const Entity body : {pair.body_a, pair.body_b})
            if (registry.get<RigidBody>(body).type == BodyType::dynamic && !taken.insert({body, m.colour}).second)
                ++shared;
    }
    CHECK(shared == 0);
    CHECK(wrong_kind == 0);
    return colours;
}

}  // namespace

TEST_CASE("a heap of mixed shapes ends in the same bits at every vector width") {
    const LevelGuard guard;
    for (const float restitution : {0.0f, 0.5f}) {
        uint64_t first = 0;
        for (const SimdLevel level : {SimdLevel::one, SimdLevel::four, SimdLevel::eight}) {
            CAPTURE(engine::to_string(level));
            engine::set_simd_level(level);
            TestWorld t;
            build_heap(t, 60, restitution);
            t.run(1.5f);
            if (level == SimdLevel::one) first = t.world.state_hash();
            CHECK(t.world.state_hash() == first);
        }
        TestWorld t;
        build_heap(t, 60, restitution);
        t.run(1.4f);
        CHECK(t.world.state_hash() != first);
    }
}

TEST_CASE("sweeps and the general path take the same step from the same state, shape by shape") {
    const Quat lying = turn({0.0f, 0.0f, 1.0f}, 90.0f);
    const std::function<void(TestWorld&)> scenes[] = {
        some_of(TestWorld::box(Vec3(0.4f)), 0.4f, 0.0f), some_of(TestWorld::sphere(0.4f), 0.4f, 0.0f),
        some_of(TestWorld::capsule(0.3f, 0.4f), 0.3f, 0.0f, lying), some_of(wedge(), 0.2f, 0.0f)};
    for (int i = 0; i < 4; ++i) {
        CAPTURE(i);
        for (const uint32_t substeps : {1u, 8u}) {
            CAPTURE(substeps);
            const Difference d = compare_steps(scenes[i], 60, 4, substeps);
            CHECK(d.outside <= d.bodies / 10);  // 9 of 105: boxes on springs of one sub-step, which sag by millimetres
        }
    }
}

// A contact that closes in a sub-step is soft in the next one or, when rounding leaves it a hair open, hard.
// So where things tumble sub-steps carry the last bit of one path far enough to be seen: there single
// sub-steps are compared, and whole steps for most bodies.
TEST_CASE("sweeps and the general path take the same step with restitution, shape by shape") {
    const Quat lying = turn({0.0f, 0.0f, 1.0f}, 90.0f);
    const std::function<void(TestWorld&)> scenes[] = {
        some_of(TestWorld::box(Vec3(0.4f)), 0.4f, 0.6f), some_of(TestWorld::sphere(0.4f), 0.4f, 0.6f),
        some_of(TestWorld::capsule(0.3f, 0.4f), 0.3f, 0.6f, lying), some_of(wedge(), 0.2f, 0.6f)};
    for (int i = 0; i < 4; ++i) {
        CAPTURE(i);
        CHECK(compare_steps(scenes[i], 60, 2, 1).worst <= 1.0f);
        const Difference whole = compare_steps(scenes[i], 60, 2);
        CHECK(whole.outside <= whole.bodies / 25);  // 6 of 210
    }
}

TEST_CASE("sweeps and the general path take the same step in a heap, with and without restitution") {
    for (const float restitution : {0.0f, 0.5f}) {
        CAPTURE(restitution);
        // Where things tumble the paths see the bends of their motion (contact_lanes.h) before and after a sweep. How many
        // bodies do so in one heap is chance, 156 to 246 of 930 by the height that it falls from: three of them are counted.
        Difference one, whole;
        for (const float height : {2.0f, 2.2f, 2.5f}) {
            const auto build = [=](TestWorld& t) { build_heap(t, 30, restitution, height); };
            one.add(compare_steps(build, 90, 3, 1));
            whole.add(compare_steps(build, 90, 3));
        }
        CHECK(one.outside <= one.bodies / 4);      // 622 of 2790 with restitution, 455 without
        CHECK(whole.outside <= whole.bodies / 4);  // 641 of 2790 with restitution, 268 without
    }
}

TEST_CASE("sweeps and the general path take the same step on a belt that runs") {
    CHECK(compare_steps(build_belt, 60, 4, 1).worst <= 1.0f);
    CHECK(compare_steps(build_belt, 60, 4).worst <= 1.0f);
    compare_heights(build_belt);
}

TEST_CASE("sweeps and the general path agree where a plate has more contacts than there are colours") {
    CHECK(compare_steps(build_plate, 10, 3).worst <= 4.0f);  // what fifty sweeps leave of 150 contacts of one plate
    compare_heights(build_plate);
    TestWorld t;
    build_plate(t);
    for (int i = 0; i < 3; ++i) t.step();
    CHECK(read_colours(t).overflows > 0);
}

TEST_CASE("after sixty steps by sweeps and by the general path things at rest have the same heights") {
    compare_heights(some_of(TestWorld::box(Vec3(0.4f)), 0.4f, 0.0f));
    compare_heights(some_of(TestWorld::sphere(0.4f), 0.4f, 0.0f));
    compare_heights([](TestWorld& t) {
        t.floor();
        t.body(TestWorld::capsule(0.3f, 0.4f),
               {.position = {0.0f, 0.3f, 0.0f}, .rotation = turn({0.0f, 0.0f, 1.0f}, 90.0f)});
        t.body(wedge(), {.position = {2.0f, 0.2f, 0.0f}});
        for (int i = 0; i < 5; ++i)
            t.body(TestWorld::box({0.5f, 0.2f, 0.3f}), {.position = {5.0f, 0.2f + 0.4f * float(i), 0.0f}});
    });
}

TEST_CASE("bodies that collide without gravity keep their momentum, linear and angular") {
    struct Case {
        bool coarse;  // one sub-step
        float restitution, dt;
    };
    for (const Case& c : {Case{true, 0.0f, kDt}, Case{true, 0.8f, kDt}, Case{false, 0.0f, kDt}, Case{false, 0.8f, kDt},
                          Case{true, 0.8f, kDt / 8}, Case{false, 0.0f, kDt / 8}, Case{false, 0.8f, kDt / 8}}) {
        const bool coarse = c.coarse;
        const float restitution = c.restitution, dt = c.dt;
        CAPTURE(coarse);
        CAPTURE(restitution);
        CAPTURE(dt);
        TestWorld t;
        StepSettings s = t.settings();
        s.gravity = Vec3(0.0f);
        s.sleeping = false;
        if (coarse) s.substeps = 1;
        t.set(s);
        for (int i = 0; i < 16; ++i) {
            const float angle = 2.4f * float(i), radius = 0.7f + 0.12f * float(i);
            const Vec3 at(radius * std::cos(angle), 0.3f * float(i % 5) - 0.6f, radius * std::sin(angle));
            t.body(shape_number(i), {.position = at,
                                     .rotation = turn({1.0f, float(i), 0.5f}, 53.0f * float(i)),
                                     .velocity = {.linear = -1.5f * at + Vec3(0.3f, 0.1f, 0.0f),
                                                  .angular = {0.5f, float(i % 3) - 1.0f, 0.4f}},
                                     .restitution = restitution});
        }
        t.step(dt);  // masses come with the first step
        const Momentum before = momentum(t);
        uint32_t contacts = 0;
        for (int i = 0; i < int(1.5f / dt + 0.5f); ++i) {
            t.step(dt);
            contacts += t.world.report().contacts;
        }
        const Momentum after = momentum(t);
        CHECK(contacts > 200);
        const float linear = glm::length(after.linear - before.linear) / before.linear_sum;
        const float angular = glm::length(after.angular - before.angular) / before.angular_sum;
        // Rounding: what a blow gave is taken out of the velocity that is given again, some 1440 times.
        CHECK(linear < 5e-6f);
        // Impulses act at one place on both bodies, where those are when they act. What is left comes from bodies that
        // turn by a quarter of a radian and more in a sub-step, and from spin that an impact within a sub-step would have
        // made faster than its energy allows.
        CHECK(angular < (coarse ? 1e-2f : 6e-4f));
    }
}

TEST_CASE("manifolds of one colour share no body, and lasting contacts keep their colour") {
    TestWorld t;
    build_heap(t, 60);
    Colours before;
    uint32_t kept = 0, changed = 0, made = 0;
    for (int i = 0; i < 150; ++i) {
        t.step();
        const Colours now = read_colours(t);
        for (const auto& [pair, colour] : now.by_pair) {
            const auto old = before.by_pair.find(pair);
            if (old == before.by_pair.end())
                ++made;
            else
                ++(old->second == colour ? kept : changed);
        }
        before = now;
    }
    CHECK(changed == 0);
    CHECK(kept > 5000);
    CHECK(made > 100);
}

TEST_CASE("a box at rest receives its weight times the step, by either path") {
    for (const bool simd : {true, false}) {
        CAPTURE(simd);
        TestWorld t;
        t.floor();
        const Entity box = t.body(TestWorld::box({0.5f, 0.3f, 0.4f}), {.position = {0.0f, 0.3f, 0.0f}});
        without_sleep(t);
        allow_simd(t, simd);
        t.run(2.0f);
        float total = 0.0f;
        for (const ContactView& view : t.world.contacts()) {
            const Manifold& m = *view.manifold;
            CHECK(m.normal.y == doctest::Approx(1.0f));
            for (uint32_t i = 0; i < m.count; ++i) total += m.points[i].impulse.x;
        }
        // It neither moves nor sags after two seconds: what is left is rounding of the sum.
        CHECK(total == doctest::Approx(t.mass(box).mass * kG * kDt).epsilon(1e-5));
    }
}

TEST_CASE("the friction impulse of every point stays within its disk, sliding and at rest") {
    for (const bool simd : {true, false}) {
        CAPTURE(simd);
        TestWorld t;
        t.floor();
        // A slope of 20 degrees: one box slides, one does not.
        t.body(
            TestWorld::box({20.0f, 0.5f, 5.0f}),
            {.type = BodyType::fixed, .position = {0.0f, 10.0f, 0.0f}, .rotation = turn({0.0f, 0.0f, 1.0f}, -20.0f)});
        const Quat down = turn({0.0f, 0.0f, 1.0f}, -20.0f);
        const Vec3 top = Vec3(0.0f, 10.0f, 0.0f) + down * Vec3(0.0f, 0.8f, 0.0f);
        const Entity slides = t.body(TestWorld::box(Vec3(0.3f)), {.position = top, .rotation = down, .friction = 0.1f});
        const Entity rests = t.body(TestWorld::box(Vec3(0.3f)),
                                    {.position = top + Vec3(0.0f, 0.0f, 2.0f), .rotation = down, .friction = 1.0f});
        without_sleep(t);
        allow_simd(t, simd);
        t.run(0.5f);
        uint32_t at_limit = 0, inside = 0;
        for (int i = 0; i < 30; ++i) {
            t.step();
            for (const ContactView& pair : t.world.contacts()) {
                const Manifold& m = *pair.manifold;
                for (uint32_t k = 0; k < m.count; ++k) {
                    for (const Vec3& p : {m.points[k].impulse, m.points[k].lambda}) {
                        const float friction = std::hypot(p.y, p.z), limit = m.friction * p.x;
                        REQUIRE(p.x > 0.0f);
                        // In the general path relaxing changes the normals of the last sub-step once more.
                        REQUIRE(friction <= (simd || &p == &m.points[k].impulse ? 1.001f : 1.002f) * limit);
                        if (pair.body_b == slides && friction > 0.999f * limit) ++at_limit;
                        if (pair.body_b == rests && friction < 0.9f * limit) ++inside;
                    }
                }
            }
        }
        // All: 30 steps of four points, impulse of the step and of its last sub-step. In the general path normals have the
        // last word of a sweep, and friction lags where they rise.
        CHECK(at_limit >= (simd ? 240u : 210u));
        CHECK(inside == 240);
        CHECK(glm::length(t.velocity(slides).linear) > 1.0f);
        CHECK(glm::length(t.velocity(rests).linear) < 0.01f);
    }
}

TEST_CASE("friction impulses of a tumbling heap stay within their disks but for points that open") {
    // Normals have the last word of a sweep: a point that loses load in it keeps for this sub-step the
    // friction that it had. Over a run that must be little.
    for (const float restitution : {0.0f, 0.5f}) {
        CAPTURE(restitution);
        TestWorld t;
        build_heap(t, 40, restitution);
        uint32_t points = 0, outside = 0;
        float limit = 0.0f, excess = 0.0f;
        for (int i = 0; i < 120; ++i) {
            t.step();
            for (const ContactView& view : t.world.contacts()) {
                const Manifold& m = *view.manifold;
                for (uint32_t k = 0; k < m.count; ++k) {
                    const Vec3 p = m.points[k].impulse;
                    REQUIRE(p.x >= 0.0f);
                    REQUIRE(m.points[k].lambda.x >= 0.0f);
                    const float friction = std::hypot(p.y, p.z);
                    limit += m.friction * p.x;
                    excess += std::max(0.0f, friction - m.friction * p.x);
                    points += p.x > 0.0f ? 1 : 0;
                    outside += friction > 1.001f * m.friction * p.x ? 1 : 0;
                }
            }
        }
        // A heap that lands: every seventh point loses load in the last sweep that it has, and 1.7 % of all
        // friction lies outside.
        CHECK(excess < 0.02f * limit);
        CHECK(points > 1000);
        CHECK(outside < points / 6);
    }
}

TEST_CASE("a world where everything sleeps does not change, and a poke wakes its own island only") {
    TestWorld t;
    t.floor();
    std::vector<Entity> towers[3];
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            towers[k].push_back(
                t.body(TestWorld::box(Vec3(0.4f)), {.position = {3.0f * float(k), 0.4f + 0.8f * float(i), 0.0f}}));
    const auto asleep = [&](Entity e) { return t.world.registry().get<SleepState>(e).asleep != 0; };
    t.run(3.0f);
    for (const auto& tower : towers)
        for (const Entity e : tower) REQUIRE(asleep(e));

    const uint64_t hash = t.world.state_hash();
    for (int i = 0; i < 30; ++i) {
        t.step();
        REQUIRE(t.world.state_hash() == hash);
        REQUIRE(t.world.report().bodies == 0);
        REQUIRE(t.world.report().sleeping == 9);
    }

    const Pose first = t.pose(towers[0][2]), last = t.pose(towers[2][2]);
    t.velocity(towers[1][1]).linear = Vec3(0.0f, 0.0f, 0.3f);
    t.step();
    for (const Entity e : towers[1]) CHECK_FALSE(asleep(e));
    for (const int k : {0, 2})
        for (const Entity e : towers[k]) CHECK(asleep(e));
    CHECK(t.world.report().bodies == 3);
    CHECK(t.world.report().sleeping == 6);
    CHECK(t.world.state_hash() != hash);
    CHECK(t.pose(towers[0][2]).position == first.position);
    CHECK(t.pose(towers[2][2]).position == last.position);
}
