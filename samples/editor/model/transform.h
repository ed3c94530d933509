// SPDX-License-Identifier: MIT
// Moving, turning and scaling what is selected: measured from where everything was when the drag began, so a
// long drag is as exact as a short one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "samples/editor/model/document.h"

namespace proxima::editor {

enum class PivotKind : uint8_t {
    middle,   // of the selected
    primary,  // the last selected
    each,     // everything about its own origin
    origin,   // of the world
};
enum class AxisSpace : uint8_t { world, local };

struct TransformDelta {
    Vec3 move{0.0f, 0.0f, 0.0f};            // world
    Quat rotation{1.0f, 0.0f, 0.0f, 0.0f};  // world, about the pivot
    Vec3 scale{1.0f, 1.0f, 1.0f};           // along the axes of the frame, about the pivot
};

class SelectionTransform {
  public:
    /// Bodies and colliders; colliders of bodies that are in the list too move with them.
    SelectionTransform(const Document& document, std::span<const ItemId> ids, PivotKind pivot, AxisSpace space);

    bool empty() const { return items_.empty(); }
    /// Where a gizmo belongs, and how its axes are turned: the primary item's own in local space.
    Vec3 pivot() const { return pivot_; }
    Quat axes() const { return axes_; }

    /// The state at the start, changed by `delta`; one command, "Move 3 bodies". What a body cannot be scaled
    /// by it is scaled by as nearly as it can: boxes and hulls stretch along their own axes, round shapes by
    /// the geometric mean, half-spaces not at all.
    Result<void> apply(Document& document, const TransformDelta& delta) const;

  private:
    struct Item {
        ItemId id = ItemId::none;  // body or collider
        ItemId body = ItemId::none;
        Transform pose;  // in the world, at the start
        Vec3 own_pivot{0.0f, 0.0f, 0.0f};
    };
    Transform moved(const Item& item, const TransformDelta& delta) const;
    std::string command(const TransformDelta& delta, const Document& document) const;

    std::vector<Item> items_;
    std::vector<BodyRecord> start_;  // of every body that has an item
    Vec3 pivot_{0.0f, 0.0f, 0.0f};
    Quat axes_{1.0f, 0.0f, 0.0f, 0.0f};
    AxisSpace space_ = AxisSpace::world;
};

}  // namespace proxima::editor
