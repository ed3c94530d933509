// SPDX-License-Identifier: MIT
// Undo and redo: a list of changes, each with what was before and what is after. No drawing, no world: the
// document applies changes, the history keeps them within its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "samples/editor/model/records.h"

namespace proxima::editor {

/// One body before and after; not there before: it was made; not there after: it is gone.
struct BodyChange {
    ItemId id = ItemId::none;
    std::optional<BodyRecord> before, after;
};

template <class T>
struct Exchange {
    T before, after;
};

/// One command as data. Deltas of whole records, not functions: what is stored is what is brought back, so a
/// command can neither forget a field nor depend on when it runs.
struct Change {
    std::string name;                // "Move 3 bodies"
    std::vector<BodyChange> bodies;  // each body once
    std::optional<Exchange<SceneData>> scene_data;
    std::optional<Exchange<std::vector<ItemId>>> order;  // of all bodies; set when it changes
    Exchange<std::vector<ItemId>> selection;
    uint64_t revision = 0;  // of the document after the change
    uint64_t drag = 0;      // changes of one drag become one; 0: of none
    size_t cost = 0;        // bytes() when the history took it

    bool is_nothing() const;
    size_t bytes() const;
};

/// Takes a later change of the same drag into an earlier one: its own befores, the other's afters.
void merge(Change& into, Change&& later);

class History {
  public:
    static constexpr size_t kDefaultBudget = size_t(64) << 20;

    /// Oldest changes are dropped when all together are larger, but never the newest.
    void set_budget(size_t bytes);
    size_t budget() const { return budget_; }
    size_t bytes() const { return bytes_; }

    /// Forgets everything; the document is at a revision of its own.
    void clear();
    /// A change that was done. What could be redone is gone. Gives it a revision.
    void push(Change change);
    /// Adds to the change on top when that is of the same drag, otherwise pushes. When both together change
    /// nothing, none of them remains.
    void push_or_merge(Change change);
    /// Takes the top change of a drag off, for a drag that is given up; nothing when there is none.
    std::optional<Change> take_back(uint64_t drag);

    /// nullptr: nothing to undo or redo. The caller applies the change and then says so.
    const Change* next_undo() const { return done_.empty() ? nullptr : &done_.back(); }
    const Change* next_redo() const { return undone_.empty() ? nullptr : &undone_.back(); }
    void undone();
    void redone();

    /// A number for the state of the document: equal numbers, equal states.
    uint64_t revision() const { return done_.empty() ? base_revision_ : done_.back().revision; }
    /// A state that no change leads to, such as one that differs from its file from the start.
    uint64_t fresh_revision() { return next_revision_++; }

    size_t undo_count() const { return done_.size(); }
    size_t redo_count() const { return undone_.size(); }

    /// Every record that is kept, for renumbering shapes.
    template <class Visit>
    void for_each_record(Visit&& visit) {
        for (std::deque<Change>* list : {&done_, &undone_})
            for (Change& change : *list)
                for (BodyChange& body : change.bodies) {
                    if (body.before) visit(*body.before);
                    if (body.after) visit(*body.after);
                }
    }

  private:
    void fit();

    std::deque<Change> done_, undone_;  // the last of each is the next to undo or redo
    size_t budget_ = kDefaultBudget;
    size_t bytes_ = 0;
    uint64_t next_revision_ = 1;
    uint64_t base_revision_ = 0;  // before the oldest change that is kept
};

}  // namespace proxima::editor
