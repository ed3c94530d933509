// SPDX-License-Identifier: MIT
#include "tests/shell/shell_test.h"

#include <cstring>
#include <set>

namespace proxima::test {

size_t count_colours(const render::Picture& picture, size_t most) {
    std::set<uint32_t> colours;
    for (size_t i = 0; i + 3 < picture.pixels.size() && colours.size() < most; i += 4) {
        uint32_t colour = 0;
        std::memcpy(&colour, &picture.pixels[i], 4);
        colours.insert(colour);
    }
    return colours.size();
}

}  // namespace proxima::test
