// SPDX-License-Identifier: MIT
#include "samples/editor/model/play_core.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/assert.h"
#include "physics/contact/dump_file.h"

namespace proxima::editor {

using engine::PlaySession;
using engine::PlayState;
using physics::Entity;
using physics::PhysicsWorld;
using physics::Pose;

Pose blend(const Pose& before, const Pose& now, float alpha) {
    const Quat near = glm::dot(before.rotation, now.rotation) < 0.0f ? -now.rotation : now.rotation;
    return {before.position + alpha * (now.position - before.position),
            glm::normalize(before.rotation * (1.0f - alpha) + near * alpha)};
}

PlayCore::PlayCore(std::vector<PlayLane> lanes, double step_seconds, size_t history_bytes)
    : step_seconds_(step_seconds) {
    PX_ASSERT(!lanes.empty() && lanes.size() <= kMaxLanes, "a play has one to four worlds");
    const Result<void> length = clock_.set_step_seconds(step_seconds);
    PX_ASSERT(length.ok(), length.error());
    for (size_t k = 0; k < lanes.size(); ++k) {
        Lane& lane = *lanes_.emplace_back(std::make_unique<Lane>());
        lane.lane = std::move(lanes[k]);
        PhysicsWorld& world = *lane.lane.world;
        lane.session = std::make_unique<PlaySession>(world.world(),
                                                     [this, &lane, k](engine::World&, uint64_t step, double seconds) {
                                                         return advance(lane, k, step, seconds);
                                                     });
        engine::PlaySettings settings;
        settings.step_seconds = step_seconds;
        settings.keyframe_interval = 15;
        settings.history_bytes = history_bytes / lanes.size();
        Result<void> ready = lane.session->set_settings(settings);
        if (ready) ready = lane.session->play();
        // The sessions stay in pause: what paces steps, and when another lane's come, is decided here.
        if (ready) ready = lane.session->pause();
        PX_ASSERT(ready.ok(), ready.error());
        lane.masses = masses_of(world, lane.lane.bodies);
        for (size_t i = 0; i < lane.masses.size(); ++i)
            lane.total_weight += double(lane.masses[i].mass) *
                                 double(world.registry().get<physics::RigidBody>(lane.lane.bodies[i]).gravity_scale);
        take_poses(lane, false);
        MonitorSample start;
        start.mechanics = mechanics_of(world, lane.lane.bodies, lane.masses);
        lane.monitor.add(start);
    }
}

uint64_t PlayCore::step_number() const { return lanes_[0]->session->step_number(); }
uint64_t PlayCore::newest_step() const { return lanes_[0]->session->newest_step(); }
uint64_t PlayCore::oldest_step() const {
    uint64_t oldest = 0;
    for (const auto& lane : lanes_) oldest = std::max(oldest, lane->session->oldest_step());
    return oldest;
}

// ---- one step of one lane

/// Input of the step, the step, and what drags did in it. Depends on the world's state and the tape alone.
Result<void> PlayCore::advance(Lane& lane, size_t number, uint64_t step, double seconds) {
    PhysicsWorld& world = *lane.lane.world;
    entt::registry& registry = world.registry();
    for (const SolverChange& change : tape_.changes_at(step)) {
        if (change.lane != kAllLanes && change.lane != number) continue;
        Result<void> done;
        if (change.kind == SolverChange::Kind::settings)
            done = world.set_settings(*change.settings);
        else if (change.kind == SolverChange::Kind::island)
            done = world.set_solver(lane.lane.bodies[change.body], change.solver, change.tolerance, change.iterations);
        else
            world.clear_solver(lane.lane.bodies[change.body]);
        if (!done) return done;
    }
    const std::optional<Grab> grab = tape_.grab_at(step);
    const float dt = float(seconds);
    const glm::dvec3 gravity(world.settings().gravity);
    OutsideWork outside = lane.outside;
    // After a seek the books are those of the step it landed on.
    if (const MonitorSample* last = lane.monitor.at(step - 1)) outside = last->outside;
    outside.impulse += seconds * lane.total_weight * gravity;
    if (!grab || grab->body >= lane.lane.bodies.size() || !(lane.masses[grab->body].mass > 0.0f)) {
        lane.outside = outside;
        return world.step(dt);
    }
    const Entity body = lane.lane.bodies[grab->body];
    const physics::Mass& mass = lane.masses[grab->body];
    const auto& pose = registry.get<Pose>(body);
    const auto& velocity = registry.get<physics::Velocity>(body);
    const float scale = registry.get<physics::RigidBody>(body).gravity_scale;
    const physics::Force pull =
        drag_force(spring_, pose, velocity, mass, grab->local, grab->target, scale * world.settings().gravity, dt);
    auto& force = registry.get<physics::Force>(body);
    force.linear += pull.linear;
    force.angular += pull.angular;
    const physics::Velocity before = velocity;
    if (Result<void> stepped = world.step(dt); !stepped) return stepped;
    // Work of a constant force over the mean velocity: exactly what it adds to the kinetic energy. Over the way of
    // the centre it would be off by F^2 dt h / 2m, which is what a step of finite length makes of a jerk.
    const auto& now = registry.get<physics::Velocity>(body);
    const glm::dvec3 mean = 0.5 * glm::dvec3(before.linear + now.linear);
    const glm::dvec3 spin = 0.5 * glm::dvec3(before.angular + now.angular);
    outside.energy += seconds * (glm::dot(glm::dvec3(pull.linear), mean) + glm::dot(glm::dvec3(pull.angular), spin));
    outside.impulse += seconds * glm::dvec3(pull.linear);
    lane.outside = outside;
    return {};
}

void PlayCore::take_poses(Lane& lane, bool shift) {
    const entt::registry& registry = lane.lane.world->registry();
    if (shift) std::swap(lane.before, lane.now);
    lane.now.resize(lane.lane.bodies.size());
    for (size_t i = 0; i < lane.lane.bodies.size(); ++i) lane.now[i] = registry.get<Pose>(lane.lane.bodies[i]);
    if (!shift) lane.before = lane.now;
}

void PlayCore::note_sample(Lane& lane, uint64_t step) {
    MonitorSample sample = sample_of(*lane.lane.world, step, lane.lane.bodies, lane.masses);
    sample.outside = lane.outside;
    lane.monitor.add(sample);
}

void PlayCore::fail(const std::string& sentence) {
    error_ = sentence;
    state_ = PlayState::pause;
    single_ = seeking_ = false;
    due_ = 0;
}

// ---- transitions

void PlayCore::play() {
    error_.clear();
    seeking_ = single_ = false;
    if (state_ == PlayState::play) return;
    state_ = PlayState::play;
    clock_.reset();
    due_ = 0;
}

void PlayCore::pause() {
    state_ = PlayState::pause;
    due_ = 0;
}

void PlayCore::step() {
    pause();
    error_.clear();
    seeking_ = false;
    single_ = true;
}

void PlayCore::step_back() {
    const uint64_t here = seeking_ ? seek_target_ : step_number();
    if (here == 0) {
        pause();
        error_ = "Cannot step back: this is the start of the play, before the first step.";
        return;
    }
    seek(here - 1);
}

void PlayCore::seek(uint64_t step) {
    pause();
    single_ = false;
    if (step > newest_step() || step < oldest_step()) {
        error_ = "Step " + std::to_string(step) + " is not on the time line, which goes from " +
                 std::to_string(oldest_step()) + " to " + std::to_string(newest_step()) + ".";
        return;
    }
    error_.clear();
    seeking_ = true;
    seek_target_ = step;
}

Result<void> PlayCore::stop() {
    state_ = PlayState::edit;
    seeking_ = single_ = false;
    due_ = 0;
    Result<void> result;
    for (const auto& lane : lanes_)
        if (Result<void> stopped = lane->session->stop(); !stopped && result) result = stopped;
    return result;
}

void PlayCore::set_speed(double speed) {
    if (!std::isfinite(speed)) return;
    const Result<void> set = clock_.set_time_scale(std::clamp(speed, kSlowest, kFastest));
    PX_ASSERT(set.ok(), set.error());
}

// ---- time

void PlayCore::elapse(double seconds) {
    if (state_ != PlayState::play) return;
    const engine::FrameSteps frame = clock_.advance(seconds);
    dropped_ += frame.dropped_seconds;
    // Never far behind: steps that take longer than they last would otherwise pile up.
    const uint32_t room = clock_.max_steps() - std::min(clock_.max_steps(), due_);
    const uint32_t taken = std::min(frame.steps, room);
    dropped_ += double(frame.steps - taken) * step_seconds_;
    due_ += taken;
}

bool PlayCore::step_all() {
    for (const auto& lane : lanes_) {
        if (Result<void> stepped = lane->session->step(); !stepped) {
            fail(stepped.error());
            // Lanes before this one are a step ahead; they go back to where the others are.
            for (const auto& other : lanes_)
                if (other->session->step_number() > lane->session->step_number()) {
                    (void)other->session->seek(lane->session->step_number());
                    take_poses(*other, false);
                }
            return true;
        }
        take_poses(*lane, true);
        note_sample(*lane, lane->session->step_number());
    }
    return true;
}

/// A piece of the way to the target: a kept state and at most one step of each lane.
bool PlayCore::seek_on() {
    bool arrived = true;
    for (const auto& lane : lanes_) {
        if (Result<void> moved = lane->session->seek(seek_target_, 1); !moved) {
            fail(moved.error());
            return true;
        }
        take_poses(*lane, false);
        arrived &= lane->session->step_number() == seek_target_;
    }
    if (arrived) {
        seeking_ = false;
        for (const auto& lane : lanes_)
            if (const MonitorSample* sample = lane->monitor.at(seek_target_)) lane->outside = sample->outside;
    }
    return true;
}

bool PlayCore::pump() {
    if (seeking_) return seek_on();
    if (single_) {
        single_ = false;
        return step_all();
    }
    if (state_ != PlayState::play || due_ == 0) return false;
    --due_;
    return step_all();
}

// ---- input

/// The time line ends here, and what was noted for later steps is void.
void PlayCore::begin_future() {
    const uint64_t step = step_number();
    // Several things may be asked for before one step: those of this moment stay.
    if (newest_step() > step) tape_.truncate_after(step);
    for (const auto& lane : lanes_) {
        lane->session->forget_future();
        lane->monitor.truncate_after(step);
    }
}

void PlayCore::hold(const Grab& grab) {
    if (seeking_ || grab.body >= lanes_[0]->lane.bodies.size()) return;
    if (!is_finite(grab.local) || !is_finite(grab.target)) return;
    begin_future();
    tape_.hold(step_number() + 1, grab);
}

void PlayCore::release() {
    if (seeking_) return;
    begin_future();
    tape_.release(step_number() + 1);
}

Result<void> PlayCore::check_input(uint32_t lane) const {
    if (seeking_) return Error{"The time line is still on its way; wait until it has arrived."};
    if (lane != kAllLanes && lane >= lanes_.size()) return Error{"There is no such world in the play."};
    return {};
}

Result<void> PlayCore::change_settings(uint32_t lane, const physics::StepSettings& settings) {
    if (Result<void> ready = check_input(lane); !ready) return ready;
    if (Result<void> good = physics::check(settings); !good) return good;
    for (size_t k = 0; k < lanes_.size(); ++k) {
        if (lane != kAllLanes && lane != k) continue;
        // Tried now, so that the person gets the sentence and not a play that pauses one step later.
        PhysicsWorld& world = *lanes_[k]->lane.world;
        const physics::StepSettings before = world.settings();
        Result<void> taken = world.set_settings(settings);
        if (taken) taken = world.set_settings(before);
        if (!taken) return taken;
    }
    begin_future();
    tape_.add({.step = step_number() + 1,
               .lane = lane,
               .kind = SolverChange::Kind::settings,
               .settings = std::make_shared<const physics::StepSettings>(settings)});
    return {};
}

Result<void> PlayCore::change_solver(uint32_t lane, uint32_t body, std::string_view solver, float tolerance,
                                     uint32_t iterations) {
    if (Result<void> ready = check_input(lane); !ready) return ready;
    if (body >= lanes_[0]->lane.bodies.size()) return Error{"A solver is chosen for an existing body."};
    physics::StepSettings trial = lanes_[0]->lane.world->settings();
    trial.solver = solver;
    trial.tolerance = double(tolerance);
    trial.iterations = std::max(1u, iterations);
    if (Result<void> good = physics::check(trial); !good) return good;
    begin_future();
    tape_.add({.step = step_number() + 1,
               .lane = lane,
               .kind = SolverChange::Kind::island,
               .body = body,
               .solver = std::string(solver),
               .tolerance = tolerance,
               .iterations = iterations});
    return {};
}

Result<void> PlayCore::reset_solver(uint32_t lane, uint32_t body) {
    if (Result<void> ready = check_input(lane); !ready) return ready;
    if (body >= lanes_[0]->lane.bodies.size()) return Error{"A solver is chosen for an existing body."};
    begin_future();
    tape_.add({.step = step_number() + 1, .lane = lane, .kind = SolverChange::Kind::island_default, .body = body});
    return {};
}

// ---- looking

void PlayCore::fill(PlayFrame& frame) const {
    frame.state = state_;
    frame.step = step_number();
    frame.oldest = oldest_step();
    frame.newest = newest_step();
    frame.seeking = seeking_;
    // While steps are due the picture is already behind them.
    frame.alpha = state_ != PlayState::play ? 1.0f : due_ > 0 ? std::nextafter(1.0f, 0.0f) : clock_.alpha();
    frame.speed = clock_.time_scale();
    frame.dropped_seconds = dropped_;
    frame.grab = tape_.grab_at(frame.step);
    frame.error = error_;
    frame.lanes.resize(lanes_.size());
    for (size_t k = 0; k < lanes_.size(); ++k) {
        const Lane& lane = *lanes_[k];
        LaneFrame& out = frame.lanes[k];
        const PhysicsWorld& world = *lane.lane.world;
        out.before = lane.before;
        out.now = lane.now;
        out.asleep.resize(lane.lane.bodies.size());
        for (size_t i = 0; i < lane.lane.bodies.size(); ++i)
            out.asleep[i] = uint8_t(world.registry().get<physics::SleepState>(lane.lane.bodies[i]).asleep);
        if (const MonitorSample* sample = lane.monitor.at(frame.step)) out.sample = *sample;
        out.recent.clear();
        for (uint64_t step = frame.step - std::min(frame.step, kRecentSamples - 1); step <= frame.step; ++step)
            if (const MonitorSample* sample = lane.monitor.at(step)) out.recent.push_back(*sample);
        out.settings = world.settings();
        out.contacts.clear();
        out.island.reset();
        if (inspected_ < lane.lane.bodies.size()) {
            inspect_contacts(world, lane.lane.bodies[inspected_], float(step_seconds_), out.contacts);
            out.island = world.island(lane.lane.bodies[inspected_]);
        }
        out.warnings.clear();
        for (const physics::StepWarning& warning : world.report().warnings) out.warnings.push_back(warning.message);
        if (extractor_) extractor_(world, k, out.extra);
    }
}

Result<void> PlayCore::dump(size_t lane, const std::string& file) const {
    if (lane >= lanes_.size()) return Error{"There is no such world in the play."};
    Result<physics::ContactDump> problem = lanes_[lane]->lane.world->capture(float(step_seconds_));
    if (!problem) return Error{problem.error()};
    problem->source = "editor, step " + std::to_string(step_number()) + ", world " + std::to_string(lane);
    return physics::write_dump(file, *problem);
}

}  // namespace proxima::editor
