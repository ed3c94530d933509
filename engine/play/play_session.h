// SPDX-License-Identifier: MIT
// PlaySession: the play button of an editor on a world. Play keeps the edited state, pause, step and step
// back move through the run, stop brings the edited state back byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>

#include "engine/core/result.h"
#include "engine/ecs/world.h"
#include "engine/time/fixed_step.h"

namespace proxima::engine {

enum class PlayState { edit, play, pause };

/// "edit", "play" or "pause".
std::string_view to_string(PlayState state);

struct PlaySettings {
    double step_seconds = FixedStep::kDefaultStep;
    uint32_t max_steps_per_update = FixedStep::kDefaultMaxSteps;
    /// Every so many steps the whole state is kept. Stepping back restores the nearest one before and simulates the
    /// few steps that are missing: memory falls by this factor, a step back costs at most this many steps.
    uint32_t keyframe_interval = 16;
    /// Memory for kept states. When it is used up the oldest are forgotten, but never the newest two.
    size_t history_bytes = size_t(64) << 20;
};

/// Advances the world by one step. `step` is the number of the step, from 1. The result may depend on nothing
/// but the world's saved state, `step` and `seconds`, because steps are repeated to go back: input of a
/// player belongs into a list looked up by `step`. After an error the step counts as not done.
using StepFunction = std::function<Result<void>(World& world, uint64_t step, double seconds)>;

/// What update() did.
struct PlayUpdate {
    uint32_t steps = 0;
    float alpha = 0.0f;  ///< as FrameSteps::alpha
    double dropped_seconds = 0.0;
};

class PlaySession {
  public:
    /// The world must outlive the session. Ending the session does not stop the play: call stop().
    PlaySession(World& world, StepFunction step_function);
    PlaySession(const PlaySession&) = delete;
    PlaySession& operator=(const PlaySession&) = delete;

    /// Only in edit.
    Result<void> set_settings(const PlaySettings& settings);
    const PlaySettings& settings() const { return settings_; }
    Result<void> set_time_scale(double scale) { return clock_.set_time_scale(scale); }

    PlayState state() const { return state_; }
    /// Steps done since play() left edit; step_back() takes them back.
    uint64_t step_number() const { return step_; }
    /// How far step_back() and seek() reach.
    uint64_t oldest_step() const;
    /// The last step that was done on the way that seek() moves along; at least step_number().
    uint64_t newest_step() const { return newest_; }
    /// Bytes of kept states, without the edited state itself.
    size_t history_bytes() const { return history_bytes_; }

    /// From edit: keeps the edited state and runs. From pause: runs on.
    Result<void> play();
    /// From play.
    Result<void> pause();
    /// In pause: one step forward.
    Result<void> step();
    /// In pause: to the state before the last step. What came after it is forgotten.
    Result<void> step_back();
    /// In pause: to the state after step `target`, which lies between oldest_step() and newest_step(). What
    /// comes after it is not forgotten: playing on repeats it, since steps with the same input give the
    /// same states. At most `max_steps` are simulated, so that a long seek can be spread over several frames:
    /// step_number() tells how far it went, and the same call again goes on.
    Result<void> seek(uint64_t target, uint32_t max_steps = UINT32_MAX);
    /// To be called when input for the steps after this one changes: kept states of later steps are dropped,
    /// and newest_step() is this one.
    void forget_future();
    /// From play or pause: back to edit, and the edited state back.
    Result<void> stop();

    /// In play: does the steps that are due after `elapsed_seconds` of real time. An error of the step
    /// function pauses the play and is returned. In edit and pause nothing happens.
    Result<PlayUpdate> update(double elapsed_seconds);

    /// To be called after the world was changed by hand during play or pause (inspector, gizmo, script), so
    /// that stepping back does not lose the change. Does nothing in edit.
    void mark_changed();

  private:
    struct Keyframe {
        uint64_t step = 0;
        Snapshot snapshot;
        bool by_hand = false;  // changed after the step: doing the step again does not give it
    };

    Error refuse(std::string_view wish, std::string_view allowed_in) const;
    Result<void> advance_one();
    const Keyframe* keyframe_of(uint64_t step) const;
    void keep_keyframe(bool by_hand);
    void forget_after(uint64_t step);
    void forget_oldest();
    void forget_all();
    const Snapshot* nearest_before(uint64_t step, uint64_t& found_step) const;

    World& world_;
    StepFunction step_function_;
    PlaySettings settings_;
    FixedStep clock_;
    PlayState state_ = PlayState::edit;
    uint64_t step_ = 0;
    uint64_t newest_ = 0;             // of the way that was gone; step_ is behind it after seek()
    Snapshot start_;                  // the edited state: what stop() brings back
    bool from_start_ = true;          // the history reaches back to start_
    std::deque<Keyframe> keyframes_;  // ascending steps
    std::vector<Snapshot> spare_;     // buffers of forgotten keyframes, used again
    size_t history_bytes_ = 0;
};

}  // namespace proxima::engine
