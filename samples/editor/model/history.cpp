// SPDX-License-Identifier: MIT
#include "samples/editor/model/history.h"

#include <algorithm>
#include <utility>

#include "engine/core/assert.h"

namespace proxima::editor {

bool Change::is_nothing() const {
    if (scene_data && !same(scene_data->before, scene_data->after)) return false;
    if (order && order->before != order->after) return false;
    return std::all_of(bodies.begin(), bodies.end(), [](const BodyChange& body) {
        if (body.before.has_value() != body.after.has_value()) return false;
        return !body.before || same(*body.before, *body.after);
    });
}

size_t Change::bytes() const {
    size_t sum = sizeof(Change) + name.capacity();
    for (const BodyChange& body : bodies) {
        sum += sizeof(BodyChange);
        if (body.before) sum += bytes_of(*body.before) - sizeof(BodyRecord);
        if (body.after) sum += bytes_of(*body.after) - sizeof(BodyRecord);
    }
    if (scene_data) sum += bytes_of(scene_data->before) + bytes_of(scene_data->after);
    const auto list = [](const Exchange<std::vector<ItemId>>& ids) {
        return (ids.before.capacity() + ids.after.capacity()) * sizeof(ItemId);
    };
    if (order) sum += list(*order);
    return sum + list(selection);
}

void merge(Change& into, Change&& later) {
    for (size_t i = 0; i < later.bodies.size(); ++i) {
        BodyChange& body = later.bodies[i];
        const auto same_body = [&](const BodyChange& other) { return other.id == body.id; };
        // A drag touches the same bodies in the same order every time.
        auto known = into.bodies.begin() + std::ptrdiff_t(std::min(i, into.bodies.size()));
        if (known == into.bodies.end() || !same_body(*known))
            known = std::find_if(into.bodies.begin(), into.bodies.end(), same_body);
        if (known == into.bodies.end())
            into.bodies.push_back(std::move(body));
        else
            known->after = std::move(body.after);
    }
    // What was made and is gone again within the drag was never there.
    std::erase_if(into.bodies, [](const BodyChange& body) { return !body.before && !body.after; });
    const auto take = [](auto& first, auto& second) {
        if (!second) return;
        if (first)
            first->after = std::move(second->after);
        else
            first = std::move(second);
    };
    take(into.scene_data, later.scene_data);
    take(into.order, later.order);
    into.selection.after = std::move(later.selection.after);
    into.name = std::move(later.name);
}

void History::set_budget(size_t bytes) {
    budget_ = bytes;
    fit();
}

void History::clear() {
    done_.clear();
    undone_.clear();
    bytes_ = 0;
    base_revision_ = next_revision_++;
}

void History::push(Change change) {
    for (const Change& gone : undone_) bytes_ -= gone.cost;
    undone_.clear();
    change.revision = next_revision_++;
    change.cost = change.bytes();
    bytes_ += change.cost;
    done_.push_back(std::move(change));
    fit();
}

void History::push_or_merge(Change change) {
    if (change.drag == 0 || done_.empty() || done_.back().drag != change.drag || !undone_.empty()) {
        push(std::move(change));
        return;
    }
    Change& top = done_.back();
    bytes_ -= top.cost;
    merge(top, std::move(change));
    if (top.is_nothing()) {
        done_.pop_back();
        return;
    }
    top.revision = next_revision_++;
    top.cost = top.bytes();
    bytes_ += top.cost;
    fit();
}

std::optional<Change> History::take_back(uint64_t drag) {
    if (drag == 0 || done_.empty() || done_.back().drag != drag) return std::nullopt;
    Change change = std::move(done_.back());
    done_.pop_back();
    bytes_ -= change.cost;
    return change;
}

void History::undone() {
    PX_ASSERT(!done_.empty(), "there is a change to undo");
    undone_.push_back(std::move(done_.back()));
    done_.pop_back();
}

void History::redone() {
    PX_ASSERT(!undone_.empty(), "there is a change to redo");
    done_.push_back(std::move(undone_.back()));
    undone_.pop_back();
}

void History::fit() {
    while (bytes_ > budget_ && done_.size() > 1) {
        bytes_ -= done_.front().cost;
        base_revision_ = done_.front().revision;
        done_.pop_front();
    }
}

}  // namespace proxima::editor
