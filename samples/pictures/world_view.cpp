// SPDX-License-Identifier: MIT
#include "samples/pictures/world_view.h"

#include <algorithm>
#include <array>
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
    {"joints", physics::kDebugJoints, &DebugStyle::joints, ColourMode::body},
    {"rules", physics::kDebugRules, &DebugStyle::layers, ColourMode::body},
    {"velocities", physics::kDebugBodies, &DebugStyle::velocities, ColourMode::body},
    {"centres", physics::kDebugBodies, &DebugStyle::centres, ColourMode::body},
    {"islands", physics::kDebugIslands, &DebugStyle::islands, ColourMode::body},
    {"values", physics::kDebugContacts, &DebugStyle::values, ColourMode::body},
    {"island-colours", physics::kDebugIslands | physics::kDebugBodies, nullptr, ColourMode::island},
    {"residual-colours", physics::kDebugResiduals | physics::kDebugBodies, nullptr, ColourMode::residual},
    {"speed-colours", physics::kDebugBodies, nullptr, ColourMode::speed},
};

constexpr render::Colour kGround = render::rgba(186, 189, 194), kGlass = render::rgba(206, 226, 240, 52);

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
        const auto* known =
            std::find_if(std::begin(kDebug), std::end(kDebug), [&](const DebugName& d) { return d.name == name; });
        if (known == std::end(kDebug)) {
            const std::vector<std::string_view> all(kDebugNames.begin(), kDebugNames.end());
            return Error{"There is nothing called '" + std::string(name) + "' to show of a step; did you mean '" +
                         std::string(nearest_word(name, all)) + "'?"};
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
    // The middle by medians, and how far half of the moving bodies are from it: one that flew away changes neither.
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
    constexpr float kAway = 5.0f;
    const float limit = std::max(kAway * part(distances, 0.5f), 1.0f);
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

render::Camera frame_picture(const Aabb& box, std::span<const Vec3> points, float aspect) {
    render::Camera camera;
    if (points.empty() || !(box.lower.x <= box.upper.x)) return camera;
    // A longer lens: towers stay upright, and far rows are not much smaller than near ones.
    camera.field_of_view = 0.60f;
    const Vec3 size = box.upper - box.lower;
    const float wide = std::max({size.x, size.z, 1e-3f});
    const float height = std::clamp(0.70f - 0.42f * size.y / wide, 0.22f, 0.70f);
    const float turn = size.z < 0.35f * size.x ? 0.34f : 0.55f;
    const Vec3 aside = size.x < 0.5f * size.z ? Vec3(1.0f, height, turn) : Vec3(turn, height, 1.0f);
    camera.target = 0.5f * (box.lower + box.upper);
    camera.eye = camera.target + aside;
    const render::CameraAxes axes = render::axes_of(camera);
    // A point (x, y, z) along right, up and forward is between the sides of a view from (ex, ey, ez) when
    // |x - ex| <= t (z - ez): four largest values of the points, then the nearest eye that obeys all.
    constexpr float kFilled = 0.86f;
    const float ty = kFilled * std::tan(0.5f * camera.field_of_view), tx = ty * aspect;
    float right = -INFINITY, left = -INFINITY, top = -INFINITY, bottom = -INFINITY, depth = 0.0f;
    for (const Vec3& point : points) {
        const float x = glm::dot(point, axes.right), y = glm::dot(point, axes.up);
        const float z = glm::dot(point, axes.forward);
        right = std::max(right, x - tx * z);
        left = std::max(left, -x - tx * z);
        top = std::max(top, y - ty * z);
        bottom = std::max(bottom, -y - ty * z);
        depth += z;
    }
    depth /= float(points.size());
    const float ez = std::min(-(right + left) / (2.0f * tx), -(top + bottom) / (2.0f * ty));
    const float ex = 0.5f * (right - left), ey = 0.5f * (top - bottom);
    camera.eye = axes.right * ex + axes.up * ey + axes.forward * ez;
    const float distance = std::max(depth - ez, 0.1f);
    camera.target = camera.eye + axes.forward * distance;
    camera.near_plane = std::clamp(0.02f * distance, 0.005f, 1.0f);
    camera.far_plane = std::max(1000.0f, 20.0f * distance);
    return camera;
}

void light_scene(render::DrawList& out) {
    out.sun.direction = glm::normalize(Vec3(0.55f, -0.80f, -0.45f));
    out.sun.radiance = {3.9f, 3.5f, 2.95f};
    out.environment.zenith = {0.24f, 0.40f, 0.70f};
    out.environment.horizon = {0.74f, 0.80f, 0.86f};
    out.environment.ground = {0.30f, 0.28f, 0.26f};
    out.environment.intensity = 0.85f;
}

void WorldView::begin(const physics::PhysicsWorld& world) {
    cache_.forget();
    history_.begin_anew(world.registry());
    paint_fixed(world);
}

void WorldView::paint_fixed(const physics::PhysicsWorld& world) {
    fixed_.clear();
    grounds_.clear();
    ground_height_.reset();
    const render::DrawnWorld& drawn = history_.now();
    const Aabb seen = worth_seeing(drawn, world.shapes());
    const Vec3 room = seen.upper - seen.lower;
    for (const render::DrawnCollider& collider : drawn.colliders) {
        const render::DrawnBody& body = drawn.bodies[collider.body];
        if (body.type != physics::BodyType::fixed) continue;
        const Transform pose = compose(body.pose, collider.local);
        const Aabb box = bounding_box(world.shapes().get(collider.shape), pose);
        if (!is_finite(box.lower) || !is_finite(box.upper)) {
            fixed_.push_back({body.entity, kGround});
            // The only shape without an end is the half-space below the plane y = 0 of its own frame.
            if ((pose.rotation * Vec3(0.0f, 1.0f, 0.0f)).y > 0.9999f) ground_height_ = pose.position.y;
            continue;
        }
        const Vec3 size = box.upper - box.lower;
        if (std::min(size.x, size.z) > 2.0f * std::max(room.x, room.z) && box.upper.y < seen.upper.y) {
            fixed_.push_back({body.entity, kGround});
            grounds_.push_back(render::pick_id(body.entity));
            ground_height_ = box.upper.y;
            continue;
        }
        const bool upright = std::min(size.x, size.z) < 0.3f * std::min(size.y, std::max(size.x, size.z));
        if (upright && size.y > 0.3f * room.y && std::max(size.x, size.z) > 0.5f * std::max(room.x, room.z))
            fixed_.push_back({body.entity, kGlass});
    }
}

render::Camera WorldView::frame(const physics::PhysicsWorld& world, float aspect) {
    const render::DrawnWorld& drawn = history_.now();
    const Aabb seen = worth_seeing(drawn, world.shapes());
    const float slack = 1e-3f;
    points_.clear();
    for (const render::DrawnCollider& collider : drawn.colliders) {
        const Aabb box =
            bounding_box(world.shapes().get(collider.shape), compose(drawn.bodies[collider.body].pose, collider.local));
        if (!is_finite(box.lower) || !is_finite(box.upper)) continue;
        if (glm::any(glm::lessThan(box.lower, seen.lower - slack)) ||
            glm::any(glm::greaterThan(box.upper, seen.upper + slack)))
            continue;
        for (int corner = 0; corner < 8; ++corner)
            points_.push_back({corner & 1 ? box.upper.x : box.lower.x, corner & 2 ? box.upper.y : box.lower.y,
                               corner & 4 ? box.upper.z : box.lower.z});
    }
    return frame_picture(seen, points_, aspect);
}

void WorldView::draw(const physics::PhysicsWorld& world, float alpha, const WorldPaint& paint, render::DrawList& out) {
    // Far away the ground goes over into the horizon.
    const float distance = glm::length(out.camera.target - out.camera.eye);
    out.environment.haze = std::clamp(5.0f * distance, 12.0f, 350.0f);
    render::WorldLook look;
    colours_.assign(fixed_.begin(), fixed_.end());
    colours_.insert(colours_.end(), paint.colours.begin(), paint.colours.end());
    look.colours = colours_;
    look.selected = paint.selected;
    look.dim_sleeping = false;
    look.mode = debug_.mode;
    if (debug_.any()) {
        physics::collect_debug(world, debug_.flags, frame_);
        look.debug = &frame_;
    }
    const size_t first = out.opaque.size();
    render::extract_world(history_, alpha, world.shapes(), cache_, look, memory_, out);
    // A box that is the ground ends somewhere; its picture goes on, so that no edge cuts through the view.
    constexpr float kFurther = 20.0f;
    for (size_t i = first; !grounds_.empty() && i < out.opaque.size(); ++i) {
        render::Instance& instance = out.opaque[i];
        if (std::find(grounds_.begin(), grounds_.end(), instance.id) == grounds_.end()) continue;
        instance.scale.x *= kFurther;
        instance.scale.z *= kFurther;
    }
    if (debug_.any()) render::extract_debug(frame_, debug_.style, out);
}

}  // namespace proxima::pictures
