// SPDX-License-Identifier: MIT
#include "samples/editor/app/default_scene.h"

#include <cmath>
#include <string>
#include <vector>

#include "samples/scenes/builder.h"

namespace proxima::editor {

using samples::Quatd;
using samples::SceneBuilder;
using samples::Vec3d;

namespace {

/// A half circle of wedges that hold each other; the two lowest stand on the ground.
void add_arch(SceneBuilder& b, const Vec3d& foot, int stones) {
    const double inner = 1.9, outer = 2.6, depth = 0.45, turn = 3.14159265358979323846;
    for (int i = 0; i < stones; ++i) {
        const double from = turn * double(i) / double(stones), to = turn * double(i + 1) / double(stones);
        std::vector<Vec3d> corners;
        Vec3d centre{0.0, 0.0, 0.0};
        for (const double angle : {from, to})
            for (const double radius : {inner, outer})
                for (const double z : {-depth, depth})
                    corners.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
        for (const Vec3d& corner : corners) {
            centre.x += corner.x / 8.0;
            centre.y += corner.y / 8.0;
        }
        for (Vec3d& corner : corners) {
            corner.x -= centre.x;
            corner.y -= centre.y;
        }
        b.dynamic(b.hull(corners), {foot.x + centre.x, foot.y + centre.y, foot.z}, Quatd{}, 2400.0).name =
            "stone " + std::to_string(i + 1);
    }
}

void add_wall(SceneBuilder& b, const Vec3d& foot, int row) {
    const uint32_t cube = b.box({0.3, 0.3, 0.3});
    int number = 0;
    for (int level = 0; level < row; ++level)
        for (int i = 0; i < row - level; ++i)
            b.dynamic(cube,
                      {foot.x + 0.61 * (double(i) - 0.5 * double(row - level - 1)), foot.y + 0.3 + 0.6 * double(level),
                       foot.z},
                      Quatd{}, 700.0)
                .name = "crate " + std::to_string(++number);
}

/// Layers of three planks, each across the one below.
void add_tower(SceneBuilder& b, const Vec3d& foot, int layers) {
    const uint32_t along = b.box({0.6, 0.1, 0.18}), across = b.box({0.18, 0.1, 0.6});
    int number = 0;
    for (int level = 0; level < layers; ++level)
        for (int i = -1; i <= 1; ++i) {
            const double side = 0.41 * double(i);
            const bool turned = level % 2 == 1;
            b.dynamic(
                 turned ? across : along,
                 {foot.x + (turned ? side : 0.0), foot.y + 0.1 + 0.2 * double(level), foot.z + (turned ? 0.0 : side)},
                 Quatd{}, 600.0)
                .name = "plank " + std::to_string(++number);
        }
}

}  // namespace

physics::SceneDesc default_scene() {
    SceneBuilder b("playground", "an arch, a wall of crates, a tower of planks and balls", 0.6);
    b.ground();
    add_arch(b, {-2.6, 0.0, -0.6}, 15);
    add_wall(b, {2.4, 0.0, -0.9}, 6);
    add_tower(b, {0.35, 0.0, 1.7}, 8);
    const uint32_t ball = b.sphere(0.35), small = b.sphere(0.22), pill = b.capsule(0.2, 0.35);
    b.dynamic(ball, {-2.6, 4.2, -0.6}, Quatd{}, 1500.0).name = "ball on the arch";
    b.dynamic(ball, {2.4, 0.35, 1.6}, Quatd{}, 3000.0).name = "heavy ball";
    b.dynamic(small, {-0.9, 0.22, 2.6}, Quatd{}, 600.0).name = "ball";
    b.dynamic(small, {-1.6, 0.22, 2.0}, Quatd{}, 600.0).name = "ball 2";
    b.dynamic(pill, {-3.4, 0.2, 2.0}, Quatd{0.0, 0.0, 0.70710678118654752, 0.70710678118654752}, 800.0).name =
        "capsule";
    return b.take();
}

}  // namespace proxima::editor
