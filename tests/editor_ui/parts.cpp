// SPDX-License-Identifier: MIT
// The parts of the editor that need no device: actions, layout, settings, scripts, messages, files.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "samples/editor/app/actions.h"
#include "samples/editor/app/default_scene.h"
#include "samples/editor/app/file_browser.h"
#include "samples/editor/app/layout.h"
#include "samples/editor/app/script.h"
#include "samples/editor/app/workspace.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::editor;
using test::TemporaryFolder;

namespace {

WorkspaceOptions quiet_options(const TemporaryFolder& folder) {
    return {(folder.path / "recent.txt").string(), folder.path.string()};
}

void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

}  // namespace

TEST_CASE("no two actions have the same key, and every key finds its action") {
    std::set<std::string> seen;
    for (const Action& a : actions()) {
        CHECK(bool(a.run));
        CHECK_FALSE(a.tooltip.empty());
        if (a.chord.key == engine::Key::unknown) continue;
        CHECK_MESSAGE(seen.insert(to_text(a.chord)).second, to_text(a.chord));
        const engine::KeyEvent event{a.chord.key, true, false, {a.chord.shift, a.chord.control, a.chord.alt, false}};
        CHECK(find_action(event) == &a);
    }
    CHECK(to_text(action(ActionId::redo).chord) == "Ctrl+Shift+Z");
    CHECK(to_text(action(ActionId::help).chord) == "F1");
    CHECK(find_action({engine::Key::y, true, false, {false, true}}) == &action(ActionId::redo));
    CHECK(find_action({engine::Key::f9, true, false, {}}) == nullptr);
}

TEST_CASE("panels fill a window without gaps, and the picture keeps a quarter of a small one") {
    for (const float width : {320.0f, 1280.0f, 3840.0f})
        for (const float height : {200.0f, 720.0f, 2160.0f}) {
            Layout l;
            l.arrange(width, height, 15.0f, 23.0f);
            CHECK(l.hierarchy.width + l.picture.width + l.properties.width == doctest::Approx(width));
            CHECK(l.picture.width >= 0.24f * width);
            CHECK(l.picture.height >= 0.2f * (height - 23.0f - l.tools.height - l.status.height));
            CHECK(l.monitors.y == doctest::Approx(l.picture.y + l.picture.height));
            CHECK(l.status.y + l.status.height == doctest::Approx(height));
        }
    Layout hidden;
    hidden.show_left = hidden.show_right = hidden.show_bottom = false;
    hidden.arrange(800.0f, 600.0f, 15.0f, 23.0f);
    CHECK(hidden.picture.width == 800.0f);
    Layout none;  // a window without a size is no reason to divide by it
    none.arrange(0.0f, 0.0f, 15.0f, 23.0f);
    CHECK(none.picture_area().width == 1);
    CHECK(none.picture_area().height == 1);
}

TEST_CASE("settings come back as they were kept, and nonsense in their file is passed over") {
    const TemporaryFolder folder;
    const std::string file = (folder.path / "deep" / "editor.json").string();
    EditorSettings kept;
    kept.layout.left = 21.5f;
    kept.show.contacts = true;
    kept.tool.snap.on = true;
    kept.window_width = 1600;
    REQUIRE(save_settings(file, kept).ok());
    EditorSettings loaded;
    REQUIRE(load_settings(file, loaded).ok());
    CHECK(loaded.layout.left == 21.5f);
    CHECK(loaded.show.contacts);
    CHECK(loaded.tool.snap.on);
    CHECK(loaded.window_width == 1600);

    write(file, R"({"left": -4, "right": "wide", "window_width": 3, "contacts": 7, "bottom": 20})");
    EditorSettings odd;
    REQUIRE(load_settings(file, odd).ok());
    CHECK(odd.layout.left == EditorSettings().layout.left);
    CHECK(odd.layout.right == EditorSettings().layout.right);
    CHECK(odd.window_width == 1280);
    CHECK(odd.layout.bottom == 20.0f);
    write(file, "{ not json");
    CHECK_FALSE(load_settings(file, odd).ok());
    CHECK(load_settings((folder.path / "none.json").string(), odd).ok());
}

TEST_CASE("scripts are refused with the number of the line") {
    CHECK(parse_script("wait 3 # frames\n\nclick @play\nkey Ctrl+Shift+Z\n", "s")->size() == 3);
    CHECK(parse_script("wait 3\njump 4\n", "s").error() == "Line 2 of 's': there is no command 'jump'.");
    CHECK(parse_script("drag 3,4", "s").error() == "Line 1 of 's': 'drag' needs 1 more.");
    CHECK(parse_script("key Hyper+Q", "s").error() == "Line 1 of 's': there is no key 'Hyper+Q'.");
}

TEST_CASE("a message is counted when it repeats, and only information leaves by itself") {
    MessageLog log;
    log.add(Severity::info, "saved");
    log.update(MessageLog::kInfoSeconds + 1.0);
    CHECK(log.shown() == nullptr);
    log.add(Severity::error, "broken");
    log.add(Severity::error, "broken");
    log.update(100.0);
    REQUIRE(log.shown() != nullptr);
    CHECK(log.shown()->times == 2);
    CHECK(log.messages().size() == 2);
    log.dismiss();
    CHECK(log.shown() == nullptr);
    CHECK(log.messages().size() == 2);
    for (size_t i = 0; i < 2 * MessageLog::kMost; ++i) log.add(Severity::info, std::to_string(i));
    CHECK(log.messages().size() == MessageLog::kMost);
}

TEST_CASE("the file list shows folders first, only files that can be opened, and says why it is empty") {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.path / "zoo");
    write(folder.path / "b.json", "x");
    write(folder.path / "A.JSON", "x");
    write(folder.path / "c.txt", "x");
    write(folder.path / ".hidden.json", "x");
    FileBrowser browser;
    browser.open(folder.path.string(), {".json"}, "scene");
    REQUIRE(browser.entries().size() == 3);
    CHECK(browser.entries()[0].name == "zoo");
    CHECK(browser.entries()[1].name == "A.JSON");
    CHECK(browser.entries()[2].name == "b.json");
    CHECK(browser.path(true) == (folder.path / "scene.json").string());
    CHECK_FALSE(browser.exists(true));
    browser.name = "b";
    CHECK(browser.exists(true));
    browser.enter("zoo");
    CHECK(browser.entries().empty());
    browser.up();
    CHECK(browser.entries().size() == 3);
    std::filesystem::remove_all(folder.path / "zoo");
    browser.enter("zoo");
    CHECK(browser.message().find("is no folder") != std::string::npos);
}

TEST_CASE("the scene to begin with is right and stands for a second") {
    const physics::SceneDesc scene = default_scene();
    CHECK(physics::check(scene).ok());
    std::set<std::string> names;
    for (const physics::SceneBody& body : scene.bodies) {
        CHECK_FALSE(body.name.empty());
        CHECK_MESSAGE(names.insert(body.name).second, body.name);
    }
    physics::PhysicsWorld world;
    const Result<std::vector<physics::Entity>> made = physics::instantiate(scene, world);
    REQUIRE(made.ok());
    for (int i = 0; i < 60; ++i) REQUIRE(world.step(1.0f / 60.0f).ok());
    for (size_t i = 0; i < scene.bodies.size(); ++i) {
        if (scene.bodies[i].name == "ball on the arch") continue;  // falls on it
        const Vec3 now = world.registry().get<physics::Pose>((*made)[i]).position;
        CHECK_MESSAGE(glm::length(now - scene.bodies[i].position) < 0.05f, scene.bodies[i].name);
    }
}

TEST_CASE("unsaved changes are asked about before another scene takes their place, and can be rescued") {
    const TemporaryFolder folder;
    Workspace ws(quiet_options(folder));
    ws.create(ShapeType::box, BodyType::dynamic, {0.0f, 1.0f, 0.0f});
    REQUIRE(ws.document.is_dirty());
    ws.open_sample("arch");
    ws.update(0.01);
    CHECK(ws.guard.state() == LeaveGuard::State::asking);
    CHECK(ws.document.bodies().size() == 1);
    ws.guard.cancel();
    ws.update(0.01);
    CHECK(ws.document.bodies().size() == 1);

    const Result<std::string> rescued = ws.rescue();
    REQUIRE(rescued.ok());
    CHECK(physics::load_scene(*rescued)->bodies.size() == 1);

    ws.quit();
    ws.update(0.01);
    ws.guard.save();  // it has no file yet: a name is asked for
    ws.update(0.01);
    CHECK(ws.dialog == FileDialog::name_for_guard);
    ws.dialog = FileDialog::none;
    ws.save_as((folder.path / "kept.json").string());
    ws.update(0.01);
    CHECK(ws.wishes.quit);
    CHECK(physics::load_scene((folder.path / "kept.json").string())->bodies.size() == 1);
    CHECK(ws.rescue()->empty());
}

TEST_CASE("broken files give a sentence and leave the scene alone") {
    const TemporaryFolder folder;
    Workspace ws(quiet_options(folder));
    REQUIRE(ws.document.set_scene(default_scene()).ok());
    const size_t bodies = ws.document.bodies().size();
    write(folder.path / "broken.gltf", R"({"asset": {"version": "2.0"}, "meshes": [{)");
    write(folder.path / "broken.obj", "v 1 2\nf 1 2 3\n");
    write(folder.path / "broken.json", "{");
    for (const char* name : {"broken.gltf", "broken.obj", "broken.json", "missing.json", "missing.glb"}) {
        const uint64_t errors = ws.messages.errors();
        ws.take_file((folder.path / name).string());
        ws.update(0.01);
        CHECK_MESSAGE(ws.messages.errors() == errors + 1, name);
        CHECK(ws.messages.shown()->text.find(name) != std::string::npos);
        CHECK(ws.document.bodies().size() == bodies);
        CHECK_FALSE(ws.document.is_dirty());
    }
}

TEST_CASE("settings that are changed during a play go with it, unless they are kept") {
    const TemporaryFolder folder;
    Workspace ws(quiet_options(folder));
    REQUIRE(ws.document.set_scene(default_scene()).ok());
    for (const bool keep : {false, true}) {
        ws.play_or_pause();
        physics::StepSettings settings = ws.settings(0);
        settings.solver = "nncg";
        ws.change_settings(0, settings);
        CHECK(ws.settings(0).solver == "nncg");
        ws.keep_live_settings = keep;
        ws.stop();
        CHECK(ws.settings(0).solver == (keep ? "nncg" : "prox_gs"));
        CHECK(ws.document.is_dirty() == keep);
    }
    CHECK(ws.messages.errors() == 0);
}
