// SPDX-License-Identifier: MIT
#include "samples/editor/model/fields.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <vector>

#include "engine/core/assert.h"

namespace proxima::editor {

namespace {

/// What a selection means for a field: bodies, or colliders with the bodies they are on.
std::vector<ItemId> owners(const Document& document, const Field& field, std::span<const ItemId> ids) {
    std::vector<ItemId> out;
    std::unordered_set<uint32_t> known;
    const auto add = [&](ItemId id) {
        if (known.insert(uint32_t(id)).second) out.push_back(id);
    };
    for (const ItemId id : ids) {
        const ItemId body = document.body_of(id);
        if (body == ItemId::none) continue;
        if (field.of == FieldOf::body) {
            add(body);
        } else if (body != id) {
            add(id);
        } else {
            for (const ItemId collider : document.body(id)->collider_ids) add(collider);
        }
    }
    return out;
}

FieldSource source_of(const Document& document, const Field& field, ItemId id) {
    if (field.of == FieldOf::body) return {.body = &document.body(id)->desc};
    const SceneCollider* collider = document.collider(id);
    return {.collider = collider, .shape = &document.shape(collider->shape)};
}

bool applies(const Field& field, const FieldSource& source) { return !field.applies || field.applies(source); }

/// Which alternative of FieldValue a kind uses.
size_t alternative(FieldKind kind) {
    switch (kind) {
        case FieldKind::number:
            return 0;
        case FieldKind::whole:
        case FieldKind::bits:
            return 1;
        case FieldKind::toggle:
            return 2;
        case FieldKind::vector:
            return 3;
        case FieldKind::rotation:
            return 4;
        case FieldKind::text:
        case FieldKind::choice:
            return 5;
    }
    return 0;
}

Result<void> check_value(const Field& field, const FieldValue& value) {
    if (value.index() != alternative(field.kind))
        return Error{std::string(field.label) + " takes a value of another kind."};
    if (const auto* whole = std::get_if<int64_t>(&value))
        if (*whole < 0 || *whole > int64_t(std::numeric_limits<uint32_t>::max()))
            return Error{std::string(field.label) + " is " + std::to_string(*whole) +
                         "; it must be a whole number from 0 to 4294967295."};
    if (field.kind == FieldKind::choice) {
        const auto choices = field.choices();
        const auto& word = std::get<std::string>(value);
        if (std::find(choices.begin(), choices.end(), word) == choices.end()) {
            std::string known;
            for (const std::string_view choice : choices) known += (known.empty() ? "" : ", ") + std::string(choice);
            return Error{std::string(field.label) + " is '" + word + "'; it must be one of " + known + "."};
        }
    }
    return {};
}

std::string lower(std::string_view label) {
    std::string out(label);
    if (!out.empty()) out[0] = char(std::tolower(static_cast<unsigned char>(out[0])));
    return out;
}

using Write = std::function<void(const Field&, const FieldSource&, const FieldTarget&)>;

Result<void> write_scene_field(Document& document, const Field& field, const Write& write) {
    SceneFacts facts = document.facts();
    const FieldSource source{.facts = &document.facts()};
    write(field, source, FieldTarget{.facts = &facts});
    return document.set_facts("Set " + lower(field.label), std::move(facts));
}

/// Shapes are shared: a collider whose shape changes gets another one, and those that are not selected keep theirs.
Result<void> write_collider(Document& document, const Field& field, const Write& write, SceneCollider& collider) {
    ShapeDesc shape = document.shape(collider.shape);
    const SceneCollider before = collider;
    const FieldSource source{.collider = &before, .shape = &document.shape(before.shape)};
    if (!applies(field, source)) return {};
    write(field, source, FieldTarget{.collider = &collider, .shape = &shape});
    if (field.of != FieldOf::shape) return {};
    const Result<uint32_t> place = document.intern_shape(shape);
    if (!place) return Error{place.error()};
    collider.shape = *place;
    return {};
}

Result<void> write_fields(Document& document, const Field& field, std::span<const ItemId> ids, const Write& write) {
    if (field.of == FieldOf::scene) return write_scene_field(document, field, write);
    std::vector<ItemId> items = owners(document, field, ids);
    std::erase_if(items, [&](ItemId id) { return !applies(field, source_of(document, field, id)); });
    if (items.empty()) return Error{"Nothing that is selected has a " + lower(field.label) + "."};
    const bool of_bodies = field.of == FieldOf::body;
    std::string command = "Set " + lower(field.label) + " of ";
    if (items.size() > 1)
        command += of_bodies ? counted(items.size(), "body", "bodies") : counted(items.size(), "collider", "colliders");
    else
        command += "'" + document.body(document.body_of(items[0]))->desc.name + "'";
    std::vector<ItemId> bodies;
    std::unordered_set<uint32_t> chosen;
    for (const ItemId id : items) chosen.insert(uint32_t(id));
    for (const ItemId id : items)
        if (const ItemId body = document.body_of(id); bodies.empty() || bodies.back() != body) bodies.push_back(body);
    return document.edit_bodies(std::move(command), bodies, [&](BodyRecord& record) -> Result<void> {
        if (of_bodies) {
            const SceneBody before = record.desc;
            write(field, FieldSource{.body = &before}, FieldTarget{.body = &record.desc});
            return {};
        }
        for (size_t k = 0; k < record.collider_ids.size(); ++k) {
            if (!chosen.contains(uint32_t(record.collider_ids[k]))) continue;
            if (Result<void> written = write_collider(document, field, write, record.desc.colliders[k]); !written)
                return written;
        }
        return {};
    });
}

}  // namespace

FieldReading read_field(const Document& document, const Field& field, std::span<const ItemId> ids) {
    FieldReading reading;
    if (field.of == FieldOf::scene) {
        reading.applies = true;
        reading.value = field.get(FieldSource{.facts = &document.facts()});
        return reading;
    }
    for (const ItemId id : owners(document, field, ids)) {
        const FieldSource source = source_of(document, field, id);
        if (!applies(field, source)) continue;
        FieldValue value = field.get(source);
        if (reading.applies && value != reading.value) {
            reading.mixed = true;
            if (field.kind == FieldKind::vector)
                for (int axis = 0; axis < 3; ++axis)
                    if (std::get<Vec3>(value)[axis] != std::get<Vec3>(reading.value)[axis])
                        reading.mixed_axis[size_t(axis)] = true;
        }
        reading.applies = true;
        reading.value = std::move(value);
    }
    return reading;
}

Result<void> set_field(Document& document, const Field& field, std::span<const ItemId> ids, const FieldValue& value) {
    if (Result<void> good = check_value(field, value); !good) return good;
    return write_fields(document, field, ids, [&](const Field& row, const FieldSource&, const FieldTarget& target) {
        row.set(target, value);
    });
}

Result<void> set_field_axis(Document& document, const Field& field, std::span<const ItemId> ids, int axis,
                            float value) {
    PX_ASSERT(field.kind == FieldKind::vector && axis >= 0 && axis < 3, "an axis of a vector");
    return write_fields(document, field, ids,
                        [&](const Field& row, const FieldSource& source, const FieldTarget& target) {
                            Vec3 vector = std::get<Vec3>(row.get(source));
                            vector[axis] = value;
                            row.set(target, vector);
                        });
}

// ---- angles

/// R = Rz Ry Rx. Where y is +-90 degrees, x and z turn about the same axis: z is then 0.
Vec3 to_degrees(const Quat& rotation) {
    const glm::dmat3 m = glm::mat3_cast(glm::normalize(glm::dquat(rotation.w, rotation.x, rotation.y, rotation.z)));
    const double sin_y = std::clamp(-m[0][2], -1.0, 1.0);
    glm::dvec3 angles(0.0, std::asin(sin_y), 0.0);
    if (std::abs(sin_y) < 1.0 - 1e-9) {
        angles.x = std::atan2(m[1][2], m[2][2]);
        angles.z = std::atan2(m[0][1], m[0][0]);
    } else {
        angles.x = std::atan2(sin_y * m[1][0], m[1][1]);
    }
    return Vec3(glm::degrees(angles));
}

Quat from_degrees(const Vec3& angles) {
    const glm::dvec3 half = 0.5 * glm::radians(glm::dvec3(angles));
    const glm::dquat x(std::cos(half.x), std::sin(half.x), 0.0, 0.0), y(std::cos(half.y), 0.0, std::sin(half.y), 0.0),
        z(std::cos(half.z), 0.0, 0.0, std::sin(half.z));
    const glm::dquat q = z * y * x;
    return Quat(float(q.w), float(q.x), float(q.y), float(q.z));
}

}  // namespace proxima::editor
