// SPDX-License-Identifier: MIT
#include "samples/scenes/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "physics/shapes/shape_classes.h"
#include "samples/scenes/convex.h"
#include "samples/scenes/distance.h"

namespace proxima::samples {

using namespace physics;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFarAway = 1e4;  // m

Vec3d to_double(const Vec3& v) { return {v.x, v.y, v.z}; }
Quatd to_double(const Quat& q) {
    const double l = std::sqrt(double(q.x) * q.x + double(q.y) * q.y + double(q.z) * q.z + double(q.w) * q.w);
    return {q.x / l, q.y / l, q.z / l, q.w / l};
}

/// A convex core (a point, a segment, a polytope, or the half-space below y = 0) blown up by a radius.
struct Solid {
    bool half_space = false;
    double radius = 0.0;
    std::vector<Vec3d> points;
    std::vector<Vec3d> normals;  // opposite ones once
    std::vector<Vec3d> edges;
};

Solid make_solid(const ShapeDesc& shape, const Vec3d& scale) {
    Solid s;
    const ShapeClass& row = shape_class(shape.type);
    if (row.unbounded) {
        s.half_space = true;
        return s;
    }
    const ConvexCore core = row.core(shape);
    s.radius = double(core.radius) * scale.x;
    std::vector<Vec3d> points;
    for (const Vec3& p : core.points) points.push_back({p.x * scale.x, p.y * scale.y, p.z * scale.z});
    if (points.size() <= 2) {
        s.points = points;
        const double l = points.size() == 2 ? length(points[1] - points[0]) : 0.0;
        if (l > 0.0) s.edges = {(points[1] - points[0]) * (1.0 / l)};
        return s;
    }
    const Convex convex = make_convex(points);
    s.points = convex.vertices;
    s.edges = convex.edge_directions;
    for (const Vec3d& n : convex.normals) {
        bool known = false;
        for (const Vec3d& m : s.normals) known = known || std::abs(dot(m, n)) > 1.0 - 1e-9;
        if (!known) s.normals.push_back(n);
    }
    return s;
}

/// A solid in the frame of a collider: a convex shape is one, a compound has one for each child.
struct Part {
    uint32_t solid = 0;
    Vec3d position;
    Quatd rotation;
};

std::vector<Part> make_parts(const ShapeDesc& shape, const Vec3d& scale, std::vector<Solid>& solids) {
    std::vector<Part> parts;
    const auto add = [&](const ShapeDesc& convex, const Vec3d& position, const Quatd& rotation) {
        parts.push_back({uint32_t(solids.size()), position, rotation});
        solids.push_back(make_solid(convex, scale));
    };
    if (shape_class(shape.type).category == ShapeCategory::convex)
        add(shape, {}, to_double(Quat(1.0f, 0.0f, 0.0f, 0.0f)));
    else
        for (const ChildDesc& child : shape.children)
            add(child.shape, to_double(child.position) * scale.x, to_double(child.rotation));
    return parts;
}

/// A solid of a collider of the scene.
struct Piece {
    uint32_t body = 0;
    uint32_t solid = 0;
    Vec3d position;  // in the body's frame
    Quatd rotation;
    uint32_t layer = 1, mask = 0xFFFFFFFFu;
};

/// The same where it is now.
struct Placed {
    bool sane = false;
    std::vector<Vec3d> points, normals, edges;
    Vec3d lower, upper;
};

bool sane(const Pose& pose) {
    return is_finite(pose.position) && is_finite(pose.rotation) && std::abs(pose.position.x) < kFarAway &&
           std::abs(pose.position.y) < kFarAway && std::abs(pose.position.z) < kFarAway;
}

Placed place(const Solid& solid, const Piece& piece, const Pose& pose) {
    Placed out;
    if (!sane(pose)) return out;
    out.sane = true;
    const Quatd body_rotation = to_double(pose.rotation);
    const Quatd q = multiply(body_rotation, piece.rotation);
    const Vec3d position = to_double(pose.position) + rotate(body_rotation, piece.position);
    if (solid.half_space) {  // one point on the plane, and its normal
        out.points = {position};
        out.normals = {rotate(q, {0.0, 1.0, 0.0})};
        out.lower = {-kInfinity, -kInfinity, -kInfinity};
        out.upper = {kInfinity, kInfinity, kInfinity};
        return out;
    }
    out.lower = {kInfinity, kInfinity, kInfinity};
    out.upper = {-kInfinity, -kInfinity, -kInfinity};
    for (const Vec3d& p : solid.points) {
        const Vec3d w = position + rotate(q, p);
        const double r = solid.radius;
        out.points.push_back(w);
        out.lower = {std::min(out.lower.x, w.x - r), std::min(out.lower.y, w.y - r), std::min(out.lower.z, w.z - r)};
        out.upper = {std::max(out.upper.x, w.x + r), std::max(out.upper.y, w.y + r), std::max(out.upper.z, w.z + r)};
    }
    for (const Vec3d& n : solid.normals) out.normals.push_back(rotate(q, n));
    for (const Vec3d& e : solid.edges) out.edges.push_back(rotate(q, e));
    return out;
}

bool boxes_touch(const Placed& a, const Placed& b) {
    constexpr double m = kTouchingDistance;
    return a.lower.x <= b.upper.x + m && b.lower.x <= a.upper.x + m && a.lower.y <= b.upper.y + m &&
           b.lower.y <= a.upper.y + m && a.lower.z <= b.upper.z + m && b.lower.z <= a.upper.z + m;
}

/// Overlap of two placed solids; negative: minus their distance (or less, once they are farther than touching).
double overlap(const Solid& sa, const Placed& a, const Solid& sb, const Placed& b) {
    if (sa.half_space || sb.half_space) {
        const Placed& plane = sa.half_space ? a : b;
        const Placed& other = sa.half_space ? b : a;
        double lowest = kInfinity;
        for (const Vec3d& p : other.points) lowest = std::min(lowest, dot(p - plane.points[0], plane.normals[0]));
        return (sa.half_space ? sb.radius : sa.radius) - lowest;
    }
    const double radii = sa.radius + sb.radius;
    const CoreAxes axes_a{a.points, a.normals, a.edges}, axes_b{b.points, b.normals, b.edges};
    if (a.points.size() > 2 && b.points.size() > 2) {
        const double depth = sat_overlap(axes_a, axes_b);
        if (depth >= 0.0 || depth < -kTouchingDistance) return depth;
        return -core_distance(a.points, b.points);
    }
    const double distance = core_distance(a.points, b.points);
    if (distance > 1e-7) return radii - distance;
    // A centre line inside the other solid: out along the shallowest axis, and by the radii on top.
    const double depth = sat_overlap(axes_a, axes_b);
    return radii + (std::isfinite(depth) ? std::max(0.0, depth) : 0.0);
}

/// Pairs of pieces whose boxes are near: a uniform grid for those of common size, every piece against the big ones.
std::vector<std::pair<uint32_t, uint32_t>> near_pairs(const std::vector<Placed>& placed) {
    std::vector<double> sizes;
    for (const Placed& p : placed) {
        const double size = std::max({p.upper.x - p.lower.x, p.upper.y - p.lower.y, p.upper.z - p.lower.z});
        if (p.sane && std::isfinite(size)) sizes.push_back(size);
    }
    if (sizes.empty()) return {};
    std::nth_element(sizes.begin(), sizes.begin() + std::ptrdiff_t(sizes.size() / 2), sizes.end());
    const double cell = 1.2 * sizes[sizes.size() / 2] + 2.0 * kTouchingDistance;
    const auto coordinate = [&](double x) { return int64_t(std::floor(x / cell)); };

    std::vector<std::pair<uint64_t, uint32_t>> entries;  // (cell, piece)
    std::vector<uint32_t> big;
    for (uint32_t i = 0; i < placed.size(); ++i) {
        const Placed& p = placed[i];
        if (!p.sane) continue;
        const double m = kTouchingDistance;
        const double cells = ((p.upper.x - p.lower.x) / cell + 2.0) * ((p.upper.y - p.lower.y) / cell + 2.0) *
                             ((p.upper.z - p.lower.z) / cell + 2.0);
        if (!(cells < 100.0)) {
            big.push_back(i);
            continue;
        }
        for (int64_t x = coordinate(p.lower.x - m); x <= coordinate(p.upper.x + m); ++x)
            for (int64_t y = coordinate(p.lower.y - m); y <= coordinate(p.upper.y + m); ++y)
                for (int64_t z = coordinate(p.lower.z - m); z <= coordinate(p.upper.z + m); ++z) {
                    const auto bits = [](int64_t v) { return uint64_t(v) & 0x1FFFFFu; };  // equal cells, equal keys
                    entries.emplace_back(bits(x) << 42 | bits(y) << 21 | bits(z), i);
                }
    }
    std::sort(entries.begin(), entries.end());
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    const auto consider = [&](uint32_t i, uint32_t j) {
        if (i != j && boxes_touch(placed[i], placed[j])) pairs.emplace_back(std::min(i, j), std::max(i, j));
    };
    for (size_t first = 0, last = 0; first < entries.size(); first = last) {
        while (last < entries.size() && entries[last].first == entries[first].first) ++last;
        for (size_t i = first; i < last; ++i)
            for (size_t j = i + 1; j < last; ++j) consider(entries[i].second, entries[j].second);
    }
    for (const uint32_t i : big)
        for (uint32_t j = 0; j < placed.size(); ++j)
            if (placed[j].sane) consider(i, j);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

/// Height of the ground, where the first fixed body says so.
double find_ground(const SceneDesc& scene) {
    for (const SceneBody& body : scene.bodies) {
        if (body.type != BodyType::fixed) continue;
        if (body.colliders.empty()) return -kInfinity;
        const SceneCollider& c = body.colliders[0];
        const ShapeDesc& shape = scene.shapes[c.shape];
        const Quat upright(1.0f, 0.0f, 0.0f, 0.0f);
        if (body.rotation != upright || c.rotation != upright) return -kInfinity;
        const double height = double(body.position.y) + c.position.y;
        if (shape_class(shape.type).unbounded) return height;
        if (has_field(shape.type, &ShapeDesc::half_extents)) return height + double(shape.half_extents.y) * c.scale.y;
        return -kInfinity;
    }
    return -kInfinity;
}

}  // namespace

struct Evaluator::Data {
    SceneRun run;
    double ground = -kInfinity;
    std::vector<bool> dynamic;  // by body
    std::vector<Solid> solids;
    std::vector<Piece> pieces;

    bool is_lost(const Pose& pose) const { return !sane(pose) || double(pose.position.y) < ground - 0.5; }
};

Evaluator::Evaluator(const SceneDesc& scene) : data_(std::make_unique<Data>()) {
    data_->run = scene.run;
    data_->ground = find_ground(scene);
    std::vector<std::vector<std::pair<Vec3, std::vector<Part>>>> parts_of(
        scene.shapes.size());  // by shape: (scale, parts)
    for (uint32_t i = 0; i < scene.bodies.size(); ++i) {
        const SceneBody& body = scene.bodies[i];
        data_->dynamic.push_back(body.type == BodyType::dynamic);
        for (const SceneCollider& c : body.colliders) {
            auto& known = parts_of[c.shape];
            auto found = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.first == c.scale; });
            if (found == known.end())
                found = known.insert(known.end(),
                                     {c.scale, make_parts(scene.shapes[c.shape], to_double(c.scale), data_->solids)});
            const Quatd rotation = to_double(c.rotation);
            for (const Part& part : found->second)
                data_->pieces.push_back({i, part.solid, to_double(c.position) + rotate(rotation, part.position),
                                         multiply(rotation, part.rotation), c.layer, c.sensor ? 0u : c.mask});
        }
    }
}

Evaluator::~Evaluator() = default;

PenetrationResult Evaluator::penetration(std::span<const Pose> poses) const {
    const Data& d = *data_;
    PX_ASSERT(poses.size() == d.dynamic.size(), "one pose for every body of the scene");
    std::vector<Placed> placed;
    placed.reserve(d.pieces.size());
    for (const Piece& piece : d.pieces) placed.push_back(place(d.solids[piece.solid], piece, poses[piece.body]));

    PenetrationResult result;
    double sum = 0.0;
    for (const auto& [i, j] : near_pairs(placed)) {
        const Piece &a = d.pieces[i], &b = d.pieces[j];
        const bool one_moves = d.dynamic[a.body] || d.dynamic[b.body];
        if (a.body == b.body || !one_moves || !(a.layer & b.mask) || !(b.layer & a.mask)) continue;
        const double depth = overlap(d.solids[a.solid], placed[i], d.solids[b.solid], placed[j]);
        if (depth <= -kTouchingDistance) continue;
        ++result.touching_pairs;
        sum += std::max(0.0, depth);
        result.max = std::max(result.max, depth);
    }
    if (result.touching_pairs > 0) result.mean = sum / double(result.touching_pairs);
    return result;
}

MotionResult Evaluator::motion(std::span<const Pose> from, std::span<const Pose> to) const {
    MotionResult result;
    double sum = 0.0;
    uint64_t count = 0;
    for (size_t i = 0; i < data_->dynamic.size(); ++i) {
        if (!data_->dynamic[i] || !sane(from[i]) || !sane(to[i])) continue;
        const double moved = length(to_double(to[i].position) - to_double(from[i].position));
        result.max = std::max(result.max, moved);
        sum += moved;
        ++count;
    }
    if (count > 0) result.mean = sum / double(count);
    return result;
}

uint32_t Evaluator::lost(std::span<const Pose> poses) const {
    uint32_t count = 0;
    for (size_t i = 0; i < data_->dynamic.size(); ++i)
        if (data_->dynamic[i] && data_->is_lost(poses[i])) ++count;
    return count;
}

std::optional<bool> Evaluator::stands(std::span<const Pose> start, std::span<const Pose> end) const {
    if (!data_->run.stands_test) return std::nullopt;
    return lost(end) == 0 && motion(start, end).max <= double(data_->run.stand_tolerance);
}

}  // namespace proxima::samples
