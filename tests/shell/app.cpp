// SPDX-License-Identifier: MIT
// The loop: closing that is refused, pictures that are asked for, devices that are lost, sizes that change.
#include <filesystem>

#include "tests/shell/shell_test.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::engine;
using namespace proxima::shell;
using proxima::test::ShellRig;
using proxima::test::TestClient;

TEST_CASE("a client may refuse to close, and quit later") {
    ShellRig rig;
    if (!rig) return;
    TestClient client;
    int asked = 0;
    uint64_t frames = 0;
    client.close = [&] { return ++asked == 2; };
    client.draw = [&](const FrameInfo& info, render::DrawList&) {
        frames = info.number + 1;
        return Result<void>();
    };
    OffscreenRun run;
    run.frames = 20;
    run.events = {{3, CloseEvent{}}, {7, CloseEvent{}}};
    REQUIRE(rig->run_offscreen(client, run).ok());
    CHECK(asked == 2);
    CHECK(frames == 8);
}

TEST_CASE("every frame can be looked at, and the size may change on the way") {
    ShellRig rig;
    if (!rig) return;
    TestClient client;
    OffscreenRun run;
    run.frames = 4;
    run.events = {{2, ResizeEvent{200, 100}}};
    std::vector<uint32_t> widths;
    run.on_picture = [&](uint64_t, const render::Picture& picture) {
        widths.push_back(picture.width);
        return Result<void>();
    };
    REQUIRE(rig->run_offscreen(client, run).ok());
    CHECK(widths == std::vector<uint32_t>{320, 320, 200, 200});
}

TEST_CASE("a picture that is asked for is written, and one that cannot be is told") {
    const test::TemporaryFolder folder;
    ShellRig rig;
    if (!rig) return;
    TestClient client;
    std::string told = "nothing";
    const std::string file = (folder.path / "wanted.png").string();
    client.draw = [&](const FrameInfo& info, render::DrawList&) {
        if (info.number == 0) rig->save_picture(file);
        if (info.number == 1)
            rig->save_picture("/no/such/folder/a.png", [&](const Result<void>& r) { told = r.error(); });
        return Result<void>();
    };
    OffscreenRun run;
    run.frames = 3;
    REQUIRE(rig->run_offscreen(client, run).ok());
    const Result<render::Picture> written = render::read_png(file);
    REQUIRE_MESSAGE(written.ok(), written.error());
    CHECK(written->width == 320);
    CHECK(told.find("/no/such/folder") != std::string::npos);
    std::filesystem::remove(file);
}

TEST_CASE("a device that is lost is opened again after the client has saved") {
    ShellRig rig;
    if (!rig) return;
    TestClient client;
    client.draw = [&](const FrameInfo& info, render::DrawList&) {
        if (info.number == 1 && client.starts == 1)
            rig->device()->api_for_tests().vkQueueSubmit2 = [](VkQueue, uint32_t, const VkSubmitInfo2*, VkFence) {
                return VK_ERROR_DEVICE_LOST;
            };
        return Result<void>();
    };
    OffscreenRun run;
    run.frames = 4;
    run.draw_all = true;
    const Result<render::Picture> picture = rig->run_offscreen(client, run);
    REQUIRE_MESSAGE(picture.ok(), picture.error());
    CHECK(client.saves == 1);
    CHECK(client.starts == 2);
    CHECK(rig->devices_lost() == 1);
}

TEST_CASE("an error of the client ends the loop with its sentence, after it has saved") {
    ShellRig rig;
    if (!rig) return;
    TestClient client;
    client.draw = [&](const FrameInfo& info, render::DrawList&) {
        return info.number == 2 ? Result<void>(Error{"The world ended."}) : Result<void>();
    };
    OffscreenRun run;
    run.frames = 9;
    const Result<render::Picture> picture = rig->run_offscreen(client, run);
    REQUIRE_FALSE(picture.ok());
    CHECK(picture.error() == "The world ended.");
    CHECK(client.saves == 1);
}
