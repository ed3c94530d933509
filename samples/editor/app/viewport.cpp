// SPDX-License-Identifier: MIT
#include "samples/editor/app/viewport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "samples/editor/app/gizmo_lines.h"
#include "samples/editor/model/picking.h"

namespace proxima::editor {

using render::Camera;

namespace {

constexpr float kRadiansPerPixel = 0.006f;
constexpr float kClickPixels = 5.0f;  // farther is a drag
constexpr double kGlideSeconds = 0.35;
constexpr float kLimitPixels = 9.0f;   // from the mark of an end of a range that it is taken by
constexpr float kLimitShare = 0.65f;   // of the handles' size: how far from the axis such marks are
constexpr float kWheelFactor = 0.87f;  // of the distance, a notch

}  // namespace

// ---- between pixels and the world

render::Viewport ViewportPanel::viewport() const {
    return {std::max(1.0f, float(area_.width)), std::max(1.0f, float(area_.height))};
}

View ViewportPanel::view() const {
    const render::CameraAxes axes = render::axes_of(camera_);
    return {camera_.eye, axes.forward, axes.up, camera_.field_of_view, 10.0f, viewport().height};
}

Ray ViewportPanel::ray_at(float x, float y) const {
    const render::Ray ray = render::ray_through(camera_, viewport(), {x - float(area_.x), y - float(area_.y)});
    return {ray.origin, ray.direction};
}

Vec3 ViewportPanel::position_for_new() const {
    // Where the line of sight meets the ground, when that is in front and not far; otherwise the target.
    const render::CameraAxes axes = render::axes_of(camera_);
    Vec3 at = camera_.target;
    const float far = 4.0f * glm::length(camera_.target - camera_.eye);
    if (axes.forward.y < -0.05f) {
        const float along = -camera_.eye.y / axes.forward.y;
        if (along > 0.0f && along < far) at = camera_.eye + along * axes.forward;
    }
    at.y = std::max(at.y, 0.0f) + 1.0f;
    const auto rounded = [](float v) { return std::round(4.0f * v) / 4.0f; };
    return {rounded(at.x), rounded(at.y), rounded(at.z)};
}

std::optional<GizmoFrame> ViewportPanel::gizmo(float scale) const {
    if (workspace_.playing() || workspace_.document.selection().empty()) return std::nullopt;
    if (const JointRecord* joint = workspace_.active_joint()) {
        const auto [a, b] = poses_of(*joint);
        const Transform at = joint_frame(joint->joint, a, b, workspace_.joint_tool.end);
        const bool turned = workspace_.tool.space == AxisSpace::local;
        const Quat axes = handle_drag_ ? handle_drag_->frame.rotation
                          : turned     ? at.rotation
                                       : Quat(1.0f, 0.0f, 0.0f, 0.0f);
        return make_frame(view(), at.position, axes, kGizmoPixels * scale);
    }
    if (handle_drag_ && transform_) {
        // While a move goes on the handles travel with it.
        GizmoFrame frame = handle_drag_->frame;
        const SelectionTransform now(workspace_.document, workspace_.document.selection(), workspace_.tool.pivot,
                                     workspace_.tool.space);
        if (handle_drag_->mode == GizmoMode::move) frame.origin = now.pivot();
        return make_frame(view(), frame.origin, frame.rotation, kGizmoPixels * scale);
    }
    const SelectionTransform now(workspace_.document, workspace_.document.selection(), workspace_.tool.pivot,
                                 workspace_.tool.space);
    if (now.empty()) return std::nullopt;
    return make_frame(view(), now.pivot(), now.axes(), kGizmoPixels * scale);
}

GizmoMode ViewportPanel::mode() const {
    const GizmoMode chosen = workspace_.tool.mode;
    return chosen == GizmoMode::scale && workspace_.active_joint() ? GizmoMode::move : chosen;
}

std::array<physics::Pose, 2> ViewportPanel::poses_of(const JointRecord& joint) const {
    const auto pose_of = [&](ItemId id) {
        const physics::SceneBody& body = workspace_.document.body(id)->desc;
        return physics::Pose{body.position, body.rotation};
    };
    return {pose_of(joint.body_a), pose_of(joint.body_b)};
}

std::vector<LimitHandle> ViewportPanel::limits() const {
    const JointRecord* joint = workspace_.active_joint();
    const std::optional<GizmoFrame> frame = gizmo(scale_);
    if (!joint || !frame) return {};
    const auto [a, b] = poses_of(*joint);
    return limit_handles(joint->joint, a, b, kLimitShare * frame->size);
}

std::optional<LimitHandle> ViewportPanel::limit_at(float x, float y) const {
    for (const LimitHandle& handle : limits())
        if (const auto at = to_pixel(view(), handle.position, viewport().width))
            if (glm::distance(*at, Vec2(x - float(area_.x), y - float(area_.y))) < kLimitPixels * scale_) return handle;
    return std::nullopt;
}

// ---- camera

void ViewportPanel::glide(double seconds) {
    const float aspect = viewport().aspect();
    const bool first = !framed_;
    if (workspace_.wishes.view_all || first) {
        workspace_.wishes.view_all = false;
        framed_ = true;
        const Aabb box = scene_.bounds();
        if (!is_empty(box)) {
            gliding_to_ = first ? render::frame_scene(box, aspect) : render::focus(camera_, box, aspect);
            if (first) {  // a little nearer than all of it: the middle is what matters
                gliding_to_.eye = gliding_to_.target + 0.82f * (gliding_to_.eye - gliding_to_.target);
                camera_ = gliding_to_;
            }
            glide_left_ = first ? 0.0 : kGlideSeconds;
        }
    }
    if (workspace_.wishes.focus) {
        workspace_.wishes.focus = false;
        const Aabb box = scene_.selection_bounds();
        if (!is_empty(box)) {
            gliding_to_ = render::focus(camera_, box, aspect);
            glide_left_ = kGlideSeconds;
        }
    }
    if (glide_left_ <= 0.0) return;
    const double part = std::clamp(seconds / glide_left_, 0.0, 1.0);
    glide_left_ -= seconds;
    camera_ = render::mix_cameras(camera_, gliding_to_, float(part));
}

void ViewportPanel::steer(const PointerState& p, double seconds) {
    const float dx = p.x - last_x_, dy = p.y - last_y_;
    const float turn = kRadiansPerPixel / scale_;
    if (doing_ == Doing::orbiting) {
        const bool flying = p.fly_right != 0.0f || p.fly_up != 0.0f || p.fly_forward != 0.0f;
        // While a hand flies, the mouse looks around; otherwise it goes around what is looked at.
        camera_ = flying ? render::look_around(camera_, dx * turn * 0.6f, -dy * turn * 0.6f)
                         : render::orbit(camera_, -dx * turn, dy * turn);
        if (flying) {
            const float distance = glm::length(camera_.target - camera_.eye);
            const float speed = std::clamp(0.8f * distance, 1.0f, 60.0f) * (p.shift ? 4.0f : 1.0f);
            camera_ = render::fly(camera_, Vec3(p.fly_right, p.fly_up, p.fly_forward) * (speed * float(seconds)));
        }
    } else if (doing_ == Doing::panning) {
        camera_ = render::pan(camera_, viewport(), {dx, dy});
    }
    if (p.wheel != 0.0f && !p.over_panel) {
        const Ray ray = ray_at(p.x, p.y);
        const std::optional<PickHit> hit = workspace_.play.pick(ray);
        const Vec3 point =
            hit ? hit->position
                : render::target_under(camera_, viewport(), {p.x - float(area_.x), p.y - float(area_.y)});
        camera_ = render::dolly(camera_, point, std::pow(kWheelFactor, p.wheel));
    }
    if (busy() || p.wheel != 0.0f) glide_left_ = 0.0;  // a hand at the camera ends a glide
}

// ---- the mouse

void ViewportPanel::update(const PointerState& p, double seconds, float scale) {
    scale_ = scale;
    glide(seconds);
    const bool inside = !p.over_panel && p.x >= float(area_.x) && p.y >= float(area_.y) &&
                        p.x < float(area_.x) + float(area_.width) && p.y < float(area_.y) + float(area_.height);
    if (doing_ == Doing::nothing && inside) {
        last_x_ = p.x;
        last_y_ = p.y;
        if (p.left_pressed && p.alt)
            doing_ = Doing::orbiting;
        else if (p.left_pressed)
            press(p);
        else if (p.right_pressed)
            doing_ = p.shift ? Doing::panning : Doing::orbiting;
        else if (p.middle_pressed)
            doing_ = Doing::panning;
    }
    steer(p, seconds);
    const bool left_over = doing_ != Doing::nothing && !p.left && !p.right && !p.middle;
    if (doing_ == Doing::nothing) {
        hovered_ = ItemId::none;
        hot_ = Handle::none;
        if (inside) {
            const Ray ray = ray_at(p.x, p.y);
            if (const std::optional<GizmoFrame> frame = gizmo(scale)) hot_ = hit_test(mode(), *frame, view(), ray);
            if (hot_ == Handle::none)
                if (const std::optional<PickHit> hit = workspace_.play.pick(ray)) hovered_ = hit->body;
        }
    } else {
        drag(p);
    }
    if (p.left_released || left_over) release(p);
    last_x_ = p.x;
    last_y_ = p.y;
}

void ViewportPanel::press(const PointerState& p) {
    press_x_ = p.x;
    press_y_ = p.y;
    const Ray ray = ray_at(p.x, p.y);
    const JointRecord* joint = workspace_.active_joint();
    if (limit_drag_ = limit_at(p.x, p.y); limit_drag_) {
        joint_start_ = joint->joint;
        workspace_.document.begin_drag();
        doing_ = Doing::handle;
        return;
    }
    if (const std::optional<GizmoFrame> frame = gizmo(scale_)) {
        hot_ = hit_test(mode(), *frame, view(), ray);
        if (hot_ != Handle::none) handle_drag_ = begin_drag(mode(), hot_, *frame, view(), ray);
        if (handle_drag_) {
            if (joint)
                joint_start_ = joint->joint;
            else
                transform_.emplace(workspace_.document, workspace_.document.selection(), workspace_.tool.pivot,
                                   workspace_.tool.space);
            angle_ = 0.0f;
            workspace_.document.begin_drag();
            doing_ = Doing::handle;
            return;
        }
    }
    doing_ = Doing::pressing;
    if (!workspace_.playing()) return;
    const std::optional<PickHit> hit = workspace_.play.pick(ray);
    const BodyRecord* body = hit ? workspace_.document.body(hit->body) : nullptr;
    if (!body || body->desc.type != BodyType::dynamic) return;
    if (!workspace_.tell(workspace_.play.grab(*hit))) return;
    pulled_ = hit;
    doing_ = Doing::pulling;
    if (!p.control) workspace_.document.select(hit->body);
}

void ViewportPanel::drag(const PointerState& p) {
    const bool far = std::abs(p.x - press_x_) + std::abs(p.y - press_y_) > kClickPixels * scale_;
    if (doing_ == Doing::pressing && far) doing_ = Doing::rectangle;
    if (doing_ == Doing::handle && limit_drag_)
        drag_joint_limit(ray_at(p.x, p.y));
    else if (doing_ == Doing::handle)
        drag_handle(ray_at(p.x, p.y));
    if (doing_ == Doing::pulling) {
        if (!workspace_.play.is_grabbing()) {  // the play was stopped under the hand
            doing_ = Doing::nothing;
            return;
        }
        if (const std::optional<Vec3> target = drag_target(view(), pulled_->position, ray_at(p.x, p.y)))
            workspace_.play.move_grab(*target);
    }
}

void ViewportPanel::drag_handle(const Ray& ray) {
    Snap snap = workspace_.tool.snap;
    TransformDelta delta;
    switch (handle_drag_->mode) {
        case GizmoMode::move: {
            const std::optional<Vec3> displacement = drag_move(*handle_drag_, ray, snap);
            if (!displacement) return;
            delta.move = *displacement;
            drag_text_ = fmt::format("{:.2f}  {:.2f}  {:.2f} m", displacement->x, displacement->y, displacement->z);
            break;
        }
        case GizmoMode::rotate: {
            const std::optional<float> angle = drag_angle(*handle_drag_, ray, angle_, snap);
            if (!angle) return;
            angle_ = *angle;
            delta.rotation = glm::angleAxis(angle_, handle_drag_->axis);
            drag_text_ = fmt::format("{:.1f}\u00b0", glm::degrees(angle_));
            break;
        }
        case GizmoMode::scale: {
            const std::optional<Vec3> factors = drag_scale(*handle_drag_, ray, snap);
            if (!factors) return;
            delta.scale = *factors;
            drag_text_ = fmt::format("x {:.2f}  {:.2f}  {:.2f}", factors->x, factors->y, factors->z);
            break;
        }
    }
    if (!joint_start_) {
        workspace_.tell(transform_->apply(workspace_.document, delta));
        return;
    }
    const JointRecord* joint = workspace_.active_joint();
    if (!joint) return;  // undone under the hand
    const auto [a, b] = poses_of(*joint);
    workspace_.tell(workspace_.document.edit_joint(
        *workspace_.joint_tool.active,
        moved_joint(*joint_start_, a, b, workspace_.joint_tool.end, delta.move, delta.rotation)));
}

void ViewportPanel::drag_joint_limit(const Ray& ray) {
    const std::optional<float> value = drag_limit(*limit_drag_, ray, limit_drag_->value, workspace_.tool.snap);
    if (!value || !workspace_.active_joint()) return;
    // Beyond what makes sense the end stays where it was.
    const std::optional<physics::AnyJoint> joint = with_number(*joint_start_, limit_drag_->key, *value);
    if (!joint) return;
    drag_text_ =
        limit_drag_->is_angle ? fmt::format("{:.1f}\u00b0", glm::degrees(*value)) : fmt::format("{:.2f} m", *value);
    workspace_.tell(workspace_.document.edit_joint(*workspace_.joint_tool.active, *joint));
}

void ViewportPanel::click(const PointerState& p) {
    const std::optional<PickHit> hit = workspace_.play.pick(ray_at(p.x, p.y));
    if (hit) workspace_.joint_tool.picked = hit->position;
    if (!hit) {
        if (!p.control && !p.shift) workspace_.document.clear_selection();
    } else if (p.control) {
        workspace_.document.toggle_selection(hit->body);
    } else if (p.shift) {
        workspace_.document.add_to_selection(hit->body);
    } else {
        workspace_.document.select(hit->body);
    }
}

void ViewportPanel::release(const PointerState& p) {
    if (doing_ == Doing::pressing) click(p);
    if (doing_ == Doing::rectangle && !workspace_.playing()) {
        const std::vector<ItemId> found = pick_rectangle(workspace_.document, view(), viewport().width,
                                                         {press_x_ - float(area_.x), press_y_ - float(area_.y)},
                                                         {p.x - float(area_.x), p.y - float(area_.y)});
        if (!p.control && !p.shift) workspace_.document.clear_selection();
        for (const ItemId id : found) workspace_.document.add_to_selection(id);
    }
    if (doing_ == Doing::handle) workspace_.document.end_drag();
    let_go();
}

void ViewportPanel::let_go() {
    if (doing_ == Doing::pulling) workspace_.play.release();
    handle_drag_.reset();
    transform_.reset();
    joint_start_.reset();
    limit_drag_.reset();
    pulled_.reset();
    drag_text_.clear();
    doing_ = Doing::nothing;
}

bool ViewportPanel::cancel() {
    if (doing_ == Doing::nothing) return false;
    if (doing_ == Doing::handle) workspace_.document.cancel_drag();
    let_go();
    return true;
}

std::optional<ViewportPanel::Rectangle> ViewportPanel::rectangle() const {
    if (doing_ != Doing::rectangle || workspace_.playing()) return std::nullopt;
    return Rectangle{std::min(press_x_, last_x_), std::min(press_y_, last_y_), std::max(press_x_, last_x_),
                     std::max(press_y_, last_y_)};
}

// ---- drawing

void ViewportPanel::draw(float scale, render::DrawList& out) {
    out.area = area_;
    out.camera = camera_;
    out.grid.shown = workspace_.show.grid;
    out.sun.shadows = workspace_.show.shadows;
    scene_.build(viewport(), doing_ == Doing::nothing ? hovered_ : ItemId::none, out);
    if (const std::optional<GizmoFrame> frame = gizmo(scale))
        add_gizmo(mode(), *frame, view(), hot_, 2.2f * scale, out.lines_on_top);
    for (const LimitHandle& handle : limits()) {
        const float size = 0.5f * kLimitPixels * scale * metres_per_pixel(view(), handle.position);
        render::add_cross(out.lines_on_top, handle.position, size, render::rgba(250, 225, 120), 3.5f * scale);
        if (handle.is_angle)
            out.lines_on_top.push_back({handle.origin, handle.position, render::rgba(250, 225, 120), 1.5f * scale});
    }
    texts_to_pixels(viewport(), scale, out);
}

}  // namespace proxima::editor
