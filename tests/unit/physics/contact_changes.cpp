// SPDX-License-Identifier: MIT
// Contacts whose surfaces change, and contacts that come and go with more friction than a disk.
#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

TEST_CASE("a contact at rest has the friction of its surfaces as they are now, in the step after they changed") {
    TestWorld t;
    StepSettings s = t.settings();
    s.sleeping = false;
    t.set(s);
    t.floor(0.5f);
    const Entity box = t.body(TestWorld::box(Vec3(0.5f)), {.position = {0.0f, 0.5f, 0.0f}, .friction = 0.5f});
    t.run(1.0f);
    const auto friction = [&] { return t.world.contacts(box).at(0).manifold->friction; };
    REQUIRE(friction() == doctest::Approx(0.5));
    t.world.registry().patch<Collider>(t.world.colliders(box).at(0), [](Collider& c) { c.material.friction = 0.02f; });
    t.step();
    CHECK(friction() == doctest::Approx(0.1));  // the geometric mean
}

TEST_CASE("contacts with rolling friction that come and go need no more memory than the first ones") {
    TestWorld t;
    t.floor();
    BodyDesc ball{.pose = {.position = {0.0f, 0.19f, 0.0f}},
                  .colliders = {{.shape = t.shape(TestWorld::sphere(0.2f))}}};
    ball.colliders[0].material.rolling_friction = 0.01f;
    const auto come_and_go = [&] {
        const Entity made = t.world.create_body(ball).value();
        t.step();
        REQUIRE(t.world.contacts(made).size() == 1);
        REQUIRE(t.world.contacts(made)[0].extended);
        t.world.destroy_body(made);
        t.step();
    };
    for (int i = 0; i < 10; ++i) come_and_go();
    const size_t contacts = t.world.memory().contacts;
    for (int i = 0; i < 200; ++i) come_and_go();
    CHECK(t.world.memory().contacts == contacts);
}
