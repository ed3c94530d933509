// SPDX-License-Identifier: MIT
// What the editor has to say: every sentence is kept for the log, the last one that matters stands in the
// message bar until it is put away.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace proxima::editor {

enum class Severity : uint8_t { info, warning, error };

struct Message {
    Severity severity = Severity::info;
    std::string text;
    uint32_t times = 1;  // said in a row
};

class MessageLog {
  public:
    static constexpr size_t kMaxMessages = 1000;
    static constexpr double kInfoSeconds = 6.0;  // after which what is only good to know leaves the bar

    void add(Severity severity, std::string_view text);
    void clear();
    /// Time goes by: what is only information leaves the bar by itself, warnings and errors do not.
    void update(double seconds);
    /// What the bar shows, or nullptr.
    const Message* shown() const { return shown_ ? &messages_.back() : nullptr; }
    void dismiss() { shown_ = false; }
    /// Oldest first.
    const std::deque<Message>& messages() const { return messages_; }
    /// Grows with every message.
    uint64_t count() const { return count_; }
    uint64_t errors() const { return errors_; }

  private:
    std::deque<Message> messages_;
    bool shown_ = false;
    double age_ = 0.0;
    uint64_t count_ = 0, errors_ = 0;
};

}  // namespace proxima::editor
