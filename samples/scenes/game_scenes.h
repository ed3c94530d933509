// SPDX-License-Identifier: MIT
// The scenes of the small games, with the numbers that the games need to find their way in them: which body
// is which, and where things are. As scenes they run by themselves (families.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "physics/scene/scene.h"
#include "samples/scenes/builder.h"
#include "samples/scenes/domino_layout.h"

namespace proxima::samples {

/// Consecutive bodies of a scene.
struct BodyRange {
    uint32_t first = 0, count = 0;
};

// ---- bowling (bowling_scene.cpp): a lane along -z, the ball in front, ten pins at the end

inline constexpr double kBallRadius = 0.108, kPinHeight = 0.381, kPinDistance = 0.3048;
inline constexpr double kLaneTop = 0.3, kLaneHalfWidth = 0.53, kHeadPin = -18.29;  // y, x, z

struct BowlingScene {
    physics::SceneDesc scene;
    uint32_t ball = 0;
    BodyRange pins;
    std::vector<Vec3d> spots;  // of the pins' feet
};
BowlingScene bowling_scene(const std::string& name);

// ---- jenga (jenga_scene.cpp): 18 layers of three blocks

inline constexpr double kBlockLength = 0.75, kBlockHeight = 0.15, kBlockWidth = 0.25;
inline constexpr int kTowerLayers = 18;

struct JengaScene {
    physics::SceneDesc scene;
    BodyRange blocks;                 // layer by layer
    std::vector<Vec3d> half_extents;  // by block; the length is along x of the block's own frame
    std::vector<uint32_t> loose;      // blocks that are lower than their neighbours, from the top down
};
JengaScene jenga_scene(const std::string& name);

// ---- domino_run (domino_scene.cpp)

struct DominoLevel {
    std::vector<DominoPiece> pieces;
    uint32_t gap = 0;  // the piece that the player has to lay in the game
};
/// The prepared course: slalom, stairs, a turn, a split, a spiral and a finale.
DominoLevel domino_level();

struct DominoScene {
    physics::SceneDesc scene;
    BodyRange dominoes;
    DominoLayout layout;
};
/// The pieces of a level, laid in order; `skip` is left out when it is one of them.
DominoScene domino_scene(const std::string& name, const DominoLevel& level, uint32_t skip);

// ---- marble_run (marble_scene.cpp): track from boxes and hulls down to a bowl

inline constexpr double kMarbleRadius = 0.14;

struct MarbleScene {
    physics::SceneDesc scene;
    BodyRange pieces;  // of track, fixed
    BodyRange marbles;
    uint32_t gate = 0;              // holds the marbles back; 0: there is none
    std::vector<uint32_t> movable;  // pieces that the game lets the player move
    Vec3d bowl;                     // middle of its floor
    double bowl_radius = 0.0, bowl_height = 0.0;
};
MarbleScene marble_scene(const std::string& name, bool with_gate);

// ---- castle (castle_scene.cpp): two round towers, a gate with an arch, walls; flags on top

struct CastleScene {
    physics::SceneDesc scene;
    BodyRange stones;  // all that can be destroyed
    BodyRange flags;
};
CastleScene castle_scene(const std::string& name);

}  // namespace proxima::samples
