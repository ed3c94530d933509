// SPDX-License-Identifier: MIT
#include "samples/editor/model/play_control.h"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "physics/contact/dump_file.h"
#include "tests/editor/editor_test.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::test;
using engine::PlayState;

namespace {

std::vector<std::byte> state_of(const physics::PhysicsWorld& world) {
    engine::Snapshot snapshot;
    world.save(snapshot);
    return snapshot.bytes;
}

/// Draws frames until something is so; false when it never is.
template <class Condition>
bool wait_for(PlayControl& control, Condition&& condition, double frame_seconds = 1.0 / 60.0) {
    for (int i = 0; i < 20000; ++i) {
        control.update(frame_seconds);
        if (condition(control.frame())) return true;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return false;
}
bool wait_for_step(PlayControl& control, uint64_t step) {
    return wait_for(control, [&](const PlayFrame& f) { return f.step >= step && !f.seeking; });
}
void settle(PlayControl& control) {
    control.with_core([](PlayCore& core) {
        while (core.pump()) {}
    });
}

}  // namespace

TEST_CASE("play, pause, step, step back and stop, with the world stepped on its own thread") {
    Document document;
    const auto ids = make_tower(document, 4, 0.2f);
    done(document.reorder(ids[4], 1));
    done(document.prepare_world());
    const auto edited = state_of(document.world());
    PlayControl control(document);
    CHECK(control.state() == PlayState::edit);
    CHECK(control.frame().lanes.empty());
    CHECK_FALSE(control.pause().ok());
    CHECK_FALSE(control.stop().ok());
    CHECK_FALSE(control.seek(1).ok());
    done(control.play());
    CHECK(document.is_locked());
    CHECK(has(document.rename(ids[0], "x").error(), "being played"));
    REQUIRE(wait_for_step(control, 20));
    CHECK(control.state() == PlayState::play);
    done(control.pause());
    settle(control);
    const uint64_t here = control.with_core([](PlayCore& core) { return core.step_number(); });
    done(control.step());
    REQUIRE(wait_for(control, [&](const PlayFrame& f) { return f.step == here + 1; }));
    done(control.step_back());
    REQUIRE(wait_for(control, [&](const PlayFrame& f) { return f.step == here && !f.seeking; }));
    CHECK(control.state() == PlayState::pause);
    done(control.seek(3));
    REQUIRE(wait_for(control, [&](const PlayFrame& f) { return f.step == 3 && !f.seeking; }));
    CHECK(control.frame().newest == here + 1);
    CHECK(control.frame().lanes[0].now.size() == ids.size());
    done(control.play());
    REQUIRE(wait_for_step(control, here + 10));
    done(control.stop());
    CHECK(control.state() == PlayState::edit);
    CHECK(state_of(document.world()) == edited);
    CHECK_FALSE(document.is_locked());
    check_mirror(document);
    done(document.rename(ids[0], "x"));
    // And once more, to the same states; then the control goes while it plays.
    done(control.step());
    REQUIRE(wait_for(control, [](const PlayFrame& f) { return f.step == 1; }));
}

TEST_CASE("a threaded play gives what a plain loop over the world gives") {
    Document document;
    make_tower(document, 6, 0.1f);
    physics::PhysicsWorld plain;
    const auto bodies = take(physics::instantiate(document.scene(), plain));
    for (int i = 0; i < 90; ++i) done(plain.step(document.scene_data().run.dt));
    PlayControl control(document);
    control.set_threads(2);
    control.set_speed(4.0);
    done(control.play());
    REQUIRE(wait_for_step(control, 90));
    done(control.seek(90));
    REQUIRE(wait_for(control, [](const PlayFrame& f) { return f.step == 90 && !f.seeking; }));
    const PlayFrame& frame = control.frame();
    for (size_t i = 0; i < bodies.size(); ++i) {
        CHECK(frame.lanes[0].now[i].position == plain.registry().get<physics::Pose>(bodies[i]).position);
        CHECK(frame.lanes[0].now[i].rotation == plain.registry().get<physics::Pose>(bodies[i]).rotation);
    }
    done(control.stop());
}

TEST_CASE("a body is picked in the picture, dragged along and let go") {
    Document document;
    const auto ids = make_tower(document, 2);
    PlayControl control(document);
    const Ray ray{{0.0f, 1.5f, 10.0f}, {0.0f, 0.0f, -1.0f}};
    const auto in_edit = control.pick(ray);
    REQUIRE(in_edit.has_value());
    CHECK(in_edit->body == ids[2]);
    CHECK_FALSE(control.grab(*in_edit).ok());
    done(control.play());
    REQUIRE(wait_for_step(control, 5));
    const auto hit = control.pick(ray);
    REQUIRE(hit.has_value());
    CHECK(hit->body == ids[2]);
    CHECK(hit->distance == doctest::Approx(9.5).epsilon(0.01));
    CHECK(hit->local.z == doctest::Approx(0.5).epsilon(0.01));
    const auto floor = control.pick({{5.0f, 5.0f, 0.0f}, {0.0f, -1.0f, 0.0f}});
    REQUIRE(floor.has_value());
    CHECK(floor->body == ids[0]);
    CHECK(has(control.grab(*floor).error(), "dynamic"));
    CHECK_FALSE(control.pick({{0.0f, 5.0f, 0.0f}, {0.0f, 1.0f, 0.0f}}).has_value());

    done(control.grab(*hit));
    control.move_grab({3.0f, 4.0f, 0.5f});
    CHECK(control.is_grabbing());
    REQUIRE(wait_for(control, [&](const PlayFrame& f) {
        return f.grab.has_value() && glm::length(f.lanes[0].now[2].position - Vec3(3.0f, 4.0f, 0.0f)) < 0.6f;
    }));
    control.release();
    REQUIRE(wait_for(control, [&](const PlayFrame& f) { return f.lanes[0].now[2].position.y < 1.0f; }));
    CHECK_FALSE(control.frame().grab.has_value());
    done(control.stop());
}

TEST_CASE("solvers are compared live, and each world shows its own poses") {
    Document document;
    const auto ids = make_tower(document, 5, 0.02f);
    PlayControl control(document);
    physics::StepSettings jacobi = document.scene_data().settings;
    jacobi.solver = "prox_jacobi";
    physics::StepSettings broken = jacobi;
    broken.solver = "magic";
    CHECK(has(control.set_comparison({{"none", broken}}).error(), "magic"));
    CHECK_FALSE(control.set_comparison(std::vector<ComparisonLane>(4, {"x", jacobi})).ok());
    done(control.set_comparison({{"same", document.scene_data().settings}, {"jacobi", jacobi}}));
    control.inspect(ids[3]);
    done(control.play());
    CHECK_FALSE(control.set_comparison({}).ok());
    REQUIRE(wait_for_step(control, 20));
    done(control.pause());
    settle(control);
    REQUIRE(wait_for(control, [](const PlayFrame& f) { return f.state == PlayState::pause; }));
    const PlayFrame& frame = control.frame();
    REQUIRE(frame.lanes.size() == 3);
    bool differs = false;
    for (size_t i = 0; i < ids.size(); ++i) {
        CHECK(frame.lanes[0].now[i].position == frame.lanes[1].now[i].position);
        differs |= frame.lanes[0].now[i].position != frame.lanes[2].now[i].position;
    }
    CHECK(differs);
    CHECK_FALSE(frame.lanes[0].contacts.empty());
    CHECK(has(control.change_settings(1, broken).error(), "magic"));
    done(control.change_settings(1, jacobi));
    done(control.change_solver(0, ids[2], "nncg", 1e-4f, 30));
    CHECK_FALSE(control.change_solver(0, ItemId(9999), "nncg").ok());
    done(control.step());
    REQUIRE(wait_for(control, [](const PlayFrame& f) { return f.lanes[1].settings.solver == "prox_jacobi"; }));
    done(control.reset_solver(0, ids[2]));
    CHECK(control.monitor(2).newest() >= 20);
    CHECK(control.monitor(7).empty());
    done(control.stop());
    CHECK(document.world().settings().solver == "prox_gs");
}

TEST_CASE("the contact problem of a moment can be written down") {
    TemporaryFolder folder;
    Document document;
    make_tower(document, 3);
    PlayControl control(document);
    const std::string file = (folder.path / "moment.pxc").string();
    CHECK_FALSE(control.dump(0, file).ok());
    done(control.play());
    REQUIRE(wait_for_step(control, 5));
    done(control.dump(0, file));
    CHECK(take(physics::read_dump(file)).contacts.size() == 12);
    CHECK_FALSE(control.dump(0, (folder.path / "moment.xyz").string()).ok());
    CHECK_FALSE(control.dump(3, file).ok());
    done(control.stop());
}

TEST_CASE("the picture is never kept waiting: frames are read while steps run") {
    // A step that lasts until it is told to end stands for a slow one.
    Document document;
    make_tower(document, 2);
    PlayControl control(document);
    std::mutex mutex;
    std::condition_variable changed;
    bool inside = false, go_on = false;
    control.set_extractor([&](const physics::PhysicsWorld&, size_t, std::any& into) {
        into = 7;
        std::unique_lock lock(mutex);
        if (go_on) return;
        static thread_local int calls = 0;
        if (++calls < 2) return;  // the first frame is made before the thread begins
        inside = true;
        changed.notify_all();
        changed.wait(lock, [&] { return go_on; });
    });
    done(control.play());
    for (int i = 0; i < 100; ++i) control.update(1.0 / 60.0);
    {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return inside; });
    }
    // The thread is held up in the middle of its work. Nothing here waits for it.
    for (int i = 0; i < 100; ++i) {
        control.update(1.0 / 60.0);
        const PlayFrame& frame = control.frame();
        CHECK(frame.lanes[0].now.size() == 3);
        CHECK(std::any_cast<int>(frame.lanes[0].extra) == 7);
        (void)control.pick({{0.0f, 1.5f, 10.0f}, {0.0f, 0.0f, -1.0f}});
    }
    {
        const std::lock_guard lock(mutex);
        go_on = true;
    }
    changed.notify_all();
    REQUIRE(wait_for_step(control, 3));
    done(control.stop());
}

TEST_CASE("the time line offers the last ten seconds") {
    Document document;
    PlayControl control(document);
    PlayFrame frame;
    frame.oldest = 0;
    frame.newest = 100;
    CHECK(control.time_line_begin(frame) == 0);
    frame.newest = 1000;
    CHECK(control.time_line_begin(frame) == 400);
    frame.oldest = 450;
    CHECK(control.time_line_begin(frame) == 450);
}
