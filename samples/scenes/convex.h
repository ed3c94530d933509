// SPDX-License-Identifier: MIT
// A small double-precision convex hull of our own: where scenes need exact centroids and where results are
// judged without trusting the engine that made them.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace proxima::samples {

struct Vec3d {
    double x = 0.0, y = 0.0, z = 0.0;
};
inline Vec3d operator+(const Vec3d& a, const Vec3d& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3d operator-(const Vec3d& a, const Vec3d& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3d operator-(const Vec3d& a) { return {-a.x, -a.y, -a.z}; }
inline Vec3d operator*(const Vec3d& a, double s) { return {a.x * s, a.y * s, a.z * s}; }
inline double dot(const Vec3d& a, const Vec3d& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3d cross(const Vec3d& a, const Vec3d& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(const Vec3d& a) { return std::sqrt(dot(a, a)); }

struct Quatd {
    double x = 0.0, y = 0.0, z = 0.0, w = 1.0;
};
inline Vec3d rotate(const Quatd& q, const Vec3d& v) {
    const Vec3d u{q.x, q.y, q.z};
    const Vec3d t = cross(u, v) * 2.0;
    return v + t * q.w + cross(u, t);
}
Quatd axis_angle(const Vec3d& axis, double angle_rad);
/// q then p: rotate(multiply(p, q), v) = rotate(p, rotate(q, v)).
Quatd multiply(const Quatd& p, const Quatd& q);

/// What the separating-axis test and the volume integral need of a polytope.
struct Convex {
    std::vector<Vec3d> vertices;
    std::vector<Vec3d> normals;          // outward, unit, one per plane
    std::vector<Vec3d> edge_directions;  // unit, parallel ones once
    double volume = 0.0;
    Vec3d centroid;
};

/// Convex hull by adding one point after the other. Flat or empty sets give a volume of zero.
Convex make_convex(std::span<const Vec3d> points);

}  // namespace proxima::samples
