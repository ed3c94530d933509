// SPDX-License-Identifier: MIT
// The mathematics of the handles that move, turn and scale a selection: where they are, which one a ray
// meets, and what a drag of it means. Pure functions; who draws them and who applies the result are others.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/core/math.h"
#include "physics/query.h"

namespace proxima::editor {

using physics::Ray;

/// What of a camera the handles need: they keep their size on the screen and turn to the eye.
struct View {
    Vec3 eye{0.0f, 0.0f, 5.0f};
    Vec3 forward{0.0f, 0.0f, -1.0f};  // unit
    Vec3 up{0.0f, 1.0f, 0.0f};        // unit, across forward
    float fov_y = 0.8f;               // rad, whole angle; 0: parallel projection
    float height = 10.0f;             // m seen from top to bottom, of a parallel projection
    float pixels = 1080.0f;           // from top to bottom
};
inline Vec3 right_of(const View& view) { return glm::cross(view.forward, view.up); }
/// Towards the eye, from a point; unit.
Vec3 to_eye(const View& view, const Vec3& point);
/// Metres at a point that cover one pixel.
float metres_per_pixel(const View& view, const Vec3& point);
/// The ray through a pixel, x from the left and y from the top, of a picture of `width` pixels.
Ray pixel_ray(const View& view, float x, float y, float width);
/// Where a point is in the picture; nothing when it lies behind the eye.
std::optional<Vec2> to_pixel(const View& view, const Vec3& point, float width);

enum class GizmoMode : uint8_t { move, rotate, scale };
enum class Handle : uint8_t {
    none,
    axis_x,  // move and scale: along one axis
    axis_y,
    axis_z,
    plane_x,  // move: in the plane across the axis
    plane_y,
    plane_z,
    ring_x,  // rotate: about the axis
    ring_y,
    ring_z,
    ring_view,  // rotate: about the line of sight
    centre,     // move: in the plane of the picture; scale: all three axes
};

/// Where the handles are: `rotation` is that of the axes, which are the world's or the body's own.
struct GizmoFrame {
    Vec3 origin{0.0f, 0.0f, 0.0f};
    Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
    float size = 1.0f;  // m, length of an arrow and radius of a ring
};
inline constexpr float kGizmoPixels = 90.0f;
GizmoFrame make_frame(const View& view, const Vec3& origin, const Quat& rotation, float pixels = kGizmoPixels);

// Proportions that drawing and hitting share, in lengths of an arrow.
inline constexpr float kHitWidth = 0.09f;   // how far beside a line a ray may pass
inline constexpr float kPlaneBegin = 0.2f;  // squares of the planes lie between these on both axes
inline constexpr float kPlaneEnd = 0.5f;
inline constexpr float kViewRing = 1.18f;  // radius of the ring about the line of sight
inline constexpr float kCentreRadius = 0.13f;
/// Axes that point at the eye more than this (cosine) cannot be dragged, nor planes seen edge on (its sine).
inline constexpr float kHiddenAxis = 0.985f;
inline constexpr float kHiddenPlane = 0.15f;

/// Whether a handle can be used from where the eye is; those that cannot need not be drawn.
bool is_usable(Handle handle, const GizmoFrame& frame, const View& view);
/// The handle that a ray meets: the nearest to the eye; small ones win over what they lie on.
Handle hit_test(GizmoMode mode, const GizmoFrame& frame, const View& view, const Ray& ray);

struct Snap {
    bool on = false;
    float metres = 0.25f;
    float degrees = 15.0f;
    float factor = 0.1f;
};

/// The start of a drag; drags are measured from it, so nothing adds up over a long one.
struct GizmoDrag {
    GizmoMode mode = GizmoMode::move;
    Handle handle = Handle::none;
    GizmoFrame frame;
    Vec3 axis{0.0f, 0.0f, 0.0f};          // world, of the axis or the normal of the plane or ring
    Vec3 plane_normal{0.0f, 0.0f, 1.0f};  // the plane in which the pointer is followed
    Vec3 start{0.0f, 0.0f, 0.0f};         // where the pointer was on it
    Vec3 tangent{0.0f, 0.0f, 0.0f};       // of a ring seen edge on: it is dragged like a rope
    Vec3 right{1.0f, 0.0f, 0.0f}, up{0.0f, 1.0f, 0.0f};
};
/// Nothing when the handle cannot be dragged by this ray.
std::optional<GizmoDrag> begin_drag(GizmoMode mode, Handle handle, const GizmoFrame& frame, const View& view,
                                    const Ray& ray);

// What the drag has come to. Nothing when the ray passes the plane that is dragged in: the pointer is beyond
// the horizon, and what was shown last is what stays.
std::optional<Vec3> drag_move(const GizmoDrag& drag, const Ray& ray, const Snap& snap = {});
/// Angle about `drag.axis` in radians. `before` is the last result, 0 at first: turns are counted on.
std::optional<float> drag_angle(const GizmoDrag& drag, const Ray& ray, float before, const Snap& snap = {});
/// Factors along the axes of the frame, at least 0.01.
std::optional<Vec3> drag_scale(const GizmoDrag& drag, const Ray& ray, const Snap& snap = {});

}  // namespace proxima::editor
