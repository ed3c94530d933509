// SPDX-License-Identifier: MIT
#include "samples/editor/model/gizmo.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proxima::editor {

namespace {

int axis_number(Handle handle) {
    switch (handle) {
        case Handle::axis_x:
        case Handle::plane_x:
        case Handle::ring_x:
            return 0;
        case Handle::axis_y:
        case Handle::plane_y:
        case Handle::ring_y:
            return 1;
        case Handle::axis_z:
        case Handle::plane_z:
        case Handle::ring_z:
            return 2;
        default:
            return -1;
    }
}
bool is_axis(Handle h) { return h >= Handle::axis_x && h <= Handle::axis_z; }
bool is_plane(Handle h) { return h >= Handle::plane_x && h <= Handle::plane_z; }
bool is_ring(Handle h) { return h >= Handle::ring_x && h <= Handle::ring_view; }
Handle numbered(Handle first, int axis) { return Handle(uint8_t(first) + uint8_t(axis)); }

Vec3 unit_axis(int i) {
    Vec3 axis(0.0f);
    axis[i] = 1.0f;
    return axis;
}

/// Distance along a ray to a plane; nothing when the plane is not met or lies behind.
std::optional<float> meet_plane(const Ray& ray, const Vec3& origin, const Vec3& normal) {
    const float slope = glm::dot(ray.direction, normal);
    const float t = glm::dot(origin - ray.origin, normal) / slope;
    if (!std::isfinite(t) || t < 0.0f || std::abs(slope) < 1e-6f * glm::length(ray.direction)) return std::nullopt;
    return t;
}

/// How near a ray passes a segment, and where along the ray.
struct Pass {
    float distance = std::numeric_limits<float>::infinity();
    float along = 0.0f;
};
Pass pass_segment(const Ray& ray, const Vec3& from, const Vec3& to) {
    // Closest points of o + t d and from + s e: two equations in t and s, s kept within the segment.
    const Vec3 d = ray.direction, e = to - from, w = ray.origin - from;
    const float dd = glm::dot(d, d), de = glm::dot(d, e), ee = glm::dot(e, e);
    const float dw = glm::dot(d, w), ew = glm::dot(e, w), det = dd * ee - de * de;
    float s = det > 1e-9f * dd * ee ? (dd * ew - de * dw) / det : 0.0f;
    s = std::clamp(s, 0.0f, 1.0f);
    const float t = std::max(0.0f, (de * s - dw) / dd);
    return {glm::length(ray.origin + t * d - from - s * e), t};
}

float round_to(float value, float step) { return step > 0.0f ? std::round(value / step) * step : value; }

}  // namespace

// ---- view

Vec3 to_eye(const View& view, const Vec3& point) {
    if (view.fov_y <= 0.0f) return -view.forward;
    const Vec3 displacement = view.eye - point;
    const float length = glm::length(displacement);
    return length > 0.0f ? displacement / length : -view.forward;
}

float metres_per_pixel(const View& view, const Vec3& point) {
    if (view.fov_y <= 0.0f) return view.height / view.pixels;
    const float depth = std::max(glm::dot(point - view.eye, view.forward), 1e-3f);
    return 2.0f * depth * std::tan(0.5f * view.fov_y) / view.pixels;
}

Ray pixel_ray(const View& view, float x, float y, float width) {
    const float right = x - 0.5f * width, up = 0.5f * view.pixels - y;
    if (view.fov_y <= 0.0f) {
        const float scale = view.height / view.pixels;
        return {view.eye + scale * (right * right_of(view) + up * view.up), view.forward};
    }
    const float scale = 2.0f * std::tan(0.5f * view.fov_y) / view.pixels;
    return {view.eye, glm::normalize(view.forward + scale * (right * right_of(view) + up * view.up))};
}

std::optional<Vec2> to_pixel(const View& view, const Vec3& point, float width) {
    const Vec3 displacement = point - view.eye;
    const float depth = glm::dot(displacement, view.forward);
    if (view.fov_y > 0.0f && depth <= 1e-6f) return std::nullopt;
    const float scale =
        view.fov_y > 0.0f ? 2.0f * depth * std::tan(0.5f * view.fov_y) / view.pixels : view.height / view.pixels;
    return Vec2(0.5f * width + glm::dot(displacement, right_of(view)) / scale,
                0.5f * view.pixels - glm::dot(displacement, view.up) / scale);
}

GizmoFrame make_frame(const View& view, const Vec3& origin, const Quat& rotation, float pixels) {
    return {origin, rotation, pixels * metres_per_pixel(view, origin)};
}

// ---- hits

bool is_usable(Handle handle, const GizmoFrame& frame, const View& view) {
    const int axis = axis_number(handle);
    if (axis < 0) return handle != Handle::none;
    const float facing = std::abs(glm::dot(frame.rotation * unit_axis(axis), to_eye(view, frame.origin)));
    if (is_axis(handle)) return facing < kHiddenAxis;
    if (is_plane(handle)) return facing > kHiddenPlane;
    return true;  // a ring seen edge on is dragged along its edge
}

namespace {

struct Candidate {
    Handle handle = Handle::none;
    float along = std::numeric_limits<float>::infinity();

    void offer(Handle other, float at) {
        if (at >= along) return;
        handle = other;
        along = at;
    }
};

/// The ring is walked in short chords: where it turns away from the eye its picture is an ellipse, and a
/// plane test alone would miss its thin ends. Only the half towards the eye counts.
void offer_ring(Candidate& best, Handle handle, const GizmoFrame& frame, const Vec3& normal, float radius,
                const Vec3& eye_direction, const Ray& ray, bool front_only) {
    constexpr int kChords = 64;
    Vec3 u, v;
    make_tangents(normal, u, v);
    for (int i = 0; i < kChords; ++i) {
        const auto at = [&](int k) {
            const float angle = 2.0f * kPi * float(k) / float(kChords);
            return frame.origin + radius * (std::cos(angle) * u + std::sin(angle) * v);
        };
        const Vec3 a = at(i), b = at(i + 1);
        if (front_only && glm::dot(0.5f * (a + b) - frame.origin, eye_direction) < -0.05f * radius) continue;
        const Pass pass = pass_segment(ray, a, b);
        if (pass.distance < 0.6f * kHitWidth * frame.size) best.offer(handle, pass.along);
    }
}

}  // namespace

Handle hit_test(GizmoMode mode, const GizmoFrame& frame, const View& view, const Ray& given) {
    const float length = glm::length(given.direction);
    if (!(length > 0.0f) || !(frame.size > 0.0f)) return Handle::none;
    const Ray ray{given.origin, given.direction / length};
    const Vec3 eye_direction = to_eye(view, frame.origin);
    Candidate best;
    if (mode == GizmoMode::rotate) {
        for (int i = 0; i < 3; ++i)
            offer_ring(best, numbered(Handle::ring_x, i), frame, frame.rotation * unit_axis(i), frame.size,
                       eye_direction, ray, true);
        if (best.handle == Handle::none)
            offer_ring(best, Handle::ring_view, frame, eye_direction, kViewRing * frame.size, eye_direction, ray,
                       false);
        return best.handle;
    }
    // The centre lies on all axes and the planes lie between two: they are looked at first.
    const Pass centre = pass_segment(ray, frame.origin, frame.origin);
    if (centre.distance < kCentreRadius * frame.size) return Handle::centre;
    if (mode == GizmoMode::move) {
        for (int i = 0; i < 3; ++i) {
            const Handle handle = numbered(Handle::plane_x, i);
            if (!is_usable(handle, frame, view)) continue;
            const auto t = meet_plane(ray, frame.origin, frame.rotation * unit_axis(i));
            if (!t) continue;
            const Vec3 local =
                glm::conjugate(frame.rotation) * (ray.origin + *t * ray.direction - frame.origin) / frame.size;
            const float a = local[(i + 1) % 3], b = local[(i + 2) % 3];
            if (std::min(a, b) > kPlaneBegin && std::max(a, b) < kPlaneEnd) best.offer(handle, *t);
        }
        if (best.handle != Handle::none) return best.handle;
    }
    for (int i = 0; i < 3; ++i) {
        const Handle handle = numbered(Handle::axis_x, i);
        if (!is_usable(handle, frame, view)) continue;
        const Vec3 axis = frame.rotation * unit_axis(i);
        const Pass pass = pass_segment(ray, frame.origin, frame.origin + frame.size * axis);
        if (pass.distance < kHitWidth * frame.size) best.offer(handle, pass.along);
    }
    return best.handle;
}

// ---- drags

std::optional<GizmoDrag> begin_drag(GizmoMode mode, Handle handle, const GizmoFrame& frame, const View& view,
                                    const Ray& ray) {
    if (handle == Handle::none || !is_usable(handle, frame, view)) return std::nullopt;
    GizmoDrag drag;
    drag.mode = mode;
    drag.handle = handle;
    drag.frame = frame;
    drag.right = right_of(view);
    drag.up = view.up;
    const Vec3 eye_direction = to_eye(view, frame.origin);
    const int number = axis_number(handle);
    drag.axis = number >= 0 ? frame.rotation * unit_axis(number) : eye_direction;
    drag.plane_normal = drag.axis;
    // An axis is dragged in the plane through it that faces the eye most: the pointer then stays over the
    // handle, and the answer is steady where the nearest point of two lines would not be.
    if (is_axis(handle))
        drag.plane_normal = glm::normalize(eye_direction - glm::dot(eye_direction, drag.axis) * drag.axis);
    Vec3 through = frame.origin;
    if (is_ring(handle) && std::abs(glm::dot(eye_direction, drag.axis)) < kHiddenPlane) {
        // Edge on: the ring is a line. It is dragged along that line, by the point that faces the eye.
        const Vec3 nearest = glm::normalize(eye_direction - glm::dot(eye_direction, drag.axis) * drag.axis);
        drag.tangent = glm::cross(drag.axis, nearest);
        drag.plane_normal = nearest;
        through = frame.origin + frame.size * nearest;
    }
    const auto t = meet_plane(ray, through, drag.plane_normal);
    if (!t) return std::nullopt;
    drag.start = ray.origin + *t * ray.direction;
    return drag;
}

namespace {

std::optional<Vec3> follow(const GizmoDrag& drag, const Ray& ray) {
    const auto t = meet_plane(ray, drag.start, drag.plane_normal);
    if (!t) return std::nullopt;
    return ray.origin + *t * ray.direction;
}

}  // namespace

std::optional<Vec3> drag_move(const GizmoDrag& drag, const Ray& ray, const Snap& snap) {
    const auto now = follow(drag, ray);
    if (!now) return std::nullopt;
    const Vec3 displacement = *now - drag.start;
    if (is_axis(drag.handle)) {
        const float along = glm::dot(displacement, drag.axis);
        return (snap.on ? round_to(along, snap.metres) : along) * drag.axis;
    }
    if (!snap.on) return displacement;
    // In a plane each of its two axes snaps for itself; in the picture's plane, all three of the frame.
    Vec3 local = glm::conjugate(drag.frame.rotation) * displacement;
    for (int i = 0; i < 3; ++i) local[i] = round_to(local[i], snap.metres);
    if (const int across = axis_number(drag.handle); across >= 0) local[across] = 0.0f;
    return drag.frame.rotation * local;
}

std::optional<float> drag_angle(const GizmoDrag& drag, const Ray& ray, float before, const Snap& snap) {
    const auto now = follow(drag, ray);
    if (!now) return std::nullopt;
    float angle = 0.0f;
    if (drag.tangent != Vec3(0.0f)) {
        angle = glm::dot(*now - drag.start, drag.tangent) / drag.frame.size;
    } else {
        const Vec3 a = drag.start - drag.frame.origin, b = *now - drag.frame.origin;
        angle = std::atan2(glm::dot(drag.axis, glm::cross(a, b)), glm::dot(a, b));
        angle += 2.0f * kPi * std::round((before - angle) / (2.0f * kPi));
    }
    return snap.on ? round_to(angle, glm::radians(snap.degrees)) : angle;
}

std::optional<Vec3> drag_scale(const GizmoDrag& drag, const Ray& ray, const Snap& snap) {
    const auto now = follow(drag, ray);
    if (!now) return std::nullopt;
    Vec3 factors(1.0f);
    const auto finish = [&](float factor) { return std::max(0.01f, snap.on ? round_to(factor, snap.factor) : factor); };
    if (const int axis = axis_number(drag.handle); axis >= 0) {
        // The handle follows the pointer: twice as far from the origin is twice as large.
        const float start = glm::dot(drag.start - drag.frame.origin, drag.axis);
        const float reach = std::abs(start) > 0.1f * drag.frame.size ? start : drag.frame.size;
        factors[axis] = finish(1.0f + glm::dot(*now - drag.start, drag.axis) / reach);
        return factors;
    }
    const Vec3 displacement = *now - drag.start;
    return Vec3(finish(1.0f + glm::dot(displacement, drag.right + drag.up) / drag.frame.size));
}

}  // namespace proxima::editor
