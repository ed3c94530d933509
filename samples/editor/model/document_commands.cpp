// SPDX-License-Identifier: MIT
// The commands of a document: each puts together what changes and hands it to commit().
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/core/assert.h"
#include "physics/shapes/shape_classes.h"
#include "samples/editor/model/document.h"
#include "samples/editor/model/joint_tool.h"

namespace proxima::editor {

namespace {

Error unknown_body() { return Error{"There is no such body in the scene."}; }

std::string in_quotes(const std::string& name) { return name.empty() ? "a body" : "'" + name + "'"; }

/// "Delete 'crate'", "Delete 3 bodies".
std::string command_on(const std::string& verb, std::span<const BodyChange> bodies) {
    if (bodies.size() != 1) return verb + " " + counted(bodies.size(), "body", "bodies");
    const BodyChange& only = bodies[0];
    return verb + " " + in_quotes(only.before ? only.before->desc.name : only.after->desc.name);
}

bool contains(const std::unordered_set<uint32_t>& ids, ItemId id) { return ids.contains(uint32_t(id)); }

/// Gives every new body a name of its own.
class FreeNames {
  public:
    explicit FreeNames(std::span<const BodyRecord> records) {
        for (const BodyRecord& record : records) taken_.insert(record.desc.name);
    }

    /// The wish itself, or the wish with the first number that makes it the only one: "box", "box 2", "box
    /// 3". It is then taken.
    std::string take(const std::string& wish) {
        if (wish.empty() || taken_.insert(wish).second) return wish;
        // A number at the end is counted on.
        size_t digits = wish.size();
        while (digits > 0 && wish[digits - 1] >= '0' && wish[digits - 1] <= '9') --digits;
        const bool numbered = digits > 1 && digits < wish.size() && wish[digits - 1] == ' ';
        const std::string stem = numbered ? wish.substr(0, digits - 1) : wish;
        // Numbers below the last one given are taken: names only come, they do not go.
        for (uint32_t& number = next_.try_emplace(stem, 2).first->second;; ++number)
            if (const std::string name = stem + " " + std::to_string(number); taken_.insert(name).second) return name;
    }

  private:
    std::unordered_set<std::string> taken_;
    std::unordered_map<std::string, uint32_t> next_;  // by stem
};

}  // namespace

Result<uint32_t> Document::intern_shape(const ShapeDesc& shape) {
    for (size_t i = 0; i < shapes_.size(); ++i)
        if (same(shapes_[i], shape)) return uint32_t(i);
    physics::ShapeLibrary trial;
    if (const Result<physics::ShapeId> cooked = trial.add(shape); !cooked) return Error{cooked.error()};
    shapes_.push_back(shape);
    return uint32_t(shapes_.size() - 1);
}

// ---- bodies that come and go

Result<ItemId> Document::create_body(SceneBody desc, std::vector<NewCollider> colliders) {
    if (Result<void> free = check_unlocked(); !free) return Error{free.error()};
    BodyRecord record;
    record.desc = std::move(desc);
    record.desc.colliders.clear();
    record.desc.name = FreeNames(records_).take(record.desc.name);
    for (NewCollider& collider : colliders) {
        const Result<uint32_t> shape = intern_shape(collider.shape);
        if (!shape) return Error{shape.error()};
        collider.desc.shape = shape.value();
        record.desc.colliders.push_back(collider.desc);
        record.collider_ids.push_back(new_id());
    }
    record.id = new_id();
    const ItemId id = record.id;
    Change change;
    change.name = "Create " + in_quotes(record.desc.name);
    change.order = Exchange<std::vector<ItemId>>{order(), order()};
    change.order->after.push_back(id);
    change.selection.after = {id};
    change.bodies.push_back({id, std::nullopt, std::move(record)});
    if (Result<void> done = commit(std::move(change)); !done) return Error{done.error()};
    return id;
}

Result<ItemId> Document::create_body(const ShapeDesc& shape, BodyType type, const Vec3& position) {
    SceneBody desc;
    desc.name = physics::shape_class(shape.type).label;
    desc.type = type;
    desc.position = position;
    return create_body(std::move(desc), {NewCollider{shape, {}}});
}

Result<void> Document::remove(std::span<const ItemId> ids) {
    Change change;
    std::unordered_set<uint32_t> whole;  // bodies that go with everything on them
    for (const ItemId id : ids) {
        if (body_of(id) == ItemId::none) return unknown_body();
        if (body_of(id) == id && whole.insert(uint32_t(id)).second)
            change.bodies.push_back({id, *body(id), std::nullopt});
    }
    size_t colliders = 0;
    for (const ItemId id : ids) {
        const ItemId owner = body_of(id);
        if (owner == id || contains(whole, owner)) continue;
        const auto same_body = [&](const BodyChange& known) { return known.id == owner; };
        auto at = std::find_if(change.bodies.begin(), change.bodies.end(), same_body);
        if (at == change.bodies.end()) at = change.bodies.insert(at, BodyChange{owner, *body(owner), *body(owner)});
        BodyRecord& after = *at->after;
        const auto index = std::find(after.collider_ids.begin(), after.collider_ids.end(), id);
        if (index == after.collider_ids.end()) continue;  // named twice
        after.desc.colliders.erase(after.desc.colliders.begin() + (index - after.collider_ids.begin()));
        after.collider_ids.erase(index);
        ++colliders;
    }
    if (whole.empty() && colliders == 0) return Error{"Nothing is selected that could be deleted."};
    if (colliders == 0)
        change.name = command_on("Delete", change.bodies);
    else
        change.name = "Delete " + (whole.empty() ? "" : counted(whole.size(), "body", "bodies") + " and ") +
                      counted(colliders, "collider", "colliders");
    if (!whole.empty()) {
        change.order = Exchange<std::vector<ItemId>>{order(), order()};
        std::erase_if(change.order->after, [&](ItemId id) { return contains(whole, id); });
        const auto loses_body = [&](const JointRecord& joint) {
            return contains(whole, joint.body_a) || contains(whole, joint.body_b);
        };
        if (std::any_of(scene_data_.joints.begin(), scene_data_.joints.end(), loses_body)) {
            change.scene_data = Exchange<SceneData>{scene_data_, scene_data_};
            std::erase_if(change.scene_data->after.joints, loses_body);
        }
    }
    return commit(std::move(change));
}

Result<std::vector<ItemId>> Document::duplicate(std::span<const ItemId> bodies, const Vec3& offset) {
    if (Result<void> free = check_unlocked(); !free) return Error{free.error()};
    Change change;
    change.order = Exchange<std::vector<ItemId>>{order(), order()};
    FreeNames names(records_);
    std::vector<BodyRecord> copies;
    std::unordered_map<uint32_t, ItemId> copy_of;
    for (const ItemId id : bodies) {
        const BodyRecord* original = body(id);
        if (!original) return unknown_body();
        BodyRecord copy = *original;
        copy.id = new_id();
        for (ItemId& collider_id : copy.collider_ids) collider_id = new_id();
        copy.desc.position += offset;
        copy.desc.name = names.take(copy.desc.name);
        copy_of[uint32_t(id)] = copy.id;
        copies.push_back(std::move(copy));
    }
    if (copies.empty()) return Error{"Nothing is selected that could be duplicated."};
    change.name = copies.size() == 1 ? "Duplicate " + in_quotes(body(bodies[0])->desc.name)
                                     : "Duplicate " + counted(copies.size(), "body", "bodies");
    std::vector<ItemId> ids;
    for (BodyRecord& copy : copies) {
        ids.push_back(copy.id);
        change.order->after.push_back(copy.id);
        change.bodies.push_back({copy.id, std::nullopt, std::move(copy)});
    }
    // Joints among the originals are copied; those to other bodies are not.
    SceneData scene_data = scene_data_;
    for (const JointRecord& joint : scene_data_.joints) {
        const auto a = copy_of.find(uint32_t(joint.body_a)), b = copy_of.find(uint32_t(joint.body_b));
        if (a != copy_of.end() && b != copy_of.end()) scene_data.joints.push_back({a->second, b->second, joint.joint});
    }
    if (scene_data.joints.size() > scene_data_.joints.size())
        change.scene_data = Exchange<SceneData>{scene_data_, std::move(scene_data)};
    change.selection.after = ids;
    if (Result<void> done = commit(std::move(change)); !done) return Error{done.error()};
    return ids;
}

// ---- changes of what is there

Result<void> Document::rename(ItemId id, std::string name) {
    const BodyRecord* before = body(id);
    if (!before) return unknown_body();
    Change change;
    change.name = "Rename " + in_quotes(before->desc.name) + " to " + in_quotes(name);
    change.bodies.push_back({id, *before, *before});
    change.bodies[0].after->desc.name = std::move(name);
    return commit(std::move(change));
}

Result<void> Document::reorder(ItemId id, size_t index) {
    if (!body(id)) return unknown_body();
    if (index >= records_.size())
        return Error{"Index " + std::to_string(index) + " is behind the last of " +
                     counted(records_.size(), "body", "bodies") + ", counted from 0."};
    Change change;
    change.name = "Move " + in_quotes(body(id)->desc.name) + " in the list";
    change.order = Exchange<std::vector<ItemId>>{order(), order()};
    std::vector<ItemId>& after = change.order->after;
    std::erase(after, id);
    after.insert(after.begin() + std::ptrdiff_t(index), id);
    return commit(std::move(change));
}

Result<ItemId> Document::add_collider(ItemId id, const NewCollider& collider) {
    if (Result<void> free = check_unlocked(); !free) return Error{free.error()};
    const BodyRecord* before = body(id);
    if (!before) return unknown_body();
    const Result<uint32_t> shape = intern_shape(collider.shape);
    if (!shape) return Error{shape.error()};
    const ItemId collider_id = new_id();
    Change change;
    change.name = "Add a collider to " + in_quotes(before->desc.name);
    change.bodies.push_back({id, *before, *before});
    BodyRecord& after = *change.bodies[0].after;
    after.desc.colliders.push_back(collider.desc);
    after.desc.colliders.back().shape = shape.value();
    after.collider_ids.push_back(collider_id);
    change.selection.after = {collider_id};
    if (Result<void> done = commit(std::move(change)); !done) return Error{done.error()};
    return collider_id;
}

Result<void> Document::set_scene_data(std::string command, SceneData scene_data) {
    Change change;
    change.name = std::move(command);
    change.scene_data = Exchange<SceneData>{scene_data_, std::move(scene_data)};
    return commit(std::move(change));
}

// ---- joints

Result<void> Document::join(ItemId a, ItemId b, const physics::AnyJoint& joint) {
    if (!body(a) || !body(b)) return unknown_body();
    SceneData scene_data = scene_data_;
    scene_data.joints.push_back({a, b, joint});
    return set_scene_data("Join " + in_quotes(body(a)->desc.name) + " and " + in_quotes(body(b)->desc.name),
                          std::move(scene_data));
}

Result<void> Document::join(ItemId a, ItemId b) {
    if (!body(a) || !body(b)) return unknown_body();
    const SceneBody &first = body(a)->desc, &second = body(b)->desc;
    const Result<physics::AnyJoint> joint =
        new_joint(physics::BallJoint::kTypeName, {first.position, first.rotation}, {second.position, second.rotation},
                  joint_point(first, second), Vec3(0.0f, 1.0f, 0.0f));
    if (!joint) return Error{joint.error()};
    return join(a, b, *joint);
}

Result<void> Document::edit_joint(size_t index, const physics::AnyJoint& joint) {
    if (index >= scene_data_.joints.size()) return Error{"There is no such joint in the scene."};
    SceneData scene_data = scene_data_;
    scene_data.joints[index].joint = joint;
    return set_scene_data("Change a joint", std::move(scene_data));
}

Result<void> Document::remove_joint(size_t index) {
    if (index >= scene_data_.joints.size()) return Error{"There is no such joint in the scene."};
    SceneData scene_data = scene_data_;
    scene_data.joints.erase(scene_data.joints.begin() + std::ptrdiff_t(index));
    return set_scene_data("Delete a joint", std::move(scene_data));
}

Result<void> Document::edit_bodies(std::string command, std::span<const ItemId> ids,
                                   const std::function<Result<void>(BodyRecord&)>& edit) {
    if (Result<void> free = check_unlocked(); !free) return free;
    Change change;
    change.name = std::move(command);
    std::unordered_set<uint32_t> edited_already;
    for (const ItemId id : ids) {
        const BodyRecord* before = body(id);
        if (!before) return unknown_body();
        if (!edited_already.insert(uint32_t(id)).second) continue;
        change.bodies.push_back({id, *before, *before});
        BodyRecord& after = *change.bodies.back().after;
        if (Result<void> edited = edit(after); !edited) return edited;
        PX_ASSERT(after.id == id && after.collider_ids == change.bodies.back().before->collider_ids,
                  "an edit leaves ids alone");
    }
    return commit(std::move(change));
}

}  // namespace proxima::editor
