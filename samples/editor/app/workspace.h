// SPDX-License-Identifier: MIT
// What all panels of the editor share: the document, its play, the tools and switches, and what the person
// wishes. No drawing and no user interface library: panels draw it and call it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "render/draw_list.h"
#include "render/extract/extract_debug.h"
#include "render/extract/extract_world.h"
#include "samples/editor/app/messages.h"
#include "samples/editor/model/document.h"
#include "samples/editor/model/file_guard.h"
#include "samples/editor/model/gizmo.h"
#include "samples/editor/model/import.h"
#include "samples/editor/model/joint_tool.h"
#include "samples/editor/model/monitor.h"
#include "samples/editor/model/play_control.h"
#include "samples/editor/model/transform.h"

namespace proxima::editor {

/// What is shown besides the bodies. Kept in the user's settings.
struct ShowOptions {
    bool contacts = false, friction = false, residuals = false, velocities = false, centres = false;
    bool boxes = false, islands = false, sweeps = false, values = false, joints = true, rules = true;
    bool selected_only = false;  // contacts of the selected body
    bool names = false, grid = true, shadows = true, checker = true, dim_sleeping = false;
    render::ColourMode colours = render::ColourMode::body;

    /// DebugFlags that the picture needs.
    uint32_t debug_flags() const;
};

struct ToolOptions {
    GizmoMode mode = GizmoMode::move;
    AxisSpace space = AxisSpace::world;
    PivotKind pivot = PivotKind::middle;
    Snap snap;
};

/// How joints are made, and which one has handles in the picture.
struct JointTool {
    bool choosing = false;         // the list of types is open
    int axis = 1;                  // of the world, which a new joint has as its own: 0 x, 1 y, 2 z
    bool at_picked = false;        // at that point, not between the bodies
    std::optional<Vec3> picked;    // where a body was clicked last
    std::optional<size_t> active;  // in the scene's list; its handles are shown while one of its bodies is selected
    JointEnd end = JointEnd::both;
};

/// What the dialog for files is open for.
enum class FileDialog : uint8_t { none, open, save_as, import, name_for_guard };

/// What only the frame of the window can do; set by actions, taken by the editor.
struct Wishes {
    bool focus = false;       // move the camera to the selection
    bool view_all = false;    // or to the whole scene
    bool screenshot = false;  // the next picture becomes a file
    bool quit = false;        // nothing is unsaved any more
};

struct WorkspaceOptions {
    std::string recent_store = RecentFiles::default_store();
    std::string output_folder = ".";  // of screenshots, dumps and traces
};

class Workspace {
  public:
    explicit Workspace(const WorkspaceOptions& options = {});
    ~Workspace();
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;

    Document document;
    PlayControl play{document};
    LeaveGuard guard{document};
    RecentFiles recent;
    MessageLog messages;
    ShowOptions show;
    ToolOptions tool;
    JointTool joint_tool;
    Wishes wishes;

    // ---- what is open
    FileDialog dialog = FileDialog::none;
    bool help_open = false, about_open = false, samples_open = false;
    ImportOptions import_options;

    // ---- once a frame
    /// Time passes: the play advances, what came of it is taken over, answered wishes are done.
    void update(double seconds);
    /// The newest frame of the play; good until the next update() or refresh().
    const PlayFrame& frame() const { return *frame_; }
    /// After anything that may have asked the play for a frame, such as picking: the one that was shown then
    /// belongs to the thread that steps again.
    void refresh() { frame_ = &play.frame(); }
    bool playing() const { return play.is_playing(); }
    const Monitor& monitor(size_t lane) const { return monitors_[lane]; }
    /// Names of the stages of a step, in the order of MonitorSample::stage_ms.
    const std::vector<std::string>& stage_names() const { return stage_names_; }
    FileState file_state() const { return file_state_; }
    void recheck_file() { file_state_ = document.check_file(); }

    /// Says what went wrong in the message bar; returns whether all is well.
    template <class T>
    bool tell(const Result<T>& result) {
        if (!result) messages.add(Severity::error, result.error());
        return result.ok();
    }

    // ---- play
    void play_or_pause();
    void stop();

    // ---- selection
    /// The last selected body, or none.
    ItemId primary_body() const;
    /// Its name; where it has none, its shape and index: "box 12".
    std::string name_of(ItemId body) const;
    std::string name_at(size_t index) const;
    void remove_selected();
    void duplicate_selected();
    /// A joint of a type between the two selected bodies; it has handles from then on.
    void join_selected(std::string_view type);
    /// The joint that has handles; nullptr while none of its bodies is selected, or the scene is played.
    const JointRecord* active_joint() const;
    /// A new body of a shape in front of the camera's target.
    void create(ShapeType shape, BodyType type, const Vec3& at);

    // ---- files
    void new_scene();
    void open(const std::string& file);
    void open_sample(const std::string& name);
    void save();
    /// Also answers the guard when it asked for a name.
    void save_as(const std::string& file);
    /// What goes wrong is told in the window too.
    Result<void> import(const std::string& file);
    void reload();
    void quit();
    /// Whether a file is one of those that import reads, by its ending.
    static bool is_mesh_file(const std::string& file);
    /// Files dropped on the window: a scene is opened, a mesh is imported.
    void take_file(const std::string& file);
    /// Where unsaved work is written when the program has to end; empty when there is nothing to save.
    Result<std::string> rescue();

    // ---- solvers: of lane 0 the scene's own settings, of the others those of the comparison. While
    // playing they change live, and stop brings the scene's own back.
    size_t lanes() const;
    physics::StepSettings settings(size_t lane) const;
    std::string lane_name(size_t lane) const;
    void change_settings(size_t lane, const physics::StepSettings& settings);
    bool has_live_settings() const { return live_settings_.has_value(); }
    /// The live settings of the play become the scene's when it stops.
    bool keep_live_settings = false;
    void add_lane(const std::string& solver);
    void remove_lane(size_t lane);

    // ---- files that are made by a button; each says where it wrote
    void dump_frame();
    void toggle_trace();
    /// The next name in the output folder that is still free: "proxima-0001.png".
    std::string free_name(const std::string& ending) const;

  private:
    void take_samples();
    void take_warnings();
    void do_wish(const LeaveWish& wish);
    void opened(const std::string& what);

    WorkspaceOptions options_;
    const PlayFrame* frame_ = nullptr;
    uint64_t frame_number_ = 0;
    std::array<Monitor, kMaxLanes> monitors_;
    std::string play_error_;
    uint64_t warned_step_ = 0;
    std::optional<physics::StepSettings> live_settings_;
    std::vector<std::string> stage_names_;
    ItemId inspected_ = ItemId::none;
    FileState file_state_ = FileState::none;
    double since_file_check_ = 0.0;
};

}  // namespace proxima::editor
