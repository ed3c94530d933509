// SPDX-License-Identifier: MIT
// A finished picture on the host, and how it is kept: as a PNG file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace proxima::render {

struct Picture {
    uint32_t width = 0, height = 0;
    std::vector<uint8_t> pixels;  // r, g, b, a; rows from top to bottom
};

Result<void> write_png(const std::string& file, const Picture& picture);
Result<Picture> read_png(const std::string& file);

}  // namespace proxima::render
