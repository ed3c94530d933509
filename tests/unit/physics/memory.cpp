// SPDX-License-Identifier: MIT
// What a world says about its memory.
#include <vector>

#include "tests/support/test_world.h"

using namespace proxima;
using namespace proxima::test;

namespace {

std::vector<Entity> drop_balls(TestWorld& t, uint32_t count) {
    std::vector<Entity> balls;
    const ShapeId shape = t.shape(TestWorld::sphere(0.2f));
    for (uint32_t i = 0; i < count; ++i) {
        BodyDesc body;
        body.pose.position = {0.5f * float(i % 16), 0.3f + 0.5f * float(i / 256), 0.5f * float(i / 16 % 16)};
        body.colliders = {{.shape = shape}};
        balls.push_back(t.world.create_body(body).value());
    }
    return balls;
}

}  // namespace

TEST_CASE("memory grows with bodies, colliders and contacts, each in its part") {
    TestWorld t;
    const MemoryUse empty = t.world.memory();
    t.floor();
    drop_balls(t, 2000);
    const MemoryUse made = t.world.memory();
    CHECK(made.bodies >= empty.bodies + 2000 * (sizeof(Pose) + sizeof(Velocity) + sizeof(Mass)));
    CHECK(made.colliders >= empty.colliders + 2000 * sizeof(Collider));
    CHECK(made.entities >= empty.entities + 4000 * sizeof(Entity));
    CHECK(made.shapes > empty.shapes);
    CHECK(made.contacts == empty.contacts);
    for (int i = 0; i < 30; ++i) t.step();
    const MemoryUse stepped = t.world.memory();
    REQUIRE(t.world.report().contacts >= 256);
    CHECK(stepped.bodies > made.bodies);
    CHECK(stepped.colliders > made.colliders);
    CHECK(stepped.broadphase >= made.broadphase + 2000 * sizeof(Aabb));
    CHECK(stepped.pairs > made.pairs);
    CHECK(stepped.contacts >= made.contacts + 256 * sizeof(Manifold));
    CHECK(stepped.solver > made.solver);
    CHECK(stepped.shapes == made.shapes);
    CHECK(stepped.total() == stepped.bodies + stepped.colliders + stepped.broadphase + stepped.pairs +
                                 stepped.contacts + stepped.solver + stepped.entities + stepped.shapes);
}

TEST_CASE("memory stays as it is while nothing comes or goes") {
    TestWorld t;
    t.floor();
    drop_balls(t, 300);
    t.run(3.0f);
    const MemoryUse before = t.world.memory();
    t.run(1.0f);
    CHECK(t.world.memory() == before);
}

TEST_CASE("a world that is emptied and filled again needs no more than the first time") {
    TestWorld t;
    t.floor();
    size_t first = 0;
    for (int round = 0; round < 4; ++round) {
        const std::vector<Entity> balls = drop_balls(t, 400);
        for (int i = 0; i < 40; ++i) t.step();
        for (const Entity ball : balls) t.world.destroy_body(ball);
        t.step();
        CHECK(t.world.report().pairs == 0);
        CHECK(t.world.bodies().size() == 1);
        const MemoryUse use = t.world.memory();
        if (round == 1) first = use.total() - use.shapes;  // the first round grows into it
        if (round > 1) CHECK(use.total() - use.shapes == first);
    }
}
