// SPDX-License-Identifier: MIT
#include "physics/joints/joint_classes.h"

#include <array>

#include "physics/joints/joint_types.h"

namespace proxima::physics {

namespace {

template <class Joint>
JointClass class_of() {
    JointClass row;
    row.name = Joint::kTypeName;
    row.list = [](const entt::registry& registry, std::vector<Entity>& out) {
        for (const Entity entity : registry.view<const Joint, const StableId>()) out.push_back(entity);
    };
    row.owns = [](const entt::registry& registry, Entity entity) { return registry.all_of<Joint>(entity); };
    row.bodies = [](const entt::registry& registry, Entity entity) {
        const Joint& joint = registry.get<Joint>(entity);
        return JointBodies{joint.body_a, joint.body_b};
    };
    row.check = [](const entt::registry& registry, Entity entity) { return check_fields(registry.get<Joint>(entity)); };
    row.describe = [](const entt::registry& registry, Entity entity, JointData& out) {
        const Joint& joint = registry.get<Joint>(entity);
        describe(joint, out);
        out.collide_connected = joint.collide_connected != 0;
    };
    return row;
}

template <class... Joint>
std::span<const JointClass> classes_of(TypeList<Joint...>) {
    static const std::array<JointClass, sizeof...(Joint)> table = {class_of<Joint>()...};
    return table;
}

}  // namespace

std::span<const JointClass> joint_classes() { return classes_of(JointTypes{}); }

const JointClass* joint_class_of(const entt::registry& registry, Entity entity) {
    for (const JointClass& row : joint_classes())
        if (row.owns(registry, entity)) return &row;
    return nullptr;
}

const char* check_joint_bodies(const entt::registry& registry, const JointBodies& bodies) {
    for (const Entity body : {bodies.a, bodies.b})
        if (!registry.valid(body) || !registry.all_of<RigidBody, StableId>(body))
            return "A joint needs two existing bodies.";
    if (bodies.a == bodies.b) return "A joint needs two different bodies.";
    return nullptr;
}

const char* check_joint(const JointClass& row, const entt::registry& registry, Entity joint) {
    const char* fault = check_joint_bodies(registry, row.bodies(registry, joint));
    return fault ? fault : row.check(registry, joint);
}

}  // namespace proxima::physics
