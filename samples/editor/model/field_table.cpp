// SPDX-License-Identifier: MIT
// The rows of the table of fields.
#include <algorithm>
#include <cctype>
#include <deque>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/core/assert.h"
#include "physics/scene/scene_fields.h"
#include "physics/shapes/shape_classes.h"
#include "samples/editor/model/fields.h"

namespace proxima::editor {

namespace {

using physics::Material;
using physics::SceneRun;
using physics::StepSettings;

// ---- from a member of a record to a pair of functions

template <class T>
FieldValue to_value(const T& field) {
    if constexpr (std::is_same_v<T, bool>) {
        return field;
    } else if constexpr (std::is_enum_v<T>) {
        for (const auto& word : physics::scene_fields::words_of(field))
            if (word.value == field) return std::string(word.text);
        return std::string();
    } else if constexpr (std::is_integral_v<T>) {
        return int64_t(field);
    } else if constexpr (std::is_floating_point_v<T>) {
        return double(field);
    } else {
        return field;
    }
}

/// The kind and the choice were checked before; numbers too large for their field are too large for the scene
/// as well, so they arrive as what its check refuses.
template <class T>
void from_value(T& field, const FieldValue& value) {
    if constexpr (std::is_same_v<T, bool>) {
        field = std::get<bool>(value);
    } else if constexpr (std::is_enum_v<T>) {
        for (const auto& word : physics::scene_fields::words_of(field))
            if (word.text == std::get<std::string>(value)) field = word.value;
    } else if constexpr (std::is_integral_v<T>) {
        field = T(std::get<int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
        field = T(std::get<double>(value));
    } else {
        field = std::get<T>(value);
    }
}

template <class Member>
struct OwnerOf;
template <class Owner_, class T>
struct OwnerOf<T Owner_::*> {
    using Owner = Owner_;
};

template <class Owner, class Target>
auto& owner_in(const Target& target) {
    if constexpr (std::is_same_v<Owner, SceneBody>)
        return *target.body;
    else if constexpr (std::is_same_v<Owner, SceneCollider>)
        return *target.collider;
    else if constexpr (std::is_same_v<Owner, Material>)
        return target.collider->material;
    else if constexpr (std::is_same_v<Owner, physics::ContactRules>)
        return target.collider->rules;
    else if constexpr (std::is_same_v<Owner, ShapeDesc>)
        return *target.shape;
    else if constexpr (std::is_same_v<Owner, StepSettings>)
        return target.scene_data->settings;
    else if constexpr (std::is_same_v<Owner, SceneRun>)
        return target.scene_data->run;
    else
        return *target.scene_data;
}

template <class Enum>
std::span<const std::string_view> choices_of() {
    static const std::vector<std::string_view> words = [] {
        std::vector<std::string_view> out;
        for (const auto& word : physics::scene_fields::words_of(Enum{})) out.push_back(word.text);
        return out;
    }();
    return words;
}

std::span<const std::string_view> solver_names() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> out;
        for (const physics::Solver& solver : physics::solver_table()) out.push_back(solver.name);
        return out;
    }();
    return names;
}

struct Texts {
    std::string_view key, group, label, unit, tooltip;
};
struct Range {
    double low = 0.0, high = 0.0, step = 0.0;
};

/// A row for a member of one of the records: everything that follows from its type is filled in.
template <auto Member>
Field row(const Texts& texts, Range range = {}, bool (*applies)(const FieldSource&) = nullptr) {
    using Owner = typename OwnerOf<decltype(Member)>::Owner;
    using T = std::remove_cvref_t<decltype(std::declval<Owner&>().*Member)>;
    Field field;
    field.key = texts.key;
    field.group = texts.group;
    field.label = texts.label;
    field.unit = texts.unit;
    field.tooltip = texts.tooltip;
    field.low = range.low;
    field.high = range.high;
    field.step = range.step;
    field.of = std::is_same_v<Owner, SceneBody>   ? FieldOf::body
               : std::is_same_v<Owner, ShapeDesc> ? FieldOf::shape
               : std::is_same_v<Owner, SceneCollider> || std::is_same_v<Owner, Material> ||
                       std::is_same_v<Owner, physics::ContactRules>
                   ? FieldOf::collider
                   : FieldOf::scene;
    field.get = [](const FieldSource& source) { return to_value(owner_in<Owner>(source).*Member); };
    field.set = [](const FieldTarget& target, const FieldValue& value) {
        from_value(owner_in<Owner>(target).*Member, value);
    };
    field.applies = applies;
    if constexpr (std::is_same_v<T, bool>) {
        field.kind = FieldKind::toggle;
    } else if constexpr (std::is_enum_v<T>) {
        field.kind = FieldKind::choice;
        field.choices = &choices_of<T>;
    } else if constexpr (std::is_integral_v<T>) {
        field.kind = FieldKind::whole;
    } else if constexpr (std::is_floating_point_v<T>) {
        field.kind = FieldKind::number;
    } else if constexpr (std::is_same_v<T, Vec3>) {
        field.kind = FieldKind::vector;
    } else if constexpr (std::is_same_v<T, Quat>) {
        field.kind = FieldKind::rotation;
    } else {
        field.kind = FieldKind::text;
    }
    return field;
}

Field as(FieldKind kind, Field field) {
    field.kind = kind;
    return field;
}

bool can_move(const FieldSource& source) { return source.body->type != BodyType::fixed; }
bool is_dynamic(const FieldSource& source) { return source.body->type == BodyType::dynamic; }
bool has_grain(const FieldSource& source) { return source.collider->material.friction_direction != Vec3(0.0f); }

// ---- the rows

void add_body_rows(std::vector<Field>& rows) {
    using B = SceneBody;
    rows.push_back(row<&B::name>({"body.name", "Body", "Name", "", "What the body is called in lists and messages."}));
    rows.push_back(row<&B::type>({"body.type", "Body", "Type", "",
                                  "Fixed bodies never move, kinematic ones follow their velocity, dynamic ones are "
                                  "moved by forces and contacts."}));
    rows.push_back(row<&B::position>({"body.position", "Pose", "Position", "m", "Where the body's frame is."},
                                     {-100.0, 100.0, 0.01}));
    rows.push_back(row<&B::rotation>({"body.rotation", "Pose", "Rotation", "deg", "How the body's frame is turned."},
                                     {-180.0, 180.0, 0.5}));
    rows.push_back(row<&B::linear_velocity>(
        {"body.linear_velocity", "Velocity", "Linear", "m/s", "Velocity of the centre of mass at the start."},
        {-50.0, 50.0, 0.05}, can_move));
    rows.push_back(row<&B::angular_velocity>({"body.angular_velocity", "Velocity", "Angular", "rad/s",
                                              "Angular velocity about the world's axes at the start."},
                                             {-50.0, 50.0, 0.05}, can_move));
    rows.push_back(row<&B::mass>({"body.mass", "Mass", "Mass", "kg",
                                  "Total mass; 0 takes it from the densities of the colliders. Inertia follows."},
                                 {0.0, 10000.0, 0.5}, is_dynamic));
    rows.push_back(row<&B::gravity_scale>({"body.gravity_scale", "Rigid body", "Gravity scale", "",
                                           "How much of the scene's gravity acts on the body; 0 floats."},
                                          {-2.0, 2.0, 0.01}, is_dynamic));
    rows.push_back(row<&B::linear_damping>({"body.linear_damping", "Rigid body", "Linear damping", "1/s",
                                            "Share of the velocity lost per second, as through thick air."},
                                           {0.0, 10.0, 0.01}, is_dynamic));
    rows.push_back(row<&B::angular_damping>(
        {"body.angular_damping", "Rigid body", "Angular damping", "1/s", "Share of the spin lost per second."},
        {0.0, 10.0, 0.01}, is_dynamic));
    rows.push_back(row<&B::allow_sleep>({"body.allow_sleep", "Rigid body", "May sleep", "",
                                         "Whether the body is left out of steps while its island rests."},
                                        {}, is_dynamic));
    rows.push_back(row<&B::max_linear_speed>(
        {"body.max_linear_speed", "Rigid body", "Speed limit", "m/s", "No faster after a step; 0 is no limit."},
        {0.0, 1000.0, 0.1}, is_dynamic));
    rows.push_back(row<&B::max_angular_speed>(
        {"body.max_angular_speed", "Rigid body", "Spin limit", "rad/s", "No faster after a step; 0 is no limit."},
        {0.0, 1000.0, 0.1}, is_dynamic));
    rows.push_back(row<&B::lock_rotation_x>(
        {"body.lock_rotation_x", "Rigid body", "Lock turning about x", "", "No turning about the world's x axis."}, {},
        is_dynamic));
    rows.push_back(row<&B::lock_rotation_y>(
        {"body.lock_rotation_y", "Rigid body", "Lock turning about y", "", "No turning about the world's y axis."}, {},
        is_dynamic));
    rows.push_back(row<&B::lock_rotation_z>(
        {"body.lock_rotation_z", "Rigid body", "Lock turning about z", "", "No turning about the world's z axis."}, {},
        is_dynamic));
}

/// "half_height" becomes "Half height".
std::string label_of(std::string_view key) {
    std::string label(key);
    std::replace(label.begin(), label.end(), '_', ' ');
    if (!label.empty()) label[0] = char(std::toupper(static_cast<unsigned char>(label[0])));
    return label;
}

/// A row for a size of shapes, which applies to those whose class has it.
template <class T>
Field shape_row(const Texts& texts, T ShapeDesc::*member) {
    Field field;
    field.key = texts.key;
    field.group = texts.group;
    field.label = texts.label;
    field.unit = texts.unit;
    field.tooltip = texts.tooltip;
    field.low = 0.01;
    field.high = 50.0;
    field.step = 0.005;
    field.of = FieldOf::shape;
    field.kind = std::is_same_v<T, Vec3> ? FieldKind::vector : FieldKind::number;
    field.get = [member](const FieldSource& source) { return to_value(source.shape->*member); };
    field.set = [member](const FieldTarget& target, const FieldValue& value) {
        from_value(target.shape->*member, value);
    };
    field.applies = [member](const FieldSource& source) { return physics::has_field(source.shape->type, member); };
    return field;
}

/// One row for each size that some class of shapes has. Points and children have none: those come from meshes
/// and files. The type stands alone so that a slider of one size never turns into another shape.
void add_shape_rows(std::vector<Field>& rows) {
    static std::deque<std::string> kept;  // what the rows point to; they are made once
    const auto keep = [](std::string text) -> std::string_view { return kept.emplace_back(std::move(text)); };
    std::vector<std::string_view> known;
    for (const physics::ShapeClass& row : physics::kShapeClasses)
        for (const physics::ShapeField& field : row.fields) {
            if (std::find(known.begin(), known.end(), field.key) != known.end()) continue;
            known.push_back(field.key);
            std::visit(
                [&]<class T>(T ShapeDesc::*member) {
                    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, Vec3>)
                        rows.push_back(shape_row({keep("shape." + std::string(field.key)), "Shape",
                                                  keep(label_of(field.key)), field.unit, field.meaning},
                                                 member));
                },
                field.member);
        }
}

void add_collider_rows(std::vector<Field>& rows) {
    using C = SceneCollider;
    rows.push_back(row<&C::position>({"collider.position", "Collider", "Position", "m", "In the body's frame."},
                                     {-10.0, 10.0, 0.005}));
    rows.push_back(row<&C::rotation>({"collider.rotation", "Collider", "Rotation", "deg", "In the body's frame."},
                                     {-180.0, 180.0, 0.5}));
    rows.push_back(row<&C::scale>({"collider.scale", "Collider", "Scale", "",
                                   "Stretches the shape along its axes; the same along all three for round ones."},
                                  {0.01, 20.0, 0.005}));
    rows.push_back(
        row<&C::density>({"collider.density", "Collider", "Density", "kg/m3", "1000 is water, 600 wood, 7800 steel."},
                         {1.0, 20000.0, 5.0}));
    rows.push_back(as(FieldKind::bits, row<&C::layer>({"collider.layer", "Collider", "Layer", "",
                                                       "Bits of the layers that the collider is on."})));
    rows.push_back(as(FieldKind::bits, row<&C::mask>({"collider.mask", "Collider", "Collides with", "",
                                                      "Bits of the layers that it collides with."})));
    rows.push_back(row<&C::group>({"collider.group", "Collider", "Group", "",
                                   "Two of one group meet always when it is positive, never when it is negative, "
                                   "whatever their layers; 0: none."},
                                  {-32768.0, 32767.0, 1.0}));
    rows.push_back(row<&C::sensor>(
        {"collider.sensor", "Collider", "Sensor", "", "Finds what overlaps it; has no contacts and no mass."}));
    using R = physics::ContactRules;
    rows.push_back(row<&R::one_way>({"collider.one_way", "Contact rules", "One way", "",
                                     "Direction of the collider's frame in which others pass through it; zero: none."},
                                    {-1.0, 1.0, 0.01}));
    rows.push_back(row<&C::touch_events>({"collider.touch_events", "Contact rules", "Touch events", "",
                                          "Whether it asks for begins and ends of contacts."}));
    rows.push_back(row<&C::hit_events>(
        {"collider.hit_events", "Contact rules", "Hit events", "", "Whether it asks for impacts."}));
    rows.push_back(row<&R::hit_speed>({"collider.hit_speed", "Contact rules", "Hit speed", "m/s",
                                       "Faster impacts are hits, instead of the scene's; 0: the scene's."},
                                      {0.0, 50.0, 0.05}));
    rows.push_back(row<&R::force_threshold>({"collider.force_threshold", "Contact rules", "Force threshold", "N",
                                             "Larger forces of a contact are told in every step; 0: none."},
                                            {0.0, 1e6, 10.0}));
    rows.push_back(
        row<&R::break_impulse>({"collider.break_impulse", "Contact rules", "Break impulse", "N s",
                                "Its contacts give no more together in a step, and it breaks; 0: it does not."},
                               {0.0, 1e5, 1.0}));
    rows.push_back(row<&C::modifiable>({"collider.modifiable", "Contact rules", "Modifiable", "",
                                        "Whether its contacts go through the game's contact modifier."}));
    using M = Material;
    rows.push_back(row<&M::friction>({"material.friction", "Material", "Friction", "",
                                      "Coefficient of Coulomb friction; along the grain, where there is one."},
                                     {0.0, 2.0, 0.005}));
    rows.push_back(row<&M::restitution>(
        {"material.restitution", "Material", "Restitution", "", "0: impacts do not bounce; 1: they keep their speed."},
        {0.0, 1.0, 0.005}));
    rows.push_back(row<&M::friction_combine>({"material.friction_combine", "Material", "Combine friction", "",
                                              "How the coefficients of two surfaces become one."}));
    rows.push_back(row<&M::restitution_combine>({"material.restitution_combine", "Material", "Combine restitution", "",
                                                 "How the restitutions of two surfaces become one."}));
    rows.push_back(row<&M::friction_direction>({"material.friction_direction", "Material", "Grain", "",
                                                "Direction of the grain in the collider's frame; zero for none."},
                                               {-1.0, 1.0, 0.01}));
    rows.push_back(row<&M::friction_across>(
        {"material.friction_across", "Material", "Friction across", "", "Coefficient of friction across the grain."},
        {0.0, 2.0, 0.005}, has_grain));
    rows.push_back(row<&M::torsional_friction>({"material.torsional_friction", "Material", "Torsional radius", "m",
                                                "Radius of the patch that resists turning about the normal."},
                                               {0.0, 0.5, 0.001}));
    rows.push_back(row<&M::rolling_friction>({"material.rolling_friction", "Material", "Rolling radius", "m",
                                              "Lever arm of the normal force that resists rolling."},
                                             {0.0, 0.1, 0.0005}));
    rows.push_back(row<&M::moment_combine>({"material.moment_combine", "Material", "Combine moments", "",
                                            "How torsional and rolling radii of two surfaces become one."}));
    rows.push_back(row<&M::surface_velocity>(
        {"material.surface_velocity", "Material", "Surface velocity", "m/s",
         "Of a conveyor belt, in the collider's frame: the surface moves along itself and the body stays."},
        {-5.0, 5.0, 0.01}));
}

void add_settings_rows(std::vector<Field>& rows) {
    using S = StepSettings;
    rows.push_back(row<&S::gravity>({"settings.gravity", "World", "Gravity", "m/s2", "Acceleration of free fall."},
                                    {-30.0, 30.0, 0.05}));
    rows.push_back(row<&S::stepping>({"settings.stepping", "Stepping", "Stepping", "",
                                      "Contacts at the start of the step, or at its middle (Moreau)."}));
    rows.push_back(row<&S::substeps>({"settings.substeps", "Stepping", "Sub-steps", "",
                                      "Parts that a step is divided into; more is stiffer and dearer."},
                                     {1.0, 32.0, 1.0}));
    rows.push_back(row<&S::large_island_substeps>(
        {"settings.large_island_substeps", "Stepping", "Sub-steps of large islands", "",
         "The same for islands of more than 512 contacts and joints; never more than the others have."},
        {1.0, 32.0, 1.0}));
    rows.push_back(row<&S::gyroscopic>({"settings.gyroscopic", "Stepping", "Gyroscopic motion", "",
                                        "Spinning bodies keep their angular momentum exactly."}));
    Field solver = row<&S::solver>({"settings.solver", "Solver", "Solver", "", "What solves the contacts."});
    solver.kind = FieldKind::choice;
    solver.choices = &solver_names;
    rows.push_back(solver);
    rows.push_back(row<&S::iterations>({"settings.iterations", "Solver", "Iterations", "", "Sweeps per sub-step."},
                                       {1.0, 200.0, 1.0}));
    rows.push_back(row<&S::relax_iterations>({"settings.relax_iterations", "Solver", "Relax iterations", "",
                                              "Sweeps without push-out after the last sub-step."},
                                             {0.0, 50.0, 1.0}));
    rows.push_back(row<&S::tolerance>({"settings.tolerance", "Solver", "Tolerance", "m/s",
                                       "Islands at or below this residual are not swept further; 0: never."},
                                      {0.0, 0.1, 0.0001}));
    rows.push_back(row<&S::escalate>(
        {"settings.escalate", "Solver", "Escalate", "", "Islands that miss the tolerance go to a stronger solver."}));
    rows.push_back(row<&S::time_limit>({"settings.time_limit", "Solver", "Time limit", "s",
                                        "For one island in one sub-step; 0: none. Results then depend on the machine."},
                                       {0.0, 0.1, 0.0001}));
    rows.push_back(row<&S::r_strategy>(
        {"settings.r_strategy", "Solver", "Step lengths", "", "How the solvers of the PROX family choose theirs."}));
    rows.push_back(row<&S::simd_kernels>({"settings.simd_kernels", "Solver", "SIMD kernels", "",
                                          "Sweeps run in vector registers where the solver allows it. Not in files."}));
    rows.push_back(
        row<&S::direct_islands>({"settings.direct_islands", "Solver", "Direct islands", "",
                                 "Small stacks at rest and heavy bodies on light ones are solved exactly."}));
    rows.push_back(row<&S::measure_all_substeps>(
        {"settings.measure_all_substeps", "Solver", "Measure all sub-steps", "",
         "The residual is that of all sub-steps, and not of one that goes round. Changes nothing else."}));
    rows.push_back(row<&S::stabilisation>({"settings.stabilisation", "Contacts", "Stabilisation", "",
                                           "What removes overlap: soft contacts, projection, or nothing."}));
    rows.push_back(row<&S::contact_hertz>(
        {"settings.contact_hertz", "Contacts", "Contact frequency", "Hz", "Stiffness of soft contacts."},
        {1.0, 240.0, 0.5}));
    rows.push_back(row<&S::contact_damping_ratio>({"settings.contact_damping_ratio", "Contacts", "Contact damping", "",
                                                   "1 is critical; soft contacts are far above."},
                                                  {0.0, 50.0, 0.1}));
    rows.push_back(row<&S::max_push_speed>({"settings.max_push_speed", "Contacts", "Push-out speed", "m/s",
                                            "The fastest that an overlap is driven apart."},
                                           {0.0, 10.0, 0.01}));
    rows.push_back(row<&S::speculative_distance>({"settings.speculative_distance", "Contacts", "Speculative distance",
                                                  "m", "Contacts nearer than this enter the problem with their gap."},
                                                 {0.0, 0.2, 0.0005}));
    rows.push_back(row<&S::manifold_reuse_distance>({"settings.manifold_reuse_distance", "Contacts", "Reuse distance",
                                                     "m", "Motion below which a contact patch stays as it is."},
                                                    {0.0, 0.2, 0.0005}));
    rows.push_back(row<&S::projection_slop>(
        {"settings.projection_slop", "Contacts", "Projection slop", "m", "Overlap that the projection leaves alone."},
        {0.0, 0.05, 0.0001}));
    rows.push_back(row<&S::projection_passes>(
        {"settings.projection_passes", "Contacts", "Projection passes", "", "Corrections of positions after a step."},
        {0.0, 50.0, 1.0}));
    rows.push_back(row<&S::restitution_speed>(
        {"settings.restitution_speed", "Contacts", "Bounce from", "m/s", "Slower impacts do not bounce."},
        {0.0, 10.0, 0.01}));
    rows.push_back(row<&S::hit_speed>(
        {"settings.hit_speed", "Contacts", "Hits from", "m/s", "Faster impacts are reported as hits."},
        {0.0, 20.0, 0.01}));
    rows.push_back(row<&S::sleeping>({"settings.sleeping", "Sleep", "Sleeping", "", "Islands at rest are left out."}));
    rows.push_back(row<&S::sleep_speed>(
        {"settings.sleep_speed", "Sleep", "Sleep below", "m/s", "Speed of the fastest point of a body."},
        {0.0, 1.0, 0.001}));
    rows.push_back(
        row<&S::sleep_time>({"settings.sleep_time", "Sleep", "Sleep after", "s", "Time at rest."}, {0.0, 5.0, 0.01}));
}

void add_scene_rows(std::vector<Field>& rows) {
    rows.push_back(row<&SceneData::name>({"scene.name", "Scene", "Name", "", "Short name of the scene."}));
    rows.push_back(row<&SceneData::description>({"scene.description", "Scene", "Description", "", "One line."}));
    using R = SceneRun;
    rows.push_back(row<&R::dt>({"run.dt", "Run", "Time step", "s", "Length of a step."}, {0.001, 0.1, 0.0005}));
    rows.push_back(
        row<&R::steps>({"run.steps", "Run", "Steps", "", "That a measured run takes."}, {1.0, 100000.0, 10.0}));
    rows.push_back(row<&R::settled_from>(
        {"run.settled_from", "Run", "Settled from", "", "Drift is measured from this step to the end."},
        {0.0, 100000.0, 10.0}));
    rows.push_back(row<&R::stands_test>(
        {"run.stands_test", "Run", "Must stand", "", "The report of a run says whether everything still stands."}));
    rows.push_back(row<&R::stand_tolerance>(
        {"run.stand_tolerance", "Run", "Stand tolerance", "m", "No body may have moved farther from its start."},
        {0.001, 10.0, 0.005}));
}

}  // namespace

std::span<const Field> field_table() {
    static const std::vector<Field> rows = [] {
        std::vector<Field> out;
        add_body_rows(out);
        add_shape_rows(out);
        add_collider_rows(out);
        add_settings_rows(out);
        add_scene_rows(out);
        return out;
    }();
    return rows;
}

const Field* find_field(std::string_view key) {
    const std::span<const Field> rows = field_table();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Field& row) { return row.key == key; });
    return found == rows.end() ? nullptr : &*found;
}

}  // namespace proxima::editor
