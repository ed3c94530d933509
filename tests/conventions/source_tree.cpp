// SPDX-License-Identifier: MIT
#include "tests/conventions/source_tree.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace proxima::conventions {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 10> kCodeEndings = {".h",    ".hpp",  ".cpp",  ".inl",  ".c",
                                                           ".glsl", ".comp", ".vert", ".frag", ".hlsl"};

bool is_left_out(const fs::path& folder) {
    const fs::path name = folder.filename();
    return name == ".git" || name == "build" || name == "out" || name == ".cache" || name == ".vscode" ||
           name == ".idea" || fs::exists(folder / "CMakeCache.txt");
}

}  // namespace

std::vector<SourceFile> read_project() {
    const fs::path root = PROXIMA_SOURCE_DIR;
    std::vector<SourceFile> files;
    for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
        if (it->is_directory() && is_left_out(it->path())) {
            it.disable_recursion_pending();
            continue;
        }
        if (!it->is_regular_file() || it->path().filename() == ".git") continue;  // a work tree's is a file
        std::ifstream in(it->path(), std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        SourceFile file{fs::relative(it->path(), root).generic_string(), text.str()};
        // Pictures and other binary data hold zero bytes; text does not.
        if (file.text.find('\0') == std::string::npos) files.push_back(std::move(file));
    }
    std::sort(files.begin(), files.end(), [](const auto& x, const auto& y) { return x.path < y.path; });
    return files;
}

std::string to_text(const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& finding : findings) {
        text += "\n" + finding.path + ":" + std::to_string(finding.line) + ": " + finding.message;
    }
    return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

bool is_code(std::string_view path) {
    return std::any_of(kCodeEndings.begin(), kCodeEndings.end(),
                       [&](std::string_view ending) { return path.ends_with(ending); });
}

}  // namespace proxima::conventions
