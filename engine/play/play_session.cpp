// SPDX-License-Identifier: MIT
#include "engine/play/play_session.h"

#include <string>
#include <utility>

#include "engine/core/assert.h"
#include "engine/profile/zone.h"

namespace proxima::engine {

std::string_view to_string(PlayState state) {
    switch (state) {
        case PlayState::edit:
            return "edit";
        case PlayState::play:
            return "play";
        case PlayState::pause:
            return "pause";
    }
    return "unknown";
}

PlaySession::PlaySession(World& world, StepFunction step_function)
    : world_(world), step_function_(std::move(step_function)) {
    PX_ASSERT(step_function_ != nullptr, "a play session needs a step function");
}

Error PlaySession::refuse(std::string_view wish, std::string_view allowed_in) const {
    return Error{"Cannot " + std::string(wish) + " in " + std::string(to_string(state_)) + "; this works only in " +
                 std::string(allowed_in) + "."};
}

Result<void> PlaySession::set_settings(const PlaySettings& settings) {
    if (state_ != PlayState::edit) return refuse("change the play settings", "edit");
    if (settings.keyframe_interval == 0)
        return Error{"The keyframe interval is 0 steps; it must be at least 1 (every step is kept)."};
    FixedStep clock = clock_;
    if (Result<void> set = clock.set_step_seconds(settings.step_seconds); !set) return set;
    if (Result<void> set = clock.set_max_steps(settings.max_steps_per_update); !set) return set;
    clock_ = clock;
    settings_ = settings;
    return {};
}

uint64_t PlaySession::oldest_step() const {
    if (from_start_) return 0;
    return keyframes_.empty() ? step_ : keyframes_.front().step;
}

// ---- transitions

Result<void> PlaySession::play() {
    if (state_ == PlayState::play) return refuse("start playing", "edit and pause");
    if (state_ == PlayState::edit) {
        world_.save(start_);
        forget_all();
        step_ = newest_ = 0;
        from_start_ = true;
        clock_.reset();
    }
    state_ = PlayState::play;
    return {};
}

Result<void> PlaySession::pause() {
    if (state_ != PlayState::play) return refuse("pause", "play");
    state_ = PlayState::pause;
    return {};
}

Result<void> PlaySession::step() {
    if (state_ != PlayState::pause) return refuse("step", "pause");
    return advance_one();
}

Result<void> PlaySession::step_back() {
    if (state_ != PlayState::pause) return refuse("step back", "pause");
    if (step_ == 0) return Error{"Cannot step back: this is the start of the play, before the first step."};
    const uint64_t target = step_ - 1;
    uint64_t found_step = 0;
    const Snapshot* nearest = nearest_before(target, found_step);
    if (!nearest)
        return Error{"Cannot step back to step " + std::to_string(target) + ": the history reaches back to step " +
                     std::to_string(oldest_step()) + ". A larger history_bytes would keep more."};

    PX_ZONE("step back");
    if (Result<void> restored = world_.restore(*nearest); !restored)
        return Error{"Cannot step back to step " + std::to_string(target) + ": " + restored.error()};
    step_ = newest_ = found_step;
    clock_.reset();
    forget_after(target);
    // The steps between the kept state and the target again. Their keyframes exist already.
    while (step_ < target) {
        if (Result<void> stepped = step_function_(world_, step_ + 1, settings_.step_seconds); !stepped) return stepped;
        newest_ = ++step_;
    }
    return {};
}

Result<void> PlaySession::seek(uint64_t target, uint32_t max_steps) {
    if (state_ != PlayState::pause) return refuse("move along the time line", "pause");
    if (target > newest_)
        return Error{"Cannot move to step " + std::to_string(target) + ": the last step that was done is " +
                     std::to_string(newest_) + "."};
    uint64_t found_step = 0;
    const Snapshot* nearest = nearest_before(target, found_step);
    if (!nearest && step_ > target)
        return Error{"Cannot move to step " + std::to_string(target) + ": the history reaches back to step " +
                     std::to_string(oldest_step()) + ". A larger history_bytes would keep more."};

    PX_ZONE("seek");
    // The present state is as good a start as a kept one, and the better one when it is nearer.
    const bool from_here = step_ <= target && (!nearest || found_step <= step_);
    if (!from_here) {
        if (Result<void> restored = world_.restore(*nearest); !restored)
            return Error{"Cannot move to step " + std::to_string(target) + ": " + restored.error()};
        step_ = found_step;
    }
    clock_.reset();
    for (uint32_t done = 0; step_ < target && done < max_steps; ++done)
        if (Result<void> stepped = advance_one(); !stepped) return stepped;
    return {};
}

void PlaySession::forget_future() {
    if (state_ == PlayState::edit) return;
    forget_after(step_);
    newest_ = step_;
}

Result<void> PlaySession::stop() {
    if (state_ == PlayState::edit) return refuse("stop", "play and pause");
    if (Result<void> restored = world_.restore(start_); !restored)
        return Error{"The edited state could not be brought back: " + restored.error()};
    forget_all();
    step_ = newest_ = 0;
    from_start_ = true;
    clock_.reset();
    state_ = PlayState::edit;
    return {};
}

Result<PlayUpdate> PlaySession::update(double elapsed_seconds) {
    PlayUpdate done;
    done.alpha = clock_.alpha();
    if (state_ != PlayState::play) return done;
    const FrameSteps due = clock_.advance(elapsed_seconds);
    done.alpha = due.alpha;
    done.dropped_seconds = due.dropped_seconds;
    for (; done.steps < due.steps; ++done.steps) {
        if (Result<void> stepped = advance_one(); !stepped) {
            state_ = PlayState::pause;
            return Error{stepped.error()};
        }
    }
    return done;
}

Result<void> PlaySession::advance_one() {
    if (Result<void> stepped = step_function_(world_, step_ + 1, settings_.step_seconds); !stepped)
        return Error{"Step " + std::to_string(step_ + 1) + " failed: " + stepped.error()};
    ++step_;
    if (step_ > newest_) newest_ = step_;
    // After seek() the way may lead over kept states: they are what this step gave before and gives again,
    // but for what was changed by hand then, which is brought back.
    if (const Keyframe* kept = keyframe_of(step_)) {
        if (kept->by_hand) return world_.restore(kept->snapshot);
    } else if (step_ % settings_.keyframe_interval == 0) {
        keep_keyframe(false);
    }
    return {};
}

void PlaySession::mark_changed() {
    if (state_ == PlayState::edit) return;
    forget_future();
    keep_keyframe(true);
}

// ---- history

const Snapshot* PlaySession::nearest_before(uint64_t step, uint64_t& found_step) const {
    for (auto keyframe = keyframes_.rbegin(); keyframe != keyframes_.rend(); ++keyframe) {
        if (keyframe->step > step) continue;
        found_step = keyframe->step;
        return &keyframe->snapshot;
    }
    found_step = 0;
    return from_start_ ? &start_ : nullptr;
}

const PlaySession::Keyframe* PlaySession::keyframe_of(uint64_t step) const {
    for (auto keyframe = keyframes_.rbegin(); keyframe != keyframes_.rend(); ++keyframe)
        if (keyframe->step <= step) return keyframe->step == step ? &*keyframe : nullptr;
    return nullptr;
}

// Keeps the state of this moment as the newest keyframe; nothing later is kept. It replaces one of the same
// step: there the state was changed by hand, and the changed state is the one that the future grows from.
void PlaySession::keep_keyframe(bool by_hand) {
    PX_ZONE("keep state");
    if (!keyframes_.empty() && keyframes_.back().step == step_) {
        history_bytes_ -= keyframes_.back().snapshot.bytes.size();
    } else {
        keyframes_.emplace_back().step = step_;
        if (!spare_.empty()) {
            keyframes_.back().snapshot = std::move(spare_.back());
            spare_.pop_back();
        }
    }
    keyframes_.back().by_hand = by_hand;
    world_.save(keyframes_.back().snapshot);
    history_bytes_ += keyframes_.back().snapshot.bytes.size();
    // Two stay in any case: the newest may be the state of this very step, and then the way back starts at the other.
    while (history_bytes_ > settings_.history_bytes && keyframes_.size() > 2) forget_oldest();
}

void PlaySession::forget_oldest() {
    history_bytes_ -= keyframes_.front().snapshot.bytes.size();
    spare_.push_back(std::move(keyframes_.front().snapshot));
    keyframes_.pop_front();
    from_start_ = false;
}

void PlaySession::forget_after(uint64_t step) {
    while (!keyframes_.empty() && keyframes_.back().step > step) {
        history_bytes_ -= keyframes_.back().snapshot.bytes.size();
        spare_.push_back(std::move(keyframes_.back().snapshot));
        keyframes_.pop_back();
    }
}

void PlaySession::forget_all() {
    keyframes_.clear();
    spare_.clear();
    history_bytes_ = 0;
}

}  // namespace proxima::engine
