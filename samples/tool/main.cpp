// SPDX-License-Identifier: MIT
// The program `proxima`: lists, runs, solves, replays, plays, edits, measures.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "engine/core/suggest.h"
#include "engine/profile/zone.h"
#include "samples/tool/tool.h"

int main(int argc, char** argv) {
    using namespace proxima::tool;
    int exit_code = kExitOk;
    proxima::engine::set_thread_name("main");
    CLI::App program("Proxima: real-time physics with contact and friction that can be trusted");
    program.set_version_flag("--version", std::string("proxima ") + PROXIMA_VERSION);
    program.require_subcommand(1);
    std::string command_line;
    for (int i = 0; i < argc; ++i) command_line += (i > 0 ? " " : "") + std::string(argv[i]);
    add_list_command(program, exit_code);
    add_run_command(program, exit_code);
    add_solve_command(program, exit_code, command_line);
    add_replay_command(program, exit_code);
    add_play_command(program, exit_code);
    add_edit_command(program, exit_code);
    add_bench_command(program, exit_code, command_line);
    // The parser would only say that a command is missing.
    const CLI::App* level = &program;
    for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
        const std::string asked = argv[i];
        std::vector<std::string> known;
        const CLI::App* found = nullptr;
        for (const CLI::App* command : level->get_subcommands({})) {
            if (command->get_name() == asked) found = command;
            if (!command->get_group().empty()) known.push_back(command->get_name());
        }
        if (known.empty()) break;  // what follows are arguments
        if (!found) {
            std::fprintf(stderr,
                         "proxima: There is no command '%s'; did you mean '%s'? `proxima%s --help` shows them all.\n",
                         asked.c_str(), std::string(proxima::nearest_word(asked, known)).c_str(),
                         level == &program ? "" : (" " + level->get_name()).c_str());
            return kExitBadUsage;
        }
        level = found;
    }
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
        std::string sentence = error.what();
        if (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
        std::fprintf(stderr, "proxima: %s; `proxima --help` shows the commands and their flags.\n", sentence.c_str());
        return kExitBadUsage;
    } catch (const std::exception& error) {
        return complain(std::string("this should not have happened: ") + error.what() + ".");
    }
    return exit_code;
}
