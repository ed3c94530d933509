// SPDX-License-Identifier: MIT
// Pairs as a game sees them: entities with ContactPair and Manifold, and the events of their lives.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

bool asleep(TestWorld& t, Entity e) { return t.world.registry().get<SleepState>(e).asleep != 0; }

uint32_t pair_entities(TestWorld& t) {
    uint32_t count = 0;
    for ([[maybe_unused]] const Entity e : t.world.registry().view<ContactPair>()) ++count;
    return count;
}

void without_gravity(TestWorld& t) {
    StepSettings s = t.settings();
    s.gravity = Vec3(0.0f);
    t.set(s);
}

using ColliderPair = std::pair<Entity, Entity>;

/// Follows the events of a world and compares them, and every pair, with the registry.
class Follower {
  public:
    explicit Follower(TestWorld& t) : t_(t) {}

    void step() {
        t_.step();
        for (const ContactEnd& e : t_.world.events().end)
            if (touching_.erase({e.collider_a, e.collider_b}) != 1) ++wrong_events_;
        for (const ContactBegin& e : t_.world.events().begin)
            if (!touching_.insert({e.collider_a, e.collider_b}).second) ++wrong_events_;
        REQUIRE(wrong_events_ == 0);
        std::set<ColliderPair> seen, touching_now;
        for (const auto [entity, pair] : t_.world.registry().view<ContactPair>().each()) {
            const ColliderPair key{pair.collider_a, pair.collider_b};
            REQUIRE(seen.insert(key).second);  // no two entities for the same colliders
            if (pair.touching) touching_now.insert(key);
            check_pair(entity, pair);
        }
        REQUIRE(touching_now == touching_);
        max_seen_ = std::max(max_seen_, seen.size());
    }

    size_t most() const { return max_seen_; }
    /// Friction beyond its disk, as a part of all that is allowed: of points that open during a sub-step.
    float excess() const { return excess_ / friction_limit_; }

  private:
    void check_pair(Entity entity, const ContactPair& pair) {
        const entt::registry& registry = t_.world.registry();
        REQUIRE(registry.valid(pair.body_a));
        REQUIRE(registry.valid(pair.body_b));
        REQUIRE(registry.all_of<RigidBody, Pose>(pair.body_a));
        REQUIRE(registry.all_of<RigidBody, Pose>(pair.body_b));
        REQUIRE(registry.get<Collider>(pair.collider_a).body == pair.body_a);
        REQUIRE(registry.get<Collider>(pair.collider_b).body == pair.body_b);
        REQUIRE(registry.get<StableId>(pair.collider_a).value < registry.get<StableId>(pair.collider_b).value);
        const std::vector<ContactView> views = t_.world.contacts(entity);
        REQUIRE(views.size() <= 1);
        if (pair.touching) REQUIRE(views.size() == 1);
        if (views.empty()) return;
        const Manifold& m = *views[0].manifold;
        REQUIRE(m.count >= 1);
        REQUIRE(m.count <= 4);
        REQUIRE(std::abs(glm::length(m.normal) - 1.0f) < 1e-4f);
        REQUIRE(std::abs(glm::dot(m.normal, m.tangent1)) < 1e-4f);
        REQUIRE(std::abs(glm::dot(m.normal, m.tangent2)) < 1e-4f);
        for (uint32_t i = 0; i < m.count; ++i) check_point(pair, m, i);
    }

    /// Impulses push, and both anchors are in one place: a manifold that was mixed up with another's
    /// would not belong to its bodies. Centres of mass are the origins of the shapes used here.
    void check_point(const ContactPair& pair, const Manifold& m, uint32_t i) {
        const entt::registry& registry = t_.world.registry();
        const ManifoldPoint& p = m.points[i];
        REQUIRE(p.impulse.x >= 0.0f);
        REQUIRE(p.lambda.x >= 0.0f);
        const float limit = m.friction * p.impulse.x;
        friction_limit_ += limit;
        excess_ += std::max(0.0f, std::hypot(p.impulse.y, p.impulse.z) - limit);
        const Pose &a = registry.get<Pose>(pair.body_a), &b = registry.get<Pose>(pair.body_b);
        const Vec3 at_a = a.position + a.rotation * m.points[i].anchor_a;
        const Vec3 at_b = b.position + b.rotation * m.points[i].anchor_b;
        float fastest = 0.0f;
        for (const Entity body : {pair.body_a, pair.body_b}) {
            const Velocity& v = registry.get<Velocity>(body);
            fastest = std::max(fastest, glm::length(v.linear) + glm::length(v.angular));
        }
        // Anchors are on both surfaces: bodies that were made inside others overlap by a part of their size.
        REQUIRE(glm::distance(at_a, at_b) < 0.06f + std::abs(p.separation) + 2.0f * kDt * (fastest + 3.0f));
    }

    TestWorld& t_;
    std::set<ColliderPair> touching_;
    float excess_ = 0.0f, friction_limit_ = 0.0f;  // of all points in all steps
    uint32_t wrong_events_ = 0;
    size_t max_seen_ = 0;
};

void add_random_body(TestWorld& t, Random& random) {
    const TestWorld::Options o{
        .position = {random.between(-1.5f, 1.5f), random.between(1.0f, 3.0f), random.between(-1.5f, 1.5f)},
        .rotation = turn({1.0f, random.between(-1.0f, 1.0f), 0.3f}, random.between(0.0f, 360.0f)),
        .friction = random.between(0.0f, 1.0f),
        .restitution = random.below(3) == 0 ? 0.5f : 0.0f};
    switch (random.below(3)) {
        case 0:
            t.body(TestWorld::box({0.2f, 0.15f, 0.25f}), o);
            break;
        case 1:
            t.body(TestWorld::sphere(0.2f), o);
            break;
        default:
            t.body(TestWorld::capsule(0.15f, 0.2f), o);
    }
}

/// Forty bodies falling to a heap: pairs near, touching and about to part.
void build_mixture(TestWorld& t) {
    t.floor();
    Random random;
    for (int i = 0; i < 40; ++i) add_random_body(t, random);
}

}  // namespace

TEST_CASE("the entity of a pair begins with the first contact points, not when boxes meet") {
    TestWorld t;
    without_gravity(t);
    // Turned by 45 degrees about z the cube's box is wider than the cube: boxes overlap while shapes are far apart.
    t.body(TestWorld::box(Vec3(0.5f)), {.rotation = turn({0.0f, 0.0f, 1.0f}, 45.0f)});
    const Entity b = t.body(TestWorld::box(Vec3(0.5f)),
                            {.position = {1.05f, 1.05f, 0.0f}, .rotation = turn({0.0f, 0.0f, 1.0f}, 45.0f)});
    t.step();
    CHECK(t.world.report().pairs == 1);
    CHECK(pair_entities(t) == 0);
    CHECK(t.world.events().begin.empty());

    // A gap of 0.01 is near enough for points and too far to touch.
    const float near = (1.0f + 0.01f) / std::sqrt(2.0f);
    t.pose(b).position = {near, near, 0.0f};
    t.step();
    CHECK(pair_entities(t) == 1);
    CHECK(t.world.events().begin.empty());
    const Entity pair = *t.world.registry().view<ContactPair>().begin();
    REQUIRE(t.world.contacts(pair).size() == 1);
    CHECK(t.world.contacts(pair)[0].manifold->count > 0);
    CHECK(t.world.registry().get<ContactPair>(pair).touching == 0);

    t.velocity(b).linear = {-1.0f, -1.0f, 0.0f};
    t.step();
    REQUIRE(t.world.events().begin.size() == 1);
    CHECK(t.world.events().begin[0].pair == pair);
    CHECK(t.world.registry().get<ContactPair>(pair).touching == 1);
}

TEST_CASE("the entity of a pair lasts while boxes overlap and ends when they part") {
    TestWorld t;
    without_gravity(t);
    t.body(TestWorld::box(Vec3(0.5f)), {});
    const Entity b = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.999f, 0.0f, 0.0f}});
    t.step();
    REQUIRE(pair_entities(t) == 1);
    REQUIRE(t.world.events().begin.size() == 1);
    const Entity pair = t.world.events().begin[0].pair;

    t.velocity(b) = {};
    t.pose(b).position = {1.07f, 0.0f, 0.0f};  // no points any more
    t.step();
    CHECK(t.world.events().end.size() == 1);
    if (t.world.report().pairs == 1) {  // boxes have room around them: the pair may still be there
        REQUIRE(t.world.registry().valid(pair));
        CHECK(t.world.contacts(pair).empty());
        CHECK(t.world.registry().get<ContactPair>(pair).touching == 0);
    }
    t.pose(b).position = {5.0f, 0.0f, 0.0f};
    t.step();
    CHECK(t.world.events().end.empty());  // it had ended before
    CHECK(t.world.report().pairs == 0);
    CHECK(pair_entities(t) == 0);
    CHECK_FALSE(t.world.registry().valid(pair));
}

TEST_CASE("boxes that part while they touch end their pair with one event") {
    TestWorld t;
    without_gravity(t);
    const Entity a = t.body(TestWorld::box(Vec3(0.5f)), {});
    const Entity b = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.999f, 0.0f, 0.0f}});
    t.step();
    REQUIRE(t.world.events().begin.size() == 1);
    t.pose(b).position = {5.0f, 0.0f, 0.0f};
    t.step();
    REQUIRE(t.world.events().end.size() == 1);
    CHECK(t.world.events().end[0].body_a == a);
    CHECK(t.world.events().end[0].body_b == b);
    CHECK(pair_entities(t) == 0);
}

TEST_CASE("removing a body ends all its pairs with events and wakes what stood on it") {
    TestWorld t;
    t.floor();
    const Entity table = t.body(TestWorld::box({1.0f, 0.25f, 1.0f}), {.position = {0.0f, 0.25f, 0.0f}});
    const Entity left = t.body(TestWorld::box(Vec3(0.2f)), {.position = {-0.5f, 0.7f, 0.0f}});
    const Entity right = t.body(TestWorld::box(Vec3(0.2f)), {.position = {0.5f, 0.7f, 0.0f}});
    const Entity far_body = t.body(TestWorld::box(Vec3(0.2f)), {.position = {5.0f, 0.2f, 0.0f}});
    t.run(3.0f);
    for (const Entity e : {table, left, right, far_body}) REQUIRE(asleep(t, e));
    REQUIRE(pair_entities(t) == 4);

    t.world.destroy_body(table);
    t.step();
    CHECK(t.world.events().end.size() == 3);  // floor, left, right
    for (const ContactEnd& e : t.world.events().end) CHECK((e.body_a == table || e.body_b == table));
    CHECK(pair_entities(t) == 1);
    CHECK_FALSE(asleep(t, left));
    CHECK_FALSE(asleep(t, right));
    CHECK(asleep(t, far_body));
    CHECK(t.velocity(left).linear.y == doctest::Approx(-kG * kDt).epsilon(0.01));
    CHECK(t.velocity(right).linear.y == doctest::Approx(-kG * kDt).epsilon(0.01));
}

TEST_CASE("pairs stay consistent while bodies come and go in random order for 300 steps") {
    for (const uint32_t threads : {1u, 2u}) {
        CAPTURE(threads);
        TestWorld t(threads);
        t.floor();
        Follower follower(t);
        Random random;
        for (int i = 0; i < 300; ++i) {
            CAPTURE(i);
            const uint32_t count = uint32_t(t.world.bodies().size());
            // Now and then many go at once, from anywhere in the list; the floor stays.
            const uint32_t go = i % 50 == 49 ? 15 : (count > 40 ? 2 : random.below(2));
            for (uint32_t k = 0; k < go && t.world.bodies().size() > 2; ++k) {
                const uint32_t which = 1 + random.below(uint32_t(t.world.bodies().size()) - 1);
                t.world.destroy_body(t.world.bodies()[which]);
            }
            const uint32_t come = random.below(3);
            for (uint32_t k = 0; k < come; ++k) add_random_body(t, random);
            follower.step();
        }
        CHECK(follower.most() > 30);
        CHECK(follower.excess() < 0.04f);
    }
}

TEST_CASE("a snapshot in the middle has the same future in the same world and in another one") {
    TestWorld t;
    build_mixture(t);
    // At steps when boxes and slacks of pairs have got a past.
    for (const int warm : {7, 23, 60}) {
        CAPTURE(warm);
        for (int i = 0; i < warm; ++i) t.step();
        engine::Snapshot snapshot;
        t.world.save(snapshot);
        std::vector<uint64_t> future;
        std::vector<size_t> events;
        for (int i = 0; i < 60; ++i) {
            t.step();
            future.push_back(t.world.state_hash());
            events.push_back(t.world.events().begin.size() + 1000 * t.world.events().end.size());
        }
        TestWorld other(2);
        build_mixture(other);
        other.run(0.3f);  // a past of its own
        for (TestWorld* world : {&t, &other}) {
            REQUIRE(world->world.restore(snapshot).ok());
            for (size_t i = 0; i < future.size(); ++i) {
                CAPTURE(i);
                world->step();
                REQUIRE(world->world.state_hash() == future[i]);
                REQUIRE(world->world.events().begin.size() + 1000 * world->world.events().end.size() == events[i]);
            }
        }
    }
}

TEST_CASE("a snapshot of a world in which bodies were just removed has the same future") {
    TestWorld t;
    build_mixture(t);
    t.run(0.5f);
    for (const uint32_t which : {30u, 11u, 4u}) t.world.destroy_body(t.world.bodies()[which]);
    engine::Snapshot snapshot;
    t.world.save(snapshot);
    t.run(0.5f);
    const uint64_t future = t.world.state_hash();
    TestWorld other;
    build_mixture(other);
    for (TestWorld* world : {&t, &other}) {
        REQUIRE(world->world.restore(snapshot).ok());
        world->run(0.5f);
        CHECK(world->world.state_hash() == future);
    }
}
