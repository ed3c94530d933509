// SPDX-License-Identifier: MIT
#include "render/video.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "render/pipe_program.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::render;

namespace {

Picture grey(uint32_t width, uint32_t height, uint32_t shade) {
    Picture picture;
    picture.width = width;
    picture.height = height;
    picture.pixels.assign(size_t(width) * height * 4, uint8_t(shade));
    return picture;
}

VideoOptions small() {
    VideoOptions options;
    options.width = 63;  // odd: colour has half the resolution and wants even sizes
    options.height = 34;
    options.frames_per_second = 25.0;
    return options;
}

/// A program of a few lines that stands in for ffmpeg.
std::string script(const test::TemporaryFolder& folder, const char* lines) {
    const std::filesystem::path file = folder.path / "stand_in";
    std::ofstream(file) << "#!/bin/sh\n" << lines << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file.string();
}

size_t files_in(const std::filesystem::path& folder) {
    return size_t(std::distance(std::filesystem::directory_iterator(folder), {}));
}

#if !defined(_WIN32)
/// What ffprobe says about the video of a file.
std::string probe(const std::string& file) {
    const std::string command =
        "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
        "stream=width,height,pix_fmt,r_frame_rate,nb_read_frames -of csv=p=0 '" +
        file + "'";
    std::FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) return {};
    char line[256] = {};
    const bool got = std::fgets(line, sizeof(line), pipe) != nullptr;
    pclose(pipe);
    return got ? line : "";
}
#endif

}  // namespace

#if !defined(_WIN32)
TEST_CASE("a video has as many frames as pictures were added") {
    if (find_program("ffmpeg").empty() || find_program("ffprobe").empty()) {
        MESSAGE("skipped: no ffmpeg on the PATH");
        return;
    }
    const test::TemporaryFolder folder;
    const std::string file = (folder.path / "clip.mp4").string();
    auto video = VideoWriter::open(file, small());
    REQUIRE_MESSAGE(video.ok(), video.error());
    CHECK(video->note().empty());
    for (uint32_t i = 0; i < 40; ++i) REQUIRE(video->add(grey(63, 34, 6 * i)).ok());
    CHECK_FALSE(std::filesystem::exists(file));
    const auto done = video->finish();
    REQUIRE_MESSAGE(done.ok(), done.error());
    CHECK(video->frames() == 40);
    CHECK(probe(file) == "64,34,yuv420p,25/1,40\n");
    CHECK(files_in(folder.path) == 1);
    CHECK(video->add(grey(63, 34, 0)).error().find("finished") != std::string::npos);
    CHECK_FALSE(video->finish().ok());
}

TEST_CASE("a video that is not finished leaves nothing behind") {
    if (find_program("ffmpeg").empty()) {
        MESSAGE("skipped: no ffmpeg on the PATH");
        return;
    }
    const test::TemporaryFolder folder;
    {
        auto video = VideoWriter::open((folder.path / "clip.mp4").string(), small());
        REQUIRE(video.ok());
        REQUIRE(video->add(grey(63, 34, 9)).ok());
    }
    CHECK(files_in(folder.path) == 0);
}

TEST_CASE("an ffmpeg that stops reading or fails is told about in a sentence") {
    const test::TemporaryFolder folder;
    VideoOptions options = small();
    options.width = 640;
    options.height = 480;
    options.ffmpeg = script(folder, "echo 'no such codec' >&2; exit 3");
    const std::string file = (folder.path / "clip.mp4").string();
    auto stops = VideoWriter::open(file, options);
    REQUIRE_MESSAGE(stops.ok(), stops.error());
    Result<void> added;
    for (int i = 0; i < 50 && added.ok(); ++i) added = stops->add(grey(640, 480, 1));
    REQUIRE_FALSE(added.ok());
    CHECK(added.error() == "Cannot write the video '" + file + "': ffmpeg ended with code 3 and said: no such codec");

    options.ffmpeg = script(folder, "cat > /dev/null; exit 4");
    auto fails = VideoWriter::open(file, options);
    REQUIRE(fails.ok());
    REQUIRE(fails->add(grey(640, 480, 1)).ok());
    CHECK(fails->finish().error() == "Cannot write the video '" + file + "': ffmpeg ended with code 4.");
    CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("programs are found on the PATH, or by their full name") {
    CHECK(find_program("sh").ends_with("/sh"));
    CHECK(find_program("a program that nobody has").empty());
    CHECK(find_program("").empty());
    const test::TemporaryFolder folder;
    const std::string file = script(folder, "exit 0");
    CHECK(find_program(file) == file);
    CHECK(find_program(folder.path.string()).empty());
    auto program = PipeProgram::start(file, {});
    REQUIRE(program.ok());
    CHECK(program->wait() == 0);
}
#endif

TEST_CASE("without ffmpeg a video is a folder of PNG files, and a sentence says so") {
    const test::TemporaryFolder folder;
    VideoOptions options = small();
    options.ffmpeg = "";
    for (const uint32_t count : {12u, 5u}) {  // the second, shorter one leaves none of the first
        auto video = VideoWriter::open((folder.path / "clip.mp4").string(), options);
        REQUIRE_MESSAGE(video.ok(), video.error());
        CHECK(video->path() == (folder.path / "clip_frames").string());
        CHECK(video->note().find("ffmpeg") != std::string::npos);
        for (uint32_t i = 0; i < count; ++i) REQUIRE(video->add(grey(63, 34, i)).ok());
        REQUIRE(video->finish().ok());
        CHECK(files_in(folder.path / "clip_frames") == count);
    }
    const auto picture = read_png((folder.path / "clip_frames" / "frame_000003.png").string());
    REQUIRE(picture.ok());
    CHECK(picture->pixels[0] == 3);
}

TEST_CASE("a name without an ending asks for PNG files") {
    const test::TemporaryFolder folder;
    auto video = VideoWriter::open((folder.path / "pictures").string(), small());
    REQUIRE(video.ok());
    CHECK(video->note().empty());
    REQUIRE(video->add(grey(63, 34, 1)).ok());
    REQUIRE(video->finish().ok());
    CHECK(files_in(folder.path / "pictures") == 1);
}

TEST_CASE("what cannot become a video is refused before any picture is made") {
    const test::TemporaryFolder folder;
    const auto error = [&](const std::string& file, const VideoOptions& options) {
        return VideoWriter::open(file, options).error();
    };
    CHECK(error("", small()) == "A video needs a file name.");
    CHECK(error("clip.avi", small()).find(".mp4, .mkv or .mov") != std::string::npos);
    VideoOptions options = small();
    options.width = 0;
    CHECK(error("clip.mp4", options).find("0 x 34") != std::string::npos);
    options = small();
    options.frames_per_second = 0.0;
    CHECK(error("clip.mp4", options).find("frames per second") != std::string::npos);
    CHECK(error((folder.path / "none" / "clip.mp4").string(), small()).find("there is no folder") != std::string::npos);
    options = small();
    options.ffmpeg = "";
    CHECK(error((folder.path / "none" / "clip.mp4").string(), options).find("there is no folder") != std::string::npos);
    std::ofstream(folder.path / "taken") << "x";
    CHECK(error((folder.path / "taken").string(), small()).find("in the way") != std::string::npos);
    auto video = VideoWriter::open((folder.path / "p").string(), small());
    REQUIRE(video.ok());
    CHECK(video->add(grey(10, 10, 0)).error().find("one of 10 x 10 came") != std::string::npos);
    CHECK_FALSE(video->finish().ok());
}
