// SPDX-License-Identifier: MIT
// Pictures and videos of worlds and games.
#include <algorithm>
#include <filesystem>

#include "physics/scene/scene.h"
#include "samples/pictures/game_scene.h"
#include "samples/play/game_client.h"
#include "samples/scenes/scenes.h"
#include "tests/shell/shell_test.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::pictures;

namespace {

bool no_device() {
    auto instance = engine::GpuInstance::create({{}, false, {}});
    const bool none = !instance || instance.value()->devices().empty();
    if (none) std::printf("skipped: no Vulkan device\n");
    return none;
}

struct Run {
    physics::PhysicsWorld world{engine::make_serial_jobs()};
    explicit Run(const std::string& name) {
        const auto scene = samples::make_scene(name);
        REQUIRE_MESSAGE(scene.ok(), scene.error());
        REQUIRE(physics::instantiate(scene.value(), world).ok());
    }
};

}  // namespace

TEST_CASE("a run makes a picture of the right size that is not one colour, and a frame for every moment") {
    const test::TemporaryFolder folder;
    if (no_device()) return;
    Run run("tower5");
    FilmOptions options;
    options.picture = (folder.path / "tower.png").string();
    options.video = (folder.path / "frames").string();
    options.size = "160x90";
    options.frames_per_second = 30.0;
    auto film = Film::open(options);
    REQUIRE_MESSAGE(film.ok(), film.error());
    PlainScene scene(run.world, parse_debug("contacts,friction").value(), "tower");
    REQUIRE(film.value()->begin(scene).ok());
    for (int i = 0; i < 12; ++i) {
        REQUIRE(run.world.step(1.0f / 60.0f).ok());
        REQUIRE(film.value()->after_step(scene, 1.0 / 60.0).ok());
    }
    REQUIRE(film.value()->finish(scene).ok());
    CHECK(film.value()->frames() == 7);  // at 0, 1/30, ... 6/30 s
    const Result<render::Picture> picture = render::read_png(options.picture);
    REQUIRE_MESSAGE(picture.ok(), picture.error());
    CHECK(picture->width == 160);
    CHECK(picture->height == 90);
    CHECK(test::count_colours(picture.value()) > 100);
}

TEST_CASE("words that make no sense are refused before anything is drawn") {
    const auto refused = [](const FilmOptions& options, const char* why) {
        const Result<void> checked = check(options);
        REQUIRE_FALSE(checked.ok());
        CHECK_MESSAGE(checked.error().find(why) != std::string::npos, checked.error());
    };
    FilmOptions options;
    CHECK(check(options).ok());
    options.picture = "a.jpg";
    refused(options, ".png");
    options.picture = "/no/such/folder/a.png";
    refused(options, "/no/such/folder");
    options.picture.clear();
    options.video = "a.avi";
    refused(options, ".mp4");
    options.video = "/no/such/folder/a.mp4";
    refused(options, "/no/such/folder");
    options.video.clear();
    for (const char* size : {"", "1280", "1280x", "12x90", "1281x720", "9000x90", "90x90x", "ax720"}) {
        options.size = size;
        refused(options, "WIDTHxHEIGHT");
    }
    options.size = "1280x720";
    options.debug = "contacts,frictoin";
    refused(options, "'friction'");
    options.debug.clear();
    options.frames_per_second = 0.0;
    refused(options, "frames per second");
}

TEST_CASE("one body far away does not make all others small") {
    Run run("tower5");
    render::DrawnWorld drawn;
    render::copy_world(run.world.registry(), drawn);
    const Aabb before = worth_seeing(drawn, run.world.shapes());
    const auto moving = std::find_if(drawn.bodies.begin(), drawn.bodies.end(),
                                     [](const render::DrawnBody& b) { return b.type != physics::BodyType::fixed; });
    REQUIRE(moving != drawn.bodies.end());
    moving->pose.position += Vec3(500.0f, 0.0f, 0.0f);
    const Aabb after = worth_seeing(drawn, run.world.shapes());
    CHECK(after.upper.x < before.upper.x + 1.0f);
}

TEST_CASE("a camera has every point in its picture, and two of opposite sides near the edge") {
    const Aabb box{{-4.0f, 0.0f, -0.5f}, {4.0f, 3.0f, 0.5f}};
    std::vector<Vec3> points;
    for (int i = 0; i < 8; ++i)
        points.push_back(
            {i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y, i & 4 ? box.upper.z : box.lower.z});
    const render::Camera camera = frame_picture(box, points, 16.0f / 9.0f);
    float left = 1e9f, right = -1e9f;
    for (const Vec3& point : points) {
        const auto at = render::project(camera, {1600.0f, 900.0f}, point);
        REQUIRE(at.has_value());
        CHECK(at->pixel.y > 0.0f);
        CHECK(at->pixel.y < 900.0f);
        left = std::min(left, at->pixel.x);
        right = std::max(right, at->pixel.x);
    }
    CHECK(left > 50.0f);
    CHECK(left < 150.0f);
    CHECK(right > 1450.0f);
    CHECK(right < 1550.0f);
}

TEST_CASE("the menu starts a game by a click, Esc pauses it, and R begins it anew") {
    test::ShellRig rig(test::small_app(640, 480));
    if (!rig) return;
    play::GameClient client({});
    shell::OffscreenRun run;
    using engine::Key;
    using engine::KeyEvent;
    run.frames = 60;
    run.events = test::click(3, 320.0f, 160.0f);  // the first button of the menu
    const auto press = [&](uint64_t frame, Key key) {
        run.events.push_back({frame, KeyEvent{key, true}});
        run.events.push_back({frame, KeyEvent{key, false}});
    };
    press(12, Key::enter);
    press(30, Key::r);
    press(50, Key::escape);
    const Result<render::Picture> picture = rig->run_offscreen(client, run);
    REQUIRE_MESSAGE(picture.ok(), picture.error());
    REQUIRE(client.session() != nullptr);
    CHECK(client.session()->game().info().name == games::game_list()[0].name);
    CHECK(client.page() == play::GameClient::Page::paused);
    CHECK(client.session()->steps() >= 10);
    CHECK(client.session()->steps() <= 22);
}
