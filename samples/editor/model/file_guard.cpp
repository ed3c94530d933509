// SPDX-License-Identifier: MIT
#include "samples/editor/model/file_guard.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "engine/core/atomic_file.h"

namespace proxima::editor {

namespace fs = std::filesystem;

// ---- LeaveGuard

void LeaveGuard::wish(LeaveWish wish) {
    wish_ = std::move(wish);
    if (!document_.is_dirty()) {
        state_ = State::ready;
        message_.clear();
        return;
    }
    state_ = State::asking;
    const std::string& file = document_.file();
    message_ = file.empty() ? "The scene has never been saved. Save it?"
                            : "There are unsaved changes in '" + fs::path(file).filename().string() + "'. Save them?";
}

void LeaveGuard::saved(const Result<void>& result) {
    state_ = result ? State::ready : State::asking;
    message_ = result.error();
}

void LeaveGuard::save() {
    if (state_ != State::asking) return;
    if (document_.file().empty()) {
        state_ = State::naming;
        message_ = "Choose a file for the scene.";
        return;
    }
    saved(document_.save());
}

void LeaveGuard::name(const std::string& file) {
    if (state_ == State::naming) saved(document_.save_as(file));
}

void LeaveGuard::discard() {
    if (state_ == State::asking) state_ = State::ready;
}

void LeaveGuard::cancel() {
    state_ = State::idle;
    message_.clear();
}

std::optional<LeaveWish> LeaveGuard::take() {
    if (state_ != State::ready) return std::nullopt;
    state_ = State::idle;
    message_.clear();
    return std::move(wish_);
}

// ---- RecentFiles

std::string RecentFiles::default_store() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value ? value : "");
    };
#if defined(_WIN32)
    const std::string folder = variable("APPDATA");
#elif defined(__APPLE__)
    const std::string home = variable("HOME");
    const std::string folder = home.empty() ? "" : home + "/Library/Application Support";
#else
    std::string folder = variable("XDG_CONFIG_HOME");
    if (const std::string home = variable("HOME"); folder.empty() && !home.empty()) folder = home + "/.config";
#endif
    return folder.empty() ? std::string() : (fs::path(folder) / "proxima" / "recent.txt").string();
}

RecentFiles::RecentFiles(std::string store) : store_(std::move(store)) {}

void RecentFiles::load() {
    files_.clear();
    if (store_.empty()) return;
    const Result<std::string> text = read_file(store_);
    if (!text) return;
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line) && files_.size() < kMaxFiles;) {
        std::error_code error;
        if (line.empty() || !fs::is_regular_file(line, error)) continue;
        if (std::find(files_.begin(), files_.end(), line) == files_.end()) files_.push_back(line);
    }
}

Result<void> RecentFiles::add(const std::string& file) {
    std::error_code error;
    const fs::path whole = fs::absolute(file, error);
    const std::string name = error ? file : whole.lexically_normal().string();
    if (name.find('\n') != std::string::npos) return {};  // no place for it in a list of lines
    std::erase(files_, name);
    files_.insert(files_.begin(), name);
    if (files_.size() > kMaxFiles) files_.resize(kMaxFiles);
    return write();
}

Result<void> RecentFiles::remove(const std::string& file) {
    std::erase(files_, file);
    return write();
}

Result<void> RecentFiles::write() const {
    if (store_.empty()) return Error{"There is no folder for settings, so the list of files is not kept."};
    std::error_code error;
    fs::create_directories(fs::path(store_).parent_path(), error);
    std::string text;
    for (const std::string& file : files_) text += file + "\n";
    return write_file(store_, text);
}

}  // namespace proxima::editor
