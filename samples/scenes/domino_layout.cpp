// SPDX-License-Identifier: MIT
#include "samples/scenes/domino_layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace proxima::samples {

namespace {

Vec3d flat_direction(double heading) { return {std::cos(heading), 0.0, std::sin(heading)}; }
/// Left of the heading when seen from above with x to the right and z towards the viewer.
Vec3d flat_side(double heading) { return {std::sin(heading), 0.0, -std::cos(heading)}; }
double heading_of(const Vec3d& d) { return std::atan2(d.z, d.x); }

/// Adds dominoes where there is space; false for those that are not does not end the piece.
uint32_t add_free(const std::vector<DominoPose>& poses, DominoLayout& layout, uint32_t most) {
    uint32_t added = 0;
    for (const DominoPose& pose : poses) {
        if (added >= most) break;
        const bool taken = std::any_of(layout.dominoes.begin(), layout.dominoes.end(),
                                       [&](const DominoPose& other) { return feet_overlap(pose, other); });
        if (taken) continue;
        layout.dominoes.push_back(pose);
        ++added;
    }
    return added;
}

/// The heading of the domino nearest to a point, when one is near; otherwise that of the stroke.
double incoming_heading(const DominoLayout& layout, const Vec3d& at, double otherwise) {
    double nearest = 0.6, heading = otherwise;
    for (const DominoPose& domino : layout.dominoes) {
        const double distance = length(domino.foot - at);
        if (distance >= nearest) continue;
        nearest = distance;
        heading = domino.heading;
    }
    return heading;
}

/// Two arms, mirror images about the line of the fall. The first domino of either stands half beside the
/// line, so that the one before the split lands on both.
uint32_t lay_split(const DominoPiece& piece, DominoLayout& layout, uint32_t most) {
    if (piece.points.size() < 2) return 0;
    const Vec3d from = piece.points[0];
    const double heading = incoming_heading(layout, from, heading_of(piece.points[1] - from));
    const Vec3d ahead = flat_direction(heading), side = flat_side(heading);
    constexpr double kMinAside = kDominoHalfWidth + 0.03;
    uint32_t added = 0;
    for (const double mirror : {-1.0, 1.0}) {
        std::vector<Vec3d> arm{from + ahead * kDominoPitch + side * (mirror * kMinAside)};
        // A second point straight ahead keeps the first ones of both arms parallel.
        arm.push_back(arm[0] + ahead * kDominoPitch);
        for (size_t i = 1; i < piece.points.size(); ++i) {
            const Vec3d d = piece.points[i] - from;
            if (dot(d, ahead) < 2.5 * kDominoPitch) continue;
            const double aside = std::max(std::abs(dot(d, side)), kMinAside);
            arm.push_back(from + ahead * dot(d, ahead) + side * (mirror * aside));
        }
        std::vector<DominoPose> poses = place_along(smooth_path(arm), kDominoPitch);
        if (!poses.empty()) poses[0].heading = heading;
        added += add_free(poses, layout, most - added);
    }
    return added;
}

/// Archimedes' spiral towards its centre, its turns far enough apart for a domino and air: r = R - g a / 2 pi.
uint32_t lay_spiral(const DominoPiece& piece, DominoLayout& layout, uint32_t most) {
    if (piece.points.size() < 2) return 0;
    const Vec3d centre = piece.points[0], out = piece.points[1] - centre;
    constexpr double kTurnGap = 0.75, kInnermost = 0.65, kStep = 0.05;
    const double radius = length(out), start = heading_of(out);
    double sense = 1.0;
    if (piece.points.size() > 2) sense = cross(out, piece.points[2] - piece.points[1]).y > 0.0 ? -1.0 : 1.0;
    std::vector<Vec3d> path;
    for (double turned = 0.0;; turned += kStep) {
        const double r = radius - kTurnGap * turned / (2.0 * std::numbers::pi);
        if (r < kInnermost) break;
        path.push_back(centre + flat_direction(start + sense * turned) * r);
    }
    return path.size() < 2 ? 0 : add_free(place_along(path, kDominoPitch), layout, most);
}

/// A flight up and down again, each domino on a step of its own.
uint32_t lay_stairs(const DominoPiece& piece, DominoLayout& layout, uint32_t most) {
    if (piece.points.size() < 2) return 0;
    const std::vector<DominoPose> poses = place_along({piece.points[0], piece.points.back()}, kDominoPitch);
    uint32_t added = 0;
    for (size_t i = 0; i < poses.size() && added < most; ++i) {
        const int level = std::min(int(std::min(i, poses.size() - 1 - i)), kDominoLevels);
        DominoPose pose = poses[i];
        pose.foot.y += kDominoRise * level;
        if (add_free({pose}, layout, 1) == 0) continue;
        ++added;
        if (level > 0)
            layout.steps.push_back({poses[i].foot + Vec3d{0.0, kDominoRise * level / 2.0, 0.0}, pose.heading, level});
    }
    return added;
}

}  // namespace

uint32_t lay_piece(const DominoPiece& piece, DominoLayout& layout, uint32_t most) {
    switch (piece.tool) {
        case DominoTool::curve:
            if (piece.points.size() < 2) return 0;
            return add_free(place_along(smooth_path(piece.points), kDominoPitch), layout, most);
        case DominoTool::split:
            return lay_split(piece, layout, most);
        case DominoTool::spiral:
            return lay_spiral(piece, layout, most);
        case DominoTool::stairs:
            return lay_stairs(piece, layout, most);
    }
    return 0;
}

Vec3d step_half_extents(int level) { return {0.13, kDominoRise * level / 2.0, kDominoHalfWidth + 0.06}; }

std::vector<Vec3d> smooth_path(const std::vector<Vec3d>& points) {
    if (points.size() < 3) return points;
    constexpr int kChords = 12;
    std::vector<Vec3d> path;
    const auto at = [&](std::ptrdiff_t i) {
        return points[size_t(std::clamp<std::ptrdiff_t>(i, 0, std::ptrdiff_t(points.size()) - 1))];
    };
    for (std::ptrdiff_t i = 0; i + 1 < std::ptrdiff_t(points.size()); ++i)
        for (int k = 0; k < kChords; ++k) {
            // p(t) = 1/2 (2 b + (c - a) t + (2 a - 5 b + 4 c - d) t^2 + (3 b - a - 3 c + d) t^3)
            const double t = double(k) / kChords;
            const Vec3d a = at(i - 1), b = at(i), c = at(i + 1), d = at(i + 2);
            path.push_back((b * 2.0 + (c - a) * t + (a * 2.0 - b * 5.0 + c * 4.0 - d) * (t * t) +
                            (b * 3.0 - a - c * 3.0 + d) * (t * t * t)) *
                           0.5);
        }
    path.push_back(points.back());
    return path;
}

std::vector<DominoPose> place_along(const std::vector<Vec3d>& path, double pitch) {
    std::vector<double> arc{0.0};  // length up to each point
    for (size_t i = 1; i < path.size(); ++i) arc.push_back(arc.back() + length(path[i] - path[i - 1]));
    std::vector<DominoPose> poses;
    if (path.size() < 2 || !(arc.back() > 0.5 * pitch)) return poses;
    const int gaps = std::max(1, int(std::lround(arc.back() / pitch)));
    const auto point_at = [&](double s) {
        const auto after = std::upper_bound(arc.begin(), arc.end(), s);
        const size_t k = std::clamp<size_t>(size_t(after - arc.begin()), 1, path.size() - 1);
        const double whole = arc[k] - arc[k - 1];
        const double part = whole > 0.0 ? std::clamp((s - arc[k - 1]) / whole, 0.0, 1.0) : 0.0;
        return path[k - 1] + (path[k] - path[k - 1]) * part;
    };
    const double spacing = arc.back() / gaps, feel = 0.4 * pitch;
    for (int i = 0; i <= gaps; ++i) {
        const double s = i * spacing;
        // The heading is that of the chord around the position, not of the one bit of path it stands on.
        const Vec3d ahead = point_at(std::min(arc.back(), s + feel)) - point_at(std::max(0.0, s - feel));
        poses.push_back({point_at(s), heading_of(ahead)});
    }
    return poses;
}

Quatd heading_rotation(double heading) { return heading == 0.0 ? Quatd{} : axis_angle({0.0, 1.0, 0.0}, -heading); }

bool feet_overlap(const DominoPose& a, const DominoPose& b) {
    // Two rectangles, a little larger than the feet, are apart along a side of one of them or not at all.
    constexpr double kAlong = kDominoHalfThickness + 0.045, kAcross = kDominoHalfWidth + 0.005;
    const Vec3d between = b.foot - a.foot;
    const Vec3d ua = flat_direction(a.heading), va = flat_side(a.heading);
    const Vec3d ub = flat_direction(b.heading), vb = flat_side(b.heading);
    for (const Vec3d& axis : {ua, va, ub, vb}) {
        const double reach = kAlong * (std::abs(dot(ua, axis)) + std::abs(dot(ub, axis))) +
                             kAcross * (std::abs(dot(va, axis)) + std::abs(dot(vb, axis)));
        if (std::abs(dot(between, axis)) >= reach) return false;
    }
    return true;
}

}  // namespace proxima::samples
