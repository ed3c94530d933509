// SPDX-License-Identifier: MIT
// Colours that pictures are made of: of bodies, of islands, and of the heat scale.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "render/draw_list.h"

namespace proxima::render {

constexpr uint32_t red_of(Colour c) { return c & 255; }
constexpr uint32_t green_of(Colour c) { return c >> 8 & 255; }
constexpr uint32_t blue_of(Colour c) { return c >> 16 & 255; }
constexpr uint32_t alpha_of(Colour c) { return c >> 24; }
constexpr Colour with_alpha(Colour c, uint32_t alpha) { return (c & 0x00FFFFFFu) | alpha << 24; }

/// From a (t = 0) to b (t = 1), alpha included.
constexpr Colour mix(Colour a, Colour b, float t) {
    const auto channel = [&](uint32_t x, uint32_t y) { return uint32_t(float(x) + (float(y) - float(x)) * t + 0.5f); };
    return rgba(channel(red_of(a), red_of(b)), channel(green_of(a), green_of(b)), channel(blue_of(a), blue_of(b)),
                channel(alpha_of(a), alpha_of(b)));
}

/// Quieter and darker: of what takes no part.
constexpr Colour dimmed(Colour c) {
    const uint32_t grey = (3 * red_of(c) + 6 * green_of(c) + blue_of(c)) / 10;
    return mix(mix(c, rgba(grey, grey, grey, alpha_of(c)), 0.55f), rgba(40, 44, 52, alpha_of(c)), 0.3f);
}

inline constexpr std::array<Colour, 12> kPalette = {rgba(226, 109, 82),  rgba(240, 160, 96),  rgba(232, 196, 108),
                                                    rgba(150, 185, 105), rgba(84, 160, 128),  rgba(48, 150, 152),
                                                    rgba(84, 150, 196),  rgba(74, 112, 172),  rgba(110, 104, 184),
                                                    rgba(160, 116, 190), rgba(206, 116, 160), rgba(188, 96, 92)};

/// Always the same for a number. Steps of the golden ratio around the palette: numbers that follow each other
/// are far apart, which no hash promises.
constexpr Colour palette_colour(uint32_t number) {
    constexpr uint32_t kGolden = 0x9E3779B9u;  // of 2^32
    return kPalette[uint64_t(number * kGolden) * kPalette.size() >> 32];
}

/// 0: cold and dark blue, over cyan, green and yellow to 1: hot and red.
constexpr Colour heat_colour(float t) {
    constexpr std::array<Colour, 6> kSteps = {rgba(48, 50, 140),  rgba(50, 130, 220), rgba(50, 200, 170),
                                              rgba(150, 215, 70), rgba(250, 190, 50), rgba(225, 50, 40)};
    const float at = std::clamp(t, 0.0f, 1.0f) * float(kSteps.size() - 1);
    const size_t step = std::min(size_t(at), kSteps.size() - 2);
    return mix(kSteps[step], kSteps[step + 1], at - float(step));
}

}  // namespace proxima::render
