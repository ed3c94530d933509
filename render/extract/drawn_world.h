// SPDX-License-Identifier: MIT
// What a picture needs of a world, copied after a step: a picture is then made while the next step runs, and
// between the last two steps.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/math.h"
#include "physics/components.h"

namespace proxima::render {

using physics::Entity;

inline constexpr uint32_t kNobody = 0xFFFFFFFFu;

struct DrawnBody {
    Entity entity = physics::kNoEntity;
    uint32_t order = 0;  // its StableId
    Transform pose;
    physics::BodyType type = physics::BodyType::fixed;
    bool asleep = false;
    bool quarantined = false;
};

struct DrawnCollider {
    uint32_t body = 0;  // into bodies
    physics::ShapeId shape = physics::kNoShape;
    Transform local;
};

struct DrawnWorld {
    std::vector<DrawnBody> bodies;
    std::vector<DrawnCollider> colliders;
    std::vector<uint32_t> body_of_entity;  // by entity index

    /// Into bodies, or kNobody.
    uint32_t find(Entity entity) const;
};

/// Bodies and colliders of a registry with the components of physics. `out` keeps its memory.
void copy_world(const entt::registry& registry, DrawnWorld& out);

/// The box around what moves, with the fixed things that are not much larger; empty (lower above upper) when
/// there is nothing. What a camera should show.
Aabb scene_bounds(const DrawnWorld& world, const physics::ShapeLibrary& shapes);

/// The last two steps.
class PoseHistory {
  public:
    /// After every step.
    void note_step(const entt::registry& registry);
    /// The same with a copy that was made elsewhere; `copied` gets the one that is no longer needed.
    void note_step(DrawnWorld& copied);
    /// After a restore, or when the world was edited: there is no motion to be shown.
    void begin_anew(const entt::registry& registry);
    /// A body that was put elsewhere: it does not fly there.
    void jump(Entity body);

    const DrawnWorld& now() const { return now_; }
    /// Where body i of now() is, alpha 0: at the step before the last, 1: at the last.
    Transform at(uint32_t i, float alpha) const;

  private:
    void match();

    DrawnWorld now_, before_;
    std::vector<uint32_t> body_before_;  // of each body of now_, into before_.bodies; or kNobody
};

/// Positions on the straight line, rotations on the shorter arc.
Transform interpolate(const Transform& from, const Transform& to, float t);

}  // namespace proxima::render
