// SPDX-License-Identifier: MIT
#include "samples/editor/model/records.h"

#include <algorithm>
#include <type_traits>

#include "physics/scene/scene_fields.h"

namespace proxima::editor {

namespace {

namespace fields = physics::scene_fields;

/// An archive for the list of scene fields that puts every value of an object into one line of text: two
/// objects are the same when all their fields are. Walking the one list means that no field can be forgotten.
class FieldText {
  public:
    std::string text;

    template <class T>
    void field(std::string_view, const T& value, const T&) {
        add(value);
    }
    template <class T>
    void required(std::string_view, const T& value) {
        add(value);
    }
    template <class Inner>
    void object(std::string_view, Inner&& inner) {
        inner(*this);
    }
    template <class T, class Visit>
    void list(std::string_view, const std::vector<T>& values, Visit&& visit) {
        add(values.size());
        for (const T& value : values) visit(*this, value);
    }

  private:
    template <class T>
    void add(const T& value) {
        if constexpr (std::is_same_v<T, std::string>) {
            text += std::to_string(value.size()) + ":" + value;
        } else if constexpr (std::is_same_v<T, std::vector<Vec3>>) {
            for (const Vec3& v : value) add(v);
        } else {
            static_assert(std::is_trivially_copyable_v<T>);
            text.append(reinterpret_cast<const char*>(&value), sizeof(T));
        }
    }
};

template <class Visit>
std::string text_of(Visit&& visit) {
    FieldText out;
    visit(out);
    return out.text;
}

}  // namespace

bool same(const ShapeDesc& a, const ShapeDesc& b) {
    if (a.type != b.type || a.points.size() != b.points.size()) return false;
    return text_of([&](auto& out) { fields::visit_shape(out, a); }) ==
           text_of([&](auto& out) { fields::visit_shape(out, b); });
}

bool same(const SceneCollider& a, const SceneCollider& b) {
    return text_of([&](auto& out) { fields::visit_collider(out, a); }) ==
           text_of([&](auto& out) { fields::visit_collider(out, b); });
}

bool same(const SceneBody& a, const SceneBody& b) {
    return a.name == b.name && a.type == b.type && a.position == b.position && a.rotation == b.rotation &&
           a.linear_velocity == b.linear_velocity && a.angular_velocity == b.angular_velocity && a.mass == b.mass &&
           a.gravity_scale == b.gravity_scale && a.linear_damping == b.linear_damping &&
           a.angular_damping == b.angular_damping && a.allow_sleep == b.allow_sleep &&
           a.max_linear_speed == b.max_linear_speed && a.max_angular_speed == b.max_angular_speed &&
           a.lock_rotation_x == b.lock_rotation_x && a.lock_rotation_y == b.lock_rotation_y &&
           a.lock_rotation_z == b.lock_rotation_z &&
           std::equal(a.colliders.begin(), a.colliders.end(), b.colliders.begin(), b.colliders.end(),
                      [](const SceneCollider& x, const SceneCollider& y) { return same(x, y); });
}

bool same(const BodyRecord& a, const BodyRecord& b) {
    return a.id == b.id && a.collider_ids == b.collider_ids && same(a.desc, b.desc);
}

bool same(const JointRecord& a, const JointRecord& b) {
    const auto text = [](const JointRecord& record) {
        return text_of(
            [&](auto& out) { std::visit([&](const auto& joint) { visit_fields(out, joint); }, record.joint); });
    };
    return a.body_a == b.body_a && a.body_b == b.body_b && a.joint.index() == b.joint.index() && text(a) == text(b);
}

bool same(const std::vector<JointRecord>& a, const std::vector<JointRecord>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const JointRecord& x, const JointRecord& y) { return same(x, y); });
}

bool same(const SceneData& a, const SceneData& b) {
    const auto text = [](const SceneData& f) {
        return text_of([&](auto& out) {
            fields::visit_settings(out, f.settings);
            fields::visit_run(out, f.run);
        });
    };
    return a.name == b.name && a.description == b.description && a.settings.simd_kernels == b.settings.simd_kernels &&
           text(a) == text(b) && same(a.joints, b.joints);
}

size_t bytes_of(const BodyRecord& record) {
    return sizeof(BodyRecord) + record.desc.name.capacity() + record.desc.colliders.capacity() * sizeof(SceneCollider) +
           record.collider_ids.capacity() * sizeof(ItemId);
}

size_t bytes_of(const SceneData& scene_data) {
    return sizeof(SceneData) + scene_data.name.capacity() + scene_data.description.capacity() +
           scene_data.settings.solver.capacity() + scene_data.joints.capacity() * sizeof(JointRecord);
}

SceneData scene_data_of(const SceneDesc& scene) {
    return {scene.name, scene.description, scene.settings, scene.run, {}};
}

void set_scene_data(SceneDesc& scene, const SceneData& scene_data) {
    scene.name = scene_data.name;
    scene.description = scene_data.description;
    scene.settings = scene_data.settings;
    scene.run = scene_data.run;
}

SceneDesc without_unused_shapes(const SceneDesc& scene) {
    SceneDesc out = scene;
    std::vector<uint8_t> used(scene.shapes.size(), 0);
    for (const SceneBody& body : scene.bodies)
        for (const SceneCollider& collider : body.colliders) used[collider.shape] = 1;
    std::vector<uint32_t> new_index(scene.shapes.size(), 0);
    out.shapes.clear();
    for (size_t i = 0; i < scene.shapes.size(); ++i) {
        new_index[i] = uint32_t(out.shapes.size());
        if (used[i]) out.shapes.push_back(scene.shapes[i]);
    }
    for (SceneBody& body : out.bodies)
        for (SceneCollider& collider : body.colliders) collider.shape = new_index[collider.shape];
    return out;
}

std::string counted(size_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace proxima::editor
