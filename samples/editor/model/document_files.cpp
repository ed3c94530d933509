// SPDX-License-Identifier: MIT
// Where a document comes from and goes to: new, open, save, and files that change underneath.
#include <filesystem>
#include <system_error>
#include <utility>

#include "engine/core/assert.h"
#include "engine/core/atomic_file.h"
#include "engine/core/hash.h"
#include "samples/editor/model/document.h"

namespace proxima::editor {

namespace fs = std::filesystem;

namespace {

uint64_t hash_of(std::string_view text) {
    StateHash hash;
    hash.add_text(text);
    return hash.value();
}

}  // namespace

/// Takes over a scene that has passed its check. The world is made first: when it refuses, nothing changes.
Result<void> Document::take_scene(const SceneDesc& scene) {
    std::vector<BodyRecord> records;
    records.reserve(scene.bodies.size());
    for (const SceneBody& desc : scene.bodies) {
        BodyRecord& record = records.emplace_back();
        record.id = new_id();
        record.desc = desc;
        for (size_t k = 0; k < desc.colliders.size(); ++k) record.collider_ids.push_back(new_id());
    }
    SceneFacts facts = facts_of(scene);
    for (const physics::SceneJoint& joint : scene.joints)
        facts.joints.push_back({records[joint.body_a].id, records[joint.body_b].id, joint.joint});
    if (Result<void> made = mirror_.rebuild(facts, records, scene.shapes, true); !made) return made;
    records_ = std::move(records);
    shapes_ = scene.shapes;
    facts_ = std::move(facts);
    place_of_.clear();
    owner_of_.clear();
    index_bodies();
    for (const BodyRecord& record : records_)
        for (const ItemId id : record.collider_ids) owner_of_[uint32_t(id)] = record.id;
    selection_.clear();
    drag_ = 0;
    history_.clear();
    saved_revision_ = history_.revision();
    return {};
}

std::string Document::title() const {
    const std::string name = file_.empty() ? "untitled" : fs::path(file_).filename().string();
    return is_dirty() ? name + " *" : name;
}

void Document::new_scene() {
    PX_ASSERT(!locked_, "a scene that is being played is not replaced");
    SceneDesc empty;
    empty.name = "untitled";
    const Result<void> taken = take_scene(empty);
    PX_ASSERT(taken.ok(), "an empty scene can be made");
    file_.clear();
    disk_ = {};
}

Result<void> Document::set_scene(const SceneDesc& scene) {
    if (Result<void> free = check_unlocked(); !free) return free;
    if (Result<void> good = physics::check(scene); !good) return good;
    if (Result<void> taken = take_scene(scene); !taken) return taken;
    file_.clear();
    disk_ = {};
    return {};
}

Result<void> Document::open(const std::string& file) {
    if (Result<void> free = check_unlocked(); !free) return free;
    const std::optional<DiskState> disk = look_at(file, false);
    const Result<std::string> text = read_file(file);
    if (!text) return Error{text.error()};
    const Result<SceneDesc> scene = physics::parse_scene(*text, file);
    if (!scene) return Error{scene.error()};
    if (Result<void> good = physics::check(*scene); !good) return Error{"Cannot open '" + file + "': " + good.error()};
    if (Result<void> taken = take_scene(*scene); !taken) return Error{"Cannot open '" + file + "': " + taken.error()};
    file_ = file;
    disk_ = disk.value_or(DiskState{});
    disk_.hash = hash_of(*text);
    return {};
}

Result<void> Document::save() {
    if (file_.empty()) return Error{"The scene has no file yet; choose one with Save as."};
    return save_as(file_);
}

Result<void> Document::save_as(const std::string& file) {
    const std::string text = physics::write_scene(scene());
    if (Result<void> written = write_file(file, text); !written) return written;
    file_ = file;
    disk_ = look_at(file, false).value_or(DiskState{});
    disk_.hash = hash_of(text);
    saved_revision_ = history_.revision();
    if (drag_ != 0) begin_drag();  // what follows is a change of the saved state, and a command of its own
    return {};
}

std::optional<Document::DiskState> Document::look_at(const std::string& file, bool with_hash) {
    std::error_code error;
    DiskState disk;
    disk.time = int64_t(fs::last_write_time(file, error).time_since_epoch().count());
    if (error) return std::nullopt;
    disk.size = uint64_t(fs::file_size(file, error));
    if (error) return std::nullopt;
    if (with_hash) {
        const Result<std::string> text = read_file(file);
        if (!text) return std::nullopt;
        disk.hash = hash_of(*text);
    }
    return disk;
}

FileState Document::check_file() {
    if (file_.empty()) return FileState::none;
    const std::optional<DiskState> now = look_at(file_, false);
    if (!now) return FileState::gone;
    if (now->time == disk_.time && now->size == disk_.size) return FileState::unchanged;
    const std::optional<DiskState> read = look_at(file_, true);
    if (!read) return FileState::gone;
    if (read->hash != disk_.hash) return FileState::changed;
    disk_ = *read;  // touched, or written again as it was
    return FileState::unchanged;
}

Result<void> Document::reload() {
    if (file_.empty()) return Error{"The scene has no file to read again."};
    return open(std::string(file_));
}

void Document::keep_mine() {
    if (const std::optional<DiskState> now = look_at(file_, true)) disk_ = *now;
    saved_revision_ = history_.fresh_revision();  // no state of this document is the one on disk
}

}  // namespace proxima::editor
