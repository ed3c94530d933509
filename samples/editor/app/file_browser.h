// SPDX-License-Identifier: MIT
// Choosing a file: a folder as a list, without a window of its own, so that it can be tested; the panel that draws it
// shows the list and the name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace proxima::editor {

struct BrowserEntry {
    std::string name;
    bool folder = false;
    uint64_t bytes = 0;
    int64_t time = 0;  // of the last change, s since 1970
};

class FileBrowser {
  public:
    /// `endings` with their dots, small; empty: all files. A folder that cannot be read gives message().
    void open(const std::string& folder, std::vector<std::string> endings, const std::string& name);
    void enter(const std::string& folder);  // one of the list, or a whole path
    void up();
    void refresh();

    const std::string& folder() const { return folder_; }
    /// Folders first, each by name; hidden ones are left out.
    const std::vector<BrowserEntry>& entries() const { return entries_; }
    /// Why the folder is not shown, or empty.
    const std::string& message() const { return message_; }
    /// Folder and name; with the first ending when the name has none and `complete` is asked for.
    std::string path(bool complete) const;
    /// Whether path() names something that is already there.
    bool exists(bool complete) const;

    std::string name;  // what is typed or clicked

  private:
    bool shown(const std::string& file) const;

    std::string folder_;
    std::vector<std::string> endings_;
    std::vector<BrowserEntry> entries_;
    std::string message_;
};

}  // namespace proxima::editor
