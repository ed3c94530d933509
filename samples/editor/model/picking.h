// SPDX-License-Identifier: MIT
// Which body a pointer is on, while worlds stand still and while they are stepped on another thread: there by
// the shapes, which never change, and the poses of the last frame.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "physics/query.h"
#include "samples/editor/model/document.h"
#include "samples/editor/model/gizmo.h"

namespace proxima::editor {

struct PickHit {
    ItemId body = ItemId::none, collider = ItemId::none;
    uint32_t place = 0;  // of the body in the scene
    float distance = 0.0f;
    Vec3 position{0.0f, 0.0f, 0.0f};
    Vec3 normal{0.0f, 1.0f, 0.0f};
    Vec3 local{0.0f, 0.0f, 0.0f};  // the point in the body's frame
};

/// In a world that nobody steps: what the document shows. Shapes that the eye is inside of are not met.
std::optional<PickHit> pick(const Document& document, const Ray& ray);

/// The colliders of a document at the start of a play.
class PickList {
  public:
    PickList() = default;
    /// Shapes are those of the document's world, which must live as long as the list is used.
    explicit PickList(const Document& document);

    /// `poses` by place in the scene.
    std::optional<PickHit> pick(std::span<const physics::Pose> poses, const Ray& ray) const;

  private:
    struct Entry {
        uint32_t place = 0;
        ItemId body = ItemId::none, collider = ItemId::none;
        const physics::Shape* shape = nullptr;
        Transform local;
    };
    std::vector<Entry> entries_;  // in the order of the scene
};

/// All bodies whose origin lies in a rectangle of the picture, given by two corners in pixels.
std::vector<ItemId> pick_rectangle(const Document& document, const View& view, float width, const Vec2& corner,
                                   const Vec2& opposite);

/// Where a body that is held at `held` is pulled to: the point of the ray in the plane through `held` that
/// faces the view.
std::optional<Vec3> drag_target(const View& view, const Vec3& held, const Ray& ray);

}  // namespace proxima::editor
