// SPDX-License-Identifier: MIT
// From the inside of a step to lines and texts: contacts with their forces and friction sets, boxes, islands,
// velocities.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "physics/debug/debug_frame.h"
#include "render/draw_list.h"

namespace proxima::render {

/// What is drawn of a DebugFrame, and how. A list that the frame does not have is not drawn.
struct DebugStyle {
    bool contacts = true;     // points, and arrows of their normal forces
    bool friction = true;     // the friction set as an outline in the contact plane, the friction force in it
    bool residuals = true;    // contacts in colours of the heat scale where they were measured
    bool sweeps = false;      // lines between bodies that touch, in the colour of the solver's sweeps
    bool boxes = false;       // of the broadphase
    bool velocities = false;  // arrows: where the centre of mass is after 0.1 s; and the axis of rotation
    bool centres = false;     // of mass
    bool islands = false;     // boxes, and what became of the larger ones
    bool values = false;      // numbers at contacts, as long as they are few
    bool joints = false;      // where joints hold, their frames, ranges and drives, and arrows of their forces
    bool layers = true;       // what other parts contributed
    std::span<const std::string> hidden_layers;
    physics::Entity only = physics::kNoEntity;  // contacts of this body only

    float arrow = 0.0f;                      // m, of the reference force; 0: by the distance of the camera
    float reference_force = 0.0f;            // N; 0: the mean of the frame
    float coldest = 1e-5f, hottest = 1e-1f;  // m/s, of residuals
    uint32_t max_friction_sets = 4000;       // more contacts than this have arrows only
    uint32_t max_values = 48;                // more have no numbers
};

/// Appends to lines, lines_on_top and texts; the list's camera must be set: signs have a size on the screen.
void extract_debug(const physics::DebugFrame& frame, const DebugStyle& style, DrawList& out);

// ---- signs; all are made of lines

/// m at a position: about four pixels.
float sign_size(const DrawList& out, const Vec3& position);
/// A line with a head of two strokes that turns towards the eye.
void add_arrow(std::vector<Line>& out, const Vec3& from, const Vec3& to, const Vec3& eye, Colour colour,
               float width = 2.0f);
void add_box(std::vector<Line>& out, const Aabb& box, Colour colour, float width = 1.0f);
/// The outline of an ellipse with these half axes.
void add_ellipse(std::vector<Line>& out, const Vec3& center, const Vec3& axis1, const Vec3& axis2, Colour colour,
                 float width = 1.5f);
/// Three short lines that cross.
void add_cross(std::vector<Line>& out, const Vec3& center, float size, Colour colour, float width = 2.0f);

}  // namespace proxima::render
