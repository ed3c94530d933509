// SPDX-License-Identifier: MIT
// The whole editor without a window: a script is the hand at the mouse.
#include "tests/editor_ui/editor_ui_test.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/editor_ui/compare_pictures.h"

using namespace proxima;
using proxima::test::EditorRig;
using Json = nlohmann::json;

TEST_CASE("play, pause, step and stop by their buttons leave the edited world byte for byte") {
    EditorRig rig;
    if (!rig) return;
    rig.run("wait 2");
    const Json before = rig.report();
    CHECK(before["state"] == "edit");
    rig.run("click @play\nuntil_step 20\nclick @play");
    const Json paused = rig.report();
    CHECK(paused["state"] == "pause");
    CHECK(paused["step"] >= 20);
    CHECK(paused["placed"]["ball on the arch"]["position"][1] < 4.1);
    rig.run("click @step\nwait 2");
    const Json stepped = rig.report();
    CHECK(stepped["step"] == int(paused["step"]) + 1);
    rig.run("click @step_back\nwait 2\nclick @step_back\nwait 2");
    CHECK(rig.report()["step"] == int(paused["step"]) - 1);
    rig.run("click @stop");
    const Json after = rig.report();
    CHECK(after["state"] == "edit");
    CHECK(after["world"] == before["world"]);
    CHECK(after["dirty"] == false);
    CHECK(after["errors"] == 0);
}

TEST_CASE("a click selects a body, Ctrl adds another, a click on nothing selects nothing") {
    EditorRig rig;
    if (!rig) return;
    rig.run("wait 2\nclick @body.3");
    CHECK(rig.report()["selected"] == Json{"stone 3"});
    rig.run("click body:heavy_ball");
    CHECK(rig.report()["selected"] == Json{"heavy ball"});
    rig.run("click body:capsule ctrl");
    CHECK(rig.report()["selected"] == Json{"heavy ball", "capsule"});
    rig.run("click body:capsule ctrl");
    CHECK(rig.report()["selected"] == Json{"heavy ball"});
    rig.run("key Esc");
    CHECK(rig.report()["selected"].empty());
    rig.run("move body:capsule\nwait 2");
    CHECK(rig.report()["hovered"] == "capsule");
}

TEST_CASE("a handle moves the selection in one command, Esc gives it up, undo takes it back") {
    EditorRig rig;
    if (!rig) return;
    const auto height = [&] { return double(rig.report()["placed"]["ball on the arch"]["position"][1]); };
    rig.run("wait 2\nclick body:ball_on_the_arch\nwait 2");
    rig.run("press body:ball_on_the_arch+-1,-45\nmove 533,60\nwait 2\nkey Esc\nrelease 533,60");
    CHECK(height() == doctest::Approx(4.2));
    CHECK(rig.report()["undo_count"] == 0);
    rig.run("drag body:ball_on_the_arch+-1,-45 body:ball_on_the_arch+-1,5");
    CHECK(height() < 4.0);
    const Json moved = rig.report();
    CHECK(moved["undo_count"] == 1);
    CHECK(std::string(moved["undo"]).find("Move") == 0);
    CHECK(moved["dirty"] == true);
    rig.run("key Ctrl+Z");
    CHECK(height() == doctest::Approx(4.2));
    rig.run("click @redo");
    CHECK(height() < 4.0);
}

TEST_CASE("a body is pulled by the mouse while the scene plays, and stop brings it back") {
    EditorRig rig;
    if (!rig) return;
    rig.run("wait 2\nclick @play\nuntil_step 5");
    const Json before = rig.report();
    rig.run("press body:heavy_ball\nmove 500,300\nuntil_step 60");
    const Json held = rig.report();
    CHECK(held["grabbing"] == true);
    CHECK(held["selected"] == Json{"heavy ball"});
    rig.run("release 500,300");
    const Json pulled = rig.report();
    CHECK(pulled["grabbing"] == false);
    const double x0 = before["placed"]["heavy ball"]["position"][0], x1 = held["placed"]["heavy ball"]["position"][0];
    CHECK(x1 < x0 - 0.2);
    rig.run("click @stop");
    CHECK(rig.report()["placed"]["heavy ball"]["position"][0] == doctest::Approx(x0).epsilon(0.01));
}

TEST_CASE("the solver is changed in the panel, before a play and during one") {
    EditorRig rig;
    if (!rig) return;
    rig.run("wait 2\nclick @tab.Solver\nclick @solver\nwait 2\nclick @choose.nncg");
    CHECK(rig.report()["solver"] == "nncg");
    CHECK(rig.report()["undo"] == "Solve by nncg");
    rig.run("click @play\nuntil_step 3\nclick @solver\nwait 2\nclick @choose.jacobi\nuntil_step 40");
    CHECK(rig.report()["solver"] == "jacobi");
    CHECK(rig.workspace().frame().lanes[0].settings.solver == "jacobi");
    rig.run("click @stop");
    CHECK(rig.report()["solver"] == "nncg");
    CHECK(rig.report()["errors"] == 0);
}

TEST_CASE("the island of the selected body gets a solver and iterations of its own, and gives them back") {
    EditorRig rig;
    if (!rig) return;
    physics::SceneDesc scene = editor::default_scene();
    scene.settings.sleeping = false;  // sleeping bodies are in no island
    REQUIRE(rig.workspace().document.set_scene(scene).ok());
    rig.run(
        "wait 2\nclick @play\nuntil_step 5\nclick body:crate_12\nclick @tab.Solver\nclick "
        "@solver.island\nwait 2");
    const auto island = [&]() -> physics::IslandReport {
        (void)rig.report();  // waits for the play
        const auto& of = rig.workspace().frame().lanes[0].island;
        REQUIRE(of.has_value());
        return *of;
    };
    CHECK(island().bodies > 1);
    rig.run("click @island.solver\nwait 2\nclick @choose.nncg\nwait 6");
    CHECK(island().solver == "nncg");
    CHECK(rig.workspace().frame().lanes[0].settings.solver == "prox_gs");  // the world's own
    // Ctrl and a click turn a number into a text field.
    rig.run("click @island.iterations ctrl\ntext 20\nkey Enter\nwait 6");
    CHECK(island().solver == "nncg");
    CHECK(island().iterations == 20);
    rig.run("click @island.reset\nwait 6");
    CHECK(island().solver == "direct");  // at rest, as the world does it
    // Numbers are for solvers that iterate.
    rig.run("click @island.iterations ctrl\ntext 4\nkey Enter\nwait 6");
    CHECK(island().solver == "prox_gs");
    CHECK(rig.report()["errors"] == 0);
}

TEST_CASE("solvers are compared side by side as ghosts") {
    EditorRig rig;
    if (!rig) return;
    rig.run("wait 2\nclick @tab.Solver\nclick @compare\nwait 2\nclick @choose.pgs");
    CHECK(rig.report()["lanes"] == 2);
    rig.run("click @play\nuntil_step 30\nwait 3");
    REQUIRE(rig.workspace().frame().lanes.size() == 2);
    CHECK(rig.workspace().frame().lanes[1].settings.solver == "pgs");
    CHECK_FALSE(rig.workspace().monitor(1).empty());
    CHECK(rig.report()["errors"] == 0);
}

TEST_CASE("the time line goes back, pauses, and plots have no gaps") {
    EditorRig rig;
    if (!rig) return;
    rig.run("wait 2\nclick @play\nuntil_step 60\nclick @time_line\nwait 10");
    const Json back = rig.report();
    CHECK(back["state"] == "pause");
    CHECK(back["step"] < int(back["newest"]));
    CHECK(back["step"] > 10);
    const editor::Monitor& monitor = rig.workspace().monitor(0);
    for (uint64_t step = 1; step <= uint64_t(back["newest"]); ++step) CHECK_MESSAGE(monitor.at(step) != nullptr, step);
}

TEST_CASE("a scene is saved through the dialog, opened again, and asks before changes are lost") {
    EditorRig rig;
    if (!rig) return;
    // Into the folder of the test: the list of files starts where it was last.
    rig.editor->panels().browser.open(rig.folder.path.string(), {".json"}, "");
    rig.run("wait 2\nclick body:capsule\nkey Del\nclick @save\nwait 3\nclick @file.accept\nwait 2");
    CHECK(rig.report()["dirty"] == false);
    CHECK(rig.report()["file"] == rig.file("playground.json"));
    const Result<physics::SceneDesc> saved = physics::load_scene(rig.file("playground.json"));
    REQUIRE(saved.ok());
    CHECK(saved->bodies.size() == 65);

    rig.run("click body:heavy_ball\nkey Del\nkey Ctrl+N\nwait 3\nclick @guard.cancel");
    CHECK(rig.report()["bodies"] == 64);
    rig.run("key Ctrl+N\nwait 3\nclick @guard.discard\nwait 2");
    CHECK(rig.report()["bodies"] == 0);
    rig.run("key Ctrl+O\nwait 3\nclick @file.playground.json\nclick @file.accept\nwait 3");
    CHECK(rig.report()["bodies"] == 65);
    CHECK(rig.workspace().recent.files().size() == 1);
}

TEST_CASE("a file that changed underneath is asked about") {
    EditorRig rig;
    if (!rig) return;
    const std::string file = rig.file("scene.json");
    REQUIRE(rig.workspace().document.save_as(file).ok());
    rig.run("wait 2");
    physics::SceneDesc other = editor::default_scene();
    other.bodies.resize(10);
    REQUIRE(physics::save_scene(other, file).ok());
    rig.run("wait 90\nclick @changed.keep\nwait 90");
    CHECK(rig.report()["bodies"] == 66);
    CHECK(rig.report()["dirty"] == true);
    CHECK_FALSE(rig.report()["widgets"].contains("changed.keep"));
    other.bodies.resize(9);
    REQUIRE(physics::save_scene(other, file).ok());
    rig.run("wait 90\nclick @changed.reload\nwait 3");
    CHECK(rig.report()["bodies"] == 9);
}

TEST_CASE("screenshot, dump and trace write their files and say where") {
    EditorRig rig;
    if (!rig) return;
    rig.run("wait 2\nkey F11\nclick @play\nuntil_step 60\nkey F12\nwait 3\nkey F10\nwait 3\nkey F11\nwait 3");
    CHECK(rig.report()["errors"] == 0);
    CHECK(std::filesystem::file_size(rig.file("proxima-0001.png")) > 10000);
    CHECK(std::filesystem::exists(rig.file("proxima-0001.pxc")));
    CHECK(std::filesystem::exists(rig.file("proxima-0001-trace.json")));
}

TEST_CASE("the editor looks as it should, and a missing panel is seen") {
    EditorRig rig;
    if (!rig) return;
    const render::Picture edit = rig.run("wait 2\nclick body:crate_12\nmove 640,10\nwait 2");
    test::check_picture(edit, "edit");
    const render::Picture help = rig.run("key F1\nwait 3");
    test::check_picture(help, "help");
    const render::Picture solver = rig.run("key F1\nclick @tab.Solver\nclick @tab.Counters\nmove 640,10\nwait 2");
    test::check_picture(solver, "solver");
    // The comparison is worth something only when it fails for what is wrong.
    rig.editor->settings().layout.show_right = false;
    CHECK(test::difference(rig.run("wait 3"), test::reference("solver")) > test::kMaxDifference);
}

TEST_CASE("tiny and huge windows, and panels that are all hidden, are drawn") {
    for (const auto& [width, height] : {std::pair{64u, 64u}, {320u, 200u}, {2560u, 300u}}) {
        EditorRig rig({}, width, height);
        if (!rig) return;
        const render::Picture picture = rig.run("wait 2\nkey Space\nuntil_step 5\nkey Ctrl+Space\nkey F1\nwait 2");
        CHECK(picture.width == width);
        CHECK(rig.report()["state"] == "edit");
        CHECK(rig.report()["errors"] == 0);
    }
}
