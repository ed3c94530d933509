// SPDX-License-Identifier: MIT
#include "tests/conventions/writing.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

namespace proxima::conventions {

namespace {

bool is_script_or_build_file(std::string_view path) {
    return path.ends_with(".sh") || path.ends_with(".cmake") || path.ends_with(".cmake.in") ||
           path.ends_with("CMakeLists.txt") || path == ".ci/run";
}

// Switches that a library reads from the including file.
constexpr std::array<std::string_view, 8> kLibrarySwitches = {"GLM_",   "DOCTEST_CONFIG_", "STB", "VK_",
                                                              "IMGUI_", "GLFW_",           "BT_", "TINY"};

/// The name a line defines with #define; empty when it defines none.
std::string_view defined_name(std::string_view line) {
    const auto skip_blanks = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    skip_blanks();
    if (!line.starts_with('#')) return {};
    line.remove_prefix(1);
    skip_blanks();
    constexpr std::string_view kWord = "define";
    if (!line.starts_with(kWord)) return {};
    line.remove_prefix(kWord.size());
    skip_blanks();
    const auto end = std::find_if(line.begin(), line.end(),
                                  [](char c) { return c != '_' && std::isalnum(static_cast<unsigned char>(c)) == 0; });
    return line.substr(0, size_t(end - line.begin()));
}

/// The folders of a machine that no file may name, put together here so that this file does not name them either.
std::vector<std::string> machine_folders() {
    std::vector<std::string> folders;
    for (const char* name :
         {"home", "work", "tmp", "root", "opt", "mnt", "Users", "usr/include", "usr/lib", "usr/local"}) {
        folders.push_back(std::string("/") + name + "/");
    }
    return folders;
}

/// Hosts that packages come from, by their last labels.
std::vector<std::string> package_hosts() {
    std::vector<std::string> hosts;
    for (const char* name : {"debian", "pypi", "pythonhosted", "rust-lang", "anaconda"})
        hosts.push_back(std::string(name) + ".org");
    for (const char* name : {"ubuntu", "docker", "conda"}) hosts.push_back(std::string(name) + ".com");
    hosts.push_back(std::string("crates") + ".io");
    hosts.push_back(std::string("docker") + ".io");
    return hosts;
}

/// Whether the character before a path says that the path begins there, and is not the tail of a longer one.
bool begins_path(std::string_view line, size_t at) {
    constexpr std::string_view kBefore = " \t\"'`=(<>[{,:;|";
    return at == 0 || kBefore.find(line[at - 1]) != std::string_view::npos;
}

/// A private word and what the field says. With `starts` it begins a longer name: a capital follows.
struct Word {
    std::string old, now;
    bool starts = false;
};

/// In two pieces each, so that this file does not use the words either.
std::vector<Word> private_words() {
    const std::string least = "Least", most = "Most";
    return {{"k" + most, "kMax", true},
            {"k" + least, "kMin", true},
            {std::string("bring_") + "home", "download"},
            {std::string("wide_") + "kernels", "simd_kernels"},
            {std::string("goes_") + "wide", "simd"},
            {std::string("choose_") + "ways", "assign_solvers"},
            {std::string("Island") + "Way", "island solver"},
            {std::string("dear_") + "steps", "over_budget_steps, missed_tolerance_steps"},
            {std::string("Body") + "Place", "BodyTransform"},
            {std::string("placed_") + "anew", "teleported"},
            {std::string("Scene") + "Facts", "SceneData"},
            {std::string("quiet_") + "time", "sleep_timer"},
            {std::string("look_") + "list", "narrowphase_queue"},
            {std::string("note_") + "contact", "update_touching"},
            {std::string("cut_") + "anew", "repartition"},
            {std::string("sets_") + "broken", "may_split"},
            {std::string("balls_") + "apart", "bounding_spheres_separated"}};
}

bool is_name_character(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool names(std::string_view line, const Word& word) {
    for (size_t at = line.find(word.old); at != std::string_view::npos; at = line.find(word.old, at + 1)) {
        if (at > 0 && is_name_character(line[at - 1])) continue;
        const size_t end = at + word.old.size();
        if (end == line.size() || !is_name_character(line[end])) return true;
        if (word.starts && std::isupper(static_cast<unsigned char>(line[end])) != 0) return true;
    }
    return false;
}

bool is_word_end(std::string_view line, size_t at) {
    return at >= line.size() || std::isalnum(static_cast<unsigned char>(line[at])) == 0;
}

}  // namespace

std::vector<Finding> check_first_lines(const std::vector<SourceFile>& files) {
    std::vector<Finding> findings;
    for (const SourceFile& file : files) {
        const bool code = is_code(file.path);
        if (!code && !is_script_or_build_file(file.path)) continue;
        const std::vector<std::string_view> lines = lines_of(file.text);
        if (code) {
            if (lines.empty() || lines[0] != "// SPDX-License-Identifier: MIT") {
                findings.push_back({file.path, 1, "the first line must be: // SPDX-License-Identifier: MIT"});
            }
        } else {
            // Scripts begin with the line that names their interpreter.
            const size_t at = !lines.empty() && lines[0].starts_with("#!") ? 1 : 0;
            if (lines.size() <= at || lines[at] != "# SPDX-License-Identifier: MIT") {
                findings.push_back({file.path, int(at) + 1, "this line must be: # SPDX-License-Identifier: MIT"});
            }
        }
        const bool header = file.path.ends_with(".h") || file.path.ends_with(".hpp");
        if (header && std::find(lines.begin(), lines.end(), "#pragma once") == lines.end()) {
            findings.push_back({file.path, 1, "a header needs #pragma once"});
        }
    }
    return findings;
}

std::vector<Finding> check_first_includes(const std::vector<SourceFile>& files) {
    std::set<std::string_view> headers;
    for (const SourceFile& file : files)
        if (file.path.ends_with(".h")) headers.insert(file.path);
    std::vector<Finding> findings;
    for (const SourceFile& file : files) {
        if (!file.path.ends_with(".cpp")) continue;
        const std::string header = file.path.substr(0, file.path.size() - 4) + ".h";
        if (!headers.contains(header)) continue;
        const std::string wanted = "#include \"" + header + "\"";
        const std::vector<std::string_view> lines = lines_of(file.text);
        const auto first = std::find_if(lines.begin(), lines.end(),
                                        [](std::string_view line) { return line.starts_with("#include"); });
        if (first == lines.end() || *first != wanted)
            findings.push_back({file.path, first == lines.end() ? 1 : int(first - lines.begin()) + 1,
                                "the first include must be: " + wanted});
    }
    return findings;
}

std::vector<Finding> check_macros(const std::vector<SourceFile>& files) {
    std::vector<Finding> findings;
    for (const SourceFile& file : files) {
        if (!is_code(file.path) || file.path.starts_with("third_party/")) continue;
        const bool home = file.path.starts_with("engine/core/") || file.path.starts_with("engine/profile/") ||
                          file.path.starts_with("engine/simd/");
        int number = 0;
        for (const std::string_view line : lines_of(file.text)) {
            ++number;
            const std::string_view name = defined_name(line);
            const auto is_switch = [&](std::string_view start) { return name.starts_with(start); };
            if (name.empty() || std::any_of(kLibrarySwitches.begin(), kLibrarySwitches.end(), is_switch)) continue;
            if (!home) {
                findings.push_back(
                    {file.path, number,
                     "macros live in engine/core, engine/profile and engine/simd only: " + std::string(name)});
            } else if (!name.starts_with("PX_")) {
                findings.push_back({file.path, number, "a macro's name begins with PX_: " + std::string(name)});
            }
        }
    }
    return findings;
}

std::vector<Finding> check_portable_text(const std::vector<SourceFile>& files) {
    const std::vector<std::string> folders = machine_folders();
    const std::vector<std::string> hosts = package_hosts();
    std::vector<Finding> findings;
    for (const SourceFile& file : files) {
        int number = 0;
        for (const std::string_view line : lines_of(file.text)) {
            ++number;
            for (const std::string& folder : folders) {
                for (size_t at = line.find(folder); at != std::string_view::npos; at = line.find(folder, at + 1)) {
                    if (begins_path(line, at))
                        findings.push_back({file.path, number, "names a place of one machine: " + folder});
                }
            }
            for (const std::string& host : hosts) {
                const size_t at = line.find(host);
                if (at == std::string_view::npos || !is_word_end(line, at + host.size())) continue;
                findings.push_back({file.path, number, "names a package server: " + host});
            }
        }
    }
    return findings;
}

std::vector<Finding> check_temporary_files(const std::vector<SourceFile>& files) {
    const std::string function = std::string("temp_directory") + "_path";  // so that this file does not name it
    std::vector<Finding> findings;
    for (const SourceFile& file : files) {
        if (!file.path.starts_with("tests/") || file.path == "tests/support/temporary_folder.h") continue;
        int number = 0;
        for (const std::string_view line : lines_of(file.text)) {
            ++number;
            if (line.find(function) != std::string_view::npos)
                findings.push_back({file.path, number, "files of tests lie in a test::TemporaryFolder"});
        }
    }
    return findings;
}

std::vector<Finding> check_vocabulary(const std::vector<SourceFile>& files) {
    const std::vector<Word> words = private_words();
    const std::string kernel_file = std::string(".wide") + ".cpp";
    std::vector<Finding> findings;
    for (const SourceFile& file : files) {
        if (file.path == "CHANGELOG.md" || file.path.starts_with("third_party/entt")) continue;
        if (file.path.ends_with(kernel_file)) findings.push_back({file.path, 1, "kernel files end in .simd.cpp"});
        int number = 0;
        for (const std::string_view line : lines_of(file.text)) {
            ++number;
            for (const Word& word : words)
                if (names(line, word))
                    findings.push_back({file.path, number, "the field does not say " + word.old + "; " + word.now});
            if (line.find(kernel_file) != std::string_view::npos)
                findings.push_back({file.path, number, "kernel files end in .simd.cpp"});
        }
    }
    return findings;
}

}  // namespace proxima::conventions
