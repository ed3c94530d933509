// SPDX-License-Identifier: MIT
#include "samples/editor/model/play_core.h"

#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "tests/editor/editor_test.h"

using namespace proxima;
using namespace proxima::test;
using engine::PlayState;

namespace {

std::vector<std::byte> state_of(const physics::PhysicsWorld& world) {
    engine::Snapshot snapshot;
    world.save(snapshot);
    return snapshot.bytes;
}

/// A document and a play of it on this thread.
struct Rig {
    Document document;
    std::vector<ItemId> ids;
    std::unique_ptr<PlayCore> core;

    explicit Rig(int height = 3, float gap = 0.2f) : ids(make_tower(document, height, gap)) { start(); }
    void start() {
        done(document.prepare_world());
        PlayLane lane{&document.world(), {}};
        for (const BodyRecord& record : document.bodies()) lane.bodies.push_back(document.entity_of(record.id));
        core = std::make_unique<PlayCore>(std::vector<PlayLane>{lane}, 1.0 / 60.0);
    }
    void step(int count = 1) {
        for (int i = 0; i < count; ++i) {
            core->step();
            while (core->pump()) {}
            REQUIRE_MESSAGE(core->error().empty(), core->error());
        }
    }
    void seek(uint64_t target) {
        core->seek(target);
        while (core->pump()) {}
        REQUIRE_MESSAGE(core->error().empty(), core->error());
        REQUIRE(core->step_number() == target);
    }
    std::vector<std::byte> state() const { return state_of(document.world()); }
};

}  // namespace

TEST_CASE("stop gives back the edited world byte for byte, whatever was done to it") {
    Rig rig;
    const auto edited = rig.state();
    rig.step(30);
    rig.core->hold({2, {0.5f, 0.5f, 0.5f}, {3.0f, 4.0f, 0.0f}});
    rig.step(30);
    physics::StepSettings settings = rig.document.world().settings();
    settings.solver = "pgs";
    done(rig.core->change_settings(0, settings));
    done(rig.core->change_solver(0, 1, "nncg", 1e-4f, 50));
    rig.step(10);
    rig.seek(35);
    CHECK(rig.state() != edited);
    done(rig.core->stop());
    CHECK(rig.state() == edited);
    CHECK(rig.core->state() == PlayState::edit);
}

TEST_CASE("the time line shows every step again, input included, and playing on repeats it") {
    Rig rig;
    std::vector<std::vector<std::byte>> states{rig.state()};
    for (int i = 1; i <= 200; ++i) {
        if (i == 40) rig.core->hold({3, {0.5f, 0.0f, 0.0f}, {2.0f, 3.0f, 1.0f}});
        if (i == 60) rig.core->hold({3, {0.5f, 0.0f, 0.0f}, {-2.0f, 3.0f, 1.0f}});
        if (i == 90) rig.core->release();
        if (i == 120) {
            physics::StepSettings settings = rig.document.world().settings();
            settings.substeps = 2;
            done(rig.core->change_settings(kAllLanes, settings));
        }
        rig.step();
        states.push_back(rig.state());
    }
    for (const uint64_t target : {199u, 100u, 39u, 40u, 61u, 0u, 150u, 119u, 121u, 200u, 50u}) {
        rig.seek(target);
        CHECK(rig.state() == states[target]);
        CHECK(rig.core->newest_step() == 200);
    }
    rig.core->step_back();
    while (rig.core->pump()) {}
    CHECK(rig.core->step_number() == 49);
    CHECK(rig.state() == states[49]);
    rig.step(151);
    CHECK(rig.state() == states[200]);
}

TEST_CASE("new input in the past begins another future") {
    Rig rig;
    rig.step(60);
    const auto first = rig.state();
    rig.seek(30);
    rig.core->hold({2, {}, {5.0f, 5.0f, 0.0f}});
    CHECK(rig.core->newest_step() == 30);
    CHECK(rig.core->monitor(0).newest() == 30);
    rig.step(30);
    const auto second = rig.state();
    CHECK(second != first);
    rig.seek(10);
    rig.seek(60);
    CHECK(rig.state() == second);
    rig.core->seek(61);
    CHECK(has(rig.core->error(), "60"));
}

TEST_CASE("a seek is done in pieces of one step, and a later one replaces it") {
    Rig rig;
    rig.step(14);  // before the first kept state
    rig.core->seek(0);
    CHECK(rig.core->pump());
    CHECK(rig.core->step_number() == 0);
    CHECK_FALSE(rig.core->pump());
    rig.core->seek(14);
    for (uint64_t i = 1; i <= 3; ++i) {
        CHECK(rig.core->pump());
        CHECK(rig.core->step_number() == i);
    }
    rig.core->seek(5);
    int pumps = 0;
    while (rig.core->pump()) ++pumps;
    CHECK(pumps == 2);
    CHECK(rig.core->step_number() == 5);
}

TEST_CASE("time and speed make steps due, never more than can be caught up") {
    Rig rig;
    const auto pumped = [&] {
        int count = 0;
        while (rig.core->pump()) ++count;
        return count;
    };
    rig.core->elapse(1.0);
    CHECK(pumped() == 0);  // in pause no time passes
    rig.core->play();
    rig.core->elapse(2.5 / 60.0);
    CHECK(pumped() == 2);
    PlayFrame frame;
    rig.core->fill(frame);
    CHECK(frame.alpha == doctest::Approx(0.5).epsilon(1e-4));
    rig.core->set_speed(0.1);
    rig.core->elapse(5.0 / 60.0 + 1e-9);
    CHECK(pumped() == 1);
    rig.core->set_speed(100.0);
    rig.core->fill(frame);
    CHECK(frame.speed == kFastest);
    rig.core->elapse(1.0 / 60.0);
    CHECK(pumped() == 4);
    rig.core->elapse(100.0);
    rig.core->elapse(100.0);
    CHECK(pumped() == 8);
    rig.core->fill(frame);
    CHECK(frame.dropped_seconds > 700.0);
    rig.core->pause();
    rig.core->elapse(1.0);
    CHECK(pumped() == 0);
}

TEST_CASE("settings that the world refuses are refused at once, and the play goes on") {
    Rig rig;
    rig.step(5);
    physics::StepSettings settings = rig.document.world().settings();
    settings.substeps = 0;
    CHECK(has(rig.core->change_settings(0, settings).error(), "substeps"));
    CHECK(has(rig.core->change_settings(3, rig.document.world().settings()).error(), "no such world"));
    CHECK(has(rig.core->change_solver(0, 1, "magic", 0.0f, 0).error(), "magic"));
    CHECK(has(rig.core->change_solver(0, 99, "pgs", 0.0f, 0).error(), "body"));
    CHECK_FALSE(rig.core->change_solver(0, 1, "pgs", -1.0f, 0).ok());
    rig.step(5);
    CHECK(rig.core->step_number() == 10);
}

TEST_CASE("worlds side by side share time and input, and each has its solver") {
    Document document;
    const auto ids = make_tower(document, 5, 0.05f);
    SceneData scene_data = document.scene_data();
    scene_data.settings.sleeping = false;
    done(document.set_scene_data("Stay awake", scene_data));
    done(document.prepare_world());
    const char* const solvers[] = {"prox_gs", "prox_gs", "pgs", "nncg"};
    std::vector<PlayLane> lanes;
    std::vector<std::unique_ptr<physics::PhysicsWorld>> worlds;
    for (size_t k = 0; k < 4; ++k) {
        SceneDesc scene = document.scene();
        scene.settings.solver = solvers[k];
        worlds.push_back(std::make_unique<physics::PhysicsWorld>());
        auto bodies = take(physics::instantiate(scene, *worlds.back()));
        lanes.push_back({worlds.back().get(), std::move(bodies)});
    }
    PlayCore core(std::move(lanes), 1.0 / 60.0);
    const auto step = [&](int count) {
        for (int i = 0; i < count; ++i) {
            core.step();
            while (core.pump()) {}
            REQUIRE_MESSAGE(core.error().empty(), core.error());
        }
    };
    step(20);
    core.hold({5, {}, {1.0f, 6.0f, 0.0f}});
    step(20);
    core.inspect(3);
    PlayFrame frame;
    core.fill(frame);
    REQUIRE(frame.lanes.size() == 4);
    CHECK(frame.step == 40);
    CHECK(worlds[0]->state_hash() == worlds[1]->state_hash());
    CHECK(worlds[0]->state_hash() != worlds[2]->state_hash());
    CHECK(frame.lanes[0].now[5].position == frame.lanes[1].now[5].position);
    for (const LaneFrame& lane : frame.lanes) {
        // All of them feel the pull.
        CHECK(lane.now.size() == ids.size());
        CHECK(lane.now[5].position.x > 0.2f);
        CHECK(lane.sample.step == 40);
        CHECK_FALSE(lane.contacts.empty());
    }
    CHECK(frame.lanes[2].settings.solver == "pgs");
    CHECK(frame.grab.has_value());

    // One lane gets other settings, then the same again; the twins part and are not one again.
    physics::StepSettings other = worlds[1]->settings();
    other.substeps = 2;
    done(core.change_settings(1, other));
    done(core.change_solver(3, 2, "pgs", 1e-3f, 20));
    step(20);
    CHECK(worlds[1]->settings().substeps == 2);
    CHECK(worlds[0]->settings().substeps == physics::StepSettings{}.substeps);
    CHECK(worlds[0]->state_hash() != worlds[1]->state_hash());
    core.fill(frame);
    REQUIRE(frame.lanes[3].island.has_value());
    CHECK(frame.lanes[3].island->solver == "pgs");
    const uint64_t hashes[] = {worlds[0]->state_hash(), worlds[1]->state_hash(), worlds[3]->state_hash()};
    core.seek(30);
    while (core.pump()) {}
    CHECK(worlds[1]->settings().substeps == physics::StepSettings{}.substeps);
    CHECK(worlds[0]->state_hash() == worlds[1]->state_hash());
    core.seek(60);
    while (core.pump()) {}
    CHECK(worlds[0]->state_hash() == hashes[0]);
    CHECK(worlds[1]->state_hash() == hashes[1]);
    CHECK(worlds[3]->state_hash() == hashes[2]);
    done(core.reset_solver(3, 2));
    step(2);
    core.fill(frame);
    CHECK(frame.lanes[3].island->solver != "pgs");
    done(core.stop());
}

TEST_CASE("poses between two steps take the short way round") {
    const physics::Pose a{{0.0f, 0.0f, 0.0f}, Quat(1.0f, 0.0f, 0.0f, 0.0f)};
    const physics::Pose b{{2.0f, 0.0f, 0.0f}, -glm::angleAxis(0.2f, Vec3(0.0f, 1.0f, 0.0f))};
    const physics::Pose middle = blend(a, b, 0.5f);
    CHECK(middle.position.x == 1.0f);
    CHECK(std::abs(glm::dot(middle.rotation, glm::angleAxis(0.1f, Vec3(0.0f, 1.0f, 0.0f)))) ==
          doctest::Approx(1.0).epsilon(1e-5));
}
