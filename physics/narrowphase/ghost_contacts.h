// SPDX-License-Identifier: MIT
// Ghost contacts: solids that lie flush, such as the boxes of a floor, have edges and faces between them that nothing can
// touch from outside. Each pair of shapes alone does not know that, and what goes over such an internal edge would be caught
// by it. Here the solids around a contact are asked, and what they hide is taken out.
#pragma once

#include <span>

#include "physics/narrowphase/collide.h"

namespace proxima::physics {

struct PlacedShape {
    const Shape* shape = nullptr;
    const Transform* pose = nullptr;
};

/// Whether a shape is made of faces, so that it can hide contacts and have hidden ones: a box, a hull, a half-space.
bool has_faces(const Shape& shape);

/// How far solids may be out of line or apart and still count as flush, in radii of the smallest one that takes part.
inline constexpr float kSeamTolerance = 0.01f;

/// Takes the ghost contacts out of the manifold of `mover` and `solid`; false when nothing is left. `neighbours` cannot move
/// relative to the solid, and the mover collides with them, too; all of them have faces. Where all contacts are ghosts, the mover may still rest on the
/// face of the solid that goes on where that of a neighbour ends: contacts nearer than `margin` are made with that face.
bool remove_ghost_contacts(const PlacedShape& mover, const PlacedShape& solid, bool solid_is_b,
                           std::span<const PlacedShape> neighbours, float margin, RawManifold& manifold);

}  // namespace proxima::physics
