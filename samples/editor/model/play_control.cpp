// SPDX-License-Identifier: MIT
#include "samples/editor/model/play_control.h"

#include <algorithm>
#include <utility>

#include "engine/core/assert.h"
#include "engine/jobs/jobs.h"

namespace proxima::editor {

using engine::PlayState;

PlayControl::~PlayControl() {
    if (thread_) (void)stop();
}

Result<void> PlayControl::set_comparison(std::vector<ComparisonLane> lanes) {
    if (thread_) return Error{"Stop the play before choosing what to compare."};
    if (lanes.size() + 1 > kMaxLanes)
        return Error{"At most " + std::to_string(kMaxLanes - 1) + " worlds can be compared with the scene's own."};
    for (const ComparisonLane& lane : lanes)
        if (Result<void> good = physics::check(lane.settings); !good)
            return Error{"'" + lane.name + "': " + good.error()};
    comparison_ = std::move(lanes);
    return {};
}

uint32_t PlayControl::index_of(ItemId body) const {
    const auto bodies = document_.bodies();
    for (uint32_t i = 0; i < bodies.size(); ++i)
        if (bodies[i].id == body) return i;
    return kNoBody;
}

// ---- start and stop

Result<std::vector<PlayLane>> PlayControl::make_lanes() {
    std::vector<PlayLane> lanes;
    PlayLane& own = lanes.emplace_back();
    own.world = &document_.world();
    for (const BodyRecord& record : document_.bodies()) own.bodies.push_back(document_.entity_of(record.id));
    SceneDesc scene = document_.scene();
    for (const ComparisonLane& lane : comparison_) {
        scene.settings = lane.settings;
        auto world = std::make_unique<physics::PhysicsWorld>(engine::make_threaded_jobs(threads_));
        Result<std::vector<Entity>> bodies = physics::instantiate(scene, *world);
        if (!bodies) return Error{"'" + lane.name + "': " + bodies.error()};
        lanes.push_back({world.get(), std::move(*bodies)});
        worlds_.push_back(std::move(world));
    }
    return lanes;
}

Result<void> PlayControl::start() {
    document_.end_drag();
    if (Result<void> ready = document_.prepare_world(); !ready) return ready;
    Result<std::vector<PlayLane>> lanes = make_lanes();
    if (!lanes) {
        worlds_.clear();
        return Error{lanes.error()};
    }
    document_.world().set_jobs(engine::make_threaded_jobs(threads_));
    document_.set_locked(true);
    picks_ = PickList(document_);
    auto core = std::make_unique<PlayCore>(std::move(*lanes), double(document_.scene_data().run.dt), history_bytes_);
    core->set_speed(speed_);
    core->inspect(index_of(inspected_));
    core->set_extractor(extractor_);
    thread_ = std::make_unique<StepThread>(std::move(core));
    state_ = PlayState::pause;
    return {};
}

Result<void> PlayControl::stop() {
    if (!thread_) return not_playing();
    const Result<void> stopped = thread_->call([](PlayCore& core) { return core.stop(); });
    thread_.reset();
    worlds_.clear();
    grab_.reset();
    picks_ = PickList();
    document_.world().set_jobs(engine::make_serial_jobs());
    document_.set_locked(false);
    state_ = PlayState::edit;
    return stopped;
}

// ---- transitions

Result<void> PlayControl::play() {
    if (!thread_)
        if (Result<void> started = start(); !started) return started;
    thread_->post([](PlayCore& core) { core.play(); });
    state_ = PlayState::play;
    return {};
}

Result<void> PlayControl::pause() {
    if (state_ != PlayState::play) return not_playing();
    thread_->post([](PlayCore& core) { core.pause(); });
    state_ = PlayState::pause;
    return {};
}

Result<void> PlayControl::step() {
    if (!thread_)
        if (Result<void> started = start(); !started) return started;
    thread_->post([](PlayCore& core) { core.step(); });
    state_ = PlayState::pause;
    return {};
}

Result<void> PlayControl::step_back() {
    if (!thread_) return not_playing();
    thread_->post([](PlayCore& core) { core.step_back(); });
    state_ = PlayState::pause;
    return {};
}

Result<void> PlayControl::seek(uint64_t step) {
    if (!thread_) return not_playing();
    thread_->post([step](PlayCore& core) { core.seek(step); });
    state_ = PlayState::pause;
    return {};
}

void PlayControl::set_speed(double speed) {
    if (!(speed == speed)) return;
    speed_ = std::clamp(speed, kSlowest, kFastest);
    if (thread_) thread_->post([speed = speed_](PlayCore& core) { core.set_speed(speed); });
}

void PlayControl::update(double elapsed_seconds) {
    if (state_ == PlayState::play) thread_->post([elapsed_seconds](PlayCore& core) { core.elapse(elapsed_seconds); });
}

const PlayFrame& PlayControl::frame() {
    if (!thread_) return no_frame_;
    const PlayFrame& frame = thread_->frame();
    // A play that failed pauses by itself; its word counts once it has heard everything that was asked.
    if (frame.commands_done == thread_->posted()) state_ = frame.state;
    return frame;
}

uint64_t PlayControl::time_line_begin(const PlayFrame& frame) const {
    return std::max(frame.oldest, frame.newest > kTimeLineSteps ? frame.newest - kTimeLineSteps : 0);
}

// ---- dragging

std::optional<PickHit> PlayControl::pick(const Ray& ray) {
    if (!thread_) return editor::pick(document_, ray);
    const PlayFrame& shown = frame();
    if (shown.lanes.empty()) return std::nullopt;  // the play has only just begun
    const LaneFrame& lane = shown.lanes[0];
    poses_.resize(lane.now.size());
    for (size_t i = 0; i < poses_.size(); ++i) poses_[i] = blend(lane.before[i], lane.now[i], shown.alpha);
    return picks_.pick(poses_, ray);
}

Result<void> PlayControl::grab(const PickHit& hit) {
    if (!thread_) return not_playing();
    const BodyRecord* body = document_.body(hit.body);
    if (!body || body->desc.type != BodyType::dynamic) return Error{"Only dynamic bodies can be dragged."};
    grab_ = Grab{hit.index, hit.local, hit.position};
    thread_->post([grab = *grab_](PlayCore& core) { core.hold(grab); });
    return {};
}

void PlayControl::move_grab(const Vec3& target) {
    if (!grab_ || grab_->target == target) return;
    grab_->target = target;
    thread_->post([grab = *grab_](PlayCore& core) { core.hold(grab); });
}

void PlayControl::release() {
    if (!grab_) return;
    grab_.reset();
    thread_->post([](PlayCore& core) { core.release(); });
}

// ---- solvers and looking

Result<void> PlayControl::change_settings(uint32_t lane, const physics::StepSettings& settings) {
    if (!thread_) return not_playing();
    return thread_->call([&](PlayCore& core) { return core.change_settings(lane, settings); });
}

Result<void> PlayControl::change_solver(uint32_t lane, ItemId body, std::string_view solver, float tolerance,
                                        uint32_t iterations) {
    if (!thread_) return not_playing();
    return thread_->call([&, index = index_of(body)](PlayCore& core) {
        return core.change_solver(lane, index, solver, tolerance, iterations);
    });
}

Result<void> PlayControl::reset_solver(uint32_t lane, ItemId body) {
    if (!thread_) return not_playing();
    return thread_->call([lane, index = index_of(body)](PlayCore& core) { return core.reset_solver(lane, index); });
}

void PlayControl::inspect(ItemId body) {
    inspected_ = body;
    if (thread_) thread_->post([index = index_of(body)](PlayCore& core) { core.inspect(index); });
}

Result<void> PlayControl::dump(size_t lane, const std::string& file) {
    if (!thread_) return not_playing();
    return thread_->call([&](PlayCore& core) { return core.dump(lane, file); });
}

Monitor PlayControl::monitor(size_t lane) {
    if (!thread_) return Monitor();
    return thread_->call([&](PlayCore& core) { return lane < core.lanes() ? core.monitor(lane) : Monitor(); });
}

}  // namespace proxima::editor
