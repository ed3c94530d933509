// SPDX-License-Identifier: MIT
#include "physics/simulation.h"

#include "physics/state/archive.h"

namespace proxima::physics {

namespace {

constexpr uint8_t kWasAwake = 0x80;  // beside the slab, in RestoredState::partitions
static_assert(sweep::kMaxSlabs <= kWasAwake);

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
    out.partitions.clear();
    const std::vector<uint8_t>& slabs = s.sweep.slabs.of_body;
    if (s.log.is_seen())
        for (uint32_t i = 0; i < s.bodies.size(); ++i)
            out.partitions.push_back(
                uint8_t((i < slabs.size() ? slabs[i] : 0) | (s.bodies.was_awake[i] ? kWasAwake : 0)));
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
    if (s.restored->partitions.size() == s.bodies.size() && s.bodies.size() > 0) {
        s.graph.adopt(s.bodies, s.pairs, s.joints, s.restored->graph_changed_in_step);
        s.sweep.slabs.cut_in_step = s.restored->slabs_cut_in_step;
        s.sweep.slabs.of_body.resize(s.bodies.size());
        for (uint32_t i = 0; i < s.bodies.size(); ++i)
            s.sweep.slabs.of_body[i] = uint8_t(s.restored->partitions[i] & ~kWasAwake);
    }
    s.restored.reset();
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
    use.solver = memory_of(s.graph) + memory_of(s.plan) + memory_of(s.sweep) + memory_of(s.direct) + memory_of(s.general);
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
