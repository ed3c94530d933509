// SPDX-License-Identifier: MIT
// The picture of the world between the panels, and what the mouse does in it: camera, selecting, handles,
// pulling bodies during a play.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "render/camera_control.h"
#include "render/draw_list.h"
#include "samples/editor/app/scene_view.h"
#include "samples/editor/app/workspace.h"
#include "samples/editor/model/gizmo.h"
#include "samples/editor/model/joint_tool.h"
#include "samples/editor/model/transform.h"

namespace proxima::editor {

/// The mouse as the viewport sees it, in pixels of the target. Plain data, so that tests can be a mouse.
struct PointerState {
    float x = 0.0f, y = 0.0f;
    bool left = false, right = false, middle = false;           // held
    bool left_pressed = false, left_released = false;           // in this frame
    bool right_pressed = false, middle_pressed = false;         //
    float wheel = 0.0f;                                         // notches, up is positive
    bool control = false, shift = false, alt = false;           //
    bool over_panel = false;                                    // the mouse belongs to the panels
    float fly_right = 0.0f, fly_up = 0.0f, fly_forward = 0.0f;  // -1 to 1, of keys held
};

class ViewportPanel {
  public:
    ViewportPanel(Workspace& workspace, SceneView& scene) : workspace_(workspace), scene_(scene) {}

    /// Where the world is drawn, in pixels of the target.
    void set_area(const render::PictureArea& area) { area_ = area; }
    const render::PictureArea& area() const { return area_; }
    /// Once a frame, with the mouse.
    void update(const PointerState& pointer, double seconds, float scale);
    /// Fills the list; its lights are as the list's owner left them.
    void draw(float scale, render::DrawList& out);
    /// Escape: what is being dragged goes back. False when nothing was.
    bool cancel();

    /// True while the mouse is held by something that began in the picture.
    bool busy() const { return doing_ != Doing::nothing; }
    bool dragging_handle() const { return doing_ == Doing::handle; }
    ItemId hovered() const { return hovered_; }
    const render::Camera& camera() const { return camera_; }
    void set_camera(const render::Camera& camera) { camera_ = gliding_to_ = camera; }
    /// A point in front of the camera where new bodies belong: under the middle of the picture.
    Vec3 position_for_new() const;
    /// The rectangle that is being selected, in pixels of the target; or nothing.
    struct Rectangle {
        float x0, y0, x1, y1;
    };
    std::optional<Rectangle> rectangle() const;
    /// Ends of the ranges of the joint that has handles.
    std::vector<LimitHandle> limits() const;
    /// Where the handles of the selection, or of the joint that has them, are.
    std::optional<GizmoFrame> gizmo(float scale) const;
    /// A text at the pointer while something is dragged: "1.25 m"; or empty.
    const std::string& drag_text() const { return drag_text_; }

  private:
    enum class Doing : uint8_t { nothing, pressing, rectangle, handle, pulling, orbiting, panning };

    render::Viewport viewport() const;
    View view() const;
    Ray ray_at(float x, float y) const;
    /// The end of whatever the mouse does.
    void let_go();
    void steer(const PointerState& pointer, double seconds);
    void glide(double seconds);
    void press(const PointerState& pointer);
    void drag(const PointerState& pointer);
    void release(const PointerState& pointer);
    void drag_handle(const Ray& ray);
    void click(const PointerState& pointer);
    /// Frames of joints are moved and turned only.
    GizmoMode mode() const;
    std::array<physics::Pose, 2> poses_of(const JointRecord& joint) const;
    std::optional<LimitHandle> limit_at(float x, float y) const;
    void drag_joint_limit(const Ray& ray);

    Workspace& workspace_;
    SceneView& scene_;
    render::PictureArea area_;
    render::Camera camera_, gliding_to_;
    bool framed_ = false;
    double glide_left_ = 0.0;
    Doing doing_ = Doing::nothing;
    float last_x_ = 0.0f, last_y_ = 0.0f, press_x_ = 0.0f, press_y_ = 0.0f;
    float scale_ = 1.0f;
    ItemId hovered_ = ItemId::none;
    Handle hot_ = Handle::none;
    std::optional<GizmoDrag> handle_drag_;
    std::optional<SelectionTransform> transform_;
    std::optional<physics::AnyJoint> joint_start_;  // whose frame or range is dragged
    std::optional<LimitHandle> limit_drag_;
    float angle_ = 0.0f;
    std::optional<PickHit> pulled_;
    std::string drag_text_;
};

}  // namespace proxima::editor
