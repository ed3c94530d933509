// SPDX-License-Identifier: MIT
// Bodies that come and go in a running world: lists that are brought up to date are the same as lists that
// are made anew.
#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "physics/colliders/collider_links.h"
#include "tests/support/random.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

Entity drop_something(TestWorld& t, Random& random) {
    const TestWorld::Options o{
        .position = {random.between(-1.5f, 1.5f), random.between(1.0f, 3.0f), random.between(-1.5f, 1.5f)},
        .rotation = turn({1.0f, random.between(-1.0f, 1.0f), 0.3f}, random.between(0.0f, 360.0f)),
        .restitution = random.below(3) == 0 ? 0.5f : 0.0f};
    switch (random.below(3)) {
        case 0:
            return t.body(TestWorld::box({0.2f, 0.15f, 0.25f}), o);
        case 1:
            return t.body(TestWorld::sphere(0.2f), o);
        default:
            return t.body(TestWorld::capsule(0.15f, 0.2f), o);
    }
}

Collider small_ball(TestWorld& t, const Vec3& at) {
    Collider c;
    c.shape = t.shape(TestWorld::sphere(0.1f));
    c.local.position = at;
    return c;
}

Entity collider_of(TestWorld& t, Entity body) {
    for (const auto [entity, collider] : t.world.registry().view<Collider>().each())
        if (collider.body == body) return entity;
    return engine::kNoEntity;
}

/// Steps two worlds that the same things happen to. One of them is told each time that an old body has
/// changed, and makes all its lists anew.
class Twins {
  public:
    Twins() {
        for (TestWorld* t : both()) {
            floor_ = t->floor();
            Random random;
            for (int i = 0; i < 30; ++i) drop_something(*t, random);
        }
        run(40);
    }

    void happen(const std::function<void(TestWorld&)>& change) {
        for (TestWorld* t : both()) change(*t);
    }
    void run(int steps) {
        for (int i = 0; i < steps; ++i) {
            anew_.world.registry().patch<RigidBody>(floor_);
            for (TestWorld* t : both()) t->step();
            REQUIRE(kept_.world.state_hash() == anew_.world.state_hash());
            REQUIRE(kept_.world.report().pairs == anew_.world.report().pairs);
            REQUIRE(kept_.world.events().end.size() == anew_.world.events().end.size());
            REQUIRE(kept_.world.events().begin.size() == anew_.world.events().begin.size());
        }
    }
    TestWorld& kept() { return kept_; }

  private:
    std::vector<TestWorld*> both() { return {&kept_, &anew_}; }

    TestWorld kept_, anew_;
    Entity floor_ = engine::kNoEntity;
};

}  // namespace

TEST_CASE("lists brought up to date step like lists made anew while bodies come and go") {
    Twins twins;
    Random dice;
    for (int i = 0; i < 120; ++i) {
        const uint32_t seed = dice.below(1000), come = dice.below(4), go = dice.below(4);
        twins.happen([&](TestWorld& t) {
            Random random{seed};
            for (uint32_t k = 0; k < come; ++k) drop_something(t, random);
            for (uint32_t k = 0; k < go && t.world.bodies().size() > 20; ++k)
                t.world.destroy_body(t.world.bodies()[1 + random.below(uint32_t(t.world.bodies().size()) - 1)]);
        });
        twins.run(1);
    }
}

TEST_CASE("a body that comes and goes between two steps leaves no trace") {
    Twins twins;
    const size_t bodies = twins.kept().world.bodies().size();
    twins.happen([&](TestWorld& t) {
        Random random;
        const Entity brief = drop_something(t, random);
        drop_something(t, random);
        t.world.destroy_body(brief);
        CHECK(t.world.bodies().size() == bodies + 1);
    });
    twins.run(20);
    CHECK(twins.kept().world.bodies().size() == bodies + 1);
}

TEST_CASE("all bodies may go at once, and others come later") {
    Twins twins;
    twins.happen([](TestWorld& t) {
        const std::vector<Entity> all(t.world.bodies().begin() + 1, t.world.bodies().end());
        for (const Entity body : all) t.world.destroy_body(body);
    });
    twins.run(2);
    CHECK(twins.kept().world.report().pairs == 0);
    twins.happen([](TestWorld& t) {
        Random random;
        for (int i = 0; i < 20; ++i) drop_something(t, random);
    });
    twins.run(60);
}

TEST_CASE("colliders that come to, leave or change their body are noticed") {
    Twins twins;
    twins.happen([](TestWorld& t) {  // to a body that has been there
        REQUIRE(t.world.add_collider(t.world.bodies()[5], small_ball(t, {0.0f, 0.4f, 0.0f})).ok());
    });
    twins.run(10);
    twins.happen([](TestWorld& t) {  // the only one of a body goes
        t.world.registry().destroy(collider_of(t, t.world.bodies()[7]));
    });
    twins.run(10);
    twins.happen([](TestWorld& t) {  // one moves to another body
        const Entity collider = collider_of(t, t.world.bodies()[9]), to = t.world.bodies()[11];
        t.world.registry().patch<Collider>(collider, [&](Collider& c) {
            c.body = to;
            c.local.position = {0.0f, 0.5f, 0.0f};
        });
    });
    twins.run(10);
    twins.happen([](TestWorld& t) { t.world.destroy_body(t.world.bodies()[11]); });  // and goes with it
    twins.run(10);
    CHECK(twins.kept().world.report().warnings.empty());
}

TEST_CASE("a new body may get several colliders and a mass of its own before its first step") {
    Twins twins;
    twins.happen([](TestWorld& t) {
        Random random;
        const Entity body = drop_something(t, random);
        REQUIRE(t.world.add_collider(body, small_ball(t, {0.3f, 0.0f, 0.0f})).ok());
        const auto dropped = t.world.add_collider(body, small_ball(t, {0.0f, 0.3f, 0.0f}));
        REQUIRE(dropped.ok());
        t.world.registry().destroy(dropped.value());
        t.world.registry().patch<Mass>(body, [](Mass& mass) {
            mass.source = MassSource::total;
            mass.mass = 7.0f;
        });
    });
    twins.run(1);
    const Entity body = twins.kept().world.bodies().back();
    CHECK(twins.kept().mass(body).mass == doctest::Approx(7.0f));
    CHECK(twins.kept().mass(body).center.x > 0.0f);  // by the ball at its side
    twins.run(30);
}

TEST_CASE("bodies removed through the registry are noticed, and their colliders left out with a warning") {
    Twins twins;
    twins.happen([](TestWorld& t) { t.world.registry().destroy(t.world.bodies()[4]); });
    twins.run(1);
    CHECK(twins.kept().world.report().warnings.size() == 1);
    twins.run(5);
    twins.happen([](TestWorld& t) {  // taken out of the simulation and put back
        const Entity body = t.world.bodies()[6];
        const RigidBody settings = t.world.registry().get<RigidBody>(body);
        t.world.registry().remove<RigidBody>(body);
        t.world.registry().emplace<RigidBody>(body, settings);
    });
    twins.run(20);
}

TEST_CASE("bodies are listed in the order of creation at any time") {
    TestWorld t;
    t.floor();
    Random random;
    std::vector<Entity> expected{t.world.bodies()[0]};
    for (int i = 0; i < 200; ++i) {
        if (random.below(3) > 0 || expected.size() < 4) {
            expected.push_back(drop_something(t, random));
        } else {
            const auto which = expected.begin() + 1 + random.below(uint32_t(expected.size()) - 1);
            t.world.destroy_body(*which);
            expected.erase(which);
        }
        if (random.below(2)) t.step();
        REQUIRE(std::ranges::equal(t.world.bodies(), expected));
    }
}

TEST_CASE("a fixed body that comes into a sleeping world is met by what is dropped on it") {
    TestWorld t;
    t.floor();
    const Entity box = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}});
    t.run(3.0f);
    REQUIRE(t.world.registry().get<SleepState>(box).asleep == 1);
    t.body(TestWorld::box({1.0f, 0.1f, 1.0f}), {.type = BodyType::fixed, .position = {5.0f, 2.0f, 0.0f}});
    t.step();
    CHECK(t.world.registry().get<SleepState>(box).asleep == 1);
    const Entity ball = t.body(TestWorld::sphere(0.3f), {.position = {5.0f, 3.0f, 0.0f}});
    t.run(2.0f);
    CHECK(t.pose(ball).position.y == doctest::Approx(2.4f).epsilon(0.01));
}

TEST_CASE("removing a touching body and making another in the same step ends and begins contacts") {
    TestWorld t;
    t.floor();
    const Entity old = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.499f, 0.0f}});
    t.run(0.5f);
    t.world.destroy_body(old);
    const Entity fresh = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.499f, 0.0f}});
    t.step();
    REQUIRE(t.world.events().end.size() == 1);
    CHECK(t.world.events().end[0].body_b == old);
    REQUIRE(t.world.events().begin.size() == 1);
    CHECK(t.world.events().begin[0].body_b == fresh);
    CHECK(old != fresh);
}

TEST_CASE("a world whose numbers have run out says so and goes on") {
    TestWorld t;
    t.floor();
    const Entity ball = t.body(TestWorld::sphere(0.3f), {.position = {0.0f, 1.0f, 0.0f}});
    t.step();
    // The counters of a snapshot stand together: the number of the step, then the next stable id.
    engine::Snapshot snapshot;
    t.world.save(snapshot);
    const uint64_t step = t.world.report().step;
    const uint32_t next = t.world.registry().get<StableId>(ball).value + 2, last = 0xFFFFFFFEu;
    std::byte pattern[12];
    std::memcpy(pattern, &step, 8);
    std::memcpy(pattern + 8, &next, 4);
    const auto found = std::ranges::search(snapshot.bytes, pattern);
    REQUIRE_FALSE(found.empty());
    std::memcpy(&*found.begin() + 8, &last, 4);
    update_checksum(snapshot);
    REQUIRE(t.world.restore(snapshot).ok());

    BodyDesc body;
    body.pose.position = {3.0f, 1.0f, 0.0f};
    const auto made = t.world.create_body(body);  // takes the last number
    REQUIRE(made.ok());
    CHECK_FALSE(t.world.add_collider(made.value(), small_ball(t, Vec3(0.0f))).ok());
    CHECK_FALSE(t.world.create_body(body).ok());
    t.run(2.0f);
    CHECK(t.pose(ball).position.y == doctest::Approx(0.3f).epsilon(0.02));
    CHECK(t.world.bodies().size() == 3);
}

TEST_CASE("links find the colliders of a body, also after its index has been used again") {
    const auto entity = [](uint32_t index, uint16_t version) {
        return entt::entt_traits<Entity>::construct(index, version);
    };
    ColliderLinks links;
    const auto of = [&](Entity body) {
        std::vector<Entity> out;
        links.for_each(body, [&](Entity collider) { out.push_back(collider); });
        return out;
    };
    const Entity body = entity(3, 0), again = entity(3, 1);
    CHECK_FALSE(links.has_any(body));
    for (uint32_t k = 10; k < 13; ++k) links.add(entity(k, 0), body);
    CHECK(of(body) == std::vector<Entity>{entity(12, 0), entity(11, 0), entity(10, 0)});
    links.remove(entity(11, 0));
    links.remove(entity(11, 0));  // once more changes nothing
    CHECK(of(body) == std::vector<Entity>{entity(12, 0), entity(10, 0)});
    links.add(entity(20, 0), again);
    CHECK(of(again) == std::vector<Entity>{entity(20, 0)});
    CHECK(of(body) == std::vector<Entity>{entity(12, 0), entity(10, 0)});
    for (const uint32_t k : {10u, 12u, 20u}) links.remove(entity(k, 0));
    CHECK_FALSE(links.has_any(body));
    CHECK_FALSE(links.has_any(again));
}
