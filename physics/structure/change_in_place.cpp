// SPDX-License-Identifier: MIT
// Bodies and colliders that stay and get another content: their slots are written anew, and of boxes, pairs and graph what
// hangs on them. The same numbers as from lists that are made anew.
#include <algorithm>
#include <cstring>

#include "physics/shapes/shape_classes.h"
#include "physics/structure/sync_structure.h"

namespace proxima::physics {

namespace {

/// Slots of a body's colliders, ascending. Returns false when one of them is not listed, or is to be left out now.
bool list_colliders(const entt::registry& registry, const StructureLists& lists, Entity body) {
    std::vector<uint32_t>& slots = lists.scratch.collider_slots;
    slots.clear();
    bool as_listed = true;
    lists.colliders.links.for_each(body, [&](Entity entity) {
        const uint32_t k = lists.colliders.slot_of(entity);
        const Collider* now = registry.valid(entity) ? registry.try_get<Collider>(entity) : nullptr;
        as_listed = as_listed && k != kNone && now && now->body == body && !fault_of(registry, lists.shapes, *now);
        // What rules are about is found with the lists.
        as_listed = as_listed && !has_pair_rules(*now) && !has_pair_rules(lists.colliders.seen[k]);
        if (k != kNone) slots.push_back(k);
    });
    std::sort(slots.begin(), slots.end());
    return as_listed;
}

/// Slots of the bodies that changed, or whose colliders did, ascending. Returns false when one of them is more than
/// changed, or is to be set right first.
bool list_changed(const entt::registry& registry, const StructureLog& log, const StructureLists& lists) {
    const Colliders& colliders = lists.colliders;
    std::vector<uint32_t>& slots = lists.scratch.changed_slots;
    slots.clear();
    for (const Entity body : log.changed_bodies)
        if (const uint32_t i = lists.bodies.slot_of(body); i != kNone) slots.push_back(i);
    for (const Entity entity : log.changed_colliders) {
        const uint32_t k = colliders.slot_of(entity);
        if (k == kNone || !registry.valid(entity) || !registry.all_of<Collider, StableId>(entity)) return false;
        if (registry.get<Collider>(entity).body != colliders.seen[k].body) return false;
        slots.push_back(colliders.data[k].body);
    }
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    for (const uint32_t i : slots) {
        const Entity body = lists.bodies.data[i].entity;
        if (!registry.valid(body) ||
            !registry.all_of<RigidBody, StableId, Pose, Velocity, Force, Mass, SleepState>(body) ||
            !is_sensible(registry.get<RigidBody>(body)) || registry.get<Mass>(body).source > MassSource::given ||
            !list_colliders(registry, lists, body))
            return false;
    }
    return true;
}

/// What a body was before, and what about it is another now.
struct Change {
    BodyData before;
    bool colliders = false;  // any of them
    bool faces = false;      // one that others lie on without moving it has another shape
};

void change_colliders(entt::registry& registry, StructureLists& lists, Change& change, MassAccumulator& sum) {
    Colliders& colliders = lists.colliders;
    for (const uint32_t k : lists.scratch.collider_slots) {
        ColliderData& data = colliders.data[k];
        const ColliderData before = data;
        const Collider& now = registry.get<Collider>(before.entity);
        data = data_of_collider(registry, lists, before.entity);
        data.proxy = before.proxy;
        data.world = before.world;
        data.box_slack = before.box_slack;
        if (!shape_class(*data.shape).unbounded) sum.add(data.shape->mass, data.local, now.density);
        if (!is_other(now, colliders.seen[k])) continue;
        change.colliders = true;
        const Collider& seen = colliders.seen[k];
        if (now.layer != seen.layer || now.mask != seen.mask) ++lists.pairs.rules.version;  // pairs learn it
        change.faces |= data.shape != before.shape;
        colliders.extended_friction_count += uint32_t(data.material.has_extended_friction);
        colliders.extended_friction_count -= uint32_t(before.material.has_extended_friction);
        colliders.moving_surface_count += uint32_t(data.material.surface_moves);
        colliders.moving_surface_count -= uint32_t(before.material.surface_moves);
        colliders.seen[k] = now;
        colliders.watch.update(registry.storage<Collider>(), before.entity);
    }
}

/// A pair whose bodies may touch elsewhere now, or carry something else. Loads of a body that got much lighter are
/// forgotten, too: what carried the weight of before would throw it.
void forget_pair(uint32_t slot, bool unload, Pairs& pairs) {
    PairSlot& pair = pairs.slots[slot];
    pair.slack = -1.0f;
    pair.cache = {};
    for (const ManifoldId id : ManifoldChain{pairs, slot}) {
        pairs.manifolds[id].made = 0;
        if (unload) pairs.manifolds[id].lambda_dt = 0.0f;
    }
}

/// Boxes and contacts of a body are made anew. Its pairs are those of the boxes that its own overlap.
void forget_contacts(bool unload, StructureLists& lists) {
    Colliders& colliders = lists.colliders;
    for (const uint32_t k : lists.scratch.collider_slots) {
        ColliderData& collider = colliders.data[k];
        collider.box_slack = -1.0f;
        std::vector<ProxyId>& near = lists.scratch.near;
        near.clear();
        colliders.broadphase.query(colliders.broadphase.box(collider.proxy), near);
        for (const ProxyId other : near) {
            const uint32_t id = colliders.broadphase.order(other);
            const uint64_t key = pair_key(std::min(id, collider.stable_id), std::max(id, collider.stable_id));
            if (const uint32_t slot = lists.pairs.slot_of_key.find(key); slot != FlatMap::kNone)
                forget_pair(slot, unload, lists.pairs);
        }
    }
}

/// A Mass of densities, or all of a total one but its total, is the step's: what else stood there had no effect.
void warn_of_vain_mass(const Mass& written, const Mass& now, const BodyData& before, StepReport& report) {
    if (now.source == MassSource::given) return;
    const auto is_in_vain = [](const auto& wrote, const auto& is, const auto& was) {
        return std::memcmp(&wrote, &is, sizeof(is)) != 0 && std::memcmp(&wrote, &was, sizeof(is)) != 0;
    };
    if (!is_in_vain(written.center, now.center, before.mass_center) &&
        !is_in_vain(written.mass, now.mass, before.mass) &&
        !is_in_vain(written.inertia, now.inertia, before.inertia_local))
        return;
    report.warn(
        before.entity,
        "What was written into the body's Mass follows from its colliders and was written over; with the source "
        "total its mass is the game's, with given all of it.");
}

void change_body(entt::registry& registry, uint32_t i, StructureLog& log, StructureLists& lists, StepReport& report) {
    constexpr float kLightened = 0.5f;  // of the mass of before
    Bodies& bodies = lists.bodies;
    BodyData& data = bodies.data[i];
    const Entity body = data.entity;
    Change change{.before = data};
    const Mass written = registry.get<Mass>(body);
    (void)list_colliders(registry, lists, body);
    data = data_of_body(registry, body);
    MassAccumulator sum;
    change_colliders(registry, lists, change, sum);
    find_mass(registry, sum, data, report);
    warn_of_vain_mass(written, registry.get<Mass>(body), change.before, report);
    begin_placing(data, bodies.transform[i]);
    if (i < bodies.sensor_reach.size())
        bodies.sensor_reach[i] = 0.0f;  // of sensors that are gone: there are none among these
    const bool other_type = change.before.type != data.type;
    if (other_type) forget_motion(registry, data);
    for (const uint32_t k : lists.scratch.collider_slots) {
        place_collider(lists.colliders.data[k], data, bodies.transform[i]);
        update_proxy(k, bodies, lists.colliders);
        remeasure_collider(bodies, lists.colliders, k, lists.pairs);
    }
    if (change.faces && data.type != BodyType::dynamic) lists.pairs.immovable_neighbours.forget();
    bodies.gathered[i] = 0;
    bodies.rest_watch.slept = false;
    bodies.settings_watch.update(registry, body);

    const bool takes_part_otherwise = other_type || change.before.excluded != data.excluded;
    const bool other_mass = data.type == BodyType::dynamic &&
                            (is_other_mass(change.before, data) || change.before.locked_axes != data.locked_axes);
    // Of those that came to it and went the log knows.
    const std::vector<Entity>& told = log.reshaped_bodies;
    change.colliders |= std::find(told.begin(), told.end(), body) != told.end();
    if (takes_part_otherwise || other_mass || change.colliders) {
        const bool changed = takes_part_otherwise || other_mass;
        forget_contacts(changed && data.mass < kLightened * change.before.mass, lists);
        log.reshape(body);
    } else if (sleeps_with_other_settings(change.before, registry.get<RigidBody>(body),
                                          registry.get<SleepState>(body))) {
        forget_contacts(false, lists);
        log.reshape(body);
    } else {
        return;
    }
    // Who is joined with whom stays, but for what can be moved now or no longer can. Bodies that keep their tensor when they
    // turn have a place of their own in the sweeps.
    bodies.mass_version += other_mass;
    if (takes_part_otherwise)
        ++bodies.version;
    else if (change.before.isotropic != data.isotropic)
        ++lists.pairs.version;
}

}  // namespace

bool change_in_place(entt::registry& registry, StructureLog& log, StructureLists& lists, StepReport& report) {
    if (!list_changed(registry, log, lists)) return false;
    // The list is in the scratch, and so is that of the colliders of each.
    for (const uint32_t i : lists.scratch.changed_slots) change_body(registry, i, log, lists, report);
    log.changed_bodies.clear();
    log.changed_colliders.clear();
    return true;
}

}  // namespace proxima::physics
