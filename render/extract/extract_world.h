// SPDX-License-Identifier: MIT
// From the last two steps of a world to instances of meshes, in batches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/math.h"
#include "physics/debug/debug_frame.h"
#include "render/draw_list.h"
#include "render/extract/drawn_world.h"
#include "render/shape_meshes.h"

namespace proxima::render {

enum class ColourMode : uint8_t {
    body,      // each its own, always the same
    island,    // those that are solved together; needs islands in WorldLook::debug
    solver,    // the solver of its island; the same
    colour,    // of the sweeps: the first one that moves it; needs contacts
    residual,  // heat: worst contact of the body; needs residuals
    speed,     // heat; needs bodies
};

struct BodyColour {
    Entity body = physics::kNoEntity;
    Colour colour = 0;  // alpha below 255: seen through, without shadow
};

/// How a world is drawn.
struct WorldLook {
    ColourMode mode = ColourMode::body;
    const physics::DebugFrame* debug = nullptr;  // for the modes that need it; without it as by body
    std::span<const Entity> selected;
    std::span<const BodyColour> colours;  // of single bodies, whatever the mode
    bool dim_sleeping = true;
    bool checker = true;                     // on round bodies that move
    bool half_spaces = true;                 // drawn as large squares
    float coldest = 1e-5f, hottest = 1e-1f;  // m/s, of residuals; the scale is logarithmic
    float fastest = 10.0f;                   // m/s, of speeds
    Colour fixed = rgba(176, 178, 182), kinematic = rgba(236, 178, 70), quarantined = rgba(255, 0, 200);
    /// Alpha above 0: the whole world transparent and in this colour, without shadows and ids.
    Colour ghost = 0;
};

/// Instance::id of a body, and back; 0 is nobody.
constexpr uint32_t pick_id(Entity body) { return uint32_t(body) + 1; }
constexpr Entity picked_entity(uint32_t id) { return id ? Entity(id - 1) : physics::kNoEntity; }

/// Heat of a residual, 0 to 1, or negative where there is none.
float residual_heat(float residual, float coldest, float hottest);

/// Memory that is kept from picture to picture.
struct ExtractMemory {
    struct Piece {
        MeshId mesh = 0;
        uint32_t collider = 0;
        Transform local;  // in the body's frame
        Vec3 scale;
        bool round = false, glass = false;
    };
    struct Paint {
        Colour colour = 0;
        float heat = -1.0f;
        uint32_t flags = 0;
    };
    std::vector<Transform> poses;              // by body
    std::vector<Paint> paints;                 // by body
    std::vector<float> values;                 // by body, while a mode is computed
    std::vector<Piece> pieces;                 // what is drawn
    std::vector<uint32_t> first, first_glass;  // by mesh: its next index among opaque and transparent ones
};

/// Appends the world, interpolated, to the instances and batches of the list; the list's camera must be set,
/// because it decides on detail. Each convex part of each collider becomes one instance.
void extract_world(const PoseHistory& history, float alpha, const physics::ShapeLibrary& shapes, MeshCache& meshes,
                   const WorldLook& look, ExtractMemory& memory, DrawList& out);

}  // namespace proxima::render
