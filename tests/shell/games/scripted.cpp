// SPDX-License-Identifier: MIT
// Every game as `proxima play GAME --script` plays it, without a display.
#include "samples/play/game_client.h"
#include "tests/shell/shell_test.h"

using namespace proxima;

TEST_CASE("every game that its own player plays in the shell ends with its goal") {
    for (const games::GameEntry& entry : games::game_list()) {
        test::ShellRig rig(test::small_app(160, 90));
        if (!rig) return;
        CAPTURE(entry.name);
        play::GameClient client({std::string(entry.name), true});
        shell::OffscreenRun run;
        run.frames = 120;
        run.seconds_per_frame = 1.0 / 20.0;
        do {
            const Result<render::Picture> picture = rig->run_offscreen(client, run);
            REQUIRE_MESSAGE(picture.ok(), picture.error());
            REQUIRE(client.session() != nullptr);
        } while (client.page() == play::GameClient::Page::playing && client.session()->seconds() < 300.0);
        CHECK(client.page() == play::GameClient::Page::over);
        CHECK(client.session()->game().state().phase == games::Phase::won);
    }
}
