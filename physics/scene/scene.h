// SPDX-License-Identifier: MIT
// A scene as plain data: what a scene file holds, what built-in scenes produce, and what fills a world.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "physics/components.h"
#include "physics/joints/joint_types.h"
#include "physics/settings.h"

namespace proxima::physics {

class PhysicsWorld;
struct BodyDesc;

struct SceneCollider {
    uint32_t shape = 0;  // index into SceneDesc::shapes
    Vec3 position{0.0f, 0.0f, 0.0f};
    Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
    Vec3 scale{1.0f, 1.0f, 1.0f};
    Material material;
    float density = 1000.0f;
    uint32_t layer = 1;
    uint32_t mask = 0xFFFFFFFFu;
    int32_t group = 0;  // from -32768 to 32767
    bool sensor = false;
    bool touch_events = true, hit_events = true;
    bool modifiable = false;
    ContactRules rules{};  // `modifiable` and `broken` are not read
};

struct SceneBody {
    std::string name;
    BodyType type = BodyType::dynamic;
    Vec3 position{0.0f, 0.0f, 0.0f};
    Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};
    Vec3 linear_velocity{0.0f, 0.0f, 0.0f};
    Vec3 angular_velocity{0.0f, 0.0f, 0.0f};
    float mass = 0.0f;  // kg; 0: from the densities of the colliders. Scales their inertia.
    float gravity_scale = 1.0f;
    float linear_damping = 0.0f;
    float angular_damping = 0.0f;
    bool allow_sleep = true;
    float max_linear_speed = 0.0f, max_angular_speed = 0.0f;                         // m/s, rad/s; 0: none
    bool lock_rotation_x = false, lock_rotation_y = false, lock_rotation_z = false;  // about axes of the world
    std::vector<SceneCollider> colliders;
};

/// A joint between two bodies of the scene, of any kind; the bodies that it names itself are filled in.
struct SceneJoint {
    uint32_t body_a = 0, body_b = 0;  // indices into SceneDesc::bodies
    AnyJoint joint;
};

/// What `proxima run` measures on a scene.
struct SceneRun {
    float dt = 1.0f / 60.0f;
    uint32_t steps = 1200;
    uint32_t settled_from = 600;   // drift is measured from this step to the end
    bool stands_test = false;      // the report says whether everything still stands
    float stand_tolerance = 0.5f;  // m, no body may have moved farther from its start
};

struct SceneDesc {
    static constexpr uint32_t kVersion = 1;
    std::string name;
    std::string description;
    StepSettings settings;
    SceneRun run;
    std::vector<ShapeDesc> shapes;
    std::vector<SceneBody> bodies;
    std::vector<SceneJoint> joints;
};

/// How shapes are checked: their sizes are judged by cooking them, which takes its time for hulls.
enum class ShapeCheck : uint8_t {
    cook,
    known,  // they were cooked before; only what is made of them is checked
};

/// A sentence for the first value that makes no sense, named by its path, such as bodies[3].colliders[0].scale.
Result<void> check(const SceneDesc& scene, ShapeCheck shapes = ShapeCheck::cook);

/// Takes over the scene's settings and makes its bodies and joints in a world, in the order of the file; the entities
/// come back in the same order. The scene goes through check() first; on failure the world is as it was.
Result<std::vector<Entity>> instantiate(const SceneDesc& scene, PhysicsWorld& world);
/// What instantiate makes a body from, for programs that make them one by one; its colliders are not in it, since they
/// need the ids of cooked shapes.
BodyDesc to_body_desc(const SceneBody& body);
Collider to_collider(const SceneCollider& collider, ShapeId shape);
ContactRules to_contact_rules(const SceneCollider& collider);

/// A joint of any kind between two bodies of a world.
Result<Entity> create_joint(PhysicsWorld& world, const AnyJoint& joint, Entity body_a, Entity body_b);

/// Scene files: JSON, see docs/scene-format.md. Errors name the file, and the line or the path of the offending
/// value.
Result<SceneDesc> parse_scene(const std::string& text, const std::string& source_name);
Result<SceneDesc> load_scene(const std::string& file);
std::string write_scene(const SceneDesc& scene);
Result<void> save_scene(const SceneDesc& scene, const std::string& file);

}  // namespace proxima::physics
