// SPDX-License-Identifier: MIT
// The program `proxima`: lists, runs, tries laws, solves, replays, plays, edits, measures.
#include <string>

#include "engine/profile/zone.h"
#include "samples/tool/command_line.h"
#include "samples/tool/tool.h"

int main(int argc, char** argv) {
    using namespace proxima::tool;
    int exit_code = kExitOk;
    proxima::engine::set_thread_name("main");
    const Program program("Proxima: real-time physics with contact and friction that can be trusted",
                          std::string("proxima ") + PROXIMA_VERSION);
    std::string command_line;
    for (int i = 0; i < argc; ++i) command_line += (i > 0 ? " " : "") + std::string(argv[i]);
    add_list_command(program, exit_code);
    add_run_command(program, exit_code);
    add_laws_command(program, exit_code);
    add_solve_command(program, exit_code, command_line);
    add_replay_command(program, exit_code);
    add_play_command(program, exit_code);
    add_edit_command(program, exit_code);
    add_bench_command(program, exit_code, command_line);
    const int parsed = program.parse(argc, argv);
    return parsed == kExitOk ? exit_code : parsed;
}
