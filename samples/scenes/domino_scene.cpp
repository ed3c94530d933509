// SPDX-License-Identifier: MIT
// A domino course with all that a course can have.
#include "samples/scenes/families.h"
#include "samples/scenes/game_scenes.h"

namespace proxima::samples {

using physics::SceneBody;
using physics::SceneDesc;

DominoLevel domino_level() {
    DominoLevel level;
    const auto add = [&](DominoTool tool, std::vector<Vec3d> points) {
        level.pieces.push_back({tool, std::move(points)});
    };
    add(DominoTool::curve, {{-8.0, 0.0, 0.0},
                            {-6.0, 0.0, 0.0},
                            {-4.5, 0.0, 1.1},
                            {-3.0, 0.0, 0.0},
                            {-1.5, 0.0, -1.1},
                            {0.0, 0.0, 0.0},
                            {1.2, 0.0, 0.0}});
    add(DominoTool::stairs, {{1.2, 0.0, 0.0}, {6.6, 0.0, 0.0}});
    level.gap = uint32_t(level.pieces.size());
    add(DominoTool::curve, {{6.6, 0.0, 0.0},
                            {7.8, 0.0, 0.0},
                            {9.3, 0.0, 0.9},
                            {9.8, 0.0, 2.25},
                            {9.3, 0.0, 3.6},
                            {7.8, 0.0, 4.5},
                            {6.6, 0.0, 4.5}});
    add(DominoTool::curve, {{6.6, 0.0, 4.5}, {5.6, 0.0, 4.5}});
    add(DominoTool::split, {{5.6, 0.0, 4.5}, {4.4, 0.0, 5.0}, {3.4, 0.0, 6.1}, {2.0, 0.0, 6.7}, {0.5, 0.0, 6.7}});
    add(DominoTool::spiral, {{0.5, 0.0, 9.2}, {0.5, 0.0, 6.7}, {0.0, 0.0, 6.7}});
    add(DominoTool::curve, {{0.5, 0.0, 2.3}, {-1.0, 0.0, 2.3}, {-3.0, 0.0, 3.6}, {-5.0, 0.0, 2.8}, {-7.0, 0.0, 3.6}});
    return level;
}

DominoScene domino_scene(const std::string& name, const DominoLevel& level, uint32_t skip) {
    SceneBuilder b(name, "Dominoes in a slalom, over stairs, through a split and into a spiral", 0.4);
    DominoScene out;
    for (uint32_t i = 0; i < level.pieces.size(); ++i)
        if (i != skip) lay_piece(level.pieces[i], out.layout);
    b.ground();
    for (const DominoStep& step : out.layout.steps)
        b.fixed(b.box(step_half_extents(step.level)), step.middle, heading_rotation(step.heading)).name = "step";
    out.dominoes = {uint32_t(b.scene().bodies.size()), uint32_t(out.layout.dominoes.size())};
    const uint32_t domino = b.box({kDominoHalfThickness, kDominoHalfHeight, kDominoHalfWidth});
    for (const DominoPlace& place : out.layout.dominoes)
        b.dynamic(domino, place.foot + Vec3d{0.0, kDominoHalfHeight, 0.0}, heading_rotation(place.heading), 700.0)
            .name = "domino";
    b.run_for(1500, 1380);
    out.scene = b.take();
    return out;
}

SceneDesc domino_run(const std::string& name, double) {
    DominoScene course = domino_scene(name, domino_level(), ~0u);
    // The first one is on its way down: it turns about its front edge at 3 rad/s, and its centre goes with it.
    SceneBody& first = course.scene.bodies[course.dominoes.first];
    const Vec3d spin{0.0, 0.0, -3.0}, arm{-kDominoHalfThickness, kDominoHalfHeight, 0.0};
    first.angular_velocity = to_float(spin);
    first.linear_velocity = to_float(cross(spin, arm));
    return course.scene;
}

}  // namespace proxima::samples
