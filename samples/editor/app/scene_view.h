// SPDX-License-Identifier: MIT
// From the workspace to a draw list: the edited world, or the last frame of the play with its ghosts, marks
// of what is selected and under the pointer, and what is shown of the inside of a step.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "physics/debug/debug_frame.h"
#include "render/camera_control.h"
#include "render/draw_list.h"
#include "render/extract/drawn_world.h"
#include "render/extract/extract_world.h"
#include "render/shape_meshes.h"
#include "samples/editor/app/workspace.h"

namespace proxima::editor {

/// Colours of the worlds of a comparison; the first is that of the scene itself, for legends and plots.
inline constexpr std::array<render::Colour, kMaxLanes> kLaneColours = {
    render::rgba(240, 160, 60), render::rgba(70, 170, 255), render::rgba(120, 220, 90), render::rgba(230, 100, 200)};

/// Whether bounds() found nothing to show.
inline bool is_empty(const Aabb& box) { return !(box.lower.x <= box.upper.x); }

class SceneView {
  public:
    explicit SceneView(Workspace& workspace);

    const render::MeshLibrary& meshes() const { return library_; }
    /// Takes over where everything is: before a frame, and after whatever may have changed the world.
    void update();
    /// Camera, area and lights of the list must be set.
    void build(const render::Viewport& viewport, ItemId hovered, render::DrawList& out);

    /// Of everything that a camera should show; empty (lower above upper) for an empty scene.
    Aabb bounds() const;
    Aabb selection_bounds() const;
    /// Where a body is drawn.
    Transform pose_of(ItemId body) const;
    /// Of the step that is shown; empty lists where nothing was collected.
    const physics::DebugFrame& debug() const;

  private:
    void take_edited();
    void take_played();
    void take_base();
    void add_names(const render::Viewport& viewport, render::DrawList& out) const;
    void add_grab(render::DrawList& out) const;

    Workspace& workspace_;
    render::MeshLibrary library_;
    render::ShapeMeshes shape_meshes_{library_};
    render::MeshCache cache_{shape_meshes_};
    uint64_t cached_generation_ = 0;
    std::array<render::PoseHistory, kMaxLanes> history_;
    std::array<render::ExtractMemory, kMaxLanes> memory_;
    size_t drawn_lanes_ = 1;
    render::DrawnWorld scratch_;
    // Of a play: bodies and colliders as they were at its start, by which poses of frames become drawn ones.
    render::DrawnWorld base_;
    std::vector<uint32_t> body_of_drawn_;
    bool has_base_ = false;
    uint64_t taken_frame_ = 0;  // of the play, since has_base_
    std::shared_ptr<std::atomic<uint32_t>> flags_ = std::make_shared<std::atomic<uint32_t>>(0);
    physics::DebugFrame edited_debug_;
    std::vector<Entity> selected_;
};

/// Texts at positions of the world become texts in pixels of the target: text layout does not know areas.
void texts_to_pixels(const render::Viewport& viewport, float scale, render::DrawList& list);

}  // namespace proxima::editor
