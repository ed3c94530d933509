// SPDX-License-Identifier: MIT
// What a world holds on the heap, added up from the capacities of its containers. docs/memory.md has the
// bytes of each thing.
#include "engine/core/capacity.h"
#include "physics/physics_world.h"
#include "physics/step.h"

namespace proxima::physics {

namespace {

/// Bytes of one row of arrays that grow together.
template <class Arrays, class... T>
constexpr size_t row_bytes(std::vector<T> Arrays::*...) {
    return (size_t(0) + ... + sizeof(T));
}
using B = BodyArrays;
static_assert(row_bytes(&B::facts, &B::place, &B::velocity, &B::moved, &B::inverse_mass, &B::mean_velocity) ==
              128 + 5 * 32);
static_assert(row_bytes(&B::dynamic, &B::awake, &B::placed_anew, &B::was_awake, &B::has_new_manifold,
                        &B::falls_asleep, &B::motion, &B::unseen_motion, &B::speed, &B::quiet_time, &B::watch,
                        &B::island) == 6 + 6 * 4);
using W = wide::Problem;
static_assert(row_bytes(&W::velocity, &W::moved, &W::inverse_mass, &W::place, &W::free_velocity, &W::drive,
                        &W::inertia, &W::inverse_inertia, &W::wrench) == 9 * 32);
static_assert(sizeof(Pose) + sizeof(Velocity) + sizeof(Force) + sizeof(RigidBody) + sizeof(Mass) +
                  sizeof(Rest) + sizeof(StableId) ==
              180);
static_assert(sizeof(ContactPair) + sizeof(Manifold) == 456);

/// Components, the list of who has them, and the array that finds them by entity.
template <class... Component>
size_t storage_bytes(const entt::registry& registry) {
    const auto one = [](const auto* storage, size_t component) -> size_t {
        if (!storage) return 0;
        return storage->capacity() * component +
               (storage->entt::sparse_set::capacity() + storage->extent()) * sizeof(Entity);
    };
    return (size_t(0) + ... + one(registry.storage<Component>(), sizeof(Component)));
}

size_t body_bytes(const StepContext& c) {
    const BodyArrays& b = c.bodies;
    return capacity_bytes(b.facts, b.place, b.velocity, b.moved, b.inverse_mass, b.dynamic, b.awake,
                          b.placed_anew, b.motion, b.unseen_motion, b.speed, b.was_awake, b.has_new_manifold,
                          b.falls_asleep, b.quiet_time, b.mean_velocity, b.watch, b.island) +
           capacity_bytes(c.body_entities, c.slot_of_entity, c.gone_bodies, c.new_slot, c.reshaped_bodies,
                          c.changes.new_bodies, c.changes.gone_bodies, c.body_troubles, c.mass_sums);
}

size_t collider_bytes(const StepContext& c) {
    return capacity_bytes(c.colliders, c.collider_of_entity, c.collider_of_proxy, c.collider_boxes,
                          c.box_changed, c.gone_colliders, c.new_collider_slot, c.changes.new_colliders,
                          c.changes.gone_colliders) +
           c.collider_links.bytes();
}

size_t pair_bytes(const StepContext& c) {
    return capacity_bytes(c.pairs, c.pair_of_entity, c.look_list, c.look_found, c.changed_pairs, c.orphans,
                          c.saved_pairs, c.saved_boxes, c.saved_parts) +
           c.pair_of_key.bytes() + c.pick_pairs.bytes();
}

size_t solver_bytes(const StepContext& c) {
    const wide::Problem& w = c.wide;
    size_t sum = capacity_bytes(w.memory, w.runs, w.parts, w.bodies, w.index_of_body, w.indices,
                                w.restitution, w.news);
    sum += capacity_bytes(w.velocity, w.moved, w.inverse_mass, w.place, w.free_velocity, w.drive, w.inertia,
                          w.inverse_inertia, w.wrench);
    sum += capacity_bytes(w.items, w.unsorted_items, w.part_of_island, w.own_bodies, w.part_bodies,
                          w.still_bodies, w.slab_of_body, w.seams_of_body, w.place_of_body, w.extents,
                          w.at_place);
    sum += capacity_bytes(c.problem.contacts, c.problem.groups, c.problem.extras, c.problem.extra_of_contact,
                          c.laws, c.group_pairs, c.islands, c.island_bodies, c.island_bounces, c.batches,
                          c.scratch, c.union_find, c.colours_used, c.contact_list, c.freed_colours,
                          c.fresh_contacts, c.groups_by_key, c.measure_sums);
    sum +=
        capacity_bytes(c.island_way, c.island_choice, c.island_outcome, c.island_uneven, c.island_special,
                       c.directs, c.directs_before, c.spare_directs, c.saved_factors, c.saved_factor_values);
    for (const DirectSlot& slot : c.directs) sum += slot.island->bytes();
    for (const auto& island : c.spare_directs) sum += island->bytes();
    for (const WorkerScratch& s : c.scratch)
        sum += capacity_bytes(s.solver.lambda, s.solver.spin, s.solver.velocity, s.solver.lambda_before,
                              s.solver.spin_before, s.solver.velocity_before, s.solver.lambda_next,
                              s.solver.work, s.solver.body_count);
    return sum + w.pick_items.bytes() + w.bins.bytes();
}

}  // namespace

MemoryUse memory_use(const StepContext& c) {
    const entt::registry& registry = c.world.registry();
    MemoryUse use;
    use.bodies =
        storage_bytes<Pose, Velocity, Force, RigidBody, Mass, Rest, Quarantined>(registry) + body_bytes(c);
    use.colliders = storage_bytes<Collider>(registry) + collider_bytes(c);
    use.broadphase = c.broadphase.bytes();
    use.pairs = pair_bytes(c);
    use.contacts = storage_bytes<ContactPair, Manifold, PairFriction>(registry) +
                   capacity_bytes(c.begin_events, c.end_events, c.hit_events);
    use.solver = solver_bytes(c);
    const auto& entities = *registry.storage<Entity>();
    use.entities = (entities.capacity() + entities.extent()) * sizeof(Entity) +
                   storage_bytes<StableId>(registry) +
                   capacity_bytes(c.sort_keys, c.entity_list, c.slot_list);
    use.shapes = c.shapes.bytes();
    return use;
}

}  // namespace proxima::physics
