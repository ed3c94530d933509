// SPDX-License-Identifier: MIT
// The one list of what a scene file holds: names of keys and words of enumerations. Reader and writer both walk it,
// so they cannot disagree. An archive offers field(name, value, default), object(name, ...) and list(name, ...).
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "physics/scene/scene.h"
#include "physics/shapes/shape_classes.h"

namespace proxima::physics::scene_fields {

template <class Enum>
struct Word {
    Enum value;
    std::string_view text;
};

inline constexpr Word<Stepping> kSteppingWords[] = {{Stepping::semi_implicit, "semi_implicit"},
                                                    {Stepping::moreau_midpoint, "moreau_midpoint"}};
inline constexpr Word<Stabilisation> kStabilisationWords[] = {
    {Stabilisation::soft, "soft"}, {Stabilisation::projection, "projection"}, {Stabilisation::none, "none"}};
inline constexpr Word<RStrategy> kRStrategyWords[] = {
    {RStrategy::local, "local"}, {RStrategy::global, "global"}, {RStrategy::blocked, "blocked"}};
inline constexpr Word<BodyType> kBodyTypeWords[] = {
    {BodyType::fixed, "fixed"}, {BodyType::kinematic, "kinematic"}, {BodyType::dynamic, "dynamic"}};
inline constexpr Word<Combine> kCombineWords[] = {{Combine::average, "average"},
                                                  {Combine::minimum, "minimum"},
                                                  {Combine::maximum, "maximum"},
                                                  {Combine::multiply, "multiply"},
                                                  {Combine::geometric_mean, "geometric_mean"}};

inline std::span<const Word<Stepping>> words_of(Stepping) { return kSteppingWords; }
inline std::span<const Word<Stabilisation>> words_of(Stabilisation) { return kStabilisationWords; }
inline std::span<const Word<RStrategy>> words_of(RStrategy) { return kRStrategyWords; }
/// From the table of shape classes.
inline std::span<const Word<ShapeType>> words_of(ShapeType) {
    static const std::vector<Word<ShapeType>> words = [] {
        std::vector<Word<ShapeType>> out;
        for (const ShapeClass& row : kShapeClasses) out.push_back({row.type, row.name});
        return out;
    }();
    return words;
}
/// The type of a child of a compound, which is not every type.
enum class ChildType : uint8_t {};
inline std::span<const Word<ChildType>> words_of(ChildType) {
    static const std::vector<Word<ChildType>> words = [] {
        std::vector<Word<ChildType>> out;
        for (const ShapeClass& row : kShapeClasses)
            if (is_part_class(row)) out.push_back({ChildType(row.type), row.name});
        return out;
    }();
    return words;
}
inline std::span<const Word<BodyType>> words_of(BodyType) { return kBodyTypeWords; }
inline std::span<const Word<Combine>> words_of(Combine) { return kCombineWords; }

template <class Archive, class Settings>
void visit_settings(Archive& archive, Settings& s) {
    const StepSettings d;
    archive.field("gravity", s.gravity, d.gravity);
    archive.field("stepping", s.stepping, d.stepping);
    archive.field("stabilisation", s.stabilisation, d.stabilisation);
    archive.field("substeps", s.substeps, d.substeps);
    archive.field("large_island_substeps", s.large_island_substeps, d.large_island_substeps);
    archive.field("solver", s.solver, d.solver);
    archive.field("iterations", s.iterations, d.iterations);
    archive.field("relax_iterations", s.relax_iterations, d.relax_iterations);
    archive.field("tolerance", s.tolerance, d.tolerance);
    archive.field("escalate", s.escalate, d.escalate);
    archive.field("time_limit", s.time_limit, d.time_limit);
    archive.field("direct_islands", s.direct_islands, d.direct_islands);
    archive.field("r_strategy", s.r_strategy, d.r_strategy);
    archive.field("contact_hertz", s.contact_hertz, d.contact_hertz);
    archive.field("contact_damping_ratio", s.contact_damping_ratio, d.contact_damping_ratio);
    archive.field("max_push_speed", s.max_push_speed, d.max_push_speed);
    archive.field("speculative_distance", s.speculative_distance, d.speculative_distance);
    archive.field("manifold_reuse_distance", s.manifold_reuse_distance, d.manifold_reuse_distance);
    archive.field("projection_slop", s.projection_slop, d.projection_slop);
    archive.field("projection_passes", s.projection_passes, d.projection_passes);
    archive.field("restitution_speed", s.restitution_speed, d.restitution_speed);
    archive.field("hit_speed", s.hit_speed, d.hit_speed);
    archive.field("gyroscopic", s.gyroscopic, d.gyroscopic);
    archive.field("sleeping", s.sleeping, d.sleeping);
    archive.field("sleep_speed", s.sleep_speed, d.sleep_speed);
    archive.field("sleep_time", s.sleep_time, d.sleep_time);
    archive.field("measure_all_substeps", s.measure_all_substeps, d.measure_all_substeps);
}

template <class Archive, class Run>
void visit_run(Archive& archive, Run& r) {
    const SceneRun d;
    archive.field("dt", r.dt, d.dt);
    archive.field("steps", r.steps, d.steps);
    archive.field("settled_from", r.settled_from, std::min(d.settled_from, r.steps));
    archive.field("stands_test", r.stands_test, d.stands_test);
    archive.field("stand_tolerance", r.stand_tolerance, d.stand_tolerance);
}

template <class Archive, class Child>
void visit_child(Archive& archive, Child& c);

/// The keys of a shape's type, as its row says.
template <class Archive, class Shape>
void visit_shape_fields(Archive& archive, Shape& s) {
    for (const ShapeField& field : shape_class(s.type).fields)
        std::visit(
            [&](auto member) {
                if constexpr (std::is_same_v<decltype(member), std::vector<ChildDesc> ShapeDesc::*>)
                    archive.list(field.key, s.*member, [](auto& inner, auto& c) { visit_child(inner, c); });
                else
                    archive.required(field.key, s.*member);
            },
            field.member);
}

/// A shape has only the keys of its type, and all of them.
template <class Archive, class Shape>
void visit_shape(Archive& archive, Shape& s) {
    archive.required("type", s.type);
    visit_shape_fields(archive, s);
}

/// A shape with a pose. Since a child has no children, files cannot nest deeper.
template <class Archive, class Child>
void visit_child(Archive& archive, Child& c) {
    const ChildDesc d;
    ChildType type = ChildType(c.shape.type);
    archive.required("type", type);
    if constexpr (!std::is_const_v<Child>) c.shape.type = ShapeType(type);
    visit_shape_fields(archive, c.shape);
    archive.field("position", c.position, d.position);
    archive.field("rotation", c.rotation, d.rotation);
}

template <class Archive, class M>
void visit_material(Archive& archive, M& m) {
    const Material d;
    archive.field("friction", m.friction, d.friction);
    archive.field("restitution", m.restitution, d.restitution);
    archive.field("friction_combine", m.friction_combine, d.friction_combine);
    archive.field("restitution_combine", m.restitution_combine, d.restitution_combine);
    archive.field("moment_combine", m.moment_combine, d.moment_combine);
    archive.field("friction_direction", m.friction_direction, d.friction_direction);
    archive.field("friction_across", m.friction_across, d.friction_across);
    archive.field("torsional_friction", m.torsional_friction, d.torsional_friction);
    archive.field("rolling_friction", m.rolling_friction, d.rolling_friction);
    archive.field("surface_velocity", m.surface_velocity, d.surface_velocity);
}

template <class Archive, class C>
void visit_collider(Archive& archive, C& c) {
    const SceneCollider d;
    archive.required("shape", c.shape);
    archive.field("position", c.position, d.position);
    archive.field("rotation", c.rotation, d.rotation);
    archive.field("scale", c.scale, d.scale);
    archive.object("material", [&](auto& inner) { visit_material(inner, c.material); });
    archive.field("density", c.density, d.density);
    archive.field("layer", c.layer, d.layer);
    archive.field("mask", c.mask, d.mask);
    archive.field("group", c.group, d.group);
    archive.field("sensor", c.sensor, d.sensor);
    archive.field("touch_events", c.touch_events, d.touch_events);
    archive.field("hit_events", c.hit_events, d.hit_events);
    archive.field("hit_speed", c.rules.hit_speed, d.rules.hit_speed);
    archive.field("force_threshold", c.rules.force_threshold, d.rules.force_threshold);
    archive.field("break_impulse", c.rules.break_impulse, d.rules.break_impulse);
    archive.field("one_way", c.rules.one_way, d.rules.one_way);
    archive.field("modifiable", c.modifiable, d.modifiable);
}

template <class Archive, class B>
void visit_body(Archive& archive, B& b) {
    const SceneBody d;
    archive.field("name", b.name, d.name);
    archive.field("type", b.type, d.type);
    archive.field("position", b.position, d.position);
    archive.field("rotation", b.rotation, d.rotation);
    archive.field("linear_velocity", b.linear_velocity, d.linear_velocity);
    archive.field("angular_velocity", b.angular_velocity, d.angular_velocity);
    archive.field("mass", b.mass, d.mass);
    archive.field("gravity_scale", b.gravity_scale, d.gravity_scale);
    archive.field("linear_damping", b.linear_damping, d.linear_damping);
    archive.field("angular_damping", b.angular_damping, d.angular_damping);
    archive.field("allow_sleep", b.allow_sleep, d.allow_sleep);
    archive.field("max_linear_speed", b.max_linear_speed, d.max_linear_speed);
    archive.field("max_angular_speed", b.max_angular_speed, d.max_angular_speed);
    archive.field("lock_rotation_x", b.lock_rotation_x, d.lock_rotation_x);
    archive.field("lock_rotation_y", b.lock_rotation_y, d.lock_rotation_y);
    archive.field("lock_rotation_z", b.lock_rotation_z, d.lock_rotation_z);
    archive.list("colliders", b.colliders, [](auto& inner, auto& c) { visit_collider(inner, c); });
}

/// The kind of a joint, by its place in JointTypes.
enum class JointType : uint8_t {};
template <class... Joint>
std::span<const Word<JointType>> joint_words(TypeList<Joint...>) {
    static const std::vector<Word<JointType>> words = [] {
        std::vector<Word<JointType>> out;
        (out.push_back({JointType(out.size()), Joint::kTypeName}), ...);
        return out;
    }();
    return words;
}
inline std::span<const Word<JointType>> words_of(JointType) { return joint_words(JointTypes{}); }

/// A joint with the default values of a kind.
template <class... Joint>
AnyJoint make_joint(JointType type, TypeList<Joint...>) {
    static const AnyJoint kinds[] = {Joint{}...};
    return kinds[size_t(type)];
}

template <class Archive, class J>
void visit_joint(Archive& archive, J& j) {
    JointType type = JointType(j.joint.index());
    archive.required("type", type);
    if constexpr (!std::is_const_v<J>)
        if (size_t(type) != j.joint.index()) j.joint = make_joint(type, JointTypes{});
    archive.required("body_a", j.body_a);
    archive.required("body_b", j.body_b);
    std::visit([&](auto& joint) { visit_fields(archive, joint); }, j.joint);
}

}  // namespace proxima::physics::scene_fields
