// SPDX-License-Identifier: MIT
#include "samples/scenes/convex.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace proxima::samples {

Quatd axis_angle(const Vec3d& axis, double angle_rad) {
    const double l = length(axis);
    const double s = l > 0.0 ? std::sin(angle_rad / 2.0) / l : 0.0;
    return {axis.x * s, axis.y * s, axis.z * s, std::cos(angle_rad / 2.0)};
}

Quatd multiply(const Quatd& p, const Quatd& q) {
    return {p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y, p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
            p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w, p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z};
}

namespace {

struct Triangle {
    std::array<uint32_t, 3> v{};
    Vec3d normal;  // unit; zero for a sliver, which then is never seen and never asked
    double offset = 0.0;
};

Triangle make_triangle(std::span<const Vec3d> p, uint32_t a, uint32_t b, uint32_t c) {
    Triangle t{{a, b, c}, cross(p[b] - p[a], p[c] - p[a]), 0.0};
    const double l = length(t.normal);
    t.normal = l > 0.0 ? t.normal * (1.0 / l) : Vec3d{};
    t.offset = dot(t.normal, p[a]);
    return t;
}

/// Four points that span a volume, chosen far apart; false when the set is flat.
bool first_tetrahedron(std::span<const Vec3d> p, double tolerance, std::array<uint32_t, 4>& out) {
    const auto farthest = [&](auto&& distance) {
        uint32_t best = 0;
        double best_distance = -1.0;
        for (uint32_t i = 0; i < p.size(); ++i) {
            const double d = distance(p[i]);
            if (d > best_distance) {
                best = i;
                best_distance = d;
            }
        }
        return std::pair(best, best_distance);
    };
    out[0] = farthest([&](const Vec3d& x) { return length(x - p[0]); }).first;
    const auto [second, span1] = farthest([&](const Vec3d& x) { return length(x - p[out[0]]); });
    if (span1 <= tolerance) return false;
    out[1] = second;
    const Vec3d line = (p[out[1]] - p[out[0]]) * (1.0 / span1);
    const auto [third, span2] = farthest([&](const Vec3d& x) { return length(cross(x - p[out[0]], line)); });
    if (span2 <= tolerance) return false;
    out[2] = third;
    Vec3d normal = cross(p[out[1]] - p[out[0]], p[out[2]] - p[out[0]]);
    normal = normal * (1.0 / length(normal));
    const auto [fourth, span3] = farthest([&](const Vec3d& x) { return std::abs(dot(x - p[out[0]], normal)); });
    if (span3 <= tolerance) return false;
    out[3] = fourth;
    // Outward faces need the fourth point behind the first three.
    if (dot(p[out[3]] - p[out[0]], normal) > 0.0) std::swap(out[1], out[2]);
    return true;
}

std::vector<Triangle> hull_triangles(std::span<const Vec3d> p, double tolerance) {
    std::array<uint32_t, 4> t{};
    if (p.size() < 4 || !first_tetrahedron(p, tolerance, t)) return {};
    std::vector<Triangle> faces{make_triangle(p, t[0], t[1], t[2]), make_triangle(p, t[0], t[3], t[1]),
                                make_triangle(p, t[1], t[3], t[2]), make_triangle(p, t[2], t[3], t[0])};
    std::vector<Triangle> kept;
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    for (uint32_t i = 0; i < p.size(); ++i) {
        // The faces that the new point sees go; their rim, seen from it, becomes a fan of new faces.
        kept.clear();
        edges.clear();
        for (const Triangle& f : faces) {
            if (dot(f.normal, p[i]) - f.offset <= tolerance) {
                kept.push_back(f);
                continue;
            }
            for (int k = 0; k < 3; ++k) edges.emplace_back(f.v[k], f.v[(k + 1) % 3]);
        }
        if (edges.empty()) continue;
        std::sort(edges.begin(), edges.end());
        for (const auto& [tail, head] : edges)
            if (!std::binary_search(edges.begin(), edges.end(), std::pair(head, tail)))
                kept.push_back(make_triangle(p, tail, head, i));
        faces.swap(kept);
    }
    return faces;
}

bool add_direction(std::vector<Vec3d>& list, const Vec3d& direction, bool either_sign) {
    for (const Vec3d& known : list) {
        const double c = dot(known, direction);
        if ((either_sign ? std::abs(c) : c) > 1.0 - 1e-9) return false;
    }
    list.push_back(direction);
    return true;
}

}  // namespace

Convex make_convex(std::span<const Vec3d> points) {
    double size = 0.0;
    for (const Vec3d& p : points) size = std::max({size, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
    // Scene points are single precision: rounding alone lifts corners of a flat face by 1e-7 of their size.
    const std::vector<Triangle> triangles = hull_triangles(points, 2e-7 * size);

    Convex out;
    std::map<std::pair<uint32_t, uint32_t>, Vec3d> edge_normal;  // directed edge -> normal of its face
    std::vector<bool> used(points.size(), false);
    Vec3d moment;
    for (const Triangle& t : triangles) {
        const Vec3d &a = points[t.v[0]], &b = points[t.v[1]], &c = points[t.v[2]];
        const double v = dot(a, cross(b, c)) / 6.0;
        out.volume += v;
        moment = moment + (a + b + c) * (v / 4.0);
        for (int k = 0; k < 3; ++k) {
            used[t.v[k]] = true;
            edge_normal[{t.v[k], t.v[(k + 1) % 3]}] = t.normal;
        }
        if (dot(t.normal, t.normal) > 0.5) add_direction(out.normals, t.normal, false);
    }
    for (const auto& [edge, normal] : edge_normal) {
        const auto twin = edge_normal.find({edge.second, edge.first});
        // An edge between two triangles of one flat face is no edge of the solid.
        if (edge.first > edge.second || twin == edge_normal.end() || dot(normal, twin->second) > 1.0 - 1e-9) continue;
        const Vec3d d = points[edge.second] - points[edge.first];
        add_direction(out.edge_directions, d * (1.0 / length(d)), true);
    }
    for (size_t i = 0; i < points.size(); ++i)
        if (used[i]) out.vertices.push_back(points[i]);
    if (out.volume > 0.0) out.centroid = moment * (1.0 / out.volume);
    return out;
}

}  // namespace proxima::samples
