// SPDX-License-Identifier: MIT
#include "physics/simulation.h"

#include "physics/state/archive.h"

namespace proxima::physics {

namespace {

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

}  // namespace

Simulation::Simulation(entt::registry& r, std::unique_ptr<engine::Jobs> j) : registry(r), jobs(std::move(j)) {
    for (uint32_t stage = 0; stage < uint32_t(Stage::count); ++stage) times.add(to_string(Stage(stage)));
}

void save_history(const Simulation& s, RestoredState& out) {
    if (s.restored) {  // not stepped since
        out = *s.restored;
        return;
    }
    s.pairs.save(s.bodies, out.pairs, out.manifolds);
    out.boxes.clear();
    for (const ColliderData& collider : s.colliders.data)
        if (collider.proxy != kNoProxy)
            out.boxes.push_back({collider.stable_id, collider.box_slack, s.colliders.broadphase.box(collider.proxy)});
    out.bodies.clear();
    const std::vector<uint8_t>& slabs = s.sweep.slabs.of_body;
    for (uint32_t i = 0; i < s.bodies.size(); ++i) {
        const Entity entity = s.bodies.data[i].entity;
        const StableId* id = s.registry.valid(entity) ? s.registry.try_get<StableId>(entity) : nullptr;
        if (!id) continue;  // gone since
        SavedBody body;
        body.stable_id = id->value;
        body.slab = i < slabs.size() ? slabs[i] : uint8_t(0);
        body.was_awake = s.bodies.was_awake[i];
        body.rotation = s.bodies.transform[i].rotation;
        body.center = s.bodies.transform[i].center;
        out.bodies.push_back(body);
    }
    out.lists_are_current = s.log.is_seen();
    out.graph_changed_in_step = s.graph.changed_in_step;
    out.slabs_cut_in_step = s.sweep.slabs.cut_in_step;
    s.direct.save(out.factors, out.factor_values);
    out.reshaped_bodies = s.log.reshaped_bodies;
}

void load_history(RestoredState state, Simulation& s) {
    s.log.request_rebuild();
    s.log.new_bodies.clear();
    s.log.new_colliders.clear();
    s.log.gone_bodies.clear();
    s.log.gone_colliders.clear();
    s.log.reshaped_bodies = state.reshaped_bodies;  // not what the restore itself made of the registry
    // What was seen before the restore says nothing about what is there now.
    const uint64_t version = s.bodies.version;
    s.bodies = {};
    s.bodies.version = version;
    s.colliders.data.clear();
    s.colliders.seen.clear();
    s.colliders.broadphase = Broadphase{};
    s.pairs.clear();
    s.direct.load(std::move(state.factors), std::move(state.factor_values));
    s.restored = std::make_unique<RestoredState>(std::move(state));
}

void adopt_history(Simulation& s) {
    if (!s.restored) return;
    if (s.restored->lists_are_current && s.restored->bodies.size() == s.bodies.size()) {
        s.graph.adopt(s.bodies, s.pairs, s.joints, s.restored->graph_changed_in_step);
        s.sweep.slabs.cut_in_step = s.restored->slabs_cut_in_step;
        s.sweep.slabs.of_body.resize(s.bodies.size());
        for (uint32_t i = 0; i < s.bodies.size(); ++i) s.sweep.slabs.of_body[i] = s.restored->bodies[i].slab;
    }
    s.restored.reset();
}

std::vector<ContactView> list_contacts(const Simulation& s) {
    std::vector<ContactView> out;
    const auto add = [&](Entity entity, const ContactPair& names, bool touching, const Manifold& m,
                         const ExtendedFriction* extended) {
        out.push_back({entity, names.collider_a, names.collider_b, names.body_a, names.body_b, touching, &m,
                       m.extended_friction ? extended : nullptr});
    };
    if (s.restored) {  // the table of pairs is made by the next step
        size_t next = 0;
        for (const SavedPair& pair : s.restored->pairs) {
            const bool named = s.registry.valid(pair.entity) && s.registry.all_of<ContactPair>(pair.entity);
            for (uint32_t k = 0; k < pair.manifolds; ++k, ++next)
                if (named)
                    add(pair.entity, s.registry.get<ContactPair>(pair.entity), pair.touching != 0,
                        s.restored->manifolds[next].manifold, &s.restored->manifolds[next].extended);
        }
        return out;
    }
    for (uint32_t slot = 0; slot < s.pairs.slots.size(); ++slot) {
        if (s.pairs.slots[slot].is_free()) continue;
        for (const ManifoldId id : ManifoldChain{s.pairs, slot})
            add(s.pairs.slots[slot].entity, s.pairs.names[slot], s.pairs.slots[slot].touching != 0,
                s.pairs.manifolds[id], s.pairs.manifolds.extended(id));
    }
    return out;
}

MemoryUse memory_use(const Simulation& s) {
    MemoryUse use;
    use.bodies = storage_bytes<Pose, Velocity, Force, RigidBody, Mass, SleepState, Quarantined>(s.registry) +
                 memory_of(s.bodies) + memory_of(s.log) + memory_of(s.body_list);
    use.colliders = storage_bytes<Collider>(s.registry) + memory_of(s.colliders);
    use.broadphase = s.colliders.broadphase.bytes();
    use.pairs = memory_of(s.pairs) + (s.restored ? memory_of(*s.restored) : 0);
    use.contacts = storage_bytes<ContactPair>(s.registry) + memory_of(s.pairs.manifolds) + memory_of(s.events);
    use.joints = storage_bytes<JointState>(s.registry) + memory_of(s.joints);
    use.solver =
        memory_of(s.graph) + memory_of(s.plan) + memory_of(s.sweep) + memory_of(s.direct) + memory_of(s.general);
    const auto& entities = *std::as_const(s.registry).storage<Entity>();
    use.entities = (entities.capacity() + entities.extent()) * sizeof(Entity) + storage_bytes<StableId>(s.registry) +
                   memory_of(s.structure_scratch);
    use.shapes = s.shapes.bytes();
    return use;
}

const char* to_string(Stage stage) {
    switch (stage) {
        case Stage::sync_structure:
            return "sync_structure";
        case Stage::gather_bodies:
            return "gather_bodies";
        case Stage::find_pairs:
            return "find_pairs";
        case Stage::update_manifolds:
            return "update_manifolds";
        case Stage::update_graph:
            return "update_graph";
        case Stage::assign_solvers:
            return "assign_solvers";
        case Stage::update_layout:
            return "update_layout";
        case Stage::prepare:
            return "prepare";
        case Stage::solve_islands:
            return "solve_islands";
        case Stage::store_results:
            return "store_results";
        case Stage::update_sleep:
            return "update_sleep";
        case Stage::write_back:
            return "write_back";
        case Stage::publish_events:
            return "publish_events";
        case Stage::count:
            break;
    }
    return "unknown";
}

}  // namespace proxima::physics
