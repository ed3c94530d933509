// SPDX-License-Identifier: MIT
#include "physics/state/predictions.h"

#include <algorithm>

namespace proxima::physics {

namespace {

template <class... T>
bool has_any(const StateImage& image, uint32_t place, TypeList<T...>) {
    return ((image.types[place] >> kTypeOf<T> & 1) || ...);
}

template <class T>
T get_or_default(const StateImage& image, Entity entity) {
    return image.get<T>(entity).value_or(T{});
}

/// x becomes what is different between it and y.
void toggle(Vec3& x, const Vec3& y) {
    uint32_t bits[3], other[3];
    std::memcpy(bits, &x, sizeof(bits));
    std::memcpy(other, &y, sizeof(other));
    for (int k = 0; k < 3; ++k) bits[k] ^= other[k];
    std::memcpy(&x, bits, sizeof(bits));
}

}  // namespace

void StableOrder::list(const StateImage& image) {
    for (auto* all : {&bodies, &colliders, &joints}) all->clear();
    uint32_t row = 0;
    const std::byte* ids = image.values[kTypeOf<StableId>].data();
    for (uint32_t place = 0; place < image.entities.size(); ++place) {
        if (!(image.types[place] >> kTypeOf<StableId> & 1)) continue;
        const uint32_t id = engine::detail::read_component<StableId>(ids + sizeof(StableId) * row++).value;
        const auto add = [&](auto& to) { to.emplace_back(id, image.entities[place]); };
        if (image.types[place] >> kTypeOf<RigidBody> & 1) add(bodies);
        if (image.types[place] >> kTypeOf<Collider> & 1) add(colliders);
        if (has_any(image, place, JointTypes{})) add(joints);
    }
    for (auto* all : {&bodies, &colliders, &joints})
        if (!std::is_sorted(all->begin(), all->end())) std::sort(all->begin(), all->end());
}

SavedBody predict_body(const StateImage& image, const StableOrder& order, size_t i) {
    SavedBody body;
    if (i >= order.bodies.size()) return body;
    const Entity entity = body.entity = order.bodies[i].second;
    body.stable_id = order.bodies[i].first;
    const RigidBody settings = get_or_default<RigidBody>(image, entity);
    const Mass mass = get_or_default<Mass>(image, entity);
    const Pose pose = get_or_default<Pose>(image, entity);
    const SleepState sleep = get_or_default<SleepState>(image, entity);
    body.type = settings.type;
    body.mass = mass.mass;
    body.center_local = mass.center;
    body.inertia_local = mass.inertia;
    body.rotation = pose.rotation;
    body.center = pose.position + pose.rotation * mass.center;  // as transform_of()
    body.gravity_scale = settings.gravity_scale;
    body.linear_damping = settings.linear_damping;
    body.angular_damping = settings.angular_damping;
    body.dynamic = settings.type == BodyType::dynamic;
    body.was_awake = body.dynamic && !sleep.asleep;
    body.allow_sleep = settings.allow_sleep != 0;
    body.mass_source = uint32_t(mass.source);
    return body;
}

SavedCollider predict_collider(const StateImage& image, const StableOrder& order, size_t i, const SavedCollider* base) {
    SavedCollider collider;
    if (i >= order.colliders.size()) return collider;
    collider.entity = order.colliders[i].second;
    collider.stable_id = order.colliders[i].first;
    collider.seen = get_or_default<Collider>(image, collider.entity);
    const Entity body = collider.seen.body;
    collider.moves = get_or_default<RigidBody>(image, body).type != BodyType::fixed;
    const Vec3 center = get_or_default<Pose>(image, body).position;
    collider.box = base ? base->box : Aabb{center, center};
    if (base) collider.box_slack = base->box_slack;
    return collider;
}

SavedJoint predict_joint(const StateImage& image, const StableOrder& order, size_t i, const SavedJoint* base) {
    SavedJoint joint;
    if (base) joint = *base;
    if (i >= order.joints.size()) return joint;
    joint.entity = order.joints[i].second;
    joint.stable_id = order.joints[i].first;
    joint.state = get_or_default<JointState>(image, joint.entity);
    return joint;
}

void predict_links(const StateImage& image, const StableOrder& order, std::vector<ColliderLink>& out) {
    struct Link {
        uint32_t index = 0, row = 0;
        ColliderLink link;
    };
    static thread_local std::vector<Link> links;
    links.clear();
    for (uint32_t row = 0; row < order.colliders.size(); ++row) {
        const Entity entity = order.colliders[row].second, body = get_or_default<Collider>(image, entity).body;
        if (image.has<RigidBody>(body)) links.push_back({uint32_t(entt::to_entity(body)), row, {entity, body}});
    }
    std::sort(links.begin(), links.end(),
              [](const Link& x, const Link& y) { return std::pair(x.index, x.row) < std::pair(y.index, y.row); });
    out.clear();
    for (const Link& one : links) out.push_back(one.link);
}

void PairNames::list(const StateImage& image) {
    pair_of_entity.clear();
    for (uint32_t k = 0; k < image.history.pairs.size(); ++k)
        if (const SavedPair& pair = image.history.pairs[k]; pair.key != 0 && pair.entity != kNoEntity)
            pair_of_entity.emplace_back(pair.entity, k);
    if (!std::is_sorted(pair_of_entity.begin(), pair_of_entity.end()))
        std::sort(pair_of_entity.begin(), pair_of_entity.end());
}

ContactPair PairNames::of(const StateImage& image, Entity entity) const {
    ContactPair names;
    const auto at = std::lower_bound(pair_of_entity.begin(), pair_of_entity.end(), std::pair(entity, uint32_t(0)));
    if (at == pair_of_entity.end() || at->first != entity) return names;
    const SavedPair& pair = image.history.pairs[at->second];
    names.touching = pair.touching;
    if (const SavedCollider* a = image.collider_with_id(uint32_t(pair.key >> 32))) {
        names.collider_a = a->entity;
        names.body_a = a->seen.body;
    }
    if (const SavedCollider* b = image.collider_with_id(uint32_t(pair.key))) {
        names.collider_b = b->entity;
        names.body_b = b->seen.body;
    }
    return names;
}

void toggle_world_frame(const StateImage& image, const SavedPair& pair, bool take_out, Manifold& m) {
    const SavedCollider* with_frame =
        image.collider_with_id(m.frame_on_b ? uint32_t(pair.key) : uint32_t(pair.key >> 32));
    if (take_out) toggle(m.tangent2, glm::cross(m.normal, m.tangent1));
    if (with_frame) {
        const Quat rotation = get_or_default<Pose>(image, with_frame->seen.body).rotation;
        toggle(m.normal, rotation * m.frame_normal);
        toggle(m.tangent1, rotation * m.frame_tangent);
    }
    if (!take_out) toggle(m.tangent2, glm::cross(m.normal, m.tangent1));
}

}  // namespace proxima::physics
