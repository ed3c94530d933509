// SPDX-License-Identifier: MIT
// The play button over a document: play, pause, step, step back, stop, speed, time line, dragging bodies, and
// solvers side by side. Everything here returns at once, but for stop() and what says otherwise, which wait
// for the step that is under way.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "samples/editor/model/document.h"
#include "samples/editor/model/picking.h"
#include "samples/editor/model/step_thread.h"

namespace proxima::editor {

/// A world beside the document's own, for comparison: the same scene, solved otherwise.
struct ComparisonLane {
    std::string name;
    physics::StepSettings settings;
};

class PlayControl {
  public:
    static constexpr uint64_t kTimeLineSteps = 600;  // 10 s at 60 Hz

    /// The document must outlive the control, which stops the play when it ends.
    explicit PlayControl(Document& document) : document_(document) {}
    ~PlayControl();
    PlayControl(const PlayControl&) = delete;
    PlayControl& operator=(const PlayControl&) = delete;

    engine::PlayState state() const { return state_; }
    bool is_playing() const { return thread_ != nullptr; }  // or in pause: not in edit

    // ---- before a play
    /// At most three; only in edit. Lane 0 is the document's world, these are 1, 2, 3.
    Result<void> set_comparison(std::vector<ComparisonLane> lanes);
    const std::vector<ComparisonLane>& comparison() const { return comparison_; }
    /// Threads of each world's step, from the next play on; results do not depend on it.
    void set_threads(uint32_t threads) { threads_ = threads; }
    /// Bytes for going back, from the next play on.
    void set_history_bytes(size_t bytes) { history_bytes_ = bytes; }
    /// From the next play on; see PlayCore.
    void set_extractor(Extractor extractor) { extractor_ = std::move(extractor); }

    // ---- transitions
    /// From edit: locks the document and runs. From pause: runs on.
    Result<void> play();
    Result<void> pause();
    /// In pause, and from edit: one step of a play that then is in pause.
    Result<void> step();
    Result<void> step_back();
    /// To a step of the time line, while playing or in pause; pauses.
    Result<void> seek(uint64_t step);
    /// Waits for the step under way; then the edited world is as it was, byte for byte.
    Result<void> stop();
    void set_speed(double speed);
    double speed() const { return speed_; }

    /// Once a frame of the picture: the time since the last.
    void update(double elapsed_seconds);
    /// The newest finished frame; in edit, an empty one. Good until the next call.
    const PlayFrame& frame();
    /// The part of the time line that is offered: the last kTimeLineSteps, as far as they are kept.
    uint64_t time_line_begin(const PlayFrame& frame) const;

    // ---- dragging bodies
    /// What the pointer is on: in the last frame, or in the document when there is no play.
    std::optional<PickHit> pick(const Ray& ray);
    /// Holds a dynamic body where it was hit.
    Result<void> grab(const PickHit& hit);
    void move_grab(const Vec3& target);
    void release();
    bool is_grabbing() const { return grab_.has_value(); }

    // ---- solvers during the play; answers wait for the step under way
    Result<void> change_settings(uint32_t lane, const physics::StepSettings& settings);
    Result<void> change_solver(uint32_t lane, ItemId body, std::string_view solver, float tolerance = 0.0f,
                               uint32_t iterations = 0);
    Result<void> reset_solver(uint32_t lane, ItemId body);

    // ---- looking
    /// Whose contacts frames list; ItemId::none for nobody.
    void inspect(ItemId body);
    /// The contact problem of this moment as a file; waits for the step under way.
    Result<void> dump(size_t lane, const std::string& file);
    /// A copy of a lane's samples; waits for the step under way.
    Monitor monitor(size_t lane);
    /// Runs something on the core between two steps, and waits for it.
    template <class Function>
    auto with_core(Function&& function) {
        return thread_->call(std::forward<Function>(function));
    }

  private:
    Result<void> start();
    Result<std::vector<PlayLane>> make_lanes();
    Error not_playing() const { return Error{"The scene is not being played."}; }
    uint32_t index_of(ItemId body) const;

    Document& document_;
    engine::PlayState state_ = engine::PlayState::edit;
    std::vector<ComparisonLane> comparison_;
    std::vector<std::unique_ptr<physics::PhysicsWorld>> worlds_;  // of the comparison, during a play
    uint32_t threads_ = 1;
    size_t history_bytes_ = size_t(256) << 20;
    Extractor extractor_;
    double speed_ = 1.0;
    ItemId inspected_ = ItemId::none;
    PickList picks_;
    std::optional<Grab> grab_;
    PlayFrame no_frame_;
    std::vector<physics::Pose> poses_;  // scratch of pick()
    std::unique_ptr<StepThread> thread_;
};

}  // namespace proxima::editor
