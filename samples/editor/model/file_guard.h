// SPDX-License-Identifier: MIT
// Nothing is lost by accident: what stands between a wish that would drop unsaved changes and its doing, and
// the list of files that were open last.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "samples/editor/model/document.h"

namespace proxima::editor {

/// A wish that replaces or leaves the document.
struct LeaveWish {
    enum class Kind : uint8_t { new_scene, open, reload, quit };
    Kind kind = Kind::new_scene;
    std::string file;  // of open
};

/// idle -> (wish) -> ready, when nothing is unsaved
///      -> asking -> save    -> ready, or naming (no file yet), or asking again with a sentence (save failed)
///                -> discard -> ready
///                -> cancel  -> idle
///         naming -> name(file) -> ready, or asking again with a sentence
///                -> cancel     -> idle
/// ready -> take() -> idle: the caller does the wish.
class LeaveGuard {
  public:
    enum class State : uint8_t { idle, asking, naming, ready };

    explicit LeaveGuard(Document& document) : document_(document) {}

    State state() const { return state_; }
    /// What is being asked, or why the last save failed.
    const std::string& message() const { return message_; }

    /// A new wish replaces one that is still being asked about.
    void wish(LeaveWish wish);
    void save();
    void discard();
    void cancel();
    void name(const std::string& file);
    /// The wish that may be done now, once.
    std::optional<LeaveWish> take();

  private:
    void saved(const Result<void>& result);

    Document& document_;
    State state_ = State::idle;
    LeaveWish wish_;
    std::string message_;
};

/// Files that were open last, the newest first, kept in a text file with one path a line.
class RecentFiles {
  public:
    static constexpr size_t kMaxFiles = 12;

    /// The file in the user's folder for settings; empty when the machine says nothing of such a folder.
    static std::string default_store();

    explicit RecentFiles(std::string store = default_store());

    /// Reads the list; files that are no longer there are dropped. Without a list: empty.
    void load();
    /// To the front, and written at once. A list that cannot be written is not worth a failure: it is kept in
    /// memory, and the sentence says why.
    Result<void> add(const std::string& file);
    Result<void> remove(const std::string& file);
    const std::vector<std::string>& files() const { return files_; }

  private:
    Result<void> write() const;

    std::string store_;
    std::vector<std::string> files_;
};

}  // namespace proxima::editor
