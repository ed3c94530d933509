// SPDX-License-Identifier: MIT
// What the commands of the program share. Each command stands in a file of its own: it declares its flags
// and, when it is the one that was asked for, runs.
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/result.h"
#include "physics/scene/scene.h"
#include "samples/tool/command_line.h"

namespace proxima::tool {

inline constexpr int kExitOk = 0;
inline constexpr int kExitBadInput = 1;  // a scene, file or value that cannot be used
inline constexpr int kExitBadUsage = 2;  // a command or flag that does not exist

/// Prints "proxima: sentence" to stderr and returns the exit code for bad input.
int complain(const std::string& sentence);

// Each adds its subcommand to the program; `exit_code` receives the result when it has run.
void add_list_command(const Command& program, int& exit_code);
void add_laws_command(const Command& program, int& exit_code);
void add_run_command(const Command& program, int& exit_code);
void add_replay_command(const Command& program, int& exit_code);
void add_play_command(const Command& program, int& exit_code);
void add_edit_command(const Command& program, int& exit_code);
/// `command_line` is what the program was started with; it stands on the cards of the machine.
void add_solve_command(const Command& program, int& exit_code, const std::string& command_line);
void add_bench_command(const Command& program, int& exit_code, const std::string& command_line);
/// A suite of `bench` in a file of its own.
void add_bench_gpu_command(const Command& bench, int& exit_code, const std::string& command_line);
void add_bench_frames_command(const Command& bench, int& exit_code, const std::string& command_line);

/// The folder of --out: one that files can be written into, made when it is not there. Empty is no folder.
Result<void> prepare_folder(const std::string& folder);
/// A built-in scene by name, or a scene file.
Result<physics::SceneDesc> find_scene(const std::string& name_or_file);
/// A sentence with the nearest known solver when there is none of this name.
Result<void> check_solver(const std::string& name);

}  // namespace proxima::tool
