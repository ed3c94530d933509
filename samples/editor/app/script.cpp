// SPDX-License-Identifier: MIT
#include "samples/editor/app/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>

#include "samples/editor/app/actions.h"

namespace proxima::editor {

using engine::Key;
using engine::MouseButton;

namespace {

struct Command {
    std::string_view name;
    size_t min_words;  // after the name
};
constexpr Command kCommands[] = {{"wait", 1},    {"until_step", 1}, {"move", 1},   {"click", 1}, {"press", 1},
                                 {"release", 1}, {"drag", 2},       {"scroll", 1}, {"key", 1},   {"text", 1},
                                 {"picture", 1}, {"report", 1},     {"resize", 2}, {"quit", 0}};

constexpr uint64_t kMaxFrames = 20000;  // that a script waits for a step: then something is wrong

std::optional<float> to_number(std::string_view text) {
    float value = 0.0f;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<ScriptPixel> to_pair(std::string_view text) {
    const size_t comma = text.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    const std::optional<float> x = to_number(text.substr(0, comma)), y = to_number(text.substr(comma + 1));
    if (!x || !y) return std::nullopt;
    return ScriptPixel{*x, *y};
}

/// "Ctrl+Shift+Z", "Space", "F1", "W".
std::optional<Chord> to_chord(std::string_view text) {
    Chord chord;
    for (;;) {
        const size_t plus = text.find('+');
        if (plus == std::string_view::npos || plus + 1 >= text.size()) break;
        const std::string_view word = text.substr(0, plus);
        if (word == "Ctrl")
            chord.control = true;
        else if (word == "Shift")
            chord.shift = true;
        else if (word == "Alt")
            chord.alt = true;
        else
            return std::nullopt;
        text.remove_prefix(plus + 1);
    }
    // The names are those that shortcuts are shown with: found by asking every key for its own.
    for (uint16_t value = 32; value < 349; ++value) {
        chord.key = Key(value);
        Chord plain;
        plain.key = chord.key;
        if (to_text(plain) == text) return chord;
    }
    return std::nullopt;
}

engine::Modifiers modifiers(const ScriptLine& line) {
    engine::Modifiers with;
    for (const std::string& word : line.words) {
        if (word == "ctrl") with.control = true;
        if (word == "shift") with.shift = true;
    }
    return with;
}

MouseButton button_of(const ScriptLine& line) {
    for (const std::string& word : line.words) {
        if (word == "right") return MouseButton::right;
        if (word == "middle") return MouseButton::middle;
    }
    return MouseButton::left;
}

Error at_line(const ScriptLine& line, const std::string& what) {
    return Error{fmt::format("Line {} of the script: {}", line.number, what)};
}

}  // namespace

Result<std::vector<ScriptLine>> parse_script(const std::string& text, const std::string& name) {
    std::vector<ScriptLine> lines;
    std::istringstream stream(text);
    std::string row;
    for (uint32_t number = 1; std::getline(stream, row); ++number) {
        if (const size_t comment = row.find('#'); comment != std::string::npos) row.resize(comment);
        ScriptLine line{number, {}};
        std::istringstream words(row);
        for (std::string word; words >> word;) line.words.push_back(word);
        if (line.words.empty()) continue;
        const Command* found = nullptr;
        for (const Command& command : kCommands)
            if (command.name == line.words[0]) found = &command;
        if (!found)
            return Error{fmt::format("Line {} of '{}': there is no command '{}'.", number, name, line.words[0])};
        if (line.words.size() - 1 < found->min_words)
            return Error{fmt::format("Line {} of '{}': '{}' needs {} more.", number, name, line.words[0],
                                     found->min_words - (line.words.size() - 1))};
        if (line.words[0] == "key" && !to_chord(line.words[1]))
            return Error{fmt::format("Line {} of '{}': there is no key '{}'.", number, name, line.words[1])};
        lines.push_back(std::move(line));
    }
    return lines;
}

Result<ScriptPixel> ScriptPlayer::pixel(const ScriptLine& line, size_t word) const {
    const std::string& text = line.words[word];
    if (const std::optional<ScriptPixel> pair = to_pair(text)) return *pair;
    std::string name = text;
    ScriptPixel offset;
    if (const size_t plus = text.rfind('+'); plus != std::string::npos && plus > 0)
        if (const std::optional<ScriptPixel> pair = to_pair(std::string_view(text).substr(plus + 1))) {
            name = text.substr(0, plus);
            offset = *pair;
        }
    std::replace(name.begin(), name.end(), '_', ' ');
    std::optional<ScriptPixel> found = host_.find(name);
    if (!found) {
        std::replace(name.begin(), name.end(), ' ', '_');
        found = host_.find(name);
    }
    if (!found) return at_line(line, "'" + text + "' is nowhere to be seen.");
    return ScriptPixel{found->x + offset.x, found->y + offset.y};
}

void ScriptPlayer::move_to(const ScriptPixel& at) {
    mouse_ = at;
    host_.send(engine::MouseMoveEvent{at.x, at.y});
}

void ScriptPlayer::button(MouseButton which, bool down, const engine::Modifiers& with) {
    host_.send(engine::MouseButtonEvent{which, down, mouse_.x, mouse_.y, with});
}

Result<void> ScriptPlayer::advance() {
    if (wait_ > 0) {
        --wait_;
        return {};
    }
    if (until_step_ > 0) {
        if (host_.step() < until_step_) {
            if (++frames_waited_ > kMaxFrames) return Error{"The script waits for a step that does not come."};
            return {};
        }
        until_step_ = 0;
        frames_waited_ = 0;
    }
    // The hand on the keyboard lets go after the click was seen.
    if (host_.idle()) {
        if (held_.control) host_.send(engine::KeyEvent{engine::Key::left_control, false, false, {}});
        if (held_.shift) host_.send(engine::KeyEvent{engine::Key::left_shift, false, false, {}});
        held_ = {};
    }
    while (next_ < lines_.size() && wait_ == 0 && until_step_ == 0 && host_.idle()) {
        const ScriptLine& line = lines_[next_++];
        if (Result<void> done = run(line); !done) return done;
    }
    return {};
}

Result<void> ScriptPlayer::run(const ScriptLine& line) {
    const std::string& name = line.words[0];
    const auto number = [&](size_t word) { return to_number(line.words[word]).value_or(0.0f); };
    const engine::Modifiers with = modifiers(line);
    wait_ = 2;  // what was done is seen before the next thing is
    if (name == "wait") {
        wait_ = uint64_t(std::max(0.0f, number(1)));
    } else if (name == "until_step") {
        until_step_ = uint64_t(std::max(0.0f, number(1)));
    } else if (name == "move" || name == "click" || name == "press" || name == "release") {
        const Result<ScriptPixel> at = pixel(line, 1);
        if (!at) return Error{at.error()};
        move_to(*at);
        const bool twice = std::find(line.words.begin(), line.words.end(), "double") != line.words.end();
        for (int i = 0; i < (twice ? 2 : 1); ++i) {
            if (name == "click" || name == "press") button(button_of(line), true, with);
            if (name == "click" || name == "release") button(button_of(line), false, with);
        }
        held_ = with;
    } else if (name == "drag") {
        const Result<ScriptPixel> from = pixel(line, 1), to = pixel(line, 2);
        if (!from) return Error{from.error()};
        if (!to) return Error{to.error()};
        move_to(*from);
        button(button_of(line), true, with);
        constexpr int kMoves = 8;  // a hand passes through the places between
        for (int i = 1; i <= kMoves; ++i) {
            const float t = float(i) / float(kMoves);
            move_to({from->x + t * (to->x - from->x), from->y + t * (to->y - from->y)});
        }
        button(button_of(line), false, with);
        wait_ = 4;
    } else if (name == "scroll") {
        host_.send(engine::ScrollEvent{0.0f, number(1)});
    } else if (name == "key") {
        const Chord chord = *to_chord(line.words[1]);
        const engine::Modifiers held{chord.shift, chord.control, chord.alt, false};
        host_.send(engine::KeyEvent{chord.key, true, false, held});
        host_.send(engine::KeyEvent{chord.key, false, false, held});
    } else if (name == "text") {
        for (size_t i = 1; i < line.words.size(); ++i) {
            if (i > 1) host_.send(engine::TextEvent{U' '});
            for (const char c : line.words[i]) host_.send(engine::TextEvent{char32_t(c)});
        }
    } else if (name == "picture") {
        host_.picture(line.words[1]);
    } else if (name == "report") {
        host_.report(line.words[1]);
    } else if (name == "resize") {
        host_.send(engine::ResizeEvent{uint32_t(number(1)), uint32_t(number(2))});
    } else if (name == "quit") {
        host_.quit();
    }
    return {};
}

}  // namespace proxima::editor
