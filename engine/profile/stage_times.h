// SPDX-License-Identifier: MIT
// StageTimes: how long each named stage took, always on. Stages are added by name at start-up and then
// reached by index; recording is one clock read and a few additions, and never allocates.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/assert.h"
#include "engine/profile/zone.h"

namespace proxima::engine {

/// The index of a stage in StageTimes: the order of addition, from 0.
using StageIndex = uint32_t;
inline constexpr StageIndex kNoStage = UINT32_MAX;

/// One line of the list. A frame is what lies between two calls of begin_frame(), for physics: one step.
struct StageTime {
    std::string name;
    double last_ms = 0.0;   ///< in the current frame, all calls together (a stage may run once per substep)
    double total_ms = 0.0;  ///< since the last reset()
    double max_ms = 0.0;    ///< the largest last_ms since the last reset()
    uint64_t count = 0;     ///< calls since the last reset()
    const ZoneSite* site = nullptr;
};

/// A list of stages. Written by one thread at a time, the one that runs the stages; the first thing to do in
/// a frame is begin_frame().
class StageTimes {
  public:
    using Clock = std::chrono::steady_clock;

    /// Adds a stage at the end of the list, or finds the one that already has this name.
    StageIndex add(std::string_view name) {
        const StageIndex known = find(name);
        if (known != kNoStage) return known;
        StageTime& stage = stages_.emplace_back();
        stage.name = std::string(name);
        stage.site = &make_zone_site(name);
        return StageIndex(stages_.size() - 1);
    }
    /// The index of a stage, or kNoStage.
    StageIndex find(std::string_view name) const {
        for (size_t i = 0; i < stages_.size(); ++i)
            if (stages_[i].name == name) return StageIndex(i);
        return kNoStage;
    }

    /// Starts a frame: last_ms of every stage counts from zero again.
    void begin_frame() {
        for (StageTime& stage : stages_) stage.last_ms = 0.0;
        ++frames_;
        lap_begin_ = Clock::now();
    }
    /// Ends a call of a stage that began where the one before it ended, or with the frame: the stages of a frame that
    /// follow each other add up to it.
    void end_lap(StageIndex index) {
        const Clock::time_point now = Clock::now();
        record(index, now - lap_begin_);
        lap_begin_ = now;
    }
    /// Adds one call of a stage.
    void record(StageIndex index, Clock::duration elapsed) {
        PX_ASSERT(index < stages_.size(), "StageTimes::record: there is no such stage");
        const double ms = std::chrono::duration<double, std::milli>(elapsed).count();
        StageTime& stage = stages_[index];
        stage.last_ms += ms;
        stage.total_ms += ms;
        stage.max_ms = std::max(stage.max_ms, stage.last_ms);
        ++stage.count;
    }
    /// Forgets all times and keeps the stages, for instance after warm-up.
    void reset() {
        for (StageTime& stage : stages_) {
            stage.last_ms = stage.total_ms = stage.max_ms = 0.0;
            stage.count = 0;
        }
        frames_ = 0;
    }

    std::span<const StageTime> stages() const { return stages_; }
    const StageTime& operator[](StageIndex index) const { return stages_[index]; }
    /// Frames begun since the last reset(); total_ms / frames() is the mean of a stage over frames.
    uint64_t frames() const { return frames_; }

  private:
    std::vector<StageTime> stages_;
    uint64_t frames_ = 0;
    Clock::time_point lap_begin_ = Clock::now();
};

/// Opens a zone of a stage's name, and ends a lap of the stage with it.
class StageTimer {
  public:
    StageTimer(StageTimes& times, StageIndex index) : zone_(*times[index].site), times_(times), index_(index) {}
    ~StageTimer() { times_.end_lap(index_); }
    StageTimer(const StageTimer&) = delete;
    StageTimer& operator=(const StageTimer&) = delete;

  private:
    Zone zone_;
    StageTimes& times_;
    StageIndex index_;
};

}  // namespace proxima::engine
