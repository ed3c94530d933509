// SPDX-License-Identifier: MIT
// A person as a file: moves of the mouse, clicks and keys by the names of widgets and bodies, for tests and
// pictures. One command a line, # begins a comment:
//   wait N            frames                     until_step N     of the play
//   move P            the mouse                  click P [right|middle] [ctrl] [shift] [double]
//   press P, release P                           drag P P [right|middle]
//   scroll N          notches at the mouse       key Ctrl+Z       text WORDS
//   picture FILE      report FILE                resize W H       quit
// A pixel P is "X,Y", "@name" for a widget, "body:name" for the middle of a body; "+X,Y" may
// follow a name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/window/window_events.h"

namespace proxima::editor {

struct ScriptLine {
    uint32_t number = 0;  // of the line in its file
    std::vector<std::string> words;
};

/// A sentence with the number of the line for what is no command.
Result<std::vector<ScriptLine>> parse_script(const std::string& text, const std::string& name);

struct ScriptPixel {
    float x = 0.0f, y = 0.0f;
};

/// What a script needs of the editor.
struct ScriptHost {
    std::function<std::optional<ScriptPixel>(const std::string& name)> find;  // "@play", "body:ball"
    std::function<void(const engine::WindowEvent&)> send;
    std::function<bool()> idle;      // every event that was sent has been heard
    std::function<uint64_t()> step;  // of the play
    std::function<void(const std::string&file)> picture, report;
    std::function<void()> quit;
};

class ScriptPlayer {
  public:
    ScriptPlayer(std::vector<ScriptLine> lines, ScriptHost host) : lines_(std::move(lines)), host_(std::move(host)) {}

    /// Once a frame: does lines until one has to wait. A sentence for a name that is nowhere.
    Result<void> advance();
    bool finished() const { return next_ >= lines_.size(); }

  private:
    Result<void> run(const ScriptLine& line);
    Result<ScriptPixel> pixel(const ScriptLine& line, size_t word) const;
    void move_to(const ScriptPixel& at);
    void button(engine::MouseButton which, bool down, const engine::Modifiers& with);

    std::vector<ScriptLine> lines_;
    ScriptHost host_;
    size_t next_ = 0;
    uint64_t wait_ = 0;
    uint64_t until_step_ = 0;
    uint64_t frames_waited_ = 0;
    ScriptPixel mouse_;
    engine::Modifiers held_;  // during the last click
};

}  // namespace proxima::editor
