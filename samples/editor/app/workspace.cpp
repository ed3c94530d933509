// SPDX-License-Identifier: MIT
#include "samples/editor/app/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/profile/trace.h"
#include "physics/contact/dump_file.h"
#include "physics/debug/debug_frame.h"
#include "physics/shapes/shape_classes.h"
#include "samples/scenes/scenes.h"

namespace proxima::editor {

namespace fs = std::filesystem;
using engine::PlayState;

uint32_t ShowOptions::debug_flags() const {
    uint32_t flags = 0;
    if (contacts || friction || values || sweeps) flags |= physics::kDebugContacts;
    if (residuals || colours == render::ColourMode::residual)
        flags |= physics::kDebugContacts | physics::kDebugResiduals;
    if (colours == render::ColourMode::colour) flags |= physics::kDebugContacts;
    if (velocities || centres || colours == render::ColourMode::speed) flags |= physics::kDebugBodies;
    if (islands || colours == render::ColourMode::island || colours == render::ColourMode::solver)
        flags |= physics::kDebugIslands | physics::kDebugBodies;
    if (boxes) flags |= physics::kDebugBoxes;
    if (joints) flags |= physics::kDebugJoints;
    if (rules) flags |= physics::kDebugRules;
    return flags;
}

Workspace::Workspace(const WorkspaceOptions& options) : recent(options.recent_store), options_(options) {
    recent.load();
    frame_ = &play.frame();
}

Workspace::~Workspace() {
    if (engine::trace_active()) (void)engine::stop_trace();
}

// ---- once a frame

void Workspace::update(double seconds) {
    messages.update(seconds);
    if (const ItemId body = primary_body(); body != inspected_) {
        inspected_ = body;
        play.inspect(body);
    }
    if (!playing() && stage_names_.empty())  // read while nobody steps the world; they never change
        for (const engine::StageTime& stage : document.world().times().stages()) stage_names_.push_back(stage.name);
    play.update(seconds);
    frame_ = &play.frame();
    if (frame_->number != frame_number_ && playing()) {
        frame_number_ = frame_->number;
        take_samples();
        take_warnings();
    }
    since_file_check_ += seconds;
    if (since_file_check_ > 1.0) {  // looking at a file costs a system call
        since_file_check_ = 0.0;
        file_state_ = document.check_file();
    }
    if (guard.state() == LeaveGuard::State::naming && dialog == FileDialog::none) dialog = FileDialog::name_for_guard;
    if (guard.state() == LeaveGuard::State::ready)
        if (const std::optional<LeaveWish> wish = guard.take()) do_wish(*wish);
}

/// Frames are fewer than steps where steps are short: each brings the samples of the last few.
void Workspace::take_samples() {
    for (size_t k = 0; k < frame_->lanes.size(); ++k) {
        if (!monitors_[k].empty() && monitors_[k].newest() > frame_->newest)
            monitors_[k].truncate_after(frame_->newest);  // another future began
        for (const MonitorSample& sample : frame_->lanes[k].recent)
            if (monitors_[k].empty() || sample.step >= monitors_[k].oldest()) monitors_[k].add(sample);
    }
}

void Workspace::take_warnings() {
    if (frame_->error != play_error_) {
        play_error_ = frame_->error;
        if (!play_error_.empty()) messages.add(Severity::error, "The play paused: " + play_error_);
    }
    if (frame_->step == warned_step_) return;
    warned_step_ = frame_->step;
    for (size_t k = 0; k < frame_->lanes.size(); ++k)
        for (const std::string& warning : frame_->lanes[k].warnings)
            messages.add(Severity::warning, k == 0 ? warning : lane_name(k) + ": " + warning);
}

// ---- play

void Workspace::play_or_pause() {
    if (play.state() == PlayState::play) {
        tell(play.pause());
        return;
    }
    if (!playing())
        for (Monitor& monitor : monitors_) monitor.clear();
    if (!tell(play.play())) return;
    frame_ = &play.frame();
}

void Workspace::stop() {
    if (!playing()) return;
    tell(play.stop());
    frame_ = &play.frame();
    play_error_.clear();
    warned_step_ = 0;
    if (live_settings_ && keep_live_settings) {
        SceneData scene_data = document.scene_data();
        scene_data.settings = *live_settings_;
        tell(document.set_scene_data("Keep the settings of the play", std::move(scene_data)));
    }
    live_settings_.reset();
    keep_live_settings = false;
}

// ---- selection

ItemId Workspace::primary_body() const {
    const std::span<const ItemId> selection = document.selection();
    return selection.empty() ? ItemId::none : document.body_of(selection.back());
}

std::string Workspace::name_at(size_t index) const {
    const SceneBody& desc = document.bodies()[index].desc;
    if (!desc.name.empty()) return desc.name;
    const char* shape =
        desc.colliders.empty() ? "body" : physics::to_string(document.shape(desc.colliders[0].shape).type);
    return fmt::format("{} {}", shape, index + 1);
}

std::string Workspace::name_of(ItemId body) const {
    const std::span<const BodyRecord> bodies = document.bodies();
    for (size_t i = 0; i < bodies.size(); ++i)
        if (bodies[i].id == body) return name_at(i);
    return {};
}

void Workspace::remove_selected() {
    const std::vector<ItemId> ids(document.selection().begin(), document.selection().end());
    if (!ids.empty()) tell(document.remove(ids));
}

const JointRecord* Workspace::active_joint() const {
    const std::vector<JointRecord>& joints = document.scene_data().joints;
    if (playing() || !joint_tool.active || *joint_tool.active >= joints.size()) return nullptr;
    const JointRecord& joint = joints[*joint_tool.active];
    for (const ItemId body : document.selected_bodies())
        if (body == joint.body_a || body == joint.body_b) return &joint;
    return nullptr;
}

void Workspace::join_selected(std::string_view type) {
    const std::vector<ItemId> bodies = document.selected_bodies();
    if (bodies.size() != 2) return;
    const physics::SceneBody &a = document.body(bodies[0])->desc, &b = document.body(bodies[1])->desc;
    const bool picked = joint_tool.at_picked && joint_tool.picked;
    Vec3 axis(0.0f);
    axis[joint_tool.axis] = 1.0f;
    const Result<physics::AnyJoint> joint = new_joint(type, {a.position, a.rotation}, {b.position, b.rotation},
                                                      picked ? *joint_tool.picked : joint_point(a, b), axis);
    if (!tell(joint) || !tell(document.join(bodies[0], bodies[1], *joint))) return;
    joint_tool.active = document.scene_data().joints.size() - 1;
    // The two ends of a rope are moved one by one.
    const bool is_rope = type == physics::DistanceJoint::kTypeName || type == physics::PulleyJoint::kTypeName;
    joint_tool.end = is_rope ? JointEnd::a : JointEnd::both;
}

void Workspace::duplicate_selected() {
    const std::vector<ItemId> bodies = document.selected_bodies();
    if (bodies.empty()) return;
    tell(document.duplicate(bodies, tool.snap.on ? Vec3(2.0f * tool.snap.metres, 0.0f, 0.0f) : Vec3(0.5f, 0.0f, 0.0f)));
}

void Workspace::create(ShapeType type, BodyType body, const Vec3& at) {
    const Result<ItemId> made = document.create_body(physics::shape_class(type).example(), body, at);
    if (tell(made)) document.select(*made);
}

// ---- files

void Workspace::opened(const std::string& what) {
    since_file_check_ = 0.0;
    file_state_ = document.check_file();
    wishes.view_all = true;
    for (Monitor& monitor : monitors_) monitor.clear();
    messages.add(Severity::info,
                 fmt::format("Opened {}: {}.", what, counted(document.bodies().size(), "body", "bodies")));
}

void Workspace::do_wish(const LeaveWish& wish) {
    stop();
    switch (wish.kind) {
        case LeaveWish::Kind::new_scene:
            document.new_scene();
            file_state_ = FileState::none;
            wishes.view_all = true;
            break;
        case LeaveWish::Kind::open:
            // A name that is no file is that of a scene that comes with the program.
            if (!fs::exists(wish.file) && wish.file.find('.') == std::string::npos) {
                const Result<SceneDesc> scene = samples::make_scene(wish.file);
                if (tell(scene) && tell(document.set_scene(*scene))) opened(wish.file);
            } else if (tell(document.open(wish.file))) {
                (void)recent.add(wish.file);
                opened("'" + fs::path(wish.file).filename().string() + "'");
            }
            break;
        case LeaveWish::Kind::reload:
            if (tell(document.reload())) opened("'" + fs::path(document.file()).filename().string() + "'");
            break;
        case LeaveWish::Kind::quit:
            wishes.quit = true;
            break;
    }
}

// A play is no reason to lose edits, and no edit either: the guard is asked first, the play stops when its
// answer is known.
void Workspace::new_scene() { guard.wish({LeaveWish::Kind::new_scene, {}}); }
void Workspace::open(const std::string& file) { guard.wish({LeaveWish::Kind::open, file}); }
void Workspace::open_sample(const std::string& name) { guard.wish({LeaveWish::Kind::open, name}); }
void Workspace::reload() { guard.wish({LeaveWish::Kind::reload, {}}); }
void Workspace::quit() { guard.wish({LeaveWish::Kind::quit, {}}); }

void Workspace::save() {
    if (document.file().empty()) {
        dialog = FileDialog::save_as;
        return;
    }
    if (!tell(document.save())) return;
    file_state_ = FileState::unchanged;
    messages.add(Severity::info, "Saved '" + document.file() + "'.");
}

void Workspace::save_as(const std::string& file) {
    if (guard.state() == LeaveGuard::State::naming) {
        guard.name(file);
        return;
    }
    if (!tell(document.save_as(file))) return;
    file_state_ = FileState::unchanged;
    (void)recent.add(file);
    messages.add(Severity::info, "Saved '" + file + "'.");
}

Result<void> Workspace::import(const std::string& file) {
    if (playing()) stop();
    const Result<ImportedBody> made = import_mesh(document, file, import_options);
    if (!tell(made)) return Error{made.error()};
    document.select(made->body);
    wishes.focus = true;
    messages.add(
        made->exact ? Severity::info : Severity::warning,
        fmt::format("Imported '{}' as a convex body: {} points, {} vertices{}.", fs::path(file).filename().string(),
                    made->points, made->vertices, made->exact ? "" : "; it had more, and was simplified"));
    return {};
}

bool Workspace::is_mesh_file(const std::string& file) {
    std::string ending = fs::path(file).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return ending == ".obj" || ending == ".gltf" || ending == ".glb";
}

void Workspace::take_file(const std::string& file) {
    if (is_mesh_file(file))
        (void)import(file);  // it has told
    else
        open(file);
}

Result<std::string> Workspace::rescue() {
    if (!document.is_dirty()) return std::string();
    const std::string file = free_name("-rescued.json");
    if (Result<void> written = physics::save_scene(document.scene(), file); !written) return Error{written.error()};
    return file;
}

// ---- solvers

size_t Workspace::lanes() const { return 1 + play.comparison().size(); }

physics::StepSettings Workspace::settings(size_t lane) const {
    if (lane == 0 && live_settings_) return *live_settings_;
    if (playing() && lane < frame_->lanes.size()) return frame_->lanes[lane].settings;
    return lane == 0 ? document.scene_data().settings : play.comparison()[lane - 1].settings;
}

std::string Workspace::lane_name(size_t lane) const {
    return lane == 0 ? "scene (" + settings(0).solver + ")" : play.comparison()[lane - 1].name;
}

void Workspace::change_settings(size_t lane, const physics::StepSettings& settings) {
    if (playing()) {
        if (tell(play.change_settings(uint32_t(lane), settings)) && lane == 0) live_settings_ = settings;
        return;
    }
    if (lane == 0) {
        SceneData scene_data = document.scene_data();
        const std::string name =
            scene_data.settings.solver != settings.solver ? "Solve by " + settings.solver : "Change solver settings";
        scene_data.settings = settings;
        tell(document.set_scene_data(name, std::move(scene_data)));
        return;
    }
    std::vector<ComparisonLane> all = play.comparison();
    all[lane - 1].settings = settings;
    all[lane - 1].name = settings.solver;
    tell(play.set_comparison(std::move(all)));
}

void Workspace::add_lane(const std::string& solver) {
    std::vector<ComparisonLane> all = play.comparison();
    ComparisonLane lane{solver, document.scene_data().settings};
    lane.settings.solver = solver;
    all.push_back(std::move(lane));
    tell(play.set_comparison(std::move(all)));
}

void Workspace::remove_lane(size_t lane) {
    std::vector<ComparisonLane> all = play.comparison();
    all.erase(all.begin() + std::ptrdiff_t(lane - 1));
    tell(play.set_comparison(std::move(all)));
}

// ---- files that a button makes

std::string Workspace::free_name(const std::string& ending) const {
    std::error_code ignored;
    for (uint32_t n = 1; n < 10000; ++n) {
        const fs::path file = fs::path(options_.output_folder) / fmt::format("proxima-{:04}{}", n, ending);
        if (!fs::exists(file, ignored)) return file.lexically_normal().string();
    }
    return (fs::path(options_.output_folder) / ("proxima" + ending)).string();
}

void Workspace::dump_frame() {
    if (!playing()) {
        messages.add(Severity::warning, "There is a contact problem to write only during a play.");
        return;
    }
    const std::string file = free_name(std::string(physics::kDumpExtension));
    if (tell(play.dump(0, file)))
        messages.add(Severity::info,
                     fmt::format("Wrote the contact problem of step {} to '{}'; `proxima solve {}` solves it.",
                                 frame_->step, file, file));
}

void Workspace::toggle_trace() {
    if (!engine::trace_active()) {
        const std::string file = free_name("-trace.json");
        if (tell(engine::start_trace(file)))
            messages.add(Severity::info, "Recording a trace; press the button again to write it.");
        return;
    }
    const Result<engine::TraceSummary> done = engine::stop_trace();
    if (tell(done))
        messages.add(Severity::info, fmt::format("Wrote {} zones of {} to '{}'; Perfetto opens it.", done->events,
                                                 counted(done->threads, "thread", "threads"), done->path));
}

}  // namespace proxima::editor
