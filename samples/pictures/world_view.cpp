// SPDX-License-Identifier: MIT
#include "samples/pictures/world_view.h"

#include <algorithm>
#include <cmath>

#include "engine/core/suggest.h"
#include "render/camera_control.h"

namespace proxima::pictures {

namespace {

using render::ColourMode;
using render::DebugStyle;

struct DebugName {
    std::string_view name;
    uint32_t flags;
    bool DebugStyle::*shown;  // null: a colour of bodies
    ColourMode mode;
};

constexpr DebugName kDebug[] = {
    {"contacts", physics::kDebugContacts, &DebugStyle::contacts, ColourMode::body},
    {"friction", physics::kDebugContacts, &DebugStyle::friction, ColourMode::body},
    {"residuals", physics::kDebugResiduals, &DebugStyle::residuals, ColourMode::body},
    {"sweeps", physics::kDebugContacts, &DebugStyle::sweeps, ColourMode::body},
    {"boxes", physics::kDebugBoxes, &DebugStyle::boxes, ColourMode::body},
    {"velocities", physics::kDebugBodies, &DebugStyle::velocities, ColourMode::body},
    {"centres", physics::kDebugBodies, &DebugStyle::centres, ColourMode::body},
    {"islands", physics::kDebugIslands, &DebugStyle::islands, ColourMode::body},
    {"values", physics::kDebugContacts, &DebugStyle::values, ColourMode::body},
    {"island-colours", physics::kDebugIslands | physics::kDebugBodies, nullptr, ColourMode::island},
    {"residual-colours", physics::kDebugResiduals | physics::kDebugBodies, nullptr, ColourMode::residual},
    {"speed-colours", physics::kDebugBodies, nullptr, ColourMode::speed},
};

constexpr auto kDebugNames = [] {
    std::array<std::string_view, std::size(kDebug)> names{};
    for (size_t i = 0; i < names.size(); ++i) names[i] = kDebug[i].name;
    return names;
}();

}  // namespace

std::span<const std::string_view> debug_names() { return kDebugNames; }

Result<DebugChoice> parse_debug(std::string_view names) {
    DebugChoice choice;
    DebugStyle& style = choice.style;
    for (const DebugName& known : kDebug)
        if (known.shown) style.*known.shown = false;
    while (!names.empty()) {
        const size_t comma = std::min(names.find(','), names.size());
        const std::string_view name = names.substr(0, comma);
        names.remove_prefix(std::min(comma + 1, names.size()));
        const auto* known = std::find_if(std::begin(kDebug), std::end(kDebug),
                                         [&](const DebugName& d) { return d.name == name; });
        if (known == std::end(kDebug)) {
            const std::vector<std::string_view> all(kDebugNames.begin(), kDebugNames.end());
            return Error{"There is nothing called '" + std::string(name) +
                         "' to show of a step; did you mean '" + std::string(nearest_word(name, all)) + "'?"};
        }
        choice.flags |= known->flags;
        if (known->shown) {
            style.*known->shown = true;
        } else {
            choice.mode = known->mode;
        }
    }
    return choice;
}

Aabb worth_seeing(const render::DrawnWorld& world, const physics::ShapeLibrary& shapes) {
    // The middle by medians, and how far nine tenths of the moving bodies are from it: one that flew away
    // changes neither.
    std::vector<float> along[3], distances;
    for (const render::DrawnBody& body : world.bodies) {
        if (body.type == physics::BodyType::fixed || !is_finite(body.pose.position)) continue;
        for (int axis = 0; axis < 3; ++axis) along[axis].push_back(body.pose.position[axis]);
    }
    if (along[0].size() < 4) return render::scene_bounds(world, shapes);
    const auto part = [](std::vector<float>& values, float fraction) {
        const auto at = values.begin() + std::ptrdiff_t(fraction * float(values.size() - 1));
        std::nth_element(values.begin(), at, values.end());
        return *at;
    };
    Vec3 middle;
    for (int axis = 0; axis < 3; ++axis) middle[axis] = part(along[axis], 0.5f);
    for (const render::DrawnBody& body : world.bodies)
        if (body.type != physics::BodyType::fixed && is_finite(body.pose.position))
            distances.push_back(glm::length(body.pose.position - middle));
    constexpr float kAway = 2.0f;
    const float limit = std::max(kAway * part(distances, 0.9f), 1.0f);
    // A view of the world without those: fixed things come in as scene_bounds has them.
    render::DrawnWorld near;
    near.bodies = world.bodies;
    for (const render::DrawnCollider& collider : world.colliders) {
        const render::DrawnBody& body = world.bodies[collider.body];
        if (body.type == physics::BodyType::fixed || !(glm::length(body.pose.position - middle) > limit))
            near.colliders.push_back(collider);
    }
    return render::scene_bounds(near, shapes);
}

render::Camera frame_picture(const Aabb& box, float aspect) {
    render::Camera camera = render::frame_scene(box, aspect);
    if (!(box.lower.x <= box.upper.x)) return camera;
    // A longer lens: towers stay upright, and far rows are not much smaller than near ones.
    camera.field_of_view = 0.62f;
    const Vec3 size = box.upper - box.lower;
    const float wide = std::max(size.x, size.z);
    // Flat scenes are looked at from higher up, tall ones almost from the side.
    const float height = std::clamp(0.62f - 0.30f * size.y / std::max(wide, 1e-3f), 0.24f, 0.62f);
    camera.eye = camera.target +
                 Vec3(size.x < 0.5f * size.z ? 1.0f : 0.50f, height, size.x < 0.5f * size.z ? 0.55f : 1.0f);
    return render::focus(camera, box, aspect);
}

void light_scene(render::DrawList& out) {
    out.sun.direction = glm::normalize(Vec3(0.55f, -0.80f, -0.45f));
    out.sun.radiance = {3.5f, 3.15f, 2.65f};
    out.environment.zenith = {0.24f, 0.40f, 0.70f};
    out.environment.horizon = {0.74f, 0.80f, 0.86f};
    out.environment.ground = {0.30f, 0.28f, 0.26f};
}

void WorldView::begin(const physics::PhysicsWorld& world) {
    cache_.forget();
    history_.begin_anew(world.registry());
}

Aabb WorldView::bounds(const physics::PhysicsWorld& world) const {
    return worth_seeing(history_.now(), world.shapes());
}

void WorldView::draw(const physics::PhysicsWorld& world, float alpha, const WorldPaint& paint,
                     render::DrawList& out) {
    render::WorldLook look;
    look.colours = paint.colours;
    look.selected = paint.selected;
    look.dim_sleeping = false;
    look.mode = debug_.mode;
    if (debug_.any()) {
        physics::collect_debug(world, debug_.flags, frame_);
        look.debug = &frame_;
    }
    render::extract_world(history_, alpha, world.shapes(), cache_, look, memory_, out);
    if (debug_.any()) render::extract_debug(frame_, debug_.style, out);
}

}  // namespace proxima::pictures
