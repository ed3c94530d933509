// SPDX-License-Identifier: MIT
#include "physics/physics_world.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "engine/core/capacity.h"
#include "engine/core/hash.h"
#include "engine/profile/plot.h"
#include "physics/contact/capture.h"
#include "physics/step.h"

namespace proxima::physics {

using engine::Snapshot;

/// Everything a world owns. The counters and the settings travel with snapshots; the dense arrays are
/// rebuilt.
struct PhysicsWorld::State final : engine::StatePart {
    engine::World world;
    ShapeLibrary shapes;
    StepSettings settings;
    std::unique_ptr<engine::Jobs> jobs;
    engine::StageTimes times;
    StepReport report;
    std::vector<ContactBegin> begin_events;
    std::vector<ContactEnd> end_events;
    std::vector<ContactHit> hit_events;
    uint64_t step_number = 0;
    uint32_t next_stable_id = 1;
    StepContext context{world,  shapes,       settings,   nullptr,    times,
                        report, begin_events, end_events, hit_events, step_number};

    mutable std::vector<SavedPair> pairs_to_save;  // kept for their memory
    mutable std::vector<SavedBox> boxes_to_save;
    mutable std::vector<uint8_t> parts_to_save;
    mutable std::vector<SavedFactor> factors_to_save;
    mutable std::vector<float> factor_values_to_save;

    explicit State(std::unique_ptr<engine::Jobs> given) : jobs(std::move(given)) {
        context.jobs = jobs.get();
        for (uint32_t s = 0; s < uint32_t(Stage::count); ++s) times.add(to_string(Stage(s)));
        world.persist<Pose>("Pose");
        world.persist<Velocity>("Velocity");
        world.persist<Force>("Force");
        world.persist<RigidBody>("RigidBody");
        world.persist<Mass>("Mass");
        world.persist<Rest>("Rest");
        world.persist<Quarantined>("Quarantined");
        world.persist<SolverChoice>("SolverChoice");
        world.persist<Collider>("Collider");
        world.persist<StableId>("StableId");
        world.persist<ContactPair>("ContactPair");
        world.persist<Manifold>("Manifold");
        world.persist<PairFriction>("PairFriction");
        world.registry().storage<PairFriction>();  // the step looks at it from several threads
        world.add_part("physics", *this);
        connect();
    }
    ~State() override { world.remove_part(*this); }

    // ---- what changes the lists
    void connect() {
        entt::registry& r = world.registry();
        r.on_construct<RigidBody>().connect<&State::on_new_body>(*this);
        r.on_update<RigidBody>().connect<&State::on_changed_body>(*this);
        r.on_destroy<RigidBody>().connect<&State::on_gone_body>(*this);
        r.on_update<Mass>().connect<&State::on_changed_mass>(*this);
        r.on_destroy<Quarantined>().connect<&State::on_changed_body>(*this);
        r.on_construct<Collider>().connect<&State::on_new_collider>(*this);
        r.on_update<Collider>().connect<&State::on_changed_collider>(*this);
        r.on_destroy<Collider>().connect<&State::on_gone_collider>(*this);
        r.on_construct<StableId>().connect<&State::on_new_id>(*this);
    }
    void note(std::vector<Entity>& list, Entity entity) {
        if (!context.structure_changed) list.push_back(entity);
    }
    void on_new_body(entt::registry&, Entity body) {
        context.body_list_stale = true;
        note(context.changes.new_bodies, body);
    }
    void on_gone_body(entt::registry&, Entity body) {
        context.body_list_stale = true;
        note(context.changes.gone_bodies, body);
    }
    /// A body that is not listed yet will be read as it is then.
    void on_changed_body(entt::registry&, Entity body) {
        if (body_slot(context, body) != kNoSlot) context.structure_changed = true;
    }
    void on_changed_mass(entt::registry& registry, Entity body) {
        on_changed_body(registry, body);
        context.reshaped_bodies.push_back(body);
    }
    void on_new_collider(entt::registry& registry, Entity entity) {
        const Entity body = registry.get<Collider>(entity).body;
        if (registry.valid(body)) context.collider_links.add(entity, body);
        context.reshaped_bodies.push_back(body);
        note(context.changes.new_colliders, entity);
    }
    void on_changed_collider(entt::registry& registry, Entity entity) {
        const Entity body = registry.get<Collider>(entity).body;
        context.collider_links.remove(entity);
        if (registry.valid(body)) context.collider_links.add(entity, body);
        context.reshaped_bodies.push_back(body);
        context.structure_changed = true;
    }
    void on_gone_collider(entt::registry& registry, Entity entity) {
        context.collider_links.remove(entity);
        context.reshaped_bodies.push_back(registry.get<Collider>(entity).body);
        note(context.changes.gone_colliders, entity);
    }
    /// Who was a body or a collider before it had a stable id was in no list.
    void on_new_id(entt::registry& registry, Entity entity) {
        if (!registry.any_of<RigidBody, Collider>(entity)) return;
        context.structure_changed = true;
        context.body_list_stale = true;
    }

    // ---- snapshots
    /// Shapes that the colliders need: the library may have grown since, which does not change the state.
    uint64_t shapes_in_use() const {
        uint64_t count = 0;
        for (const Entity entity : world.registry().view<Collider>()) {
            const ShapeId shape = world.registry().get<Collider>(entity).shape;
            if (shape != kNoShape) count = std::max(count, uint64_t(shape) + 1);
        }
        return count;
    }
    void save(ByteWriter& out) const override {
        out.value(step_number);
        out.value(next_stable_id);
        out.value(shapes_in_use());
        out.array(context.reshaped_bodies);
        write_settings(out, settings);
        // A world that was restored and not yet stepped still has its pairs and boxes as they were loaded.
        if (!context.restored) save_pairs(context, pairs_to_save, boxes_to_save);
        out.array(context.restored ? context.saved_pairs : pairs_to_save);
        out.array(context.restored ? context.saved_boxes : boxes_to_save);
        if (!context.restored) save_parts(context, parts_to_save);
        out.array(context.restored ? context.saved_parts : parts_to_save);
        if (!context.restored) save_factors(context, factors_to_save, factor_values_to_save);
        out.array(context.restored ? context.saved_factors : factors_to_save);
        out.array(context.restored ? context.saved_factor_values : factor_values_to_save);
    }
    Result<void> load(ByteReader& in) override {
        const auto step = in.value<uint64_t>();
        const auto id = in.value<uint32_t>();
        const auto shape_count = in.value<uint64_t>();
        std::vector<Entity> reshaped;
        in.array(reshaped);
        StepSettings read = settings;
        read_settings(in, read);
        std::vector<SavedPair> pairs;
        std::vector<SavedBox> boxes;
        in.array(pairs);
        std::vector<uint8_t> parts;
        in.array(boxes);
        in.array(parts);
        std::vector<SavedFactor> factors;
        std::vector<float> factor_values;
        in.array(factors);
        in.array(factor_values);
        if (!in.ok()) return Error{"The snapshot's physics part is cut short."};
        uint64_t values_named = 0;
        for (const SavedFactor& factor : factors) {
            if (factor.count > factor_values.size()) values_named = ~uint64_t(0) / 2;
            values_named += factor.count;
        }
        if (values_named != factor_values.size())
            return Error{"The snapshot's factors of direct solves do not have as many numbers as they say."};
        if (shape_count > shapes.size())
            return Error{"The snapshot uses " + std::to_string(shape_count) +
                         " shapes, but this world has only " + std::to_string(shapes.size()) + "."};
        if (auto ok = check(read); !ok) return ok;
        step_number = step;
        next_stable_id = id;
        settings = read;
        context.structure_changed = true;
        context.body_list_stale = true;
        context.changes.clear();
        context.reshaped_bodies = std::move(reshaped);  // not what the restore itself made of the registry
        context.bodies = {};  // what was seen before the restore says nothing about what is there now
        for (const ColliderFacts& collider : context.colliders) context.broadphase.remove(collider.proxy);
        context.colliders.clear();
        context.saved_pairs = std::move(pairs);
        context.saved_boxes = std::move(boxes);
        context.saved_parts = std::move(parts);
        context.saved_factors = std::move(factors);
        context.saved_factor_values = std::move(factor_values);
        context.directs.clear();
        context.restored = true;
        return {};
    }

    template <class Archive, class Settings>
    static void each_setting(Archive&& archive, Settings& s) {
        archive(s.gravity), archive(s.stepping), archive(s.stabilisation), archive(s.substeps),
            archive(s.iterations);
        archive(s.relax_iterations), archive(s.tolerance), archive(s.r_strategy), archive(s.contact_hertz);
        archive(s.contact_damping_ratio), archive(s.max_push_speed), archive(s.speculative_distance);
        archive(s.manifold_reuse_distance), archive(s.projection_slop), archive(s.projection_passes);
        archive(s.restitution_speed), archive(s.hit_speed), archive(s.gyroscopic), archive(s.sleeping);
        archive(s.sleep_speed), archive(s.sleep_time), archive(s.wide_kernels), archive(s.direct_islands);
        archive(s.escalate), archive(s.time_limit);
    }
    static void write_settings(ByteWriter& out, const StepSettings& s) {
        each_setting([&](const auto& field) { out.value(field); }, s);
        out.text(s.solver);
    }
    static void read_settings(ByteReader& in, StepSettings& s) {
        each_setting([&](auto& field) { in.raw(&field, sizeof(field)); }, s);
        in.text(s.solver);
    }
};

PhysicsWorld::PhysicsWorld(std::unique_ptr<engine::Jobs> jobs)
    : state_(std::make_unique<State>(std::move(jobs))) {}
PhysicsWorld::~PhysicsWorld() = default;

// ---- making things

namespace {

bool is_unit(const Quat& q) { return std::abs(glm::dot(q, q) - 1.0f) < 1e-3f; }

Result<void> check_pose(const Pose& pose, const char* of) {
    if (!is_finite(pose.position))
        return Error{std::string("The position of ") + of + " must be three finite numbers."};
    if (!is_finite(pose.rotation) || !is_unit(pose.rotation))
        return Error{std::string("The rotation of ") + of + " must be a unit quaternion."};
    return {};
}

/// Numbers never repeat, and the last one stands for none.
Result<void> check_id(uint32_t next) {
    if (next == 0xFFFFFFFFu)
        return Error{
            "This world has made 4294967294 bodies and colliders, and numbers them with 32 bits; "
            "move what is left to a new world."};
    return {};
}

bool is_at_least_zero(float x) { return std::isfinite(x) && x >= 0.0f; }

Result<void> check_material(const Material& m) {
    if (!is_at_least_zero(m.friction)) return Error{"Friction must be a finite number, 0 or greater."};
    if (!(m.restitution >= 0.0f && m.restitution <= 1.0f))
        return Error{"Restitution must lie between 0 and 1."};
    if (!is_finite(m.friction_direction))
        return Error{"The direction of a surface's grain must be three finite numbers; zero for none."};
    if (!is_at_least_zero(m.friction_across))
        return Error{"Friction across the grain must be a finite number, 0 or greater."};
    if (!is_at_least_zero(m.torsional_friction))
        return Error{"Torsional friction must be a finite radius in m, 0 or greater."};
    if (!is_at_least_zero(m.rolling_friction))
        return Error{"Rolling friction must be a finite radius in m, 0 or greater."};
    if (m.friction_combine > Combine::geometric_mean || m.restitution_combine > Combine::geometric_mean ||
        m.moment_combine > Combine::geometric_mean)
        return Error{"A combine mode must be average, minimum, maximum, multiply or geometric_mean."};
    return {};
}

/// Most solvers know one coefficient of friction a contact.
Result<void> check_solver_knows(const std::string& solver) {
    if (find_solver(solver)->extra_friction) return {};
    return Error{"The solver '" + solver +
                 "' knows one coefficient of friction a contact; surfaces with a grain, torsional or rolling "
                 "friction need prox_gs or prox_jacobi."};
}

}  // namespace

Result<void> PhysicsWorld::set_settings(const StepSettings& settings) {
    if (auto ok = check(settings); !ok) return ok;
    if (!find_solver(settings.solver)->extra_friction)
        for (const auto [entity, collider] : state_->world.registry().view<Collider>().each())
            if (is_special(collider.material)) return check_solver_knows(settings.solver);
    state_->settings = settings;
    return {};
}

Result<Entity> PhysicsWorld::create_body(const NewBody& desc) {
    if (auto ok = check_id(state_->next_stable_id); !ok) return Error{ok.error()};
    if (auto ok = check_pose(desc.pose, "a body"); !ok) return Error{ok.error()};
    if (!is_finite(desc.velocity.linear) || !is_finite(desc.velocity.angular))
        return Error{"The velocity of a body must be finite."};
    if (!is_at_least_zero(desc.mass))
        return Error{
            "The mass of a body must be a positive finite number of kg, or 0 for 'from the colliders'."};
    if (desc.mass > 0.0f && !std::isfinite(1.0f / desc.mass))
        return Error{"The mass of a body is too small to be inverted."};
    if (!std::isfinite(desc.body.gravity_scale)) return Error{"The gravity scale of a body must be finite."};
    if (!is_at_least_zero(desc.body.linear_damping) || !is_at_least_zero(desc.body.angular_damping))
        return Error{"Damping must be a finite number per second, 0 or greater."};

    entt::registry& registry = state_->world.registry();
    const Entity entity = registry.create();
    RigidBody body = desc.body;
    body.type = desc.type;
    Mass mass;
    if (desc.mass > 0.0f) {
        mass.source = MassSource::total;
        mass.mass = desc.mass;
    }
    registry.emplace<StableId>(entity, StableId{state_->next_stable_id++});
    registry.emplace<Pose>(entity, desc.pose);
    registry.emplace<Velocity>(entity, desc.type == BodyType::fixed ? Velocity{} : desc.velocity);
    registry.emplace<Force>(entity);
    registry.emplace<Mass>(entity, mass);
    registry.emplace<Rest>(entity);
    registry.emplace<RigidBody>(entity, body);
    return entity;
}

Result<Entity> PhysicsWorld::add_collider(Entity body, Collider collider) {
    if (auto ok = check_id(state_->next_stable_id); !ok) return Error{ok.error()};
    entt::registry& registry = state_->world.registry();
    if (!registry.valid(body) || !registry.all_of<RigidBody>(body))
        return Error{"A collider needs an existing body."};
    if (size_t(collider.shape) >= state_->shapes.size())
        return Error{"A collider needs a shape of this world's library."};
    if (auto ok = check_pose(collider.local, "a collider"); !ok) return Error{ok.error()};
    if (auto ok = check_material(collider.material); !ok) return Error{ok.error()};
    if (is_special(collider.material))
        if (auto ok = check_solver_knows(state_->settings.solver); !ok) return Error{ok.error()};
    if (!(std::isfinite(collider.density) && collider.density > 0.0f))
        return Error{"The density of a collider must be a positive finite number of kg/m3."};
    const Shape& shape = state_->shapes.get(collider.shape);
    const RigidBody& owner = registry.get<RigidBody>(body);
    if (shape.type == ShapeType::half_space && owner.type != BodyType::fixed)
        return Error{"A half-space has no end and no mass: it goes on a fixed body only."};
    if (owner.type == BodyType::dynamic) {
        MassAccumulator sum;
        sum.add(shape.mass, {collider.local.position, collider.local.rotation}, collider.density);
        if (!is_sensible(sum.result()))
            return Error{
                "The collider's size and density give a mass or inertia outside what a float can hold."};
    }
    collider.body = body;
    const Entity entity = registry.create();
    registry.emplace<StableId>(entity, StableId{state_->next_stable_id++});
    registry.emplace<Collider>(entity, collider);
    return entity;
}

void PhysicsWorld::destroy_body(Entity body) {
    entt::registry& registry = state_->world.registry();
    if (!registry.valid(body)) return;
    std::vector<Entity>& colliders = state_->context.entity_list;
    colliders.clear();
    state_->context.collider_links.for_each(body, [&](Entity entity) { colliders.push_back(entity); });
    for (const Entity entity : colliders) registry.destroy(entity);
    if (registry.valid(body)) registry.destroy(body);  // it may have been its own collider
}

void PhysicsWorld::wake(Entity body) {
    entt::registry& registry = state_->world.registry();
    if (!registry.valid(body) || !registry.all_of<Rest>(body)) return;
    registry.get<Rest>(body) = Rest{};
}

Result<void> PhysicsWorld::set_solver(Entity body, std::string_view solver, float tolerance,
                                      uint32_t iterations) {
    entt::registry& registry = state_->world.registry();
    if (!registry.valid(body) || !registry.all_of<RigidBody>(body))
        return Error{"A solver is chosen for an existing body."};
    const Solver* row = find_solver(solver);
    if (!row) {
        StepSettings unknown = state_->settings;
        unknown.solver = solver;
        return check(unknown);  // a sentence with the names there are
    }
    if (!is_at_least_zero(tolerance)) return Error{"A tolerance must be a finite speed, 0 or greater."};
    if (iterations > 1000000) return Error{"The iterations of a solver must be at most 1000000."};
    registry.emplace_or_replace<SolverChoice>(
        body, SolverChoice{uint32_t(row - solver_table().data()), iterations, tolerance});
    return {};
}

void PhysicsWorld::clear_solver(Entity body) {
    if (state_->world.registry().valid(body)) state_->world.registry().remove<SolverChoice>(body);
}

// ---- stepping

Result<void> PhysicsWorld::step(float dt) {
    if (!(std::isfinite(dt) && dt > 0.0f))
        return Error{"A step needs a positive finite length in seconds; it was " + std::to_string(dt) + "."};
    const float h = dt / float(state_->settings.substeps);
    if (!std::isfinite(1.0f / (h * h)))
        return Error{"A step of " + std::to_string(dt) + " s is too short to be computed."};
    StepContext& c = state_->context;
    c.dt = dt;
    c.solver = find_solver(state_->settings.solver);
    {
        PX_ZONE("step");
        const engine::JobBurst burst(*c.jobs);
        run_step(c);
    }
    engine::mark_frame("step");
    PX_PLOT("bodies awake", c.report.bodies);
    PX_PLOT("contacts", c.report.contacts);
    PX_PLOT("residual, m/s", c.report.residual_max);
    return {};
}

// ---- reading

std::optional<IslandReport> PhysicsWorld::island(Entity body) const {
    const StepContext& c = state_->context;
    const size_t index = size_t(entt::to_entity(body));
    if (index >= c.slot_of_entity.size()) return std::nullopt;
    const uint32_t slot = c.slot_of_entity[index];
    if (slot >= c.bodies.size() || c.bodies.facts[slot].entity != body) return std::nullopt;
    const uint32_t number = c.bodies.island[slot];
    if (number == kNoIsland || number >= c.island_outcome.size() || !c.bodies.was_awake[slot])
        return std::nullopt;
    const Island& island = c.islands[number];
    const IslandOutcome& outcome = c.island_outcome[number];
    IslandReport report;
    report.bodies = island.body_end - island.body_begin;
    report.contact_pairs = island.group_end - island.group_begin;
    report.solver =
        c.island_way[number] == IslandWay::direct ? std::string_view("direct") : solver_of(c, number).name;
    report.residual = double(outcome.residual);
    report.iterations = outcome.iterations;
    report.stop = outcome.stop;
    report.escalated = outcome.escalated;
    return report;
}

const StepSettings& PhysicsWorld::settings() const { return state_->settings; }
ShapeLibrary& PhysicsWorld::shapes() { return state_->shapes; }
const ShapeLibrary& PhysicsWorld::shapes() const { return state_->shapes; }
entt::registry& PhysicsWorld::registry() { return state_->world.registry(); }
const entt::registry& PhysicsWorld::registry() const { return state_->world.registry(); }
engine::World& PhysicsWorld::world() { return state_->world; }
const StepReport& PhysicsWorld::report() const { return state_->report; }
const engine::StageTimes& PhysicsWorld::times() const { return state_->times; }
std::span<const ContactBegin> PhysicsWorld::begin_events() const { return state_->begin_events; }
std::span<const ContactEnd> PhysicsWorld::end_events() const { return state_->end_events; }
std::span<const ContactHit> PhysicsWorld::hit_events() const { return state_->hit_events; }
std::span<const Entity> PhysicsWorld::bodies() const {
    list_bodies(state_->context);
    return state_->context.body_entities;
}
const StepContext& PhysicsWorld::context() const { return state_->context; }
engine::Jobs& PhysicsWorld::jobs() { return *state_->jobs; }
void PhysicsWorld::set_jobs(std::unique_ptr<engine::Jobs> jobs) {
    state_->jobs = std::move(jobs);
    state_->context.jobs = state_->jobs.get();
}

uint64_t PhysicsWorld::state_hash() const {
    const entt::registry& registry = state_->world.registry();
    StateHash hash;
    for (const Entity entity : bodies()) {
        const Pose& pose = registry.get<Pose>(entity);
        const Velocity& velocity = registry.get<Velocity>(entity);
        hash.add(pose.position);
        hash.add(pose.rotation);
        hash.add(velocity.linear);
        hash.add(velocity.angular);
    }
    return hash.value();
}

MemoryUse PhysicsWorld::memory() const {
    MemoryUse use = memory_use(state_->context);
    use.pairs += capacity_bytes(state_->pairs_to_save, state_->boxes_to_save, state_->parts_to_save,
                                state_->factors_to_save, state_->factor_values_to_save);
    return use;
}

// ---- capture

namespace {

template <class... Components>
void copy_components(const entt::registry& from, entt::registry& to) {
    const auto copy_type = [&]<class T>(std::type_identity<T>) {
        for (const Entity entity : from.view<T>()) to.emplace<T>(entity, from.get<T>(entity));
    };
    (copy_type(std::type_identity<Components>{}), ...);
}

}  // namespace

/// Not by a snapshot of the whole world: it has the game's own components, which a plain world does not know.
Result<ContactDump> PhysicsWorld::capture(float dt) const {
    if (!(std::isfinite(dt) && dt > 0.0f && std::isfinite(1.0f / dt)))
        return Error{"A contact problem needs a positive finite time step; it was " + std::to_string(dt) +
                     " s."};
    State copy(engine::make_serial_jobs());
    copy.shapes = state_->shapes;
    const entt::registry& from = registry();
    entt::registry& to = copy.world.registry();
    const auto make = [&](Entity entity) {
        if (!to.valid(entity)) (void)to.create(entity);
    };
    for (const Entity entity : from.view<StableId>()) make(entity);
    for (const Entity entity : from.view<ContactPair>()) make(entity);
    copy_components<StableId, Pose, Velocity, Force, RigidBody, Mass, Rest, Quarantined, Collider,
                    ContactPair, Manifold, PairFriction>(from, to);
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    state_->save(out);
    ByteReader in(bytes);
    if (Result<void> loaded = copy.load(in); !loaded) return Error{loaded.error()};

    StepContext& c = copy.context;
    copy.settings.substeps = 1;
    copy.settings.stepping = Stepping::semi_implicit;
    copy.settings.wide_kernels = false;  // its blocks are not the contacts that are asked for
    c.dt = dt;
    c.solver = find_solver(copy.settings.solver);
    ContactDump dump = capture_contacts(c);
    if (!c.problem.extras.empty())
        return Error{
            "Contacts of this world have a grain, torsional or rolling friction; a contact problem holds one "
            "coefficient of friction a contact."};
    return dump;
}

// ---- state

void PhysicsWorld::save(Snapshot& out) const { state_->world.save(out); }

Result<void> PhysicsWorld::restore(const Snapshot& snapshot) { return state_->world.restore(snapshot); }

}  // namespace proxima::physics
