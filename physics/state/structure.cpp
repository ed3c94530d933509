// SPDX-License-Identifier: MIT
// The lists of bodies and colliders from the registry, in stable order, with masses and proxies.
#include "physics/state/structure.h"

#include <algorithm>

#include "physics/step.h"

namespace proxima::physics {

namespace {

/// Entities that carry Owner, in the order of their stable ids. The registry's own order depends on history.
template <class Owner>
void list_in_stable_order(entt::registry& registry, std::vector<uint64_t>& keys, std::vector<Entity>& out) {
    keys.clear();
    for (const Entity entity : registry.view<Owner, StableId>())
        keys.push_back(uint64_t(registry.get<StableId>(entity).value) << 32 |
                       uint64_t(entt::to_integral(entity)));
    std::sort(keys.begin(), keys.end());
    out.clear();
    for (const uint64_t key : keys) out.push_back(Entity(uint32_t(key)));
}

bool is_isotropic(const Sym3& m) {
    const float scale = std::max({m.xx, m.yy, m.zz});
    const float spread = std::max(
        {std::abs(m.xx - m.yy), std::abs(m.xx - m.zz), std::abs(m.xy), std::abs(m.xz), std::abs(m.yz)});
    return spread <= 1e-5f * scale;
}

void warn(StepContext& c, Entity entity, const char* message) {
    c.report.warnings.push_back({entity, message});
}

void remember_collider(StepContext& c, uint32_t k) {
    const size_t place = entt::to_entity(c.colliders[k].entity);
    if (c.collider_of_entity.size() <= place) c.collider_of_entity.resize(place + 1, kNoSlot);
    c.collider_of_entity[place] = k;
}

/// The colliders' side of the lists. Those that were there before keep their proxy, and their box while it
/// fits.
void rebuild_colliders(StepContext& c) {
    entt::registry& registry = c.world.registry();
    std::vector<Entity>& entities = c.entity_list;
    list_in_stable_order<Collider>(registry, c.sort_keys, entities);

    std::vector<ColliderFacts> before;
    before.swap(c.colliders);
    c.special_colliders = 0;
    c.colliders.reserve(std::max(before.capacity(), entities.size()));
    size_t old = 0;
    const auto drop_until = [&](uint32_t stable_id) {
        for (; old < before.size() && before[old].stable_id < stable_id; ++old)
            c.broadphase.remove(before[old].proxy);
    };
    for (const Entity entity : entities) {
        const Collider& collider = registry.get<Collider>(entity);
        if (!registry.valid(collider.body) || body_slot(c, collider.body) == kNoSlot) {
            warn(c, entity, "The collider's body does not exist; the collider is left out.");
            continue;
        }
        if (size_t(collider.shape) >= c.shapes.size()) {
            warn(c, entity, "The collider's shape is not in the world's library; the collider is left out.");
            continue;
        }
        ColliderFacts facts = facts_of_collider(c, entity);
        drop_until(facts.stable_id);
        if (old < before.size() && before[old].stable_id == facts.stable_id) {
            facts.proxy = before[old].proxy;
            facts.world = before[old].world;
            facts.box_slack = before[old].box_slack;
            ++old;
        }
        c.colliders.push_back(facts);
        c.special_colliders += facts.surface.special;
        remember_collider(c, uint32_t(c.colliders.size()) - 1);
    }
    drop_until(0xFFFFFFFFu);
}

/// Boxes and contacts of bodies whose shape or mass changed are made anew: their anchors may point elsewhere
/// now.
void forget_reshaped(StepContext& c) {
    if (c.reshaped_bodies.empty()) return;
    std::sort(c.reshaped_bodies.begin(), c.reshaped_bodies.end());
    const auto reshaped = [&](uint32_t body) {
        return std::binary_search(c.reshaped_bodies.begin(), c.reshaped_bodies.end(),
                                  c.bodies.facts[body].entity);
    };
    for (ColliderFacts& collider : c.colliders)
        if (reshaped(collider.body)) collider.box_slack = -1.0f;
    for (PairSlot& slot : c.pairs) {
        if (!reshaped(slot.body_a) && !reshaped(slot.body_b)) continue;
        slot.slack = -1.0f;
        slot.cache = {};
        if (slot.manifold) slot.manifold->made = 0;
    }
    c.reshaped_bodies.clear();
}

}  // namespace

uint32_t body_slot(const StepContext& c, Entity body) {
    const size_t place = entt::to_entity(body);
    const uint32_t slot = place < c.slot_of_entity.size() ? c.slot_of_entity[place] : kNoSlot;
    return slot < c.bodies.size() && c.bodies.facts[slot].entity == body ? slot : kNoSlot;
}

uint32_t collider_slot(const StepContext& c, Entity collider) {
    const size_t place = entt::to_entity(collider);
    const uint32_t slot = place < c.collider_of_entity.size() ? c.collider_of_entity[place] : kNoSlot;
    return slot < c.colliders.size() && c.colliders[slot].entity == collider ? slot : kNoSlot;
}

BodyPlace place_of(const Pose& pose, const BodyFacts& facts) {
    BodyPlace place;
    place.rotation = pose.rotation;
    place.center = pose.position + pose.rotation * facts.center_local;
    return place;
}

BodyFacts facts_of_body(const StepContext& c, Entity body) {
    const entt::registry& registry = c.world.registry();
    BodyFacts facts;
    facts.entity = body;
    facts.type = registry.get<RigidBody>(body).type;
    facts.out_of_step = registry.all_of<Quarantined>(body);
    return facts;
}

ColliderFacts facts_of_collider(const StepContext& c, Entity entity) {
    const entt::registry& registry = c.world.registry();
    const Collider& collider = registry.get<Collider>(entity);
    ColliderFacts facts;
    facts.entity = entity;
    facts.stable_id = registry.get<StableId>(entity).value;
    facts.body = body_slot(c, collider.body);
    facts.shape = &c.shapes.get(collider.shape);
    facts.local = {collider.local.position, collider.local.rotation};
    facts.surface = surface_of(collider.material);
    return facts;
}

void find_masses(StepContext& c, uint32_t first_body, uint32_t first_collider) {
    entt::registry& registry = c.world.registry();
    std::vector<MassAccumulator>& sums = c.mass_sums;
    sums.assign(c.bodies.size() - first_body, MassAccumulator{});
    for (size_t k = first_collider; k < c.colliders.size(); ++k) {
        const ColliderFacts& collider = c.colliders[k];
        if (collider.shape->type == ShapeType::half_space) continue;
        const float density = registry.get<Collider>(collider.entity).density;
        sums[collider.body - first_body].add(collider.shape->mass, collider.local, density);
    }
    for (size_t i = first_body; i < c.bodies.size(); ++i) {
        BodyFacts& body = c.bodies.facts[i];
        Mass& mass = registry.get<Mass>(body.entity);
        if (mass.source != MassSource::given) {
            const float total = mass.mass;
            Mass derived = sums[i - first_body].result();
            derived.source = mass.source;
            if (mass.source == MassSource::total) scale_mass(derived, total);
            mass = derived;
        }
        body.center_local = body.type == BodyType::dynamic ? mass.center : Vec3(0.0f);
        body.mass = mass.mass;
        body.inertia_local = mass.inertia;
        if (body.type != BodyType::dynamic) continue;
        if (!is_sensible(mass)) {
            warn(c, body.entity,
                 "The body's mass or inertia is not a positive finite number; it is left out of the step.");
            body.out_of_step = true;
            continue;
        }
        body.inverse_inertia_local = inverse(mass.inertia);
        body.isotropic = is_isotropic(mass.inertia);
    }
}

void place_colliders(StepContext& c, uint32_t first_body, uint32_t first_collider) {
    for (size_t i = first_body; i < c.bodies.size(); ++i) {
        c.bodies.place[i].radius = 0.0f;
        c.bodies.facts[i].symmetry = Symmetry::point;
    }
    for (size_t k = first_collider; k < c.colliders.size(); ++k) {
        ColliderFacts& collider = c.colliders[k];
        BodyFacts& facts = c.bodies.facts[collider.body];
        collider.local.position -= facts.center_local;
        // One sphere or capsule about the centre of mass; with anything else beside it spin can be seen.
        const bool centered = glm::length(collider.local.position) <= 1e-3f * collider.shape->bounding_radius;
        const bool first = c.bodies.place[collider.body].radius == 0.0f;
        if (!centered || !first)
            facts.symmetry = Symmetry::none;
        else if (collider.shape->type == ShapeType::capsule)
            facts.symmetry = Symmetry::axis;
        else if (collider.shape->type != ShapeType::sphere)
            facts.symmetry = Symmetry::none;
        facts.symmetry_axis = collider.local.rotation * Vec3(0.0f, 1.0f, 0.0f);
        const float reach = glm::length(collider.local.position) + collider.shape->bounding_radius;
        BodyPlace& place = c.bodies.place[collider.body];
        place.radius = std::max(place.radius, reach);
    }
}

void update_proxies(StepContext& c, uint32_t first_collider) {
    const entt::registry& registry = c.world.registry();
    c.collider_boxes.resize(c.colliders.size());
    for (uint32_t k = first_collider; k < c.colliders.size(); ++k) {
        ColliderFacts& collider = c.colliders[k];
        const BodyFacts& body = c.bodies.facts[collider.body];
        const uint32_t group = registry.get<StableId>(body.entity).value;
        const Collider& from = registry.get<Collider>(collider.entity);
        const ProxyFilter filter{from.layer, from.mask, group,
                                 body.type != BodyType::fixed && !body.out_of_step};
        if (collider.proxy == kNoProxy) {
            collider.proxy = c.broadphase.insert(Aabb{}, filter, collider.stable_id);
        } else {
            const ProxyFilter& known = c.broadphase.filter(collider.proxy);
            const bool same = known.layer == filter.layer && known.mask == filter.mask &&
                              known.group == filter.group && known.moves == filter.moves;
            if (!same) c.broadphase.set_filter(collider.proxy, filter);
        }
        if (c.collider_of_proxy.size() <= size_t(collider.proxy))
            c.collider_of_proxy.resize(size_t(collider.proxy) + 1);
        c.collider_of_proxy[size_t(collider.proxy)] = k;
        remember_collider(c, k);
    }
}

void resize_body_arrays(StepContext& c) {
    BodyArrays& bodies = c.bodies;
    const size_t n = bodies.facts.size();
    bodies.place.resize(n);
    bodies.was_awake.resize(n, 0);
    for (std::vector<BodyVelocity>* list : {&bodies.velocity, &bodies.moved, &bodies.mean_velocity})
        list->resize(n);
    bodies.inverse_mass.resize(n);
    for (std::vector<uint8_t>* list :
         {&bodies.awake, &bodies.placed_anew, &bodies.dynamic, &bodies.falls_asleep})
        list->resize(n, 0);
    for (std::vector<float>* list :
         {&bodies.motion, &bodies.unseen_motion, &bodies.speed, &bodies.quiet_time})
        list->resize(n, 0.0f);
    bodies.watch.resize(n);
    bodies.island.resize(n, kNoIsland);
}

void list_bodies(StepContext& c) {
    if (!c.body_list_stale) return;
    c.body_list_stale = false;
    if (!plan_changes(c)) {
        list_in_stable_order<RigidBody>(c.world.registry(), c.sort_keys, c.body_entities);
        return;
    }
    c.body_entities.clear();
    size_t gone = 0;
    for (uint32_t i = 0; i < c.bodies.size(); ++i) {
        if (gone < c.gone_bodies.size() && c.gone_bodies[gone] == i)
            ++gone;
        else
            c.body_entities.push_back(c.bodies.facts[i].entity);
    }
    c.body_entities.insert(c.body_entities.end(), c.changes.new_bodies.begin(), c.changes.new_bodies.end());
}

void rebuild_structure(StepContext& c) {
    entt::registry& registry = c.world.registry();
    if (!c.restored) use_up_slack(c);
    c.changes.clear();
    list_bodies(c);
    const size_t n = c.body_entities.size();
    BodyArrays& bodies = c.bodies;
    std::vector<BodyPlace> old_place(bodies.place);
    c.new_slot.resize(n);  // here the old slot of each
    for (uint32_t i = 0; i < n; ++i) c.new_slot[i] = body_slot(c, c.body_entities[i]);
    bodies.facts.clear();
    bodies.facts.reserve(n);
    for (const Entity entity : c.body_entities) bodies.facts.push_back(facts_of_body(c, entity));
    resize_body_arrays(c);
    std::fill(bodies.was_awake.begin(), bodies.was_awake.end(), uint8_t(0));
    for (uint32_t i = 0; i < n; ++i) {
        const size_t index = entt::to_entity(c.body_entities[i]);
        if (c.slot_of_entity.size() <= index) c.slot_of_entity.resize(index + 1, kNoSlot);
        c.slot_of_entity[index] = i;
    }
    c.last_body_id = n > 0 ? registry.get<StableId>(c.body_entities.back()).value : 0;
    rebuild_colliders(c);
    find_masses(c, 0, 0);
    // Where a body was last seen carries over, so that gather notices one that was put elsewhere.
    for (uint32_t i = 0; i < n; ++i)
        bodies.place[i] = c.new_slot[i] != kNoSlot
                              ? old_place[c.new_slot[i]]
                              : place_of(registry.get<Pose>(c.body_entities[i]), bodies.facts[i]);
    place_colliders(c, 0, 0);
    update_proxies(c, 0);
    rebuild_pairs(c);
    forget_reshaped(c);
    c.mass_sums = {};  // larger by far than what changes of the lists need
    c.boxes_stale = true;
    if (!c.restored || !restore_parts(c)) c.contacts_changed = true;
}

}  // namespace proxima::physics
