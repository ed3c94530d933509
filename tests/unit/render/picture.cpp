// SPDX-License-Identifier: MIT
#include "render/picture.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::render;

namespace {

Picture noise(uint32_t width, uint32_t height) {
    Picture picture;
    picture.width = width;
    picture.height = height;
    uint32_t state = 1;
    for (uint32_t i = 0; i < width * height * 4; ++i) {
        state = state * 1664525u + 1013904223u;
        picture.pixels.push_back(uint8_t(state >> 24));
    }
    return picture;
}

}  // namespace

TEST_CASE("a PNG file has the pixels that were written, alpha too") {
    const test::TemporaryFolder folder;
    const std::string file = (folder.path / "noise.png").string();
    for (const auto& [width, height] : {std::pair{1u, 1u}, {7u, 3u}, {64u, 48u}}) {
        const Picture written = noise(width, height);
        const auto done = write_png(file, written);
        REQUIRE_MESSAGE(done.ok(), done.error());
        const auto read = read_png(file);
        REQUIRE_MESSAGE(read.ok(), read.error());
        CHECK(read->width == width);
        CHECK(read->height == height);
        CHECK(read->pixels == written.pixels);
    }
    // Nothing but the file: it was written whole or not at all.
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("pictures that cannot be written are refused with a sentence") {
    const test::TemporaryFolder folder;
    const std::string file = (folder.path / "x.png").string();
    CHECK(write_png(file, Picture{}).error() == "Cannot write '" + file + "': the picture has no pixels.");
    Picture broken = noise(4, 4);
    broken.pixels.pop_back();
    CHECK(write_png(file, broken).error().find("has 64 bytes, not 63") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(file));
    CHECK(write_png((folder.path / "none" / "x.png").string(), noise(4, 4)).error().find("there is no folder") !=
          std::string::npos);
}

TEST_CASE("files that are no PNG, or end too early, are refused with a sentence") {
    const test::TemporaryFolder folder;
    const std::string file = (folder.path / "x.png").string();
    CHECK_FALSE(read_png(file).ok());
    std::ofstream(file) << "not a picture";
    CHECK(read_png(file).error() == "Cannot read '" + file + "': it is not a PNG file.");
    REQUIRE(write_png(file, noise(32, 32)).ok());
    const uintmax_t size = std::filesystem::file_size(file);
    for (const uintmax_t keep : {size / 2, size / 4, uintmax_t(20), uintmax_t(8)}) {
        std::filesystem::resize_file(file, keep);
        CAPTURE(keep);
        const auto read = read_png(file);
        CHECK_FALSE(read.ok());
        CHECK(read.error().find(file) != std::string::npos);
    }
}
