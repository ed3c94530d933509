// SPDX-License-Identifier: MIT
#include "render/text/font_atlas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

#include "engine/core/assert.h"
#include "engine/core/atomic_file.h"

#define STB_RECT_PACK_IMPLEMENTATION
#define STBRP_STATIC
#include <stb_rect_pack.h>
#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#include <stb_truetype.h>

// This header has functions without `inline`, of which one is used.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include <stb_easy_font.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace proxima::render {

namespace {

constexpr std::array<float, 5> kSizes = {13.0f, 16.0f, 20.0f, 28.0f, 44.0f};
constexpr uint32_t kMissing = 0xFFFD;  // the sign for what is not there
constexpr int kWidth = 1024, kTallest = 8192;
constexpr int kWhite = 4;  // side of the white square

struct Range {
    int first, count;
};
constexpr std::array<Range, 8> kRanges = {{{0x20, 95},     // ASCII
                                           {0xA0, 224},    // Latin
                                           {0x391, 57},    // Greek
                                           {0x2010, 23},   // dashes, quotes, dots
                                           {0x2070, 32},   // raised and lowered digits
                                           {0x2190, 6},    // arrows
                                           {0x2202, 100},  // signs of mathematics
                                           {int(kMissing), 1}}};

/// One byte of coverage per pixel to white with alpha; a white square goes into the corner kept for it.
void finish(FontAtlas& atlas, const std::vector<uint8_t>& coverage, uint32_t width, uint32_t height) {
    atlas.picture.width = width;
    atlas.picture.height = height;
    atlas.picture.pixels.assign(size_t(width) * height * 4, 255);
    for (size_t i = 0; i < coverage.size(); ++i) atlas.picture.pixels[4 * i + 3] = coverage[i];
    for (uint32_t y = height - kWhite; y < height; ++y)
        for (uint32_t x = width - kWhite; x < width; ++x) atlas.picture.pixels[(size_t(y) * width + x) * 4 + 3] = 255;
    atlas.white_u = (float(width) - 0.5f * kWhite) / float(width);
    atlas.white_v = (float(height) - 0.5f * kWhite) / float(height);
    for (FontSize& size : atlas.sizes)
        std::sort(size.glyphs.begin(), size.glyphs.end(),
                  [](const Glyph& a, const Glyph& b) { return a.code < b.code; });
}

/// All sizes into a texture of that height; false when they do not fit.
bool pack(const unsigned char* font, const stbtt_fontinfo& info, float scale, int height, FontAtlas& atlas) {
    std::vector<uint8_t> coverage(size_t(kWidth) * size_t(height), 0);
    stbtt_pack_context context;
    // The last rows stay free for the white square.
    const int usable = height - kWhite - 1;
    if (!stbtt_PackBegin(&context, coverage.data(), kWidth, usable, kWidth, 1, nullptr)) return false;
    stbtt_PackSetSkipMissingCodepoints(&context, 1);
    atlas.sizes.clear();
    bool fits = true;
    for (const float base : kSizes) {
        FontSize size;
        size.pixels = std::round(base * scale);
        int ascent = 0, descent = 0, gap = 0;
        stbtt_GetFontVMetrics(&info, &ascent, &descent, &gap);
        const float unit = stbtt_ScaleForPixelHeight(&info, size.pixels);
        size.ascent = std::round(float(ascent) * unit);
        size.line_height = std::round(float(ascent - descent + gap) * unit);
        for (const Range& range : kRanges) {
            std::vector<stbtt_packedchar> packed(size_t(range.count));
            std::memset(packed.data(), 0, packed.size() * sizeof(stbtt_packedchar));
            // What it returns says nothing: 0 also where the font lacks a letter.
            stbtt_PackFontRange(&context, font, 0, size.pixels, range.first, range.count, packed.data());
            for (int i = 0; i < range.count; ++i) {
                const stbtt_packedchar& c = packed[size_t(i)];
                const int code = range.first + i;
                if (!stbtt_FindGlyphIndex(&info, code)) continue;
                // Letters without ink, as a space, have a width only.
                const bool ink = !stbtt_IsGlyphEmpty(&info, stbtt_FindGlyphIndex(&info, code));
                if (ink && c.x1 == c.x0) fits = false;
                size.glyphs.push_back({uint32_t(code), float(c.x0) / kWidth, float(c.y0) / float(height),
                                       float(c.x1) / kWidth, float(c.y1) / float(height), c.xoff, c.yoff, c.xoff2,
                                       c.yoff2, c.xadvance});
            }
        }
        atlas.sizes.push_back(std::move(size));
    }
    stbtt_PackEnd(&context);
    if (fits) finish(atlas, coverage, uint32_t(kWidth), uint32_t(height));
    return fits;
}

/// Where systems keep a font of the DejaVu family, below the folders that have fonts.
std::vector<std::string> font_files(const std::string& name) {
    std::vector<std::filesystem::path> folders;
    if (const char* given = std::getenv("PROXIMA_FONT")) return {given};
    const std::filesystem::path share = "/usr/share/fonts";
    folders.push_back(share / "truetype" / "dejavu");
    folders.push_back(share / "dejavu");
    folders.push_back(share / "dejavu-sans-fonts");
    folders.push_back(share / "TTF");
    if (const char* home = std::getenv("HOME")) {
        folders.push_back(std::filesystem::path(home) / ".local" / "share" / "fonts");
        folders.push_back(std::filesystem::path(home) / ".fonts");
        folders.push_back(std::filesystem::path(home) / "Library" / "Fonts");
    }
    std::vector<std::string> files;
    for (const std::filesystem::path& folder : folders) files.push_back((folder / name).string());
    return files;
}

/// The first four bytes of TrueType and OpenType files.
bool begins_as_font(const std::string& file) {
    std::array<char, 4> head{};
    std::ifstream stream(file, std::ios::binary);
    if (!stream.read(head.data(), head.size())) return false;
    const std::string_view first(head.data(), head.size());
    return first == std::string_view("\0\1\0\0", 4) || first == "true" || first == "OTTO";
}

}  // namespace

std::string find_font(const std::string& name) {
    for (const std::string& file : font_files(name))
        if (begins_as_font(file)) return file;
    return {};
}

const Glyph& FontSize::get(uint32_t code) const {
    PX_ASSERT(!glyphs.empty(), "a font has letters");
    const auto find = [&](uint32_t wanted) {
        const auto at = std::lower_bound(glyphs.begin(), glyphs.end(), wanted,
                                         [](const Glyph& glyph, uint32_t c) { return glyph.code < c; });
        return at != glyphs.end() && at->code == wanted ? &*at : nullptr;
    };
    for (const uint32_t wanted : {code, kMissing, uint32_t('?')})
        if (const Glyph* glyph = find(wanted)) return *glyph;
    return glyphs.front();
}

const FontSize& FontAtlas::best(float pixels) const {
    for (const FontSize& size : sizes)
        if (size.pixels >= pixels - 0.01f) return size;
    return sizes.back();
}

Result<FontAtlas> make_font_atlas(const std::string& file, float scale) {
    const Result<std::string> bytes = read_file(file);
    if (!bytes) return Error{bytes.error()};
    const auto* font = reinterpret_cast<const unsigned char*>(bytes->data());
    stbtt_fontinfo info;
    // The library trusts what a font says of itself; a first look at least tells what is none.
    const bool is_font =
        bytes->size() > 1024 && stbtt_GetFontOffsetForIndex(font, 0) == 0 && stbtt_InitFont(&info, font, 0);
    if (!is_font) return Error{"Cannot read the font '" + file + "': it is not a TrueType file."};
    FontAtlas atlas;
    for (int height = 256; height <= kTallest; height *= 2)
        if (pack(font, info, scale, height, atlas)) return atlas;
    return Error{"Cannot draw the font '" + file + "' at a scale of " + std::to_string(scale) +
                 ": its letters do not fit into one texture."};
}

FontAtlas make_builtin_atlas(float scale) {
    // stb_easy_font draws letters as rectangles on a grid of pixels; each becomes `zoom` x `zoom` here.
    constexpr int kCell = 16, kColumns = 16, kRows = 6;
    FontAtlas atlas;
    const int zoom = std::max(1, int(std::lround(scale)));
    const int cell = kCell * zoom, width = cell * kColumns, height = cell * kRows + cell;
    std::vector<uint8_t> coverage(size_t(width) * size_t(height), 0);
    FontSize size;
    size.pixels = 13.0f * float(zoom);
    size.ascent = 10.0f * float(zoom);
    size.line_height = 14.0f * float(zoom);
    struct Corner {
        float x, y, z;
        unsigned char colour[4];
    };
    std::array<Corner, 4 * 64> corners;
    for (int code = 0x20; code < 0x7F; ++code) {
        char text[2] = {char(code), 0};
        const int quads = stb_easy_font_print(0.0f, 0.0f, text, nullptr, corners.data(), int(sizeof(corners)));
        const int left = (code - 0x20) % kColumns * cell, top = (code - 0x20) / kColumns * cell;
        for (int q = 0; q < quads; ++q) {
            const Corner &a = corners[size_t(4 * q)], &b = corners[size_t(4 * q + 2)];
            for (int y = int(a.y) * zoom; y < int(b.y) * zoom; ++y)
                for (int x = int(a.x) * zoom; x < int(b.x) * zoom; ++x)
                    coverage[size_t(top + y) * size_t(width) + size_t(left + x)] = 255;
        }
        const float extent = float(cell - zoom);  // a free column between letters
        size.glyphs.push_back({uint32_t(code), float(left) / float(width), float(top) / float(height),
                               (float(left) + extent) / float(width), (float(top) + extent) / float(height), 0.0f,
                               -size.ascent, extent, extent - size.ascent, float(stb_easy_font_width(text) * zoom)});
    }
    atlas.sizes.push_back(std::move(size));
    finish(atlas, coverage, uint32_t(width), uint32_t(height));
    return atlas;
}

FontAtlas make_font_atlas(float scale) {
    std::string why;
    for (const std::string& file : font_files("DejaVuSans.ttf")) {
        std::error_code ignored;
        if (!std::filesystem::exists(file, ignored)) continue;
        Result<FontAtlas> atlas = make_font_atlas(file, scale);
        if (atlas) return std::move(atlas).value();
        why = atlas.error() + " ";
    }
    FontAtlas atlas = make_builtin_atlas(scale);
    atlas.note = why +
                 "The font DejaVu Sans was not found, so texts are drawn in simple letters; on Debian "
                 "fonts-dejavu-core brings it, and PROXIMA_FONT may name another TrueType file.";
    return atlas;
}

}  // namespace proxima::render
