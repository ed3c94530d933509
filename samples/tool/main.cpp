// SPDX-License-Identifier: MIT
// The program `proxima`: lists, runs, solves, replays.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "engine/core/suggest.h"
#include "samples/tool/tool.h"

int main(int argc, char** argv) {
    using namespace proxima::tool;
    int exit_code = kExitOk;
    CLI::App program("Proxima: real-time physics with contact and friction that can be trusted");
    program.set_version_flag("--version", std::string("proxima ") + PROXIMA_VERSION);
    program.require_subcommand(1);
    add_list_command(program, exit_code);
    add_run_command(program, exit_code);
    add_solve_command(program, exit_code);
    add_replay_command(program, exit_code);
    // The parser would only say that a command is missing.
    if (argc > 1 && argv[1][0] != '-') {
        const std::string asked = argv[1];
        std::vector<std::string> known;
        for (const CLI::App* command : program.get_subcommands({})) known.push_back(command->get_name());
        if (std::find(known.begin(), known.end(), asked) == known.end()) {
            std::fprintf(
                stderr,
                "proxima: There is no command '%s'; did you mean '%s'? `proxima --help` shows them all.\n",
                asked.c_str(), std::string(proxima::nearest_word(asked, known)).c_str());
            return kExitBadUsage;
        }
    }
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
        std::string sentence = error.what();
        if (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
        std::fprintf(stderr, "proxima: %s; `proxima --help` shows the commands and their flags.\n",
                     sentence.c_str());
        return kExitBadUsage;
    } catch (const std::exception& error) {
        return complain(std::string("this should not have happened: ") + error.what() + ".");
    }
    return exit_code;
}
