// SPDX-License-Identifier: MIT
#include "samples/editor/app/messages.h"

namespace proxima::editor {

void MessageLog::add(Severity severity, std::string_view text) {
    ++count_;
    if (severity == Severity::error) ++errors_;
    shown_ = true;
    age_ = 0.0;
    // A step that warns warns sixty times a second: the same words again are counted, not repeated.
    if (!messages_.empty() && messages_.back().severity == severity && messages_.back().text == text) {
        ++messages_.back().times;
        return;
    }
    messages_.push_back({severity, std::string(text), 1});
    if (messages_.size() > kMaxMessages) messages_.pop_front();
}

void MessageLog::clear() {
    messages_.clear();
    shown_ = false;
}

void MessageLog::update(double seconds) {
    age_ += seconds;
    if (shown_ && messages_.back().severity == Severity::info && age_ > kInfoSeconds) shown_ = false;
}

}  // namespace proxima::editor
