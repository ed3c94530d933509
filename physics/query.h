// SPDX-License-Identifier: MIT
// Rays against shapes and against the colliders of a world: exact for every shape there is, for picking with
// a pointer, line of sight and tests. Asked between two steps; nothing of the world changes.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "engine/core/math.h"
#include "physics/components.h"
#include "physics/shapes/shape.h"
#include "physics/shapes/shape_ray.h"

namespace proxima::physics {

class PhysicsWorld;

/// A half line. The direction may have any length but zero; distances are metres all the same.
struct Ray {
    Vec3 origin{0.0f, 0.0f, 0.0f};
    Vec3 direction{0.0f, 0.0f, -1.0f};
};

struct RayHit {
    float distance = 0.0f;  // m along the ray
    Vec3 position{0.0f, 0.0f, 0.0f};
    Vec3 normal{0.0f, 1.0f, 0.0f};  // of the surface, outward, unit
    uint32_t part = 0;              // of a composite shape: the one that was hit
};

inline constexpr float kNoRayLimit = std::numeric_limits<float>::infinity();

/// Where a ray enters a placed shape, not farther than `limit` metres. Nothing for a ray without direction or
/// with numbers that are not finite, or for a limit below zero.
std::optional<RayHit> ray_cast(const Shape& shape, const Transform& pose, const Ray& ray, float limit = kNoRayLimit,
                               RayStart start = RayStart::hits);

struct WorldRayHit {
    Entity body = kNoEntity;
    Entity collider = kNoEntity;
    RayHit hit;
};

/// The first collider on one of the layers in `mask`; sensors are nothing that a ray could meet. Of several at the same distance the one that was made
/// first. Looks at every collider where it is now, also before the first step: bodies moved by hand since the
/// last step are seen where they were put.
std::optional<WorldRayHit> ray_cast(const PhysicsWorld& world, const Ray& ray, float limit = kNoRayLimit,
                                    uint32_t mask = 0xFFFFFFFFu, RayStart start = RayStart::hits);

}  // namespace proxima::physics
