// SPDX-License-Identifier: MIT
#include "tests/conventions/layering.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>

namespace proxima::conventions {

namespace {

constexpr std::array<std::string_view, 7> kFolders = {"third_party", "engine",  "physics", "compute",
                                                      "render",      "samples", "tests"};

std::string_view folder_of(std::string_view path) {
    const std::string_view folder = path.substr(0, path.find('/'));
    return std::find(kFolders.begin(), kFolders.end(), folder) != kFolders.end() ? folder : std::string_view();
}

bool starts_with_any(std::string_view path, std::initializer_list<std::string_view> starts) {
    return std::any_of(starts.begin(), starts.end(), [&](std::string_view s) { return path.starts_with(s); });
}

/// Whether the file at `from` may include the file at `to`, both from the root.
bool may_see(std::string_view from, std::string_view to) {
    const std::string_view folder = folder_of(from);
    if (folder == "tests") return true;
    if (folder == "third_party") return folder_of(to) == "third_party";
    if (folder == "engine") return starts_with_any(to, {"engine/"});
    if (folder == "physics") return starts_with_any(to, {"engine/", "physics/"});
    if (folder == "compute") return starts_with_any(to, {"engine/", "physics/", "compute/"});
    if (folder == "render")
        return to == "physics/components.h" || to == "physics/shapes/shape.h" ||
               to == "physics/shapes/shape_classes.h" || starts_with_any(to, {"engine/", "physics/debug/", "render/"});
    // Scenes draw nothing: they are linked by tests and benchmarks that have no window.
    if (from.starts_with("samples/scenes/")) return starts_with_any(to, {"engine/", "physics/", "samples/scenes/"});
    // Games say what they want shown in the words of the draw list, and know no renderer.
    if (from.starts_with("samples/games/"))
        return to == "render/draw_list.h" ||
               starts_with_any(to, {"engine/", "physics/", "samples/scenes/", "samples/games/"});
    // What an editor does is tested without what it looks like.
    if (from.starts_with("samples/editor/model/"))
        return starts_with_any(to, {"engine/", "physics/", "samples/editor/model/"});
    return starts_with_any(to, {"engine/", "physics/", "compute/", "render/", "samples/"});
}

/// Folders that must build on a machine without a GPU or a display.
bool is_headless(std::string_view path) {
    return (path.starts_with("engine/") && !starts_with_any(path, {"engine/gpu/", "engine/window/"})) ||
           starts_with_any(path, {"physics/", "render/extract/", "render/text/", "samples/scenes/", "samples/games/",
                                  "samples/editor/model/"});
}

bool is_gpu_or_window(std::string_view header) {
    return starts_with_any(header, {"vulkan/", "volk", "vk_mem_alloc", "GLFW/", "imgui"});
}

struct Include {
    std::string_view target;
    bool angle = false;
};

std::optional<Include> parse_include(std::string_view line) {
    const auto skip_blanks = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    skip_blanks();
    if (!line.starts_with('#')) return std::nullopt;
    line.remove_prefix(1);
    skip_blanks();
    constexpr std::string_view kWord = "include";
    if (!line.starts_with(kWord)) return std::nullopt;
    line.remove_prefix(kWord.size());
    skip_blanks();
    if (line.empty() || (line[0] != '"' && line[0] != '<')) return std::nullopt;
    const bool angle = line[0] == '<';
    const size_t end = line.find(angle ? '>' : '"', 1);
    if (end == std::string_view::npos) return std::nullopt;
    return Include{line.substr(1, end - 1), angle};
}

}  // namespace

std::vector<Finding> check_layering(const std::vector<SourceFile>& files) {
    std::set<std::string_view> known;
    for (const SourceFile& file : files) known.insert(file.path);

    std::vector<Finding> findings;
    for (const SourceFile& file : files) {
        if (!is_code(file.path) || folder_of(file.path).empty()) continue;
        int number = 0;
        for (const std::string_view line : lines_of(file.text)) {
            ++number;
            const std::optional<Include> include = parse_include(line);
            if (!include) continue;
            const std::string target(include->target);
            const auto report = [&](std::string message) {
                findings.push_back({file.path, number, std::move(message)});
            };
            if (include->angle) {
                if (known.contains(target)) {
                    report("<" + target + "> is our own: write it in quotes");
                } else if (is_headless(file.path) && is_gpu_or_window(target)) {
                    report("this folder must run without a GPU or a window, so not <" + target + ">");
                }
            } else if (folder_of(file.path) == "third_party") {
                continue;  // foreign names, foreign habits; nothing of ours can be reached by them
            } else if (!known.contains(target)) {
                report("\"" + target + "\" is not a file seen from the root of the project");
            } else if (!may_see(file.path, target)) {
                report("this folder may not see " + target);
            }
        }
    }
    return findings;
}

std::vector<Finding> check_shape_types(const std::vector<SourceFile>& files) {
    constexpr std::string_view kType = "ShapeType::", kSpace = "physics::", kLetters = "abcdefghijklmnopqrstuvwxyz_";
    std::vector<Finding> findings;
    for (const SourceFile& file : files) {
        if (!is_code(file.path) || starts_with_any(file.path, {"physics/shapes/", "physics/narrowphase/", "tests/"}))
            continue;
        int number = 0;
        for (const std::string_view line : lines_of(file.text)) {
            ++number;
            for (size_t at = line.find(kType); at != std::string_view::npos; at = line.find(kType, at + 1)) {
                std::string_view before = line.substr(0, at), after = line.substr(at + kType.size());
                // Types of other libraries begin with a capital.
                const size_t end = std::min(after.find_first_not_of(kLetters), after.size());
                if (end == 0) continue;
                after.remove_prefix(end);
                if (before.ends_with(kSpace)) before.remove_suffix(kSpace.size());
                const bool asks = before.ends_with("case ") || before.ends_with("== ") || before.ends_with("!= ") ||
                                  after.starts_with(" ==") || after.starts_with(" !=");
                if (asks) findings.push_back({file.path, number, "ask the row of shape_classes.h, not for a type"});
            }
        }
    }
    return findings;
}

}  // namespace proxima::conventions
