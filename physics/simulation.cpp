// SPDX-License-Identifier: MIT
#include "physics/simulation.h"

#include "physics/state/archive.h"

namespace proxima::physics {

namespace {

/// Components, the list of entities that have them, and the array that finds them by entity.
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

void save_history(const Simulation& s, History& out) {
    out.log = s.log;
    for (size_t i = 0; i < s.body_list.entities().size(); ++i) {
        const Entity body = s.body_list.entities()[i];
        const uint32_t id = s.body_list.ids()[i];
        if (s.registry.get<StableId>(body).value != id) out.written_ids.push_back({body, id});
    }
    s.bodies.save(out.bodies);
    s.colliders.save(out.colliders);
    s.colliders.links.save(out.links);
    s.pairs.save(out.pairs, out.free_pairs, out.manifolds);
    out.ignored = s.pairs.rules.ignored;
    out.rules = s.pairs.rules.seen;
    s.joints.save(out.joints);
    save_graph(s.graph, s.pairs, out.edges);
    out.graph_changed_in_step = s.graph.changed_in_step;
    out.slabs = s.sweep.slabs;
    s.direct.save(out.factors);
}

void load_history(const History& history, Simulation& s) {
    s.log = history.log;
    for (const WrittenId& body : history.written_ids)
        s.body_list.renumber(body.entity, s.registry.get<StableId>(body.entity).value, body.stable_id);
    s.bodies.load(history.bodies);
    s.colliders.load(history.colliders, s.shapes, s.bodies);
    s.colliders.links.load(history.links);
    s.colliders.broadphase.update(*s.jobs);
    s.pairs.rules = {};
    s.pairs.rules.ignored = history.ignored;
    s.pairs.rules.seen = history.rules;
    s.pairs.rules.derive(s.colliders);
    s.pairs.rules.any_bits = s.pairs.rules.has_bits(s.colliders);
    s.pairs.load(history.pairs, history.free_pairs, history.manifolds, s.bodies, s.colliders);
    match_pairs(s.bodies, s.colliders, s.pairs);
    s.joints.load(history.joints, s.bodies);
    load_graph(history.edges, history.graph_changed_in_step, s.pairs, s.joints, s.bodies, s.graph, *s.jobs);
    s.plan.clear();
    s.sweep.slabs = history.slabs;
    s.direct.load(history.factors);
}

std::vector<ContactView> list_contacts(const Simulation& s) {
    std::vector<ContactView> out;
    const auto add = [&](Entity entity, const ContactPair& names, bool touching, const Manifold& m,
                         const ExtendedFriction* extended) {
        out.push_back({entity, names.collider_a, names.collider_b, names.body_a, names.body_b, touching, &m,
                       m.extended_friction ? extended : nullptr});
    };
    // The lists learn in the next step of what the game destroyed since the last one.
    const auto is_there = [&](const ContactPair& names) {
        const entt::registry& r = s.registry;
        for (const Entity collider : {names.collider_a, names.collider_b})
            if (!r.valid(collider) || !r.all_of<Collider>(collider)) return false;
        for (const Entity body : {names.body_a, names.body_b})
            if (!r.valid(body) || !r.all_of<RigidBody>(body)) return false;
        return true;
    };
    for (uint32_t slot = 0; slot < s.pairs.slots.size(); ++slot) {
        if (s.pairs.slots[slot].is_free() || !is_there(s.pairs.names[slot])) continue;
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
    use.pairs = memory_of(s.pairs);
    use.contacts = storage_bytes<ContactPair>(s.registry) + memory_of(s.pairs.manifolds) + memory_of(s.events);
    use.joints = storage_bytes<JointState>(s.registry) + memory_of(s.joints) + memory_of(s.articulations);
    use.solver = memory_of(s.graph) + memory_of(s.plan) + memory_of(s.sweep) + memory_of(s.direct) +
                 memory_of(s.general) + memory_of(s.trial);
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
