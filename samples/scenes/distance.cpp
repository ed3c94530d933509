// SPDX-License-Identifier: MIT
#include "samples/scenes/distance.h"

#include <algorithm>
#include <array>
#include <limits>

namespace proxima::samples {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Vec3d& support(std::span<const Vec3d> points, const Vec3d& direction) {
    size_t best = 0;
    double best_dot = -kInfinity;
    for (size_t i = 0; i < points.size(); ++i) {
        const double d = dot(points[i], direction);
        if (d > best_dot) {
            best = i;
            best_dot = d;
        }
    }
    return points[best];
}

/// Up to four points, and the point of their hull nearest to the origin.
struct Simplex {
    std::array<Vec3d, 4> p;
    int count = 0;
    Vec3d nearest;
};

Simplex nearest_of_segment(const Vec3d& a, const Vec3d& b) {
    const Vec3d ab = b - a;
    const double span = dot(ab, ab);
    const double t = span > 0.0 ? -dot(a, ab) / span : 0.0;
    if (t <= 0.0) return {{a}, 1, a};
    if (t >= 1.0) return {{b}, 1, b};
    return {{a, b}, 2, a + ab * t};
}

Simplex nearer(const Simplex& s, const Simplex& t) {
    return dot(s.nearest, s.nearest) <= dot(t.nearest, t.nearest) ? s : t;
}

Simplex nearest_of_triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d normal = cross(b - a, c - a);
    const double area2 = dot(normal, normal);
    // Signed areas of the origin's foot with each side: all positive means it lies inside.
    const double wa = dot(normal, cross(b, c)), wb = dot(normal, cross(c, a)), wc = dot(normal, cross(a, b));
    if (area2 > 1e-30 && wa > 0.0 && wb > 0.0 && wc > 0.0) return {{a, b, c}, 3, normal * (dot(normal, a) / area2)};
    return nearer(nearer(nearest_of_segment(a, b), nearest_of_segment(b, c)), nearest_of_segment(c, a));
}

Simplex nearest_of_tetrahedron(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
    // A face is a candidate when it has the origin and the fourth corner on different sides; none: origin inside.
    Simplex best;
    double best_distance = kInfinity;
    const auto face = [&](const Vec3d& p, const Vec3d& q, const Vec3d& r, const Vec3d& opposite) {
        const Vec3d n = cross(q - p, r - p);
        if (-dot(n, p) * dot(n, opposite - p) > 0.0) return;
        const Simplex s = nearest_of_triangle(p, q, r);
        const double distance = dot(s.nearest, s.nearest);
        if (distance < best_distance) {
            best = s;
            best_distance = distance;
        }
    };
    face(a, b, c, d);
    face(a, c, d, b);
    face(a, d, b, c);
    face(b, d, c, a);
    if (best_distance == kInfinity) return {{a, b, c, d}, 4, {}};
    return best;
}

Simplex reduce(const Simplex& s) {
    switch (s.count) {
        case 1:
            return {{s.p[0]}, 1, s.p[0]};
        case 2:
            return nearest_of_segment(s.p[0], s.p[1]);
        case 3:
            return nearest_of_triangle(s.p[0], s.p[1], s.p[2]);
        default:
            return nearest_of_tetrahedron(s.p[0], s.p[1], s.p[2], s.p[3]);
    }
}

}  // namespace

double core_distance(std::span<const Vec3d> a, std::span<const Vec3d> b) {
    Simplex s;
    s.p[0] = a[0] - b[0];
    s.count = 1;
    s.nearest = s.p[0];
    for (int iteration = 0; iteration < 100; ++iteration) {
        const double squared = dot(s.nearest, s.nearest);
        if (squared < 1e-20) return 0.0;
        const Vec3d p = support(a, -s.nearest) - support(b, s.nearest);
        // |x|^2 - x.p bounds the error of |x|^2 from above.
        if (squared - dot(s.nearest, p) <= 1e-12 * squared + 1e-18) break;
        Simplex next = s;
        next.p[next.count++] = p;
        next = reduce(next);
        if (next.count == 4) return 0.0;
        if (dot(next.nearest, next.nearest) >= squared) break;  // no descent left in double precision
        s = next;
    }
    return length(s.nearest);
}

double sat_overlap(const CoreAxes& a, const CoreAxes& b) {
    double best = kInfinity;
    // False when the axis separates: then there is nothing more to learn.
    const auto try_axis = [&](const Vec3d& axis) {
        const double l = length(axis);
        if (l < 1e-6) return true;  // parallel edges; a face normal says the same
        const Vec3d n = axis * (1.0 / l);
        double a_low = kInfinity, a_high = -kInfinity, b_low = kInfinity, b_high = -kInfinity;
        for (const Vec3d& p : a.points) {
            const double d = dot(p, n);
            a_low = std::min(a_low, d);
            a_high = std::max(a_high, d);
        }
        for (const Vec3d& p : b.points) {
            const double d = dot(p, n);
            b_low = std::min(b_low, d);
            b_high = std::max(b_high, d);
        }
        best = std::min({best, a_high - b_low, b_high - a_low});
        return best >= 0.0;
    };
    for (const Vec3d& n : a.normals)
        if (!try_axis(n)) return best;
    for (const Vec3d& n : b.normals)
        if (!try_axis(n)) return best;
    for (const Vec3d& e : a.edges)
        for (const Vec3d& f : b.edges)
            if (!try_axis(cross(e, f))) return best;
    return best;
}

}  // namespace proxima::samples
