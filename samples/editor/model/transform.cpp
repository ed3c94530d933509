// SPDX-License-Identifier: MIT
#include "samples/editor/model/transform.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "physics/shapes/shape_classes.h"

namespace proxima::editor {

namespace {

Transform pose_of(const SceneBody& desc) { return {desc.position, glm::normalize(desc.rotation)}; }
Transform pose_of(const SceneCollider& desc) { return {desc.position, glm::normalize(desc.rotation)}; }

size_t collider_place(const BodyRecord& record, ItemId id) {
    const auto at = std::find(record.collider_ids.begin(), record.collider_ids.end(), id);
    return size_t(at - record.collider_ids.begin());
}

/// How much a stretch of `factors` along `axes` lengthens each of the axes of a frame: |S e_i|. Exact where
/// the frames agree; a turned box cannot become the skewed one that an exact stretch would make of it.
Vec3 along_own_axes(const Vec3& factors, const Quat& axes, const Quat& own) {
    Vec3 out(1.0f);
    for (int i = 0; i < 3; ++i) {
        Vec3 e(0.0f);
        e[i] = 1.0f;
        out[i] = glm::length(factors * (glm::conjugate(axes) * (own * e)));
    }
    return out;
}

void scale_collider(SceneCollider& collider, ShapeType type, const Vec3& factors) {
    switch (physics::shape_class(type).scaling) {
        case physics::ShapeScaling::ignored:
            break;
        case physics::ShapeScaling::uniform:
            collider.scale *= std::cbrt(factors.x * factors.y * factors.z);
            break;
        case physics::ShapeScaling::free:
            collider.scale *= factors;
            break;
    }
}

}  // namespace

SelectionTransform::SelectionTransform(const Document& document, std::span<const ItemId> ids, PivotKind pivot,
                                       AxisSpace space)
    : space_(space) {
    std::unordered_set<uint32_t> listed, bodies;
    for (const ItemId id : ids)
        if (document.body(id)) bodies.insert(uint32_t(id));
    std::unordered_set<uint32_t> kept;
    for (const ItemId id : ids) {
        const ItemId body = document.body_of(id);
        if (body == ItemId::none || !listed.insert(uint32_t(id)).second) continue;
        if (body != id && bodies.contains(uint32_t(body))) continue;
        const BodyRecord& record = *document.body(body);
        Transform pose = pose_of(record.desc);
        if (body != id) pose = compose(pose, pose_of(*document.collider(id)));
        items_.push_back({id, body, pose, pose.position});
        if (kept.insert(uint32_t(body)).second) start_.push_back(record);
    }
    if (items_.empty()) return;
    if (space == AxisSpace::local) axes_ = items_.back().pose.rotation;
    if (pivot == PivotKind::primary || pivot == PivotKind::each) pivot_ = items_.back().pose.position;
    if (pivot == PivotKind::middle) {
        glm::dvec3 sum(0.0);
        for (const Item& item : items_) sum += glm::dvec3(item.pose.position);
        pivot_ = Vec3(sum / double(items_.size()));
    }
    if (pivot != PivotKind::each)
        for (Item& item : items_) item.own_pivot = pivot_;
}

/// x' = pivot + move + R S (x - pivot), with S along the axes of the frame.
Transform SelectionTransform::moved(const Item& item, const TransformDelta& delta) const {
    const Quat axes = space_ == AxisSpace::local && item.own_pivot == item.pose.position ? item.pose.rotation : axes_;
    const Vec3 offset = axes * (delta.scale * (glm::conjugate(axes) * (item.pose.position - item.own_pivot)));
    return {item.own_pivot + delta.move + delta.rotation * offset, glm::normalize(delta.rotation * item.pose.rotation)};
}

std::string SelectionTransform::command(const TransformDelta& delta, const Document& document) const {
    const char* verb = delta.scale != Vec3(1.0f)                        ? "Scale"
                       : delta.rotation != Quat(1.0f, 0.0f, 0.0f, 0.0f) ? "Rotate"
                                                                        : "Move";
    size_t bodies = 0;
    for (const Item& item : items_) bodies += item.id == item.body;
    const size_t colliders = items_.size() - bodies;
    if (colliders == 0 && bodies == 1) return std::string(verb) + " '" + document.body(items_[0].body)->desc.name + "'";
    std::string what = bodies > 0 ? counted(bodies, "body", "bodies") : "";
    if (colliders > 0) what += (bodies > 0 ? " and " : "") + counted(colliders, "collider", "colliders");
    return std::string(verb) + " " + what;
}

Result<void> SelectionTransform::apply(Document& document, const TransformDelta& delta) const {
    if (items_.empty()) return Error{"Nothing is selected."};
    std::vector<ItemId> ids;
    std::unordered_map<uint32_t, size_t> start_of;
    for (const BodyRecord& record : start_) {
        start_of[uint32_t(record.id)] = ids.size();
        ids.push_back(record.id);
    }
    std::unordered_map<uint32_t, std::vector<const Item*>> items_of;  // by body; looked up, never walked
    for (const Item& item : items_) items_of[uint32_t(item.body)].push_back(&item);
    const bool scales = delta.scale != Vec3(1.0f);
    return document.edit_bodies(command(delta, document), ids, [&](BodyRecord& record) -> Result<void> {
        const BodyRecord& start = start_[start_of.at(uint32_t(record.id))];
        if (start.collider_ids != record.collider_ids)
            return Error{"The colliders of '" + record.desc.name + "' changed while it was being dragged."};
        for (const Item* item : items_of.at(uint32_t(record.id))) {
            const Transform pose = moved(*item, delta);
            // In local space everything is stretched along axes of its own.
            const Quat axes = space_ == AxisSpace::local ? item->pose.rotation : axes_;
            if (item->id == item->body) {
                record.desc.position = pose.position;
                record.desc.rotation = pose.rotation;
                if (!scales) continue;
                const Vec3 own = along_own_axes(delta.scale, axes, item->pose.rotation);
                for (size_t k = 0; k < record.desc.colliders.size(); ++k) {
                    SceneCollider& collider = record.desc.colliders[k];
                    collider = start.desc.colliders[k];
                    collider.position *= own;
                    scale_collider(collider, document.shape(collider.shape).type,
                                   along_own_axes(own, Quat(1.0f, 0.0f, 0.0f, 0.0f), collider.rotation));
                }
                continue;
            }
            const size_t place = collider_place(record, item->id);
            SceneCollider& collider = record.desc.colliders[place];
            const Transform body = pose_of(start.desc);
            collider.position = to_local(body, pose.position);
            collider.rotation = glm::normalize(glm::conjugate(body.rotation) * pose.rotation);
            if (!scales) continue;
            collider.scale = start.desc.colliders[place].scale;
            scale_collider(collider, document.shape(collider.shape).type,
                           along_own_axes(delta.scale, axes, item->pose.rotation));
        }
        return {};
    });
}

}  // namespace proxima::editor
