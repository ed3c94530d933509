// SPDX-License-Identifier: MIT
// What can be seen of the editor from outside, and how scripts find their way in it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/core/atomic_file.h"
#include "engine/core/hash.h"
#include "render/camera_control.h"
#include "samples/editor/app/editor.h"

namespace proxima::editor {

using Json = nlohmann::ordered_json;

namespace {

/// Of every byte that a step can depend on.
std::string hash_of_world(const physics::PhysicsWorld& world) {
    engine::Snapshot snapshot;
    world.save(snapshot);
    StateHash hash;
    for (const std::byte b : snapshot.bytes) hash.word(uint32_t(b));
    return fmt::format("{:016x}", hash.value());
}

constexpr size_t kMaxBodies = 64;  // whose positions are told

/// Pixels of the handles: the frame's origin, and ends of ranges by their keys.
Json handles_of(const ViewportPanel& viewport) {
    Json out = Json::object();
    const render::PictureArea& area = viewport.area();
    const auto add = [&](const std::string& name, const Vec3& at) {
        if (const auto pixel = render::project(viewport.camera(), {float(area.width), float(area.height)}, at))
            out[name] = {pixel->pixel.x + float(area.x), pixel->pixel.y + float(area.y)};
    };
    if (const std::optional<GizmoFrame> frame = viewport.gizmo(1.0f)) {
        add("origin", frame->origin);
        constexpr const char* kNames[] = {"x", "y", "z"};
        for (int axis = 0; axis < 3; ++axis) {
            Vec3 reach(0.0f);
            reach[axis] = 0.8f * frame->size;
            add(kNames[axis], frame->origin + frame->rotation * reach);
        }
    }
    for (const LimitHandle& handle : viewport.limits()) add(handle.key, handle.position);
    return out;
}

}  // namespace

std::optional<ScriptPixel> Editor::find_pixel(const std::string& name) const {
    if (name.starts_with('@')) {
        const auto found = widgets_.find(std::string_view(name).substr(1));
        if (found == widgets_.end()) return std::nullopt;
        const WidgetRect& p = found->second;
        return ScriptPixel{p.x + 0.5f * p.width, p.y + 0.5f * p.height};
    }
    if (!name.starts_with("body:")) return std::nullopt;
    const render::PictureArea& area = viewport_.area();
    for (const BodyRecord& body : workspace_.document.bodies())
        if (body.desc.name == std::string_view(name).substr(5))
            if (const auto at = render::project(viewport_.camera(), {float(area.width), float(area.height)},
                                                scene_.pose_of(body.id).position))
                return ScriptPixel{at->pixel.x + float(area.x), at->pixel.y + float(area.y)};
    return std::nullopt;
}

ScriptHost Editor::script_host() {
    ScriptHost host;
    host.find = [this](const std::string& name) { return find_pixel(name); };
    host.send = [this](const engine::WindowEvent& event) {
        if (app_) app_->ui().add_event(event);
    };
    host.idle = [this] { return !app_ || !app_->ui().pending(); };
    host.step = [this] { return workspace_.frame().step; };
    host.picture = [this](const std::string& file) {
        app_->save_picture(file, [this](const Result<void>& written) { workspace_.tell(written); });
    };
    host.report = [this](const std::string& file) { workspace_.tell(write_file(file, report())); };
    host.quit = [this] {
        if (app_) app_->quit();
    };
    return host;
}

std::string Editor::report() {
    Json out;
    const PlayFrame& frame = workspace_.frame();
    out["state"] = std::string(engine::to_string(workspace_.play.state()));
    out["step"] = frame.step;
    out["newest"] = frame.newest;
    if (!workspace_.playing()) out["world"] = hash_of_world(workspace_.document.world());
    out["file"] = workspace_.document.file();
    out["dirty"] = workspace_.document.is_dirty();
    out["bodies"] = workspace_.document.bodies().size();
    Json selected = Json::array();
    for (const ItemId id : workspace_.document.selected_bodies())
        selected.push_back(workspace_.document.body(id)->desc.name);
    out["selected"] = std::move(selected);
    out["hovered"] = workspace_.document.body(viewport_.hovered())
                         ? workspace_.document.body(viewport_.hovered())->desc.name
                         : std::string();
    Json joints = Json::array();
    for (const JointRecord& joint : workspace_.document.scene_data().joints)
        joints.push_back({{"type", std::visit([](const auto& j) { return std::string(j.kTypeName); }, joint.joint)},
                          {"body_a", workspace_.document.body(joint.body_a)->desc.name},
                          {"body_b", workspace_.document.body(joint.body_b)->desc.name}});
    out["joints"] = std::move(joints);
    out["handles"] = handles_of(viewport_);
    out["undo"] = std::string(workspace_.document.undo_name());
    out["undo_count"] = workspace_.document.history().undo_count();
    out["solver"] = workspace_.settings(0).solver;
    out["lanes"] = workspace_.lanes();
    out["grabbing"] = workspace_.play.is_grabbing();
    out["errors"] = workspace_.messages.errors();
    out["message"] =
        workspace_.messages.messages().empty() ? std::string() : workspace_.messages.messages().back().text;
    Json widgets = Json::object();
    for (const auto& [name, p] : widgets_) widgets[name] = {p.x, p.y, p.width, p.height};
    out["widgets"] = std::move(widgets);
    Json bodies = Json::object();
    const std::span<const BodyRecord> all = workspace_.document.bodies();
    for (size_t i = 0; i < std::min(all.size(), kMaxBodies); ++i) {
        const Vec3 at = scene_.pose_of(all[i].id).position;
        Json entry;
        entry["position"] = {at.x, at.y, at.z};
        if (const std::optional<ScriptPixel> pixel = find_pixel("body:" + all[i].desc.name))
            entry["pixel"] = {pixel->x, pixel->y};
        bodies[all[i].desc.name] = std::move(entry);
    }
    out["placed"] = std::move(bodies);
    return out.dump(1) + "\n";
}

void Editor::write_report() {
    if (options_.report_file.empty() || ++reported_frames_ % 4 != 0) return;
    std::string text = report();
    if (text == last_report_) return;
    if (workspace_.tell(write_file(options_.report_file, text))) last_report_ = std::move(text);
}

}  // namespace proxima::editor
