// SPDX-License-Identifier: MIT
// What an edited scene is made of: bodies under numbers that stay, and what the scene says of itself.
// Commands keep copies of these, so they are plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "physics/scene/scene.h"

namespace proxima::editor {

using physics::BodyType;
using physics::Entity;
using physics::kNoEntity;
using physics::SceneBody;
using physics::SceneCollider;
using physics::SceneDesc;
using physics::ShapeDesc;
using physics::ShapeType;

/// Number of a body or a collider. Given once, never again: undo and redo bring things back under theirs.
enum class ItemId : uint32_t { none = 0 };

struct BodyRecord {
    ItemId id = ItemId::none;
    SceneBody desc;
    std::vector<ItemId> collider_ids;  // beside desc.colliders
};

/// A joint between two bodies of the scene.
struct JointRecord {
    ItemId body_a = ItemId::none, body_b = ItemId::none;
    physics::AnyJoint joint;
};

/// The part of a scene that belongs to no body.
struct SceneFacts {
    std::string name;
    std::string description;
    physics::StepSettings settings;
    physics::SceneRun run;
    std::vector<JointRecord> joints;
};

/// Equal in every field: a command between equal states is none. Not by operator== on the scene's own types,
/// which would also have to say what equal means for a zero of either sign; here it is the file that counts.
bool same(const ShapeDesc& a, const ShapeDesc& b);
bool same(const SceneCollider& a, const SceneCollider& b);
bool same(const SceneBody& a, const SceneBody& b);
bool same(const BodyRecord& a, const BodyRecord& b);
bool same(const JointRecord& a, const JointRecord& b);
bool same(const std::vector<JointRecord>& a, const std::vector<JointRecord>& b);
bool same(const SceneFacts& a, const SceneFacts& b);

/// Memory that a record holds, with itself.
size_t bytes_of(const BodyRecord& record);
size_t bytes_of(const SceneFacts& facts);

/// Without joints, which name bodies by their ids here and by their places in a scene.
SceneFacts facts_of(const SceneDesc& scene);
void set_facts(SceneDesc& scene, const SceneFacts& facts);

/// The scene without shapes that no collider uses.
SceneDesc without_unused_shapes(const SceneDesc& scene);

/// "1 body", "3 bodies".
std::string counted(size_t count, const char* one, const char* many);

}  // namespace proxima::editor
