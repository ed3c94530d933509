// SPDX-License-Identifier: MIT
#include "samples/editor/model/input_tape.h"

#include <algorithm>
#include <utility>

#include "engine/core/assert.h"

namespace proxima::editor {

void InputTape::clear() {
    grabs_.clear();
    changes_.clear();
}

void InputTape::truncate_after(uint64_t step) {
    while (!grabs_.empty() && grabs_.back().step > step) grabs_.pop_back();
    while (!changes_.empty() && changes_.back().step > step) changes_.pop_back();
}

void InputTape::note(const GrabNote& note) {
    PX_ASSERT(grabs_.empty() || grabs_.back().step <= note.step, "input is noted in the order of steps");
    if (!grabs_.empty() && grabs_.back().step == note.step)
        grabs_.back() = note;
    else
        grabs_.push_back(note);
}

void InputTape::hold(uint64_t step, const Grab& grab) { note({step, true, grab}); }
void InputTape::release(uint64_t step) { note({step, false, {}}); }

void InputTape::add(SolverChange change) {
    PX_ASSERT(changes_.empty() || changes_.back().step <= change.step, "input is noted in the order of steps");
    changes_.push_back(std::move(change));
}

std::optional<Grab> InputTape::grab_at(uint64_t step) const {
    const auto after = std::upper_bound(grabs_.begin(), grabs_.end(), step,
                                        [](uint64_t s, const GrabNote& note) { return s < note.step; });
    if (after == grabs_.begin() || !std::prev(after)->held) return std::nullopt;
    return std::prev(after)->grab;
}

std::span<const SolverChange> InputTape::changes_at(uint64_t step) const {
    const auto first = std::lower_bound(changes_.begin(), changes_.end(), step,
                                        [](const SolverChange& c, uint64_t s) { return c.step < s; });
    auto last = first;
    while (last != changes_.end() && last->step == step) ++last;
    return {first, last};
}

uint64_t InputTape::last_step() const {
    return std::max(grabs_.empty() ? 0 : grabs_.back().step, changes_.empty() ? 0 : changes_.back().step);
}

}  // namespace proxima::editor
