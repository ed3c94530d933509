// SPDX-License-Identifier: MIT
// --picture and --video of `proxima run`: files of what the run looks like. A build without Vulkan knows the
// flags and says what is missing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/core/result.h"
#include "physics/world.h"
#include "samples/tool/tool.h"

namespace proxima::tool {

struct RunFilmOptions {
    std::string picture, video, size = "1280x720", debug, title;
    double frames_per_second = 60.0;
    bool quiet = false;
    bool wanted() const { return !picture.empty() || !video.empty(); }
};

void add_film_flags(const Command& command, RunFilmOptions& options);

/// Follows a run. What goes wrong with pictures never ends the run: it is kept and told at the end.
class RunFilm {
  public:
    /// Refuses bad names before the run.
    static Result<void> check(const RunFilmOptions& options);
    /// `scene`: as given on the command line. A game is filmed while its own player plays it, once the run is over.
    RunFilm(const RunFilmOptions& options, const std::string& scene, uint64_t game_steps);
    ~RunFilm();
    RunFilm(const RunFilm&) = delete;
    RunFilm& operator=(const RunFilm&) = delete;

    void begin(const physics::PhysicsWorld& world);
    void after_step(const physics::PhysicsWorld& world, double dt);
    void end(const physics::PhysicsWorld& world);
    /// Films the game where the scene is one, then prints what lies where; or the sentence about what went wrong.
    Result<void> finish();

  private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace proxima::tool
