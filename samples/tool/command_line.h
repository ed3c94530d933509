// SPDX-License-Identifier: MIT
// Commands, arguments and flags of the program. CLI11 stands behind it, in one source file: it is slow to
// compile, and every command of the program would pay for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT: its own name
class App;
class Option;
}  // namespace CLI

namespace proxima::tool {

/// An argument or flag of a command.
class Option {
  public:
    explicit Option(CLI::Option* option) : option_(option) {}
    Option& required();
    /// The value that its variable has now is shown in the help.
    Option& show_default();
    /// The help does not mention it.
    Option& hide();
    Option& one_of(const std::vector<std::string>& words);
    Option& between(int64_t least, int64_t most);
    Option& positive();

  private:
    CLI::Option* option_;
};

/// A command of the program. Options keep a reference to their variable, which must live as long.
class Command {
  public:
    explicit Command(CLI::App* app) : app_(app) {}
    std::string name() const;
    Command add_command(const std::string& name, const std::string& description) const;
    /// A name that begins with "--" is a flag with a value, any other an argument.
    Option add_option(const std::string& name, std::string& value, const std::string& description) const;
    Option add_option(const std::string& name, int64_t& value, const std::string& description) const;
    Option add_option(const std::string& name, uint32_t& value, const std::string& description) const;
    Option add_option(const std::string& name, double& value, const std::string& description) const;
    Option add_option(const std::string& name, std::optional<std::string>& value, const std::string& description) const;
    Option add_option(const std::string& name, std::optional<int64_t>& value, const std::string& description) const;
    Option add_option(const std::string& name, std::optional<double>& value, const std::string& description) const;
    /// May be given several times.
    Option add_option(const std::string& name, std::vector<std::string>& value, const std::string& description) const;
    /// A flag without a value.
    Option add_flag(const std::string& name, bool& value, const std::string& description) const;
    /// What is done when this is the command that was asked for.
    void callback(std::function<void()> work) const;
    /// One of its commands must be given.
    void require_command() const;
    /// The help does not mention it.
    void hide() const;

  protected:
    CLI::App* app_;
};

/// The program itself: the command that all others belong to.
class Program : public Command {
  public:
    Program(const std::string& description, const std::string& version);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// Calls the command that was asked for. What cannot be understood gets a sentence on stderr, and is the
    /// exit code for bad usage; all else is 0.
    int parse(int argc, const char* const* argv) const;

  private:
    explicit Program(std::unique_ptr<CLI::App> app);
    std::unique_ptr<CLI::App> own_;
};

}  // namespace proxima::tool
