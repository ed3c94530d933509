// SPDX-License-Identifier: MIT
// A physics world that always looks like the edited scene, and who is who in both.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/core/result.h"
#include "physics/world.h"
#include "samples/editor/model/records.h"

namespace proxima::editor {

/// A body that becomes another, comes (before is nullptr) or goes (after is nullptr).
struct MirrorChange {
    ItemId id = ItemId::none;
    const BodyRecord* before = nullptr;
    const BodyRecord* after = nullptr;
};

class WorldMirror {
  public:
    WorldMirror();

    /// Makes the world anew from all bodies, in their order: as a program that loads the scene's file would
    /// make it, so that it plays the same. Cooked shapes are taken along unless `forget_shapes`. On failure
    /// the world stays as it was.
    Result<void> rebuild(const SceneFacts& facts, std::span<const BodyRecord> bodies, std::span<const ShapeDesc> shapes,
                         bool forget_shapes);
    /// All of the changes or, with a sentence for the first that the world refuses, none of them.
    Result<void> apply(std::span<const MirrorChange> changes, std::span<const ShapeDesc> shapes);
    Result<void> set_settings(const physics::StepSettings& settings);
    /// The joints between bodies that are there, after bodies or joints changed.
    void set_joints(const std::vector<JointRecord>& joints);
    /// The bodies are the same in another order: the world keeps its own until it is rebuilt.
    void note_new_order() { as_built_ = false; }

    physics::PhysicsWorld& world() { return *world_; }
    const physics::PhysicsWorld& world() const { return *world_; }
    /// Bodies and colliders; kNoEntity and ItemId::none for strangers.
    Entity entity_of(ItemId id) const;
    ItemId id_of(Entity entity) const;
    /// Whether the world is as rebuild() made it: nothing was applied since.
    bool is_as_built() const { return as_built_; }
    /// Grows with every world that replaces another: references to the old one are then dead.
    uint64_t generation() const { return generation_; }
    /// Whether the shape library holds many shapes that nothing uses any more.
    bool is_wasteful() const;

  private:
    struct Made {
        Entity body = kNoEntity;
        std::vector<Entity> colliders;
    };
    using CookedShapes = std::vector<std::vector<std::pair<Vec3, physics::ShapeId>>>;

    static Result<physics::ShapeId> cooked(physics::ShapeLibrary& library, CookedShapes& known, uint32_t shape,
                                           const Vec3& scale, std::span<const ShapeDesc> shapes);
    static Result<Made> make(physics::PhysicsWorld& world, CookedShapes& known, const BodyRecord& record,
                             std::span<const ShapeDesc> shapes);
    void update_in_place(Entity entity, const SceneBody& desc);
    void make_joints(const std::vector<JointRecord>& joints);
    void remember(const BodyRecord& record, const Made& made);
    void forget(const BodyRecord& record);

    std::unique_ptr<physics::PhysicsWorld> world_;
    CookedShapes cooked_;                             // by place in the scene's list: per scale
    std::unordered_map<uint32_t, Entity> entity_of_;  // by id; looked up, never walked
    std::unordered_map<uint32_t, ItemId> id_of_;      // by entity
    std::vector<JointRecord> joints_;
    std::vector<Entity> joint_entities_;  // beside joints_
    bool joints_lost_ = false;            // bodies with joints may have been made anew
    bool as_built_ = true;
    uint64_t generation_ = 1;
};

}  // namespace proxima::editor
