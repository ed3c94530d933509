// SPDX-License-Identifier: MIT
#include "samples/tool/run_film.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "samples/tool/progress.h"

#if defined(PROXIMA_PICTURES)
#include "samples/games/game_list.h"
#include "samples/pictures/film.h"
#include "samples/pictures/game_scene.h"
#endif

namespace proxima::tool {

void add_film_flags(const Command& command, RunFilmOptions& options) {
    command.add_option("--picture", options.picture, "Write a picture of the last state to this file (.png)");
    command.add_option("--video", options.video,
                       "Write a video to this file (.mp4, .mkv, .mov), or PNG files to a folder without ending");
    command.add_option("--size", options.size, "Size of pictures and videos").show_default();
    command.add_option("--fps", options.frames_per_second, "Frames of a video in a second of simulated time")
        .show_default();
    command.add_option("--debug", options.debug,
                       "What to show of the steps, with commas: contacts, friction, residuals, sweeps, boxes, "
                       "joints, velocities, centres, islands, values, island-colours, residual-colours, speed-colours");
    command.add_option("--title", options.title, "A title in the picture");
}

#if defined(PROXIMA_PICTURES)

namespace {

pictures::FilmOptions film_options(const RunFilmOptions& o) {
    pictures::FilmOptions film;
    film.picture = o.picture;
    film.video = o.video;
    film.size = o.size;
    film.frames_per_second = o.frames_per_second;
    film.debug = o.debug;
    film.title = o.title;
    return film;
}

const games::GameEntry* game_of(const std::string& scene) {
    for (const games::GameEntry& game : games::game_list())
        if (game.scene == scene || game.name == scene) return &game;
    return nullptr;
}

}  // namespace

struct RunFilm::Inside {
    RunFilmOptions options;
    const games::GameEntry* game = nullptr;
    uint64_t game_steps = 0;
    std::unique_ptr<pictures::Film> film;
    std::optional<pictures::PlainScene> scene;
    std::string failure;

    void note(const Result<void>& result) {
        if (result) return;
        if (failure.empty()) failure = result.error();
        film.reset();
    }
};

Result<void> RunFilm::check(const RunFilmOptions& options) {
    if (!options.wanted()) {
        if (!options.debug.empty() || !options.title.empty())
            return Error{"--debug and --title are for pictures: say --picture FILE.png or --video FILE.mp4 too."};
        return {};
    }
    return pictures::check(film_options(options));
}

RunFilm::RunFilm(const RunFilmOptions& options, const std::string& scene, uint64_t game_steps)
    : inside_(std::make_unique<Inside>()) {
    inside_->options = options;
    inside_->game_steps = game_steps;
    if (!options.wanted()) return;
    // Whoever asks for the inside of steps wants to see this run, not a game.
    if (options.debug.empty()) inside_->game = game_of(scene);
    if (inside_->game) return;
    Result<std::unique_ptr<pictures::Film>> film = pictures::Film::open(film_options(options));
    if (film) {
        inside_->film = std::move(film.value());
    } else {
        inside_->failure = film.error();
    }
}

RunFilm::~RunFilm() = default;

void RunFilm::begin(const physics::PhysicsWorld& world) {
    Inside& in = *inside_;
    if (!in.film) return;
    in.scene.emplace(world, pictures::parse_debug(in.options.debug).value(), in.options.title);
    in.note(in.film->begin(*in.scene));
}

void RunFilm::after_step(const physics::PhysicsWorld&, double dt) {
    Inside& in = *inside_;
    if (in.film) in.note(in.film->after_step(*in.scene, dt));
}

void RunFilm::end(const physics::PhysicsWorld&) {
    Inside& in = *inside_;
    if (in.film) in.note(in.film->finish(*in.scene));
}

Result<void> RunFilm::finish() {
    Inside& in = *inside_;
    if (in.game) {
        ProgressLine line(in.options.quiet);
        const auto progress = [&](uint64_t step, const games::GameState& state) {
            if (line.due()) line.say(fmt::format("filming {}: step {}, score {}", in.game->name, step, state.score));
        };
        const Result<pictures::GameFilmResult> filmed =
            pictures::film_game(*in.game, film_options(in.options), in.game_steps, progress);
        if (!filmed) return Error{"There is no picture of the game: " + filmed.error()};
        if (!in.options.quiet)
            std::printf("%s, played by its own player for %.1f s (%s): %s\n", std::string(in.game->title).c_str(),
                        filmed->seconds, filmed->state.phase == games::Phase::won ? "won" : "not over",
                        filmed->summary.c_str());
        return {};
    }
    if (!in.failure.empty()) return Error{"There is no picture of the run: " + in.failure};
    if (in.film && !in.options.quiet) std::printf("%s\n", in.film->summary().c_str());
    return {};
}

#else

struct RunFilm::Inside {};

Result<void> RunFilm::check(const RunFilmOptions& options) {
    if (options.wanted())
        return Error{"This build draws no pictures: it was made without Vulkan's headers, glslc or stb."};
    return {};
}
RunFilm::RunFilm(const RunFilmOptions&, const std::string&, uint64_t) {}
RunFilm::~RunFilm() = default;
void RunFilm::begin(const physics::PhysicsWorld&) {}
void RunFilm::after_step(const physics::PhysicsWorld&, double) {}
void RunFilm::end(const physics::PhysicsWorld&) {}
Result<void> RunFilm::finish() { return {}; }

#endif

}  // namespace proxima::tool
