// SPDX-License-Identifier: MIT
#include "samples/tool/tool.h"

#include <cstdio>
#include <filesystem>
#include <vector>

#include "engine/core/atomic_file.h"
#include "engine/core/suggest.h"
#include "physics/solvers/solver.h"
#include "samples/scenes/scenes.h"

namespace proxima::tool {

int complain(const std::string& sentence) {
    std::fprintf(stderr, "proxima: %s\n", sentence.c_str());
    return kExitBadInput;
}

Result<physics::SceneDesc> find_scene(const std::string& name_or_file) {
    std::error_code error;
    const bool looks_like_file = name_or_file.ends_with(".json") || name_or_file.find('/') != std::string::npos;
    Result<physics::SceneDesc> built_in = samples::make_scene(name_or_file);
    if (looks_like_file || (!built_in && std::filesystem::is_regular_file(name_or_file, error)))
        return physics::load_scene(name_or_file);
    return built_in;
}

Result<void> check_solver(const std::string& name) {
    if (physics::find_solver(name)) return {};
    std::vector<std::string_view> known;
    for (const physics::Solver& solver : physics::solver_table()) known.push_back(solver.name);
    return Error{"There is no solver called '" + name + "'; did you mean '" + std::string(nearest_word(name, known)) +
                 "'? `proxima list` shows them all."};
}

Result<void> prepare_folder(const std::string& folder) {
    if (folder.empty()) return {};
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!std::filesystem::is_directory(folder, error))
        return Error{"--out is '" + folder + "', which is not a folder and cannot be made one."};
    return check_writable((std::filesystem::path(folder) / "check").string());
}

}  // namespace proxima::tool
