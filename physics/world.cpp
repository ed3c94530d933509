// SPDX-License-Identifier: MIT
#include "physics/world.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "engine/core/hash.h"
#include "engine/profile/plot.h"
#include "physics/bodies/mass.h"
#include "physics/check_input.h"
#include "physics/joints/joint_classes.h"
#include "physics/limits.h"
#include "physics/persisted_components.h"
#include "physics/shapes/shape_classes.h"
#include "physics/simulation.h"
#include "physics/solve/general/capture_contacts.h"
#include "physics/state/archive.h"
#include "physics/state/rollback.h"

namespace proxima::physics {

using engine::Snapshot;

namespace {

/// Declares every persisted component, in the order of the list. They are not checked: a game may write anything into
/// them, and a step leaves out or sets right what makes no sense, in a restored world as in the one that was saved.
template <class... Components>
void persist_all(engine::World& world, TypeList<Components...>) {
    (world.persist<Components>(component_name<Components>()), ...);
}

}  // namespace

/// The registry and the simulation, the signals between them, and what travels with snapshots.
struct PhysicsWorld::State final : engine::StatePart {
    engine::World world;
    Simulation simulation;
    Rollback rollback;

    explicit State(std::unique_ptr<engine::Jobs> jobs) : simulation(world.registry(), std::move(jobs)) { begin(); }
    State(entt::registry& registry, std::unique_ptr<engine::Jobs> jobs)
        : world(registry), simulation(registry, std::move(jobs)) {
        begin();
        adopt();
    }
    ~State() override {
        disconnect(PersistedComponents{});
        world.remove_part(*this);
    }
    void begin() {
        persist_all(world, PersistedComponents{});
        world.add_part("physics", *this);
        connect();
    }
    /// What is in the game's registry already.
    void adopt() {
        entt::registry& r = world.registry();
        for (const auto [entity, id] : r.view<StableId>().each())
            if (id.value < kNone) simulation.next_stable_id = std::max(simulation.next_stable_id, id.value + 1);
        // From the last one of a storage to the first, as they were made.
        const auto in_order = [&](auto& storage, auto&& visit) {
            for (size_t i = 0; i < storage.size(); ++i) visit(storage.data()[i]);
        };
        in_order(r.storage<RigidBody>(), [&](Entity body) { on_new_body(r, body); });
        in_order(r.storage<Collider>(), [&](Entity collider) { on_new_collider(r, collider); });
        log().request_rebuild();
    }
    template <class... Components>
    void disconnect(TypeList<Components...>) {
        entt::registry& r = world.registry();
        (r.on_construct<Components>().disconnect(static_cast<const void*>(this)), ...);
        (r.on_update<Components>().disconnect(static_cast<const void*>(this)), ...);
        (r.on_destroy<Components>().disconnect(static_cast<const void*>(this)), ...);
    }

    // ---- what changes the lists
    void connect() {
        entt::registry& r = world.registry();
        r.on_construct<RigidBody>().connect<&State::on_new_body>(*this);
        r.on_update<RigidBody>().connect<&State::on_changed_body>(*this);
        r.on_destroy<RigidBody>().connect<&State::on_gone_body>(*this);
        r.on_update<Mass>().connect<&State::on_changed_body>(*this);
        r.on_construct<Quarantined>().connect<&State::on_changed_body>(*this);
        r.on_destroy<Quarantined>().connect<&State::on_changed_body>(*this);
        r.on_construct<Collider>().connect<&State::on_new_collider>(*this);
        r.on_update<Collider>().connect<&State::on_changed_collider>(*this);
        r.on_destroy<Collider>().connect<&State::on_gone_collider>(*this);
        r.on_construct<StableId>().connect<&State::on_new_id>(*this);
        r.on_destroy<StableId>().connect<&State::on_gone_id>(*this);
        r.on_destroy<Pose>().connect<&State::on_stripped>(*this);
        r.on_destroy<Velocity>().connect<&State::on_stripped>(*this);
        r.on_destroy<Force>().connect<&State::on_stripped>(*this);
        r.on_destroy<Mass>().connect<&State::on_stripped>(*this);
        r.on_destroy<SleepState>().connect<&State::on_stripped>(*this);
    }
    StructureLog& log() { return simulation.log; }
    void on_new_body(entt::registry& registry, Entity body) {
        if (const StableId* id = registry.try_get<StableId>(body))
            simulation.body_list.add(body, id->value);
        else
            log().unnumbered.push_back(body);
        note_incomplete(registry, body);
        log().note(log().new_bodies, body);
    }
    void on_gone_body(entt::registry& registry, Entity body) {
        if (const StableId* id = registry.try_get<StableId>(body)) simulation.body_list.remove(body, id->value);
        log().note(log().gone_bodies, body);
    }
    /// A body that is not listed yet will be read as it is then.
    void on_changed_body(entt::registry&, Entity body) {
        if (simulation.bodies.slot_of(body) != kNone) log().change_body(body);
    }
    void on_new_collider(entt::registry& registry, Entity entity) {
        const Entity body = registry.get<Collider>(entity).body;
        if (registry.valid(body)) simulation.colliders.links.add(entity, body);
        if (!registry.all_of<StableId>(entity)) log().unnumbered.push_back(entity);
        log().reshape(body);
        log().note(log().new_colliders, entity);
    }
    void on_changed_collider(entt::registry& registry, Entity entity) {
        const Entity body = registry.get<Collider>(entity).body;
        const uint32_t slot = simulation.colliders.slot_of(entity);
        if (slot != kNone && simulation.colliders.seen[slot].body == body) return log().change_collider(entity);
        simulation.colliders.links.remove(entity);
        if (registry.valid(body)) simulation.colliders.links.add(entity, body);
        if (slot != kNone) log().reshape(simulation.colliders.seen[slot].body);
        log().reshape(body);
        log().request_rebuild();
    }
    void on_gone_collider(entt::registry& registry, Entity entity) {
        simulation.colliders.links.remove(entity);
        log().reshape(registry.get<Collider>(entity).body);
        log().note(log().gone_colliders, entity);
    }
    /// An entity that was a body or a collider before it had a stable id was in no list.
    void on_new_id(entt::registry& registry, Entity entity) {
        if (!registry.any_of<RigidBody, Collider>(entity)) return;
        if (registry.all_of<RigidBody>(entity)) {
            simulation.body_list.add(entity, registry.get<StableId>(entity).value);
            note_incomplete(registry, entity);
        }
        if (!log().numbering) log().request_rebuild();
    }
    /// A body that was made by hand and lacks something gets it in the next step.
    void note_incomplete(entt::registry& registry, Entity body) {
        if (registry.all_of<StableId>(body) && !registry.all_of<Pose, Velocity, Force, Mass, SleepState>(body))
            log().stripped_bodies.push_back(body);
    }
    void on_stripped(entt::registry& registry, Entity entity) {
        if (registry.all_of<RigidBody>(entity)) log().stripped_bodies.push_back(entity);
    }
    void on_gone_id(entt::registry& registry, Entity entity) {
        if (!registry.any_of<RigidBody, Collider>(entity)) return;
        simulation.body_list.remove(entity, registry.get<StableId>(entity).value);
        log().request_rebuild();
    }

    // ---- snapshots
    /// Fingerprints of the shapes that the colliders need, 0 where none does: the library may have grown since, which
    /// does not change the state. A number that the library does not have is none: steps leave such a collider out.
    std::vector<uint64_t> shapes_in_use() const {
        std::vector<uint64_t> fingerprints;
        for (const Entity entity : world.registry().view<Collider>()) {
            const size_t shape = size_t(world.registry().get<Collider>(entity).shape);
            if (!simulation.shapes.contains(ShapeId(uint32_t(shape)))) continue;
            if (shape >= fingerprints.size()) fingerprints.resize(shape + 1, 0);
            fingerprints[shape] = simulation.shapes.get(ShapeId(uint32_t(shape))).fingerprint;
        }
        return fingerprints;
    }
    /// Whether this world has them under the same numbers.
    Result<void> check_shapes(const std::vector<uint64_t>& fingerprints) const {
        const size_t count = simulation.shapes.size();
        if (fingerprints.size() > count)
            return Error{"The snapshot uses " + std::to_string(fingerprints.size()) +
                         " shapes, but this world has only " + std::to_string(count) + "."};
        for (uint32_t k = 0; k < fingerprints.size(); ++k)
            if (fingerprints[k] != 0 && (!simulation.shapes.contains(ShapeId(k)) ||
                                         fingerprints[k] != simulation.shapes.get(ShapeId(k)).fingerprint))
                return Error{"Shape " + std::to_string(k) + " of this world is not the one that the snapshot uses: " +
                             "give a world the same shapes in the same order before you restore into it."};
        return {};
    }
    static constexpr uint32_t kFormat = 13;  // of what follows
    void save(ByteWriter& out) const override {
        out.value(kFormat);
        out.value(simulation.step_number);
        out.value(simulation.next_stable_id);
        SaveArchive archive(out);
        archive.state(shapes_in_use());
        StepSettings settings = simulation.settings;
        visit_settings(archive, settings);
        History history;
        save_history(simulation, history);
        history.visit(archive);
    }
    /// What save() wrote, checked.
    struct Content {
        uint64_t step = 0;
        uint32_t next_stable_id = 0;
        StepSettings settings;
        History history;
    };
    Result<Content> read(ByteReader& in) const {
        Content content;
        if (in.value<uint32_t>() != kFormat)
            return Error{"The snapshot's physics part was written by another version of this program."};
        content.step = in.value<uint64_t>();
        content.next_stable_id = in.value<uint32_t>();
        std::vector<uint64_t> shapes;
        LoadArchive archive(in);
        archive.state(shapes);
        visit_settings(archive, content.settings);
        content.history.visit(archive);
        if (!in.ok() || !archive.is_sound()) return Error{"The snapshot's physics part is cut short or damaged."};
        if (auto ok = check_shapes(shapes); !ok) return Error{ok.error()};
        if (auto ok = physics::check(content.settings); !ok) return Error{ok.error()};
        if (auto ok = check_history(content.history, simulation.shapes, content.next_stable_id); !ok)
            return Error{ok.error()};
        return content;
    }
    Result<void> validate(ByteReader& in, const engine::SnapshotView& snapshot) const override {
        const Result<Content> content = read(in);
        if (!content) return Error{content.error()};
        return check_history(content.value().history, snapshot);
    }
    bool validates_all() const override { return true; }
    Result<void> load(ByteReader& in) override {
        Result<Content> content = read(in);
        if (!content) return Error{content.error()};
        simulation.step_number = content.value().step;
        simulation.next_stable_id = content.value().next_stable_id;
        simulation.settings = content.value().settings;
        load_history(content.value().history, simulation);
        // What the last step said was about another time.
        simulation.events.clear();
        simulation.report = StepReport{};
        simulation.report.step = simulation.step_number;
        return {};
    }
};

PhysicsWorld::PhysicsWorld(std::unique_ptr<engine::Jobs> jobs) : state_(std::make_unique<State>(std::move(jobs))) {}
PhysicsWorld::PhysicsWorld(entt::registry& registry, std::unique_ptr<engine::Jobs> jobs)
    : state_(std::make_unique<State>(registry, std::move(jobs))) {}
PhysicsWorld::~PhysicsWorld() = default;

// ---- making things

namespace {

/// Numbers never repeat, and the last one stands for none.
Result<void> check_id(uint32_t next, size_t wanted) {
    if (wanted > 0xFFFFFFFFu - next)
        return Error{
            "This world has made 4294967294 bodies and colliders, and numbers them with 32 bits; "
            "move what is left to a new world."};
    return {};
}

bool is_at_least_zero(float x) { return std::isfinite(x) && x >= 0.0f; }

}  // namespace

Result<void> PhysicsWorld::set_settings(const StepSettings& settings) {
    if (auto ok = check(settings); !ok) return ok;
    entt::registry& registry = state_->world.registry();
    for (const auto [entity, collider] : registry.view<Collider>().each())
        if (auto ok = check_solver_knows(collider.material, settings.solver); !ok) return ok;
    // What rests under one gravity may fall, slide or roll under another, and how long it has rested says nothing of that. Nor
    // do loads say what they will be: as much of them is a guess as the old gravity has of the new one.
    if (const Vec3& before = state_->simulation.settings.gravity; settings.gravity != before) {
        for (const auto [entity, sleep] : registry.view<SleepState>().each()) sleep = SleepState{};
        const float square = glm::dot(before, before), part = glm::dot(before, settings.gravity);
        if (square > 0.0f) state_->simulation.pairs.lessen_loads(std::clamp(part / square, 0.0f, 1.0f));
    }
    state_->simulation.settings = settings;
    return {};
}

Result<Entity> PhysicsWorld::create_body(const BodyDesc& desc) {
    const Simulation& s = state_->simulation;
    if (auto ok = check_id(state_->simulation.next_stable_id, 1 + desc.colliders.size()); !ok) return Error{ok.error()};
    if (auto ok = check_body(desc, {s.shapes, s.settings.solver}); !ok) return Error{ok.error()};

    entt::registry& registry = state_->world.registry();
    const Entity body = registry.create();
    registry.emplace<StableId>(body, StableId{state_->simulation.next_stable_id++});
    registry.emplace<Pose>(body, desc.pose);
    registry.emplace<Velocity>(body, desc.type == BodyType::fixed ? Velocity{} : desc.velocity);
    registry.emplace<Force>(body);
    registry.emplace<Mass>(body, mass_of_desc(desc, s.shapes));
    registry.emplace<SleepState>(body);
    registry.emplace<RigidBody>(body, desc.rigid_body());
    size_t made = 0;
    for (Collider collider : desc.colliders) {
        collider.body = body;
        const Entity entity = registry.create();
        registry.emplace<StableId>(entity, StableId{state_->simulation.next_stable_id++});
        registry.emplace<Collider>(entity, collider);
        if (made < desc.contact_rules.size() && desc.contact_rules[made] != ContactRules{})
            registry.emplace<ContactRules>(entity, desc.contact_rules[made]);
        ++made;
    }
    return body;
}

Result<Entity> PhysicsWorld::add_collider(Entity body, Collider collider) {
    if (auto ok = check_id(state_->simulation.next_stable_id, 1); !ok) return Error{ok.error()};
    entt::registry& registry = state_->world.registry();
    if (!registry.valid(body) || !registry.all_of<RigidBody>(body)) return Error{"A collider needs an existing body."};
    const Simulation& s = state_->simulation;
    const BodyType type = registry.get<RigidBody>(body).type;
    if (auto ok = check_collider(collider, type, {s.shapes, s.settings.solver}); !ok) return Error{ok.error()};
    collider.body = body;
    std::vector<Collider> all;
    for (const Entity entity : colliders(body)) all.push_back(registry.get<Collider>(entity));
    all.push_back(collider);
    Mass* known = registry.try_get<Mass>(body);
    const Mass mass = mass_of_colliders(known ? *known : Mass{}, all, s.shapes);
    if (type == BodyType::dynamic)
        if (auto ok = check_mass(mass); !ok) return Error{ok.error()};

    if (known) *known = mass;
    const Entity entity = registry.create();
    registry.emplace<StableId>(entity, StableId{state_->simulation.next_stable_id++});
    registry.emplace<Collider>(entity, collider);
    return entity;
}

Result<void> PhysicsWorld::remove_collider(Entity collider) {
    entt::registry& registry = state_->world.registry();
    if (!registry.valid(collider) || !registry.all_of<Collider>(collider))
        return Error{"Only an existing collider can be removed."};
    const Entity body = registry.get<Collider>(collider).body;
    // An entity may be a body and its own collider.
    if (registry.all_of<RigidBody>(collider))
        registry.remove<Collider>(collider);
    else
        registry.destroy(collider);
    if (registry.valid(body) && registry.all_of<RigidBody, Mass>(body)) registry.get<Mass>(body) = mass(body);
    return {};
}

void PhysicsWorld::destroy_body(Entity body) {
    entt::registry& registry = state_->world.registry();
    if (!registry.valid(body) || !registry.all_of<RigidBody>(body)) return;
    std::vector<Entity>& colliders = state_->simulation.structure_scratch.entities;
    colliders.clear();
    state_->simulation.colliders.links.for_each(body, [&](Entity entity) { colliders.push_back(entity); });
    for (const Entity entity : colliders) registry.destroy(entity);
    std::vector<Entity>& joints = colliders;
    joints.clear();
    for (const JointClass& row : joint_classes()) row.list(registry, joints);
    for (const Entity joint : joints) {
        const JointBodies names = joint_class_of(registry, joint)->bodies(registry, joint);
        if (names.a == body || names.b == body) registry.destroy(joint);
    }
    if (registry.valid(body)) registry.destroy(body);  // it may have been its own collider
}

Result<Entity> PhysicsWorld::begin_joint(Entity body_a, Entity body_b, const char* fault) {
    if (const char* wrong = check_joint_bodies(registry(), {body_a, body_b})) return Error{wrong};
    if (fault) return Error{fault};
    const auto moves = [&](Entity body) { return registry().get<RigidBody>(body).type == BodyType::dynamic; };
    if (!moves(body_a) && !moves(body_b))
        return Error{"A joint needs a dynamic body: neither of these two can be moved by it."};
    if (auto ok = check_id(state_->simulation.next_stable_id, 1); !ok) return Error{ok.error()};
    const Entity entity = registry().create();
    registry().emplace<StableId>(entity, StableId{state_->simulation.next_stable_id++});
    registry().emplace<JointState>(entity);
    return entity;
}

void PhysicsWorld::destroy_joint(Entity joint) {
    if (registry().valid(joint) && joint_class_of(registry(), joint)) registry().destroy(joint);
}

Result<void> PhysicsWorld::set_solver(Entity body, std::string_view solver, float tolerance, uint32_t iterations) {
    entt::registry& registry = state_->world.registry();
    if (!registry.valid(body) || !registry.all_of<RigidBody>(body))
        return Error{"A solver is chosen for an existing body."};
    const Solver* row = find_solver(solver);
    if (!row) {
        StepSettings unknown = state_->simulation.settings;
        unknown.solver = solver;
        return check(unknown);  // a sentence with the names there are
    }
    if (!is_at_least_zero(tolerance)) return Error{"A tolerance must be a finite speed, 0 or greater."};
    if (double(iterations) * state_->simulation.settings.substeps > kMaxSweeps)
        return Error{"The iterations of a solver times the sub-steps of the world must be at most 100000."};
    SolverChoice choice;
    row->name.copy(choice.solver, sizeof(choice.solver) - 1);
    choice.iterations = iterations;
    choice.tolerance = tolerance;
    registry.emplace_or_replace<SolverChoice>(body, choice);
    return {};
}

void PhysicsWorld::clear_solver(Entity body) {
    if (state_->world.registry().valid(body)) state_->world.registry().remove<SolverChoice>(body);
}

// ---- stepping

Result<void> PhysicsWorld::step(float dt) {
    if (!(std::isfinite(dt) && dt > 0.0f))
        return Error{"A step needs a positive finite length in seconds; it was " + std::to_string(dt) + "."};
    if (dt > kMaxStepTime) return Error{"A step may be 100 s long at most; it was " + std::to_string(dt) + " s."};
    const float h = dt / float(state_->simulation.settings.substeps);
    if (!std::isfinite(1.0f / (h * h)))
        return Error{"A step of " + std::to_string(dt) + " s is too short to be computed."};
    Simulation& simulation = state_->simulation;
    {
        PX_ZONE("step");
        const engine::JobBurst burst(*simulation.jobs);
        physics::step(simulation, dt);
    }
    engine::mark_frame("step");
    PX_PLOT("bodies awake", simulation.report.bodies);
    PX_PLOT("contacts", simulation.report.contacts);
    PX_PLOT("residual, m/s", simulation.report.residual_max);
    return {};
}

// ---- reading

std::optional<IslandReport> PhysicsWorld::island(Entity body) const {
    const Simulation& s = state_->simulation;
    const uint32_t slot = s.bodies.slot_of(body);
    const uint32_t number = slot < s.graph.island_of_body.size() ? s.graph.island_of_body[slot] : kNone;
    if (number >= s.plan.outcome.size() || number >= s.graph.islands.size() || !s.bodies.was_awake[slot])
        return std::nullopt;
    const Island& island = s.graph.islands[number];
    const IslandPlan& plan = s.plan.islands[number];
    const IslandOutcome& outcome = s.plan.outcome[number];
    IslandReport report;
    report.bodies = island.bodies();
    report.constraints = island.edges;
    report.solver = plan.solver == IslandSolver::direct ? std::string_view("direct") : plan.row->name;
    report.residual = double(outcome.residual);
    report.iterations = outcome.iterations;
    report.stop = outcome.stop;
    report.escalated = outcome.escalated;
    report.solver_failed = outcome.solver_failed;
    return report;
}

std::vector<ContactView> PhysicsWorld::contacts() const { return list_contacts(state_->simulation); }

std::vector<ContactView> PhysicsWorld::contacts(Entity of) const {
    std::vector<ContactView> out = list_contacts(state_->simulation);
    std::erase_if(out, [&](const ContactView& c) { return c.body_a != of && c.body_b != of && c.pair != of; });
    return out;
}

const StepSettings& PhysicsWorld::settings() const { return state_->simulation.settings; }
ShapeLibrary& PhysicsWorld::shapes() { return state_->simulation.shapes; }
const ShapeLibrary& PhysicsWorld::shapes() const { return state_->simulation.shapes; }
entt::registry& PhysicsWorld::registry() { return state_->world.registry(); }
const entt::registry& PhysicsWorld::registry() const { return state_->world.registry(); }
engine::World& PhysicsWorld::world() { return state_->world; }
uint64_t PhysicsWorld::step_number() const { return state_->simulation.step_number; }
const StepReport& PhysicsWorld::report() const { return state_->simulation.report; }
const engine::StageTimes& PhysicsWorld::times() const { return state_->simulation.times; }
std::span<const JointBreak> PhysicsWorld::joint_breaks() const { return state_->simulation.events.joint_breaks; }

ContactEvents PhysicsWorld::events() const {
    const Events& events = state_->simulation.events;
    return {step_number(), events.begin,  events.end,          events.hit,
            events.force,  events.broken, events.sensor_begin, events.sensor_end};
}
std::span<const Entity> PhysicsWorld::bodies() const { return state_->simulation.body_list.entities(); }
const Simulation& PhysicsWorld::simulation() const { return state_->simulation; }
Simulation& PhysicsWorld::mutable_simulation() { return state_->simulation; }
engine::Jobs& PhysicsWorld::jobs() { return *state_->simulation.jobs; }
void PhysicsWorld::set_jobs(std::unique_ptr<engine::Jobs> jobs) { state_->simulation.jobs = std::move(jobs); }

uint64_t PhysicsWorld::state_hash() const {
    const entt::registry& registry = state_->world.registry();
    StateHash hash;
    for (const Entity entity : bodies()) {
        // A component that the game took away comes back with the next step.
        if (const Pose* pose = registry.try_get<Pose>(entity)) {
            hash.add(pose->position);
            hash.add(pose->rotation);
        }
        if (const Velocity* velocity = registry.try_get<Velocity>(entity)) {
            hash.add(velocity->linear);
            hash.add(velocity->angular);
        }
    }
    return hash.value();
}

MemoryUse PhysicsWorld::memory() const { return memory_use(state_->simulation); }

// ---- capture

namespace {

template <class... Components>
void copy_components(const entt::registry& from, entt::registry& to, TypeList<Components...>) {
    const auto copy_type = [&]<class T>(std::type_identity<T>) {
        for (const Entity entity : from.view<T>()) {
            if (!to.valid(entity)) (void)to.create(entity);
            to.emplace<T>(entity, from.get<T>(entity));
        }
    };
    (copy_type(std::type_identity<Components>{}), ...);
}

}  // namespace

/// Not by a snapshot of the whole world: it has the game's own components, which a plain world does not know.
Result<ContactDump> PhysicsWorld::capture(float dt) const {
    if (!(std::isfinite(dt) && dt > 0.0f && std::isfinite(1.0f / dt)))
        return Error{"A contact problem needs a positive finite time step; it was " + std::to_string(dt) + " s."};
    State copy(engine::make_serial_jobs());
    copy.simulation.shapes = state_->simulation.shapes;
    const entt::registry& from = registry();
    entt::registry& to = copy.world.registry();
    copy_components(from, to, PersistedComponents{});
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    state_->save(out);
    ByteReader in(bytes);
    if (Result<void> loaded = copy.load(in); !loaded) return Error{loaded.error()};
    copy.world.registry().clear<SolverChoice>();
    return capture_contacts(copy.simulation, dt);
}

// ---- state

void PhysicsWorld::save(Snapshot& out) const { state_->world.save(out); }

Result<void> PhysicsWorld::restore(const Snapshot& snapshot) { return state_->world.restore(snapshot); }

void PhysicsWorld::save_state(PhysicsSnapshot& out) const { state_->rollback.save(state_->simulation, out); }
Result<void> PhysicsWorld::save_state_since(const PhysicsSnapshot& base, PhysicsSnapshot& out) const {
    return state_->rollback.save_since(state_->simulation, base, out);
}
Result<void> PhysicsWorld::restore_state(const PhysicsSnapshot& snapshot) {
    return state_->rollback.restore(snapshot, nullptr, state_->simulation);
}
Result<void> PhysicsWorld::restore_state(const PhysicsSnapshot& base, const PhysicsSnapshot& difference) {
    return state_->rollback.restore(difference, &base, state_->simulation);
}
std::span<const RenamedEntity> PhysicsWorld::renamed_entities() const { return state_->rollback.renamed; }

}  // namespace proxima::physics
