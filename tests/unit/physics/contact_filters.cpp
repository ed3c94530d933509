// SPDX-License-Identifier: MIT
// Who meets whom: groups, the list of ignored pairs, the events that colliders ask for. A change is at once everywhere.
#include "physics/simulation.h"
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

Collider& collider_of(TestWorld& t, Entity body) {
    return t.world.registry().get<Collider>(t.world.colliders(body)[0]);
}

struct Pile {
    TestWorld t;
    Entity floor, lower, upper;
    Pile() {
        floor = t.floor();
        lower = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}});
        upper = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 1.5f, 0.0f}});
    }
    float height() { return t.pose(upper).position.y; }
};

}  // namespace

TEST_CASE("colliders of one group meet always when it is positive, never when it is negative") {
    struct Case {
        int16_t lower, upper;
        bool masked, meet;
    };
    for (const Case& c :
         {Case{0, 0, false, true}, Case{0, 0, true, false}, Case{-3, -3, false, false}, Case{-3, -4, false, true},
          Case{-3, 3, false, true}, Case{7, 7, true, true}, Case{7, 8, true, false}, Case{7, 0, true, false},
          Case{7, 0, false, true}, Case{-32768, -32768, false, false}, Case{32767, 32767, true, true}}) {
        CAPTURE(c.lower);
        CAPTURE(c.upper);
        CAPTURE(c.masked);
        Pile p;
        Collider &lower = collider_of(p.t, p.lower), &upper = collider_of(p.t, p.upper);
        lower.group = c.lower;
        upper.group = c.upper;
        if (c.masked) {  // neither wants the other; both want the floor
            lower.layer = 2;
            upper.layer = 4;
            lower.mask = upper.mask = 1;
        }
        p.t.run(2.0f);
        CHECK(p.height() == doctest::Approx(c.meet ? 1.5f : 0.5f).epsilon(0.01));
        CHECK(p.t.pose(p.lower).position.y == doctest::Approx(0.5f).epsilon(0.01));
    }
}

TEST_CASE("what sleeps falls in the step in which a group or an ignored pair lets it, and is stopped again") {
    for (const int how : {0, 1, 2, 3, 4}) {
        CAPTURE(how);
        Pile p;
        p.t.run(3.0f);
        REQUIRE(p.t.world.is_asleep(p.upper));
        const Entity lower = p.t.world.colliders(p.lower)[0], upper = p.t.world.colliders(p.upper)[0];
        const auto first = how == 2 || how == 3 ? lower : p.lower, second = how >= 3 ? upper : p.upper;
        if (how == 0) {
            collider_of(p.t, p.lower).group = collider_of(p.t, p.upper).group = -1;
        } else {
            REQUIRE(p.t.world.ignore_pair(second, first).ok());
            CHECK(p.t.world.is_ignored_pair(first, second));
        }
        p.t.step();
        REQUIRE(p.t.world.events().end.size() == 1);
        CHECK(p.t.world.events().end[0].body_a == p.lower);
        CHECK(p.t.world.events().end[0].body_b == p.upper);
        CHECK(p.t.velocity(p.upper).linear.y < -0.1f);
        p.t.run(2.0f);
        CHECK(p.height() == doctest::Approx(0.5f).epsilon(0.01));
        CHECK(p.t.world.is_asleep(p.upper));
        // Both lie in one another, asleep; when they meet again they part.
        if (how == 0)
            collider_of(p.t, p.lower).group = 0;
        else
            REQUIRE(p.t.world.stop_ignoring_pair(first, second).ok());
        p.t.step();
        CHECK_FALSE(p.t.world.is_asleep(p.upper));
        REQUIRE(p.t.world.events().begin.size() == 1);
        p.t.run(3.0f);
        CHECK(glm::length(p.t.pose(p.upper).position - p.t.pose(p.lower).position) > 0.98f);
    }
}

TEST_CASE("an ignored pair ends with its bodies, also where their names are used again") {
    Pile p;
    REQUIRE(p.t.world.ignore_pair(p.lower, p.upper).ok());
    p.t.step();
    const Entity gone = p.upper;
    p.t.world.destroy_body(p.upper);
    p.t.step();
    CHECK_FALSE(p.t.world.is_ignored_pair(p.lower, gone));
    CHECK(p.t.world.simulation().pairs.rules.ignored.empty());
}

TEST_CASE("bad pairs are refused with a sentence, and nothing changes") {
    Pile p;
    p.t.world.destroy_body(p.upper);
    CHECK(p.t.world.ignore_pair(p.lower, p.upper).error().find("neither") != std::string::npos);
    CHECK(p.t.world.ignore_pair(kNoEntity, p.lower).error().find("neither") != std::string::npos);
    CHECK(p.t.world.ignore_pair(p.lower, p.lower).error().find("different") != std::string::npos);
    CHECK(p.t.world.stop_ignoring_pair(p.lower, p.floor).error().find("not an ignored pair") != std::string::npos);
    CHECK_FALSE(p.t.world.is_ignored_pair(p.lower, p.floor));
}

TEST_CASE("groups and ignored pairs travel with a snapshot, also what has not taken effect yet") {
    Pile p;
    p.t.run(3.0f);
    REQUIRE(p.t.world.ignore_pair(p.lower, p.upper).ok());  // no step has seen it
    engine::Snapshot snapshot;
    p.t.world.save(snapshot);
    p.t.run(1.0f);
    const uint64_t future = p.t.world.state_hash();
    CHECK(p.height() < 1.0f);
    Pile other;
    REQUIRE(other.t.world.restore(snapshot).ok());
    CHECK(other.t.world.is_ignored_pair(p.lower, p.upper));
    other.t.step();
    CHECK(other.t.world.events().end.size() == 1);
    other.t.run(1.0f - kDt);
    CHECK(other.t.world.state_hash() == future);
}

TEST_CASE("events are told when one of two colliders asks for them") {
    for (const uint8_t lower : {0, 1, 2, 3})
        for (const uint8_t upper : {0, 1, 2, 3}) {
            CAPTURE(int(lower));
            CAPTURE(int(upper));
            TestWorld t;
            const Entity floor = t.floor();
            const Entity ball = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 2.0f, 0.0f}, .restitution = 0.5f});
            collider_of(t, floor).events = lower;
            collider_of(t, ball).events = upper;
            size_t begins = 0, ends = 0, hits = 0;
            for (int i = 0; i < 90; ++i) {
                t.step();
                begins += t.world.events().begin.size();
                ends += t.world.events().end.size();
                hits += t.world.events().hit.size();
            }
            CHECK((begins > 0) == (((lower | upper) & kTouchEvents) != 0));
            CHECK((ends > 0) == (begins > 0));
            CHECK((hits > 0) == (((lower | upper) & kHitEvents) != 0));
            t.world.destroy_body(ball);  // at rest, or between two bounces
            t.step();
            CHECK(t.world.events().end.size() <= size_t(begins > 0));
        }
}

TEST_CASE("the hit speed of colliders stands instead of the world's, the smaller of two") {
    for (const float drop : {0.05f, 0.5f, 2.0f, 8.0f})
        for (const float of_floor : {0.0f, 0.3f, 5.0f})
            for (const float of_ball : {0.0f, 0.5f, 9.0f, 20.0f}) {
                CAPTURE(drop);
                CAPTURE(of_floor);
                CAPTURE(of_ball);
                TestWorld t;
                const Entity floor = t.floor();
                const Entity ball = t.body(TestWorld::sphere(0.5f), {.position = {0.0f, 0.5f + drop, 0.0f}});
                if (of_floor > 0.0f) REQUIRE(t.world.set_contact_rules(floor, {.hit_speed = of_floor}).ok());
                if (of_ball > 0.0f) REQUIRE(t.world.set_contact_rules(ball, {.hit_speed = of_ball}).ok());
                const float wanted = of_floor > 0.0f && of_ball > 0.0f ? std::min(of_floor, of_ball)
                                     : of_floor + of_ball > 0.0f       ? of_floor + of_ball
                                                                       : t.settings().hit_speed;
                float speed = 0.0f;
                for (int i = 0; i < 120; ++i) {
                    t.step();
                    for (const ContactHit& hit : t.world.events().hit) speed = std::max(speed, hit.approach_speed);
                }
                CHECK((speed > 0.0f) == (std::sqrt(2.0f * kG * drop) > wanted));
                if (speed > 0.0f) CHECK(speed >= wanted);
            }
}

TEST_CASE("a force above the threshold is told in every step that it is solved, with its size, place and direction") {
    for (const float threshold : {100.0f, 9000.0f, 9950.0f, 50000.0f})
        for (const bool on_floor : {true, false}) {
            CAPTURE(threshold);
            TestWorld t;
            const Entity floor = t.floor();
            const Entity box = t.body(TestWorld::box(Vec3(0.5f)), {.position = {2.0f, 0.5f, 1.0f}});
            REQUIRE(t.world.set_contact_rules(on_floor ? floor : box, {.force_threshold = threshold}).ok());
            const float weight = 1000.0f * kG;
            int told = 0, awake = 0;
            for (int i = 0; i < 120; ++i) {
                t.step();
                if (i < 10) continue;  // it comes to rest
                awake += t.world.report().bodies;
                told += int(t.world.events().force.size());
                for (const ContactForce& f : t.world.events().force) {
                    CHECK(f.body_a == floor);
                    CHECK(f.body_b == box);
                    CHECK(f.force.y == doctest::Approx(weight).epsilon(2e-3));
                    CHECK(f.normal.y == doctest::Approx(1.0f));
                    CHECK(f.point.x == doctest::Approx(2.0f).epsilon(1e-3));
                    CHECK(f.point.z == doctest::Approx(1.0f).epsilon(1e-3));
                    CHECK(t.world.contacts(f.pair).size() == 1);
                }
            }
            CHECK(awake > 10);
            CHECK(awake < 100);  // it sleeps, and is told no more
            CHECK(told == (threshold < weight ? awake : 0));
        }
}

TEST_CASE("contact rules that make no sense are refused, or left out where they were written") {
    Pile p;
    const Entity collider = p.t.world.colliders(p.lower)[0];
    const float nan = std::nanf(""), infinite = std::numeric_limits<float>::infinity();
    for (const float bad : {nan, infinite, -1.0f}) {
        CHECK_FALSE(p.t.world.set_contact_rules(collider, {.hit_speed = bad}).ok());
        CHECK_FALSE(p.t.world.set_contact_rules(collider, {.force_threshold = bad}).ok());
        CHECK_FALSE(p.t.world.set_contact_rules(collider, {.break_impulse = bad}).ok());
    }
    CHECK_FALSE(p.t.world.set_contact_rules(collider, {.one_way = {nan, 0.0f, 0.0f}}).ok());
    CHECK_FALSE(p.t.world.set_contact_rules(kNoEntity, {}).ok());
    CHECK_FALSE(p.t.world.registry().all_of<ContactRules>(collider));
    BodyDesc desc;
    desc.contact_rules = {{}};
    CHECK_FALSE(p.t.world.create_body(desc).ok());

    p.t.world.registry().emplace<ContactRules>(collider, ContactRules{.one_way = {infinite, nan, 0.0f}, .broken = 1});
    p.t.step();
    CHECK(p.t.world.report().warnings.size() == 1);
    p.t.step();
    CHECK(p.t.world.report().warnings.empty());
    p.t.run(2.0f);
    CHECK(p.height() == doctest::Approx(1.5f).epsilon(0.01));
}
