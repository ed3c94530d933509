// SPDX-License-Identifier: MIT
// What of a shape lies below a plane, and the area that it shows.
#include <algorithm>
#include <cmath>

#include "physics/effects/effects.h"

namespace proxima::physics {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// The part of a disk of radius r that lies below a line, at a height h of its centre above that: area, and how far its
/// centre lies below that of the disk.
struct Segment {
    double area = 0.0, depth = 0.0;
};
Segment segment_below(double r, double h) {
    if (h >= r) return {};
    if (h <= -r) return {kPi * r * r, 0.0};
    const double half_chord = std::sqrt(r * r - h * h);
    const double area = r * r * std::acos(h / r) - h * half_chord;
    if (area <= 0.0) return {};
    return {area, 2.0 / 3.0 * half_chord * half_chord * half_chord / area};
}

/// A cap of a ball whose centre is at a height h above the surface.
Submerged ball_below(const Vec3& center, double r, double h, const Vec3& up) {
    if (h >= r) return {};
    if (h <= -r) return {float(4.0 / 3.0 * kPi * r * r * r), center};
    const double depth = r - h;  // of the cap
    const double volume = kPi * depth * depth * (3.0 * r - depth) / 3.0;
    const double away = 0.75 * (2.0 * r - depth) * (2.0 * r - depth) / (3.0 * r - depth);
    return {float(volume), center - float(away) * up};
}

/// Slices across the axis are disks. Simpson's rule between the places where a slice dives or ends.
Submerged capsule_below(const Shape& shape, const Transform& pose, const Vec3& point, const Vec3& up) {
    constexpr int kSlices = 128;  // even
    const Vec3 axis = pose.rotation * Vec3(0.0f, 1.0f, 0.0f);
    const double rise = glm::dot(axis, up), across = std::sqrt(std::max(0.0, 1.0 - rise * rise));
    const double height = glm::dot(pose.position - point, up), r = shape.radius, half = shape.half_height;
    // Down, along the slice.
    const Vec3 down = across > 1e-6 ? (float(rise) * axis - up) / float(across) : Vec3(0.0f);
    double volume = 0.0, along = 0.0, aside = 0.0;
    const auto add_range = [&](double from, double to) {
        const double step = (to - from) / kSlices, middle = height + 0.5 * (from + to) * rise;
        for (int k = 0; k <= kSlices && step > 0.0; ++k) {
            const double s = from + k * step, past = std::max(std::abs(s) - half, 0.0);
            const double radius = std::sqrt(std::max(0.0, r * r - past * past)), h = height + s * rise;
            const Segment below = across > 1e-6  ? segment_below(radius, h / across)
                                  : middle < 0.0 ? Segment{kPi * radius * radius, 0.0}
                                                 : Segment{};
            const double weight = step / 3.0 * (k == 0 || k == kSlices ? 1.0 : k % 2 ? 4.0 : 2.0);
            volume += weight * below.area;
            along += weight * below.area * s;
            aside += weight * below.area * below.depth;
        }
    };
    // An upright one is cut along a slice: the range ends there.
    const double cut = across > 1e-6 ? half : std::clamp(-height / rise, -half - r, half + r);
    double ends[5] = {-half - r, -half, std::clamp(cut, -half - r, half + r), half, half + r};
    std::sort(ends, ends + 5);
    for (int k = 0; k < 4; ++k) add_range(ends[k], ends[k + 1]);
    if (!(volume > 0.0)) return {};
    return {float(volume), pose.position + float(along / volume) * axis + float(aside / volume) * down};
}

/// Tetrahedra over the faces that are left below the plane, from a point in it: the cut itself has none.
Submerged polytope_below(const Polytope& p, const Transform& pose, const Vec3& point, const Vec3& up) {
    double volume = 0.0, moment[3] = {0.0, 0.0, 0.0};
    const Vec3 center = to_world(pose, p.center);
    const Vec3 base = center - glm::dot(center - point, up) * up;  // near, for the sake of rounding
    Vec3 corners[2 * kMaxHullVertices];
    for (const Polytope::Face& face : p.faces) {
        int count = 0;
        for (uint32_t k = 0; k < face.count; ++k) {
            const Vec3 a = to_world(pose, p.vertices[p.face_vertices[face.first + k]]) - base;
            const Vec3 b = to_world(pose, p.vertices[p.face_vertices[face.first + (k + 1) % face.count]]) - base;
            const float ha = glm::dot(a, up), hb = glm::dot(b, up);
            if (ha <= 0.0f) corners[count++] = a;
            if ((ha < 0.0f && hb > 0.0f) || (ha > 0.0f && hb < 0.0f)) corners[count++] = a + ha / (ha - hb) * (b - a);
        }
        for (int k = 2; k < count; ++k) {
            const Vec3 &a = corners[0], &b = corners[k - 1], &c = corners[k];
            const double v = double(glm::dot(a, glm::cross(b, c))) / 6.0;
            volume += v;
            for (int i = 0; i < 3; ++i) moment[i] += v * (double(a[i]) + b[i] + c[i]) / 4.0;
        }
    }
    if (!(volume > 0.0)) return {};
    return {float(volume),
            base + Vec3(float(moment[0] / volume), float(moment[1] / volume), float(moment[2] / volume))};
}

}  // namespace

Submerged submerged_part(const Shape& shape, const Transform& pose, const Vec3& point, const Vec3& normal) {
    if (!std::isfinite(shape.bounding_radius)) return {};
    if (!shape.polytope.vertices.empty()) return polytope_below(shape.polytope, pose, point, normal);
    if (shape.half_height > 0.0f) return capsule_below(shape, pose, point, normal);
    return ball_below(pose.position, shape.radius, glm::dot(pose.position - point, normal), normal);
}

float shown_area(const Shape& shape, const Transform& pose, const Vec3& direction) {
    if (!std::isfinite(shape.bounding_radius)) return 0.0f;
    const Vec3 local = glm::conjugate(pose.rotation) * direction;
    if (shape.polytope.vertices.empty()) {
        const double side = std::sqrt(std::max(0.0, 1.0 - double(local.y) * local.y));
        return float(kPi * shape.radius * shape.radius + 4.0 * shape.radius * shape.half_height * side);
    }
    // A convex body shows each point of its outline twice: once in front, once behind.
    const Polytope& p = shape.polytope;
    double sum = 0.0;
    for (const Polytope::Face& face : p.faces) {
        const Vec3& a = p.vertices[p.face_vertices[face.first]];
        Vec3 twice(0.0f);
        for (uint32_t k = 2; k < face.count; ++k)
            twice += glm::cross(p.vertices[p.face_vertices[face.first + k - 1]] - a,
                                p.vertices[p.face_vertices[face.first + k]] - a);
        sum += std::abs(0.5 * double(glm::dot(twice, local)));
    }
    return float(0.5 * sum);
}

}  // namespace proxima::physics
