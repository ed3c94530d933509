// SPDX-License-Identifier: MIT
// What happened between colliders in a step, read as arrays after it.
#pragma once

#include <vector>

#include "physics/components.h"

namespace proxima::physics {

struct ContactBegin {
    Entity pair, collider_a, collider_b, body_a, body_b;
};
static_assert(sizeof(ContactBegin) == 20);
struct ContactEnd {
    Entity collider_a, collider_b, body_a, body_b;
};
static_assert(sizeof(ContactEnd) == 16);
/// A contact that closed faster than the world's hit speed, with the impulse that the solver really applied.
struct ContactHit {
    Entity pair, collider_a, collider_b, body_a, body_b;
    Vec3 point;                    // world
    Vec3 normal;                   // from a to b
    float approach_speed = 0.0f;   // m/s
    float normal_impulse = 0.0f;   // N s, whole manifold, whole step
    float tangent_impulse = 0.0f;  // N s, length of the summed friction impulse
};
static_assert(sizeof(ContactHit) == 56);

/// The events of the last step, in the order of the pairs' stable ids.
struct Events {
    std::vector<ContactBegin> begin;
    std::vector<ContactEnd> end;
    std::vector<ContactHit> hit;

    void clear() {
        begin.clear();
        end.clear();
        hit.clear();
    }
    template <class Archive>
    void visit(Archive& archive) {
        archive.derived(begin, end, hit);
    }
};

}  // namespace proxima::physics
