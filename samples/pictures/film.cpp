// SPDX-License-Identifier: MIT
#include "samples/pictures/film.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "engine/core/atomic_file.h"
#include "render/camera_control.h"

namespace proxima::pictures {

namespace {

/// Half of the way to where the camera should be in so many seconds.
constexpr double kFollowSeconds = 0.8;
/// Per pixel, in videos.
constexpr uint32_t kVideoSamples = 4;

bool ends_in_png(const std::string& file) {
    return file.size() > 4 && (file.ends_with(".png") || file.ends_with(".PNG"));
}

/// Lines on a level ground that give its scale: 1 m apart, or that power of ten which suits the view.
void draw_grid(std::optional<float> height, render::DrawList& out) {
    out.grid.shown = height.has_value();
    if (!height) return;
    const float distance = glm::length(out.camera.target - out.camera.eye);
    out.grid.cell = std::pow(10.0f, std::round(std::log10(std::max(distance, 1e-3f) / 12.0f)));
    out.grid.height = *height + 1e-4f * distance;  // over the ground it lies on
    out.grid.reach = 12.0f * distance;
}

}  // namespace

Result<std::pair<uint32_t, uint32_t>> parse_size(const std::string& size) {
    const Error wrong{"The size '" + size +
                      "' is not WIDTHxHEIGHT with even numbers from 16 to 8192, for instance 1280x720."};
    uint32_t width = 0, height = 0;
    const char* end = size.data() + size.size();
    const auto [middle, first] = std::from_chars(size.data(), end, width);
    if (first != std::errc() || middle == end || *middle != 'x') return wrong;
    const auto [last, second] = std::from_chars(middle + 1, end, height);
    if (second != std::errc() || last != end) return wrong;
    for (const uint32_t side : {width, height})
        if (side < 16 || side > 8192 || side % 2 != 0) return wrong;
    return std::pair(width, height);
}

Result<void> check(const FilmOptions& options) {
    if (const auto size = parse_size(options.size); !size) return Error{size.error()};
    if (const Result<DebugChoice> debug = parse_debug(options.debug); !debug) return Error{debug.error()};
    if (!(options.frames_per_second >= 1.0 && options.frames_per_second <= 240.0))
        return Error{fmt::format("A video of {} frames per second is not made; it may have from 1 to 240.",
                                 options.frames_per_second)};
    if (!options.picture.empty()) {
        if (!ends_in_png(options.picture))
            return Error{"Pictures are PNG files: the name '" + options.picture + "' should end in .png."};
        if (Result<void> writable = check_writable(options.picture); !writable) return writable;
    }
    if (!options.video.empty()) {
        const size_t dot = options.video.rfind('.');
        const std::string ending = dot == std::string::npos || options.video.find('/', dot) != std::string::npos
                                       ? std::string()
                                       : options.video.substr(dot);
        if (!ending.empty() && ending != ".mp4" && ending != ".mkv" && ending != ".mov")
            return Error{"Videos end in .mp4, .mkv or .mov, and a folder of pictures has no ending: '" + options.video +
                         "' is neither."};
        if (!ending.empty())
            if (Result<void> writable = check_writable(options.video); !writable) return writable;
    }
    return {};
}

PlainScene::PlainScene(const physics::PhysicsWorld& world, const DebugChoice& debug, std::string title)
    : world_(world), title_(std::move(title)) {
    view_.set_debug(debug);
}

void PlainScene::begin() {
    view_.begin(world_);
    framed_ = false;
}

void PlainScene::draw(float alpha, double seconds, const Studio& studio, render::DrawList& out) {
    light_scene(out);
    const render::Camera wanted = view_.frame(world_, studio.aspect());
    out.camera =
        framed_ ? render::mix_cameras(out.camera, wanted, float(1.0 - std::exp2(-seconds / kFollowSeconds))) : wanted;
    framed_ = true;
    view_.draw(world_, alpha, paint_, out);
    draw_grid(view_.ground_height(), out);
    if (!title_.empty()) {
        render::Text text;
        text.text = title_;
        text.position = {24.0f * studio.scale(), 20.0f * studio.scale(), 0.0f};
        text.in_pixels = true;
        text.size = 24.0f;
        text.behind = render::rgba(18, 22, 30, 150);
        out.texts.push_back(text);
    }
}

Result<std::unique_ptr<Film>> Film::open(const FilmOptions& options) {
    if (Result<void> good = check(options); !good) return Error{good.error()};
    std::unique_ptr<Film> film(new Film);
    film->options_ = options;
    StudioOptions studio;
    std::tie(studio.width, studio.height) = parse_size(options.size).value();
    studio.device = options.device;
    // A video is many pictures, and nobody looks at a shadow's edge in motion as long as at one that stands.
    if (!options.video.empty()) studio.renderer = {kVideoSamples, 2048, 9};
    auto opened = Studio::open(studio);
    if (!opened) return Error{opened.error()};
    film->studio_ = std::move(opened.value());
    if (!options.video.empty()) {
        render::VideoOptions video;
        video.width = studio.width;
        video.height = studio.height;
        video.frames_per_second = options.frames_per_second;
        Result<render::VideoWriter> writer = render::VideoWriter::open(options.video, video);
        if (!writer) return Error{writer.error()};
        film->video_.emplace(std::move(writer).value());
    }
    return film;
}

Result<void> Film::add_frame(FilmScene& scene, float alpha, double seconds) {
    list_.clear();
    scene.draw(alpha, seconds, *studio_, list_);
    const Result<render::Picture> picture = studio_->take(list_, scene.meshes());
    if (!picture) return Error{picture.error()};
    ++next_;
    return video_->add(picture.value());
}

Result<void> Film::begin(FilmScene& scene) {
    time_ = 0.0;
    next_ = 0;
    scene.begin();
    return video_ ? add_frame(scene, 1.0f, 0.0) : Result<void>();
}

Result<void> Film::after_step(FilmScene& scene, double dt) {
    scene.note_step();
    const double before = time_;
    time_ += dt;
    if (!video_) return {};
    // Frame k is due at k / rate; a hair of tolerance keeps rounding from moving one into the next step.
    const double rate = options_.frames_per_second;
    while (double(next_) / rate <= time_ + 1e-9) {
        const double alpha = std::clamp((double(next_) / rate - before) / dt, 0.0, 1.0);
        if (Result<void> added = add_frame(scene, float(alpha), 1.0 / rate); !added) return added;
    }
    return {};
}

Result<void> Film::finish(FilmScene& scene) {
    if (!options_.picture.empty()) {
        list_.clear();
        // A picture alone is framed for its own moment, after any glide has ended.
        scene.draw(1.0f, 1e3, *studio_, list_);
        const Result<render::Picture> picture = studio_->take(list_, scene.meshes());
        if (!picture) return Error{picture.error()};
        if (Result<void> written = render::write_png(options_.picture, picture.value()); !written) return written;
    }
    return video_ ? video_->finish() : Result<void>();
}

std::string Film::summary() const {
    std::string text;
    if (!options_.picture.empty()) text += "the picture is in " + options_.picture;
    if (video_) {
        if (!text.empty()) text += "; ";
        text += fmt::format("{} frames are in {}", video_->frames(), video_->path());
        if (!video_->note().empty()) text += ". " + video_->note();
    }
    return text;
}

}  // namespace proxima::pictures
