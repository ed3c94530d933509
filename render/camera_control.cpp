// SPDX-License-Identifier: MIT
#include "render/camera_control.h"

#include <algorithm>
#include <cmath>

namespace proxima::render {

namespace {

constexpr float kSteepest = 1.54f;  // rad above or below the horizon
constexpr float kNearest = 1e-3f;   // m between eye and target
constexpr float kFarthest = 1e6f;

/// Where a direction points: rad around the up axis, and above the horizon.
struct Heading {
    float around = 0.0f, above = 0.0f;
};
/// A frame about the camera's up axis in which headings are measured.
struct UpFrame {
    Vec3 up, side, front;
    explicit UpFrame(const Vec3& given) {
        up = glm::dot(given, given) > 0.0f ? glm::normalize(given) : Vec3(0.0f, 1.0f, 0.0f);
        const Vec3 other = std::abs(up.x) < 0.9f ? Vec3(1.0f, 0.0f, 0.0f) : Vec3(0.0f, 0.0f, 1.0f);
        side = glm::normalize(other - up * glm::dot(up, other));
        front = glm::cross(up, side);  // so that `side` is to its right
    }
    Heading heading(const Vec3& d) const {
        return {std::atan2(glm::dot(d, side), glm::dot(d, front)), std::asin(std::clamp(glm::dot(d, up), -1.0f, 1.0f))};
    }
    Vec3 direction(const Heading& h) const {
        return up * std::sin(h.above) + (front * std::cos(h.around) + side * std::sin(h.around)) * std::cos(h.above);
    }
};

float target_distance(const Camera& camera) {
    return std::clamp(glm::distance(camera.eye, camera.target), kNearest, kFarthest);
}

bool is_bounded(const Aabb& box) {
    return is_finite(box.lower) && is_finite(box.upper) && box.lower.x <= box.upper.x && box.lower.y <= box.upper.y &&
           box.lower.z <= box.upper.z;
}

Vec3 turned(const Camera& camera, const Vec3& direction, float right, float up) {
    const UpFrame frame(camera.up);
    Heading heading = frame.heading(direction);
    heading.around += right;
    heading.above = std::clamp(heading.above + up, -kSteepest, kSteepest);
    return frame.direction(heading);
}

/// Nothing is cut off near the eye or far behind the target, and depth keeps its precision.
void fit_planes(Camera& camera, float distance) {
    camera.near_plane = std::clamp(0.005f * distance, 1e-3f, 1.0f);
    camera.far_plane = std::max(1000.0f, 20.0f * distance);
}

}  // namespace

CameraAxes axes_of(const Camera& camera) {
    CameraAxes axes;
    const Vec3 view = camera.target - camera.eye;
    axes.forward = glm::dot(view, view) > 0.0f ? glm::normalize(view) : Vec3(0.0f, 0.0f, -1.0f);
    Vec3 right = glm::cross(axes.forward, camera.up);
    if (glm::dot(right, right) < 1e-12f) {  // straight along the up axis: any right will do
        Vec3 unused;
        make_tangents(axes.forward, right, unused);
    }
    axes.right = glm::normalize(right);
    axes.up = glm::cross(axes.right, axes.forward);
    return axes;
}

Ray ray_through(const Camera& camera, const Viewport& viewport, const Vec2& pixel) {
    const CameraAxes axes = axes_of(camera);
    const float half = std::tan(0.5f * camera.field_of_view);
    const float x = (2.0f * pixel.x / viewport.width - 1.0f) * half * viewport.aspect();
    const float y = (1.0f - 2.0f * pixel.y / viewport.height) * half;
    return {camera.eye, glm::normalize(axes.forward + axes.right * x + axes.up * y)};
}

std::optional<Projected> project(const Camera& camera, const Viewport& viewport, const Vec3& point) {
    const CameraAxes axes = axes_of(camera);
    const Vec3 d = point - camera.eye;
    const float depth = glm::dot(d, axes.forward);
    if (!(depth > camera.near_plane)) return std::nullopt;
    const float half = std::tan(0.5f * camera.field_of_view);
    const float x = glm::dot(d, axes.right) / (depth * half * viewport.aspect());
    const float y = glm::dot(d, axes.up) / (depth * half);
    return Projected{{0.5f * (x + 1.0f) * viewport.width, 0.5f * (1.0f - y) * viewport.height}, depth};
}

float metres_per_pixel(const Camera& camera, const Viewport& viewport, float depth) {
    return 2.0f * depth * std::tan(0.5f * camera.field_of_view) / viewport.height;
}

Camera orbit(const Camera& camera, float right, float up) {
    Camera out = camera;
    const float distance = target_distance(camera);
    // The eye goes to the right and up, so the view turns to the left and down.
    out.eye = camera.target - turned(camera, axes_of(camera).forward, -right, -up) * distance;
    return out;
}

Camera pan(const Camera& camera, const Viewport& viewport, const Vec2& pixels) {
    const CameraAxes axes = axes_of(camera);
    const float metres = metres_per_pixel(camera, viewport, target_distance(camera));
    const Vec3 shift = (axes.up * pixels.y - axes.right * pixels.x) * metres;
    Camera out = camera;
    out.eye += shift;
    out.target += shift;
    return out;
}

Camera dolly(const Camera& camera, const Vec3& point, float factor) {
    const float distance = target_distance(camera);
    const float f = std::clamp(factor, kNearest / distance, kFarthest / distance);
    Camera out = camera;
    out.eye = point + (camera.eye - point) * f;
    out.target = point + (camera.target - point) * f;
    fit_planes(out, distance * f);
    return out;
}

Vec3 target_under(const Camera& camera, const Viewport& viewport, const Vec2& pixel) {
    const Ray ray = ray_through(camera, viewport, pixel);
    const float along = glm::dot(ray.direction, axes_of(camera).forward);
    return ray.origin + ray.direction * (target_distance(camera) / along);
}

Camera fly(const Camera& camera, const Vec3& metres) {
    const CameraAxes axes = axes_of(camera);
    const Vec3 shift = axes.right * metres.x + axes.up * metres.y + axes.forward * metres.z;
    Camera out = camera;
    out.eye += shift;
    out.target += shift;
    return out;
}

Camera look_around(const Camera& camera, float right, float up) {
    Camera out = camera;
    out.target = camera.eye + turned(camera, axes_of(camera).forward, right, up) * target_distance(camera);
    return out;
}

Camera focus(const Camera& camera, const Aabb& box, float aspect) {
    if (!is_bounded(box)) return camera;
    const CameraAxes axes = axes_of(camera);
    const Vec3 middle = 0.5f * (box.lower + box.upper);
    // Every corner inside the four sides of the view: a corner at (x, y) sideways and z nearer than the
    // middle needs the eye at a distance of z + max(x / aspect, y) / tan(fov / 2).
    const float half = std::tan(0.5f * camera.field_of_view);
    float distance = 0.0f;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 p(corner & 1 ? box.upper.x : box.lower.x, corner & 2 ? box.upper.y : box.lower.y,
                     corner & 4 ? box.upper.z : box.lower.z);
        const Vec3 d = p - middle;
        const float side = std::max(std::abs(glm::dot(d, axes.right)) / aspect, std::abs(glm::dot(d, axes.up)));
        distance = std::max(distance, side / half - glm::dot(d, axes.forward));
    }
    constexpr float kRoom = 1.12f;
    distance = std::clamp(kRoom * distance, 0.1f, kFarthest);
    Camera out = camera;
    out.target = middle;
    out.eye = middle - axes.forward * distance;
    fit_planes(out, distance);
    return out;
}

Camera frame_scene(const Aabb& bounds, float aspect) {
    Camera camera;
    if (!is_bounded(bounds)) return camera;
    const Vec3 middle = 0.5f * (bounds.lower + bounds.upper);
    camera.target = middle;
    camera.eye = middle + Vec3(0.42f, 0.40f, 1.0f);
    return focus(camera, bounds, aspect);
}

Camera mix_cameras(const Camera& from, const Camera& to, float t) {
    Camera out = to;
    out.eye = glm::mix(from.eye, to.eye, t);
    out.target = glm::mix(from.target, to.target, t);
    const Vec3 up = glm::mix(from.up, to.up, t);
    out.up = glm::dot(up, up) > 1e-12f ? glm::normalize(up) : to.up;
    out.field_of_view = from.field_of_view + (to.field_of_view - from.field_of_view) * t;
    out.near_plane = std::min(from.near_plane, to.near_plane);
    out.far_plane = std::max(from.far_plane, to.far_plane);
    return out;
}

}  // namespace proxima::render
