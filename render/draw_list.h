// SPDX-License-Identifier: MIT
// Everything that one picture shows, as plain data: extraction knows the world, the renderer knows
// Vulkan, and neither knows the other. Built anew for every frame; vectors keep their memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/math.h"

namespace proxima::render {

/// Four bytes r, g, b, a as they lie in memory, in the colour space of a screen (sRGB).
using Colour = uint32_t;
constexpr Colour rgba(uint32_t r, uint32_t g, uint32_t b, uint32_t a = 255) { return r | g << 8 | b << 16 | a << 24; }

/// Index into the MeshLibrary (mesh.h).
using MeshId = uint32_t;

enum InstanceFlags : uint32_t {
    kSelected = 1,  // drawn with an outline
    kNoShadow = 2,  // casts none
    kFlat = 4,      // unlit
    kChecker = 8,   // a pattern on the surface that shows how a body turns
};

/// A mesh placed in the world. 80 bytes, as the vertex shader reads it.
struct Instance {
    Vec3 position{0.0f, 0.0f, 0.0f};
    Colour colour = rgba(200, 200, 200);
    Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};  // memory order x, y, z, w
    Vec3 scale{1.0f, 1.0f, 1.0f};
    uint32_t flags = 0;
    float roughness = 0.6f, metalness = 0.0f;
    float heat = -1.0f;  // 0 to 1: a colour of the heat scale instead of `colour`; negative: none
    uint32_t id = 0;     // what a click on it means: the owner's business, 0 is nothing
    uint32_t unused[4] = {};
};
static_assert(sizeof(Instance) == 80);

/// Neighbours in the list of instances that share a mesh.
struct Batch {
    MeshId mesh = 0;
    uint32_t first = 0, count = 0;
};

/// A mesh whose vertices are different in every frame: cloth, soft bodies.
struct DynamicMesh {
    std::vector<Vec3> positions, normals;  // world, of equal length
    std::vector<uint32_t> indices;
    Colour colour = rgba(200, 200, 200);
    float roughness = 0.6f;
    uint32_t id = 0;
    uint32_t flags = 0;  // InstanceFlags; the pattern of kChecker lies in the world
};

/// Lines have a width in pixels; a line with depth is hidden by bodies, one without never.
struct Line {
    Vec3 from, to;
    Colour colour = rgba(255, 255, 255);
    float width = 1.5f;
};

/// A text at a position of the world, or in pixels of the picture (z is ignored) from the left upper corner.
struct Text {
    std::string text;  // UTF-8; line breaks are \n
    Vec3 position{0.0f, 0.0f, 0.0f};
    bool in_pixels = false;
    bool centred = false;
    float size = 16.0f;  // pixels, before the scale of the screen
    Colour colour = rgba(255, 255, 255);
    Colour behind = 0;  // a box behind the text; alpha 0: none
};

struct Camera {
    Vec3 eye{8.0f, 5.0f, 10.0f}, target{0.0f, 1.0f, 0.0f}, up{0.0f, 1.0f, 0.0f};
    float field_of_view = 0.9f;  // vertical, rad
    float near_plane = 0.05f;
    float far_plane = 1000.0f;
};

struct Sun {
    Vec3 direction{-0.45f, -0.8f, -0.35f};  // of the light, towards the ground
    Vec3 radiance{3.2f, 3.0f, 2.7f};        // linear
    float softness = 1.5f;                  // of the shadow's edge, in texels
    bool shadows = true;
};

/// Light from everywhere: a sky over a ground.
struct Environment {
    Vec3 zenith{0.25f, 0.42f, 0.75f}, horizon{0.72f, 0.80f, 0.88f}, ground{0.32f, 0.30f, 0.27f};  // linear
    float intensity = 1.0f;
    bool show_sky = true;
    float haze = 180.0f;  // m after which two thirds of the light are the horizon's, with a sky; 0: clear air
};

struct Grid {
    bool shown = true;
    float height = 0.0f;
    float cell = 1.0f;     // m between fine lines; every tenth is strong
    float reach = 150.0f;  // m, fades out there
    bool filled = false;   // a floor that takes light and shadows, otherwise lines over whatever is there
    Colour floor = rgba(150, 152, 156);
};

/// A rectangle of a target in pixels from its left upper corner.
struct PictureArea {
    int32_t x = 0, y = 0;
    uint32_t width = 0, height = 0;  // 0: all of the target
};

struct DrawList {
    Camera camera;
    /// Where in the target the world is drawn, when panels take the rest; positions in pixels are the target's.
    PictureArea area;
    Sun sun;
    Environment environment;
    Grid grid;
    float exposure = 1.0f;
    std::vector<Instance> opaque, transparent;  // transparent ones are sorted by the renderer
    std::vector<Batch> opaque_batches, transparent_batches;
    std::vector<DynamicMesh> dynamic;
    std::vector<Line> lines, lines_on_top;
    std::vector<Text> texts;

    /// Keeps memory, camera, area and lights.
    void clear() {
        opaque.clear();
        transparent.clear();
        opaque_batches.clear();
        transparent_batches.clear();
        dynamic.clear();
        lines.clear();
        lines_on_top.clear();
        texts.clear();
    }
};

}  // namespace proxima::render
