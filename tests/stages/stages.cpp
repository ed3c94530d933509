// SPDX-License-Identifier: MIT
// Every stage of physics/step.cpp called alone, with what it takes and nothing else.
#include <cmath>
#include <limits>

#include "physics/joints/ball_joint.h"
#include "tests/stages/stage_rig.h"

using namespace proxima;
using namespace proxima::test;

TEST_CASE("sync_structure lists bodies and colliders in the order of their ids, with masses") {
    StageRig rig;
    const Entity first = rig.cube({0.0f, 0.0f, 0.0f}), second = rig.cube({3.0f, 0.0f, 0.0f}, BodyType::fixed);
    rig.sync();
    REQUIRE(rig.s.bodies.size() == 2);
    CHECK(rig.slot(first) == 0);
    CHECK(rig.slot(second) == 1);
    CHECK(rig.s.colliders.size() == 2);
    CHECK(rig.s.bodies.data[0].mass == doctest::Approx(1000.0f));  // a cubic metre of 1000 kg/m3
    CHECK(rig.s.log.is_seen());
    const uint64_t version = rig.s.bodies.version;
    rig.sync();
    CHECK(rig.s.bodies.version == version);  // nothing changed, nothing is made anew
}

TEST_CASE("sync_structure finds a collider that was written without telling") {
    StageRig rig;
    rig.cube({0.0f, 0.0f, 0.0f});
    rig.sync();
    const uint64_t version = rig.s.bodies.version;
    for (const Entity entity : rig.registry.view<Collider>()) rig.registry.get<Collider>(entity).density = 500.0f;
    rig.sync();
    CHECK(rig.s.bodies.version == version);  // its slot is made anew, and no list
    CHECK(rig.s.bodies.data[0].mass == doctest::Approx(500.0f));
}

TEST_CASE("gather_bodies takes components over, sees other types, and quarantines what is not finite") {
    StageRig rig;
    const Entity body = rig.cube({1.0f, 2.0f, 3.0f}, BodyType::dynamic, {4.0f, 0.0f, 0.0f});
    rig.sync();
    REQUIRE(rig.gather());
    CHECK(rig.s.bodies.transform[0].center == Vec3(1.0f, 2.0f, 3.0f));
    CHECK(rig.s.bodies.velocity[0].linear.x == 4.0f);
    CHECK(rig.s.bodies.awake[0] == 1);
    rig.registry.get<RigidBody>(body).type = BodyType::kinematic;
    CHECK_FALSE(rig.gather());
    rig.registry.get<RigidBody>(body).type = BodyType::dynamic;
    rig.registry.get<Pose>(body).position.x = std::numeric_limits<float>::quiet_NaN();
    CHECK(rig.gather());
    CHECK(rig.s.bodies.data[0].excluded);
    CHECK(rig.registry.all_of<Quarantined>(body));
    CHECK(rig.s.report.warnings.size() == 1);
}

TEST_CASE("find_pairs begins pairs whose boxes overlap, ends them, and wakes what an ended contact held up") {
    StageRig rig;
    rig.cube({0.0f, 0.0f, 0.0f}, BodyType::fixed);
    const Entity above = rig.cube({0.0f, 0.99f, 0.0f});
    rig.cube({9.0f, 0.0f, 0.0f});
    rig.collide();
    REQUIRE(rig.s.pairs.size() == 1);
    const uint32_t slot = rig.s.pairs.slot_of_key.find(pair_key(2, 4));
    REQUIRE(slot != FlatMap::kNone);
    rig.s.pairs.slots[slot].touching = 1;
    rig.registry.get<SleepState>(above).asleep = 1;
    rig.registry.get<Pose>(above).position.y = 5.0f;
    REQUIRE(rig.gather());
    rig.s.bodies.awake[rig.slot(above)] = 0;
    find_pairs(rig.s.bodies, rig.params, rig.s.colliders, rig.s.pairs, rig.tools);
    CHECK(rig.s.pairs.size() == 0);
    CHECK(rig.s.bodies.awake[rig.slot(above)] == 1);
    CHECK(rig.s.pairs.ended.size() == 1);
}

TEST_CASE("update_manifolds makes the contact of two cubes, keeps it, and leaves out what a joint connects") {
    StageRig rig;
    const Entity low = rig.cube({0.0f, 0.0f, 0.0f}, BodyType::fixed), high = rig.cube({0.1f, 0.999f, 0.0f});
    rig.collide();
    REQUIRE(rig.s.pairs.manifolds.size() == 1);
    const PairSlot& pair = rig.s.pairs.slots[0];
    const Manifold& m = rig.s.pairs.manifolds[pair.manifold];
    CHECK(m.count == 4);
    CHECK(m.normal.y == doctest::Approx(1.0f));
    CHECK(m.points[0].separation == doctest::Approx(-0.001f).epsilon(0.01));
    CHECK(rig.s.pairs.changed.size() == 1);
    update_manifolds(rig.s.bodies, rig.s.colliders, rig.s.joints, rig.params, rig.s.pairs, rig.tools);
    CHECK(rig.s.pairs.changed.empty());
    rig.s.joints.connected.set(Joints::pair_of(rig.slot(low), rig.slot(high)), 0);
    update_manifolds(rig.s.bodies, rig.s.colliders, rig.s.joints, rig.params, rig.s.pairs, rig.tools);
    CHECK(rig.s.pairs.manifolds.size() == 0);
}

TEST_CASE("update_manifolds carries the friction of a contact into its new tangents as a vector of the world") {
    StageRig rig;
    const Entity low = rig.cube({0.0f, 0.0f, 0.0f}, BodyType::fixed), high = rig.cube({0.1f, 0.999f, 0.05f});
    rig.collide();
    Manifold& m = rig.s.pairs.manifolds[rig.s.pairs.slots[0].manifold];
    REQUIRE(m.count == 4);
    const Vec3 friction(0.0f, 0.0f, 0.3f), before = m.tangent1;
    for (uint32_t i = 0; i < m.count; ++i)
        m.points[i].lambda = {1.0f, glm::dot(friction, m.tangent1), glm::dot(friction, m.tangent2)};
    // Both cubes turn about the direction of the friction: it stays where it is, the tangents become other ones.
    const Quat turn = glm::angleAxis(glm::radians(-60.0f), Vec3(0.0f, 0.0f, 1.0f));
    for (const Entity cube : {low, high}) {
        Pose& pose = rig.registry.get<Pose>(cube);
        pose = {turn * pose.position, turn};
    }
    // Without moving against each other they would keep the manifold, and it would turn with them.
    rig.registry.get<Pose>(high).position.z += 0.01f;
    rig.collide();
    REQUIRE(m.count == 4);
    REQUIRE(std::abs(glm::dot(m.tangent1, before)) < 0.1f);
    for (uint32_t i = 0; i < m.count; ++i) {
        const Vec3& l = m.points[i].lambda;
        CHECK(l.x == 1.0f);
        CHECK(glm::length(m.tangent1 * l.y + m.tangent2 * l.z - friction) < 1e-6f);  // rounding
    }
}

TEST_CASE("a pair may have several manifolds, which come and go one by one and are edges of their own") {
    StageRig rig;
    rig.cube({0.0f, 0.0f, 0.0f}, BodyType::fixed);
    rig.cube({0.0f, 0.999f, 0.0f});
    rig.collide();
    Pairs& pairs = rig.s.pairs;
    const ManifoldId first = pairs.slots[0].manifold, second = pairs.add_manifold(0);
    pairs.manifolds[second] = pairs.manifolds[first];
    pairs.manifolds[second].colour = kNoColour;
    pairs.manifolds.slot(second).part = 1;
    pairs.changed = {first, second};
    ++pairs.version;
    update_graph(pairs, rig.s.joints, rig.params, rig.s.bodies, rig.s.graph, rig.tools);
    CHECK(rig.s.graph.edges.size() == 2);
    CHECK(rig.s.graph.points == 8);
    CHECK(pairs.manifolds[first].colour != pairs.manifolds[second].colour);  // they share a body that can move
    pairs.remove_manifold(0, first);
    pairs.changed.clear();
    update_graph(pairs, rig.s.joints, rig.params, rig.s.bodies, rig.s.graph, rig.tools);
    REQUIRE(rig.s.graph.edges.size() == 1);
    CHECK(rig.s.graph.edges[0].id == second);
    CHECK(pairs.slots[0].manifold == second);
}

TEST_CASE("sync_joints lists joints whose bodies exist, and update_graph joins their islands") {
    StageRig rig;
    const Entity a = rig.cube({0.0f, 0.0f, 0.0f}), b = rig.cube({5.0f, 0.0f, 0.0f});
    const Entity joint = rig.registry.create();
    rig.registry.emplace<StableId>(joint, rig.s.next_stable_id++);
    rig.registry.emplace<BallJoint>(joint, BallJoint{.body_a = a, .body_b = b});
    rig.collide();
    update_graph(rig.s.pairs, rig.s.joints, rig.params, rig.s.bodies, rig.s.graph, rig.tools);
    CHECK(rig.s.graph.islands.size() == 2);
    sync_joints(rig.registry, rig.s.bodies, rig.s.next_stable_id, rig.s.joints, rig.tools);
    REQUIRE(rig.s.joints.size() == 1);
    CHECK(rig.s.joints.connects(rig.slot(b), rig.slot(a)));
    update_graph(rig.s.pairs, rig.s.joints, rig.params, rig.s.bodies, rig.s.graph, rig.tools);
    CHECK(rig.s.graph.islands.size() == 1);
    CHECK(rig.s.graph.joints == 1);
    rig.registry.get<BallJoint>(joint).body_b = kNoEntity;
    sync_joints(rig.registry, rig.s.bodies, rig.s.next_stable_id, rig.s.joints, rig.tools);
    CHECK(rig.s.joints.size() == 0);
    CHECK(rig.s.report.warnings.size() == 1);
}

TEST_CASE("update_graph wakes what touches an awake body and numbers islands by their smallest slot") {
    StageRig rig;
    const Entity low = rig.cube({0.0f, 0.0f, 0.0f}), high = rig.cube({0.0f, 0.999f, 0.0f}),
                 far = rig.cube({9.0f, 0.0f, 0.0f});
    rig.collide();
    rig.s.bodies.awake[rig.slot(high)] = 0;
    rig.s.bodies.awake[rig.slot(far)] = 0;
    update_graph(rig.s.pairs, rig.s.joints, rig.params, rig.s.bodies, rig.s.graph, rig.tools);
    CHECK(rig.s.bodies.awake[rig.slot(high)] == 1);
    CHECK(rig.s.bodies.awake[rig.slot(far)] == 0);
    REQUIRE(rig.s.graph.islands.size() == 1);
    CHECK(rig.s.graph.bodies_of(rig.s.graph.islands[0])[0] == rig.slot(low));
    CHECK(rig.s.graph.sleeping == 1);
}

TEST_CASE("assign_solvers: a small stack made at rest is solved directly, other settings go to the laboratory") {
    StageRig rig;
    rig.cube({0.0f, -1.0f, 0.0f}, BodyType::fixed);
    for (int i = 0; i < 5; ++i) rig.cube({0.0f, float(i), 0.0f});
    rig.plan();
    REQUIRE(rig.s.plan.islands.size() == 1);
    CHECK(rig.s.plan.islands[0].solver == IslandSolver::direct);
    rig.params.simd = false;
    assign_solvers(rig.registry, rig.s.pairs, rig.s.graph, rig.params, rig.s.bodies, rig.s.plan, rig.tools);
    CHECK(rig.s.plan.islands[0].solver == IslandSolver::general);
    CHECK(rig.s.plan.islands[0].row->name == "prox_gs");
}

TEST_CASE("update_articulations finds the joints that hang together, and leaves large loops to the sweeps") {
    StageRig rig;
    std::vector<Entity> cubes;
    for (int i = 0; i < 12; ++i) cubes.push_back(rig.cube({3.0f * float(i), 0.0f, 0.0f}));
    const auto join = [&](int a, int b) {
        const Entity joint = rig.registry.create();
        rig.registry.emplace<StableId>(joint, rig.s.next_stable_id++);
        rig.registry.emplace<BallJoint>(joint, BallJoint{.body_a = cubes[size_t(a)], .body_b = cubes[size_t(b)]});
    };
    join(0, 1), join(1, 2), join(3, 4);                         // two chains
    for (int i = 6; i < 12; ++i) join(i, i == 11 ? 6 : i + 1);  // and a ring of six
    rig.sync();
    REQUIRE(rig.gather());
    sync_joints(rig.registry, rig.s.bodies, rig.s.next_stable_id, rig.s.joints, rig.tools);
    update_articulations(rig.s.joints, rig.s.bodies, rig.s.articulations);
    const Articulations& all = rig.s.articulations;
    CHECK(all.count == 2);
    REQUIRE(all.of_joint.size() == 9);
    CHECK(all.of_joint[0] == all.of_joint[1]);
    CHECK(all.of_joint[0] != all.of_joint[2]);
    for (size_t k = 3; k < 9; ++k) CHECK(all.of_joint[k] == Articulations::kSwept);
    const uint64_t version = all.version;
    update_articulations(rig.s.joints, rig.s.bodies, rig.s.articulations);
    CHECK(all.version == version);
}

TEST_CASE("update_layout puts every constraint into one lane, and is made again only when something changed") {
    StageRig rig;
    rig.cube({0.0f, -1.0f, 0.0f}, BodyType::fixed);
    for (int i = 0; i < 3; ++i) rig.cube({0.0f, float(i) - 0.001f, 0.0f}, BodyType::dynamic, {0.1f, 0.0f, 0.0f});
    rig.plan();
    update_layout(rig.s.graph, rig.s.plan, rig.s.articulations, rig.s.stores(), rig.s.bodies, rig.s.sweep, rig.s.direct,
                  rig.tools);
    CHECK(rig.s.sweep.layout.items.size() == 3);
    uint32_t lanes = 0;
    for (const sweep::BlockRun& run : rig.s.sweep.layout.runs) lanes += run.items;
    CHECK(lanes == 3);
    const uint64_t seen = rig.s.sweep.layout.seen_graph;
    update_layout(rig.s.graph, rig.s.plan, rig.s.articulations, rig.s.stores(), rig.s.bodies, rig.s.sweep, rig.s.direct,
                  rig.tools);
    CHECK(rig.s.sweep.layout.seen_graph == seen);
}

TEST_CASE("prepare, solve_islands and store_results hold up a cube with its weight") {
    for (const bool simd : {true, false}) {
        CAPTURE(simd);
        StageRig rig;
        rig.params.simd = simd;
        rig.cube({0.0f, -1.0f, 0.0f}, BodyType::fixed);
        const Entity cube = rig.cube({0.0f, 0.0f, 0.0f});
        rig.plan();
        Simulation& s = rig.s;
        if (simd) update_layout(s.graph, s.plan, s.articulations, s.stores(), s.bodies, s.sweep, s.direct, rig.tools);
        if (simd) prepare(s.graph, s.plan, s.stores(), s.bodies, rig.params, s.direct, s.sweep, rig.tools);
        const MeasureSum measured = solve_islands(s.graph, rig.params, s.plan, s.stores(), s.bodies, s.articulations,
                                                  s.sweep, s.direct, s.general, rig.tools);
        store_results(s.graph, rig.params, s.general, s.direct, measured, s.sweep, s.bodies, s.stores(), s.plan,
                      rig.tools);
        float impulse = 0.0f;
        const Manifold& m = s.pairs.manifolds[s.pairs.slots[0].manifold];
        for (uint32_t i = 0; i < m.count; ++i) impulse += m.points[i].impulse.x;
        CHECK(impulse == doctest::Approx(1000.0f * 9.81f / 60.0f).epsilon(0.01));
        CHECK(std::abs(s.bodies.velocity[rig.slot(cube)].linear.y) < 1e-3f);
        CHECK(s.report.residual_max < 1e-2);
        CHECK(s.pairs.event_queue.size() == 1);
    }
}

TEST_CASE("update_sleep puts an island to sleep when all its bodies have been still long enough, and none in the air") {
    StageRig rig;
    rig.cube({0.0f, -1.0f, 0.0f}, BodyType::fixed);
    const Entity rests = rig.cube({0.0f, 0.0f, 0.0f}), hovers = rig.cube({5.0f, 9.0f, 0.0f});
    rig.plan();
    for (float& timer : rig.s.bodies.sleep_timer) timer = 10.0f;
    update_sleep(rig.s.graph, rig.s.pairs, rig.s.joints, rig.params, rig.s.bodies, rig.tools);
    CHECK(rig.s.bodies.falls_asleep[rig.slot(rests)] == 1);
    CHECK(rig.s.bodies.falls_asleep[rig.slot(hovers)] == 0);
}

TEST_CASE("write_back brings poses to the registry and keeps what went non-finite at its last good pose") {
    StageRig rig;
    const Entity good = rig.cube({0.0f, 0.0f, 0.0f}), bad = rig.cube({5.0f, 0.0f, 0.0f});
    rig.sync();
    REQUIRE(rig.gather());
    rig.s.bodies.delta[rig.slot(good)].linear = {0.25f, 0.0f, 0.0f};
    rig.s.bodies.delta[rig.slot(bad)].linear.x = std::numeric_limits<float>::infinity();
    CHECK(write_back(rig.params, rig.s.bodies, rig.registry, rig.tools));
    CHECK(rig.registry.get<Pose>(good).position.x == 0.25f);
    CHECK(rig.registry.get<Pose>(bad).position.x == 5.0f);
    CHECK(rig.registry.all_of<Quarantined>(bad));
}

TEST_CASE("publish_events tells begin and end once each, and gives contacts their entities") {
    StageRig rig;
    rig.cube({0.0f, 0.0f, 0.0f}, BodyType::fixed);
    rig.cube({0.0f, 0.999f, 0.0f});
    rig.collide();
    Simulation& s = rig.s;
    CHECK(update_touching(s.pairs, 0, 1.0f) == kTouchChanged);
    s.pairs.event_queue.push_back(0);
    publish_events(rig.params, s.bodies, s.pairs, s.events, rig.registry, rig.tools);
    REQUIRE(s.events.begin.size() == 1);
    CHECK(rig.registry.get<ContactPair>(s.events.begin[0].pair).touching == 1);
    s.events.clear();
    s.pairs.remove(0);
    publish_events(rig.params, s.bodies, s.pairs, s.events, rig.registry, rig.tools);
    CHECK(s.events.begin.empty());
    CHECK(s.events.end.size() == 1);
    CHECK(rig.registry.view<ContactPair>().size() == 0);
}

TEST_CASE("drop_bad_results finds an impulse that is no number, whichever of its components it is") {
    for (int component = 0; component < 3; ++component) {
        StageRig rig;
        rig.cube({0.0f, 0.0f, 0.0f}, BodyType::fixed);
        rig.cube({0.0f, 0.99f, 0.0f});
        rig.collide();
        REQUIRE(rig.s.pairs.size() == 1);
        Manifold& m = rig.s.pairs.manifolds[*ManifoldChain{rig.s.pairs, 0}.begin()];
        REQUIRE(m.count > 0);
        m.points[0].lambda = {1.0f, 1.0f, 1.0f};
        m.points[0].lambda[component] = std::nanf("");
        rig.s.pairs.drop_bad_results();
        CHECK(m.points[0].lambda == Vec3(0.0f));
        CHECK(m.made == 0);
    }
}
