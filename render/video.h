// SPDX-License-Identifier: MIT
// Pictures one after the other: a video file by way of ffmpeg, or a folder of PNG files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/core/result.h"
#include "render/picture.h"

namespace proxima::render {

struct VideoOptions {
    uint32_t width = 1280, height = 720;
    double frames_per_second = 60.0;
    std::string ffmpeg = "ffmpeg";  // looked for on the PATH; empty: never a video, always PNG files
};

class VideoWriter {
  public:
    /// `file` ends in .mp4, .mkv or .mov; where ffmpeg is missing, or without an ending, it is a folder of
    /// PNG files and note() says so. What cannot be written is refused here, before any picture is made.
    static Result<VideoWriter> open(const std::string& file, const VideoOptions& options);
    /// A video that was not finished is removed.
    ~VideoWriter();
    VideoWriter(VideoWriter&&) noexcept;
    VideoWriter& operator=(VideoWriter&&) noexcept;

    /// The next picture, of the size that was said.
    Result<void> add(const Picture& picture);
    /// Ends the file; it appears under its name here. To be called once.
    Result<void> finish();

    uint64_t frames() const;
    /// The video file, or the folder of the pictures.
    const std::string& path() const;
    /// Empty, or a sentence: why there are PNG files instead of a video.
    const std::string& note() const;

  private:
    struct State;
    explicit VideoWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace proxima::render
