// SPDX-License-Identifier: MIT
// A castle without mortar: round towers of wedges, a gate with an arch, walls. It stands by weight and
// friction alone; what throws stones at it is not here.
#include <numbers>

#include "samples/scenes/families.h"
#include "samples/scenes/game_scenes.h"

namespace proxima::samples {

using physics::SceneBody;
using physics::SceneCollider;
using physics::SceneDesc;

namespace {

constexpr double kStoneDensity = 1500.0;

/// A stone with the given corners, its frame at its centre of mass.
void add_stone(SceneBuilder& b, std::vector<Vec3d> corners, const char* name) {
    const Vec3d centre = make_convex(corners).centroid;
    for (Vec3d& p : corners) p = p - centre;
    b.dynamic(b.hull(corners), centre, {}, kStoneDensity).name = name;
}

/// Rings of eight wedges, the joints of each over the middles of the one below, and a lid.
void add_tower(SceneBuilder& b, double x, double z) {
    constexpr int kCourses = 7, kWedges = 8;
    constexpr double kInner = 0.7, kOuter = 1.25, kHeight = 0.5;
    const auto corner = [&](double radius, double angle, double y) {
        return Vec3d{x + radius * std::cos(angle), y, z + radius * std::sin(angle)};
    };
    for (int course = 0; course < kCourses; ++course)
        for (int i = 0; i < kWedges; ++i) {
            std::vector<Vec3d> corners;
            for (const double k : {i + course * 0.5, i + 1 + course * 0.5})
                for (const double radius : {kInner, kOuter})
                    for (const double y : {course * kHeight, (course + 1) * kHeight})
                        corners.push_back(corner(radius, 2.0 * std::numbers::pi * k / kWedges, y));
            add_stone(b, corners, "tower");
        }
    std::vector<Vec3d> lid;
    for (int i = 0; i < kWedges; ++i)
        for (const double y : {kCourses * kHeight, kCourses * kHeight + 0.25})
            lid.push_back(corner(1.35, 2.0 * std::numbers::pi * (i + 0.5) / kWedges, y));
    add_stone(b, lid, "lid");
}

/// Two piers of blocks and a half ring of wedges over the way between them, which leads along x.
void add_gate(SceneBuilder& b, double spring, double inner, double outer, double half_depth) {
    constexpr int kWedges = 11;
    const double middle = (inner + outer) / 2.0, half = (outer - inner) / 2.0 + 0.1;
    const uint32_t block = b.box({half_depth, spring / 4.0, half});
    for (const double side : {-1.0, 1.0})
        for (int i = 0; i < 2; ++i)
            b.dynamic(block, {0.0, spring * (0.25 + 0.5 * i), side * middle}, {}, kStoneDensity).name = "pier";
    for (int i = 0; i < kWedges; ++i) {
        std::vector<Vec3d> corners;
        for (const double angle : {std::numbers::pi * i / kWedges, std::numbers::pi * (i + 1) / kWedges})
            for (const double radius : {inner, outer})
                for (const double x : {-half_depth, half_depth})
                    corners.push_back({x, spring + radius * std::sin(angle), radius * std::cos(angle)});
        add_stone(b, corners, "arch");
    }
}

/// A wall of blocks along z, every other course shifted by half a block.
void add_wall(SceneBuilder& b, double from, double to, int courses) {
    constexpr double kHeight = 0.45, kHalfDepth = 0.3;
    const int count = 3;
    const double whole = (to - from) / count;
    const uint32_t full = b.box({kHalfDepth, kHeight / 2.0, whole / 2.0});
    const uint32_t halved = b.box({kHalfDepth, kHeight / 2.0, whole / 4.0});
    for (int course = 0; course < courses; ++course) {
        const double y = (course + 0.5) * kHeight;
        const bool shifted = course % 2 == 1;
        for (int i = 0; i < count - int(shifted); ++i)
            b.dynamic(full, {0.0, y, from + whole * (i + (shifted ? 1.0 : 0.5))}, {}, kStoneDensity).name = "wall";
        if (!shifted) continue;
        for (const double z : {from + whole / 4.0, to - whole / 4.0})
            b.dynamic(halved, {0.0, y, z}, {}, kStoneDensity).name = "wall";
    }
}

/// A pole on a foot with a cloth of wood; its frame is at the foot.
void add_flag(SceneBuilder& b, const Vec3d& foot) {
    const auto at = [](double x, double y, double z) { return to_float(Vec3d{x, y, z}); };
    SceneBody& flag = b.dynamic(b.box({0.16, 0.05, 0.16}), foot, {}, 900.0);
    flag.name = "flag";
    flag.colliders[0].position = at(0.0, 0.05, 0.0);
    SceneCollider pole = flag.colliders[0], cloth = flag.colliders[0];
    pole.shape = b.box({0.03, 0.6, 0.03});
    pole.position = at(0.0, 0.7, 0.0);
    pole.density = 500.0f;
    cloth.shape = b.box({0.015, 0.15, 0.25});
    cloth.position = at(0.0, 1.12, 0.28);
    cloth.density = 100.0f;
    b.scene().bodies.back().colliders.push_back(pole);
    b.scene().bodies.back().colliders.push_back(cloth);
}

}  // namespace

CastleScene castle_scene(const std::string& name) {
    SceneBuilder b(name, "A castle without mortar: towers of wedges, an arch over the gate, three flags", 0.6);
    CastleScene out;
    constexpr double kSpring = 1.6, kInner = 1.0, kOuter = 1.6, kTowerAt = 5.0;
    b.ground();
    out.stones.first = uint32_t(b.scene().bodies.size());
    add_gate(b, kSpring, kInner, kOuter, 0.55);
    for (const double side : {-1.0, 1.0}) {
        add_tower(b, 0.0, side * kTowerAt);
        // Between pier and tower, a finger's breadth from either.
        const double from = side * 1.75, to = side * 3.7;
        add_wall(b, std::min(from, to), std::max(from, to), 5);
    }
    out.stones.count = uint32_t(b.scene().bodies.size()) - out.stones.first;
    out.flags.first = uint32_t(b.scene().bodies.size());
    // The keystone's upper side is a chord of the ring.
    const double keystone = kSpring + kOuter * std::cos(std::numbers::pi / 22.0);
    add_flag(b, {0.0, keystone, 0.0});
    for (const double side : {-1.0, 1.0}) add_flag(b, {0.0, 3.75, side * kTowerAt});
    out.flags.count = 3;
    b.run_for(900, 300);
    b.must_stand(0.05);
    out.scene = b.take();
    return out;
}

SceneDesc castle(const std::string& name, double) { return castle_scene(name).scene; }

}  // namespace proxima::samples
