// SPDX-License-Identifier: MIT
// What the tests of the editor share: shapes, small documents, and looking into both of their halves.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "samples/editor/model/document.h"

namespace proxima::test {

using namespace proxima::editor;

inline ShapeDesc box_shape(const Vec3& half = Vec3(0.5f)) {
    ShapeDesc shape;
    shape.type = ShapeType::box;
    shape.half_extents = half;
    return shape;
}
inline ShapeDesc sphere_shape(float radius = 0.5f) {
    ShapeDesc shape;
    shape.type = ShapeType::sphere;
    shape.radius = radius;
    return shape;
}
inline ShapeDesc capsule_shape(float radius = 0.25f, float half_height = 0.5f) {
    ShapeDesc shape;
    shape.type = ShapeType::capsule;
    shape.radius = radius;
    shape.half_height = half_height;
    return shape;
}
inline ShapeDesc hull_shape() {
    ShapeDesc shape;
    shape.type = ShapeType::hull;
    shape.points = {{-0.5f, -0.5f, -0.5f}, {0.5f, -0.5f, -0.5f}, {0.0f, -0.5f, 0.5f}, {0.0f, 0.5f, 0.0f}};
    return shape;
}
inline ShapeDesc half_space_shape() {
    ShapeDesc shape;
    shape.type = ShapeType::half_space;
    return shape;
}

/// A value, with its sentence when there is none.
template <class T>
T take(Result<T> result) {
    REQUIRE_MESSAGE(result.ok(), result.error());
    return std::move(result).value();
}
inline void done(const Result<void>& result) { REQUIRE_MESSAGE(result.ok(), result.error()); }
inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A floor and a tower of boxes on it.
inline std::vector<ItemId> make_tower(Document& document, int height, float gap = 0.0f) {
    std::vector<ItemId> ids;
    ids.push_back(take(document.create_body(box_shape({20.0f, 1.0f, 20.0f}), BodyType::fixed, {0.0f, -1.0f, 0.0f})));
    for (int i = 0; i < height; ++i)
        ids.push_back(
            take(document.create_body(box_shape(), BodyType::dynamic, {0.0f, 0.5f + float(i) * (1.0f + gap), 0.0f})));
    return ids;
}

/// The world says of every body and collider what the document says.
inline void check_mirror(Document& document) {
    const entt::registry& registry = document.world().registry();
    CHECK(document.world().bodies().size() == document.bodies().size());
    size_t colliders = 0;
    for (const BodyRecord& record : document.bodies()) {
        const Entity entity = document.entity_of(record.id);
        REQUIRE(registry.valid(entity));
        CHECK(document.id_of(entity) == record.id);
        CHECK(document.body(record.id) == &record);
        CHECK(registry.get<physics::Pose>(entity).position == record.desc.position);
        CHECK(registry.get<physics::RigidBody>(entity).type == record.desc.type);
        CHECK(registry.get<physics::RigidBody>(entity).gravity_scale == record.desc.gravity_scale);
        REQUIRE(record.collider_ids.size() == record.desc.colliders.size());
        for (size_t k = 0; k < record.collider_ids.size(); ++k) {
            const Entity collider = document.entity_of(record.collider_ids[k]);
            REQUIRE(registry.valid(collider));
            CHECK(document.id_of(collider) == record.collider_ids[k]);
            CHECK(document.body_of(record.collider_ids[k]) == record.id);
            const auto& c = registry.get<physics::Collider>(collider);
            CHECK(c.body == entity);
            CHECK(c.material.friction == record.desc.colliders[k].material.friction);
            CHECK(document.world().shapes().get(c.shape).type == document.shape(record.desc.colliders[k].shape).type);
            ++colliders;
        }
    }
    CHECK(registry.view<physics::Collider>().size() == colliders);
    CHECK(document.world().settings().substeps == document.scene_data().settings.substeps);
}

inline std::string text_of(const Document& document) { return physics::write_scene(document.scene()); }

}  // namespace proxima::test
