// SPDX-License-Identifier: MIT
#include "render/picture.h"

#include <climits>
#include <memory>
#include <string_view>

#include "engine/core/atomic_file.h"

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#include <stb_image.h>
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#include <stb_image_write.h>

namespace proxima::render {

Result<void> write_png(const std::string& file, const Picture& picture) {
    const uint64_t bytes = uint64_t(picture.width) * picture.height * 4;
    if (bytes == 0) return Error{"Cannot write '" + file + "': the picture has no pixels."};
    if (bytes > uint64_t(INT_MAX) / 2)
        return Error{"Cannot write '" + file + "': the picture is larger than a gigabyte."};
    if (picture.pixels.size() != bytes)
        return Error{"Cannot write '" + file + "': a picture of " + std::to_string(picture.width) + " x " +
                     std::to_string(picture.height) + " has " + std::to_string(bytes) + " bytes, not " +
                     std::to_string(picture.pixels.size()) + "."};
    std::string out;
    const auto append = [](void* to, void* data, int size) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(data), size_t(size));
    };
    if (!stbi_write_png_to_func(append, &out, int(picture.width), int(picture.height), 4, picture.pixels.data(),
                                int(picture.width * 4)))
        return Error{"Cannot write '" + file + "': there is not enough memory to pack the picture."};
    return write_file(file, out);
}

Result<Picture> read_png(const std::string& file) {
    Result<std::string> bytes = read_file(file);
    if (!bytes) return Error{bytes.error()};
    constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
    if (!std::string_view(*bytes).starts_with(kSignature))
        return Error{"Cannot read '" + file + "': it is not a PNG file."};
    if (bytes->size() > size_t(INT_MAX)) return Error{"Cannot read '" + file + "': it is too large."};
    int width = 0, height = 0, channels = 0;
    const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
        stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(bytes->data()), int(bytes->size()), &width, &height,
                              &channels, 4),
        stbi_image_free);
    if (!pixels) return Error{"Cannot read '" + file + "': the PNG is broken (" + stbi_failure_reason() + ")."};
    Picture picture;
    picture.width = uint32_t(width);
    picture.height = uint32_t(height);
    picture.pixels.assign(pixels.get(), pixels.get() + size_t(width) * size_t(height) * 4);
    return picture;
}

}  // namespace proxima::render
