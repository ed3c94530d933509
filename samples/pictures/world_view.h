// SPDX-License-Identifier: MIT
// A physics world as a picture: its poses between two steps, a camera that shows what is worth seeing, and
// light. Knows no GPU; games, films and windows draw the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "physics/debug/debug_frame.h"
#include "physics/world.h"
#include "render/draw_list.h"
#include "render/extract/drawn_world.h"
#include "render/extract/extract_debug.h"
#include "render/extract/extract_world.h"
#include "render/shape_meshes.h"

namespace proxima::pictures {

/// What is shown of the inside of steps.
struct DebugChoice {
    uint32_t flags = 0;  // physics::DebugFlags that must be collected
    render::DebugStyle style;
    render::ColourMode mode = render::ColourMode::body;
    bool any() const { return flags != 0; }
};

/// Names with commas between: contacts, friction, residuals, sweeps, boxes, joints, velocities, centres,
/// islands, values; and colours of bodies: island-colours, residual-colours, speed-colours. Empty is nothing.
Result<DebugChoice> parse_debug(std::string_view names);
/// The names that parse_debug knows, for help texts.
std::span<const std::string_view> debug_names();

/// A box around what a picture should show: without the few bodies that rolled far away from all others.
Aabb worth_seeing(const render::DrawnWorld& world, const physics::ShapeLibrary& shapes);

/// From the front, a little from above and from the right, as near as all points allow: what they show is in
/// the middle and fills the picture but for a margin. `box` is around the points and decides on the
/// direction: flat things are looked at from higher up, walls from their long side.
render::Camera frame_picture(const Aabb& box, std::span<const Vec3> points, float aspect);

/// A warm sun from the left behind the camera, and a sky that fills shadows.
void light_scene(render::DrawList& out);

/// Single bodies that look different.
struct WorldPaint {
    std::vector<render::BodyColour> colours;  // a later one of the same body wins
    std::vector<physics::Entity> selected;
    void clear() {
        colours.clear();
        selected.clear();
    }
};

class WorldView {
  public:
    WorldView() : shape_meshes_(library_), cache_(shape_meshes_) {}
    WorldView(const WorldView&) = delete;
    WorldView& operator=(const WorldView&) = delete;

    /// Another world, or one that was set back: nothing moves until its next step.
    void begin(const physics::PhysicsWorld& world);
    /// After every step.
    void note_step(const physics::PhysicsWorld& world) { history_.note_step(world.registry()); }
    void set_debug(const DebugChoice& choice) { debug_ = choice; }

    /// A camera that shows what is worth seeing now.
    render::Camera frame(const physics::PhysicsWorld& world, float aspect);
    /// Appends bodies, and what set_debug asked for, to a list whose camera is set; alpha from 0, the step
    /// before, to 1, the last step.
    void draw(const physics::PhysicsWorld& world, float alpha, const WorldPaint& paint, render::DrawList& out);
    const render::MeshLibrary& meshes() const { return library_; }
    /// Of a ground that is level; none where everything hangs, slides or lies on ramps.
    std::optional<float> ground_height() const { return ground_height_; }

  private:
    /// Colours of what does not move: a ground of pale stone, and walls of glass around whatever is kept in them.
    void paint_fixed(const physics::PhysicsWorld& world);

    render::MeshLibrary library_;
    render::ShapeMeshes shape_meshes_;
    render::MeshCache cache_;
    render::PoseHistory history_;
    render::ExtractMemory memory_;
    DebugChoice debug_;
    physics::DebugFrame frame_;
    std::vector<render::BodyColour> fixed_, colours_;
    std::vector<uint32_t> grounds_;  // Instance::id of boxes that stand for an endless ground
    std::optional<float> ground_height_;
    std::vector<Vec3> points_;  // corners of boxes, while a camera is looked for
};

}  // namespace proxima::pictures
