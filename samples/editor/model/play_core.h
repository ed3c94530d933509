// SPDX-License-Identifier: MIT
// A play without threads: up to four worlds of one scene stepped side by side, with one tape of input and one
// time line. The step thread runs it; tests run it directly.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/play/play_session.h"
#include "engine/time/fixed_step.h"
#include "physics/world.h"
#include "samples/editor/model/drag_spring.h"
#include "samples/editor/model/input_tape.h"
#include "samples/editor/model/monitor.h"
#include "samples/editor/model/play_frame.h"

namespace proxima::editor {

inline constexpr size_t kMostLanes = 4;
inline constexpr double kSlowest = 0.1, kFastest = 4.0;  // speeds
inline constexpr uint32_t kNoPlace = 0xFFFFFFFFu;

/// A world to be played. Its bodies are in the order of the scene.
struct PlayLane {
    physics::PhysicsWorld* world = nullptr;  // outlives the play
    std::vector<physics::Entity> bodies;
};

/// Called between two steps with a lane's world, on the thread that steps.
using Extractor = std::function<void(const physics::PhysicsWorld& world, size_t lane, std::any& into)>;

class PlayCore {
  public:
    /// Keeps the state of every world for stop(). `step_seconds` as the scene's run says; `history_bytes` of
    /// kept states for all lanes together.
    PlayCore(std::vector<PlayLane> lanes, double step_seconds, size_t history_bytes = size_t(256) << 20);

    engine::PlayState state() const { return state_; }
    uint64_t step_number() const;
    uint64_t oldest_step() const;
    uint64_t newest_step() const;
    size_t lanes() const { return lanes_.size(); }
    physics::PhysicsWorld& world(size_t lane) { return *lanes_[lane]->lane.world; }
    const Monitor& monitor(size_t lane) const { return lanes_[lane]->monitor; }
    const std::string& error() const { return error_; }
    double step_seconds() const { return step_seconds_; }

    // ---- transitions
    void play();
    void pause();
    /// One step, and pause.
    void step();
    /// To the step before, and pause.
    void step_back();
    /// To a step of the time line, in as many pump()s as it takes, and pause. A later seek replaces it.
    void seek(uint64_t step);
    /// Back to the worlds as they were given.
    Result<void> stop();
    /// Clamped to kSlowest .. kFastest.
    void set_speed(double speed);

    // ---- time
    /// Real time that passed; what is due is done by pump().
    void elapse(double seconds);
    /// At most one step of each lane. False when there is nothing to do.
    bool pump();

    // ---- input, felt from the next step on. Another future begins: what was done after this step before is
    // forgotten.
    void hold(const Grab& grab);
    void release();
    void set_spring(const DragSpring& spring) { spring_ = spring; }
    /// Checked before anything is noted. kAllLanes: for each.
    Result<void> change_settings(uint32_t lane, const physics::StepSettings& settings);
    /// For the island of the body, wherever it goes.
    Result<void> change_solver(uint32_t lane, uint32_t body, std::string_view solver, float tolerance,
                               uint32_t iterations);
    Result<void> reset_solver(uint32_t lane, uint32_t body);

    // ---- looking
    /// The body whose contacts are listed in frames; kNoPlace: none.
    void inspect(uint32_t body) { inspected_ = body; }
    void set_extractor(Extractor extractor) { extractor_ = std::move(extractor); }
    /// Everything but `number` and `commands_done`. `frame` keeps its memory.
    void fill(PlayFrame& frame) const;
    /// The contact problem of a lane's next step, as a file.
    Result<void> dump(size_t lane, const std::string& file) const;

  private:
    struct Lane {
        PlayLane lane;
        std::unique_ptr<engine::PlaySession> session;
        std::vector<physics::Mass> masses;
        double total_weight = 0.0;  // sum of mass times gravity scale
        std::vector<physics::Pose> before, now;
        Monitor monitor;
        OutsideWork outside;  // after the step of the session
    };

    Result<void> advance(Lane& lane, size_t number, uint64_t step, double seconds);
    void take_poses(Lane& lane, bool shift);
    void note_sample(Lane& lane, uint64_t step);
    bool step_all();
    bool seek_on();
    void begin_future();
    Result<void> check_input(uint32_t lane) const;
    void fail(const std::string& sentence);

    std::vector<std::unique_ptr<Lane>> lanes_;
    double step_seconds_;
    engine::PlayState state_ = engine::PlayState::pause;
    engine::FixedStep clock_;
    uint32_t due_ = 0;  // steps
    double dropped_ = 0.0;
    bool single_ = false;  // one step was asked for
    bool seeking_ = false;
    uint64_t seek_target_ = 0;
    InputTape tape_;
    DragSpring spring_;
    uint32_t inspected_ = kNoPlace;
    Extractor extractor_;
    std::string error_;
};

}  // namespace proxima::editor
