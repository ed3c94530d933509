// SPDX-License-Identifier: MIT
// Where dominoes go along a path: pure geometry, for a scene and for a player who draws.
#pragma once

#include <cstdint>
#include <vector>

#include "samples/scenes/convex.h"

namespace proxima::samples {

inline constexpr double kDominoHalfThickness = 0.06, kDominoHalfHeight = 0.45, kDominoHalfWidth = 0.22;
inline constexpr double kDominoPitch = 0.36;  // from one to the next: 40 % of the height carries a fall well

/// A standing domino: the middle of its foot, and the direction in which it is to fall, as an angle from x towards z.
struct DominoPose {
    Vec3d foot;
    double heading = 0.0;
};

/// A fixed block under a domino of a stair, its lower side on the ground.
struct DominoStep {
    Vec3d middle;
    double heading = 0.0;
    int level = 1;  // of its upper side
};
inline constexpr double kDominoRise = 0.07;  // m from one level to the next
inline constexpr int kDominoLevels = 12;     // the highest
Vec3d step_half_extents(int level);

enum class DominoTool : uint8_t { curve, split, spiral, stairs };

/// What a player draws: a tool and points on the ground.
struct DominoPiece {
    DominoTool tool = DominoTool::curve;
    /// curve: the path goes through all, smoothly. split: a stroke from the domino that falls on both arms;
    /// the second arm is its mirror image. spiral: centre, and where it begins; a third point tells on which
    /// side of that line it goes on. stairs: both ends of a straight flight, up and down again.
    std::vector<Vec3d> points;
};

struct DominoLayout {
    std::vector<DominoPose> dominoes;
    std::vector<DominoStep> steps;
};

/// Adds a piece to a layout. Dominoes that would stand in one that is there already are left out, so a piece
/// may begin where another ends. Says how many were added. `most` limits them.
uint32_t lay_piece(const DominoPiece& piece, DominoLayout& layout, uint32_t most = 10000);

/// A smooth path through points: a Catmull-Rom curve in short chords; two points give a line.
std::vector<Vec3d> smooth_path(const std::vector<Vec3d>& points);
/// Poses along a path, by arc length: the spacing is stretched so that one stands at either end.
std::vector<DominoPose> place_along(const std::vector<Vec3d>& path, double pitch);
/// A turn about the vertical that brings x to a heading; none at all for 0, without negative zeros.
Quatd heading_rotation(double heading);
/// Whether two dominoes stand closer than a falling one needs.
bool feet_overlap(const DominoPose& a, const DominoPose& b);

}  // namespace proxima::samples
