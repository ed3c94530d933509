// SPDX-License-Identifier: MIT
// Round shapes, hulls, unequal masses and restitution, none of them starting at rest.
#include <numbers>

#include "samples/scenes/disturbed.h"

namespace proxima::samples {

using physics::SceneBody;
using physics::SceneCollider;

namespace {

/// A prism along z over a convex outline, its centre of mass at the origin; `center` gets where that was.
uint32_t prism(SceneBuilder& b, const std::vector<Vec3d>& outline, double half_depth, Vec3d& center) {
    std::vector<Vec3d> points;
    for (const Vec3d& p : outline)
        for (const double z : {-half_depth, half_depth}) points.push_back({p.x, p.y, z});
    center = make_convex(points).centroid;
    for (Vec3d& p : points) p = p - center;
    return b.hull(points);
}

/// Box, sphere, capsule, wedge and hexagonal prism of about the same size.
std::vector<uint32_t> all_shapes(SceneBuilder& b, double size) {
    const double s = size;
    Vec3d center;
    std::vector<uint32_t> out{b.box({s, 0.7 * s, 0.8 * s}), b.sphere(0.9 * s), b.capsule(0.6 * s, 0.7 * s)};
    out.push_back(prism(b, {{-s, -0.6 * s, 0}, {s, -0.6 * s, 0}, {-s, 0.8 * s, 0}}, 0.7 * s, center));
    std::vector<Vec3d> hexagon;
    for (int i = 0; i < 6; ++i)
        hexagon.push_back({s * std::cos(i * std::numbers::pi / 3), s * std::sin(i * std::numbers::pi / 3), 0});
    out.push_back(prism(b, hexagon, 0.6 * s, center));
    return out;
}

}  // namespace

SceneWithGoal cannonballs(const std::string& name, double number) {
    DisturbedBuilder b(name, "A pyramid of balls, let down layer by layer into a frame that must hold it");
    const int n = int(number);
    const double r = 0.25, half = n * r;
    const uint32_t along_z = b.box({0.1, 0.15, half + 0.2}), along_x = b.box({half + 0.2, 0.15, 0.1});
    for (const double side : {-1.0, 1.0}) {
        b.fixed(along_z, {side * (half + 0.1), 0.15, 0.0}).name = "frame";
        b.fixed(along_x, {0.0, 0.15, side * (half + 0.1)}).name = "frame";
    }
    const uint32_t ball = b.sphere(r);
    for (int layer = 0; layer < n; ++layer)
        for (int i = 0; i < n - layer; ++i)
            for (int k = 0; k < n - layer; ++k) {
                const double middle = (n - layer - 1) / 2.0;
                const Vec3d place{(i - middle) * 2 * r, r + layer * std::sqrt(2.0) * r, (k - middle) * 2 * r};
                b.dynamic(ball, place + Vec3d{0.0, 0.01 * (layer + 1), 0.0});
                b.ends_at(place);
            }
    b.settles(0.005);
    b.goal.penetration = 0.005;
    b.run_for(720, 360);
    b.must_stand(0.01 * n + 0.1);
    return b.finish();
}

SceneWithGoal logs(const std::string& name, double number) {
    DisturbedBuilder b(name, "Logs are stacked between posts, each row falling 1 cm on the one below");
    const int n = int(number);
    const double r = 0.2;
    const uint32_t post = b.box({0.1, 0.6, 0.1}), log = b.capsule(r, 1.2);
    for (const double side : {-1.0, 1.0})
        for (const double z : {-0.8, 0.8}) b.fixed(post, {side * (n * r + 0.1), 0.6, z}).name = "post";
    const Quatd lying = axis_angle({1.0, 0.0, 0.0}, std::numbers::pi / 2.0);
    for (int row = 0; row < n; ++row)
        for (int i = 0; i < n - row; ++i) {
            const Vec3d place{(i - (n - row - 1) / 2.0) * 2 * r, r + row * std::sqrt(3.0) * r, 0.0};
            b.dynamic(log, place + Vec3d{0.0, 0.01 * (row + 1), 0.0}, lying, 600.0);
            b.ends_at(place);
        }
    b.settles(0.005);
    b.goal.penetration = 0.005;
    b.run_for(720, 360);
    b.must_stand(0.01 * n + 0.1);
    return b.finish();
}

SceneWithGoal pocket(const std::string& name, double) {
    DisturbedBuilder b(name, "A tray on four balls in a well, and on the tray a ball between four rails");
    const double r = 0.3;
    const uint32_t across_x = b.box({0.1, 0.25, 2 * r + 0.2}), across_z = b.box({2 * r + 0.2, 0.25, 0.1});
    for (const double side : {-1.0, 1.0}) {
        b.fixed(across_x, {side * (2 * r + 0.1), 0.25, 0.0}).name = "well";
        b.fixed(across_z, {0.0, 0.25, side * (2 * r + 0.1)}).name = "well";
    }
    const uint32_t ball = b.sphere(r);
    for (const double x : {-r, r})
        for (const double z : {-r, r}) {
            b.dynamic(ball, {x, r + 0.02, z});
            b.ends_at({x, r, z});
        }
    // The tray: a cube of half 0.4 with rails that leave a pocket as wide as the ball and reach above its
    // middle, so that it has nowhere to roll.
    const uint32_t cube = b.box({0.4, 0.4, 0.4}), rail_x = b.box({0.05, 0.2, 0.35}), rail_z = b.box({0.35, 0.2, 0.05});
    SceneBody& tray = b.dynamic(cube, {0.01, 2 * r + 0.4 + 0.04, -0.01});
    tray.name = "tray";
    for (const double side : {-1.0, 1.0})
        for (const bool x : {true, false}) {
            SceneCollider rail = tray.colliders[0];
            rail.shape = x ? rail_x : rail_z;
            rail.position = x ? Vec3(float(side * (r + 0.05)), 0.6f, 0.0f) : Vec3(0.0f, 0.6f, float(side * (r + 0.05)));
            tray.colliders.push_back(rail);
        }
    b.ends_at({0.01, 2 * r + 0.4, -0.01});
    b.dynamic(ball, {0.01, 2 * r + 0.8 + r + 0.06, -0.01}, {}, 3000.0).name = "cargo";
    b.ends_at({0.01, 2 * r + 0.8 + r, -0.01});
    b.settles(0.005);
    b.goal.penetration = 0.005;
    b.run_for(720, 360);
    b.must_stand(0.2);
    return b.finish();
}

SceneWithGoal bounce(const std::string& name, double) {
    DisturbedBuilder b(name, "A ball bounces on a tower at rest, restitution 0.7, and ends on top of it");
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    for (int i = 0; i < 5; ++i) {
        b.dynamic(cube, {0.0, 0.5 + i, 0.0});
        b.ends_at({0.0, 0.5 + i, 0.0});
    }
    SceneBody& ball = b.dynamic(b.sphere(0.2), {0.1, 6.2, -0.05});
    ball.name = "ball";
    ball.colliders[0].material.restitution = 0.7f;
    // Nothing but the tolerance of standing holds the ball: on a flat top it may roll.
    b.settles(0.005);
    b.run_for(720, 420);
    b.must_stand(1.1);
    return b.finish();
}

SceneWithGoal hull_stack(const std::string& name, double) {
    DisturbedBuilder b(name, "Prisms and wedges are let down on each other through gaps of 6 mm");
    const double slope = 0.3;  // of the wedges' common face: inside the cone of friction 0.6
    double base = 0.0, lift = 0.0;
    const auto place = [&](const std::vector<Vec3d>& outline, double half_depth, double height) {
        Vec3d center;
        const uint32_t shape = prism(b, outline, half_depth, center);
        const Vec3d at{center.x, base + center.y, 0.0};
        lift += 0.006;
        b.dynamic(shape, at + Vec3d{0.0, lift, 0.0});
        b.ends_at(at);
        base += height;
    };
    std::vector<Vec3d> octagon;  // on one of its flat sides, its lowest point at y = 0
    const double apothem = 0.6, corner = apothem / std::cos(std::numbers::pi / 8);
    for (int i = 0; i < 8; ++i) {
        const double angle = (i + 0.5) * std::numbers::pi / 4;
        octagon.push_back({corner * std::cos(angle), apothem + corner * std::sin(angle), 0.0});
    }
    const double rise = slope * 1.0;  // over a width of 1 m
    place({{-0.8, 0, 0}, {0.8, 0, 0}, {0.6, 0.5, 0}, {-0.6, 0.5, 0}}, 0.5, 0.5);
    place({{-0.5, 0, 0}, {0.5, 0, 0}, {0.5, 0.1 + rise, 0}, {-0.5, 0.1, 0}}, 0.4, 0.1);
    place({{-0.5, 0, 0}, {0.5, rise, 0}, {0.5, rise + 0.1, 0}, {-0.5, rise + 0.1, 0}}, 0.4, rise + 0.1);
    place(octagon, 0.45, 2 * apothem);
    place({{-0.25, 0, 0}, {0.25, 0, 0}, {0.0, 0.45, 0}}, 0.4, 0.45);
    b.settles(0.005);
    b.goal.penetration = 0.005;
    b.run_for(720, 360);
    b.must_stand(0.2);
    return b.finish();
}

/// Bodies of all shapes in layers of side x side, `spacing` apart, each turned somehow and put off its place by at
/// most `shift`; density(layer) is theirs. They fall into a pit of that width and height and must come to rest.
template <class Density>
SceneWithGoal fall_into_pit(DisturbedBuilder& b, int count, int side, double spacing, double shift, double width,
                            double height, const Density& density) {
    b.pit(width, height);
    const std::vector<uint32_t> shapes = all_shapes(b, 0.3);
    Random random{uint64_t(count)};
    for (int i = 0; i < count; ++i) {
        const int layer = i / (side * side), at = i % (side * side);
        const double x = random.symmetric() * shift, z = random.symmetric() * shift;
        const Quatd turned = random.rotation();
        b.dynamic(shapes[size_t(i) % shapes.size()],
                  {(at % side - side / 2) * spacing + x, 0.5 + 0.95 * layer, (at / side - side / 2) * spacing + z},
                  turned, density(layer));
    }
    b.comes_to_rest(0.05, 0.2, 0.02);  // nothing stops a slow ball from rolling on
    b.run_for(900, 720);
    return b.finish();
}

SceneWithGoal mixed_masses(const std::string& name, double) {
    DisturbedBuilder b(name, "60 bodies of all shapes fall into a pit, the heaviest of 400 to 1 on top");
    return fall_into_pit(b, 60, 3, 0.9, 0.02, 2.8, 7.0, [](int layer) { return 50.0 * std::pow(400.0, layer / 6.0); });
}

SceneWithGoal mixed_pit(const std::string& name, double) {
    DisturbedBuilder b(name, "150 bodies of all shapes fall into a pit and must come to rest");
    return fall_into_pit(b, 150, 5, 0.95, 0.03, 5.0, 8.0, [](int) { return 1000.0; });
}

}  // namespace proxima::samples
