// SPDX-License-Identifier: MIT
#include "samples/tool/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <utility>

#include "engine/core/suggest.h"
#include "samples/tool/tool.h"

namespace proxima::tool {

Option& Option::required() {
    option_->required();
    return *this;
}

Option& Option::show_default() {
    option_->capture_default_str();
    return *this;
}

Option& Option::hide() {
    option_->group("");
    return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
    option_->check(CLI::IsMember(words));
    return *this;
}

Option& Option::between(int64_t least, int64_t most) {
    option_->check(CLI::Range(least, most));
    return *this;
}

Option& Option::positive() {
    option_->check(CLI::PositiveNumber);
    return *this;
}

std::string Command::name() const { return app_->get_name(); }

Command Command::add_command(const std::string& name, const std::string& description) const {
    return Command(app_->add_subcommand(name, description));
}

Option Command::add_option(const std::string& name, std::string& value, const std::string& description) const {
    return Option(app_->add_option(name, value, description));
}
Option Command::add_option(const std::string& name, int64_t& value, const std::string& description) const {
    return Option(app_->add_option(name, value, description));
}
Option Command::add_option(const std::string& name, uint32_t& value, const std::string& description) const {
    return Option(app_->add_option(name, value, description));
}
Option Command::add_option(const std::string& name, double& value, const std::string& description) const {
    return Option(app_->add_option(name, value, description));
}
Option Command::add_option(const std::string& name, std::optional<std::string>& value,
                           const std::string& description) const {
    return Option(app_->add_option(name, value, description));
}
Option Command::add_option(const std::string& name, std::optional<int64_t>& value,
                           const std::string& description) const {
    return Option(app_->add_option(name, value, description));
}
Option Command::add_option(const std::string& name, std::optional<double>& value,
                           const std::string& description) const {
    return Option(app_->add_option(name, value, description));
}
Option Command::add_option(const std::string& name, std::vector<std::string>& value,
                           const std::string& description) const {
    return Option(app_->add_option(name, value, description));
}
Option Command::add_flag(const std::string& name, bool& value, const std::string& description) const {
    return Option(app_->add_flag(name, value, description));
}

void Command::callback(std::function<void()> work) const { app_->callback(std::move(work)); }

void Command::require_command() const { app_->require_subcommand(1); }

void Command::hide() const { app_->group(""); }

Program::Program(std::unique_ptr<CLI::App> app) : Command(app.get()), own_(std::move(app)) {}

Program::Program(const std::string& description, const std::string& version)
    : Program(std::make_unique<CLI::App>(description)) {
    app_->set_version_flag("--version", version);
    require_command();
}

Program::~Program() = default;

int Program::parse(int argc, const char* const* argv) const {
    // Of a command that does not exist the parser would only say that one is missing.
    const CLI::App* level = app_;
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
                         asked.c_str(), std::string(nearest_word(asked, known)).c_str(),
                         level == app_ ? "" : (" " + level->get_name()).c_str());
            return kExitBadUsage;
        }
        level = found;
    }
    try {
        app_->parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app_->exit(error);  // --help, --version
        std::string sentence = error.what();
        if (!sentence.empty() && sentence.back() == '.') sentence.pop_back();
        std::fprintf(stderr, "proxima: %s; `proxima --help` shows the commands and their flags.\n", sentence.c_str());
        return kExitBadUsage;
    } catch (const std::exception& error) {
        return complain(std::string("this should not have happened: ") + error.what() + ".");
    }
    return kExitOk;
}

}  // namespace proxima::tool
