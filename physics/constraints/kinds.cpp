// SPDX-License-Identifier: MIT
// The table of kinds. A new kind is one folder beside this file, one name in kind_id.h and one row here.
#include "physics/constraints/kinds.h"

#include <array>

#include "physics/constraints/ball_joint/ball_joint_kind.h"
#include "physics/constraints/contact/contact_kind.h"

namespace proxima::physics {

const ConstraintKind& kind_row(KindId kind) {
    static const std::array<ConstraintKind, kKindCount> table = {
        contact_row<1>(), contact_row<2>(), contact_row<3>(), contact_row<4>(), ball_joint_row(),
    };
    return table[size_t(kind)];
}

const ConstraintKind* joint_row(const entt::registry& registry, Entity entity) {
    for (uint32_t kind = 0; kind < kKindCount; ++kind)
        if (const ConstraintKind& row = kind_row(KindId(kind)); row.owns && row.owns(registry, entity)) return &row;
    return nullptr;
}

const char* check_joint_bodies(const entt::registry& registry, const JointBodies& bodies) {
    for (const Entity body : {bodies.a, bodies.b})
        if (!registry.valid(body) || !registry.all_of<RigidBody, StableId>(body))
            return "A joint needs two existing bodies.";
    return bodies.a == bodies.b ? "A joint needs two different bodies." : nullptr;
}

const char* check_joint(const ConstraintKind& row, const entt::registry& registry, Entity joint) {
    const char* fault = check_joint_bodies(registry, row.bodies(registry, joint));
    return fault ? fault : row.check(registry, joint);
}

}  // namespace proxima::physics
