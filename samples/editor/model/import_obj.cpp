// SPDX-License-Identifier: MIT
#include <charconv>
#include <cmath>

#include "engine/core/suggest.h"
#include "samples/editor/model/import.h"

namespace proxima::editor {

namespace {

/// The next word of a line; empty at its end. Takes it off the line.
std::string_view next_word(std::string_view& line) {
    const size_t begin = line.find_first_not_of(" \t\r\f\v");
    if (begin == std::string_view::npos) return line = {};
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r\f\v"));
    line.remove_prefix(word.size());
    return word;
}

bool parse_float(std::string_view word, float& value) {
    if (word.starts_with('+')) word.remove_prefix(1);
    double wide = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), wide);
    value = float(wide);
    return error == std::errc() && end == word.data() + word.size() && std::isfinite(value);
}

Error at_line(const std::string& name, size_t line, const std::string& what) {
    return Error{"'" + name + "', line " + std::to_string(line) + ": " + what};
}

}  // namespace

Result<std::vector<Vec3>> read_obj(std::string_view text, const std::string& name) {
    std::vector<Vec3> vertices;
    std::vector<uint8_t> used;
    bool has_faces = false;
    size_t number = 0;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        ++number;
        line = line.substr(0, line.find('#'));
        const std::string_view kind = next_word(line);
        if (kind == "v") {
            Vec3 v(0.0f);
            for (int i = 0; i < 3; ++i)
                if (!parse_float(next_word(line), v[i]))
                    return at_line(name, number, "a vertex needs three finite numbers.");
            vertices.push_back(v);
            used.push_back(0);
        } else if (kind == "f" || kind == "l" || kind == "p") {
            size_t corners = 0;
            for (std::string_view word = next_word(line); !word.empty(); word = next_word(line), ++corners) {
                // "7", "7/2", "7//3", "7/2/3": only the first number is a vertex. Negative ones count back
                // from the last vertex so far.
                if (word == "\\") return at_line(name, number, "lines that go on in the next are not read.");
                int64_t index = 0;
                const auto [after, error] = std::from_chars(word.data(), word.data() + word.size(), index);
                const bool whole = after == word.data() + word.size() || *after == '/';
                const int64_t count = int64_t(vertices.size());
                if (error != std::errc() || !whole)
                    return at_line(name, number, "'" + clip(word) + "' is not the number of a vertex.");
                const int64_t at = index > 0 ? index - 1 : count + index;
                if (index == 0 || at < 0 || at >= count)
                    return at_line(name, number,
                                   "vertex " + std::to_string(index) + " is named, but " + std::to_string(count) +
                                       " have come so far.");
                used[size_t(at)] = 1;
            }
            if (kind != "f") continue;
            if (corners < 3) return at_line(name, number, "a face needs at least three vertices.");
            has_faces = true;
        }
    }
    if (vertices.empty()) return Error{"'" + name + "' has no vertices (lines that begin with 'v')."};
    if (!has_faces) return vertices;
    std::vector<Vec3> points;
    for (size_t i = 0; i < vertices.size(); ++i)
        if (used[i]) points.push_back(vertices[i]);
    return points;
}

}  // namespace proxima::editor
