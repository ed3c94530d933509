// SPDX-License-Identifier: MIT
// A marble run: a loop of gentle ramps and turns, a funnel, a tray below it, a bowl. Every piece is one fixed
// body of boxes or hulls. Neighbouring surfaces share their edges, or the next one lies a few millimetres
// lower, so that a marble never meets an edge that looks up.
#include <algorithm>
#include <numbers>

#include "samples/scenes/families.h"
#include "samples/scenes/game_scenes.h"

namespace proxima::samples {

using physics::SceneBody;
using physics::SceneCollider;
using physics::SceneDesc;

namespace {

constexpr double kFloor = 0.05, kWall = 0.05;  // thicknesses
// A marble that rolls on the floor rubs on the wall of a turn: rough walls would soon stop it.
constexpr double kGrip = 0.5, kPolished = 0.05;

/// Cross-section of a channel.
struct Channel {
    double width = 0.36, wall_height = 0.25;
    double back_wall = 0.0;  // height of a wall across its upper end; 0: none
};

Vec3d on_circle(double radius, double angle, double height) {
    return {radius * std::cos(angle), height, radius * std::sin(angle)};
}

class Track {
  public:
    explicit Track(SceneBuilder& builder) : b_(builder) {}

    /// A straight channel; `from` and `to` are the ends of the middle line of its floor.
    uint32_t ramp(const char* name, const Vec3d& from, const Vec3d& to, const Channel& channel = {}) {
        const Vec3d d = to - from;
        const double flat = std::hypot(d.x, d.z), half = length(d) / 2.0;
        const Quatd rotation = multiply(axis_angle({0.0, 1.0, 0.0}, -std::atan2(d.z, d.x)),
                                        axis_angle({0.0, 0.0, 1.0}, std::atan2(d.y, flat)));
        const double w = channel.width / 2.0, h = channel.wall_height / 2.0, t = kWall / 2.0;
        begin(name, (from + to) * 0.5, rotation);
        add_box({half, kFloor / 2.0, w + kWall}, {0.0, -kFloor / 2.0, 0.0});
        for (const double side : {-1.0, 1.0}) add_box({half, h, t}, {0.0, h, side * (w + t)}, kPolished);
        if (channel.back_wall > 0.0)
            add_box({t, channel.back_wall / 2.0, w + kWall}, {-half - t, channel.back_wall / 2.0, 0.0});
        return end();
    }

    /// A part of a circle in the plane, from one angle to another, that goes down evenly.
    uint32_t turn(const char* name, const Vec3d& centre, double radius, double from, double to, double drop) {
        constexpr int kSegments = 24;
        const Channel channel;
        const double inner = radius - channel.width / 2.0, outer = radius + channel.width / 2.0;
        begin(name, centre, {});
        for (int i = 0; i < kSegments; ++i) {
            const double a = from + (to - from) * i / kSegments, c = from + (to - from) * (i + 1) / kSegments;
            const double ya = -drop * i / kSegments, yc = -drop * (i + 1) / kSegments;
            const auto slab = [&](double r0, double r1, double below, double above, double friction) {
                std::vector<Vec3d> points;
                for (const double r : {r0, r1})
                    for (const double h : {below, above}) {
                        points.push_back(on_circle(r, a, ya + h));
                        points.push_back(on_circle(r, c, yc + h));
                    }
                add_hull(points, friction);
            };
            slab(inner, outer, -kFloor, 0.0, kGrip);
            slab(inner - kWall, inner, -kFloor, channel.wall_height, kPolished);
            slab(outer, outer + kWall, -kFloor, channel.wall_height, kPolished);
        }
        return end();
    }

    /// A cone with a hole; `centre` is the middle of the hole.
    uint32_t funnel(const char* name, const Vec3d& centre, double radius, double hole, double rise, double rim) {
        begin(name, centre, {});
        around(20, [&](double a, double c) {
            std::vector<Vec3d> slab;
            for (const double angle : {a, c})
                for (const double below : {0.0, kFloor}) {
                    slab.push_back(on_circle(hole, angle, -below));
                    slab.push_back(on_circle(radius, angle, rise - below));
                }
            add_hull(slab);
            wall(radius, a, c, rise - kFloor, rise + rim);
        });
        return end();
    }

    uint32_t bowl(const char* name, const Vec3d& centre, double radius, double height) {
        begin(name, centre, {});
        std::vector<Vec3d> floor;
        around(12, [&](double a, double c) {
            floor.push_back(on_circle(radius + kWall, a, 0.0));
            floor.push_back(on_circle(radius + kWall, a, -kFloor));
            wall(radius, a, c, 0.0, height);
        });
        add_hull(floor);
        return end();
    }

  private:
    template <class Function>
    static void around(int count, Function&& function) {
        for (int i = 0; i < count; ++i)
            function(2.0 * std::numbers::pi * i / count, 2.0 * std::numbers::pi * (i + 1) / count);
    }
    void wall(double radius, double a, double c, double from, double to) {
        std::vector<Vec3d> points;
        for (const double angle : {a, c})
            for (const double r : {radius, radius + kWall})
                for (const double h : {from, to}) points.push_back(on_circle(r, angle, h));
        add_hull(points, kPolished);
    }
    void begin(const char* name, const Vec3d& position, const Quatd& rotation) {
        piece_ = {};
        piece_.name = name;
        piece_.type = physics::BodyType::fixed;
        piece_.position = to_float(position);
        piece_.rotation = to_float(rotation);
    }
    void add_box(const Vec3d& half, const Vec3d& at, double friction = kGrip) { add(b_.box(half), at, friction); }
    void add_hull(const std::vector<Vec3d>& points, double friction = kGrip) { add(b_.hull(points), {}, friction); }
    void add(uint32_t shape, const Vec3d& at, double friction) {
        SceneCollider collider;
        collider.shape = shape;
        collider.position = to_float(at);
        collider.material.friction = float(friction);
        collider.material.friction_combine = physics::Combine::minimum;
        collider.material.restitution = 0.2f;
        piece_.colliders.push_back(collider);
    }
    uint32_t end() {
        b_.scene().bodies.push_back(piece_);
        return uint32_t(b_.scene().bodies.size() - 1);
    }

    SceneBuilder& b_;
    SceneBody piece_;
};

constexpr double kStep = 0.004;  // m by which the next surface lies lower
constexpr Vec3d kStart{-3.8, 6.2, 0.0}, kStartEnd{3.0, 5.55, 0.0};

/// The course from the start down to the bowl.
void add_track(SceneBuilder& b, MarbleScene& out) {
    constexpr double pi = std::numbers::pi;
    Track track(b);
    out.pieces.first = uint32_t(b.scene().bodies.size());
    Channel start;
    start.back_wall = 0.3;
    track.ramp("start", kStart, kStartEnd, start);
    track.turn("right turn", {3.0, kStartEnd.y - kStep, 1.2}, 1.2, -pi / 2.0, pi / 2.0, 0.3);
    out.movable.push_back(track.ramp("way back", {3.0, 5.24, 2.4}, {-3.0, 4.74, 2.4}));
    track.turn("left turn", {-3.0, 4.74 - kStep, 1.2}, 1.2, pi / 2.0, 3.0 * pi / 2.0, 0.3);
    track.ramp("way to the funnel", {-3.0, 4.43, 0.0}, {4.4, 3.95, 0.0});
    track.funnel("funnel", {5.2, 3.1, -1.1}, 1.5, 0.44, 0.5, 0.25);
    Channel tray;  // what falls through a hole is not yet tame
    tray.width = 0.9;
    tray.wall_height = 0.45;
    tray.back_wall = 0.45;
    Channel last;
    last.width = 0.8;
    last.wall_height = 0.3;
    last.back_wall = 0.55;
    out.movable.push_back(track.ramp("tray", {5.9, 2.75, -1.1}, {1.0, 2.3, -1.1}, tray));
    out.movable.push_back(track.ramp("last ramp", {0.0, 1.8, -1.1}, {4.6, 1.3, -1.1}, last));
    out.bowl = {5.6, 0.45, -1.1};
    out.bowl_radius = 0.9;
    out.bowl_height = 0.6;
    track.bowl("bowl", out.bowl, out.bowl_radius, out.bowl_height);
    out.pieces.count = uint32_t(b.scene().bodies.size()) - out.pieces.first;
}

}  // namespace

MarbleScene marble_scene(const std::string& name, bool with_gate) {
    SceneBuilder b(name, "Marbles roll through turns and a funnel into a bowl", 0.5);
    MarbleScene out;
    b.ground();
    add_track(b, out);

    // In a row on the start ramp, each a hair above it, the first one nearest to the gate.
    constexpr int kMarbles = 6;
    const double slope = std::atan2(kStart.y - kStartEnd.y, kStartEnd.x - kStart.x), spacing = 0.5;
    const Vec3d along{std::cos(slope), -std::sin(slope), 0.0}, up{std::sin(slope), std::cos(slope), 0.0};
    const auto on_ramp = [&](double s, double height) { return kStart + along * s + up * height; };
    const double first = 0.25 + (kMarbles - 1) * spacing;
    if (with_gate) {
        out.gate = uint32_t(b.scene().bodies.size());
        b.fixed(b.box({0.02, 0.15, 0.2}), on_ramp(first + kMarbleRadius + 0.03, 0.16),
                axis_angle({0.0, 0.0, 1.0}, -slope))
            .name = "gate";
    }
    out.marbles = {uint32_t(b.scene().bodies.size()), kMarbles};
    const uint32_t marble = b.sphere(kMarbleRadius);
    for (int i = 0; i < kMarbles; ++i) {
        SceneBody& body = b.dynamic(marble, on_ramp(first - i * spacing, kMarbleRadius + 1e-5), {}, 2500.0);
        body.name = "marble";
        body.angular_damping = 0.3f;  // friction against rolling is not modelled; without any it circles in the funnel

        body.allow_sleep = false;  // on a gentle slope it starts too slowly to count as moving
        body.colliders[0].material.restitution = 0.2f;
    }
    b.run_for(2160, 2100);
    out.scene = b.take();
    return out;
}

SceneDesc marble_run(const std::string& name, double) { return marble_scene(name, false).scene; }

}  // namespace proxima::samples
