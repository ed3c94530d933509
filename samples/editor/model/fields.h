// SPDX-License-Identifier: MIT
// Every field of a scene as a row of a table: label, unit, range, step, tooltip, how to read and how to write
// it. An inspector is a loop over the table.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "engine/core/result.h"
#include "samples/editor/model/document.h"

namespace proxima::editor {

enum class FieldKind : uint8_t {
    number,    // double
    whole,     // int64_t
    toggle,    // bool
    vector,    // Vec3
    rotation,  // Quat; shown as angles with to_degrees()
    text,      // std::string
    choice,    // std::string, one of choices()
    bits,      // int64_t, shown as 32 boxes
};

using FieldValue = std::variant<double, int64_t, bool, Vec3, Quat, std::string>;

/// What a field belongs to. Fields of bodies, colliders and shapes are asked with ids; the others are the scene's
/// own.
enum class FieldOf : uint8_t { body, collider, shape, scene };

/// What a row reads or writes: those parts that its FieldOf says.
struct FieldSource {
    const SceneFacts* facts = nullptr;
    const SceneBody* body = nullptr;
    const SceneCollider* collider = nullptr;
    const ShapeDesc* shape = nullptr;
};
struct FieldTarget {
    SceneFacts* facts = nullptr;
    SceneBody* body = nullptr;
    SceneCollider* collider = nullptr;
    ShapeDesc* shape = nullptr;
};

struct Field {
    std::string_view key;    // "body.gravity_scale": never changes, for scripts and stored layouts
    std::string_view group;  // heading in the inspector
    std::string_view label;
    std::string_view unit;  // "m", "kg", or empty
    std::string_view tooltip;
    FieldOf of = FieldOf::body;
    FieldKind kind = FieldKind::number;
    double low = 0.0,
           high = 0.0;  // what a slider offers; typed values may go beyond, as far as the scene allows
    double step = 0.0;  // of a drag by one pixel
    std::function<FieldValue(const FieldSource& source)> get;
    std::function<void(const FieldTarget& target, const FieldValue& value)> set;
    std::span<const std::string_view> (*choices)() = nullptr;  // of FieldKind::choice
    std::function<bool(const FieldSource& source)> applies;    // empty: always
};

std::span<const Field> field_table();
/// nullptr when there is none.
const Field* find_field(std::string_view key);

/// A field of everything that is asked about.
struct FieldReading {
    bool applies = false;                                 // to at least one; otherwise the rest means nothing
    bool mixed = false;                                   // not all have the same value
    std::array<bool, 3> mixed_axis{false, false, false};  // of a vector, component by component
    FieldValue value;                                     // of the last, which is the primary one
};

/// `ids` as the selection gives them: bodies for fields of bodies; for fields of colliders and shapes
/// colliders, and bodies stand for all of theirs. Fields of the scene need none.
FieldReading read_field(const Document& document, const Field& field, std::span<const ItemId> ids);

/// One command, "Set friction of 3 colliders". Those to which the field does not apply are left out. A value
/// of another kind, of an unknown choice or one that the scene refuses gets a sentence.
Result<void> set_field(Document& document, const Field& field, std::span<const ItemId> ids, const FieldValue& value);
/// One component of a vector; the others stay what they are for each.
Result<void> set_field_axis(Document& document, const Field& field, std::span<const ItemId> ids, int axis, float value);

/// Angles about x, y and z in degrees, applied in the order x, y, z about fixed axes; y within +-90.
Vec3 to_degrees(const Quat& rotation);
Quat from_degrees(const Vec3& angles);

}  // namespace proxima::editor
