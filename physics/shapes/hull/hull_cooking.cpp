// SPDX-License-Identifier: MIT
#include <LinearMath/btConvexHullComputer.h>

#include <algorithm>
#include <glm/vec3.hpp>
#include <numeric>
#include <string>

#include "physics/shapes/shape.h"

namespace proxima::physics {

namespace {

using Vec = glm::dvec3;

// Relative to the largest extent. Vertices nearer than the first become one; faces whose vertices all lie
// nearer than the second to the plane of a larger neighbour join it. Both stay far below kMinHullThickness,
// so that the two sides of a thin plate never meet.
constexpr double kWeld = 1e-4;
constexpr double kCoplanar = 5e-5;

/// A closed surface as loops of vertex indices, counter-clockwise from outside.
struct Surface {
    std::vector<Vec> vertices;
    std::vector<std::vector<int>> loops;
};

/// Bullet's hull: integer arithmetic inside, hence always closed and convex. The vertices are the given
/// points, not the rounded ones that Bullet returns.
Surface bullet_hull(const std::vector<Vec>& points) {
    btConvexHullComputer computer;
    computer.compute(&points[0].x, int(sizeof(Vec)), int(points.size()), 0, 0);
    Surface s;
    for (int i = 0; i < computer.vertices.size(); ++i)
        s.vertices.push_back(points[size_t(computer.original_vertex_index[i])]);
    for (int f = 0; f < computer.faces.size(); ++f) {
        std::vector<int> loop;
        const btConvexHullComputer::Edge* first = &computer.edges[computer.faces[f]];
        const btConvexHullComputer::Edge* edge = first;
        do {
            loop.push_back(edge->getSourceVertex());
            edge = edge->getNextEdgeOfFace();
        } while (edge != first);
        s.loops.push_back(std::move(loop));
    }
    return s;
}

/// Twice the area vector of a loop (Newell): robust for slivers and for loops that are a little off their plane.
Vec area_vector(const Surface& s, const std::vector<int>& loop) {
    Vec sum(0.0);
    const Vec origin = s.vertices[size_t(loop[0])];
    for (size_t i = 1; i + 1 < loop.size(); ++i)
        sum += glm::cross(s.vertices[size_t(loop[i])] - origin, s.vertices[size_t(loop[i + 1])] - origin);
    return sum;
}

/// Keeps the first of every group of vertices nearer than `distance`; whether anything was dropped.
bool weld(std::vector<Vec>& points, double distance) {
    std::vector<Vec> kept;
    for (const Vec& p : points) {
        const bool near = std::any_of(kept.begin(), kept.end(),
                                      [&](const Vec& q) { return glm::dot(p - q, p - q) < distance * distance; });
        if (!near) kept.push_back(p);
    }
    const bool changed = kept.size() != points.size();
    points = std::move(kept);
    return changed;
}

/// Gives every face the number of its group: each group grows from its largest face over neighbours that lie
/// in the plane of that face. Measuring against the first face only keeps a curved surface from being
/// swallowed bit by bit.
std::vector<int> group_coplanar(const Surface& s, double tolerance) {
    const size_t count = s.loops.size();
    std::vector<Vec> area(count);
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t(0));
    for (size_t f = 0; f < count; ++f) area[f] = area_vector(s, s.loops[f]);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t f, size_t g) { return glm::dot(area[f], area[f]) > glm::dot(area[g], area[g]); });
    // Faces around each vertex, to find neighbours; sharing a vertex is not enough, so the caller checks the
    // boundary.
    std::vector<std::vector<size_t>> around(s.vertices.size());
    for (size_t f = 0; f < count; ++f)
        for (int v : s.loops[f]) around[size_t(v)].push_back(f);

    std::vector<int> group(count, -1);
    std::vector<size_t> front;
    for (size_t seed : order) {
        const double length = glm::length(area[seed]);
        if (group[seed] >= 0) continue;
        group[seed] = int(seed);
        if (length == 0.0) continue;
        const Vec n = area[seed] / length, origin = s.vertices[size_t(s.loops[seed][0])];
        front.assign(1, seed);
        while (!front.empty()) {
            const size_t at = front.back();
            front.pop_back();
            for (int v : s.loops[at])
                for (size_t next : around[size_t(v)]) {
                    if (group[next] >= 0 || glm::dot(area[next], n) < 0.0) continue;
                    const bool flat = std::all_of(s.loops[next].begin(), s.loops[next].end(), [&](int w) {
                        return std::abs(glm::dot(s.vertices[size_t(w)] - origin, n)) < tolerance;
                    });
                    if (!flat) continue;
                    group[next] = int(seed);
                    front.push_back(next);
                }
        }
    }
    return group;
}

/// Replaces every group of faces by its outline. False when an outline is not one simple loop.
bool merge_groups(const Surface& s, const std::vector<int>& group, Surface& out) {
    out = Surface{s.vertices, {}};
    // The half edges of a group whose reverse belongs to another group, as next[tail] = head.
    std::vector<int> owner(s.vertices.size() * s.vertices.size(), -1);
    const auto slot = [&](int tail, int head) -> int& {
        return owner[size_t(tail) * s.vertices.size() + size_t(head)];
    };
    for (size_t f = 0; f < s.loops.size(); ++f)
        for (size_t i = 0; i < s.loops[f].size(); ++i)
            slot(s.loops[f][i], s.loops[f][(i + 1) % s.loops[f].size()]) = group[f];
    std::vector<int> next(s.vertices.size());
    std::vector<int> borders(s.vertices.size(),
                             0);  // groups that meet at a vertex, counted by their outgoing edges
    for (size_t g = 0; g < s.loops.size(); ++g) {
        if (group[g] != int(g)) continue;
        std::fill(next.begin(), next.end(), -1);
        int edges = 0, start = -1;
        for (size_t f = 0; f < s.loops.size(); ++f) {
            if (group[f] != int(g)) continue;
            for (size_t i = 0; i < s.loops[f].size(); ++i) {
                const int tail = s.loops[f][i], head = s.loops[f][(i + 1) % s.loops[f].size()];
                if (slot(head, tail) == int(g)) continue;
                if (next[size_t(tail)] >= 0) return false;
                next[size_t(tail)] = head;
                start = tail;
                ++edges;
            }
        }
        std::vector<int> loop;
        for (int v = start; v >= 0 && int(loop.size()) <= edges;) {
            loop.push_back(v);
            v = next[size_t(v)];
            if (v == start) break;
        }
        if (edges < 3 || int(loop.size()) != edges) return false;
        for (int v : loop) ++borders[size_t(v)];
        out.loops.push_back(std::move(loop));
    }
    // A vertex where only two faces meet lies in the middle of a straight edge: both loops pass it by.
    for (std::vector<int>& loop : out.loops) {
        std::erase_if(loop, [&](int v) { return borders[size_t(v)] < 3; });
        if (loop.size() < 3) return false;
    }
    return true;
}

/// The surface in its final form: unused vertices left out, planes pushed out to the farthest vertex, edges linked.
bool to_polytope(const Surface& s, Polytope& out) {
    out = Polytope{};
    std::vector<int> index(s.vertices.size(), -1);
    std::vector<bool> used(s.vertices.size(), false);
    for (const std::vector<int>& loop : s.loops)
        for (int v : loop) used[size_t(v)] = true;
    for (size_t v = 0; v < s.vertices.size(); ++v) {
        if (!used[v]) continue;
        index[v] = int(out.vertices.size());
        out.vertices.emplace_back(s.vertices[v]);
    }
    if (out.vertices.size() > size_t(kMaxHullVertices)) return false;
    Vec center(0.0);
    for (const Vec3& v : out.vertices) center += Vec(v);
    center /= double(out.vertices.size());
    out.center = Vec3(center);
    double inner = 1e300;
    for (const std::vector<int>& loop : s.loops) {
        const Vec area = area_vector(s, loop);
        const double length = glm::length(area);
        if (!(length > 0.0)) return false;
        const Vec n = area / length;
        Polytope::Face face;
        face.normal = Vec3(n);
        double offset = -1e300;
        for (const Vec3& v : out.vertices) offset = std::max(offset, glm::dot(n, Vec(v)));
        if (offset <= glm::dot(n, center)) return false;
        inner = std::min(inner, offset - glm::dot(n, center));
        face.offset = float(offset);
        face.first = uint16_t(out.face_vertices.size());
        face.count = uint16_t(loop.size());
        for (int v : loop) out.face_vertices.push_back(uint16_t(index[size_t(v)]));
        out.faces.push_back(face);
    }
    out.inner_radius = float(inner);
    if (!link_edges(out)) return false;
    if (out.vertices.size() + out.faces.size() != out.edges.size() + 2) return false;  // Euler: V - E + F = 2
    make_search_data(out);
    return true;
}

/// The least width over the face normals.
double thickness(const Surface& s) {
    double least = 1e300;
    for (const std::vector<int>& loop : s.loops) {
        const Vec area = area_vector(s, loop);
        const double length = glm::length(area);
        if (length == 0.0) continue;
        double depth = 0.0;
        for (const Vec& v : s.vertices)
            depth = std::max(depth, -glm::dot(v - s.vertices[size_t(loop[0])], area) / length);
        least = std::min(least, depth);
    }
    return least;
}

std::string number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", x);
    return text;
}

}  // namespace

Result<Polytope> cook_hull(std::span<const Vec3> given) {
    if (given.size() < 4)
        return Error{"The hull has " + std::to_string(given.size()) + " points; it needs at least four."};
    for (size_t i = 0; i < given.size(); ++i)
        if (!is_finite(given[i])) return Error{"Point " + std::to_string(i) + " of the hull is not finite."};

    std::vector<Vec> points(given.begin(), given.end());
    Vec lower = points[0], upper = points[0];
    for (const Vec& p : points) {
        lower = glm::min(lower, p);
        upper = glm::max(upper, p);
    }
    const double size = std::max({upper.x - lower.x, upper.y - lower.y, upper.z - lower.z});
    if (size < double(kMinShapeSize) || size > double(kMaxShapeSize))
        return Error{"The points of the hull span " + number(size) + " m; the span must lie between 1e-6 m and 1e6 m."};
    const std::string flat = "The points of the hull lie in one plane, or nearly: its thickness must be at least " +
                             number(double(kMinHullThickness)) + " of its largest extent, " + number(size) + " m.";

    // Welding moves no vertex but may bury or expose others, hence again until nothing changes.
    Surface surface = bullet_hull(points);
    while (surface.vertices.size() >= 4) {
        if (surface.vertices.size() > 20000)
            return Error{"The hull has " + std::to_string(surface.vertices.size()) + " vertices; at most " +
                         std::to_string(kMaxHullVertices) + " are possible. Simplify the mesh first."};
        points = surface.vertices;
        if (!weld(points, kWeld * size)) break;
        surface = points.size() >= 4 ? bullet_hull(points) : Surface{};
    }
    if (surface.vertices.size() < 4 || surface.loops.size() < 4) return Error{flat};
    if (thickness(surface) < double(kMinHullThickness) * size) return Error{flat};
    if (surface.vertices.size() > 2000)
        return Error{"The hull has " + std::to_string(surface.vertices.size()) + " vertices; at most " +
                     std::to_string(kMaxHullVertices) + " are possible. Simplify the mesh first."};

    // Coplanar neighbours become one face. Where their outline is no simple loop the tolerance shrinks, down
    // to the faces exactly as Bullet made them.
    Polytope out;
    Surface merged;
    for (double tolerance = kCoplanar * size; tolerance > 1e-9 * size; tolerance *= 0.1)
        if (merge_groups(surface, group_coplanar(surface, tolerance), merged) && to_polytope(merged, out)) return out;
    if (to_polytope(surface, out)) return out;
    if (surface.vertices.size() > size_t(kMaxHullVertices))
        return Error{"The hull has " + std::to_string(surface.vertices.size()) + " vertices; at most " +
                     std::to_string(kMaxHullVertices) + " are possible. Simplify the mesh first."};
    return Error{
        "The hull could not be closed: its points are too close to degenerate. Move or remove those that "
        "nearly coincide."};
}

}  // namespace proxima::physics
