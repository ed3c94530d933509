// SPDX-License-Identifier: MIT
// Pictures of a user interface compared as an eye would from afar: small, tile by tile. Letters that differ
// by a version of a font do not matter, a panel that is missing does.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "render/picture.h"

namespace proxima::test {

inline constexpr uint32_t kSmallWidth = 320, kSmallHeight = 180;
inline constexpr uint32_t kTiles = 16;          // in both directions
inline constexpr double kMaxDifference = 0.05;  // of the worst tile, 1 is black against white

/// The mean of the pixels that fall into each small one.
inline render::Picture shrunk(const render::Picture& picture) {
    render::Picture out{kSmallWidth, kSmallHeight, std::vector<uint8_t>(size_t(kSmallWidth) * kSmallHeight * 4)};
    for (uint32_t y = 0; y < kSmallHeight; ++y)
        for (uint32_t x = 0; x < kSmallWidth; ++x) {
            const uint32_t x0 = x * picture.width / kSmallWidth, y0 = y * picture.height / kSmallHeight;
            const uint32_t x1 = std::max(x0 + 1, (x + 1) * picture.width / kSmallWidth);
            const uint32_t y1 = std::max(y0 + 1, (y + 1) * picture.height / kSmallHeight);
            for (uint32_t c = 0; c < 4; ++c) {
                uint64_t sum = 0;
                for (uint32_t j = y0; j < y1; ++j)
                    for (uint32_t i = x0; i < x1; ++i) sum += picture.pixels[(size_t(j) * picture.width + i) * 4 + c];
                out.pixels[(size_t(y) * kSmallWidth + x) * 4 + c] = uint8_t(sum / ((x1 - x0) * (y1 - y0)));
            }
        }
    return out;
}

/// Mean difference of the colours of the worst tile.
inline double difference(const render::Picture& a, const render::Picture& b) {
    const render::Picture x = shrunk(a), y = shrunk(b);
    std::vector<double> sums(kTiles * kTiles, 0.0);
    for (uint32_t j = 0; j < kSmallHeight; ++j)
        for (uint32_t i = 0; i < kSmallWidth; ++i)
            for (uint32_t c = 0; c < 3; ++c) {
                const size_t at = (size_t(j) * kSmallWidth + i) * 4 + c;
                sums[(j * kTiles / kSmallHeight) * kTiles + i * kTiles / kSmallWidth] +=
                    std::abs(double(x.pixels[at]) - double(y.pixels[at])) / 255.0;
            }
    const double pixels = 3.0 * double(kSmallWidth) * kSmallHeight / double(kTiles * kTiles);
    return *std::max_element(sums.begin(), sums.end()) / pixels;
}

inline std::string reference_file(const std::string& name) {
    return std::string(PROXIMA_SOURCE_DIR) + "/tests/data/editor/" + name + ".png";
}

inline render::Picture reference(const std::string& name) {
    Result<render::Picture> kept = render::read_png(reference_file(name));
    REQUIRE_MESSAGE(kept.ok(), kept.error());
    return std::move(kept.value());
}

/// With PROXIMA_WRITE_REFERENCES in the environment the picture becomes the reference instead: to be looked
/// at before it is kept.
inline void check_picture(const render::Picture& picture, const std::string& name) {
    if (std::getenv("PROXIMA_WRITE_REFERENCES")) {
        const Result<void> written = render::write_png(reference_file(name), shrunk(picture));
        CHECK_MESSAGE(written.ok(), written.error());
        return;
    }
    const double far = difference(picture, reference(name));
    CHECK_MESSAGE(far <= kMaxDifference, name, " differs by ", far);
}

}  // namespace proxima::test
