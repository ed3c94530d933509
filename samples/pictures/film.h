// SPDX-License-Identifier: MIT
// Pictures and videos of a run: asked once before it, told after every step, finished at its end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/core/result.h"
#include "physics/world.h"
#include "render/video.h"
#include "samples/pictures/studio.h"
#include "samples/pictures/world_view.h"

namespace proxima::pictures {

struct FilmOptions {
    std::string picture;  // PNG file for the last state; empty: none
    std::string video;    // .mp4, .mkv or .mov, or a folder; empty: none
    std::string size = "1280x720";
    double frames_per_second = 60.0;
    std::string debug;  // as parse_debug
    std::string title;  // in the left upper corner; empty: none
    std::string device = "gpu";
    bool wanted() const { return !picture.empty() || !video.empty(); }
};

/// "WIDTHxHEIGHT", both from 16 to 8192 and even, as videos want them.
Result<std::pair<uint32_t, uint32_t>> parse_size(const std::string& size);

/// Whether the words make sense and the files can be written; no device is asked yet.
Result<void> check(const FilmOptions& options);

/// How a film gets the picture of a moment. The camera of the list is as it was in the frame before.
class FilmScene {
  public:
    virtual ~FilmScene() = default;
    virtual const physics::PhysicsWorld& world() const = 0;
    /// alpha from 0, the step before, to 1, the last step; seconds since the frame before, 0 for the first.
    virtual void draw(float alpha, double seconds, const Studio& studio, render::DrawList& out) = 0;
    virtual void begin() = 0;
    virtual void note_step() = 0;
    virtual const render::MeshLibrary& meshes() const = 0;
};

/// A world as it is, with a camera that follows what is worth seeing.
class PlainScene final : public FilmScene {
  public:
    PlainScene(const physics::PhysicsWorld& world, const DebugChoice& debug, std::string title);
    const physics::PhysicsWorld& world() const override { return world_; }
    void begin() override;
    void note_step() override { view_.note_step(world_); }
    void draw(float alpha, double seconds, const Studio& studio, render::DrawList& out) override;
    const render::MeshLibrary& meshes() const override { return view_.meshes(); }

  private:
    const physics::PhysicsWorld& world_;
    WorldView view_;
    std::string title_;
    WorldPaint paint_;
    bool framed_ = false;
};

class Film {
  public:
    /// A sentence where there is no Vulkan device that draws, or the video cannot be begun.
    static Result<std::unique_ptr<Film>> open(const FilmOptions& options);

    /// Before the first step: the first frame.
    Result<void> begin(FilmScene& scene);
    /// The frames that lie in the step of dt seconds that was done last.
    Result<void> after_step(FilmScene& scene, double dt);
    /// The picture of the last state; ends the video.
    Result<void> finish(FilmScene& scene);

    uint64_t frames() const { return video_ ? video_->frames() : 0; }
    /// One line that says what lies where.
    std::string summary() const;

  private:
    Film() = default;
    Result<void> add_frame(FilmScene& scene, float alpha, double seconds);

    FilmOptions options_;
    std::unique_ptr<Studio> studio_;
    std::optional<render::VideoWriter> video_;
    render::DrawList list_;
    double time_ = 0.0;  // of the world, s
    uint64_t next_ = 0;  // frame
};

}  // namespace proxima::pictures
