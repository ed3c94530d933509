// SPDX-License-Identifier: MIT
// Moving a camera and finding one's way between pixels and the world: functions without memory, so that
// games, editor and tests steer in the same way.
#pragma once

#include <optional>

#include "engine/core/math.h"
#include "render/draw_list.h"

namespace proxima::render {

/// The size of a picture in pixels.
struct Viewport {
    float width = 1.0f, height = 1.0f;
    float aspect() const { return width / height; }
};

/// Axes of a camera in the world, unit and at right angles.
struct CameraAxes {
    Vec3 forward, right, up;
};
CameraAxes axes_of(const Camera& camera);

struct Ray {
    Vec3 origin;
    Vec3 direction;  // unit
};
/// From the eye through a pixel; pixels count from the left upper corner, whose own corner is (0, 0).
Ray ray_through(const Camera& camera, const Viewport& viewport, const Vec2& pixel);

struct Projected {
    Vec2 pixel{0.0f, 0.0f};
    float depth = 0.0f;  // m along the view, from the eye
};
/// Nothing for points that are not in front of the near plane.
std::optional<Projected> project(const Camera& camera, const Viewport& viewport, const Vec3& point);
/// How many metres one pixel is at a depth.
float metres_per_pixel(const Camera& camera, const Viewport& viewport, float depth);

// ---- moving; each returns the moved camera

/// Around the target: rad to the right and up. It stops short of straight up and down.
Camera orbit(const Camera& camera, float right, float up);
/// Along the picture, so that what is at the target's depth follows the pointer.
Camera pan(const Camera& camera, const Viewport& viewport, const Vec2& pixels);
/// Nearer to a point (factor below 1) or away from it; the point stays at its pixel. Without a point of its
/// own the caller takes target_under.
Camera dolly(const Camera& camera, const Vec3& point, float factor);
/// The point under a pixel at the depth of the target.
Vec3 target_under(const Camera& camera, const Viewport& viewport, const Vec2& pixel);
/// Eye and target together, in metres along right, up and forward.
Camera fly(const Camera& camera, const Vec3& metres);
/// Turns the view about the eye, rad to the right and up.
Camera look_around(const Camera& camera, float right, float up);
/// Moves along the view until a box fills the picture; the direction of view stays.
Camera focus(const Camera& camera, const Aabb& box, float aspect);

/// A view of a scene from the front, above and a little to the right: the sun of DrawList then lights what is
/// seen. An empty or endless box gives the default camera.
Camera frame_scene(const Aabb& bounds, float aspect);

/// Between two cameras, t from 0 to 1: for cuts that glide.
Camera mix_cameras(const Camera& from, const Camera& to, float t);

}  // namespace proxima::render
