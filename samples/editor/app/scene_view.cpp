// SPDX-License-Identifier: MIT
#include "samples/editor/app/scene_view.h"

#include <algorithm>
#include <any>
#include <unordered_map>

#include "render/palette.h"

namespace proxima::editor {

using render::Colour;
using render::DrawList;

namespace {

/// The inside of a step, collected between two steps by the thread that steps.
Extractor make_extractor(std::shared_ptr<std::atomic<uint32_t>> flags) {
    return [flags = std::move(flags)](const physics::PhysicsWorld& world, size_t lane, std::any& into) {
        if (lane != 0) return;
        if (!std::any_cast<physics::DebugFrame>(&into)) into = physics::DebugFrame();
        physics::collect_debug(world, flags->load(std::memory_order_relaxed),
                               *std::any_cast<physics::DebugFrame>(&into));
    };
}

}  // namespace

SceneView::SceneView(Workspace& workspace) : workspace_(workspace) {
    workspace_.play.set_extractor(make_extractor(flags_));
}

// ---- where everything is

void SceneView::update() {
    // Bodies are collected always: the inspector shows how fast the selected one is.
    flags_->store(workspace_.show.debug_flags() | physics::kDebugBodies, std::memory_order_relaxed);
    if (const uint64_t generation = workspace_.document.world_generation(); generation != cached_generation_) {
        cached_generation_ = generation;
        cache_.forget();
        has_base_ = false;
    }
    if (workspace_.playing() && !workspace_.frame().lanes.empty())
        take_played();
    else
        take_edited();
    selected_.clear();
    for (const ItemId body : workspace_.document.selected_bodies())
        selected_.push_back(workspace_.document.entity_of(body));
}

void SceneView::take_edited() {
    if (workspace_.playing()) return;  // the first frame of a play is not finished: what was shown stays
    has_base_ = false;
    drawn_lanes_ = 1;
    history_[0].begin_anew(workspace_.document.world().registry());
    physics::collect_debug(workspace_.document.world(), workspace_.show.debug_flags() | physics::kDebugBodies,
                           edited_debug_);
}

/// The world belongs to the thread that steps: it makes the copy, once a play.
void SceneView::take_base() {
    workspace_.play.with_core([&](PlayCore& core) { render::copy_world(core.world(0).registry(), base_); });
    std::unordered_map<uint32_t, uint32_t> index_of_entity;  // by entity; looked up only
    const std::span<const BodyRecord> bodies = workspace_.document.bodies();
    for (uint32_t i = 0; i < bodies.size(); ++i)
        index_of_entity[uint32_t(workspace_.document.entity_of(bodies[i].id))] = i;
    body_of_drawn_.clear();
    for (const render::DrawnBody& body : base_.bodies) {
        const auto found = index_of_entity.find(uint32_t(body.entity));
        body_of_drawn_.push_back(found == index_of_entity.end() ? kNoBody : found->second);
    }
    has_base_ = true;
}

void SceneView::take_played() {
    const PlayFrame& frame = workspace_.frame();
    if (has_base_ && taken_frame_ == frame.number) return;
    if (!has_base_) take_base();
    taken_frame_ = frame.number;
    drawn_lanes_ = std::min(frame.lanes.size(), kMaxLanes);
    for (size_t k = 0; k < drawn_lanes_; ++k) {
        const LaneFrame& lane = frame.lanes[k];
        scratch_ = base_;
        for (size_t i = 0; i < scratch_.bodies.size(); ++i) {
            const uint32_t body = body_of_drawn_[i];
            if (body >= lane.now.size()) continue;
            const physics::Pose pose = blend(lane.before[body], lane.now[body], frame.alpha);
            scratch_.bodies[i].pose = {pose.position, pose.rotation};
            scratch_.bodies[i].asleep = lane.asleep[body] != 0;
        }
        history_[k].note_step(scratch_);
    }
}

const physics::DebugFrame& SceneView::debug() const {
    const PlayFrame& frame = workspace_.frame();
    if (workspace_.playing() && !frame.lanes.empty())
        if (const auto* collected = std::any_cast<physics::DebugFrame>(&frame.lanes[0].extra)) return *collected;
    return edited_debug_;
}

Aabb SceneView::bounds() const { return render::scene_bounds(history_[0].now(), workspace_.document.world().shapes()); }

Aabb SceneView::selection_bounds() const {
    // The selected bodies as a world of their own.
    const render::DrawnWorld& all = history_[0].now();
    render::DrawnWorld some;
    std::vector<uint32_t> new_index(all.bodies.size(), render::kNobody);
    for (const Entity entity : selected_) {
        const uint32_t i = all.find(entity);
        if (i == render::kNobody) continue;
        new_index[i] = uint32_t(some.bodies.size());
        some.bodies.push_back(all.bodies[i]);
    }
    for (render::DrawnCollider collider : all.colliders) {
        collider.body = new_index[collider.body];
        if (collider.body != render::kNobody) some.colliders.push_back(collider);
    }
    Aabb box = render::scene_bounds(some, workspace_.document.world().shapes());
    if (is_empty(box) && !some.bodies.empty()) {
        const Vec3 at = some.bodies.back().pose.position;
        box = {at - Vec3(2.0f), at + Vec3(2.0f)};
    }
    return box;
}

Transform SceneView::pose_of(ItemId body) const {
    const uint32_t i = history_[0].now().find(workspace_.document.entity_of(body));
    return i == render::kNobody ? Transform{} : history_[0].now().bodies[i].pose;
}

// ---- the list

void SceneView::build(const render::Viewport& viewport, ItemId hovered, DrawList& out) {
    const ShowOptions& show = workspace_.show;
    const physics::ShapeLibrary& shapes = workspace_.document.world().shapes();
    render::WorldLook look;
    look.mode = show.colours;
    look.debug = &debug();
    look.selected = selected_;
    look.checker = show.checker;
    look.dim_sleeping = show.dim_sleeping;
    render::extract_world(history_[0], 1.0f, shapes, cache_, look, memory_[0], out);
    if (hovered != ItemId::none) {
        const uint32_t id = render::pick_id(workspace_.document.entity_of(hovered));
        for (render::Instance& instance : out.opaque)
            if (instance.id == id) instance.colour = render::mix(instance.colour, render::rgba(255, 255, 255), 0.28f);
    }
    for (size_t k = 1; k < drawn_lanes_; ++k) {
        render::WorldLook ghost;
        ghost.ghost = render::with_alpha(kLaneColours[k], 120);
        ghost.half_spaces = false;
        render::extract_world(history_[k], 1.0f, shapes, cache_, ghost, memory_[k], out);
    }
    render::DebugStyle style;
    style.arrow = 0.03f * glm::length(out.camera.eye - out.camera.target);
    style.contacts = show.contacts || show.residuals;
    style.friction = show.friction;
    style.residuals = show.residuals;
    style.sweeps = show.sweeps;
    style.boxes = show.boxes;
    style.joints = show.joints;
    style.velocities = show.velocities;
    style.centres = show.centres;
    style.islands = show.islands;
    style.values = show.values;
    if (show.selected_only) style.only = workspace_.document.entity_of(workspace_.primary_body());
    render::extract_debug(debug(), style, out);
    add_grab(out);
    if (show.names) add_names(viewport, out);
}

/// The spring by which a body is pulled, from where it is held to where it is wanted.
void SceneView::add_grab(DrawList& out) const {
    const PlayFrame& frame = workspace_.frame();
    if (!workspace_.playing() || !frame.grab) return;
    const std::span<const BodyRecord> bodies = workspace_.document.bodies();
    if (frame.grab->body >= bodies.size()) return;
    const Vec3 held = to_world(pose_of(bodies[frame.grab->body].id), frame.grab->local);
    const Colour colour = render::rgba(255, 170, 60);
    out.lines_on_top.push_back({held, frame.grab->target, colour, 3.0f});
    const float size = 0.012f * glm::length(out.camera.eye - held);
    render::add_cross(out.lines_on_top, frame.grab->target, size, colour);
    render::add_cross(out.lines_on_top, held, 0.6f * size, render::rgba(255, 255, 255));
}

void SceneView::add_names(const render::Viewport& viewport, DrawList& out) const {
    constexpr size_t kMaxNames = 150;  // more could not be read
    struct Near {
        float depth;
        uint32_t index;
    };
    std::vector<Near> near;
    const std::span<const BodyRecord> bodies = workspace_.document.bodies();
    for (uint32_t i = 0; i < bodies.size(); ++i) {
        if (bodies[i].desc.name.empty() || bodies[i].desc.type == BodyType::fixed) continue;
        if (const auto at = render::project(out.camera, viewport, pose_of(bodies[i].id).position))
            near.push_back({at->depth, i});
    }
    std::sort(near.begin(), near.end(),
              [](const Near& a, const Near& b) { return a.depth != b.depth ? a.depth < b.depth : a.index < b.index; });
    if (near.size() > kMaxNames) near.resize(kMaxNames);
    for (const Near& n : near) {
        render::Text text;
        text.text = bodies[n.index].desc.name;
        text.position = pose_of(bodies[n.index].id).position;
        text.centred = true;
        text.size = 12.0f;
        text.behind = render::rgba(15, 17, 20, 150);
        out.texts.push_back(std::move(text));
    }
}

void texts_to_pixels(const render::Viewport& viewport, float scale, DrawList& list) {
    const float margin = 4.0f * scale;
    std::erase_if(list.texts, [&](render::Text& text) {
        if (text.in_pixels) return false;
        const auto at = render::project(list.camera, viewport, text.position);
        if (!at || at->pixel.x < margin || at->pixel.y < margin || at->pixel.x > viewport.width - margin ||
            at->pixel.y > viewport.height - margin)
            return true;
        text.in_pixels = true;
        text.position = Vec3(at->pixel.x + float(list.area.x), at->pixel.y + float(list.area.y), 0.0f);
        return false;
    });
}

}  // namespace proxima::editor
