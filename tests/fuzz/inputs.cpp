// SPDX-License-Identifier: MIT
#include "tests/fuzz/inputs.h"

#include <cmath>
#include <utility>

namespace proxima::fuzz {

using namespace proxima::physics;

std::string text(const Vec3& v) { return fmt::format("({}, {}, {})", v.x, v.y, v.z); }
std::string text(const Quat& q) { return fmt::format("[{}, {}, {}, {}]", q.w, q.x, q.y, q.z); }
std::string text(Entity e) { return fmt::format("{}:{}", entt::to_entity(e), entt::to_version(e)); }
std::string text(const Pose& pose) { return text(pose.position) + " " + text(pose.rotation); }
/// Whether something is to be nonsense.
bool goes_wrong(Rig& rig, Source& source) {
    const bool wrong = rig.nonsense_once_in > 0 && source.once_in(rig.nonsense_once_in);
    return wrong;
}
float number(Rig& rig, Source& source, float value) { return goes_wrong(rig, source) ? source.nonsense() : value; }
Vec3 numbers(Rig& rig, Source& source, Vec3 v) {
    if (goes_wrong(rig, source)) v[int(source.below(3))] = source.nonsense();
    return v;
}

/// One that was made, mostly one that is still there; now and then none at all.
Entity pick_entity(Rig& rig, Source& source, const std::vector<Labelled<Entity>>& made) {
    if (goes_wrong(rig, source)) return source.once_in(2) ? kNoEntity : Entity(source.word());
    const bool also_gone = source.once_in(16);
    const uint32_t number = source.word();
    const Entity* found =
        find_above(made, number, [&](Entity entity) { return also_gone || rig.world->registry().valid(entity); });
    return found ? *found : kNoEntity;
}
Entity pick_body(Rig& rig, Source& source) { return pick_entity(rig, source, rig.bodies); }
Entity pick_collider(Rig& rig, Source& source) { return pick_entity(rig, source, rig.colliders); }
Entity pick_joint(Rig& rig, Source& source) { return pick_entity(rig, source, rig.joints); }
/// The entity of a contact, by the order of the table.
Entity pick_contact(Rig& rig, Source& source) {
    const uint32_t number = source.word();
    const auto& contacts = *std::as_const(*rig.world).registry().storage<ContactPair>();
    return contacts.empty() ? kNoEntity : contacts.data()[number % contacts.size()];
}

size_t living_bodies(const Rig& rig) { return std::as_const(*rig.world).registry().storage<RigidBody>()->size(); }

BodyType body_type(Source& source) {
    const uint32_t k = source.below(10);
    return k < 7 ? BodyType::dynamic : k < 9 ? BodyType::kinematic : BodyType::fixed;
}

Pose pose(Rig& rig, Source& source) {
    Pose made;
    const float reach = source.once_in(8) ? 30.0f : 1.5f;
    made.position = source.vector(reach);
    made.position.y = std::abs(made.position.y);
    made.position = numbers(rig, source, made.position);
    made.rotation = source.rotation();
    if (goes_wrong(rig, source)) made.rotation.w = source.nonsense();
    return made;
}

Velocity velocity(Rig& rig, Source& source) {
    const float speed = source.once_in(6) ? 100.0f : source.once_in(2) ? 3.0f : 0.05f;
    const Vec3 linear = source.vector(speed), angular = source.vector(speed);
    return {numbers(rig, source, linear), numbers(rig, source, angular)};
}

Material material(Rig& rig, Source& source) {
    Material made;
    made.friction = number(rig, source, source.between(0.0f, 1.2f));
    made.restitution = source.once_in(3) ? number(rig, source, source.unit()) : 0.0f;
    made.friction_combine = Combine(source.below(goes_wrong(rig, source) ? 256 : 5));
    if (source.once_in(10)) {
        made.friction_direction = numbers(rig, source, source.vector(1.0f));
        made.friction_across = number(rig, source, source.unit());
    }
    if (source.once_in(10)) made.torsional_friction = number(rig, source, source.between(0.0f, 0.1f));
    if (source.once_in(10)) made.rolling_friction = number(rig, source, source.between(0.0f, 0.1f));
    made.moment_combine = Combine(source.below(5));
    if (source.once_in(10)) made.surface_velocity = numbers(rig, source, source.vector(3.0f));
    return made;
}

Collider collider(Rig& rig, Source& source) {
    Collider made;
    made.shape = rig.shapes.empty() || goes_wrong(rig, source) ? ShapeId(source.word()) : source.pick_of(rig.shapes);
    if (source.once_in(3)) {
        made.local.position = numbers(rig, source, source.vector(0.5f));
        made.local.rotation = source.rotation();
    }
    made.material = material(rig, source);
    made.density = number(rig, source, source.once_in(4) ? source.size(1.0f, 1e5f) : 1000.0f);
    if (source.once_in(8)) {
        made.layer = source.below(4);
        made.mask = source.word();
    }
    if (source.once_in(8)) made.group = int16_t(int(source.below(5)) - 2);
    if (source.once_in(8)) made.is_sensor = 1;
    if (source.once_in(8)) made.events = source.byte();
    return made;
}

ContactRules contact_rules(Rig& rig, Source& source) {
    ContactRules made;
    if (source.once_in(3)) made.one_way = numbers(rig, source, source.once_in(2) ? Vec3(0, 1, 0) : source.vector(1.0f));
    if (source.once_in(3)) made.hit_speed = number(rig, source, source.size(1e-3f, 10.0f));
    if (source.once_in(3)) made.force_threshold = number(rig, source, source.size(1.0f, 1e5f));
    if (source.once_in(2)) made.break_impulse = number(rig, source, source.size(1e-2f, 1e3f));
    made.modifiable = uint8_t(source.once_in(3));
    made.broken = uint8_t(source.once_in(6));
    return made;
}

ShapeDesc random_shape(Rig& rig, Source& source) {
    ShapeDesc desc;
    desc.type = ShapeType(source.below(4));  // no half-spaces
    const float size = source.once_in(8) ? 1e-3f : source.once_in(12) ? 100.0f : source.between(0.1f, 0.5f);
    desc.half_extents = {size, size * source.between(0.3f, 1.0f), size * source.between(0.3f, 1.0f)};
    desc.radius = number(rig, source, size);
    desc.half_height = size * source.between(0.3f, 2.0f);
    const uint32_t points = desc.type == ShapeType::hull ? 4 + source.below(20) : 0;
    for (uint32_t k = 0; k < points; ++k) desc.points.push_back(source.vector(size));
    return desc;
}

Mass mass(Rig& rig, Source& source) {
    Mass to;
    to.mass = number(rig, source, source.size(1e-3f, 1e4f));
    to.center = numbers(rig, source, source.vector(0.2f));
    const float inertia = number(rig, source, to.mass * source.size(1e-3f, 1.0f));
    to.inertia = {inertia, inertia, number(rig, source, inertia), 0.0f, 0.0f, 0.0f};
    to.source = goes_wrong(rig, source) ? MassSource(source.word()) : MassSource(source.below(3));
    return to;
}

/// Two bodies, mostly near enough for the joint to have nothing to close.
BallJoint ball_joint(Rig& rig, Source& source) {
    BallJoint made;
    made.body_a = pick_body(rig, source);
    made.body_b = pick_body(rig, source);
    made.anchor_a = numbers(rig, source, source.vector(0.6f));
    made.anchor_b = numbers(rig, source, source.vector(0.6f));
    const bool closed = !source.once_in(4);
    if (closed && has<Pose>(rig, made.body_a) && has<Pose>(rig, made.body_b)) {
        const Pose &a = rig.world->registry().get<Pose>(made.body_a), &b = rig.world->registry().get<Pose>(made.body_b);
        made.anchor_b = glm::conjugate(b.rotation) * (a.position + a.rotation * made.anchor_a - b.position);
    }
    if (source.once_in(3)) made.hertz = number(rig, source, source.size(0.1f, 60.0f));
    if (source.once_in(3)) made.damping_ratio = number(rig, source, source.between(0.0f, 2.0f));
    made.collide_connected = source.below(2);
    return made;
}

namespace {

/// An archive that writes one field of a joint in four.
struct Scatter {
    Rig& rig;
    Source& source;
    void field(std::string_view, Vec3& value, const Vec3&) {
        if (source.once_in(4)) value = numbers(rig, source, source.vector(0.6f));
    }
    void field(std::string_view, Quat& value, const Quat&) {
        if (source.once_in(4)) value = source.rotation();
        if (goes_wrong(rig, source)) value.x = source.nonsense();
    }
    void field(std::string_view, float& value, const float&) {
        if (source.once_in(4))
            value = number(rig, source, source.once_in(2) ? source.between(-2.0f, 2.0f) : source.size(0.1f, 100.0f));
    }
    void field(std::string_view, bool& value, const bool&) {
        if (source.once_in(4)) value = source.once_in(2);
    }
};

template <class... Joint>
AnyJoint joint_of_type(uint32_t type, TypeList<Joint...>) {
    const AnyJoint all[] = {Joint{}...};
    return all[type % sizeof...(Joint)];
}

}  // namespace

void scatter_fields(Rig& rig, Source& source, AnyJoint& joint) {
    Scatter scatter{rig, source};
    std::visit([&](auto& j) { visit_fields(scatter, j); }, joint);
}

AnyJoint any_joint(Rig& rig, Source& source) {
    AnyJoint joint = joint_of_type(source.below(64), JointTypes{});
    std::visit(
        [&](auto& j) {
            j.body_a = pick_body(rig, source);
            j.body_b = pick_body(rig, source);
            if constexpr (requires { j.rotation_a; }) {
                if (!has<Pose>(rig, j.body_a) || !has<Pose>(rig, j.body_b)) return;
                const Pose &a = rig.world->registry().get<Pose>(j.body_a),
                           &b = rig.world->registry().get<Pose>(j.body_b);
                const auto anchors = joint_anchors(a, b, 0.5f * (a.position + b.position), source.vector(1.0f));
                if (anchors) j = with_anchors(j, anchors.value());
            }
        },
        joint);
    scatter_fields(rig, source, joint);
    return joint;
}

std::string text(const BallJoint& joint) {
    return fmt::format("{} - {} at {} and {}, {} Hz, damping {}, collide {}", text(joint.body_a), text(joint.body_b),
                       text(joint.anchor_a), text(joint.anchor_b), joint.hertz, joint.damping_ratio,
                       joint.collide_connected);
}

}  // namespace proxima::fuzz
