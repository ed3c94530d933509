// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <filesystem>

#include "engine/core/atomic_file.h"
#include "samples/editor/model/file_guard.h"
#include "tests/editor/editor_test.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;
using namespace proxima::test;
namespace fs = std::filesystem;

TEST_CASE("a scene is saved and opened as it was, and only edits make it dirty") {
    TemporaryFolder folder;
    const std::string file = (folder.path / "tower.json").string();
    Document document;
    make_tower(document, 3);
    CHECK(document.title() == "untitled *");
    CHECK(has(document.save().error(), "Save as"));
    done(document.save_as(file));
    CHECK_FALSE(document.is_dirty());
    CHECK(document.title() == "tower.json");
    const std::string saved = text_of(document);

    Document other;
    done(other.open(file));
    CHECK(text_of(other) == saved);
    CHECK(other.history().undo_count() == 0);
    check_mirror(other);
    const ItemId first = other.bodies()[0].id;
    done(other.rename(first, "ground"));
    CHECK(other.is_dirty());
    done(other.undo());
    CHECK_FALSE(other.is_dirty());
    done(other.redo());
    done(other.save());
    CHECK_FALSE(other.is_dirty());
    done(other.undo());
    CHECK(other.is_dirty());  // the file has the new name
    CHECK(document.check_file() == FileState::changed);
}

TEST_CASE("a broken file is refused with a sentence and the document stays") {
    TemporaryFolder folder;
    const std::string file = (folder.path / "bad.json").string();
    Document document;
    make_tower(document, 1);
    const std::string before = text_of(document);
    CHECK(has(document.open((folder.path / "missing.json").string()).error(), "missing.json"));
    done(write_file(file, "{ \"bodies\": ["));
    CHECK(has(document.open(file).error(), "bad.json"));
    done(write_file(file, "[1, 2, 3]"));
    CHECK_FALSE(document.open(file).ok());
    CHECK(text_of(document) == before);
    CHECK(document.file().empty());
    CHECK(has(document.save_as((folder.path / "no" / "such" / "folder.json").string()).error(), "folder"));
    CHECK(document.is_dirty());
}

TEST_CASE("a file that changes underneath is noticed by content, and kept or read again") {
    TemporaryFolder folder;
    const std::string file = (folder.path / "scene.json").string();
    Document document;
    CHECK(document.check_file() == FileState::none);
    make_tower(document, 1);
    done(document.save_as(file));
    CHECK(document.check_file() == FileState::unchanged);
    // The same bytes with another time are no change.
    const std::string text = take(read_file(file));
    fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(5));
    CHECK(document.check_file() == FileState::unchanged);
    Document other;
    done(other.open(file));
    done(other.rename(other.bodies()[0].id, "changed elsewhere"));
    done(other.save());
    fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(10));
    CHECK(document.check_file() == FileState::changed);
    document.keep_mine();
    CHECK(document.check_file() == FileState::unchanged);
    CHECK(document.is_dirty());
    done(write_file(file, text + "\n"));
    fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(20));
    CHECK(document.check_file() == FileState::changed);
    done(other.save());
    done(document.reload());
    CHECK(document.bodies()[0].desc.name == "changed elsewhere");
    CHECK_FALSE(document.is_dirty());
    CHECK(document.check_file() == FileState::unchanged);
    fs::remove(file);
    CHECK(document.check_file() == FileState::gone);
    done(document.save());
    CHECK(document.check_file() == FileState::unchanged);
}

TEST_CASE("leaving unsaved work asks: save, discard or cancel") {
    using State = LeaveGuard::State;
    TemporaryFolder folder;
    Document document;
    LeaveGuard guard(document);
    guard.wish({LeaveWish::Kind::quit, {}});
    CHECK(guard.state() == State::ready);
    CHECK(guard.take()->kind == LeaveWish::Kind::quit);
    CHECK(guard.state() == State::idle);
    CHECK_FALSE(guard.take().has_value());

    make_tower(document, 1);
    guard.wish({LeaveWish::Kind::open, "other.json"});
    CHECK(guard.state() == State::asking);
    CHECK(has(guard.message(), "never been saved"));
    CHECK_FALSE(guard.take().has_value());
    guard.cancel();
    CHECK(guard.state() == State::idle);
    guard.save();  // nobody asked
    CHECK(guard.state() == State::idle);

    guard.wish({LeaveWish::Kind::open, "other.json"});
    guard.save();
    CHECK(guard.state() == State::naming);
    guard.name((folder.path / "nowhere" / "x.json").string());
    CHECK(guard.state() == State::asking);
    CHECK(has(guard.message(), "nowhere"));
    guard.save();
    guard.name((folder.path / "x.json").string());
    CHECK(guard.state() == State::ready);
    const auto wish = guard.take();
    REQUIRE(wish.has_value());
    CHECK(wish->file == "other.json");
    CHECK_FALSE(document.is_dirty());

    done(document.rename(document.bodies()[0].id, "again"));
    guard.wish({LeaveWish::Kind::new_scene, {}});
    CHECK(has(guard.message(), "x.json"));
    guard.discard();
    CHECK(guard.take()->kind == LeaveWish::Kind::new_scene);
    CHECK(document.is_dirty());
    guard.wish({LeaveWish::Kind::new_scene, {}});
    guard.save();
    CHECK(guard.state() == State::ready);
    CHECK_FALSE(document.is_dirty());
}

TEST_CASE("recent files are kept newest first, without those that are gone") {
    TemporaryFolder folder;
    const std::string store = (folder.path / "config" / "proxima" / "recent.txt").string();
    const auto file = [&](const std::string& name) {
        const std::string path = (folder.path / name).string();
        done(write_file(path, "x"));
        return path;
    };
    const std::string a = file("a.json"), b = file("b.json"), c = file("c.json");
    {
        RecentFiles recent(store);
        recent.load();
        CHECK(recent.files().empty());
        done(recent.add(a));
        done(recent.add(b));
        done(recent.add(c));
        done(recent.add(a));
        CHECK(recent.files() == std::vector<std::string>{a, c, b});
    }
    fs::remove(c);
    RecentFiles again(store);
    again.load();
    CHECK(again.files() == std::vector<std::string>{a, b});
    done(again.remove(a));
    CHECK(again.files() == std::vector<std::string>{b});
    for (int i = 0; i < 30; ++i) done(again.add(file("f" + std::to_string(i))));
    CHECK(again.files().size() == RecentFiles::kMaxFiles);
    RecentFiles nowhere("");
    CHECK_FALSE(nowhere.add(a).ok());
    CHECK(nowhere.files().size() == 1);
}
