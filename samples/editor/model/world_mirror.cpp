// SPDX-License-Identifier: MIT
#include "samples/editor/model/world_mirror.h"

#include <algorithm>
#include <string>

#include "engine/core/assert.h"

namespace proxima::editor {

using physics::PhysicsWorld;
using physics::ShapeId;

namespace {

uint32_t key_of(Entity entity) { return uint32_t(entity); }

/// Whether the change is one of components alone: same colliders, same kind of body, same mass.
bool keeps_structure(const BodyRecord& a, const BodyRecord& b) {
    return a.desc.type == b.desc.type && a.desc.mass == b.desc.mass && a.collider_ids == b.collider_ids &&
           std::equal(a.desc.colliders.begin(), a.desc.colliders.end(), b.desc.colliders.begin(),
                      b.desc.colliders.end(),
                      [](const SceneCollider& x, const SceneCollider& y) { return same(x, y); });
}

std::string named(const SceneBody& desc) {
    return desc.name.empty() ? std::string("The body") : "Body '" + desc.name + "'";
}

}  // namespace

WorldMirror::WorldMirror() : world_(std::make_unique<PhysicsWorld>()) {}

Result<ShapeId> WorldMirror::cooked(physics::ShapeLibrary& library, CookedShapes& known, uint32_t shape,
                                    const Vec3& scale, std::span<const ShapeDesc> shapes) {
    if (known.size() < shapes.size()) known.resize(shapes.size());
    for (const auto& [known_scale, id] : known[shape])
        if (known_scale == scale) return id;
    const bool plain = scale == Vec3(1.0f, 1.0f, 1.0f);
    const Result<ShapeId> id = plain ? library.add(shapes[shape]) : library.add_scaled(shapes[shape], scale);
    if (id) known[shape].emplace_back(scale, id.value());
    return id;
}

Result<WorldMirror::Made> WorldMirror::make(PhysicsWorld& world, CookedShapes& known, const BodyRecord& record,
                                            std::span<const ShapeDesc> shapes) {
    const SceneBody& desc = record.desc;
    physics::BodyDesc wanted = physics::to_body_desc(desc);
    for (const SceneCollider& from : desc.colliders) {
        const Result<ShapeId> shape = cooked(world.shapes(), known, from.shape, from.scale, shapes);
        if (!shape) return Error{named(desc) + ": " + shape.error()};
        wanted.colliders.push_back(physics::to_collider(from, shape.value()));
        wanted.contact_rules.push_back(physics::to_contact_rules(from));
    }
    const Result<Entity> body = world.create_body(wanted);
    if (!body) return Error{named(desc) + ": " + body.error()};
    return Made{body.value(), world.colliders(body.value())};
}

Result<void> WorldMirror::rebuild(const SceneData& scene_data, std::span<const BodyRecord> bodies,
                                  std::span<const ShapeDesc> shapes, bool forget_shapes) {
    auto fresh = std::make_unique<PhysicsWorld>();
    CookedShapes known;
    if (!forget_shapes) {
        fresh->shapes() = world_->shapes();
        known = cooked_;
    }
    if (Result<void> set = fresh->set_settings(scene_data.settings); !set) return set;
    std::vector<Made> made;
    made.reserve(bodies.size());
    for (const BodyRecord& record : bodies) {
        Result<Made> body = make(*fresh, known, record, shapes);
        if (!body) return Error{body.error()};
        made.push_back(std::move(*body));
    }
    world_ = std::move(fresh);
    cooked_ = std::move(known);
    entity_of_.clear();
    id_of_.clear();
    for (size_t i = 0; i < bodies.size(); ++i) remember(bodies[i], made[i]);
    make_joints(scene_data.joints);
    as_built_ = true;
    ++generation_;
    return {};
}

Result<void> WorldMirror::apply(std::span<const MirrorChange> changes, std::span<const ShapeDesc> shapes) {
    // First everything that can be refused, beside what is there; then the old bodies go.
    std::vector<Made> made(changes.size());
    for (size_t i = 0; i < changes.size(); ++i) {
        const MirrorChange& change = changes[i];
        if (!change.after || (change.before && keeps_structure(*change.before, *change.after))) continue;
        Result<Made> body = make(*world_, cooked_, *change.after, shapes);
        if (!body) {
            for (const Made& back : made)
                if (back.body != kNoEntity) world_->destroy_body(back.body);
            return Error{body.error()};
        }
        made[i] = std::move(*body);
    }
    for (size_t i = 0; i < changes.size(); ++i) {
        const MirrorChange& change = changes[i];
        if (change.before && change.after && made[i].body == kNoEntity) {
            update_in_place(entity_of(change.id), change.after->desc);
            continue;
        }
        if (change.before) {
            world_->destroy_body(entity_of(change.id));
            joints_lost_ = true;
            forget(*change.before);
        }
        if (change.after) remember(*change.after, made[i]);
    }
    if (!changes.empty()) as_built_ = false;
    return {};
}

void WorldMirror::update_in_place(Entity entity, const SceneBody& desc) {
    entt::registry& registry = world_->registry();
    registry.get<physics::Pose>(entity) = {desc.position, glm::normalize(desc.rotation)};
    if (desc.type != BodyType::fixed)
        registry.get<physics::Velocity>(entity) = {desc.linear_velocity, desc.angular_velocity};
    registry.replace<physics::RigidBody>(entity, physics::to_body_desc(desc).rigid_body());
}

Result<void> WorldMirror::set_settings(const physics::StepSettings& settings) { return world_->set_settings(settings); }

void WorldMirror::set_joints(const std::vector<JointRecord>& joints) {
    if (!joints_lost_ && same(joints, joints_)) return;
    for (const Entity joint : joint_entities_) world_->destroy_joint(joint);
    make_joints(joints);
    as_built_ = false;
}

void WorldMirror::make_joints(const std::vector<JointRecord>& joints) {
    joints_ = joints;
    joint_entities_.clear();
    joints_lost_ = false;
    for (const JointRecord& record : joints) {
        const Result<Entity> made =
            physics::create_joint(*world_, record.joint, entity_of(record.body_a), entity_of(record.body_b));
        PX_ASSERT(made.ok(), "joints of a document have been checked");
        joint_entities_.push_back(made.value());
    }
}

void WorldMirror::remember(const BodyRecord& record, const Made& made) {
    entity_of_[uint32_t(record.id)] = made.body;
    id_of_[key_of(made.body)] = record.id;
    for (size_t k = 0; k < made.colliders.size(); ++k) {
        entity_of_[uint32_t(record.collider_ids[k])] = made.colliders[k];
        id_of_[key_of(made.colliders[k])] = record.collider_ids[k];
    }
}

void WorldMirror::forget(const BodyRecord& record) {
    const auto drop = [&](ItemId id) {
        const auto found = entity_of_.find(uint32_t(id));
        if (found == entity_of_.end()) return;
        id_of_.erase(key_of(found->second));
        entity_of_.erase(found);
    };
    drop(record.id);
    for (const ItemId collider : record.collider_ids) drop(collider);
}

Entity WorldMirror::entity_of(ItemId id) const {
    const auto found = entity_of_.find(uint32_t(id));
    return found == entity_of_.end() ? kNoEntity : found->second;
}

ItemId WorldMirror::id_of(Entity entity) const {
    const auto found = id_of_.find(key_of(entity));
    return found == id_of_.end() ? ItemId::none : found->second;
}

bool WorldMirror::is_wasteful() const { return world_->shapes().size() > 256 + 4 * entity_of_.size(); }

}  // namespace proxima::editor
