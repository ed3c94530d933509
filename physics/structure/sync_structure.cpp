// SPDX-License-Identifier: MIT
// The lists of bodies and colliders from the registry, in stable order, with masses and proxies.
#include "physics/structure/sync_structure.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "engine/ecs/component_cursor.h"
#include "physics/check_input.h"
#include "physics/shapes/inertia.h"
#include "physics/shapes/shape_classes.h"

namespace proxima::physics {

namespace {

constexpr uint32_t kCollidersPerBlock = 1024;

/// Entities that carry Owner, in the order of their stable ids. The registry's own order depends on history.
template <class Owner>
void list_in_stable_order(entt::registry& registry, std::vector<uint64_t>& keys, std::vector<Entity>& out) {
    keys.clear();
    for (const Entity entity : registry.view<Owner, StableId>())
        keys.push_back(uint64_t(registry.get<StableId>(entity).value) << 32 | uint64_t(entt::to_integral(entity)));
    std::sort(keys.begin(), keys.end());
    out.clear();
    for (const uint64_t key : keys) out.push_back(Entity(uint32_t(key)));
}

void remember(std::vector<uint32_t>& slot_of_entity, Entity entity, uint32_t slot) {
    const size_t index = entt::to_entity(entity);
    if (slot_of_entity.size() <= index) slot_of_entity.resize(index + 1, kNone);
    slot_of_entity[index] = slot;
}

/// What follows from the mass of a dynamic body; false when it makes no sense.
bool invert_mass(BodyData& body) {
    if (body.type != BodyType::dynamic) return true;
    if (!is_sensible(Mass{body.mass, body.center_local, body.inertia_local})) return false;
    body.inverse_inertia_local = inverse(body.inertia_local);
    // Its tensor is that of the free axes, as gather finds it, for a whole step.
    body.isotropic = is_isotropic(body.inertia_local) || body.locked_axes != 0;
    return true;
}

/// The colliders' side of the lists. Those that were there before keep their proxy, and their box while it fits.
void rebuild_colliders(entt::registry& registry, StructureLog& log, StructureLists& lists, StepReport& report) {
    log.left_out.clear();
    Colliders& colliders = lists.colliders;
    std::vector<Entity>& entities = lists.scratch.entities;
    list_in_stable_order<Collider>(registry, lists.scratch.sort_keys, entities);

    std::vector<ColliderData> before;
    before.swap(colliders.data);
    colliders.extended_friction_count = colliders.moving_surface_count = colliders.ruled_count = 0;
    colliders.data.reserve(std::max(before.capacity(), entities.size()));
    colliders.seen.clear();
    size_t old = 0;
    const auto drop_until = [&](uint32_t stable_id) {
        for (; old < before.size() && before[old].stable_id < stable_id; ++old)
            colliders.broadphase.remove(before[old].proxy);
    };
    for (const Entity entity : entities) {
        const Collider& collider = registry.get<Collider>(entity);
        // Its body may have been written since it was made, while no list had seen it.
        if (registry.valid(collider.body)) colliders.links.move(entity, collider.body);
        const bool has_body = registry.valid(collider.body) && lists.bodies.slot_of(collider.body) != kNone;
        const char* fault = has_body ? fault_of(registry, lists.shapes, collider)
                                     : "The collider's body does not exist; the collider is left out.";
        if (fault) {
            report.warn(entity, fault);
            log.left_out.push_back({entity, collider});
            continue;
        }
        ColliderData data = data_of_collider(registry, lists, entity);
        drop_until(data.stable_id);
        if (old < before.size() && before[old].stable_id == data.stable_id) {
            data.proxy = before[old].proxy;
            data.world = before[old].world;
            data.box_slack = before[old].box_slack;
            ++old;
        }
        colliders.data.push_back(data);
        colliders.seen.push_back(collider);
        colliders.extended_friction_count += data.material.has_extended_friction;
        colliders.moving_surface_count += data.material.surface_moves;
        colliders.ruled_count += has_pair_rules(collider);
        remember(colliders.slot_of_entity, entity, uint32_t(colliders.data.size()) - 1);
    }
    drop_until(kNone);
}

/// See sync_structure.h, as the next one.
void place_colliders(uint32_t first_body, uint32_t first_collider, Bodies& bodies, Colliders& list) {
    std::vector<ColliderData>& colliders = list.data;
    if (bodies.sensor_reach.size() > first_body) bodies.sensor_reach.resize(first_body);
    for (size_t i = first_body; i < bodies.size(); ++i) begin_placing(bodies.data[i], bodies.transform[i]);
    for (size_t k = first_collider; k < colliders.size(); ++k) {
        ColliderData& collider = colliders[k];
        if (collider.body < first_body) continue;
        if (!list.seen[k].is_sensor) {
            place_collider(collider, bodies.data[collider.body], bodies.transform[collider.body]);
            continue;
        }
        // It is no part of the body, but it is looked for where it reaches.
        collider.local.position -= bodies.data[collider.body].center_local;
        bodies.sensor_reach.resize(bodies.size(), 0.0f);
        float& reach = bodies.sensor_reach[collider.body];
        reach = std::max(reach, glm::length(collider.local.position) + collider.shape->bounding_radius);
    }
}

void update_proxies(uint32_t first_collider, const Bodies& bodies, Colliders& colliders) {
    colliders.boxes.resize(colliders.size());
    for (uint32_t k = first_collider; k < colliders.size(); ++k) {
        const ColliderData& collider = colliders.data[k];
        update_proxy(k, bodies, colliders);
        if (colliders.slot_of_proxy.size() <= size_t(collider.proxy))
            colliders.slot_of_proxy.resize(size_t(collider.proxy) + 1);
        colliders.slot_of_proxy[size_t(collider.proxy)] = k;
        remember(colliders.slot_of_entity, collider.entity, k);
    }
}

/// Boxes and contacts of bodies whose shape or mass changed are made anew: their anchors may point elsewhere now. Loads of
/// bodies that got much lighter are forgotten, too: what carried the weight of before would throw them.
void forget_reshaped(std::vector<Entity>& reshaped_bodies, StructureLists& lists) {
    if (reshaped_bodies.empty()) return;
    std::sort(reshaped_bodies.begin(), reshaped_bodies.end());
    const auto reshaped = [&](uint32_t body) {
        return std::binary_search(reshaped_bodies.begin(), reshaped_bodies.end(), lists.bodies.data[body].entity);
    };
    std::vector<Entity>& lightened_bodies = lists.scratch.lightened_bodies;
    std::sort(lightened_bodies.begin(), lightened_bodies.end());
    const auto lightened = [&](uint32_t body) {
        return std::binary_search(lightened_bodies.begin(), lightened_bodies.end(), lists.bodies.data[body].entity);
    };
    for (ColliderData& collider : lists.colliders.data)
        if (reshaped(collider.body)) collider.box_slack = -1.0f;
    for (uint32_t k = 0; k < lists.pairs.slots.size(); ++k) {
        PairSlot& pair = lists.pairs.slots[k];
        if (pair.is_free() || (!reshaped(pair.body_a) && !reshaped(pair.body_b))) continue;
        pair.slack = -1.0f;
        pair.cache = {};
        const bool unload = lightened(pair.body_a) || lightened(pair.body_b);
        for (const ManifoldId id : ManifoldChain{lists.pairs, k}) {
            Manifold& m = lists.pairs.manifolds[id];
            m.made = 0;
            if (unload) m.lambda_dt = 0.0f;
        }
    }
    lightened_bodies.clear();
}

/// Bit by bit: a component has nothing between its members, and NaN is not equal to itself.
bool is_other(const Collider& x, const Collider& y) { return std::memcmp(&x, &y, sizeof(Collider)) != 0; }

/// Stable ids that the game has written over are those of the lists again: the order of everything follows from them.
void restore_ids(entt::registry& registry, const BodyList& bodies, const Colliders& colliders, StepReport& report) {
    auto& storage = registry.storage<StableId>();
    const auto restore = [&](Entity entity, StableId& now, uint32_t id) {
        if (now.value == id) return;
        now.value = id;
        report.warn(entity, "The stable id of a body or collider is the world's own; it is back.");
    };
    engine::ComponentCursor<StableId> id_of(storage);
    for (size_t i = 0; i < bodies.entities().size(); ++i)
        restore(bodies.entities()[i], id_of(bodies.entities()[i]), bodies.ids()[i]);
    for (const ColliderData& collider : colliders.data)
        if (storage.contains(collider.entity)) restore(collider.entity, id_of(collider.entity), collider.stable_id);
}

/// A new stable id for what has one that the world never gave, or that is another's.
void give_new_id(entt::registry& registry, Entity entity, StructureLists& lists, StepReport& report) {
    StableId& id = registry.get<StableId>(entity);
    const uint32_t before = id.value;
    id.value = lists.next_stable_id++;
    if (registry.all_of<RigidBody>(entity)) lists.body_list.renumber(entity, before, id.value);
    report.warn(entity, "The stable id of a body or collider was not one of the world's own; it has a new one.");
}

/// Whoever carries Owner has a stable id below the next one and for itself: the lists are in their order, and what is
/// in the lists already keeps its own.
template <class Owner, class IsListed>
void renumber(entt::registry& registry, StructureLists& lists, const IsListed& is_listed, StepReport& report) {
    std::vector<uint64_t>& keys = lists.scratch.sort_keys;
    keys.clear();
    for (const Entity entity : registry.view<Owner, StableId>())
        keys.push_back(uint64_t(registry.get<StableId>(entity).value) << 32 | uint64_t(entt::to_integral(entity)));
    std::sort(keys.begin(), keys.end());
    const uint32_t known = lists.next_stable_id;
    for (size_t k = 0, end = 0; k < keys.size(); k = end) {
        const uint32_t id = uint32_t(keys[k] >> 32);
        size_t keeps = k;
        for (; end < keys.size() && uint32_t(keys[end] >> 32) == id; ++end)
            if (is_listed(Entity(uint32_t(keys[end])))) keeps = end;
        const bool good = id != 0 && id < known;
        for (size_t i = k; i < end; ++i)
            if (!good || i != keeps) give_new_id(registry, Entity(uint32_t(keys[i])), lists, report);
    }
}

/// Settings and masses that the game wrote without telling. Returns whether the watch has told all of them.
bool find_silent_settings(entt::registry& registry, StructureLog& log, Bodies& bodies, engine::Jobs& jobs) {
    SettingsWatch& watch = bodies.settings_watch;
    watch.looked_at = watch.is_unchanged(registry, jobs);
    if (watch.looked_at) return true;
    bool all_sensible = true;
    const auto note = [&](Entity body) {
        if (bodies.slot_of(body) == kNone)
            watch.update(registry, body);
        else if (is_sensible(registry.get<RigidBody>(body)) && registry.get<Mass>(body).source <= MassSource::given)
            log.change_body(body);
        else
            all_sensible = false;  // gather sets it right first
    };
    return watch.settings.has_same_size(registry.storage<RigidBody>()) &&
           watch.mass.has_same_size(registry.storage<Mass>()) &&
           watch.settings.for_each_other(registry.storage<RigidBody>(), note) &&
           watch.mass.for_each_other(registry.storage<Mass>(), note) && all_sensible;
}

/// Colliders that the game wrote without telling.
void find_silent_changes(entt::registry& registry, StructureLog& log, Colliders& colliders, engine::Jobs& jobs) {
    auto& storage = registry.storage<Collider>();
    for (const LeftOutCollider& before : log.left_out)
        if (storage.contains(before.entity) && is_other(storage.get(before.entity), before.content))
            log.request_rebuild();
    // Mostly the storage is the one of before, and tells which of them.
    const auto note = [&](Entity entity) {
        const uint32_t k = colliders.slot_of(entity);
        if (k == kNone) return;
        const Collider& now = storage.get(entity);
        if (is_other(now, colliders.seen[k])) log.change_collider(entity);
        if (now.body == colliders.seen[k].body) return;
        colliders.links.remove(entity);
        if (registry.valid(now.body)) colliders.links.add(entity, now.body);
    };
    if (colliders.watch.for_each_other(storage, note)) return;
    std::atomic<bool> any{false};
    const bool all_there = log.gone_colliders.empty() && !log.needs_rebuild();
    jobs.parallel_for(uint32_t(colliders.size()), kCollidersPerBlock, [&](const engine::JobBlock& block) {
        engine::ComponentCursor<Collider> component_of(storage);
        for (uint32_t k = block.begin; k < block.end; ++k) {
            const Entity entity = colliders.data[k].entity;
            if ((all_there || storage.contains(entity)) && is_other(component_of(entity), colliders.seen[k]))
                any.store(true, std::memory_order_relaxed);
        }
    });
    if (!any.load(std::memory_order_relaxed)) return;
    for (uint32_t k = 0; k < colliders.size(); ++k) {
        const Entity entity = colliders.data[k].entity;
        if (storage.contains(entity)) note(entity);
    }
}

/// Bodies whose colliders changed look where they stand, and so do those that a collider came from or went to.
void reshape_changed(const entt::registry& registry, StructureLog& log, const Colliders& colliders) {
    for (const Entity entity : log.changed_colliders) {
        const uint32_t k = colliders.slot_of(entity);
        const Collider* now = registry.valid(entity) ? registry.try_get<Collider>(entity) : nullptr;
        if (k != kNone && now && !is_other(*now, colliders.seen[k])) continue;
        if (k != kNone) log.reshape(colliders.seen[k].body);
        if (now) log.reshape(now->body);
    }
}

/// What the game made without stable ids gets them, and the components that it left out with their defaults.
void number_new(entt::registry& registry, StructureLog& log, StructureLists& lists, StepReport& report) {
    if (log.unnumbered.empty()) return;
    log.numbering = true;
    for (const Entity entity : log.unnumbered) {
        if (!registry.valid(entity) || registry.all_of<StableId>(entity)) continue;
        const bool is_body = registry.all_of<RigidBody>(entity);
        Collider* collider = registry.try_get<Collider>(entity);
        if (!is_body && !collider) continue;
        if (lists.next_stable_id == kNone) {
            report.warn(entity, "The world has no stable ids left for bodies and colliders; this one is left out.");
            continue;
        }
        if (is_body) {
            registry.get_or_emplace<Pose>(entity);
            registry.get_or_emplace<Velocity>(entity);
            registry.get_or_emplace<Force>(entity);
            registry.get_or_emplace<Mass>(entity);
            registry.get_or_emplace<SleepState>(entity);
        }
        // An entity that is a body and a collider, and names no other body, is its own collider.
        if (is_body && collider && collider->body == kNoEntity) {
            collider->body = entity;
            lists.colliders.links.move(entity, entity);
        }
        registry.emplace<StableId>(entity, StableId{lists.next_stable_id++});
    }
    log.numbering = false;
    log.unnumbered.clear();
}

/// A body needs all of its components; those that the game took away come back as they are by default.
void repair_bodies(entt::registry& registry, StructureLog& log, StepReport& report) {
    for (const Entity body : log.stripped_bodies) {
        if (!registry.valid(body) || !registry.all_of<RigidBody, StableId>(body)) continue;
        if (registry.all_of<Pose, Velocity, Force, Mass, SleepState>(body)) continue;
        registry.get_or_emplace<Pose>(body);
        registry.get_or_emplace<Velocity>(body);
        registry.get_or_emplace<Force>(body);
        registry.get_or_emplace<Mass>(body);
        registry.get_or_emplace<SleepState>(body);
        static const std::string kMessage =
            "The body lacked a component that it needs; it has it now, with its default. Remove RigidBody to end a "
            "body.";
        report.warn(body, kMessage);
        log.request_rebuild();
    }
    log.stripped_bodies.clear();
}

/// Lists, masses and proxies from the registry, after bodies or colliders came, went or changed in any way.
void rebuild_structure(entt::registry& registry, StructureLog& log, StructureLists& lists, StepReport& report) {
    Bodies& bodies = lists.bodies;
    renumber<RigidBody>(
        registry, lists, [&](Entity e) { return bodies.slot_of(e) != kNone; }, report);
    renumber<Collider>(
        registry, lists, [&](Entity e) { return lists.colliders.slot_of(e) != kNone; }, report);
    const std::vector<Entity>& entities = lists.body_list.entities();
    lists.pairs.use_up_slack(bodies);
    const uint32_t n = uint32_t(entities.size());
    const std::vector<BodyTransform> old_transform(bodies.transform);
    const std::vector<BodyData> old_data(bodies.data);
    std::vector<uint32_t>& old_slot = lists.scratch.new_slot;
    old_slot.resize(n);
    for (uint32_t i = 0; i < n; ++i) old_slot[i] = bodies.slot_of(entities[i]);
    bodies.data.clear();
    bodies.data.reserve(n);
    bodies.stable_id.clear();
    for (const Entity entity : entities) {
        bodies.data.push_back(data_of_body(registry, entity));
        const uint32_t old = old_slot[bodies.stable_id.size()];
        bodies.stable_id.push_back(registry.get<StableId>(entity).value);
        if (old == kNone) continue;
        BodyData& data = bodies.data.back();
        if (!is_sensible(registry.get<RigidBody>(entity))) {  // until gather sets them right
            keep_settings(old_data[old], data);
            if (data.type > BodyType::dynamic) data.type = old_data[old].type;
        }
        if (data.type != old_data[old].type) forget_motion(registry, data);
    }
    resize_body_arrays(bodies);
    std::fill(bodies.was_awake.begin(), bodies.was_awake.end(), uint8_t(0));
    for (uint32_t i = 0; i < n; ++i) remember(bodies.slot_of_entity, entities[i], i);
    rebuild_colliders(registry, log, lists, report);
    ++lists.colliders.version;
    find_masses(registry, 0, 0, lists, report);
    constexpr float kLightened = 0.5f;  // of the mass of before
    for (uint32_t i = 0; i < n; ++i) {
        // Where a body was last seen carries over, so that gather notices one that was put elsewhere.
        const bool known = old_slot[i] != kNone;
        bodies.transform[i] =
            known ? old_transform[old_slot[i]] : transform_of(registry.get<Pose>(entities[i]), bodies.data[i]);
        if (!known) continue;
        const BodyData &old = old_data[old_slot[i]], &now = bodies.data[i];
        const bool changed =
            old.type != now.type || old.excluded != now.excluded ||
            (now.type == BodyType::dynamic && (is_other_mass(old, now) || old.locked_axes != now.locked_axes));
        if (changed && now.mass < kLightened * old.mass) lists.scratch.lightened_bodies.push_back(entities[i]);
        if (changed || sleeps_with_other_settings(old, registry.get<RigidBody>(entities[i]),
                                                  registry.get<SleepState>(entities[i])))
            log.reshape(entities[i]);
    }
    place_colliders(0, 0, lists);
    update_proxies(0, lists);
    for (uint32_t k = 0; k < lists.pairs.slots.size(); ++k) {
        if (!lists.pairs.slots[k].is_free() && !lists.pairs.find_members(k, bodies, lists.colliders))
            lists.pairs.remove(k);
    }
    forget_reshaped(log.reshaped_bodies, lists);
    lists.scratch.mass_sums = {};  // larger by far than what changes of the lists need
}

}  // namespace

BodyData data_of_body(const entt::registry& registry, Entity body) {
    BodyData data;
    data.entity = body;
    data.type = registry.get<RigidBody>(body).type;
    take_settings(data, registry.get<RigidBody>(body));
    data.excluded = registry.all_of<Quarantined>(body);
    return data;
}

void forget_motion(entt::registry& registry, const BodyData& data) {
    if (data.type == BodyType::fixed) registry.get<Velocity>(data.entity) = {};
    if (data.type != BodyType::dynamic) registry.get<Force>(data.entity) = {};
}

const char* fault_of(const entt::registry& registry, const ShapeLibrary& shapes, const Collider& collider) {
    if (!shapes.contains(collider.shape))
        return "The collider's shape is not in the world's library; the collider is left out.";
    if (!check_pose(collider.local, "a collider") || !check_material(collider.material) ||
        !check_density(collider.density))
        return "The collider's pose, material or density makes no sense; the collider is left out.";
    if (!check_on_body(shapes.get(collider.shape), registry.get<RigidBody>(collider.body).type != BodyType::fixed))
        return "The collider's shape goes on fixed bodies only; the collider is left out.";
    return nullptr;
}

void begin_placing(BodyData& body, BodyTransform& transform) {
    transform.radius = 0.0f;
    body.symmetry = Symmetry::point;
}

void place_collider(ColliderData& collider, BodyData& body, BodyTransform& transform) {
    collider.local.position -= body.center_local;
    // One sphere or capsule about the centre of mass; with anything else beside it spin can be seen.
    const bool centered = glm::length(collider.local.position) <= 1e-3f * collider.shape->bounding_radius;
    const bool first = transform.radius == 0.0f;
    if (!centered || !first)
        body.symmetry = Symmetry::none;
    else if (shape_class(*collider.shape).symmetry == ShapeSymmetry::axis)
        body.symmetry = Symmetry::axis;
    else if (shape_class(*collider.shape).symmetry == ShapeSymmetry::none)
        body.symmetry = Symmetry::none;
    body.symmetry_axis = collider.local.rotation * Vec3(0.0f, 1.0f, 0.0f);
    const float reach = glm::length(collider.local.position) + collider.shape->bounding_radius;
    transform.radius = std::max(transform.radius, reach);
}

void update_proxy(uint32_t k, const Bodies& bodies, Colliders& colliders) {
    ColliderData& collider = colliders.data[k];
    const BodyData& body = bodies.data[collider.body];
    const Collider& from = colliders.seen[k];
    // Those of a group that always meets are paired with whoever wants them; the pair knows better (contact_rules.h).
    constexpr uint32_t kAll = 0xFFFFFFFFu;
    const ProxyFilter filter{from.group > 0 ? kAll : from.layer, from.group > 0 ? kAll : from.mask,
                             bodies.stable_id[collider.body], body.type != BodyType::fixed && !body.excluded};
    if (collider.proxy == kNoProxy) {
        collider.proxy = colliders.broadphase.insert(Aabb{}, filter, collider.stable_id);
        return;
    }
    const ProxyFilter& known = colliders.broadphase.filter(collider.proxy);
    const bool same = known.layer == filter.layer && known.mask == filter.mask && known.group == filter.group &&
                      known.moves == filter.moves;
    if (!same) colliders.broadphase.set_filter(collider.proxy, filter);
}

ColliderData data_of_collider(const Collider& collider, Entity entity, uint32_t stable_id, const Bodies& bodies,
                              const ShapeLibrary& shapes) {
    ColliderData data;
    data.entity = entity;
    data.stable_id = stable_id;
    data.body = bodies.slot_of(collider.body);
    data.shape = &shapes.get(collider.shape);
    data.local = {collider.local.position, collider.local.rotation};
    data.material = contact_material(collider.material);
    return data;
}
ColliderData data_of_collider(const entt::registry& registry, const StructureLists& lists, Entity entity) {
    return data_of_collider(registry.get<Collider>(entity), entity, registry.get<StableId>(entity).value, lists.bodies,
                            lists.shapes);
}

void find_masses(entt::registry& registry, uint32_t first_body, uint32_t first_collider, StructureLists& lists,
                 StepReport& report) {
    Bodies& bodies = lists.bodies;
    const std::vector<ColliderData>& colliders = lists.colliders.data;
    const std::vector<Collider>& colliders_seen = lists.colliders.seen;
    std::vector<MassAccumulator>& sums = lists.scratch.mass_sums;
    sums.assign(bodies.size() - first_body, MassAccumulator{});
    for (size_t k = first_collider; k < colliders.size(); ++k) {
        const ColliderData& collider = colliders[k];
        if (collider.body < first_body || shape_class(*collider.shape).unbounded || colliders_seen[k].is_sensor)
            continue;
        const float density = registry.get<Collider>(collider.entity).density;
        sums[collider.body - first_body].add(collider.shape->mass, collider.local, density);
    }
    for (size_t i = first_body; i < bodies.size(); ++i)
        find_mass(registry, sums[i - first_body], bodies.data[i], report);
}

void find_mass(entt::registry& registry, const MassAccumulator& sum, BodyData& body, StepReport& report) {
    Mass& mass = registry.get<Mass>(body.entity);
    if (mass.source != MassSource::given) {
        const float total = mass.mass;
        Mass derived = sum.result();
        derived.source = mass.source;
        if (mass.source == MassSource::total) scale_mass(derived, total);
        mass = derived;
    }
    body.center_local = body.type == BodyType::dynamic ? mass.center : Vec3(0.0f);
    body.mass = mass.mass;
    body.mass_center = mass.center;
    body.mass_source = uint8_t(mass.source);
    body.inertia_local = mass.inertia;
    if (invert_mass(body)) return;
    report.warn(body.entity,
                "The body's mass or inertia is not positive, not finite or out of range, or its centre is; it is left "
                "out of the step.");
    body.excluded = true;
}

bool is_other_mass(const BodyData& x, const BodyData& y) {
    return std::memcmp(&x.mass, &y.mass, sizeof(float)) != 0 || x.center_local != y.center_local ||
           std::memcmp(&x.inertia_local, &y.inertia_local, sizeof(Sym3)) != 0;
}

void place_colliders(uint32_t first_body, uint32_t first_collider, StructureLists& lists) {
    place_colliders(first_body, first_collider, lists.bodies, lists.colliders);
}
void update_proxies(uint32_t first_collider, StructureLists& lists) {
    update_proxies(first_collider, lists.bodies, lists.colliders);
}

void resize_body_arrays(Bodies& bodies) {
    const size_t n = bodies.data.size();
    bodies.transform.resize(n);
    bodies.was_awake.resize(n, 0);
    for (std::vector<BodyVelocity>* list : {&bodies.velocity, &bodies.delta, &bodies.mean_velocity}) list->resize(n);
    bodies.inverse_mass.resize(n);
    for (std::vector<uint8_t>* list : {&bodies.awake, &bodies.teleported, &bodies.dynamic, &bodies.falls_asleep})
        list->resize(n, 0);
    for (std::vector<float>* list :
         {&bodies.displacement, &bodies.unseen_displacement, &bodies.speed, &bodies.sleep_timer})
        list->resize(n, 0.0f);
    bodies.history.resize(n);
    bodies.gathered.assign(n, 0);
}

void Bodies::save(std::vector<SavedBody>& out) const {
    out.clear();
    for (uint32_t i = 0; i < size(); ++i) {
        const BodyData& d = data[i];
        out.push_back({d.entity,
                       stable_id[i],
                       d.type,
                       d.mass,
                       d.center_local,
                       d.inertia_local,
                       transform[i].rotation,
                       transform[i].center,
                       unseen_displacement[i],
                       d.gravity_scale,
                       d.linear_damping,
                       d.angular_damping,
                       uint8_t(d.excluded),
                       dynamic[i],
                       was_awake[i],
                       uint8_t(d.allow_sleep),
                       d.mass_source,
                       d.max_linear_speed,
                       d.max_angular_speed,
                       d.locked_axes,
                       d.mass_center});
    }
}

void Bodies::load(const std::vector<SavedBody>& saved) {
    const uint64_t next = version + 1;
    *this = {};
    version = next;
    for (const SavedBody& from : saved) {
        BodyData& body = data.emplace_back();
        body.entity = from.entity;
        body.type = from.type;
        body.mass = from.mass;
        body.center_local = from.center_local;
        body.inertia_local = from.inertia_local;
        body.excluded = from.excluded != 0;
        body.gravity_scale = from.gravity_scale;
        body.linear_damping = from.linear_damping;
        body.angular_damping = from.angular_damping;
        body.allow_sleep = from.allow_sleep != 0;
        body.mass_source = uint8_t(from.mass_source);
        body.max_linear_speed = from.max_linear_speed;
        body.max_angular_speed = from.max_angular_speed;
        body.locked_axes = uint8_t(from.locked_axes);
        body.mass_center = from.mass_center;
        invert_mass(body);
        remember(slot_of_entity, from.entity, uint32_t(stable_id.size()));
        stable_id.push_back(from.stable_id);
    }
    resize_body_arrays(*this);
    for (uint32_t i = 0; i < size(); ++i) {
        transform[i].rotation = saved[i].rotation;
        transform[i].center = saved[i].center;
        unseen_displacement[i] = saved[i].unseen_displacement;
        dynamic[i] = saved[i].dynamic;
        awake[i] = was_awake[i] = saved[i].was_awake;
    }
}

void Colliders::save(std::vector<SavedCollider>& out) const {
    out.clear();
    for (uint32_t k = 0; k < size(); ++k) {
        const ColliderData& c = data[k];
        out.push_back({c.entity, c.stable_id, seen[k], c.box_slack, broadphase.box(c.proxy),
                       uint32_t(broadphase.filter(c.proxy).moves)});
    }
}

void Colliders::load(const std::vector<SavedCollider>& saved, const ShapeLibrary& shapes, Bodies& bodies) {
    data.clear();
    seen.clear();
    watch.forget();
    extended_friction_count = moving_surface_count = ruled_count = 0;
    broadphase = Broadphase{};
    for (const SavedCollider& from : saved) {
        data.push_back(data_of_collider(from.seen, from.entity, from.stable_id, bodies, shapes));
        seen.push_back(from.seen);
        extended_friction_count += data.back().material.has_extended_friction;
        moving_surface_count += data.back().material.surface_moves;
        ruled_count += has_pair_rules(from.seen);
    }
    place_colliders(0, 0, bodies, *this);
    update_proxies(0, bodies, *this);
    for (uint32_t k = 0; k < size(); ++k) {
        ColliderData& collider = data[k];
        const BodyTransform& transform = bodies.transform[collider.body];
        collider.world = compose({transform.center, transform.rotation}, collider.local);
        collider.box_slack = saved[k].box_slack;
        broadphase.set_box(collider.proxy, saved[k].box);
        ProxyFilter filter = broadphase.filter(collider.proxy);
        filter.moves = saved[k].moves != 0;
        broadphase.set_filter(collider.proxy, filter);
    }
    boxes_of_version = ++version;
}

void sync_structure(entt::registry& registry, StructureLog& log, StructureLists lists, const StepTools& tools) {
    const StageScope scope(tools, Stage::sync_structure);
    number_new(registry, log, lists, tools.report);
    repair_bodies(registry, log, tools.report);
    const bool all_told = find_silent_settings(registry, log, lists.bodies, tools.jobs);
    if (log.is_seen() && engine::are_unchanged(registry, tools.jobs, lists.colliders.watch, lists.scratch.ids)) return;
    if (!engine::are_unchanged(registry, tools.jobs, lists.scratch.ids))
        restore_ids(registry, lists.body_list, lists.colliders, tools.report);
    find_silent_changes(registry, log, lists.colliders, tools.jobs);
    if (log.is_seen()) {
        lists.colliders.watch.remember(registry.storage<Collider>());
        lists.scratch.ids.remember(registry.storage<StableId>());
        return;
    }
    if (log.has_changes_only() && change_in_place(registry, log, lists, tools.report)) {
        log.mark_seen();
        lists.bodies.settings_watch.looked_at = all_told;
        return;
    }
    // A copy of all components is worth its while when a step comes in which nothing changes.
    lists.colliders.watch.forget();
    lists.scratch.ids.forget();
    lists.bodies.settings_watch.forget();
    const bool planned = plan_changes(registry, log, lists);
    if (planned) apply_changes(registry, log, lists, tools.report);
    if (!planned || !change_in_place(registry, log, lists, tools.report)) {
        reshape_changed(registry, log, lists.colliders);
        rebuild_structure(registry, log, lists, tools.report);
    }
    log.mark_seen();
    ++lists.bodies.version;
}

}  // namespace proxima::physics
