// SPDX-License-Identifier: MIT
#include "samples/editor/app/file_browser.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace proxima::editor {

namespace fs = std::filesystem;

namespace {

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return text;
}

}  // namespace

void FileBrowser::open(const std::string& folder, std::vector<std::string> endings, const std::string& first_name) {
    endings_ = std::move(endings);
    name = first_name;
    std::error_code error;
    fs::path where = folder.empty() ? fs::current_path(error) : fs::absolute(folder, error);
    if (error || !fs::is_directory(where, error)) where = fs::current_path(error);
    folder_ = where.lexically_normal().string();
    refresh();
}

void FileBrowser::enter(const std::string& folder) {
    std::error_code error;
    const fs::path where = (fs::path(folder_) / folder).lexically_normal();
    if (!fs::is_directory(where, error)) {
        message_ = "'" + where.string() + "' is no folder.";
        return;
    }
    folder_ = where.string();
    refresh();
}

void FileBrowser::up() {
    fs::path where(folder_);
    if (!where.has_filename()) where = where.parent_path();  // it ended in a slash
    if (where.has_parent_path()) folder_ = where.parent_path().string();
    refresh();
}

bool FileBrowser::shown(const std::string& file) const {
    if (endings_.empty()) return true;
    const std::string ending = lower_case(fs::path(file).extension().string());
    return std::find(endings_.begin(), endings_.end(), ending) != endings_.end();
}

void FileBrowser::refresh() {
    entries_.clear();
    message_.clear();
    std::error_code error;
    fs::directory_iterator list(folder_, fs::directory_options::skip_permission_denied, error);
    if (error) {
        message_ = "'" + folder_ + "' cannot be read: " + error.message() + ".";
        return;
    }
    // What goes away while it is listed is left out: every question has its own error.
    for (const fs::directory_iterator end; list != end; list.increment(error)) {
        if (error) break;
        std::error_code gone;
        BrowserEntry entry;
        entry.name = list->path().filename().string();
        if (entry.name.starts_with('.')) continue;
        entry.folder = list->is_directory(gone);
        if (gone || (!entry.folder && !shown(entry.name))) continue;
        if (!entry.folder) entry.bytes = uint64_t(list->file_size(gone));
        if (gone) entry.bytes = 0;
        const fs::file_time_type time = list->last_write_time(gone);
        if (!gone)
            entry.time = std::chrono::duration_cast<std::chrono::seconds>(
                             std::chrono::file_clock::to_sys(time).time_since_epoch())
                             .count();
        entries_.push_back(std::move(entry));
    }
    std::sort(entries_.begin(), entries_.end(), [](const BrowserEntry& a, const BrowserEntry& b) {
        if (a.folder != b.folder) return a.folder;
        const std::string x = lower_case(a.name), y = lower_case(b.name);
        return x != y ? x < y : a.name < b.name;
    });
}

std::string FileBrowser::path(bool complete) const {
    if (name.empty()) return {};
    fs::path file = fs::path(folder_) / name;
    if (complete && !file.has_extension() && !endings_.empty()) file += endings_.front();
    return file.lexically_normal().string();
}

bool FileBrowser::exists(bool complete) const {
    std::error_code error;
    return !name.empty() && fs::exists(path(complete), error);
}

}  // namespace proxima::editor
