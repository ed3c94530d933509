// SPDX-License-Identifier: MIT
// The benchmark scenes, number for number as the other engines ran them: same generator, same order of draws.
#include <numbers>

#include "samples/scenes/builder.h"
#include "samples/scenes/families.h"

namespace proxima::samples {

using physics::SceneDesc;

namespace {

SceneBuilder benchmark(const std::string& name, const char* description, double friction = 0.6) {
    SceneBuilder b(name, description, friction);
    b.scene().settings.sleeping = false;
    b.ground();
    return b;
}

}  // namespace

SceneDesc pyramid(const std::string& name, double number) {
    SceneBuilder b = benchmark(name, "A planar wall of cubes, one fewer in each row");
    const int n = int(number);
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    for (int row = 0; row < n; ++row)
        for (int j = 0; j < n - row; ++j) b.dynamic(cube, {(j - (n - row - 1) / 2.0) * 1.05, 0.5 + row * 1.0, 0.0});
    b.run_for(900, 300);
    b.must_stand(0.5);
    return b.take();
}

SceneDesc pile(const std::string& name, double) {
    SceneBuilder b = benchmark(name, "4096 cubes, spheres and capsules fall into a pit");
    b.pit(14.0, 10.0);
    const uint32_t cube = b.box({0.25, 0.25, 0.25});
    b.sphere(0.3);
    b.capsule(0.2, 0.25);
    Random random(12345);
    uint32_t n = 0;
    for (int y = 0; y < 16; ++y)
        for (int x = 0; x < 16; ++x)
            for (int z = 0; z < 16; ++z, ++n) {
                const double jitter_x = random.symmetric() * 0.02;
                const double jitter_z = random.symmetric() * 0.02;
                const Vec3d position{(x - 7.5) * 0.85 + jitter_x, 1.0 + y * 0.95, (z - 7.5) * 0.85 + jitter_z};
                b.dynamic(cube + n % 3, position, random.rotation());
            }
    b.run_for(1200, 600);
    return b.take();
}

SceneDesc grid(const std::string& name, double) {
    SceneBuilder b = benchmark(name, "400 columns of 25 cubes close their gaps and should then stand as towers");
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    for (int y = 0; y < 25; ++y)
        for (int x = 0; x < 20; ++x)
            for (int z = 0; z < 20; ++z) b.dynamic(cube, {(x - 9.5) * 1.2, 1.0 + y * 1.1, (z - 9.5) * 1.2});
    b.run_for(1200, 600);
    return b.take();
}

SceneDesc hulls(const std::string& name, double) {
    SceneBuilder b = benchmark(name, "2000 convex hulls of 16 points fall into a pit");
    b.pit(14.0, 14.0);
    const auto first = uint32_t(b.scene().shapes.size());
    Random random(777);
    for (int k = 0; k < 8; ++k) {
        std::vector<Vec3d> points;  // on a sphere, none nearer than 0.2 to another
        while (points.size() < 16) {
            const Vec3d p = random.direction() * 0.5;
            bool separated = true;
            for (const Vec3d& q : points) separated = separated && length(p - q) >= 0.2;
            if (separated) points.push_back(p);
        }
        const Vec3d center = make_convex(points).centroid;
        for (Vec3d& p : points) p = p - center;
        b.hull(points);
    }
    uint32_t n = 0;
    for (int y = 0; y < 20; ++y)
        for (int x = 0; x < 10; ++x)
            for (int z = 0; z < 10; ++z, ++n)
                b.dynamic(first + n % 8, {(x - 4.5) * 1.25, 1.0 + y * 1.25, (z - 4.5) * 1.25}, random.rotation());
    b.run_for(1200, 600);
    return b.take();
}

void build_arch_ring(SceneBuilder& b, int wedges, double inner, double outer, double half_depth, double spring) {
    for (int i = 0; i < wedges; ++i) {
        std::vector<Vec3d> corners;
        for (const double angle : {std::numbers::pi * i / wedges, std::numbers::pi * (i + 1) / wedges})
            for (const double radius : {inner, outer})
                for (const double z : {-half_depth, half_depth})
                    corners.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
        const Vec3d center = make_convex(corners).centroid;
        for (Vec3d& p : corners) p = p - center;
        b.dynamic(b.hull(corners), center + Vec3d{0.0, spring, 0.0});
    }
}

SceneDesc benchmark_arch(const std::string& name, double number) {
    SceneBuilder b = benchmark(name, "A semicircular arch of wedges, faces touching, on the ground");
    build_arch_ring(b, int(number), 8.0, 10.0, 1.0, 0.0);
    b.run_for(720, 120);
    b.must_stand(1.0);
    return b.take();
}

void build_cards(SceneBuilder& b, int levels) {
    const double height = 2.0, thickness = 0.04, width = 1.4, angle = 25.0 * std::numbers::pi / 180.0;
    const double half_span = height / 2.0 * std::sin(angle) + thickness / 2.0 * std::cos(angle);
    const double half_rise = height / 2.0 * std::cos(angle) + thickness / 2.0 * std::sin(angle);
    const double pitch = 4.0 * half_span + 0.4;  // the feet of neighbouring A-frames are 0.4 m apart
    const uint32_t leaning = b.box({thickness / 2.0, height / 2.0, width / 2.0});
    const uint32_t flat = b.box({pitch / 2.0 - 0.01, thickness / 2.0, width / 2.0});
    double y = 0.0;
    for (int level = 0; level < levels; ++level) {
        const int frames = levels - level;
        const double first_x = -(frames - 1) * pitch / 2.0;
        for (int i = 0; i < frames; ++i) {
            const double x = first_x + i * pitch;
            b.dynamic(leaning, {x - half_span, y + half_rise, 0.0}, axis_angle({0.0, 0.0, 1.0}, -angle));
            b.dynamic(leaning, {x + half_span, y + half_rise, 0.0}, axis_angle({0.0, 0.0, 1.0}, angle));
            if (i + 1 < frames) b.dynamic(flat, {x + pitch / 2.0, y + 2.0 * half_rise + thickness / 2.0, 0.0});
        }
        y += 2.0 * half_rise + thickness;
    }
}

SceneDesc cards(const std::string& name, double number) {
    SceneBuilder b = benchmark(name, "A house of cards leaning at 25 degrees, mu 0.7", 0.7);
    build_cards(b, int(number));
    b.run_for(720, 120);
    b.must_stand(0.5);
    return b.take();
}

SceneDesc mass_ratio(const std::string& name, double number) {
    SceneBuilder b = benchmark(name, "Five cubes of 10 kg under one that is R times as heavy");
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    for (int i = 0; i < 6; ++i) b.dynamic(cube, {0.0, 0.5 + i, 0.0}, {}, i == 5 ? 10.0 * number : 10.0);
    b.run_for(720, 120);
    b.must_stand(0.5);
    return b.take();
}

SceneDesc tower(const std::string& name, double number) {
    SceneBuilder b = benchmark(name, "Cubes on top of each other, each off by up to 2 cm");
    const uint32_t cube = b.box({0.5, 0.5, 0.5});
    Random random(99);
    for (int i = 0; i < int(number); ++i) {
        const double x = random.symmetric() * 0.02;
        const double z = random.symmetric() * 0.02;
        b.dynamic(cube, {x, 0.5 + i, z});
    }
    b.run_for(1200, 600);
    b.must_stand(0.5);
    return b.take();
}

}  // namespace proxima::samples
