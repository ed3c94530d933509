// SPDX-License-Identifier: MIT
// `proxima play`: the games in a window, or a picture of one without.
#include <cstdio>
#include <memory>
#include <string>
#include <tuple>

#include "samples/tool/tool.h"

#if defined(PROXIMA_PLAY)
#include "samples/games/game_list.h"
#include "samples/pictures/film.h"
#include "samples/play/game_client.h"
#endif

namespace proxima::tool {

namespace {

struct PlayFlags {
    std::string game, picture, size = "1280x720", device = "gpu";
    double seconds = 4.0;
    bool script = false;
};

#if defined(PROXIMA_PLAY)

/// A look without a display: the start page, or so many seconds of the game's own player.
int take_picture(const PlayFlags& flags, play::GameClient& client, shell::AppOptions options) {
    pictures::FilmOptions film;
    film.picture = flags.picture;
    film.size = flags.size;
    if (Result<void> good = pictures::check(film); !good) return complain(good.error());
    if (!(flags.seconds >= 0.0 && flags.seconds <= 600.0))
        return complain("--seconds is " + std::to_string(flags.seconds) + "; it must be from 0 to 600.");
    std::tie(options.width, options.height) = pictures::parse_size(flags.size).value();
    options.scale = float(options.height) / 720.0f;
    options.renderer = {4, 2048, 9};
    shell::OffscreenRun run;
    run.frames = 3 + uint64_t(flags.script ? flags.seconds * 60.0 : 0.0);
    const Result<render::Picture> picture = shell::run_offscreen(client, options, run);
    if (!picture) return complain(picture.error());
    if (Result<void> written = render::write_png(flags.picture, picture.value()); !written)
        return complain(written.error());
    return kExitOk;
}

int play_games(const PlayFlags& flags) {
    if (!flags.game.empty())
        if (const Result<std::unique_ptr<games::Game>> game = games::make_game(flags.game); !game)
            return complain(game.error());
    if (flags.script && flags.game.empty())
        return complain(
            "--script lets the player of a game play: name one, for instance `proxima play castle "
            "--script`.");
    play::GameClient client({flags.game, flags.script});
    shell::AppOptions options;
    options.title = "Proxima games";
    options.device = flags.device;
    if (!flags.picture.empty()) return take_picture(flags, client, options);
    auto app = shell::App::open(options);
    if (!app) return complain(app.error());
    if (Result<void> ran = app.value()->run(client); !ran) return complain(ran.error());
    return kExitOk;
}

#else

int play_games(const PlayFlags&) {
    return complain(
        "This build opens no windows: it was made without GLFW, Dear ImGui or Vulkan; on Debian "
        "libglfw3-dev, "
        "libimgui-dev, libvulkan-dev and glslc bring them.");
}

#endif

}  // namespace

void add_play_command(const Command& program, int& exit_code) {
    const Command command = program.add_command("play", "Play a game in a window");
    auto flags = std::make_shared<PlayFlags>();
    command.add_option("GAME", flags->game,
                       "Name of a game: marble_run, bowling, castle, domino_run, tower_of_blocks (default: a menu)");
    command.add_flag("--script", flags->script, "Let the game's own player play");
    command.add_option("--picture", flags->picture, "Open no window; write a picture to this file (.png)");
    command.add_option("--seconds", flags->seconds, "Seconds that the own player plays before the picture")
        .show_default();
    command.add_option("--size", flags->size, "Size of the picture").show_default();
    command.add_option("--device", flags->device, "Device to draw with: gpu, gpu:INDEX, gpu:NAME").show_default();
    command.callback([flags, &exit_code] { exit_code = play_games(*flags); });
}

}  // namespace proxima::tool
