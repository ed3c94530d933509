// SPDX-License-Identifier: MIT
#include "render/video.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "engine/core/atomic_file.h"
#include "render/pipe_program.h"

namespace proxima::render {

namespace {

constexpr double kBitsPerPixel = 0.15;  // of what ffmpeg may spend: thin lines stay thin

std::string ending_of(const std::string& file) { return std::filesystem::path(file).extension().string(); }

std::string picture_name(const std::string& folder, uint64_t number) {
    return (std::filesystem::path(folder) / fmt::format("frame_{:06}.png", number)).string();
}

/// A name beside the file, with its ending, by which ffmpeg chooses the format.
std::string unfinished_name(const std::string& file) {
    const std::filesystem::path path(file);
    return (path.parent_path() / (path.stem().string() + ".unfinished" + path.extension().string())).string();
}

std::vector<std::string> ffmpeg_words(const VideoOptions& options, const std::string& target) {
    const double rate = kBitsPerPixel * double(options.width) * double(options.height) * options.frames_per_second;
    return {"-hide_banner", "-loglevel", "error", "-nostdin", "-y",
            // what comes in
            "-f", "rawvideo", "-pix_fmt", "rgba", "-video_size", fmt::format("{}x{}", options.width, options.height),
            "-framerate", fmt::format("{}", options.frames_per_second), "-i", "pipe:0",
            // what goes out: even sizes, because colour has half the resolution; colours as screens take them
            "-an", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv", "-pix_fmt",
            "yuv420p", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-b:v",
            fmt::format("{:.0f}", std::max(500e3, rate)), "-movflags", "+faststart", target};
}

Result<void> make_folder(const std::string& folder) {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::path(folder).parent_path();
    if (!parent.empty() && !std::filesystem::is_directory(parent, error))
        return Error{"Cannot make the folder '" + folder + "': there is no folder '" + parent.string() + "'."};
    std::filesystem::create_directory(folder, error);
    if (!std::filesystem::is_directory(folder, error))
        return Error{"Cannot make the folder '" + folder +
                     "': a file of that name is in the way, or the disk cannot be "
                     "written."};
    if (Result<void> ok = check_writable(picture_name(folder, 0)); !ok) return ok;
    // Pictures of an earlier and longer run would follow ours.
    for (uint64_t number = 0; std::filesystem::remove(picture_name(folder, number), error); ++number) {}
    return {};
}

Result<void> check_options(const std::string& file, const VideoOptions& options) {
    if (file.empty()) return Error{"A video needs a file name."};
    if (options.width == 0 || options.height == 0 || options.width > 16384 || options.height > 16384)
        return Error{fmt::format("A video is 1 to 16384 pixels wide and high; {} x {} is not possible.", options.width,
                                 options.height)};
    if (!(std::isfinite(options.frames_per_second) && options.frames_per_second > 0.0 &&
          options.frames_per_second <= 1000.0))
        return Error{"A video has more than 0 and at most 1000 frames per second."};
    const std::string ending = ending_of(file);
    if (!ending.empty() && ending != ".mp4" && ending != ".mkv" && ending != ".mov")
        return Error{"A video file ends in .mp4, .mkv or .mov, and a folder of PNG files has no ending; '" + file +
                     "' ends in " + ending + "."};
    return {};
}

}  // namespace

struct VideoWriter::State {
    VideoOptions options;
    std::string path, unfinished, note;
    std::optional<PipeProgram> ffmpeg;  // none: PNG files
    uint64_t frames = 0;
    bool finished = false;

    ~State() {
        if (finished || !ffmpeg) return;
        ffmpeg.reset();
        std::remove(unfinished.c_str());
    }

    /// Of an ffmpeg that ended with that code.
    Error complaint(int code) {
        finished = true;
        std::remove(unfinished.c_str());
        const std::string said = ffmpeg->errors();
        return Error{"Cannot write the video '" + path + "': ffmpeg ended with code " + std::to_string(code) +
                     (said.empty() ? "." : " and said: " + said)};
    }
};

VideoWriter::VideoWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
VideoWriter::~VideoWriter() = default;
VideoWriter::VideoWriter(VideoWriter&&) noexcept = default;
VideoWriter& VideoWriter::operator=(VideoWriter&&) noexcept = default;

Result<VideoWriter> VideoWriter::open(const std::string& file, const VideoOptions& options) {
    if (Result<void> ok = check_options(file, options); !ok) return Error{ok.error()};
    auto state = std::make_unique<State>();
    state->options = options;
    state->path = file;
    const bool video = !ending_of(file).empty();
    const std::string ffmpeg = video ? find_program(options.ffmpeg) : std::string();
    if (ffmpeg.empty()) {
        if (video) {
            state->path = std::filesystem::path(file).replace_extension().string() + "_frames";
            state->note = "There is no ffmpeg on the PATH, so the pictures are kept as PNG files in '" + state->path +
                          "'; ffmpeg makes a video of them: ffmpeg -framerate " +
                          fmt::format("{}", options.frames_per_second) + " -i " + state->path +
                          "/frame_%06d.png -pix_fmt yuv420p " + file;
        }
        if (Result<void> ok = make_folder(state->path); !ok) return Error{ok.error()};
        return VideoWriter(std::move(state));
    }
    if (Result<void> ok = check_writable(file); !ok) return Error{ok.error()};
    state->unfinished = unfinished_name(file);
    Result<PipeProgram> program = PipeProgram::start(ffmpeg, ffmpeg_words(options, state->unfinished));
    if (!program) return Error{program.error()};
    state->ffmpeg.emplace(std::move(program).value());
    return VideoWriter(std::move(state));
}

Result<void> VideoWriter::add(const Picture& picture) {
    State& s = *state_;
    if (s.finished) return Error{"The video '" + s.path + "' is finished; no picture can follow."};
    if (picture.width != s.options.width || picture.height != s.options.height ||
        picture.pixels.size() != size_t(picture.width) * picture.height * 4)
        return Error{fmt::format("The pictures of this video are {} x {}; one of {} x {} came.", s.options.width,
                                 s.options.height, picture.width, picture.height)};
    if (!s.ffmpeg) {
        if (Result<void> ok = write_png(picture_name(s.path, s.frames), picture); !ok) return ok;
    } else if (!s.ffmpeg->write(picture.pixels.data(), picture.pixels.size())) {
        return s.complaint(s.ffmpeg->wait());
    }
    ++s.frames;
    return {};
}

Result<void> VideoWriter::finish() {
    State& s = *state_;
    if (s.finished) return Error{"The video '" + s.path + "' was finished before."};
    if (s.frames == 0) return Error{"A video without pictures is not written."};
    if (!s.ffmpeg) {
        s.finished = true;
        return {};
    }
    if (const int code = s.ffmpeg->wait(); code != 0) return s.complaint(code);
    s.finished = true;
    std::error_code error;
    std::filesystem::rename(s.unfinished, s.path, error);
    if (error) {
        std::remove(s.unfinished.c_str());
        return Error{"Cannot write the video '" + s.path + "': " + error.message() + "."};
    }
    return {};
}

uint64_t VideoWriter::frames() const { return state_->frames; }
const std::string& VideoWriter::path() const { return state_->path; }
const std::string& VideoWriter::note() const { return state_->note; }

}  // namespace proxima::render
